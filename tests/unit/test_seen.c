/* The table of seen states: new, old, full; parents; states that share a key. */
#include "model/check/seen.h"

#include <stdlib.h>

#include "tests/lib/t.h"

enum { BYTES = 300000 };

struct table {
    struct seen seen;
    void *memory;
};

static struct table table_new(bool exact)
{
    struct table t = { .memory = calloc(1, BYTES) };

    assert_non_null(t.memory);
    assert_true(seen_format(&t.seen, t.memory, BYTES, exact));
    return t;
}

static enum seen_answer add(struct table *t, uint64_t key, uint64_t parent)
{
    uint64_t place;

    return seen_add(&t->seen, key, NULL, parent, &place);
}

static void a_state_is_new_once(void **state)
{
    struct table t = table_new(false);

    (void)state;
    assert_int_equal(add(&t, 7, 7), SEEN_NEW);
    assert_int_equal(add(&t, 7, 9), SEEN_OLD);
    assert_int_equal(add(&t, 7 + SEEN_REGION, 7), SEEN_NEW); /* the same place */
    assert_int_equal(seen_count(&t.seen), 2);
    free(t.memory);
}

static void the_smallest_parent_of_a_level_stays(void **state)
{
    /* Breaks when the trace depends on who came first, or a later level takes a parent away. */
    struct table t = table_new(false);
    uint64_t place;

    (void)state;
    seen_add(&t.seen, 100, NULL, 50, &place);
    add(&t, 100, 60);
    assert_int_equal(seen_parent(&t.seen, place), 50);
    add(&t, 100, 40);
    assert_int_equal(seen_parent(&t.seen, place), 40);
    seen_settle(&t.seen, place);
    add(&t, 100, 30);
    assert_int_equal(seen_parent(&t.seen, place), 40);
    assert_int_equal(seen_find(&t.seen, 100), place);
    assert_int_equal(seen_key(&t.seen, place), 100);
    assert_true(seen_find(&t.seen, 101) == UINT64_MAX);
    free(t.memory);
}

static void a_full_table_says_so_and_keeps_what_it_has(void **state)
{
    struct table t = table_new(false);
    uint64_t n = 0, key = 1;

    (void)state;
    while (add(&t, key, key) == SEEN_NEW) {
        key = key * 0x9e3779b97f4a7c15u + 1;
        n++;
    }
    assert_true(n * 10 > t.seen.regions * SEEN_REGION * 9 / 2); /* keys fall evenly */
    assert_int_equal(seen_count(&t.seen), n);
    assert_int_equal(add(&t, 1, 1), SEEN_OLD);
    free(t.memory);
}

/* A state of two words with key 5. */
static struct seen_record *record_of(uint64_t *memory, uint64_t last)
{
    struct seen_record *r = (struct seen_record *)(void *)memory;

    r->words = 2;
    r->key = 5;
    r->word[0] = 1;
    r->word[1] = last;
    return r;
}

static void exact_tables_tell_states_of_one_key_apart(void **state)
{
    /* Breaks when a whole state is not looked at. */
    struct table t = table_new(true);
    uint64_t memory[3][sizeof(struct seen_record) / sizeof(uint64_t) + 2] = { { 0 } };
    struct seen_record *a = record_of(memory[0], 2), *b = record_of(memory[1], 3);
    struct seen_record *c = record_of(memory[2], 2);
    uint64_t place, other;

    (void)state;
    assert_int_equal(seen_add(&t.seen, 5, a, 5, &place), SEEN_NEW);
    assert_int_equal(seen_add(&t.seen, 5, b, 5, &other), SEEN_NEW);
    assert_true(place != other);
    assert_int_equal(seen_add(&t.seen, 5, c, 5, &other), SEEN_OLD);
    assert_int_equal(place, other);
    free(t.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_new_once),
        cmocka_unit_test(the_smallest_parent_of_a_level_stays),
        cmocka_unit_test(a_full_table_says_so_and_keeps_what_it_has),
        cmocka_unit_test(exact_tables_tell_states_of_one_key_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
