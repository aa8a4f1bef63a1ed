/* The two reports of the sample run: what stands in them, in which order, and that they are JSON
 * and fit a page. */
#include "tests/lib/t.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/figures.h"
#include "sim/numerals.h"
#include "sim/report.h"
#include "tests/lib/sample_results.h"

/* The text report; free() it. */
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

/* The JSON report, parsed again; json_decref() it. */
static json_t *json_of(const struct sample *s)
{
    char *text = NULL;
    size_t bytes = 0;
    json_error_t error;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_true(report_json(out, &s->results));
    fclose(out);
    json_t *top = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    assert_non_null(top);
    return top;
}

/* The value at a path of keys and [numbers] separated by dots. */
static json_t *at(json_t *value, const char *path)
{
    char key[64];
    while (*path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
        assert_non_null(value);
        path += length + (path[length] == '.');
    }
    return value;
}

static void assert_keys(json_t *object, const char *wanted)
{
    char keys[1024] = "";
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        strncat(keys, key, sizeof keys - strlen(keys) - 1);
        strncat(keys, " ", sizeof keys - strlen(keys) - 1);
    }
    assert_string_equal(keys, wanted);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not in the report: %s", part);
}

static void numbers_have_fios_units_and_digits(void **state)
{
    /* Breaks when a number moves to the next unit too early, loses a digit or is cut instead of
     * rounded. */
    (void)state;
    char t[NUMERAL_BYTES];
    assert_string_equal(numeral_binary(t, 0), "0B");
    assert_string_equal(numeral_binary(t, 9999), "9999B");
    assert_string_equal(numeral_binary(t, 10240), "10.0KiB");
    assert_string_equal(numeral_binary(t, 10004), "9.77KiB");
    assert_string_equal(numeral_binary(t, 199229440), "190MiB");
    assert_string_equal(numeral_decimal(t, 199229440), "199MB");
    assert_string_equal(numeral_binary(t, 1990 * UINT64_C(1048576)), "1990MiB");
    assert_string_equal(numeral_binary(t, 42991616), "41.0MiB");
    assert_string_equal(numeral_binary(t, UINT64_MAX), "16384PiB");
    assert_string_equal(numeral_count(t, 12345), "12.3k");
    assert_string_equal(numeral_count(t, 23), "23");
    assert_string_equal(numeral_time(t, 999), "999ns");
    assert_string_equal(numeral_time(t, 9995000), "10.0ms");
    assert_string_equal(numeral_time(t, UINT64_C(4300000000)), "4.30s");
    assert_string_equal(numeral_exact(t, 1 << 20), "1MiB");
    assert_string_equal(numeral_exact(t, 1000 * 1024), "1000KiB");
    assert_string_equal(numeral_exact(t, 0), "0B");
}

static void disks_are_named_as_linux_names_them(void **state)
{
    /* Breaks when member 26 is called anything but sdaa. */
    (void)state;
    char name[DISK_NAME_BYTES];
    static const struct {
        unsigned index;
        const char *name;
    } truth[] = { { 0, "sda" },   { 25, "sdz" },  { 26, "sdaa" },
                  { 51, "sdaz" }, { 52, "sdba" }, { 253, "sdit" } };
    for (unsigned i = 0; i < sizeof truth / sizeof truth[0]; i++) {
        figures_disk_name(truth[i].index, name);
        assert_string_equal(name, truth[i].name);
    }
}

static void threads_belong_to_the_job_they_are_named_after(void **state)
{
    /* Breaks when raid5d's time is booked on a job, or a long job name loses its threads. */
    (void)state;
    struct results_thread thread = { .name = "aio/3" };
    struct job job = { .name = "aio" }, longer = { .name = "aio2" };
    assert_true(figures_thread_of(&thread, &job));
    assert_false(figures_thread_of(&thread, &longer));
    snprintf(job.name, sizeof job.name, "a-very-long-name-of-a-job");
    snprintf(thread.name, sizeof thread.name, "%.15s/7", job.name);
    assert_true(figures_thread_of(&thread, &job));
    snprintf(thread.name, sizeof thread.name, "md0_raid5");
    snprintf(job.name, sizeof job.name, "md0_raid5");
    assert_false(figures_thread_of(&thread, &job));
}

static void job_lines_read_like_fios(void **state)
{
    /* Breaks when a job line changes: people's scripts match these lines. */
    (void)state;
    struct sample *s = sample_new();
    char *text = text_of(s);
    assert_has(text, "aio: (groupid=0, jobs=1): err= 0\n"
                     "  read: IOPS=25, BW=200MiB/s (210MB/s)(2000MiB/10000msec)\n");
    assert_has(text, "    clat (msec): min=291, max=540, avg=415.50, stdev=72.31\n"
                     "     lat (msec): min=301, max=550, avg=425.50, stdev=72.31\n"
                     "    clat percentiles (msec):\n"
                     "     |  1.00th=[  292],  5.00th=[  305], 10.00th=[  317], 20.00th=[");
    assert_has(text, "Run status group 0 (all jobs):\n   READ: bw=200MiB/s (210MB/s), ");
    assert_null(strstr(text, "WRITE:"));
    free(text);
    free(s);
}

static void latency_lines_take_the_unit_fio_takes(void **state)
{
    /* Breaks when nanoseconds are printed for microseconds, or a constant latency in a coarse unit.
     */
    (void)state;
    struct sample *s = sample_new();
    struct histogram *slat = &s->results.job[0].dir[0].slat;
    memset(slat, 0, sizeof *slat);
    histogram_add(slat, 5000);
    histogram_add(slat, 150000);
    char *text = text_of(s);
    assert_has(text, "    slat (usec): min=5, max=150, avg=77.50, stdev=102.53\n");
    free(text);
    memset(slat, 0, sizeof *slat);
    histogram_add(slat, 1500);
    text = text_of(s);
    assert_has(text, "    slat (nsec): min=1500, max=1500, avg=1500.00, stdev= 0.00\n");
    free(text);
    free(s);
}

static void sections_come_in_their_order(void **state)
{
    /* Breaks when a section is lost, empty or moved. */
    (void)state;
    static const char *const order[] = {
        "Eight disks\n",
        "seed 7, driver md-2.6.15, host two-cores, disks sata-400\n",
        "warning: not simulated, left out: fsync, verify\n",
        "  read: IOPS=25",
        "Run status group 0",
        "Device       r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz  aqu-sz  %util\nmd0 ",
        "sdh       200.00  25600.00   600.00  75.00   10.00   128.00    2.00  71.00\n",
        "CPU load 45.0 % of 2 CPUs",
        "md0_raid5 ",
        "9216000000     75.0000      18000.0  memcpy\n",
        "copy_line ",
        "stripe cache: 8192 of 8192 ",
        "  lookups 512000: hits 448000 (87.50 %), misses 64000; 2.00 chain steps a lookup\n",
        "somebody waiting 4.30s = 43.0 % of the time\n",
        "device_lock ",
        "FINDING (the first of 3): read of sector 8",
        "\nbottleneck: disks (disks 71 % busy, the busiest (sda) 71 %)\n",
        "runner-up:  stripe_cache (waiting for free stripes 43 % of the time, ",
    };
    struct sample *s = sample_new();
    s->scenario.warning_count = 2;
    snprintf(s->scenario.warning[0], sizeof s->scenario.warning[0], "fsync");
    snprintf(s->scenario.warning[1], sizeof s->scenario.warning[1], "verify");
    s->results.findings = 3;
    snprintf(s->results.finding, sizeof s->results.finding, "read of sector 8");
    char *text = text_of(s);
    const char *from = text;
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        from = strstr(from, order[i]);
        if (from == NULL)
            fail_msg("missing or out of order: %s", order[i]);
    }
    free(text);
    free(s);
}

static void a_fault_that_found_nothing_to_strike_is_told_of(void **state)
{
    /* Breaks when a scenario whose fault never came off looks like one that survived it, or a run
     * without faults says anything of them. */
    (void)state;
    struct sample *s = sample_new();
    char *text = text_of(s);
    json_t *top = json_of(s);
    assert_null(strstr(text, "nothing to strike"));
    assert_null(json_object_get(at(top, "raid5sim"), "faults"));
    free(text);
    json_decref(top);
    s->scenario.fault_count = 3;
    snprintf(s->scenario.fault[0].name, sizeof s->scenario.fault[0].name, "first");
    snprintf(s->scenario.fault[1].name, sizeof s->scenario.fault[1].name, "second");
    snprintf(s->scenario.fault[2].name, sizeof s->scenario.fault[2].name, "third");
    s->results.fault[0].missed = 1;
    s->results.fault[1].struck = 4;
    s->results.fault[2].missed = 2;
    text = text_of(s);
    assert_has(text, "\nwarning: nothing to strike for [fault first], [fault third] (2 times)\n");
    top = json_of(s);
    assert_int_equal(json_integer_value(at(top, "raid5sim.faults_missed")), 3);
    assert_int_equal(json_integer_value(at(top, "raid5sim.faults.1.struck")), 4);
    assert_string_equal(json_string_value(at(top, "raid5sim.faults.2.name")), "third");
    free(text);
    json_decref(top);
    free(s);
}

static void many_threads_alike_become_one_line(void **state)
{
    /* Breaks when 14 helpers take 14 lines, twelve are hidden, or the line's counts are not sums.
     */
    (void)state;
    struct sample *s = sample_new();
    char *text = text_of(s);
    assert_has(
        text,
        "aio/* x14                    2.0     0.0     40.0       1400        700         70\n");
    assert_null(strstr(text, "aio/3"));
    free(text);
    s->results.thread_count = 13;
    text = text_of(s);
    assert_has(text, "aio/* x13 ");
    free(text);
    s->results.thread_count = 12;
    text = text_of(s);
    assert_has(text, "\naio/11 ");
    assert_null(strstr(text, "aio/* "));
    free(text);
    free(s);
}

static void reads_and_writes_fold_into_two_tables(void **state)
{
    /* Breaks when a mixed run makes lines longer than a page, or loses writes or flushes. */
    (void)state;
    struct sample *s = sample_new();
    s->results.job[0].dir[1] = s->results.job[0].dir[0];
    for (unsigned i = 0; i < 8; i++) {
        s->results.member[i].ios[1] = 1000;
        s->results.member[i].sectors[1] = 8000;
        s->results.member[i].flushes = 10;
        s->results.member[i].flush_ticks_ns = 50000000;
    }
    char *text = text_of(s);
    assert_has(text, "Device       r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz\n");
    assert_has(text, "Device       w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     f/s f_await  "
                     "aqu-sz  %util\n");
    assert_has(text, "sda       100.00    400.00     0.00   0.00    0.00     4.00    1.00    5.00  "
                     "  2.00  71.00\n");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "   READ", 7) != 0 && strncmp(line, "  WRITE", 7) != 0)
            assert_in_range(strcspn(line, "\n"), 0, 100);
    free(text);
    free(s);
}

static void a_bare_disk_report_has_no_array_and_no_cache(void **state)
{
    /* Breaks when raw disks are reported with an md0 or a stripe cache nobody has. */
    (void)state;
    struct sample *s = sample_new();
    s->scenario.array.level = LEVEL_RAW;
    s->results.cache = (struct results_cache){ 0 };
    char *text = text_of(s);
    assert_null(strstr(text, "md0 "));
    assert_null(strstr(text, "stripe cache"));
    free(text);
    json_t *top = json_of(s);
    assert_string_equal(json_string_value(at(top, "disk_util.0.name")), "sda");
    json_decref(top);
    free(s);
}

static void an_empty_run_is_reported_without_a_nan(void **state)
{
    /* Breaks when a figure is divided by an empty window, no I/Os or no pages. */
    (void)state;
    struct sample *s = sample_new();
    struct results *r = &s->results;
    memset(r, 0, sizeof *r);
    r->scenario = &s->scenario;
    r->job_count = 1;
    r->member_count = 8;
    r->cpu_count = 2;
    r->lock_count = 1;
    r->symbol_count = 1;
    r->symbol[0].cycles = 1;
    r->cache.size = 256;
    char *text = text_of(s);
    assert_has(text, "no I/O ended in the measured window");
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf "));
    free(text);
    json_decref(json_of(s)); /* jansson refuses to print a NaN */
    free(s);
}

static void json_has_fios_keys_in_fios_order(void **state)
{
    /* Breaks when a key of fio's JSON is missing, misspelt or out of place: plotters look for them.
     */
    (void)state;
    struct sample *s = sample_new();
    json_t *top = json_of(s);
    assert_keys(top,
                "fio version timestamp timestamp_ms time global options jobs disk_util raid5sim ");
    assert_keys(
        at(top, "jobs.0"),
        "jobname groupid job_start error eta elapsed job options read write trim sync job_runtime "
        "usr_cpu sys_cpu ctx majf minf iodepth_level iodepth_submit iodepth_complete latency_ns "
        "latency_us latency_ms latency_depth latency_target latency_percentile latency_window "
        "steadystate ");
    assert_keys(
        at(top, "jobs.0.write"),
        "io_bytes io_kbytes bw_bytes bw iops runtime total_ios short_ios drop_ios slat_ns clat_ns "
        "lat_ns bw_min bw_max bw_agg bw_mean bw_dev bw_samples iops_min iops_max iops_mean "
        "iops_stddev iops_samples ");
    assert_keys(at(top, "jobs.0.read.clat_ns"), "min max mean stddev N percentile ");
    assert_int_equal(json_object_size(at(top, "jobs.0.read.clat_ns.percentile")), 17);
    assert_keys(
        at(top, "disk_util.1"),
        "name read_ios write_ios read_sectors write_sectors read_merges write_merges read_ticks "
        "write_ticks in_queue util ");
    json_decref(top);
    free(s);
}

static void json_has_the_figures_of_the_run(void **state)
{
    /* Breaks when a figure is in the wrong unit or under the wrong key. */
    (void)state;
    struct sample *s = sample_new();
    json_t *top = json_of(s);
    static const struct {
        const char *path;
        json_int_t value;
    } whole[] = {
        { "timestamp", 10 },
        { "timestamp_ms", 10013 },
        { "jobs.0.read.io_bytes", INT64_C(2097152000) },
        { "jobs.0.read.bw_bytes", 209715200 },
        { "jobs.0.read.bw", 204800 },
        { "jobs.0.read.runtime", 10000 },
        { "jobs.0.read.clat_ns.min", 291000000 },
        { "jobs.0.read.clat_ns.N", 250 },
        { "jobs.0.write.total_ios", 0 },
        { "jobs.0.ctx", 1400 },
        { "disk_util.0.aggr_read_ios", 2000 },
        { "disk_util.8.read_ticks", 20000 },
        { "raid5sim.seed", 7 },
        { "raid5sim.moves", 1234567 },
        { "raid5sim.stripe_cache.waits", 1000 },
        { "raid5sim.members.7.read.ios", 2000 },
    };
    static const struct {
        const char *path;
        double value;
    } real[] = {
        { "jobs.0.read.iops", 25.0 },
        { "jobs.0.read.clat_ns.mean", 415500000.0 },
        { "jobs.0.sys_cpu", 28.0 },
        { "jobs.0.iodepth_level.8", 100.0 }, /* 250 x 425.5 ms in 10 s are 10.6 in flight */
        { "jobs.0.iodepth_level.16", 0.0 },
        { "disk_util.0.aggr_util", 71.0 },
        { "raid5sim.cpu.load_percent", 45.0 },
        { "raid5sim.profile.0.percent", 75.0 },
        { "raid5sim.profile.0.cycles_per_4k", 18000.0 },
        { "raid5sim.bottleneck_percent", 71.0 },
    };
    for (unsigned i = 0; i < sizeof whole / sizeof whole[0]; i++)
        assert_int_equal(json_integer_value(at(top, whole[i].path)), whole[i].value);
    for (unsigned i = 0; i < sizeof real / sizeof real[0]; i++)
        assert_true(json_real_value(at(top, real[i].path)) == real[i].value);
    assert_string_equal(json_string_value(at(top, "time")), "Thu Jan  1 00:00:10 1970");
    assert_string_equal(json_string_value(at(top, "jobs.0.job options.bs")), "8m");
    assert_string_equal(json_string_value(at(top, "raid5sim.bottleneck")), "disks");
    assert_string_equal(json_string_value(at(top, "raid5sim.verdict")), "ok");
    json_t *work = json_array_get(at(top, "raid5sim.work"), WORK_COPY_LINE);
    assert_string_equal(json_string_value(at(work, "kind")), "copy_line");
    assert_int_equal(json_integer_value(at(work, "count")), 512000 * 64);
    assert_true(json_real_value(at(work, "per_4k")) == 64.0);
    json_decref(top);
    free(s);
}

static void latency_shares_add_up_to_a_hundred(void **state)
{
    /* Breaks when an I/O falls between the ns, us and ms tables or into two of them. */
    (void)state;
    static const char *const tables[] = { "latency_ns", "latency_us", "latency_ms" };
    struct sample *s = sample_new();
    struct histogram *lat = &s->results.job[0].dir[0].lat;
    memset(lat, 0, sizeof *lat);
    for (uint64_t ns = 1; ns < UINT64_C(8000000000); ns = ns * 5 / 4 + 1)
        histogram_add(lat, ns);
    json_t *top = json_of(s), *value;
    double sum = 0;
    const char *key;
    for (unsigned i = 0; i < 3; i++) {
        json_object_foreach(json_object_get(at(top, "jobs.0"), tables[i]), key, value) sum +=
            json_real_value(value);
    }
    assert_true(sum > 99.999 && sum < 100.001);
    assert_true(json_real_value(at(top, "jobs.0.latency_ms.>=2000")) > 0);
    json_decref(top);
    free(s);
}

static void a_title_in_latin_1_does_not_spoil_the_json(void **state)
{
    /* Breaks when bytes that are no UTF-8 make the whole report fail. */
    (void)state;
    struct sample *s = sample_new();
    snprintf(s->scenario.title, sizeof s->scenario.title, "gr\xfc\xdf");
    json_t *top = json_of(s);
    assert_string_equal(json_string_value(at(top, "raid5sim.scenario.title")), "gr??");
    json_decref(top);
    free(s);
}

static void a_full_disk_is_noticed(void **state)
{
    /* Breaks when a JSON report that could not be written counts as written. */
    (void)state;
    struct sample *s = sample_new();
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        skip();
    assert_false(report_json(full, &s->results));
    fclose(full);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_fios_units_and_digits),
        cmocka_unit_test(disks_are_named_as_linux_names_them),
        cmocka_unit_test(threads_belong_to_the_job_they_are_named_after),
        cmocka_unit_test(job_lines_read_like_fios),
        cmocka_unit_test(latency_lines_take_the_unit_fio_takes),
        cmocka_unit_test(sections_come_in_their_order),
        cmocka_unit_test(a_fault_that_found_nothing_to_strike_is_told_of),
        cmocka_unit_test(many_threads_alike_become_one_line),
        cmocka_unit_test(reads_and_writes_fold_into_two_tables),
        cmocka_unit_test(a_bare_disk_report_has_no_array_and_no_cache),
        cmocka_unit_test(an_empty_run_is_reported_without_a_nan),
        cmocka_unit_test(json_has_fios_keys_in_fios_order),
        cmocka_unit_test(json_has_the_figures_of_the_run),
        cmocka_unit_test(latency_shares_add_up_to_a_hundred),
        cmocka_unit_test(a_title_in_latin_1_does_not_spoil_the_json),
        cmocka_unit_test(a_full_disk_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
