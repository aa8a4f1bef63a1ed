/*
 * Law: world, clockwork and load are three flat blocks. Copied away in the middle of a run and
 * copied back after it, they rewind it: the run goes on as before.
 */
#include "tests/lib/timed_cases.h"

#include <stdlib.h>
#include <string.h>

struct snapshot {
    char *world, *clock, *load;
    uint64_t moves_logged;
};

static struct snapshot take(struct timed *t)
{
    struct snapshot s = { .moves_logged = t->log.count };
    size_t bytes;
    void *clock = clockwork_state(t->sim.clock, &bytes);

    s.world = malloc(world_bytes(t->sim.world));
    s.clock = malloc(bytes);
    s.load = malloc(workload_bytes(t->sim.load));
    assert_true(s.world && s.clock && s.load);
    memcpy(s.world, t->sim.world, world_bytes(t->sim.world));
    memcpy(s.clock, clock, bytes);
    memcpy(s.load, t->sim.load, workload_bytes(t->sim.load));
    return s;
}

static void put_back(struct timed *t, const struct snapshot *s)
{
    size_t bytes;
    void *clock = clockwork_state(t->sim.clock, &bytes);

    memcpy(t->sim.world, s->world, world_bytes(t->sim.world));
    memcpy(clock, s->clock, bytes);
    memcpy(t->sim.load, s->load, workload_bytes(t->sim.load));
    t->log.count = s->moves_logged;
}

static void snapshot_free(struct snapshot *s)
{
    free(s->world);
    free(s->clock);
    free(s->load);
}

static void a_run_rewound_in_the_middle_ends_the_same(void **state)
{
    /* Breaks when some state lies outside the three blocks, or a block holds a pointer into a place
     * that moves on. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++)
        for (uint64_t at = 100000; at < 10000000; at += 3300000) {
            struct timed t;
            struct snapshot middle, end, again;
            struct results *first = malloc(sizeof *first);
            size_t bytes;

            assert_non_null(first);
            timed_start(&t, timed_case(n), 0);
            assert_true(clockwork_run(t.sim.clock, at));
            middle = take(&t);
            timed_finish(&t);
            end = take(&t);
            *first = *t.results;
            assert_memory_not_equal(middle.world, end.world, world_bytes(t.sim.world));
            put_back(&t, &middle);
            timed_finish(&t);
            again = take(&t);
            clockwork_state(t.sim.clock, &bytes);
            assert_memory_equal(end.world, again.world, world_bytes(t.sim.world));
            assert_memory_equal(end.clock, again.clock, bytes);
            assert_memory_equal(end.load, again.load, workload_bytes(t.sim.load));
            assert_memory_equal(first, t.results, sizeof *first);
            free(first);
            snapshot_free(&middle);
            snapshot_free(&end);
            snapshot_free(&again);
            timed_free(&t);
        }
}

static void a_snapshot_goes_on_in_another_simulation(void **state)
{
    /* Breaks when a block holds an address: a second simulation lies elsewhere. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct timed one, two;
        struct snapshot middle;

        timed_start(&one, timed_case(n), 0);
        timed_start(&two, timed_case(n), 0);
        clockwork_run(one.sim.clock, 4900000);
        middle = take(&one);
        put_back(&two, &middle);
        timed_finish(&one);
        timed_finish(&two);
        assert_memory_equal(one.sim.world, two.sim.world, world_bytes(one.sim.world));
        one.results->scenario = two.results->scenario = NULL;
        assert_memory_equal(one.results, two.results, sizeof *one.results);
        snapshot_free(&middle);
        timed_free(&one);
        timed_free(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_rewound_in_the_middle_ends_the_same),
        cmocka_unit_test(a_snapshot_goes_on_in_another_simulation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
