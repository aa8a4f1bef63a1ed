/*
 * Scripts of I/Os (sim/script.h): what operations expand to, when their I/Os are issued, and what
 * is refused.
 */
#include "tests/lib/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/request.h"
#include "sim/script.h"
#include "sim/workload.h"
#include "tests/unit/workload_rig.h"

static const uint64_t ms = 1000000;

static struct script parsed(const char *ops)
{
    struct complaint why = { .line = 0 };
    struct script s;

    if (!script_parse(&s, ops, &why))
        fail_msg("%s", why.text);
    return s;
}

static void check_ask(const struct script *s, uint32_t i, uint64_t sector, uint32_t sectors,
                      unsigned flags)
{
    assert_true(i < s->count);
    assert_int_equal(s->ask[i].sector, sector);
    assert_int_equal(s->ask[i].sectors, sectors);
    assert_int_equal(s->ask[i].flags, flags);
}

static void single_operations_wait_for_each_other(void **state)
{
    /* Breaks when a suffix counts wrongly, W loses FUA, or one I/O does not wait for the last,
     * or the array is not told that read(2) waits. */
    struct script s = parsed("r:0:512 w:4K:1M W:1M:8K");

    (void)state;
    assert_int_equal(s.count, 4); /* O_DSYNC brings a flush */
    check_ask(&s, 0, 0, 1, REQUEST_WAITED);
    check_ask(&s, 1, 8, 2048, REQUEST_WRITE);
    check_ask(&s, 2, 2048, 16, REQUEST_WRITE | REQUEST_FUA);
    for (uint32_t i = 0; i < s.count; i++)
        assert_int_equal(s.ask[i].outstanding, 0);
    assert_int_equal(s.depth, 1);
    script_free(&s);
}

static void one_submission_plugs_from_three_on(void **state)
{
    /* Breaks when two I/Os are plugged, when three are not, when the last one keeps the plug, or
     * when single submissions plug. */
    struct script s =
        parsed("{ w:0:4K w:4K:4K } { w:0:4K r:4K:4K w:8K:4K } [ r:0:4K r:0:4K r:0:4K ]");

    (void)state;
    assert_int_equal(s.count, 8);
    check_ask(&s, 0, 0, 8, REQUEST_WRITE);
    check_ask(&s, 1, 8, 8, REQUEST_WRITE);
    check_ask(&s, 2, 0, 8, REQUEST_WRITE | REQUEST_MORE);
    check_ask(&s, 3, 8, 8, REQUEST_MORE);
    check_ask(&s, 4, 16, 8, REQUEST_WRITE);
    for (uint32_t i = 5; i < 8; i++)
        check_ask(&s, i, 0, 8, 0);
    assert_int_equal(s.depth, 3);
    script_free(&s);
}

static void random_streams_are_those_of_the_recordings(void **state)
{
    /* Breaks when the generator, the stepping before use, or the two draws of mix differ: what the
     * array was asked in the recordings mix70-q16 and randw-q1. */
    static const struct {
        uint64_t sector;
        unsigned flags;
    } mix[] = { { 31048, 0 }, { 15936, REQUEST_WRITE }, { 10744, 0 }, { 16104, 0 }, { 4904, 0 },
                { 24696, 0 }, { 25392, REQUEST_WRITE } };
    struct script s = parsed("mix:70:16M:4K:7:16:16");

    (void)state;
    assert_int_equal(s.count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        check_ask(&s, i, mix[i].sector, 8, mix[i].flags);
        assert_int_equal(s.ask[i].outstanding, i ? 15 : 0);
    }
    assert_int_equal(s.depth, 7);
    script_free(&s);
    s = parsed("rand:w:16M:4K:64:1:11");
    assert_int_equal(s.count, 64);
    check_ask(&s, 0, 26048, 8, REQUEST_WRITE);
    check_ask(&s, 1, 29720, 8, REQUEST_WRITE);
    check_ask(&s, 2, 248, 8, REQUEST_WRITE);
    assert_int_equal(s.depth, 1);
    script_free(&s);
}

static void the_page_cache_writes_pages_in_order_after_a_tenth_of_a_second(void **state)
{
    /* Breaks when pages keep the order of writing or come twice, when they go before the interval
     * is over, or when the sleep's rest is lost. */
    struct script s = parsed("b:8K:4K b:0:6K sleep:1 w:1M:4K sleep:500 r:0:4K");

    (void)state;
    assert_int_equal(s.count, 5);
    check_ask(&s, 0, 2048, 8, REQUEST_WRITE);
    assert_int_equal(s.ask[0].sleep_ns, ms);
    check_ask(&s, 1, 0, 8, REQUEST_WRITE | REQUEST_NOSYNC | REQUEST_MORE);
    assert_int_equal(s.ask[1].sleep_ns, 99 * ms);
    check_ask(&s, 2, 8, 8, REQUEST_WRITE | REQUEST_NOSYNC | REQUEST_MORE);
    check_ask(&s, 3, 16, 8, REQUEST_WRITE | REQUEST_NOSYNC);
    check_ask(&s, 4, 0, 8, REQUEST_WAITED);
    assert_int_equal(s.ask[4].sleep_ns, 401 * ms);
    script_free(&s);
}

static void flush_sends_dirty_pages_at_once_and_then_flushes(void **state)
{
    /* Breaks when flush waits for the interval, or is taken for a read. */
    struct script s = parsed("b:0:4K flush r:0:4K mark:3 flush");

    (void)state;
    assert_int_equal(s.count, 4);
    check_ask(&s, 0, 0, 8, REQUEST_WRITE | REQUEST_NOSYNC);
    assert_int_equal(s.ask[0].sleep_ns, 0);
    check_ask(&s, 1, 0, 0, REQUEST_FLUSH);
    check_ask(&s, 2, 0, 8, REQUEST_WAITED);
    check_ask(&s, 3, 0, 0, REQUEST_FLUSH);
    script_free(&s);
}

static void a_durable_write_is_followed_by_a_flush(void **state)
{
    /* Breaks when O_DSYNC is only forced unit access, or a group flushes after each of its writes.
     */
    struct script s = parsed("W:0:4K { W:4K:4K w:8K:4K }");

    (void)state;
    assert_int_equal(s.count, 5);
    check_ask(&s, 0, 0, 8, REQUEST_WRITE | REQUEST_FUA);
    check_ask(&s, 1, 0, 0, REQUEST_FLUSH);
    check_ask(&s, 2, 8, 8, REQUEST_WRITE | REQUEST_FUA);
    check_ask(&s, 4, 0, 0, REQUEST_FLUSH);
    script_free(&s);
}

static void the_job_learns_what_the_script_needs(void **state)
{
    /* Breaks when the world would be made too small: depth, region, largest I/O, alignment. */
    struct script s = parsed("{ r:1536:4096 r:64K:1M } seq:w:32K:64K:8K:3");
    struct job job = { .rate_iops = 1 };

    (void)state;
    script_settle_job(&s, &job);
    assert_int_equal(job.iodepth, 3);
    assert_int_equal(job.rw, RW_RW);
    assert_int_equal(job.offset, 1536);
    assert_int_equal(job.offset + job.size, 64 * 1024 + 1024 * 1024);
    assert_int_equal(job.split[0].bytes, 1024 * 1024);
    assert_int_equal(job.blockalign, 512);
    script_free(&s);
}

static void junk_is_refused_with_the_operation_named(void **state)
{
    /* Breaks when an operation that ioseq does not know, or half a one, is taken for something. */
    static const char *const bad[] = { "",
                                       "x:0:4K",
                                       "r:0",
                                       "r:0:0",
                                       "r:1:4K",
                                       "r:0:100",
                                       "r:0:4K:1",
                                       "r:0:4Q",
                                       "r:-1:4K",
                                       "r:0:32M",
                                       "{ r:0:4K",
                                       "r:0:4K }",
                                       "[ r:0:4K }",
                                       "{ { r:0:4K",
                                       "{ seq:r:0:4K:4K:1 }",
                                       "seq:x:0:4K:4K:1",
                                       "seq:r:0:4K:4K",
                                       "rand:r:4K:8K:1:1:1",
                                       "rand:r:1M:4K:8:5000:1",
                                       "mix:101:1M:4K:8:1:1",
                                       "sleep:x",
                                       "sleep:99999999999",
                                       "mark:4",
                                       "{ b:0:4K }",
                                       "rr:0:4K",
                                       "flush:1",
                                       "r:99999999999999:4K",
                                       "[ sleep:1 ]" };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct complaint why = { .line = 0 };
        struct script s;

        if (script_parse(&s, bad[i], &why))
            fail_msg("'%s' was accepted", bad[i]);
        assert_true(why.text[0] != '\0');
        assert_null(s.ask);
    }
}

/* -------------------------------------------------------------- as a load */

static struct workload *load_of(struct scenario *s, const char *ops)
{
    struct script script = parsed(ops);

    snprintf(s->job[0].ioseq, sizeof s->job[0].ioseq, "%s", ops);
    script_settle_job(&script, &s->job[0]);
    script_free(&script);
    return start(s, 64 * MIB);
}

static void an_io_waits_until_few_enough_are_under_way(void **state)
{
    /* Breaks when a group does not wait for the I/O before it, or its I/Os for each other, or when
     * the wait has an end of its own instead of a completion's. */
    struct scenario *s = scenario_new();
    struct workload *w = load_of(s, "r:0:4K [ r:4K:4K r:8K:4K ] r:12K:4K");
    struct ask ask;
    uint64_t when = 0;

    (void)state;
    assert_int_equal(workload_next(w, 0, 10, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(workload_next(w, 0, 11, &ask, &when), WORKLOAD_LATER);
    assert_true(when == UINT64_MAX);
    workload_done(w, 0, 20, false);
    assert_int_equal(workload_next(w, 0, 20, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(workload_next(w, 0, 20, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(ask.sector, 16);
    workload_done(w, 0, 30, false);
    assert_int_equal(workload_next(w, 0, 30, &ask, &when), WORKLOAD_LATER);
    workload_done(w, 0, 31, false);
    assert_int_equal(workload_next(w, 0, 31, &ask, &when), WORKLOAD_ASK);
    assert_int_equal(ask.sector, 24);
    assert_int_equal(workload_next(w, 0, 31, &ask, &when), WORKLOAD_OVER);
    workload_free(w);
    free(s);
}

static void a_sleep_begins_when_the_io_before_has_ended(void **state)
{
    /* Breaks when the sleep counts from the start, or begins anew each time one asks. */
    struct scenario *s = scenario_new();
    struct workload *w = load_of(s, "r:0:4K sleep:2 r:4K:4K");
    struct ask ask;
    uint64_t when = 0;

    (void)state;
    assert_int_equal(workload_next(w, 0, 0, &ask, &when), WORKLOAD_ASK);
    workload_done(w, 0, 5 * ms, false);
    assert_int_equal(workload_next(w, 0, 5 * ms, &ask, &when), WORKLOAD_LATER);
    assert_int_equal(when, 7 * ms);
    assert_int_equal(workload_next(w, 0, 6 * ms, &ask, &when), WORKLOAD_LATER);
    assert_int_equal(when, 7 * ms);
    assert_int_equal(workload_next(w, 0, 7 * ms, &ask, &when), WORKLOAD_ASK);
    workload_free(w);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_operations_wait_for_each_other),
        cmocka_unit_test(one_submission_plugs_from_three_on),
        cmocka_unit_test(random_streams_are_those_of_the_recordings),
        cmocka_unit_test(the_page_cache_writes_pages_in_order_after_a_tenth_of_a_second),
        cmocka_unit_test(flush_sends_dirty_pages_at_once_and_then_flushes),
        cmocka_unit_test(a_durable_write_is_followed_by_a_flush),
        cmocka_unit_test(the_job_learns_what_the_script_needs),
        cmocka_unit_test(junk_is_refused_with_the_operation_named),
        cmocka_unit_test(an_io_waits_until_few_enough_are_under_way),
        cmocka_unit_test(a_sleep_begins_when_the_io_before_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
