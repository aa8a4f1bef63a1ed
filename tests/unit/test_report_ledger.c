/* The ledger and the errors of jobs in the reports; figures of md for [expect]. */
#include "tests/lib/t.h"
#undef expect_check /* cmocka has a macro of that name, which these tests do not use */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/io.h"
#include "sim/expect.h"
#include "sim/report.h"
#include "tests/lib/sample_results.h"

static char *text_of(const struct sample *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    report_text(out, &s->results);
    fclose(out);
    return text;
}

static json_t *json_of(const struct sample *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_true(report_json(out, &s->results));
    fclose(out);
    json_t *top = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    assert_non_null(top);
    return top;
}

static json_t *at(json_t *value, const char *path)
{
    char key[64];
    while (*path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
        if (value == NULL)
            fail_msg("no %s in the JSON report", path);
        path += length + (path[length] == '.');
    }
    return value;
}

static void assert_whole(json_t *top, const char *path, json_int_t wanted)
{
    if (json_integer_value(at(top, path)) != wanted)
        fail_msg("%s is %lld", path, (long long)json_integer_value(at(top, path)));
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not in the report: %s", part);
}

static void the_ledger_sums_and_divides(void **state)
{
    /* Breaks when a row is not the sum over members, is divided by anything but the users' I/Os and
     * bytes, or a reason without I/Os takes a line. */
    struct sample *s = sample_new();
    struct results *r = &s->results;
    char *text;
    (void)state;
    r->job[0].dir[1] = (struct results_direction){ .ios = 750, .bytes = 750 * UINT64_C(8388608) };
    for (unsigned i = 0; i < 8; i++) {
        r->member[i].by_reason[REASON_FILL][IO_READ] = (struct results_io){ 1000, 1000 * 8 };
        r->member[i].by_reason[REASON_PREREAD_RMW][IO_READ] = (struct results_io){ 75, 75 * 8 };
        r->member[i].by_reason[REASON_RESYNC][IO_READ] = (struct results_io){ 500, 500 * 8 };
        r->member[i].by_reason[REASON_PARITY][IO_WRITE] = (struct results_io){ 2000, 2048000 };
        r->member[i].by_reason[REASON_DIRECT][IO_FLUSH] = (struct results_io){ 1, 0 };
    }
    r->writes = (struct results_writes){
        .full = 300, .rmw = 20, .rcw = 3, .partial = 1, .batches = { 44, 0, 0, 0, 16 }
    };
    text = text_of(s);
    assert_has(text,
               "\nledger                   count       bytes  a user I/O a user byte\n"
               "user reads                 250     2000MiB\n"
               "user writes                750     6000MiB\n"
               "stripes written            323  full 300, rmw 20, rcw 3; with a part of a page 1\n"
               "member reads             12600     49.2MiB      12.600       0.006\n"
               "  fill                    8000     31.3MiB       8.000       0.004\n"
               "  preread-rmw              600     2400KiB       0.600       0.000\n"
               "  resync                  4000     15.6MiB       4.000       0.002\n"
               "member writes            16000     8000MiB      16.000       1.000\n"
               "  parity                 16000     8000MiB      16.000       1.000\n"
               "flushes                      8          0B       0.008       0.000\n"
               "  direct                     8          0B       0.008       0.000\n"
               "amplification: 0.004 bytes read and 1.000 written at the members for each user "
               "byte, without resync\n"
               "prereads: 0.800 a user write\n"
               "full-stripe writes, stripes in a batch: 1 x44 16-31 x16\n");
    free(text);
    json_t *top = json_of(s);
    assert_whole(top, "raid5sim.ledger.user_writes.ios", 750);
    assert_whole(top, "raid5sim.ledger.stripes_written.full", 300);
    assert_whole(top, "raid5sim.ledger.stripes_written.partial_page", 1);
    assert_whole(top, "raid5sim.ledger.batches.1.stripes_max", 31);
    assert_whole(top, "raid5sim.ledger.batches.1.count", 16);
    assert_whole(top, "raid5sim.ledger.members.reads.resync.ios", 4000);
    assert_whole(top, "raid5sim.ledger.members.writes.parity.sectors", 8 * 2048000);
    assert_true(json_real_value(at(top, "raid5sim.ledger.prereads_per_write")) == 0.8);
    assert_true(json_real_value(at(top, "raid5sim.ledger.write_amplification")) == 1.0);
    assert_null(json_object_get(at(top, "raid5sim.ledger.members.reads"), "direct"));
    json_decref(top);
    free(s);
}

static void a_crowd_of_batches_is_folded(void **state)
{
    /* Breaks when the line of batches leaves the page or the largest have no name. */
    struct sample *s = sample_new();
    char *text;
    (void)state;
    s->results.member[0].by_reason[REASON_DATA][IO_WRITE].ios = 1;
    for (unsigned i = 0; i < BATCH_BUCKETS; i++)
        s->results.writes.batches[i] = 1000000 + i;
    text = text_of(s);
    assert_has(text, " 32768-65535 x1000015\n");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "   READ", 7) != 0)
            assert_in_range(strcspn(line, "\n"), 0, 100);
    free(text);
    free(s);
}

static void errors_are_reported_as_fio_reports_them(void **state)
{
    /* Breaks when a failed I/O leaves err= 0 behind, or a sound job gains fio's keys for errors. */
    struct sample *s = sample_new();
    char *text = text_of(s);
    (void)state;
    assert_has(text, "aio: (groupid=0, jobs=1): err= 0\n");
    assert_null(strstr(text, "errors"));
    free(text);
    json_t *top = json_of(s);
    assert_whole(top, "jobs.0.error", 0);
    assert_null(json_object_get(at(top, "jobs.0"), "total_err"));
    json_decref(top);
    s->results.job[0].dir[0].errors = 3;
    s->results.job[0].dir[1].errors = 4;
    text = text_of(s);
    assert_has(text,
               "aio: (groupid=0, jobs=1): err= 5 (func=io_u error, error=Input/output error)\n"
               "  read: IOPS=25");
    assert_has(text, "     errors    : total=7, first_error=5/<Input/output error>\n");
    free(text);
    top = json_of(s);
    assert_whole(top, "jobs.0.error", 5);
    assert_whole(top, "jobs.0.total_err", 7);
    assert_whole(top, "jobs.0.first_error", 5);
    json_decref(top);
    free(s);
}

static void figures_of_md_have_their_documented_units(void **state)
{
    /* Breaks when a figure counts sectors for pages, one direction of two, or mixes up whole run
     * and end. */
    (void)state;
    struct sample *s = sample_new();
    struct results *r = &s->results;
    static const struct {
        const char *name;
        int64_t milli;
    } truth[] = {
        { "degraded", 1000 },           { "io_errors", 7000 },
        { "rebuilds", 2000 },           { "rebuild_speed", INT64_C(51200000) * 1000 },
        { "corrected_errors", 24000 },  { "bad_blocks", 5000 },
        { "read_amplification", 2000 }, { "write_amplification", 500 },
        { "prereads_per_write", 1500 },
    };
    r->md.degraded = 1;
    r->job[0].dir[0].errors = 3;
    r->job[0].dir[1].errors = 4;
    r->history.rebuilds = 2;
    r->history.rebuilt_sectors = 200000;
    r->history.rebuilding_ns = 2000000000;
    r->md.device[0].corrected = 8;
    r->md.device[7].corrected = 16;
    r->md.device[3].bad_blocks = 5;
    r->job[0].dir[0].bytes = 3072 * 512;
    r->job[0].dir[1].ios = 100;
    r->job[0].dir[1].bytes = 1024 * 512;
    r->member[1].by_reason[REASON_FILL][IO_READ].sectors = 8000;
    r->member[2].by_reason[REASON_PREREAD_RCW][IO_READ] = (struct results_io){ 150, 192 };
    r->member[2].by_reason[REASON_RESYNC][IO_READ] = (struct results_io){ 150, 100000 };
    r->member[4].by_reason[REASON_DATA][IO_WRITE].sectors = 2048;
    for (unsigned i = 0; i < sizeof truth / sizeof truth[0]; i++) {
        struct outcome o = expect_evaluate(
            r, sample_expect(s, truth[i].name, EXPECT_ABSOLUTE, truth[i].milli / 1000, 0));
        assert_int_equal(o.got_milli, truth[i].milli);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ledger_sums_and_divides),
        cmocka_unit_test(a_crowd_of_batches_is_folded),
        cmocka_unit_test(errors_are_reported_as_fio_reports_them),
        cmocka_unit_test(figures_of_md_have_their_documented_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
