/* Law: a scenario and a seed are one run: the same moves, the same world, the same figures. */
#include "tests/lib/timed_cases.h"

#include <stdlib.h>
#include <string.h>

enum { LOG = 400000 };

static void run(struct timed *t, struct scenario *s)
{
    timed_start(t, s, LOG);
    timed_finish(t);
    t->results->scenario = NULL; /* each run has its own copy */
    assert_true(t->log.count > 1000);
}

static void the_same_scenario_and_seed_are_the_same_run(void **state)
{
    /* Breaks when anything decides that is not in scenario, seed or state: an address, the host's
     * clock, memory left over. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct timed one, two;
        struct fingerprint a, b;
        void *scrap;

        run(&one, timed_case(n));
        scrap = malloc(12345); /* other addresses */
        run(&two, timed_case(n));
        assert_int_equal(one.log.count, two.log.count);
        assert_memory_equal(one.log.move, two.log.move, one.log.count * sizeof(struct move));
        assert_memory_equal(one.sim.world, two.sim.world, world_bytes(one.sim.world));
        a = world_fingerprint(one.sim.world);
        b = world_fingerprint(two.sim.world);
        assert_true(a.low == b.low && a.high == b.high);
        assert_memory_equal(one.results, two.results, sizeof *one.results);
        free(scrap);
        timed_free(&one);
        timed_free(&two);
    }
}

static void another_seed_is_another_run(void **state)
{
    /* Breaks when the seed is not used, so that the law above says nothing. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct scenario *other = timed_case(n);
        struct timed one, two;
        uint64_t shorter;

        other->seed = 2;
        run(&one, timed_case(n));
        run(&two, other);
        shorter = one.log.count < two.log.count ? one.log.count : two.log.count;
        assert_int_not_equal(memcmp(one.log.move, two.log.move, shorter * sizeof(struct move)), 0);
        timed_free(&one);
        timed_free(&two);
    }
}

static void looking_at_the_run_does_not_change_it(void **state)
{
    /* Breaks when results are not a pure reading, or slices of time change the order of events. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct timed one, two;

        run(&one, timed_case(n));
        timed_start(&two, timed_case(n), LOG);
        for (uint64_t until = 0; clockwork_run(two.sim.clock, until); until += 90011)
            clockwork_results(two.sim.clock, two.results);
        clockwork_results(two.sim.clock, two.results);
        two.results->scenario = NULL;
        assert_int_equal(one.log.count, two.log.count);
        assert_memory_equal(one.log.move, two.log.move, one.log.count * sizeof(struct move));
        one.results->events = two.results->events = 0; /* turns may be cut in two: no matter */
        assert_memory_equal(one.results, two.results, sizeof *one.results);
        timed_free(&one);
        timed_free(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_scenario_and_seed_are_the_same_run),
        cmocka_unit_test(another_seed_is_another_run),
        cmocka_unit_test(looking_at_the_run_does_not_change_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
