/*
 * The load generator: when requests are issued and when a job is over, in fio's terms
 * (docs/WORKLOADS.md).
 */
#include "tests/lib/t.h"

#include <stdlib.h>

#include "tests/unit/workload_rig.h"

static const uint64_t ms = 1000000, second = 1000000000;

static void rate_iops_spaces_requests_exactly_and_without_drift(void **state)
{
    /* Breaks when the spacing is rounded each time: 7 a second must be 7 a second after an hour,
     * too. */
    struct scenario *s = scenario_new();
    struct tape *t;

    (void)state;
    s->job[0].time_based = 1;
    s->job[0].rate_iops = 7;
    s->job[0].startdelay_ns = 5 * ms;
    t = play_once(s, 25201, 1000);
    for (unsigned i = 0; i < t->count; i++)
        assert_int_equal(t->at[i], 5 * ms + i * second / 7);
    assert_int_equal(t->at[25200], 5 * ms + 3600 * second);
    free(t);
    free(s);
}

static void a_job_behind_its_rate_catches_up(void **state)
{
    /* Breaks when the schedule is pushed back by a slow I/O: fio's is anchored at the start. */
    struct scenario *s = scenario_new();
    struct workload *w;
    struct ask ask;
    uint64_t when;

    (void)state;
    s->job[0].time_based = 1;
    s->job[0].rate_iops = 1000;
    w = start(s, MIB);
    for (unsigned i = 0; i < 11; i++)
        assert_int_equal(workload_next(w, 0, 10 * ms, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(workload_next(w, 0, 10 * ms, &ask, &when), WORKLOAD_LATER);
    assert_int_equal(when, 11 * ms);
    workload_free(w);
    free(s);
}

/* Arrivals of a Poisson process of 200 a second: one job, so many asks, each taking `service`. */
static struct tape *play_poisson(uint64_t seed, unsigned asks, uint64_t service)
{
    struct scenario *s = scenario_new();
    struct tape *t;

    s->seed = seed;
    s->job[0].time_based = 1;
    s->job[0].rate_iops = 200;
    s->job[0].rate_process = RATE_POISSON;
    s->job[0].startdelay_ns = 3 * ms;
    t = play_once(s, asks, service);
    free(s);
    return t;
}

static void poisson_arrivals_have_the_mean_gap_and_their_scatter(void **state)
{
    /* Breaks when gaps are even (no scatter), drawn from another distribution, or off the rate: the
     * mean of 40000 gaps lies within 2 % of 5 ms, the mean square within 4 % of 2 * (5 ms)^2. */
    struct tape *t = play_poisson(42, 40001, 0);
    double sum = 0, squares = 0;

    (void)state;
    assert_int_equal(t->at[0], 3 * ms);
    for (unsigned i = 1; i < t->count; i++) {
        double gap = (double)(t->at[i] - t->at[i - 1]) / (double)(5 * ms);

        sum += gap;
        squares += gap * gap;
    }
    assert_true(sum > 39200 && sum < 40800);
    assert_true(squares > 76800 && squares < 83200);
    free(t);
}

static void poisson_arrivals_do_not_wait_for_completions(void **state)
{
    /* Breaks when a gap is counted from the last issue: a slow array would be asked for less than
     * it was told to bear. Each I/O takes 4 ms of 5: who comes too early waits, the times at which
     * the others come are those of an idle array. */
    struct tape *idle = play_poisson(7, 5000, 0), *busy = play_poisson(7, 5000, 4 * ms);
    unsigned on_time = 0;

    (void)state;
    for (unsigned i = 0; i < idle->count; i++) {
        uint64_t free_at = i ? busy->at[i - 1] + 4 * ms : 0;

        assert_int_equal(busy->at[i], idle->at[i] > free_at ? idle->at[i] : free_at);
        on_time += idle->at[i] == busy->at[i];
    }
    assert_true(on_time > 500 && on_time < 2000); /* a fifth of the time it is idle */
    free(idle);
    free(busy);
}

static void arrivals_do_not_change_what_is_asked(void **state)
{
    /* Breaks when the gaps take from the dice of offsets. */
    struct scenario *s = scenario_new();
    struct tape *even, *poisson;

    (void)state;
    s->job[0].time_based = 1;
    s->job[0].rate_iops = 200;
    even = play_once(s, 3000, 0);
    s->job[0].rate_process = RATE_POISSON;
    poisson = play_once(s, 3000, 0);
    assert_memory_equal(even->ask, poisson->ask, 3000 * sizeof(struct ask));
    free(even);
    free(poisson);
    free(s);
}

static void thinktime_counts_from_the_completion(void **state)
{
    /* Breaks when thinking begins at the issue, or before the last I/O that is out has ended. */
    struct scenario *s = scenario_new();
    struct workload *w;
    struct ask ask;
    uint64_t when = 0;

    (void)state;
    s->job[0].time_based = 1;
    s->job[0].thinktime_ns = 7 * ms;
    w = start(s, MIB);
    assert_int_equal(workload_next(w, 0, 0, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(workload_next(w, 0, 2 * ms, &ask, &when), WORKLOAD_LATER);
    assert_true(when == UINT64_MAX); /* it is still out, nobody knows for how long */
    assert_int_equal(workload_next(w, 0, 9 * ms, &ask, &when), WORKLOAD_LATER);
    workload_done(w, 0, 10 * ms, false);
    assert_int_equal(workload_next(w, 0, 10 * ms, &ask, &when), WORKLOAD_LATER);
    assert_int_equal(when, 17 * ms);
    assert_int_equal(workload_next(w, 0, 17 * ms - 1, &ask, &when), WORKLOAD_LATER);
    assert_int_equal(workload_next(w, 0, 17 * ms, &ask, &when), WORKLOAD_ASK);
    workload_free(w);
    free(s);
}

static void nothing_is_issued_at_or_after_ramp_plus_runtime(void **state)
{
    /* Breaks when the stop is off by one, forgets the ramp or the start delay, or a due time beyond
     * it is waited for. */
    struct scenario *s = scenario_new();
    struct workload *w;
    struct ask ask;
    uint64_t when = 0, stop = 30 * ms;
    struct tape *t;

    (void)state;
    s->job[0].time_based = 1;
    s->job[0].startdelay_ns = 4 * ms;
    s->job[0].ramp_ns = 6 * ms;
    s->job[0].runtime_ns = 20 * ms;
    w = start(s, MIB);
    assert_int_equal(workload_next(w, 0, 0, &ask, &when), WORKLOAD_LATER);
    assert_int_equal(when, 4 * ms);
    assert_int_equal(workload_next(w, 0, stop - 1, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(workload_next(w, 0, stop, &ask, &when), WORKLOAD_OVER);
    assert_int_equal(workload_next(w, 0, stop - 1, &ask, &when), WORKLOAD_OVER); /* never again */
    workload_free(w);

    s->job[0].rate_iops = 100;
    t = play_once(s, MAX_ASKS, 0);
    assert_int_equal(t->count, 3); /* 4, 14, 24 ms; 34 is too late */
    assert_int_equal(t->end, 24 * ms);
    free(t);

    s->job[0].runtime_ns = 24 * ms; /* the stop is the very time the next one would be due */
    t = play_once(s, MAX_ASKS, 0);
    assert_int_equal(t->count, 3);
    assert_int_equal(t->end, 24 * ms);
    free(t);
    free(s);
}

static void io_size_and_loops_decide_how_much_is_moved(void **state)
{
    /* Breaks when a job ends too early or too late. */
    static const struct {
        uint64_t size, io_size;
        uint32_t loops, asks;
    } cases[] = { { MIB, 0, 1, 256 },       { MIB, 0, 2, 512 },       { MIB, 64 * KIB, 1, 16 },
                  { MIB, 64 * KIB, 5, 80 }, { MIB, 3 * MIB, 1, 768 }, { 10 * KIB, 0, 3, 6 },
                  { MIB, 10 * KIB, 1, 2 },  { MIB, 512, 1, 1 } };

    (void)state;
    for (int rw = RW_READ; rw <= RW_RANDRW; rw++) {
        for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            struct scenario *s = scenario_new();
            struct tape *t;

            s->job[0].rw = (uint8_t)rw;
            s->job[0].size = cases[c].size;
            s->job[0].io_size = cases[c].io_size;
            s->job[0].loops = cases[c].loops;
            t = play_once(s, MAX_ASKS, 0);
            assert_true(t->ended);
            assert_int_equal(t->count, cases[c].asks);
            free(t);
            free(s);
        }
    }
}

static void a_new_loop_begins_at_the_start_of_the_region(void **state)
{
    /* Breaks when a loop shorter than the region goes on where the last one stopped. */
    struct scenario *s = scenario_new();
    struct tape *t;

    (void)state;
    s->job[0].rw = RW_READ;
    s->job[0].io_size = 12 * KIB;
    s->job[0].loops = 3;
    t = play_once(s, MAX_ASKS, 0);
    assert_int_equal(t->count, 9);
    for (unsigned i = 0; i < t->count; i++)
        assert_int_equal(t->ask[i].sector, 8 * (i % 3));
    free(t);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_iops_spaces_requests_exactly_and_without_drift),
        cmocka_unit_test(a_job_behind_its_rate_catches_up),
        cmocka_unit_test(poisson_arrivals_have_the_mean_gap_and_their_scatter),
        cmocka_unit_test(poisson_arrivals_do_not_wait_for_completions),
        cmocka_unit_test(arrivals_do_not_change_what_is_asked),
        cmocka_unit_test(thinktime_counts_from_the_completion),
        cmocka_unit_test(nothing_is_issued_at_or_after_ramp_plus_runtime),
        cmocka_unit_test(io_size_and_loops_decide_how_much_is_moved),
        cmocka_unit_test(a_new_loop_begins_at_the_start_of_the_region),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
