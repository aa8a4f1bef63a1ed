/* Temperature: exact LRU of stripe_heads per CPU, each warm in one CPU at most. */
#include "tests/lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "sim/dice.h"
#include "sim/temperature.h"

static struct temperature *caches(uint32_t cpus, uint32_t stripes, uint32_t room)
{
    struct temperature *t = calloc(1, temperature_bytes(cpus, stripes));

    assert_non_null(t);
    temperature_start(t, cpus, stripes, room);
    return t;
}

static void what_was_touched_is_warm_there_and_elsewhere_for_others(void **state)
{
    /* Breaks when a first touch is free, or a stripe stays warm in two CPUs. */
    struct temperature *t = caches(2, 10, 4);

    (void)state;
    assert_int_equal(temperature_of(t, 0, 3), COLD);
    assert_int_equal(temperature_touch(t, 0, 3), COLD);
    assert_int_equal(temperature_of(t, 0, 3), WARM);
    assert_int_equal(temperature_of(t, 1, 3), WARM_ELSEWHERE);
    assert_int_equal(temperature_touch(t, 1, 3), WARM_ELSEWHERE);
    assert_int_equal(temperature_of(t, 1, 3), WARM);
    assert_int_equal(temperature_of(t, 0, 3), WARM_ELSEWHERE);
    free(t);
}

static void the_least_recently_used_goes_first(void **state)
{
    /* Breaks when the cache forgets in another order than that of last use. */
    struct temperature *t = caches(1, 10, 3);

    (void)state;
    for (uint32_t s = 0; s < 3; s++)
        temperature_touch(t, 0, s);
    temperature_touch(t, 0, 0); /* 1 is the oldest now */
    temperature_touch(t, 0, 7);
    assert_int_equal(temperature_of(t, 0, 0), WARM);
    assert_int_equal(temperature_of(t, 0, 1), COLD);
    assert_int_equal(temperature_of(t, 0, 2), WARM);
    assert_int_equal(temperature_of(t, 0, 7), WARM);
    free(t);
}

static void a_look_changes_nothing(void **state)
{
    /* Breaks when a touch of a few lines counts as a use of the whole. */
    struct temperature *t = caches(2, 10, 2);
    struct temperature *copy = malloc(temperature_bytes(2, 10));

    (void)state;
    assert_non_null(copy);
    temperature_touch(t, 0, 1);
    memcpy(copy, t, temperature_bytes(2, 10));
    for (uint32_t s = 0; s < 10; s++)
        temperature_of(t, s % 2, s);
    assert_memory_equal(copy, t, temperature_bytes(2, 10));
    free(copy);
    free(t);
}

static void a_cpu_without_room_is_always_cold(void **state)
{
    /* Breaks when a stripe_head larger than the cache counts as cached. */
    struct temperature *t = caches(2, 4, 0);

    (void)state;
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(temperature_touch(t, n % 2, 2), COLD);
    free(t);
}

enum { CPUS = 3, STRIPES = 40, ROOM = 7 };

/* The obvious way: when each CPU touched each stripe last; 0: not there. */
struct plain {
    uint64_t used[CPUS][STRIPES], clock;
};

static enum warmth plain_touch(struct plain *p, uint32_t cpu, uint32_t stripe)
{
    enum warmth was = p->used[cpu][stripe] ? WARM : COLD;
    uint32_t count = 0, oldest = stripe;

    for (uint32_t c = 0; c < CPUS; c++)
        if (c != cpu && p->used[c][stripe]) {
            was = WARM_ELSEWHERE;
            p->used[c][stripe] = 0;
        }
    p->used[cpu][stripe] = ++p->clock;
    for (uint32_t s = 0; s < STRIPES; s++) {
        count += p->used[cpu][s] != 0;
        if (p->used[cpu][s] && p->used[cpu][s] < p->used[cpu][oldest])
            oldest = s;
    }
    if (count > ROOM)
        p->used[cpu][oldest] = 0;
    return was;
}

static void it_agrees_with_the_obvious_way(void **state)
{
    /* Breaks when a ring loses a stripe: 200000 random touches beside a table of times. */
    struct temperature *t = caches(CPUS, STRIPES, ROOM);
    struct plain *p = calloc(1, sizeof *p);
    struct dice dice = dice_new(3, DICE_FATE, 0);

    (void)state;
    assert_non_null(p);
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t cpu = (uint32_t)dice_below(&dice, CPUS);
        uint32_t stripe = (uint32_t)dice_below(&dice, n % 3 ? STRIPES : ROOM);

        assert_int_equal(temperature_touch(t, cpu, stripe), plain_touch(p, cpu, stripe));
    }
    free(p);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_touched_is_warm_there_and_elsewhere_for_others),
        cmocka_unit_test(the_least_recently_used_goes_first),
        cmocka_unit_test(a_look_changes_nothing),
        cmocka_unit_test(a_cpu_without_room_is_always_cold),
        cmocka_unit_test(it_agrees_with_the_obvious_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
