/* [expect]: what counts as met, in which unit, and what is said about it. */
#include "tests/lib/t.h"
#undef expect_check /* cmocka has a macro of that name, which these tests do not use */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/expect.h"
#include "sim/keys.h"
#include "tests/lib/sample_results.h"

enum { PRINTED_BYTES = 4096 };

/* What one numeric line makes of the sample run. */
static struct outcome outcome_of(const char *name, enum expect_kind kind, int64_t value,
                                 int64_t tolerance)
{
    struct sample *s = sample_new();
    struct outcome o = expect_evaluate(&s->results, sample_expect(s, name, kind, value, tolerance));
    free(s);
    return o;
}

static void every_figure_has_its_documented_unit(void **state)
{
    /* Breaks when a figure is compared in another unit than the scenario reader stores. */
    (void)state;
    static const struct {
        const char *name;
        int64_t milli;
    } truth[] = {
        { "throughput", INT64_C(209715200) * 1000 },
        { "read_bw", INT64_C(209715200) * 1000 },
        { "write_bw", 0 },
        { "iops", 25000 },
        { "read_iops", 25000 },
        { "write_iops", 0 },
        { "cpu_load", 45000 },
        { "disk_util", 71000 },
        { "clat_mean", INT64_C(415500000) * 1000 },
        { "clat_max", INT64_C(540000000) * 1000 },
        { "stripe_waits", 1000000 },
        { "io_errors", 0 },
        { "degraded", 0 },
        { "corrected_errors", 0 },
        { "stripe_hit_rate", 87500 },
        { "cache_hits", 87500 },
        { "symbol.memcpy", 18000000 },
        { "symbol.nothing", 0 },
    };
    for (unsigned i = 0; i < sizeof truth / sizeof truth[0]; i++)
        assert_int_equal(outcome_of(truth[i].name, EXPECT_ABSOLUTE, 0, 0).got_milli,
                         truth[i].milli);
}

static void what_faults_have_cost_is_counted(void **state)
{
    /* Breaks when errors of writes or of a second job are left out, or the three are mixed up. */
    (void)state;
    struct sample *sample = sample_new();
    sample->results.job_count = 2;
    sample->results.job[0].dir[0].errors = 3;
    sample->results.job[1].dir[1].errors = 4;
    sample->results.md.degraded = 1;
    sample->results.member_count = 2;
    sample->results.md.device[1].corrected = 16;
    const struct {
        const char *name;
        int64_t milli;
    } truth[] = { { "io_errors", 7000 }, { "degraded", 1000 }, { "corrected_errors", 16000 } };
    for (unsigned i = 0; i < 3; i++) {
        struct expect e = { .kind = EXPECT_ABSOLUTE };
        snprintf(e.name, sizeof e.name, "%s", truth[i].name);
        assert_int_equal(expect_evaluate(&sample->results, &e).got_milli, truth[i].milli);
    }
    free(sample);
}

static void percentiles_are_within_a_bucket(void **state)
{
    /* Breaks when p50 and p99 are mixed up or taken over the wrong latency (lat is 10 ms longer
     * than clat). */
    (void)state;
    const int64_t ms = INT64_C(1000000) * 1000;
    assert_in_range(outcome_of("clat_p50", EXPECT_ABSOLUTE, 0, 0).got_milli, 408 * ms, 422 * ms);
    assert_in_range(outcome_of("clat_p99", EXPECT_ABSOLUTE, 0, 0).got_milli, 530 * ms, 540 * ms);
    assert_in_range(outcome_of("clat_p999", EXPECT_ABSOLUTE, 0, 0).got_milli, 536 * ms, 540 * ms);
}

static void both_bounds_belong_to_the_interval(void **state)
{
    /* Breaks when 45 does not meet 53 +- 8, or 46 meets 45. */
    (void)state;
    assert_true(outcome_of("cpu_load", EXPECT_ABSOLUTE, 53, 8).met);
    assert_true(outcome_of("cpu_load", EXPECT_ABSOLUTE, 37, 8).met);
    assert_false(outcome_of("cpu_load", EXPECT_ABSOLUTE, 54, 8).met);
    assert_false(outcome_of("cpu_load", EXPECT_ABSOLUTE, 36, 8).met);
    assert_true(outcome_of("cpu_load", EXPECT_ABSOLUTE, 45, 0).met);
    assert_false(outcome_of("cpu_load", EXPECT_ABSOLUTE, 46, 0).met);
}

static void a_relative_tolerance_is_of_the_value_wanted(void **state)
{
    /* Breaks when the tolerance is taken of what came out, or percent are read as thousandths. */
    (void)state;
    assert_true(outcome_of("symbol.memcpy", EXPECT_RELATIVE, 20000, 10).met);
    assert_false(outcome_of("symbol.memcpy", EXPECT_RELATIVE, 20001, 10).met);
    assert_true(outcome_of("symbol.memcpy", EXPECT_RELATIVE, 16364, 10).met);
    assert_false(outcome_of("symbol.memcpy", EXPECT_RELATIVE, 16363, 10).met);
    assert_true(outcome_of("throughput", EXPECT_RELATIVE, 200000000, 5).met);
    assert_false(outcome_of("throughput", EXPECT_RELATIVE, 199000000, 5).met);
}

static struct outcome text_outcome(struct sample *s, const char *name, const char *wanted)
{
    struct expect *e = sample_expect(s, name, EXPECT_TEXT, 0, 0);
    snprintf(e->text, sizeof e->text, "%s", wanted);
    return expect_evaluate(&s->results, e);
}

static void texts_are_compared_whole(void **state)
{
    /* Breaks when "disk" meets "disks", or a finding still gives the verdict ok. */
    (void)state;
    struct sample *s = sample_new();
    assert_true(text_outcome(s, "verdict", "ok").met);
    assert_true(text_outcome(s, "bottleneck", "disks").met);
    assert_false(text_outcome(s, "bottleneck", "disk").met);
    s->results.findings = 1;
    assert_false(text_outcome(s, "verdict", "ok").met);
    assert_true(text_outcome(s, "verdict", "finding").met);
    free(s);
}

static void a_number_never_meets_a_text(void **state)
{
    /* Breaks when `verdict = 0` or a text for cpu_load counts as met. */
    (void)state;
    struct sample *s = sample_new();
    assert_false(outcome_of("verdict", EXPECT_ABSOLUTE, 0, 0).met);
    assert_false(text_outcome(s, "stripe_waits", "1000").met);
    free(s);
}

static void check_counts_what_was_missed_and_says_it(void **state)
{
    /* Breaks when a missed line is printed as ok, not counted, or lines appear for nothing. */
    (void)state;
    char printed[PRINTED_BYTES] = "";
    struct sample *s = sample_new();
    sample_expect(s, "throughput", EXPECT_RELATIVE, 200000000, 10);
    sample_expect(s, "cpu_load", EXPECT_ABSOLUTE, 80, 8);
    sample_expect(s, "nonsense", EXPECT_ABSOLUTE, 0, 0);
    FILE *out = fmemopen(printed, sizeof printed, "w");
    assert_non_null(out);
    assert_int_equal(expect_check(&s->results, out), 2);
    fclose(out);
    assert_non_null(strstr(printed, "throughput                   wanted 200MB/s +-10.00%"));
    assert_non_null(strstr(printed, "got 210MB/s        ok\n"));
    assert_non_null(strstr(printed, "wanted 80.00% +-8.00%           got 45.00%         MISSED\n"));
    assert_non_null(strstr(printed, "no figure of that name  MISSED\n"));
    assert_int_equal(expect_check(&s->results, NULL), 2);
    free(s);
}

static void every_name_the_reader_takes_has_a_figure(void **state)
{
    /* Breaks when a name is added to the table of keys and forgotten here: its expectation could
     * never be met. */
    (void)state;
    static const uint8_t taken_in[] = {
        [FIGURE_BYTES_S] = EXPECT_IN_RATE,    [FIGURE_IOPS] = EXPECT_IN_NUMBER,
        [FIGURE_PERCENT] = EXPECT_IN_PERCENT, [FIGURE_NS] = EXPECT_IN_TIME,
        [FIGURE_CYCLES] = EXPECT_IN_NUMBER,   [FIGURE_COUNT] = EXPECT_IN_NUMBER,
        [FIGURE_TEXT] = EXPECT_IN_TEXT,
    };
    const struct expect_name *name;
    for (unsigned i = 0; (name = expect_name_at(i)) != NULL; i++) {
        assert_true(expect_knows(name->name));
        assert_int_equal(taken_in[outcome_of(name->name, EXPECT_ABSOLUTE, 0, 0).unit], name->unit);
    }
    assert_false(expect_knows("symbol."));
    assert_false(expect_knows("through"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_has_its_documented_unit),
        cmocka_unit_test(what_faults_have_cost_is_counted),
        cmocka_unit_test(percentiles_are_within_a_bucket),
        cmocka_unit_test(both_bounds_belong_to_the_interval),
        cmocka_unit_test(a_relative_tolerance_is_of_the_value_wanted),
        cmocka_unit_test(texts_are_compared_whole),
        cmocka_unit_test(a_number_never_meets_a_text),
        cmocka_unit_test(check_counts_what_was_missed_and_says_it),
        cmocka_unit_test(every_name_the_reader_takes_has_a_figure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
