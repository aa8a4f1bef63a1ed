/* Workers in a timed run: kworker threads on any CPU. */
#include "tests/lib/small_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/stripe.h"
#include "model/invariants.h"
#include "tests/lib/timed_cases.h"

static const uint64_t us = 1000, ms = 1000000;

/* Writes that cost much to handle, on an array whose members are no obstacle. */
static struct scenario *busy(unsigned workers, unsigned cpus)
{
    struct scenario *s = small_scenario(LEVEL_RAID5);

    s->driver.generation = GENERATION_61;
    s->driver.wake_policy = 1;
    s->driver.array_plug = 0;
    s->driver.max_stripe_batch = 4;
    s->array.stripe_cache_size = 256;
    s->array.group_thread_cnt = workers;
    s->host.cpus = s->host.irq_cpu = cpus; /* interrupts: spread */
    s->host.cycles_milli[WORK_XOR_LINE] = 200 * 1000;
    s->job[0].rw = RW_RANDWRITE;
    s->job[0].numjobs = 3;
    s->job[0].engine = ENGINE_LIBAIO;
    s->job[0].iodepth = 8;
    s->job[0].runtime_ns = 10 * ms;
    for (unsigned d = 0; d < 3; d++) {
        s->disk[d].latency_ns = (uint32_t)us;
        s->disk[d].queue_depth = 64;
    }
    return s;
}

static const struct results_thread *thread_named(const struct results *r, const char *name)
{
    for (unsigned i = 0; i < r->thread_count; i++)
        if (!strcmp(r->thread[i].name, name))
            return &r->thread[i];
    return NULL;
}

static void the_report_shows_each_worker_as_a_kworker(void **state)
{
    /* Breaks when what workers burn is nobody's in the report. */
    struct timed t;
    const struct results *r = timed_results(&t, busy(3, 4));

    (void)state;
    assert_non_null(thread_named(r, "kworker/0"));
    assert_true(thread_named(r, "kworker/0")->busy_ns > 0);
    assert_non_null(thread_named(r, "kworker/2"));
    assert_null(thread_named(r, "kworker/3"));
    assert_true(r->work[WORK_ITEM] > 0);
    timed_free(&t);
    r = timed_results(&t, busy(0, 4));
    assert_null(thread_named(r, "kworker/0"));
    assert_int_equal(r->work[WORK_ITEM], 0);
    timed_free(&t);
}

static void workers_move_more_than_raid5d_alone_and_pay_with_the_lock(void **state)
{
    /* Breaks when workers do not run side by side, or their turns under device_lock never meet. */
    struct timed one, many;
    const struct results *alone = timed_results(&one, busy(0, 6));
    const struct results *group = timed_results(&many, busy(4, 6));

    (void)state;
    assert_true(group->job[0].dir[1].bytes * 2 > alone->job[0].dir[1].bytes * 3);
    assert_true(group->lock[0].wait_ns > alone->lock[0].wait_ns);
    assert_int_equal(group->findings, 0);
    timed_free(&one);
    timed_free(&many);
}

static void one_cpu_gains_nothing_from_workers(void **state)
{
    /* Breaks when a worker computes without a CPU. */
    struct timed one, many;
    const struct results *alone = timed_results(&one, busy(0, 1));
    const struct results *group = timed_results(&many, busy(4, 1));

    (void)state;
    assert_true(group->job[0].dir[1].bytes * 10 < alone->job[0].dir[1].bytes * 11);
    assert_null(invariants_of_handlers(many.sim.world));
    assert_int_equal(array_see(many.sim.world, 0)->active, 0);
    timed_free(&one);
    timed_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_shows_each_worker_as_a_kworker),
        cmocka_unit_test(workers_move_more_than_raid5d_alone_and_pay_with_the_lock),
        cmocka_unit_test(one_cpu_gains_nothing_from_workers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
