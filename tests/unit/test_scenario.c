/*
 * Scenario files into struct scenario: what counts over what, fio's words, presets, includes. Bad
 * files are tests/cli/bad_scenarios.sh.
 */
#include "sim/expect.h" /* before cmocka, which has a macro of the name expect_check */
#include "tests/lib/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/geometry.h"
#include "sim/complaint.h"
#include "sim/keys.h"
#include "sim/scenario.h"

#define ARRAY "[array]\nraid_disks = 3\ncomponent_size = 1G\n[disk]\ncapacity = 2G\n"
#define JOB   "[job a]\nrw = randread\n"

/* A folder of its own for each test, with a data folder beside the scenario. */
struct desk {
    char folder[64];
    struct scenario *scenario;
    struct complaint complaint;
};

static void put(const struct desk *desk, const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", desk->folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const struct desk *desk, const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", desk->folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static int set_up(void **state)
{
    struct desk *desk = calloc(1, sizeof *desk);
    char data[80];

    snprintf(desk->folder, sizeof desk->folder, "%s/raid5sim-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir);
    desk->scenario = calloc(1, sizeof *desk->scenario);
    if (!desk->scenario || !mkdtemp(desk->folder))
        return -1;
    make_folder(desk, "data");
    make_folder(desk, "data/presets");
    make_folder(desk, "data/presets/hosts");
    make_folder(desk, "data/presets/drivers");
    make_folder(desk, "data/presets/disks");
    put(desk, "data/presets/hosts/athlon64x2-2400.cfg", "mhz = 2400\ncycles_map = 330.125\n");
    put(desk, "data/presets/drivers/md-2.6.15.cfg", "nr_hash = 512\n");
    put(desk, "data/presets/disks/small.cfg",
        "source = made up\nmodel = hdd\ncapacity = 100M\nrpm = 7200\ncylinders = 1000\nheads = 2\n"
        "zones = 0:200, 500:100\nseek_table = 1:1943, 2:1956\nseek_table = 10:2500\n");
    snprintf(data, sizeof data, "%s/data", desk->folder);
    *state = desk;
    return setenv("RAID5SIM_DATA", data, 1);
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", desk->folder);
    free(desk->scenario);
    int status = system(command);

    free(desk);
    return status;
}

static bool load_with(struct desk *desk, const char *text, unsigned count, const char *const *set)
{
    struct overrides overrides = { .text = set, .count = count };
    char path[128];

    put(desk, "s.cfg", text);
    snprintf(path, sizeof path, "%s/s.cfg", desk->folder);
    return scenario_load(desk->scenario, path, &overrides, &desk->complaint);
}

/* Loads a good scenario; what is wrong with it fails the test. */
static const struct scenario *load(struct desk *desk, const char *text)
{
    if (!load_with(desk, text, 0, NULL))
        fail_msg("%s:%d: %s", desk->complaint.file, desk->complaint.line, desk->complaint.text);
    return desk->scenario;
}

static void assert_refused(struct desk *desk, const char *text, int line, const char *part)
{
    assert_false(load_with(desk, text, 0, NULL));
    if (!strstr(desk->complaint.text, part) || desk->complaint.line != line)
        fail_msg("line %d: %s", desk->complaint.line, desk->complaint.text);
}

/* Breaks when a default is forgotten or the table's offsets are wrong. */
static void defaults_fill_what_is_not_said(void **state)
{
    const struct scenario *s = load(*state, ARRAY JOB);

    assert_int_equal(s->array.level, LEVEL_RAID5);
    assert_int_equal(s->array.layout, LAYOUT_LEFT_SYMMETRIC);
    assert_int_equal(s->array.chunk_size, 65536);
    assert_int_equal(s->array.stripe_cache_size, 256);
    assert_int_equal(s->seed, 1);
    assert_string_equal(s->host.preset, "athlon64x2-2400");
    assert_int_equal(s->host.cpus, 2);
    assert_int_equal(s->driver.three_quarter_rule, 75);
    assert_int_equal(s->job_count, 1);
    assert_string_equal(s->job[0].name, "a");
    assert_int_equal(s->job[0].split[0].bytes, 4096);
    assert_int_equal(s->job[0].split[0].percent, 100);
    assert_int_equal(s->job[0].blockalign, 4096);
    assert_int_equal(s->job[0].direct, 1);
    assert_int_equal(s->job[0].line, 6);
}

/* Breaks when a preset overrides the file, or the file --set, or order decides instead of rank. */
static void set_beats_file_beats_preset_beats_default(void **state)
{
    static const char *const set[] = { "host.mhz=1000", "md/stripe_cache_size=8192",
                                       "job.a.iodepth=7", "scenario.seed=42" };

    assert_true(load_with(*state,
                          ARRAY JOB "iodepth = 2\n[host]\nhz = 1000\nmhz = 2000\ncycles_map = 5\n"
                                    "preset = athlon64x2-2400\n[scenario]\nseed = 9\n",
                          4, set));
    const struct scenario *s = ((struct desk *)*state)->scenario;

    assert_int_equal(s->host.mhz, 1000);
    assert_int_equal(s->host.hz, 1000);
    assert_int_equal(s->host.cycles_milli[WORK_MAP], 5000);
    assert_int_equal(s->array.stripe_cache_size, 8192);
    assert_int_equal(s->job[0].iodepth, 7);
    assert_int_equal(s->seed, 42);
}

/* Breaks when a price loses its decimals. */
static void prices_come_from_the_preset_in_thousandths(void **state)
{
    assert_int_equal(load(*state, ARRAY JOB)->host.cycles_milli[WORK_MAP], 330125);
}

/* Breaks when lists of several lines are cut, or capacity is not turned into sectors. */
static void a_disk_preset_reaches_every_member(void **state)
{
    const struct scenario *s =
        load(*state, "[array]\nraid_disks = 3\n[disk]\npreset = small\n" JOB);

    assert_int_equal(s->disk_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(s->disk[i].name, "small");
        assert_string_equal(s->disk[i].model, "hdd");
        assert_int_equal(s->disk[i].sectors, 204800);
        assert_int_equal(s->disk[i].zone_count, 2);
        assert_int_equal(s->disk[i].zone[1].first_cylinder, 500);
        assert_int_equal(s->disk[i].seek_point_count, 3);
        assert_int_equal(s->disk[i].seek[2].us, 2500);
    }
}

/* Breaks when a member's own section touches its neighbours, or keeps values of the device it
 * replaces. */
static void one_member_can_differ(void **state)
{
    const struct scenario *s =
        load(*state, ARRAY "queue_depth = 4\nlatency_ns = 10us\n[disk 1]\nlatency_ns = 5ms\n"
                           "[disk 2]\npreset = none\ncapacity = 3G\n" JOB);

    assert_int_equal(s->disk[0].latency_ns, 10000);
    assert_int_equal(s->disk[1].latency_ns, 5000000);
    assert_int_equal(s->disk[1].queue_depth, 4);
    assert_int_equal(s->disk[2].queue_depth, 1);
    assert_int_equal(s->disk[2].sectors, UINT64_C(3) << 21);
}

/* Breaks when a list given beside a preset is added to the preset's. */
static void a_list_replaces_the_list_of_the_preset(void **state)
{
    const struct scenario *s = load(*state, "[array]\nraid_disks = 3\n[disk]\npreset = small\n"
                                            "zones = 0:300, 100:250\nzones = 300:240\n" JOB);

    assert_int_equal(s->disk[0].zone_count, 3);
    assert_int_equal(s->disk[0].zone[2].sectors_per_track, 240);
}

/* Breaks when the data folder is looked at first. */
static void a_preset_beside_the_scenario_comes_first(void **state)
{
    put(*state, "athlon64x2-2400.cfg", "[host]\nmhz = 1234\n");
    assert_int_equal(load(*state, ARRAY JOB)->host.mhz, 1234);
}

/* Breaks when an included key counts over the including file's, wherever the include stands. */
static void included_keys_come_first(void **state)
{
    put(*state, "base.cfg", ARRAY "[host]\nmhz = 1000\nhz = 100\n" JOB "iodepth = 3\nbs = 8k\n");
    const struct scenario *s =
        load(*state, "[host]\nmhz = 3000\n[job a]\niodepth = 5\n[scenario]\ninclude = base.cfg\n");

    assert_int_equal(s->host.mhz, 3000);
    assert_int_equal(s->host.hz, 100);
    assert_int_equal(s->job_count, 1);
    assert_int_equal(s->job[0].iodepth, 5);
    assert_int_equal(s->job[0].split[0].bytes, 8192);
}

/* Breaks when a pasted fio job is not understood. */
static void a_fio_job_can_be_pasted(void **state)
{
    const struct scenario *s = load(
        *state, ARRAY
        "[global]\n; a comment\nioengine=posixaio\ndirect=1\ntime_based\nruntime=2m\nramp_time=5\n"
        "group_reporting\nfilename=/dev/md0\n\n[job one]\nreadwrite=randread\nblocksize=8M # 8 "
        "MiB\n"
        "iodepth=14\nsize=50%\nrandom_distribution=zipf:1.2\nthinktime=100\nnorandommap\n"
        "[job two]\nbssplit=4k/10:64k/50:32k/\nbs=1M\nstartdelay=250ms\nrate_iops=300\n"
        "rate_process=poisson\n");
    const struct job *one = &s->job[0], *two = &s->job[1];

    assert_int_equal(s->job_count, 2);
    assert_int_equal(one->engine, ENGINE_POSIXAIO);
    assert_int_equal(one->rw, RW_RANDREAD);
    assert_int_equal(one->time_based, 1);
    assert_int_equal(one->norandommap, 1);
    assert_int_equal(one->runtime_ns, UINT64_C(120000000000));
    assert_int_equal(one->ramp_ns, UINT64_C(5000000000));
    assert_int_equal(one->thinktime_ns, 100000);
    assert_int_equal(one->split[0].bytes, 8 << 20);
    assert_int_equal(one->size, UINT64_C(1) << 30);
    assert_int_equal(one->distribution, DIST_ZIPF);
    assert_int_equal(one->distribution_milli, 1200);
    assert_int_equal(two->split_count, 3);
    assert_int_equal(two->split[2].bytes, 32768);
    assert_int_equal(two->split[2].percent, 40);
    assert_int_equal(two->blockalign, 4096);
    assert_int_equal(two->startdelay_ns, 250000000);
    assert_int_equal(two->rate_iops, 300);
    assert_int_equal(one->rate_process, RATE_LINEAR);
    assert_int_equal(two->rate_process, RATE_POISSON);
}

/* Breaks when an option the model leaves out is passed over in silence, or named twice. */
static void options_left_out_are_named_once(void **state)
{
    const struct scenario *s =
        load(*state, ARRAY "[global]\ngroup_reporting\n[job a]\nfilename = x\nioengine = rbd\n"
                           "[job b]\nfilename = y\nverify = md5\n");

    assert_int_equal(s->warning_count, 4);
    assert_string_equal(s->warning[0], "group_reporting");
    assert_string_equal(s->warning[1], "filename");
    assert_string_equal(s->warning[2], "verify");
    assert_string_equal(s->warning[3], "ioengine=rbd");
}

/* Breaks when [global] reaches back to jobs before it, or beats a job's own key. */
static void global_counts_for_the_jobs_after_it(void **state)
{
    const struct scenario *s =
        load(*state, ARRAY "[job a]\n[global]\niodepth = 4\n[job b]\n[job c]\niodepth = 9\n");

    assert_int_equal(s->job[0].iodepth, 1);
    assert_int_equal(s->job[1].iodepth, 4);
    assert_int_equal(s->job[2].iodepth, 9);
}

/* Breaks when --set for all jobs misses one or beats --set for one by mistake. */
static void set_reaches_one_job_or_all(void **state)
{
    static const char *const set[] = { "job.iodepth=8", "job.b.iodepth=2" };

    assert_true(load_with(*state, ARRAY "[job a]\niodepth = 3\n[job b]\n", 2, set));
    const struct scenario *s = ((struct desk *)*state)->scenario;

    assert_int_equal(s->job[0].iodepth, 8);
    assert_int_equal(s->job[1].iodepth, 2);
}

/* Breaks when percentages are shared wrongly: three sizes share 100 as 34, 33, 33. */
static void sizes_without_a_percentage_share_the_rest(void **state)
{
    const struct job *job = &load(*state, ARRAY JOB "bssplit = 4k:8k/:16k/\n")->job[0];

    assert_int_equal(job->split[0].percent, 34);
    assert_int_equal(job->split[1].percent, 33);
    assert_int_equal(job->split[2].percent, 33);
}

/* Breaks when MB and MiB are mixed up, or a tolerance is taken for the other kind. */
static void expectations_keep_value_and_tolerance(void **state)
{
    const struct scenario *s =
        load(*state, ARRAY JOB "[expect]\nthroughput = 200MB/s +-10%\nread_bw = 1.5MiB/s +- 4kB/s\n"
                               "cpu_load = 45% +-8\nsymbol.memcpy = 18300 \xc2\xb1 25%\n"
                               "clat_p99 = 20ms +-2\nstripe_waits = 0\nverdict = ok\n");
    const struct expect *e = s->expect;

    assert_int_equal(s->expect_count, 7);
    assert_int_equal(e[0].kind, EXPECT_RELATIVE);
    assert_int_equal(e[0].value_milli, INT64_C(200000000000));
    assert_int_equal(e[0].tolerance_milli, 10000);
    assert_int_equal(e[1].kind, EXPECT_ABSOLUTE);
    assert_int_equal(e[1].value_milli, INT64_C(1572864000));
    assert_int_equal(e[1].tolerance_milli, 4000000);
    assert_int_equal(e[2].kind, EXPECT_ABSOLUTE);
    assert_int_equal(e[2].value_milli, 45000);
    assert_int_equal(e[2].tolerance_milli, 8000);
    assert_string_equal(e[3].name, "symbol.memcpy");
    assert_int_equal(e[3].tolerance_milli, 25000);
    assert_int_equal(e[4].value_milli, INT64_C(20000000000));
    assert_int_equal(e[4].tolerance_milli, INT64_C(2000000000));
    assert_int_equal(e[5].value_milli, 0);
    assert_int_equal(e[6].kind, EXPECT_TEXT);
    assert_string_equal(e[6].text, "ok");
    assert_int_equal(e[6].line, 15);
}

/* Breaks when the reader takes a name the evaluation does not know. */
static void every_name_of_expect_can_be_evaluated(void **state)
{
    (void)state;
    for (unsigned i = 0; expect_name_at(i); i++) {
        if (!expect_knows(expect_name_at(i)->name))
            fail_msg("%s", expect_name_at(i)->name);
    }
}

/* Breaks when libinih's habits shine through: continuation lines, ':' as '=', cut lines, a mark
 * before UTF-8. */
static void lines_mean_what_they_look_like(void **state)
{
    const struct scenario *s =
        load(*state, "\xef\xbb\xbf# first\r\n  [array]   level = raid0\r\n     raid_disks = 2\r\n"
                     "\tchunk_size = 128k ; comment\n[disk] capacity = 1G\n"
                     "[scenario]\ntitle = a; b # c\nwhy = one\nwhy = two:three\n[job x]");

    assert_int_equal(s->array.level, LEVEL_RAID0);
    assert_int_equal(s->array.raid_disks, 2);
    assert_int_equal(s->array.chunk_size, 131072);
    assert_string_equal(s->title, "a; b");
    assert_string_equal(s->why, "one two:three");
    assert_string_equal(s->job[0].name, "x");
    assert_refused(*state, ARRAY JOB "[host]\nmhz : 5\n", 9, "neither");
}

/* Breaks when writes are refused where nothing stands against them. */
static void raid0_and_raw_disks_take_writes(void **state)
{
    load(*state, "[array]\nlevel = raid0\nraid_disks = 2\n[disk]\ncapacity = 1G\n"
                 "[job w]\nrw = randwrite\n");
    load(*state, "[array]\nlevel = raw\nraid_disks = 2\n[disk]\ncapacity = 1G\n[job w]\nrw = rw\n");
    load(*state, ARRAY "[job r]\nrw = randrw\nrwmixread = 100\n");
}

/* Breaks when the region may reach one sector beyond the array, or not up to its end. */
static void a_region_may_end_where_the_array_ends(void **state)
{
    load(*state, ARRAY JOB "offset = 1G\nsize = 1G\n");
    assert_refused(*state, ARRAY JOB "offset = 1G\nsize = 1048577k\n", 9, "beyond the array");
}

/* Breaks when a level or range complaint of a value given in a preset names the wrong file. */
static void a_mistake_in_a_preset_names_the_preset(void **state)
{
    struct desk *desk = *state;

    put(desk, "bad.cfg", "source = x\nmhz = 0\n");
    assert_refused(desk, ARRAY JOB "[host]\npreset = bad\n", 2, "mhz: 0 is outside 1..100000");
    assert_non_null(strstr(desk->complaint.file, "/bad.cfg"));
}

/* Breaks when the elevator's parameters are not the host's. */
static void the_elevator_gets_the_figures_of_the_host(void **state)
{
    struct elevator_params p = scenario_elevator(
        load(*state, ARRAY JOB "[host]\nelevator = deadline\nnr_requests = 99\nunplug_ns = 1ms\n"));

    assert_int_equal(p.kind, ELEVATOR_DEADLINE);
    assert_int_equal(p.nr_requests, 99);
    assert_int_equal(p.unplug_ns, 1000000);
    assert_int_equal(p.antic_ns, 6700000);
    assert_int_equal(p.hz, 250);
}

/* Breaks when a key has a default its own range refuses (the reader asserts), or two keys share a
 * name. */
static void the_table_of_keys_is_sound(void **state)
{
    (void)state;
    for (unsigned i = 0; key_at(i); i++) {
        const struct key *key = key_at(i);

        assert_ptr_equal(key_find((enum section)key->section, key->name), key);
        assert_true(strlen(key->help) > 0);
        assert_true(key->min <= key->max);
    }
    assert_ptr_equal(key_find(SECTION_JOB, "readwrite"), key_find(SECTION_GLOBAL, "rw"));
    assert_null(key_find(SECTION_HOST, "cycles_spin"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(defaults_fill_what_is_not_said),
        TEST(set_beats_file_beats_preset_beats_default),
        TEST(prices_come_from_the_preset_in_thousandths),
        TEST(a_disk_preset_reaches_every_member),
        TEST(one_member_can_differ),
        TEST(a_list_replaces_the_list_of_the_preset),
        TEST(a_preset_beside_the_scenario_comes_first),
        TEST(included_keys_come_first),
        TEST(a_fio_job_can_be_pasted),
        TEST(options_left_out_are_named_once),
        TEST(global_counts_for_the_jobs_after_it),
        TEST(set_reaches_one_job_or_all),
        TEST(sizes_without_a_percentage_share_the_rest),
        TEST(expectations_keep_value_and_tolerance),
        cmocka_unit_test(every_name_of_expect_can_be_evaluated),
        TEST(lines_mean_what_they_look_like),
        TEST(raid0_and_raw_disks_take_writes),
        TEST(a_region_may_end_where_the_array_ends),
        TEST(a_mistake_in_a_preset_names_the_preset),
        TEST(the_elevator_gets_the_figures_of_the_host),
        cmocka_unit_test(the_table_of_keys_is_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
