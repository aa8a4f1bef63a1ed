/* The fault plan: which I/Os a [fault NAME] of single I/Os meets. */
#include "tests/lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fault_plan.h"

enum { IOS = 1000 };

/* Sends reads to member 1, one a microsecond; every one that is met is struck. Returns how many,
 * and in *map which. */
static unsigned struck(const struct fault *f, uint64_t seed, unsigned number, bool map[IOS])
{
    struct scenario *s = calloc(1, sizeof *s);
    struct fault_state state;
    unsigned n = 0;

    assert_non_null(s);
    s->seed = seed;
    fault_start(&state, s, number);
    for (unsigned i = 0; i < IOS; i++) {
        map[i] = fault_meets(&state, f, i * 1000, 1, false);
        state.struck += map[i];
        n += map[i];
    }
    free(s);
    return n;
}

static struct fault read_error(void)
{
    return (struct fault){ .what = FAULT_READ_ERROR, .member = 1 };
}

static void every_nth_io_or_one_of_them(void **state)
{
    /* Breaks when counting begins with another I/O, or does not stop. */
    struct fault every = read_error(), nth = read_error(), all = read_error();
    bool map[IOS];

    (void)state;
    assert_int_equal(struck(&all, 1, 0, map), IOS);
    every.every = 7;
    assert_int_equal(struck(&every, 1, 0, map), IOS / 7);
    for (unsigned i = 0; i < IOS; i++)
        assert_int_equal(map[i], i % 7 == 6);
    nth.nth = 5;
    assert_int_equal(struck(&nth, 1, 0, map), 1);
    assert_true(map[4]);
}

static void a_fault_begins_ends_and_is_used_up(void **state)
{
    /* Breaks when a time or a count is off by one, or I/Os before the beginning are counted. */
    struct fault f = read_error(), few = read_error();
    bool map[IOS];

    (void)state;
    f.at_ns = 100 * 1000;
    f.until_ns = 200 * 1000;
    assert_int_equal(struck(&f, 1, 0, map), 100);
    assert_true(map[100] && map[199]);
    f.every = 10;
    assert_int_equal(struck(&f, 1, 0, map), 10);
    assert_true(map[109]);
    few.count = 3;
    few.every = 2;
    assert_int_equal(struck(&few, 1, 0, map), 3);
    assert_true(map[1] && map[3] && map[5]);
}

static void what_was_met_and_not_struck_leaves_the_count_alone(void **state)
{
    /* Breaks when what was met and could not be struck is counted as a blow. */
    struct scenario *s = calloc(1, sizeof *s);
    struct fault f = read_error();
    struct fault_state st;

    (void)state;
    assert_non_null(s);
    f.count = 1;
    fault_start(&st, s, 0);
    for (unsigned i = 0; i < 4; i++)
        assert_true(fault_meets(&st, &f, i, 1, false));
    st.struck = 1;
    assert_false(fault_meets(&st, &f, 5, 1, false));
    free(s);
}

static void a_fault_looks_at_its_member_and_direction(void **state)
{
    /* Breaks when reads meet a write error, or another member's I/O counts. */
    static const uint32_t writes[] = { FAULT_WRITE_ERROR, FAULT_LOST_WRITE, FAULT_TORN_WRITE,
                                       FAULT_MISDIRECTED_WRITE };
    struct scenario *s = calloc(1, sizeof *s);
    struct fault f = read_error();
    struct fault_state st;

    (void)state;
    assert_non_null(s);
    fault_start(&st, s, 0);
    assert_true(!fault_meets(&st, &f, 0, 0, false) && !fault_meets(&st, &f, 0, 1, true));
    assert_int_equal(st.seen, 0);
    assert_true(fault_meets(&st, &f, 0, 1, false));
    for (unsigned i = 0; i < 4; i++) {
        f.what = writes[i];
        assert_true(fault_is_of_io(&f));
        assert_true(fault_meets(&st, &f, 0, 1, true) && !fault_meets(&st, &f, 0, 1, false));
    }
    f.what = FAULT_ROT;
    assert_false(fault_is_of_io(&f));
    f.what = FAULT_SYNC_MAX;
    assert_false(fault_is_of_io(&f));
    free(s);
}

static void probability_is_luck_of_the_seed_and_of_each_fault(void **state)
{
    /* Breaks when the same seed means other luck, two faults share theirs, or the share is not the
     * one that was asked for. */
    struct fault f = read_error();
    bool map[IOS], again[IOS], other[IOS], second[IOS];
    unsigned n;

    (void)state;
    f.probability = 25000; /* a quarter */
    n = struck(&f, 1, 0, map);
    assert_true(n > 200 && n < 300);
    struck(&f, 1, 0, again);
    struck(&f, 2, 0, other);
    struck(&f, 1, 1, second);
    assert_memory_equal(map, again, sizeof map);
    assert_true(memcmp(map, other, sizeof map) != 0 && memcmp(map, second, sizeof map) != 0);
    f.probability = 100000;
    assert_int_equal(struck(&f, 1, 0, map), IOS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_nth_io_or_one_of_them),
        cmocka_unit_test(a_fault_begins_ends_and_is_used_up),
        cmocka_unit_test(what_was_met_and_not_struck_leaves_the_count_alone),
        cmocka_unit_test(a_fault_looks_at_its_member_and_direction),
        cmocka_unit_test(probability_is_luck_of_the_seed_and_of_each_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
