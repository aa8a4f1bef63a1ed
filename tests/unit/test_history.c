/* The history of a run: what befell the array, which device sits where, how far a sync got. */
#include "tests/lib/small_scenario.h"

#include <stdlib.h>
#include <string.h>

#include "model/io.h"
#include "sim/md_view.h"

static const uint64_t ms = 1000000;

/* Four members of 1 MiB, read for 150 ms. */
static struct scenario *mishaps(unsigned faults)
{
    struct scenario *s = small_scenario(LEVEL_RAID5);

    s->driver.generation = GENERATION_61;
    s->driver.array_plug = 0;
    s->array.raid_disks = s->disk_count = 4;
    s->host.unplug_ns = 1000;
    s->array.stripe_cache_size = 64;
    s->array.sync_speed_min = 1000;
    s->array.sync_speed_max = 200000;
    s->array.sync_max = UINT64_MAX;
    s->array.metadata = METADATA_12;
    s->job[0].engine = ENGINE_LIBAIO;
    s->job[0].iodepth = 1;
    s->job[0].runtime_ns = 150 * ms;
    s->fault_count = faults;
    return s;
}

static const struct history_event *find(const struct history *h, enum history_what what)
{
    for (uint32_t i = 0; i < h->event_count; i++)
        if (h->event[i].what == what)
            return &h->event[i];
    return NULL;
}

/* All kinds that occurred, in order, repetitions left out. */
static void assert_order(const struct history *h, const enum history_what *wanted, unsigned count)
{
    unsigned at = 0;

    for (uint32_t i = 0; i < h->event_count && at < count; i++)
        at += h->event[i].what == wanted[at];
    if (at < count)
        fail_msg("no %s where it belongs", md_event_name(wanted[at]));
    for (uint32_t i = 1; i < h->event_count; i++)
        assert_true(h->event[i].ns >= h->event[i - 1].ns);
}

static void a_failed_member_is_followed_to_its_replacement(void **state)
{
    /* Breaks when an event is lost or out of order, or a device is taken for another. */
    static const enum history_what order[] = { HISTORY_FAULT,       HISTORY_FAILED,
                                               HISTORY_SUPERBLOCKS, HISTORY_REMOVED,
                                               HISTORY_ADDED,       HISTORY_SYNC_BEGAN,
                                               HISTORY_SUPERBLOCKS, HISTORY_SYNC_ENDED,
                                               HISTORY_IN_SYNC,     HISTORY_SUPERBLOCKS };
    struct scenario *s = mishaps(1);
    const struct history *h;
    struct timed t;

    (void)state;
    s->array.spares = 2;
    s->fault[0] = (struct fault){ .what = FAULT_FAIL, .member = 1, .at_ns = 5 * ms };
    h = &timed_results(&t, s)->history;
    assert_order(h, order, sizeof order / sizeof order[0]);
    assert_int_equal(find(h, HISTORY_FAULT)->ns, 5 * ms);
    assert_int_equal(find(h, HISTORY_FAILED)->device, 1);
    assert_int_equal(find(h, HISTORY_FAILED)->detail, 1);
    assert_int_equal(find(h, HISTORY_SUPERBLOCKS)->detail, 1u << HISTORY_FAILED);
    assert_int_equal(find(h, HISTORY_ADDED)->device, 5); /* the spare that came last */
    assert_int_equal(find(h, HISTORY_ADDED)->slot, 1);
    assert_int_equal(find(h, HISTORY_IN_SYNC)->detail, 0);
    assert_int_equal(h->device[1].state, DEVICE_FAULTY);
    assert_int_equal(h->device[4].state, DEVICE_SPARE);
    assert_int_equal(h->device[5].state, DEVICE_SEATED);
    assert_int_equal(t.results->md.seat[1], 5);
    assert_int_equal(t.results->md.degraded, 0);
    timed_free(&t);
}

static void a_rebuild_is_measured(void **state)
{
    /* Breaks when a pass has no beginning, end or extent, when a tenth of its way is passed without
     * a look, or the speed is taken over another time than the pass took. */
    struct scenario *s = mishaps(0);
    const struct history *h;
    const struct history_sync *sync;
    struct timed t;

    (void)state;
    s->array.spares = 1;
    s->array.failed = 1 << 2;
    h = &timed_results(&t, s)->history;
    sync = &h->sync[0];
    assert_int_equal(h->sync_count, 1);
    assert_int_equal(sync->action, SYNC_RECOVER);
    assert_int_equal(sync->from, 0);
    assert_int_equal(sync->reached, 2048);
    assert_int_equal(sync->whole, 1);
    assert_true(sync->began_ns < sync->ended_ns &&
                sync->ended_ns < h->event[h->event_count - 1].ns);
    assert_int_equal(h->rebuilds, 1);
    assert_int_equal(h->rebuilt_sectors, 2048);
    assert_int_equal(h->rebuilding_ns, sync->ended_ns - sync->began_ns);
    assert_int_equal(md_rebuild_speed(t.results),
                     (uint64_t)((unsigned __int128)(1 << 20) * 1000000000000 / h->rebuilding_ns));
    assert_in_range(h->progress_count, 10, 11);
    for (uint32_t i = 0; i < h->progress_count; i++) {
        uint64_t tenth = h->progress[i].at / 200; /* a step is 204 sectors less a part of a page */

        assert_in_range(tenth, i + 1, i + 2);
        assert_int_equal(h->progress[i].action, SYNC_RECOVER);
    }
    assert_int_equal(h->running, 0);
    timed_free(&t);
}

static void an_interrupted_check_says_how_far_it_got(void **state)
{
    /* Breaks when a pass that was stopped counts as done, or as a rebuild. */
    struct scenario *s = mishaps(2);
    const struct history *h;
    struct timed t;

    (void)state;
    s->fault[0] = (struct fault){ .what = FAULT_CHECK, .at_ns = 1 * ms };
    s->fault[1] = (struct fault){ .what = FAULT_IDLE, .at_ns = 2 * ms };
    h = &timed_results(&t, s)->history;
    assert_int_equal(h->sync_count, 1);
    assert_int_equal(h->sync[0].action, SYNC_CHECK);
    assert_int_equal(h->sync[0].whole, 0);
    assert_in_range(h->sync[0].reached, 8, 2040);
    assert_non_null(find(h, HISTORY_SYNC_STOPPED));
    assert_null(find(h, HISTORY_SYNC_ENDED));
    assert_int_equal(h->rebuilds + h->rebuilt_sectors, 0);
    timed_free(&t);
}

static void the_device_that_was_taken_out_comes_back_under_its_name(void **state)
{
    /* Breaks when a device that is added again is taken for a new one. */
    struct scenario *s = mishaps(2);
    const struct history *h;
    struct timed t;

    (void)state;
    s->fault[0] = (struct fault){ .what = FAULT_FAIL, .member = 3, .at_ns = 1 * ms };
    s->fault[1] = (struct fault){ .what = FAULT_RE_ADD, .member = 3, .at_ns = 40 * ms };
    h = &timed_results(&t, s)->history;
    assert_int_equal(find(h, HISTORY_ADDED)->device, 3);
    assert_int_equal(h->device_count, 4);
    assert_int_equal(h->device[3].state, DEVICE_SEATED);
    assert_int_equal(md_counts(t.results).active, 4);
    timed_free(&t);
}

static void a_new_device_gets_a_new_name(void **state)
{
    /* Breaks when an added device is not known, or sits in the slot before it was given it. */
    struct scenario *s = mishaps(2);
    const struct history *h;
    struct timed t;

    (void)state;
    s->fault[0] = (struct fault){ .what = FAULT_ADD, .at_ns = 1 * ms };
    s->fault[1] = (struct fault){ .what = FAULT_DIE, .member = 0, .at_ns = 40 * ms };
    s->job[0].rw = RW_RANDRW;
    h = &timed_results(&t, s)->history;
    assert_int_equal(h->device_count, 5);
    assert_int_equal(find(h, HISTORY_FAILED)->device, 0);
    assert_int_equal(find(h, HISTORY_ADDED)->device, 4);
    assert_true(find(h, HISTORY_ADDED)->ns > 40 * ms);
    timed_free(&t);
}

static void a_flood_is_counted_and_hides_nothing(void **state)
{
    /* Breaks when more than a dozen events of a kind are kept, some are neither kept nor counted,
     * or a later event of another kind finds no room. */
    struct scenario *s = mishaps(2);
    const struct history *h;
    struct timed t;
    uint64_t corrected = 0;

    (void)state;
    s->fault[0] =
        (struct fault){ .what = FAULT_READ_ERROR, .lasts = LASTS_REWRITE, .member = 2, .every = 5 };
    s->fault[1] = (struct fault){ .what = FAULT_FAIL, .member = 0, .at_ns = 149 * ms };
    s->job[0].iodepth = 8;
    h = &timed_results(&t, s)->history;
    for (unsigned d = 0; d < 4; d++)
        corrected += t.results->md.device[d].corrected;
    assert_true(h->struck[0] > 30);
    assert_int_equal(h->kept[HISTORY_FAULT] + h->left_out[HISTORY_FAULT], h->struck[0] + 1);
    assert_int_equal(h->kept[HISTORY_FAULT], HISTORY_OF_A_KIND + 1); /* the first of another */
    assert_int_equal(h->kept[HISTORY_CORRECTED], HISTORY_OF_A_KIND);
    assert_int_equal((h->kept[HISTORY_CORRECTED] + h->left_out[HISTORY_CORRECTED]) * PAGE_SECTORS,
                     corrected);
    assert_non_null(find(h, HISTORY_FAILED));
    timed_free(&t);
}

static void errors_are_placed(void **state)
{
    /* Breaks when an event names another sector than the one that was struck. */
    (void)state;
    for (unsigned write = 0; write < 2; write++) {
        struct scenario *s = mishaps(1);
        const struct history_event *struck, *seen;
        const struct history *h;
        struct timed t;

        s->job[0].rw = write ? RW_RANDWRITE : RW_RANDREAD;
        s->fault[0] = (struct fault){ .what = write ? FAULT_WRITE_ERROR : FAULT_READ_ERROR,
                                      .lasts = LASTS_REWRITE,
                                      .member = 2,
                                      .nth = 7 };
        h = &timed_results(&t, s)->history;
        struck = find(h, HISTORY_FAULT);
        seen = find(h, write ? HISTORY_WRITE_ERROR : HISTORY_CORRECTED);
        assert_non_null(struck);
        assert_non_null(seen);
        assert_int_equal(seen->sector, struck->sector);
        assert_int_equal(seen->device, 2);
        assert_int_equal(t.results->md.device[2].bad_blocks, write);
        if (write) {
            assert_int_equal(find(h, HISTORY_BAD_BLOCK)->sector, struck->sector);
            assert_int_equal(t.results->md.device[2].bad[0], struck->sector);
            assert_non_null(find(h, HISTORY_LISTS));
        }
        timed_free(&t);
    }
}

static void errors_returned_are_those_the_job_counts(void **state)
{
    /* Breaks when a failed I/O is in the job's figures and not in the history, or twice. */
    struct scenario *s = mishaps(2);
    const struct history *h;
    struct timed t;

    (void)state;
    s->fault[0] = (struct fault){ .what = FAULT_FAIL, .member = 1, .at_ns = 1 * ms };
    s->fault[1] = (struct fault){ .what = FAULT_FAIL, .member = 2, .at_ns = 3 * ms };
    h = &timed_results(&t, s)->history;
    assert_true(t.results->job[0].dir[0].errors > HISTORY_OF_A_KIND);
    assert_int_equal(h->kept[HISTORY_IO_ERROR] + h->left_out[HISTORY_IO_ERROR],
                     t.results->job[0].dir[0].errors);
    assert_int_equal(t.results->md.degraded, 2);
    timed_free(&t);
}

static void the_ramp_forgets_nothing(void **state)
{
    /* Breaks when the history begins with the measured window. */
    struct scenario *s = mishaps(1);
    struct timed t;

    (void)state;
    s->fault[0] = (struct fault){ .what = FAULT_FAIL, .member = 1, .at_ns = 5 * ms };
    s->job[0].ramp_ns = 50 * ms;
    assert_non_null(find(&timed_results(&t, s)->history, HISTORY_FAILED));
    timed_free(&t);
}

static void a_quiet_run_has_no_history(void **state)
{
    /* Breaks when superblocks of an array that becomes clean and dirty count as events. */
    struct scenario *s = mishaps(0);
    struct timed t;
    struct results *r;

    (void)state;
    s->job[0].rw = RW_RANDWRITE;
    s->array.safe_mode_ns = 20 * ms;
    s->job[0].thinktime_ns = 60 * ms;
    r = timed_results(&t, s);
    assert_true(r->member[0].by_reason[REASON_SUPERBLOCK][IO_WRITE].ios > 1);
    assert_int_equal(r->history.event_count, 0);
    timed_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_member_is_followed_to_its_replacement),
        cmocka_unit_test(a_rebuild_is_measured),
        cmocka_unit_test(an_interrupted_check_says_how_far_it_got),
        cmocka_unit_test(the_device_that_was_taken_out_comes_back_under_its_name),
        cmocka_unit_test(a_new_device_gets_a_new_name),
        cmocka_unit_test(a_flood_is_counted_and_hides_nothing),
        cmocka_unit_test(errors_are_placed),
        cmocka_unit_test(errors_returned_are_those_the_job_counts),
        cmocka_unit_test(the_ramp_forgets_nothing),
        cmocka_unit_test(a_quiet_run_has_no_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
