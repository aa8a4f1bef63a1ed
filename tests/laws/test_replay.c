/*
 * Law of refinement: a timed run is a path of the untimed model. Every move its clockwork made is
 * allowed when the log is replayed without time from the first moment, and the same world comes
 * out, byte for byte.
 */
#include "tests/lib/timed_cases.h"

#include <stdlib.h>

#include "model/array.h"
#include "sim/system_md.h"

enum { LOG = 400000 };

/* Another first moment of the same shape. */
static struct world *first_moment(const struct timed *t)
{
    struct world *w = calloc(1, world_bytes(t->sim.world));

    assert_non_null(w);
    world_format(w, &t->sim.world->shape);
    array_start(w, t->sim.crew.depth);
    return w;
}

/* Replays the whole log; returns how many moves were allowed. */
static uint64_t replay(const struct move_log *log, struct world *w, uint64_t *findings)
{
    struct effects e = { .capacity = effects_needed(&w->shape) };
    uint64_t n;

    e.list = calloc(e.capacity, sizeof *e.list);
    assert_non_null(e.list);
    for (n = 0; n < log->count && system_allows(&system_md, w, log->move[n]); n++) {
        system_fire(&system_md, w, log->move[n], &e);
        for (uint32_t i = 0; i < e.count; i++)
            *findings += e.list[i].kind == EFFECT_FINDING;
    }
    free(e.list);
    return n;
}

static void every_timed_run_replays_without_time_to_the_same_world(void **state)
{
    /* Breaks when the clockwork makes a move the model does not allow, changes the world behind the
     * model's back, or fires what it does not log. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct timed t;
        struct world *w;
        uint64_t findings = 0;

        timed_start(&t, timed_case(n), LOG);
        timed_finish(&t);
        assert_int_equal(t.log.count, t.results->moves);
        assert_true(t.log.count > 1000 && t.log.count < LOG);
        assert_int_equal(t.results->findings, 0);
        assert_int_equal(simulation_stuck(&t.sim), 0);
        w = first_moment(&t);
        assert_int_equal(replay(&t.log, w, &findings), t.log.count);
        assert_int_equal(findings, 0);
        assert_memory_equal(w, t.sim.world, world_bytes(w));
        free(w);
        timed_free(&t);
    }
}

static void a_forged_log_is_refused(void **state)
{
    /* Breaks when replay accepts anything, so that the law above could not fail. */
    struct timed t;
    struct world *w;
    uint64_t findings = 0;

    (void)state;
    timed_start(&t, timed_case(2), LOG);
    timed_finish(&t);
    for (uint64_t at = 100; at < 140; at++) {
        struct move right = t.log.move[at];

        w = first_moment(&t);
        t.log.move[at].step ^= 1;
        assert_true(replay(&t.log, w, &findings) <= at);
        t.log.move[at] = right;
        free(w);
    }
    timed_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_timed_run_replays_without_time_to_the_same_world),
        cmocka_unit_test(a_forged_log_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
