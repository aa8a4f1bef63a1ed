/*
 * A task's own plug (plug_requests), and who waits for device_lock with 6.1: what shows only when
 * several CPUs or mergeable member I/Os are there.
 */
#include "tests/lib/t.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/simulation.h"
#include "tests/unit/elevator_rig.h"

/* The scenario of the recordings, with these settings. To be freed. */
static struct results *run(const char *const *settings, unsigned count)
{
    struct scenario *s = calloc(1, sizeof *s);
    struct results *r = calloc(1, sizeof *r);
    struct complaint why = { .line = 0 };
    struct overrides o = { settings, count };
    struct simulation sim;

    assert_true(s && r);
    if (!scenario_load(s, "tests/conformance/base.cfg", &o, &why) || !simulation_new(&sim, s, &why))
        fail_msg("%s", why.text);
    clockwork_run(sim.clock, UINT64_MAX - 1);
    clockwork_results(sim.clock, r);
    r->scenario = NULL;
    simulation_free(&sim);
    free(s);
    return r;
}

/* Requests that 64 member I/Os become: 16 full stripes of four members, written at once. */
static uint64_t requests(const char *plug)
{
    const char *const settings[] = { "host.nomerges=0", plug, "job.ioseq.ioseq=w:0:192K",
                                     "array.metadata=none" };
    struct results *r = run(settings, 4);
    uint64_t count = 0;

    for (unsigned d = 0; d < 4; d++) {
        count += r->member[d].ios[1];
        assert_int_equal(r->member[d].ios[1] + r->member[d].merges[1], 16);
    }
    free(r);
    return count;
}

static void what_a_round_of_raid5d_sends_is_merged_in_its_plug(void **state)
{
    /* Breaks when requests leave before the round is over, never leave, or the limit does not
     * count: with two, a queue is let go when the next one has been begun. */
    (void)state;
    assert_int_equal(requests("host.plug_requests=0"), 64);
    assert_int_equal(requests("host.plug_requests=64"), 4);
    assert_in_range(requests("host.plug_requests=2"), 5, 63);
}

static void a_held_queue_lets_nothing_go_until_it_is_unplugged(void **state)
{
    /* Breaks when a task's plug opens by a timer or by the number of requests, as the old one. */
    struct elevator_params p = rig_params(ELEVATOR_NOOP);
    struct rig g = rig_open(p);

    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        rig_read(&g, i * 100, 0);
        elevator_hold(g.e);
    }
    g.now += 10000 * MS;
    assert_false(rig_dispatch(&g));
    assert_true(elevator_timer(g.e, &p) == UINT64_MAX);
    assert_true(elevator_unplug(g.e));
    assert_true(rig_dispatch(&g));
    rig_close(&g);
}

static void completions_of_6_1_wait_for_nobody(void **state)
{
    /* Breaks when the end of a member I/O takes device_lock: interrupts would spin for raid5d. */
    static const char *const settings[] = { "host.cpus=4", "host.irq_cpu=3",
                                            "array.failed_members=0",
                                            "job.ioseq.ioseq=seq:r:0:4M:64K:8" };
    struct results *r = run(settings, 4);
    uint64_t cpus = 0, threads = 0;

    (void)state;
    assert_true(r->cpu[3].irq_ns > 0);
    for (unsigned i = 0; i < r->cpu_count; i++)
        cpus += r->cpu[i].spin_ns;
    for (unsigned i = 0; i < r->thread_count; i++)
        threads += r->thread[i].spin_ns;
    assert_true(cpus == threads);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_round_of_raid5d_sends_is_merged_in_its_plug),
        cmocka_unit_test(a_held_queue_lets_nothing_go_until_it_is_unplugged),
        cmocka_unit_test(completions_of_6_1_wait_for_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
