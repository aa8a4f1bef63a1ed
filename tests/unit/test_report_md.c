/* What the reports tell of md: timeline, /proc/mdstat, mdadm --detail, and the same in JSON. */
#include "tests/lib/t.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/io.h"
#include "model/stripe.h"
#include "sim/md_view.h"
#include "sim/report.h"
#include "tests/lib/sample_results.h"

static const uint64_t ms = 1000000;

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

static void assert_text(json_t *top, const char *path, const char *wanted)
{
    assert_string_equal(json_string_value(at(top, path)), wanted);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not in the report: %s", part);
}

static void add_event(struct history *h, enum history_what what, uint64_t at_ms, unsigned slot,
                      unsigned device, unsigned detail)
{
    h->event[h->event_count++] = (struct history_event){ .ns = at_ms * ms,
                                                         .sector = UINT64_MAX,
                                                         .what = (uint16_t)what,
                                                         .slot = (uint16_t)slot,
                                                         .device = (uint16_t)device,
                                                         .detail = (uint16_t)detail };
}

/* Member 1 of eight has failed and is being rebuilt on sdj, sdi waits, member 6 is missing. */
static struct sample *wounded(void)
{
    struct sample *s = sample_new();
    struct results *r = &s->results;
    struct history *h = &r->history;

    s->scenario.fault_count = 1;
    snprintf(s->scenario.fault[0].name, sizeof s->scenario.fault[0].name, "pull");
    s->scenario.fault[0].member = 1;
    r->md.array_sectors = UINT64_C(7) * 2500000;
    r->md.component_sectors = 2500000;
    r->md.metadata = METADATA_12;
    r->md.degraded = 2;
    h->device_count = r->member_count = 10;
    for (unsigned i = 0; i < 8; i++) {
        r->md.device[i].flags = MEMBER_PRESENT | MEMBER_IN_SYNC;
        r->md.seat[i] = (uint8_t)i;
        h->device[i] = (struct history_device){ .slot = (uint16_t)i, .state = DEVICE_SEATED };
    }
    r->md.device[1].flags = 0;
    r->md.device[9].flags = MEMBER_PRESENT;
    r->md.seat[1] = 9;
    r->md.device[6].flags = 0;
    h->device[1].state = DEVICE_FAULTY;
    h->device[6].state = DEVICE_GONE;
    h->device[8] = (struct history_device){ .slot = NO_SLOT, .state = DEVICE_SPARE };
    r->md.device[8].flags = MEMBER_WAITING;
    h->device[9] = (struct history_device){ .slot = 1, .state = DEVICE_SEATED };
    h->sync_count = 1;
    h->sync[0] = (struct history_sync){ .began_ns = 3000 * ms, .action = SYNC_RECOVER };
    h->running = 1;
    r->md.now = (struct history_progress){ .ns = 10000 * ms,
                                           .at = 500000,
                                           .since_ns = 3000 * ms,
                                           .since_sectors = 500000,
                                           .action = SYNC_RECOVER };
    h->progress[h->progress_count++] = (struct history_progress){ .ns = 5500 * ms,
                                                                  .at = 252000,
                                                                  .since_ns = 3000 * ms,
                                                                  .since_sectors = 252000,
                                                                  .action = SYNC_RECOVER };
    add_event(h, HISTORY_FAULT, 2000, 1, 1, 0);
    add_event(h, HISTORY_FAILED, 2000, 1, 1, 2);
    add_event(h, HISTORY_SUPERBLOCKS, 2001, 0, 0, 1u << HISTORY_FAILED | 1u << HISTORY_REMOVED);
    add_event(h, HISTORY_REMOVED, 2100, 1, 1, 0);
    add_event(h, HISTORY_ADDED, 2100, 1, 9, 0);
    add_event(h, HISTORY_SYNC_BEGAN, 3000, 0, 0, SYNC_RECOVER);
    h->event[h->event_count - 1].sector = 0;
    add_event(h, HISTORY_IO_ERROR, 4000, 0, 0, 1);
    h->event[h->event_count - 1].sector = 4096;
    h->left_out[HISTORY_IO_ERROR] = 30;
    h->left_out[HISTORY_CORRECTED] = 2;
    return s;
}

static void a_sound_array_is_not_written_home_about(void **state)
{
    /* Breaks when every report of a healthy array gains pages of mdstat. */
    struct sample *s = sample_new();
    char *text = text_of(s);
    (void)state;
    assert_null(strstr(text, "mdstat"));
    assert_null(strstr(text, "timeline"));
    assert_null(strstr(text, "/dev/md0"));
    free(text);
    s->results.history.sync_count = 1;
    text = text_of(s);
    assert_has(text, "/proc/mdstat at the end\n");
    free(text);
    free(s);
}

static void mdstat_reads_as_the_kernel_writes_it(void **state)
{
    /* Breaks when a line differs from /proc/mdstat's: people and programs know these by heart. */
    struct sample *s = wounded();
    char *text = text_of(s);
    (void)state;
    assert_has(text,
               "\n/proc/mdstat at the end\n"
               "Personalities : [raid6] [raid5] [raid4]\n"
               "md0 : active raid5 sdj[9] sdi[8](S) sdh[7] sdf[5] sde[4] sdd[3] sdc[2] sdb[1](F) "
               "sda[0]\n"
               "      8750000 blocks super 1.2 level 5, 1024k chunk, algorithm 2 [8/6] [U_UUUU_U]\n"
               "      [===>.................]  recovery = 19.9% (250000/1250000) finish=0.4min "
               "speed=35714K/sec\n"
               "\nunused devices: <none>\n");
    assert_has(text, "\n/proc/mdstat while a sync ran\n"
                     "    5.500000s  [==>..................]  recovery = 10.0% (126000/1250000) "
                     "finish=0.2min speed=63000K/sec\n");
    free(text);
    free(s);
}

static void mdstat_knows_metadata_and_levels(void **state)
{
    /* Breaks when 0.90 is named (the kernel does not), or RAID4 gets RAID5's algorithm. */
    struct sample *s = wounded();
    char *text;
    (void)state;
    s->results.md.metadata = METADATA_090;
    s->scenario.array.level = LEVEL_RAID4;
    text = text_of(s);
    assert_has(text, "md0 : active raid4 ");
    assert_has(text, " 8750000 blocks level 4, 1024k chunk, algorithm 0 [8/6] ");
    assert_null(strstr(text, "Layout"));
    free(text);
    s->results.md.metadata = METADATA_NONE;
    text = text_of(s);
    assert_has(text, " blocks super non-persistent level 4,");
    assert_has(text, "Superblock is not persistent\n");
    free(text);
    free(s);
}

static void a_bitmap_has_its_lines(void **state)
{
    /* Breaks when pages of counters, chunk or policy are left out or in other units. */
    struct sample *s = wounded();
    char *text;
    (void)state;
    s->results.md.bitmap_chunk_sectors = 131072;
    s->results.md.bitmap_pages = 12;
    s->results.md.bitmap_used = 3;
    text = text_of(s);
    assert_has(text, "K/sec\n      bitmap: 3/12 pages [12KB], 65536KB chunk\n\nunused devices");
    assert_has(text, "       Persistence : Superblock is persistent\n\n"
                     "     Intent Bitmap : Internal\n\n"
                     "             State : ");
    assert_has(text, "Consistency Policy : bitmap\n");
    free(text);
    free(s);
}

static void the_bar_has_twenty_places_and_an_arrow(void **state)
{
    /* Breaks at either end of the bar, or when a whole is not quite a hundred percent, as in the
     * kernel, whose division loses the last sectors. */
    static const struct {
        uint64_t at;
        const char *line;
    } truth[] = {
        { 0, "[>....................]  recovery =  0.0% (0/1250000)" },
        { 124000, "[>....................]  recovery =  4.9% (62000/1250000)" },
        { 125952, "[=>...................]  recovery =  5.0% (62976/1250000)" },
        { 2500000, "[===================>.]  recovery = 99.9% (1250000/1250000)" },
    };
    struct sample *s = wounded();
    (void)state;
    for (unsigned i = 0; i < sizeof truth / sizeof truth[0]; i++) {
        s->results.md.now.at = truth[i].at;
        char *text = text_of(s);
        assert_has(text, truth[i].line);
        free(text);
    }
    free(s);
}

static void a_repair_is_a_resync_to_mdstat(void **state)
{
    /* Breaks when mdstat gets words of sync_action. */
    struct sample *s = wounded();
    char *text;
    (void)state;
    s->results.md.now.action = SYNC_REPAIR;
    text = text_of(s);
    assert_has(text, "]  resync = 19.9% (");
    assert_has(text, "             State : active, FAILED, resyncing\n");
    assert_has(text, "     Resync Status : 19% complete\n");
    free(text);
    s->results.md.now.action = SYNC_CHECK;
    text = text_of(s);
    assert_has(text, "]  check = 19.9% (");
    assert_has(text, "      Check Status : 19% complete\n");
    free(text);
    free(s);
}

static void detail_reads_as_mdadm_writes_it(void **state)
{
    /* Breaks when a field, its column or a row of the table differs from mdadm's. */
    struct sample *s = wounded();
    char *text = text_of(s);
    (void)state;
    assert_has(text, "\n/dev/md0:\n"
                     "           Version : 1.2\n"
                     "        Raid Level : raid5\n"
                     "        Array Size : 8750000 (8.34 GiB 8.96 GB)\n"
                     "     Used Dev Size : 1250000 (1220.70 MiB 1280.00 MB)\n"
                     "      Raid Devices : 8\n"
                     "     Total Devices : 9\n"
                     "       Persistence : Superblock is persistent\n"
                     "\n"
                     "             State : active, FAILED, recovering\n"
                     "    Active Devices : 6\n"
                     "   Working Devices : 8\n"
                     "    Failed Devices : 1\n"
                     "     Spare Devices : 2\n"
                     "\n"
                     "            Layout : left-symmetric\n"
                     "        Chunk Size : 1024K\n"
                     "\n"
                     "Consistency Policy : resync\n"
                     "\n"
                     "    Rebuild Status : 19% complete\n"
                     "\n"
                     "    Number   Major   Minor   RaidDevice State\n"
                     "       0       8        0        0      active sync   /dev/sda\n"
                     "       9       8      144        1      spare rebuilding   /dev/sdj\n"
                     "       2       8       32        2      active sync   /dev/sdc\n");
    assert_has(text, "       5       8       80        5      active sync   /dev/sdf\n"
                     "       -       0        0        6      removed\n"
                     "       7       8      112        7      active sync   /dev/sdh\n"
                     "\n"
                     "       1       8       16        -      faulty   /dev/sdb\n"
                     "       8       8      128        -      spare   /dev/sdi\n");
    free(text);
    free(s);
}

static void a_faulty_member_still_in_its_slot_is_shown_there(void **state)
{
    /* Breaks in the moment between a failure and raid5d's removing the member: state, counts, flag.
     */
    struct sample *s = wounded();
    struct results *r = &s->results;
    char *text;
    (void)state;
    r->md.degraded = 1;
    r->md.in_sync = 1;
    r->history.running = 0;
    r->md.device[9].flags = MEMBER_PRESENT | MEMBER_IN_SYNC;
    r->md.device[6].flags = MEMBER_PRESENT | MEMBER_FAULTY | MEMBER_BLOCKED;
    r->history.device[6].state = DEVICE_SEATED;
    text = text_of(s);
    assert_has(text, "sdh[7] sdg[6](F) sdf[5]");
    assert_has(text, "[8/7] [UUUUUU_U]\n");
    assert_has(text, "             State : clean, degraded\n"
                     "    Active Devices : 7\n"
                     "   Working Devices : 8\n"
                     "    Failed Devices : 2\n"
                     "     Spare Devices : 1\n");
    assert_has(text, "       6       8       96        6      faulty   /dev/sdg\n");
    assert_null(strstr(text, "Status :"));
    free(text);
    free(s);
}

static void disks_beyond_the_sixteenth_have_other_majors(void **state)
{
    /* Breaks when a disk's numbers are not those Linux gives it: sdq is 65:0, sdit 135:208. */
    static const struct {
        unsigned device;
        const char *line;
    } truth[] = {
        { 16, "      16      65        0        1      spare rebuilding   /dev/sdq\n" },
        { 128, "     128     128        0        1      spare rebuilding   /dev/sddy\n" },
        { 253, "     253     135      208        1      spare rebuilding   /dev/sdit\n" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof truth / sizeof truth[0]; i++) {
        struct sample *s = wounded();
        s->results.md.seat[1] = (uint8_t)truth[i].device;
        s->results.md.device[truth[i].device].flags = MEMBER_PRESENT;
        char *text = text_of(s);
        assert_has(text, truth[i].line);
        free(text);
        free(s);
    }
}

static void the_timeline_tells_a_story(void **state)
{
    /* Breaks when an event says something else than what happened, or what was left out is not
     * counted. */
    struct sample *s = wounded();
    char *text = text_of(s);
    (void)state;
    assert_has(text, "\ntimeline, whole run\n"
                     "    2.000000s  fault pull: fail sdb\n"
                     "    2.000000s  sdb failed: 2 of 8 members missing\n"
                     "    2.001000s  superblocks written: member failed, member removed\n"
                     "    2.100000s  sdb removed from slot 1\n"
                     "    2.100000s  sdj takes slot 1\n"
                     "    3.000000s  recovery began at 0 KiB\n"
                     "    4.000000s  I/O error returned: write of md0, sector 4096\n"
                     "left out: read_error_corrected x2, io_error x30\n");
    free(text);
    free(s);
}

static void a_sync_ends_with_its_extent_and_speed(void **state)
{
    /* Breaks when speed is taken over the whole member or another time. */
    struct sample *s = wounded();
    struct history *h = &s->results.history;
    char *text;
    (void)state;
    h->running = 0;
    h->sync[0] = (struct history_sync){ .began_ns = 3000 * ms,
                                        .ended_ns = 5000 * ms,
                                        .from = 8192,
                                        .reached = 8192 + 409600,
                                        .action = SYNC_CHECK };
    add_event(h, HISTORY_SYNC_STOPPED, 5000, 0, 0, SYNC_CHECK);
    h->event[h->event_count - 1].sector = 8192 + 409600;
    text = text_of(s);
    assert_has(text, "    5.000000s  check interrupted at 208896 KiB: 204800 KiB in 2.00s, "
                     "100MiB/s\n");
    free(text);
    free(s);
}

static void json_tells_the_state_of_members(void **state)
{
    /* Breaks when state, errors or bad blocks are those of another member, or not md's words. */
    struct sample *s = wounded();
    struct results *r = &s->results;
    (void)state;
    r->md.device[2].corrected = 24;
    r->md.device[2].flags |= MEMBER_WRITE_ERROR | MEMBER_WANT_REPLACEMENT;
    r->md.device[2].bad_blocks = 9;
    for (unsigned i = 0; i < RESULT_BAD_MAX; i++)
        r->md.device[2].bad[i] = 1000 + 8 * i;
    r->member[2].by_reason[REASON_SUPERBLOCK][IO_WRITE].ios = 17;
    json_t *top = json_of(s);
    assert_text(top, "raid5sim.members.0.state", "in_sync");
    assert_text(top, "raid5sim.members.1.state", "removed");
    assert_text(top, "raid5sim.members.8.state", "spare");
    assert_text(top, "raid5sim.members.9.state", "spare");
    assert_whole(top, "raid5sim.members.9.slot", 1);
    assert_text(top, "raid5sim.members.6.state", "removed");
    assert_text(top, "raid5sim.members.2.state", "in_sync,write_error,want_replacement");
    assert_whole(top, "raid5sim.members.2.errors", 24);
    assert_whole(top, "raid5sim.members.2.bad_blocks", 9);
    assert_int_equal(json_array_size(at(top, "raid5sim.members.2.first_bad_blocks")), 8);
    assert_whole(top, "raid5sim.members.2.first_bad_blocks.7.sector", 1056);
    assert_whole(top, "raid5sim.members.2.superblock_writes", 17);
    json_decref(top);
    free(s);
}

static void json_tells_the_state_of_the_array(void **state)
{
    /* Breaks when a figure of mdstat or mdadm is missing in JSON, or a running sync is lost. */
    struct sample *s = wounded();
    (void)state;
    json_t *top = json_of(s);
    assert_text(top, "raid5sim.md.array_state", "active");
    assert_text(top, "raid5sim.md.sync_action", "recover");
    assert_whole(top, "raid5sim.md.degraded", 2);
    assert_whole(top, "raid5sim.md.failed_devices", 1);
    assert_whole(top, "raid5sim.md.spare_devices", 2);
    assert_text(top, "raid5sim.md.devices.1.state", "faulty");
    assert_text(top, "raid5sim.md.devices.8.name", "sdj");
    assert_whole(top, "raid5sim.md.devices.8.slot", 1);
    assert_whole(top, "raid5sim.md.syncs.0.start_ns", 3000000000);
    assert_null(json_object_get(at(top, "raid5sim.md.syncs.0"), "end_ns"));
    assert_int_equal(json_array_size(at(top, "raid5sim.md.progress")), 2);
    assert_whole(top, "raid5sim.md.progress.1.done_kib", 250000);
    assert_true(json_real_value(at(top, "raid5sim.md.progress.1.percent")) == 19.9);
    assert_text(top, "raid5sim.timeline.0.fault", "pull");
    assert_text(top, "raid5sim.timeline.1.what", "failed");
    assert_text(top, "raid5sim.timeline.4.device", "sdj");
    assert_text(top, "raid5sim.timeline.6.direction", "write");
    assert_text(top, "raid5sim.timeline.2.for.1.what", "removed");
    assert_whole(top, "raid5sim.timeline_left_out.io_error", 30);
    json_decref(top);
    s->results.history.running = 0;
    s->results.history.sync[0].ended_ns = 7000 * ms;
    s->results.history.sync[0].reached = 819200;
    s->results.history.sync[0].whole = 1;
    top = json_of(s);
    assert_text(top, "raid5sim.md.sync_action", "idle");
    assert_whole(top, "raid5sim.md.syncs.0.end_ns", INT64_C(7000000000));
    assert_whole(top, "raid5sim.md.syncs.0.sync_speed_average", 102400);
    assert_text(top, "raid5sim.md.syncs.0.result", "done");
    json_decref(top);
    free(s);
}

static void array_state_is_what_sysfs_says(void **state)
{
    /* Breaks when a pending superblock write, or an active array at rest, is not told. */
    struct sample *s = wounded();
    struct results_md *md = &s->results.md;
    (void)state;
    assert_string_equal(md_array_state(&s->results), "active");
    md->safemode = 1;
    assert_string_equal(md_array_state(&s->results), "active-idle");
    md->in_sync = 1;
    assert_string_equal(md_array_state(&s->results), "clean");
    md->sb_flags = SB_PENDING;
    assert_string_equal(md_array_state(&s->results), "write-pending");
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_array_is_not_written_home_about),
        cmocka_unit_test(mdstat_reads_as_the_kernel_writes_it),
        cmocka_unit_test(mdstat_knows_metadata_and_levels),
        cmocka_unit_test(a_bitmap_has_its_lines),
        cmocka_unit_test(the_bar_has_twenty_places_and_an_arrow),
        cmocka_unit_test(a_repair_is_a_resync_to_mdstat),
        cmocka_unit_test(detail_reads_as_mdadm_writes_it),
        cmocka_unit_test(a_faulty_member_still_in_its_slot_is_shown_there),
        cmocka_unit_test(disks_beyond_the_sixteenth_have_other_majors),
        cmocka_unit_test(the_timeline_tells_a_story),
        cmocka_unit_test(a_sync_ends_with_its_extent_and_speed),
        cmocka_unit_test(json_tells_the_state_of_members),
        cmocka_unit_test(json_tells_the_state_of_the_array),
        cmocka_unit_test(array_state_is_what_sysfs_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
