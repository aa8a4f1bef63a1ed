/* Members in trouble, step by step: lists of bad blocks, superblocks, leaving and coming, and what
 * the walks of tests/laws/test_faults.c have found wrong. */
#include "tests/lib/small_world.h"

#include "faults/fate.h"
#include "model/bitmap.h"
#include "model/fill.h"
#include "model/flaws.h"
#include "model/members.h"
#include "model/superblock.h"

static struct small *array_with(struct small_plan p)
{
    p.level = LEVEL_RAID5;
    p.later = p.written = p.faults = 1;
    p.wake_policy = WAKE_ALL;
    p.rmw_level = 1;
    return small_new(p);
}

static actor_id fate_of(const struct small *s)
{
    return actor_fate(&s->w->shape);
}

static actor_id raid5d_of(const struct small *s)
{
    return actor_raid5d(&s->w->shape);
}

/* raid5d runs until it sleeps. */
static void raid5d_runs(struct small *s)
{
    while (small_enabled(s, raid5d_of(s)))
        small_go(s, raid5d_of(s));
}

/* The member does all it has been given, raid5d nothing. */
static void member_serves(struct small *s, unsigned disk)
{
    while (disk_see(s->w, disk)->queued) {
        small_go(s, actor_disk(&s->w->shape, disk));
        small_go(s, actor_completion(&s->w->shape, disk));
    }
}

static unsigned metadata_writes(const struct small *s)
{
    unsigned n = 0;

    for (unsigned d = 0; d < shape_devices(&s->w->shape); d++)
        for (unsigned p = 0; p < META_PLACES; p++)
            n += io_see(s->w, io_of_meta(s->w, d, p))->state != IO_IDLE;
    return n;
}

/* ---- lists of bad blocks */

static void a_list_of_bad_blocks_is_sorted_whatever_the_order_it_came_in(void **state)
{
    /* Breaks when a page is put where the search for it does not look, or listed twice. */
    static const uint8_t pages[] = { 9, 2, 7, 2, 11, 0, 9, 3 };
    struct small *s = array_with((struct small_plan){ .rows = 16, .metadata = METADATA_12 });
    uint64_t before = 0;

    (void)state;
    s->e.count = 0;
    for (unsigned i = 0; i < sizeof pages; i++)
        assert_true(member_set_bad(s->w, 1, pages[i] * 8u, &s->e));
    assert_int_equal(disk_see(s->w, 1)->bad_blocks, 6);
    for (unsigned i = 0; i < 6; i++) {
        uint64_t page = *bad_see(s->w, s->w->shape.bad_blocks_max + i) >> 1;

        assert_true(i == 0 || page > before);
        before = page;
    }
    for (unsigned page = 0; page < 16; page++) {
        bool listed = page == 9 || page == 2 || page == 7 || page == 11 || page == 0 || page == 3;

        assert_int_equal(member_badness(s->w, 1, page * 8, 8),
                         listed ? BAD_UNACKNOWLEDGED : BAD_NOT);
        assert_int_equal(member_badness(s->w, 0, page * 8, 8), BAD_NOT);
    }
    small_free(s);
}

static void a_range_is_as_bad_as_the_worst_page_it_touches(void **state)
{
    /* Breaks when a read over several pages misses a bad one at its end, or takes in the one behind
     * it. */
    struct small *s = array_with((struct small_plan){ .rows = 16, .metadata = METADATA_12 });

    (void)state;
    s->e.count = 0;
    assert_true(member_set_bad(s->w, 1, 16, &s->e));
    members_acknowledge(s->w);
    assert_true(member_set_bad(s->w, 1, 40, &s->e));
    assert_int_equal(member_badness(s->w, 1, 0, 16), BAD_NOT);
    assert_int_equal(member_badness(s->w, 1, 0, 17), BAD_ACKNOWLEDGED);
    assert_int_equal(member_badness(s->w, 1, 23, 1), BAD_ACKNOWLEDGED);
    assert_int_equal(member_badness(s->w, 1, 24, 16), BAD_NOT);
    assert_int_equal(member_badness(s->w, 1, 16, 25), BAD_UNACKNOWLEDGED);
    member_clear_bad(s->w, 1, 16);
    assert_int_equal(member_badness(s->w, 1, 0, 24), BAD_NOT);
    assert_int_equal(disk_see(s->w, 1)->bad_blocks, 1);
    small_free(s);
}

static void a_full_list_takes_no_more_and_then_the_member_has_to_fail(void **state)
{
    /* Breaks when a list runs into that of the next member. */
    struct small *s = array_with((struct small_plan){ .rows = 32, .metadata = METADATA_12 });
    uint32_t room = s->w->shape.bad_blocks_max;

    (void)state;
    for (uint32_t i = 0; i < room; i++) {
        s->e.count = 0;
        assert_true(member_set_bad(s->w, 0, i * 8, &s->e));
    }
    s->e.count = 0;
    assert_false(member_set_bad(s->w, 0, room * 8, &s->e));
    assert_int_equal(disk_see(s->w, 0)->bad_blocks, room);
    assert_int_equal(*bad_see(s->w, room), 0);
    small_free(s);
}

/* ---- superblocks */

/* raid5d runs, and all members write what it sends them: a round of superblocks. Returns how many
 * metadata I/Os there were. */
static unsigned round_of_superblocks(struct small *s)
{
    unsigned n;

    raid5d_runs(s);
    n = metadata_writes(s);
    for (unsigned d = 0; d < shape_devices(&s->w->shape); d++)
        member_serves(s, d);
    return n;
}

static void the_first_write_to_a_clean_array_waits_for_one_round_of_superblocks(void **state)
{
    /* Breaks when a writer goes on before all superblocks say dirty, or each bio costs a round
     * (recording log-clean). */
    struct small *s =
        array_with((struct small_plan){ .disks = 4, .clients = 2, .metadata = METADATA_12 });

    (void)state;
    assert_true(array_see(s->w, 0)->in_sync);
    small_submit(s, 0, 0, 8, true);
    small_submit(s, 1, 64, 8, true);
    assert_int_equal(actor_see(s->w, 0)->waits_on, WAIT_SUPERBLOCK);
    assert_int_equal(actor_see(s->w, 1)->waits_on, WAIT_SUPERBLOCK);
    raid5d_runs(s);
    assert_int_equal(metadata_writes(s), 4);
    for (unsigned d = 0; d < 3; d++)
        member_serves(s, d);
    assert_false(small_enabled(s, raid5d_of(s)));
    assert_true(actor_see(s->w, 0)->asleep && actor_see(s->w, 1)->asleep);
    member_serves(s, 3);
    raid5d_runs(s);
    assert_false(actor_see(s->w, 0)->asleep || actor_see(s->w, 1)->asleep);
    assert_false(array_see(s->w, 0)->in_sync);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void a_write_that_ends_arms_the_rounded_timer_which_makes_the_array_clean(void **state)
{
    /* Breaks when the timer is another than safe_mode_delay rounded, or the array does not become
     * clean, or does so amid a write. */
    struct small *s = array_with((struct small_plan){ .clients = 2, .metadata = METADATA_12 });
    actor_id timer = actor_safemode(&s->w->shape);

    (void)state;
    s->e.count = 0;
    array_at(s->w, 0)->in_sync = 0;
    array_at(s->w, 0)->writes_pending = 2;
    superblock_write_end(s->w, &s->e);
    assert_int_equal(s->e.count, 0);
    superblock_write_end(s->w, &s->e);
    assert_int_equal(s->e.count, 1);
    assert_int_equal(s->e.list[0].kind, EFFECT_ARM);
    assert_int_equal(s->e.list[0].what, ARM_ROUNDED_US);
    assert_int_equal(s->e.list[0].who, timer);
    assert_int_equal(s->e.list[0].amount, s->w->shape.safe_mode_us);
    array_at(s->w, 0)->writes_pending = 1;
    small_go(s, timer);
    assert_int_equal(round_of_superblocks(s), 0);
    assert_false(array_see(s->w, 0)->in_sync);
    s->e.count = 0;
    superblock_write_end(s->w, &s->e);
    small_go(s, timer);
    assert_int_equal(round_of_superblocks(s), 3);
    assert_true(array_see(s->w, 0)->in_sync);
    raid5d_runs(s);
    small_free(s);
}

static void without_metadata_nothing_waits_and_nothing_is_written(void **state)
{
    /* Breaks when an array without superblocks pays for them. */
    struct small *s = array_with((struct small_plan){ .metadata = METADATA_NONE });

    (void)state;
    assert_false(array_see(s->w, 0)->in_sync);
    small_submit(s, 0, 0, 8, true);
    assert_false(actor_see(s->w, 0)->asleep);
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 2, 0, 0));
    assert_int_equal(round_of_superblocks(s), 0);
    small_free(s);
}

static void superblocks_in_front_of_the_data_are_not_the_datas_sectors(void **state)
{
    /* Broke when a superblock of version 1.2, at sector 8 of the device, healed sector 8 of the
     * data, or failed for it and took the member along. */
    struct small *s = array_with((struct small_plan){ .disks = 3, .metadata = METADATA_12 });

    (void)state;
    small_fire(s, fate_of(s), fate_name(FATE_UNREADABLE, 1, 8, 8));
    small_fire(s, fate_of(s), fate_name(FATE_WORN_WRITE, 2, 8, 8));
    small_submit(s, 0, 0, 8, true);
    assert_int_equal(round_of_superblocks(s), 3);
    assert_int_equal(array_see(s->w, 0)->flaws, 2);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    assert_int_equal(flaw_see(s->w, 0)->sectors, 8);
    small_free(s);
}

static void a_thousand_bits_cleared_at_once_are_one_effect(void **state)
{
    /* Broke when each of them was a mark of its own: more than a step may report. */
    struct small *s =
        array_with((struct small_plan){ .rows = 1000, .bitmap = 1, .metadata = METADATA_12 });
    actor_id daemon = actor_daemon(&s->w->shape);

    (void)state;
    for (uint64_t c = 0; c < 1000; c++)
        *bitcount_at(s->w, c) = 1;
    *bitgroup_at(s->w, 0) = 1;
    actor_at(s->w, daemon)->slot = 1;
    small_go(s, daemon);
    small_run(s, raid5d_of(s), RAID5D_CHECK);
    small_go(s, raid5d_of(s));
    assert_int_equal(small_marks(s, MARK_BIT_CLEARED), 1000);
    small_settle(s);
    for (uint64_t c = 0; c < 1000; c++)
        assert_int_equal(*bitcount_see(s->w, c), 0);
    small_free(s);
}

/* ---- leaving and coming */

static void a_failed_member_is_written_down_by_the_others_and_then_leaves(void **state)
{
    /* Breaks when the failed member itself is asked, when it leaves before the others say so, or
     * never. */
    struct small *s = array_with((struct small_plan){ .disks = 4, .metadata = METADATA_12 });

    (void)state;
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 1, 0, 0));
    assert_int_equal(array_see(s->w, 0)->degraded, 1);
    assert_true(disk_see(s->w, 1)->flags & MEMBER_BLOCKED);
    raid5d_runs(s);
    assert_int_equal(metadata_writes(s), 3);
    assert_int_equal(io_see(s->w, io_of_meta(s->w, 1, META_SUPERBLOCK))->state, IO_IDLE);
    for (unsigned d = 0; d < 4; d++)
        member_serves(s, d);
    small_run(s, raid5d_of(s), RAID5D_GRACE);
    assert_int_equal(disk_see(s->w, 1)->flags, MEMBER_PRESENT | MEMBER_FAULTY);
    small_go(s, raid5d_of(s));
    assert_int_equal(disk_see(s->w, 1)->flags, 0);
    small_settle(s);
    small_free(s);
}

/* Is every page of that member what the array began with? */
static void holds_what_it_should(struct small *s, unsigned disk)
{
    assert_true(disk_see(s->w, disk)->device & DEVICE_NEW);
    for (uint64_t page = 0; page < s->w->shape.geometry.component_sectors / PAGE_SECTORS; page++)
        assert_true(fill_has(s->w, disk, page));
}

static void a_hot_spare_takes_the_place_and_is_filled(void **state)
{
    /* Breaks when a spare counts before it has been filled, or is never used. */
    struct small *s =
        array_with((struct small_plan){ .disks = 4, .metadata = METADATA_12, .spares = 1 });

    (void)state;
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 1, 0, 0));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    assert_int_equal(member_of(s->w, 1), 4);
    assert_true(member_in_sync(s->w, 4));
    holds_what_it_should(s, 4);
    small_free(s);
}

static void spares_that_wait_are_told_too_and_the_last_one_goes_first(void **state)
{
    /* Breaks when superblocks leave out devices in no slot, when a device in a slot is passed over
     * for one that came later, or a spare that has failed is used. */
    struct small *s =
        array_with((struct small_plan){ .disks = 4, .metadata = METADATA_12, .spares = 3 });

    (void)state;
    small_submit(s, 0, 0, 8, true);
    assert_int_equal(round_of_superblocks(s), 7);
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 6, 0, 0));
    assert_int_equal(round_of_superblocks(s), 6);
    small_settle(s);
    assert_int_equal(disk_see(s->w, 6)->flags, 0);
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 1, 0, 0));
    small_settle(s);
    assert_int_equal(member_of(s->w, 1), 5);
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 2, 0, 0));
    small_settle(s);
    assert_int_equal(member_of(s->w, 2), 4);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    /* A new one bears the number of one that has left, in no slot at all if need be. */
    small_fire(s, fate_of(s), fate_name(FATE_ADD, 0, 0, 0));
    small_settle(s);
    assert_int_equal(disk_see(s->w, 1)->flags, MEMBER_WAITING);
    assert_int_equal(disk_see(s->w, 6)->flags, 0);
    small_free(s);
}

static void a_check_that_begins_while_a_member_leaves_does_not_pass_for_its_rebuild(void **state)
{
    /* Broke when raid5d, back from the grace period, gave the running resync thread a rebuild to
     * do: its check of a degraded array was over at once, and the blank spare counted as whole. */
    struct small *s =
        array_with((struct small_plan){ .disks = 4, .metadata = METADATA_12, .spares = 1 });

    (void)state;
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 1, 0, 0));
    round_of_superblocks(s);
    small_run(s, raid5d_of(s), RAID5D_GRACE);
    small_fire(s, fate_of(s), fate_name(FATE_SYNC_ACTION, 0, SYNC_CHECK, 0));
    small_go(s, actor_resync(&s->w->shape));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    holds_what_it_should(s, member_of(s->w, 1));
    small_free(s);
}

static void a_rebuild_that_has_failed_for_good_is_tried_again_with_a_new_device(void **state)
{
    /* Broke when a rebuild once given up was never begun again, whatever devices came. */
    struct small *s = array_with((struct small_plan){ .disks = 3, .failed = 2 });

    (void)state;
    array_at(s->w, 0)->recovery |= RECOVERY_DISABLED;
    small_fire(s, fate_of(s), fate_name(FATE_ADD, 0, 0, 0));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    small_free(s);
}

/* ---- a device comes, and there is a bitmap */

static struct small *with_bitmap(void)
{
    return array_with((struct small_plan){ .disks = 4, .bitmap = 1, .metadata = METADATA_12 });
}

static void leaves(struct small *s, unsigned member)
{
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, member, 0, 0));
    small_settle(s);
    assert_int_equal(disk_see(s->w, member)->flags, 0);
}

static void a_check_before_a_blank_device_is_seated_does_not_make_the_bitmap_trusted(void **state)
{
    /* Broke when the check, over at once in a degraded array, counted as the full pass that the
     * device needed: its rebuild then passed all that the bitmap says is clean. */
    struct small *s = with_bitmap();

    (void)state;
    leaves(s, 1);
    small_fire(s, fate_of(s), fate_name(FATE_ADD, 0, 0, 0));
    small_fire(s, fate_of(s), fate_name(FATE_SYNC_ACTION, 0, SYNC_CHECK, 0));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    holds_what_it_should(s, 1);
    small_free(s);
}

static void a_device_that_leaves_amid_its_rebuild_is_rebuilt_whole_when_it_returns(void **state)
{
    /* Breaks when the bitmap, which knows of writes only, is asked what it lacks. */
    struct small *s = with_bitmap();

    (void)state;
    leaves(s, 1);
    small_fire(s, fate_of(s), fate_name(FATE_SYNC_MAX, 0, 8, 0));
    small_fire(s, fate_of(s), fate_name(FATE_ADD, 0, 0, 0));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 1);
    small_fire(s, fate_of(s), fate_name(FATE_SYNC_MAX, 0, FATE_SECTOR_MAX, 0));
    leaves(s, 1);
    small_fire(s, fate_of(s), fate_name(FATE_RETURN, 1, 0, 0));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    holds_what_it_should(s, 1);
    small_free(s);
}

static void a_device_that_was_whole_is_rebuilt_where_the_bitmap_says(void **state)
{
    /* Breaks when a bitmap saves nothing. */
    struct small *s = with_bitmap();
    unsigned parity = geometry_parity(&s->w->shape.geometry, 0);

    (void)state;
    leaves(s, 1);
    small_submit(s, 0, small_sector(s, parity != 0 ? 0 : 2, 0), 8, true);
    small_settle(s);
    small_fire(s, fate_of(s), fate_name(FATE_RETURN, 1, 0, 0));
    for (uint64_t done = 0; array_see(s->w, 0)->degraded;) {
        actor_id who = 0;

        while (!small_enabled(s, who))
            who++;
        small_go(s, who);
        done += small_units(s, WORK_SYNC);
        assert_true(done <= 1);
    }
    small_free(s);
}

static void a_list_of_bad_blocks_comes_back_with_its_device(void **state)
{
    /* Broke when it was forgotten: pages that were never written well were read. */
    struct small *s = with_bitmap();

    (void)state;
    s->e.count = 0;
    assert_true(member_set_bad(s->w, 1, 16, &s->e));
    small_settle(s);
    leaves(s, 1);
    small_fire(s, fate_of(s), fate_name(FATE_RETURN, 1, 0, 0));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->degraded, 0);
    assert_int_equal(member_badness(s->w, 1, 16, 8), BAD_ACKNOWLEDGED);
    leaves(s, 1);
    small_fire(s, fate_of(s), fate_name(FATE_ADD, 0, 0, 0));
    small_settle(s);
    assert_int_equal(member_badness(s->w, 1, 16, 8), BAD_NOT);
    small_free(s);
}

/* ---- reads past the cache */

static void a_read_on_its_way_past_the_cache_turns_back_when_a_member_fails(void **state)
{
    /* Broke when a client that had chosen the member sent its read to the device that had taken the
     * member's place, which does not hold the data yet. */
    struct small *s = array_with((struct small_plan){ .disks = 3, .bypass = 1, .failed = 0 });

    (void)state;
    small_ask(s, 0, small_sector(s, 1, 0), 8, false);
    assert_int_equal(actor_see(s->w, 0)->pc, CLIENT_DIRECT);
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 1, 0, 0));
    small_go(s, 0);
    assert_int_equal(disk_see(s->w, 1)->queued, 0);
    assert_int_equal(actor_see(s->w, 0)->pc, CLIENT_PAGE);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 0)->in_flight, 0);
    small_free(s);
}

static void two_reads_of_one_page_that_fail_do_not_keep_each_other_for_ever(void **state)
{
    /* Broke when raid5d, retrying the second, took the stripe away from the list it was to handle
     * it from, turn after turn. */
    struct small *s = array_with((struct small_plan){ .disks = 3, .bypass = 1, .clients = 2 });
    uint64_t sector = small_sector(s, 1, 0);

    (void)state;
    small_fire(s, fate_of(s), fate_name(FATE_UNREADABLE, 1, 0, 8));
    small_submit(s, 0, sector, 8, false);
    small_submit(s, 1, sector, 8, false);
    small_serve(s);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 0)->in_flight + client_see(s->w, 1)->in_flight, 0);
    assert_int_equal(disk_see(s->w, 1)->corrected, 8);
    small_free(s);
}

/* ---- rewriting */

static void a_page_being_written_is_not_read_back_before_its_parity_is_down(void **state)
{
    /* Broke when the reading back failed then: nobody ended the write that waited for parity only,
     * and it waited for ever. */
    struct small *s =
        array_with((struct small_plan){ .clients = 3, .bypass = 1, .metadata = METADATA_12 });
    uint64_t sector = small_sector(s, 1, 0);
    unsigned parity = geometry_parity(&s->w->shape.geometry, 0);
    stripe_id stripe;

    (void)state;
    array_at(s->w, 0)->in_sync = 0;
    small_fire(s, fate_of(s), fate_name(FATE_WORN_READ, 1, 0, 8));
    small_submit(s, 0, sector, 8, false);
    small_serve(s);
    raid5d_runs(s);
    stripe = small_find(s, 0);
    for (unsigned n = 0; !(slot_see(s->w, stripe, 1)->flags & SLOT_REWRITE); n++) {
        assert_true(n < 100);
        raid5d_runs(s);
        if (!(slot_see(s->w, stripe, 1)->flags & SLOT_REWRITE))
            small_serve(s);
    }
    small_submit(s, 1, sector, 4, true); /* while the page is being rewritten */
    member_serves(s, 1);
    raid5d_runs(s);
    member_serves(s, 1); /* the data are down, parity is not */
    small_submit(s, 2, sector, 8, false);
    member_serves(s, 1); /* fails, and raid5d tries it again by way of the stripe */
    raid5d_runs(s);
    assert_int_equal(disk_see(s->w, 1)->queued, 0);
    assert_int_equal(disk_see(s->w, parity)->queued, 1);
    assert_int_equal(small_settle(s), 0);
    for (actor_id c = 0; c < 3; c++)
        assert_int_equal(client_see(s->w, c)->in_flight, 0);
    small_submit(s, 2, sector, 8, false);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(member_badness(s->w, 1, 0, 8), BAD_ACKNOWLEDGED);
    small_free(s);
}

/* ---- batches */

static void a_batch_whose_head_is_given_up_goes_on_without_it(void **state)
{
    /* Broke when the head, of which two pages are missing, took the others' state along: their
     * slots stayed locked with nothing under way, and the write waited for ever. */
    struct small *s = array_with((struct small_plan){ .stripes = 8,
                                                      .chunk_pages = 4,
                                                      .rows = 1,
                                                      .max_pages = 8,
                                                      .bio_sectors = 64,
                                                      .metadata = METADATA_12 });
    stripe_id head, member;

    (void)state;
    array_at(s->w, 0)->in_sync = 0;
    small_submit(s, 0, 0, 64, true);
    small_run(s, raid5d_of(s), RAID5D_WORK);
    small_go(s, raid5d_of(s));
    head = small_find(s, 0);
    member = small_find(s, 1);
    assert_int_equal(stripe_see(s->w, member)->batch_head, head);
    assert_int_equal(stripe_see(s->w, head)->reconstruct, RECONSTRUCT_DRAIN_RESULT);
    small_fire(s, fate_of(s), fate_name(FATE_FAIL, 0, 0, 0));
    disk_at(s->w, 1)->flags |= MEMBER_WRITE_ERROR;
    s->e.count = 0;
    assert_true(member_set_bad(s->w, 1, 0, &s->e));
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 0)->in_flight, 0);
    assert_int_equal(array_see(s->w, 0)->active, 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_bad_blocks_is_sorted_whatever_the_order_it_came_in),
        cmocka_unit_test(a_range_is_as_bad_as_the_worst_page_it_touches),
        cmocka_unit_test(a_full_list_takes_no_more_and_then_the_member_has_to_fail),
        cmocka_unit_test(the_first_write_to_a_clean_array_waits_for_one_round_of_superblocks),
        cmocka_unit_test(a_write_that_ends_arms_the_rounded_timer_which_makes_the_array_clean),
        cmocka_unit_test(without_metadata_nothing_waits_and_nothing_is_written),
        cmocka_unit_test(superblocks_in_front_of_the_data_are_not_the_datas_sectors),
        cmocka_unit_test(a_thousand_bits_cleared_at_once_are_one_effect),
        cmocka_unit_test(a_failed_member_is_written_down_by_the_others_and_then_leaves),
        cmocka_unit_test(a_hot_spare_takes_the_place_and_is_filled),
        cmocka_unit_test(spares_that_wait_are_told_too_and_the_last_one_goes_first),
        cmocka_unit_test(a_check_that_begins_while_a_member_leaves_does_not_pass_for_its_rebuild),
        cmocka_unit_test(a_rebuild_that_has_failed_for_good_is_tried_again_with_a_new_device),
        cmocka_unit_test(a_check_before_a_blank_device_is_seated_does_not_make_the_bitmap_trusted),
        cmocka_unit_test(a_device_that_leaves_amid_its_rebuild_is_rebuilt_whole_when_it_returns),
        cmocka_unit_test(a_device_that_was_whole_is_rebuilt_where_the_bitmap_says),
        cmocka_unit_test(a_list_of_bad_blocks_comes_back_with_its_device),
        cmocka_unit_test(a_read_on_its_way_past_the_cache_turns_back_when_a_member_fails),
        cmocka_unit_test(two_reads_of_one_page_that_fail_do_not_keep_each_other_for_ever),
        cmocka_unit_test(a_page_being_written_is_not_read_back_before_its_parity_is_down),
        cmocka_unit_test(a_batch_whose_head_is_given_up_goes_on_without_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
