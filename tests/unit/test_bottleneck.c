/* Who is named as the bottleneck: one test a rule of docs/REPORTS.md, on variations of the sample
 * run. */
#include "tests/lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "sim/bottleneck.h"
#include "tests/lib/sample_results.h"

static const uint64_t ms = 1000000; /* the window is 10000 of them: 100 ms are 1 % */

/* A run in which nothing was in demand: every claim has to be made by the test. */
static struct sample *idle_sample(void)
{
    struct sample *s = sample_new();
    struct results *r = &s->results;
    for (unsigned i = 0; i < r->member_count; i++)
        r->member[i].busy_ns = 500 * ms;
    for (unsigned i = 0; i < r->cpu_count; i++)
        r->cpu[i] = (struct results_cpu){ 500 * ms, 0, 0, 0 };
    for (unsigned i = 0; i < r->thread_count; i++)
        r->thread[i].busy_ns = 50 * ms;
    r->lock[0].wait_ns = 0;
    r->cache.blocked_ns = 0;
    return s;
}

static void set_disks(struct sample *s, uint64_t busy_ns)
{
    for (unsigned i = 0; i < s->results.member_count; i++)
        s->results.member[i].busy_ns = busy_ns;
}

static void set_cpus(struct sample *s, uint64_t busy_ns)
{
    for (unsigned i = 0; i < s->results.cpu_count; i++)
        s->results.cpu[i].busy_ns = busy_ns;
}

static void assert_bottleneck(struct sample *s, unsigned first, unsigned second)
{
    struct bottleneck b;
    bottleneck_find(&s->results, &b);
    assert_string_equal(bottleneck_name(b.first.kind), bottleneck_name(first));
    assert_string_equal(bottleneck_name(b.second.kind), bottleneck_name(second));
    assert_true(b.first.words[0] != 0);
    free(s);
}

static void busy_disks_beat_a_shorter_wait_for_stripes(void **state)
{
    /* Breaks when waiting for stripes (43 %) hides disks that are 71 % busy. */
    (void)state;
    assert_bottleneck(sample_new(), BOTTLENECK_DISKS, BOTTLENECK_STRIPES);
}

static void waiting_for_stripes_beats_idle_disks(void **state)
{
    /* Breaks when a small stripe cache that keeps the disks idle is not named. */
    (void)state;
    struct sample *s = idle_sample();
    s->results.cache.blocked_ns = 9500 * ms;
    set_disks(s, 6000 * ms);
    assert_bottleneck(s, BOTTLENECK_STRIPES, BOTTLENECK_DISKS);
}

static void saturated_disks_beat_any_wait_for_stripes(void **state)
{
    /* Breaks when a queue that merely stands in front of the cache instead of the disks is taken
     * for the cause. */
    (void)state;
    struct sample *s = idle_sample();
    s->results.cache.blocked_ns = 10000 * ms;
    set_disks(s, 9200 * ms);
    assert_bottleneck(s, BOTTLENECK_DISKS, BOTTLENECK_STRIPES);
}

static void one_hot_disk_is_named(void **state)
{
    /* Breaks when a parity disk drowns in the mean of the others. */
    (void)state;
    struct sample *s = idle_sample();
    struct bottleneck b;
    set_disks(s, 3000 * ms);
    s->results.member[2].busy_ns = 9600 * ms;
    bottleneck_find(&s->results, &b);
    assert_non_null(strstr(b.first.words, "disk sdc 96 %"));
    assert_int_equal(b.first.share_milli, 96000);
    assert_bottleneck(s, BOTTLENECK_DISKS, BOTTLENECK_CPU);
}

static void the_load_is_named_when_nothing_is_busy(void **state)
{
    /* Breaks when a run with one I/O in flight blames the least idle resource. */
    (void)state;
    struct sample *s = idle_sample();
    s->scenario.job[0].iodepth = 1;
    set_disks(s, 1200 * ms);
    assert_bottleneck(s, BOTTLENECK_LOAD, BOTTLENECK_DISKS);
}

static void a_reached_rate_limit_beats_everything(void **state)
{
    /* Breaks when busy disks are blamed although the load asked for no more. 250 I/Os in 10 s are
     * 25 a second. */
    (void)state;
    struct sample *s = sample_new();
    s->scenario.job[0].rate_iops = 25;
    set_disks(s, 9500 * ms);
    assert_bottleneck(s, BOTTLENECK_LOAD, BOTTLENECK_DISKS);
}

static void a_missed_rate_limit_is_no_limit(void **state)
{
    /* Breaks when a rate limit counts although the array could not reach it. */
    (void)state;
    struct sample *s = sample_new();
    s->scenario.job[0].rate_iops = 26;
    set_disks(s, 9500 * ms);
    assert_bottleneck(s, BOTTLENECK_DISKS, BOTTLENECK_STRIPES);
}

static void one_full_thread_is_named_while_cpus_are_free(void **state)
{
    /* Breaks when raid5d at 99 % on a machine with idle CPUs goes unseen. */
    (void)state;
    struct sample *s = idle_sample();
    s->results.thread[14].busy_ns = 9900 * ms;
    set_cpus(s, 5500 * ms);
    assert_bottleneck(s, BOTTLENECK_THREAD, BOTTLENECK_CPU);
}

static void full_cpus_are_named_before_their_threads(void **state)
{
    /* Breaks when the only thread of a one-CPU machine takes the blame for the CPU. */
    (void)state;
    struct sample *s = idle_sample();
    s->results.thread[14].busy_ns = 9900 * ms;
    set_cpus(s, 9500 * ms);
    assert_bottleneck(s, BOTTLENECK_CPU, BOTTLENECK_THREAD);
}

static void a_cpu_full_of_interrupts_is_named(void **state)
{
    /* Breaks when a CPU that does nothing but interrupts hides in the mean of all CPUs. */
    (void)state;
    struct sample *s = idle_sample();
    s->results.cpu[1] = (struct results_cpu){ 9800 * ms, 9500 * ms, 0, 0 };
    assert_bottleneck(s, BOTTLENECK_CPU, BOTTLENECK_DISKS);
}

static void a_lock_that_eats_the_cpus_comes_before_them(void **state)
{
    /* Breaks when burnt spin time reads as a lack of CPUs: 5 of 19 busy seconds are waiting for the
     * lock. */
    (void)state;
    struct sample *s = idle_sample();
    set_cpus(s, 9500 * ms);
    s->results.lock[0].wait_ns = 5000 * ms;
    assert_bottleneck(s, BOTTLENECK_LOCK, BOTTLENECK_CPU);
}

static void without_a_cache_nobody_waits_for_stripes(void **state)
{
    /* Breaks when raid0 is said to wait for stripes. */
    (void)state;
    struct sample *s = idle_sample();
    s->results.cache = (struct results_cache){ .blocked_ns = 9000 * ms };
    assert_bottleneck(s, BOTTLENECK_LOAD, BOTTLENECK_DISKS);
}

static void an_empty_run_still_has_an_answer(void **state)
{
    /* Breaks when a window of no length, without members, threads or locks, divides by zero. */
    (void)state;
    struct sample *s = sample_new();
    const struct scenario *scenario = s->results.scenario;
    memset(&s->results, 0, sizeof s->results);
    s->results.scenario = scenario;
    assert_bottleneck(s, BOTTLENECK_LOAD, BOTTLENECK_CPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_disks_beat_a_shorter_wait_for_stripes),
        cmocka_unit_test(waiting_for_stripes_beats_idle_disks),
        cmocka_unit_test(saturated_disks_beat_any_wait_for_stripes),
        cmocka_unit_test(one_hot_disk_is_named),
        cmocka_unit_test(the_load_is_named_when_nothing_is_busy),
        cmocka_unit_test(a_reached_rate_limit_beats_everything),
        cmocka_unit_test(a_missed_rate_limit_is_no_limit),
        cmocka_unit_test(one_full_thread_is_named_while_cpus_are_free),
        cmocka_unit_test(full_cpus_are_named_before_their_threads),
        cmocka_unit_test(a_cpu_full_of_interrupts_is_named),
        cmocka_unit_test(a_lock_that_eats_the_cpus_comes_before_them),
        cmocka_unit_test(without_a_cache_nobody_waits_for_stripes),
        cmocka_unit_test(an_empty_run_still_has_an_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
