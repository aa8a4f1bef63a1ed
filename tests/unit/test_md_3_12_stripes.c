/* What handle_stripe, the ends of member I/O and the resync thread of md-3.12 do otherwise than
 * those of md-6.1 (spec 7, 8.3, 11.3). Each claim is tried with its switch and without. */
#include "tests/lib/small_scenario.h"
#include "tests/lib/small_world.h"

#include "model/machine.h"
#include "model/members.h"
#include "model/queue.h"

enum { PATIENCE = 2000, LONG = 200 };

static struct small *array(struct small_plan p)
{
    p.level = LEVEL_RAID5;
    p.later = p.written = 1;
    p.wake_policy = WAKE_ALL;
    p.rmw_level = 1;
    return small_new(p);
}

/* Members that get reads and writes, as bits. */
struct traffic {
    uint64_t read, written;
    unsigned reads, writes;
};

static void count_io(const struct small *s, struct traffic *t)
{
    for (uint32_t i = 0; i < s->e.count; i++) {
        io_id io = s->e.list[i].amount;

        if (s->e.list[i].kind != EFFECT_SUBMIT)
            continue;
        if (io_see(s->w, io)->kind == IO_WRITE) {
            t->writes++;
            t->written |= 1ull << io_disk(s->w, io);
        } else {
            t->reads++;
            t->read |= 1ull << io_disk(s->w, io);
        }
    }
}

/* At most so many moves, the lowest actor first; the number made. */
static unsigned settle_counting(struct small *s, struct traffic *t, unsigned most)
{
    unsigned moves = 0;
    actor_id who;

    for (; moves < most; moves++) {
        for (who = 0; who < s->w->shape.actors && !small_enabled(s, who);)
            who++;
        if (who == s->w->shape.actors)
            break;
        small_go(s, who);
        count_io(s, t);
        assert_int_equal(small_count(s, EFFECT_FINDING), 0);
    }
    return moves;
}

static struct stripe *row(struct small *s, uint64_t page)
{
    return stripe_at(s->w, small_find(s, page));
}

/* The client's write up to the hand-over of its one stripe; background writeback asks for no
 * permission to preread. */
static void write_up_to_hand_over(struct small *s, uint64_t sector, uint32_t sectors, bool sync)
{
    small_fire(s, 0, request_name(sector, sectors, REQUEST_WRITE | (sync ? 0u : REQUEST_NOSYNC)));
    small_run(s, 0, CLIENT_TURN);
}

/* ---- 7.7 */

static void reads_and_writes_of_a_row_are_those_of_the_worked_counts(void **state)
{
    /* Breaks when rmw and rcw are counted, compared or carried out otherwise than in 3.12: a tie
     * goes to rcw, a missing block costs 2n, parity counts in rmw though it is missing. Row 0 of n
     * members: data in 0 .. n-2, parity in n-1. */
    static const struct {
        uint8_t disks, failed; /* 1 + the missing member */
        uint8_t pages;         /* written from member 0 on */
        uint8_t half;          /* the first half of the page only */
        uint8_t reads, writes; /* members */
    } table[] = {
        { 5, 0, 1, 0, 0x11, 0x11 }, /* rmw 2, rcw 3 */
        { 5, 0, 2, 0, 0x0c, 0x13 }, /* rmw 3, rcw 2 */
        { 5, 0, 3, 0, 0x08, 0x17 }, /* rmw 4, rcw 1 */
        { 5, 0, 4, 0, 0x00, 0x1f }, /* rmw 5, rcw 0 */
        { 3, 0, 1, 0, 0x02, 0x05 }, /* rmw 2, rcw 1 */
        { 4, 0, 1, 0, 0x06, 0x09 }, /* rmw 2, rcw 2: a tie */
        { 5, 0, 1, 1, 0x11, 0x11 }, /* rmw 2, rcw 4 */
        { 5, 1, 1, 0, 0x0e, 0x10 }, /* the missing block is overwritten: rmw 11, rcw 3 */
        { 5, 1, 1, 1, 0x1e, 0x10 }, /* in part: it is computed from all others first */
        { 5, 2, 1, 0, 0x11, 0x11 }, /* another block is missing: rmw 2, rcw 12 */
        { 5, 5, 1, 0, 0x0e, 0x01 }, /* parity is missing: rmw 11, rcw 3, for nothing */
        { 5, 5, 1, 1, 0x0f, 0x01 }, /* ... and the page itself */
    };

    (void)state;
    for (unsigned n = 0; n < sizeof table / sizeof *table; n++) {
        struct small *s = array((struct small_plan){ .disks = table[n].disks,
                                                     .failed = table[n].failed,
                                                     .rules_312 = 1,
                                                     .max_pages = 4,
                                                     .bio_sectors = 64 });
        struct traffic t = { 0 };

        write_up_to_hand_over(
            s, 0, table[n].half ? PAGE_SECTORS / 2 : table[n].pages * PAGE_SECTORS, true);
        assert_true(settle_counting(s, &t, PATIENCE) < PATIENCE);
        if (t.read != table[n].reads || t.written != table[n].writes)
            fail_msg("row %u: reads %llx, writes %llx", n, (unsigned long long)t.read,
                     (unsigned long long)t.written);
        assert_int_equal(t.reads, __builtin_popcount(table[n].reads));
        assert_int_equal(t.writes, __builtin_popcount(table[n].writes));
        small_free(s);
    }
}

/* The bare pass over a stripe that its submitter has let go of; what it sends. */
static struct traffic pass_over(struct small *s, uint64_t page)
{
    uint64_t sector = page * PAGE_SECTORS;
    struct traffic t = { 0 };
    stripe_id id;

    s->e.count = 0;
    cache_lookup(s->w, sector, geometry_parity(&s->w->shape.geometry, sector), &id, &s->e);
    machine_handle(s->w, actor_raid5d(&s->w->shape), id, &s->e);
    count_io(s, &t);
    queue_release(s->w, id, &s->e);
    return t;
}

static void blocks_for_a_partial_write_of_a_missing_one_are_read_at_once(void **state)
{
    /* Breaks when such a write waits for permission, or when 6.1's rule is asked as well: a
     * write of another block then reads what nobody needs. */
    (void)state;
    for (unsigned early = 0; early < 2; early++) {
        struct small *s = array((struct small_plan){ .disks = 4, .failed = 1 });

        s->w->shape.early_fetch = (uint8_t)early;
        s->w->shape.no_lost_delay = 1;
        write_up_to_hand_over(s, 0, PAGE_SECTORS / 2, false);
        assert_int_equal(pass_over(s, 0).read, early ? 0x0e : 0);
        assert_int_equal(!!(row(s, 0)->state & STRIPE_DELAYED), !early);
        small_free(s);
    }
}

/* A whole page to member 1 of an array that misses member 0, nothing of which is known to be in
 * sync. */
static void untrusted_parity_and_a_missing_block_spin(void **state)
{
    /* Breaks when the form of 3.12 gets on by itself, or the mended one does not. */
    struct traffic t = { 0 };

    (void)state;
    for (unsigned forced = 0; forced < 2; forced++) {
        struct small *s = array((struct small_plan){ .disks = 4, .failed = 1, .rules_312 = 1 });
        unsigned moves;

        s->w->shape.forced_rcw_degraded = (uint8_t)forced;
        array_at(s->w, 0)->recovery_cp = 0;
        t = (struct traffic){ 0 };
        write_up_to_hand_over(s, PAGE_SECTORS, PAGE_SECTORS, true);
        moves = settle_counting(s, &t, LONG);
        assert_int_equal(moves == LONG, forced);
        assert_int_equal(client_see(s->w, 0)->in_flight, forced);
        if (forced) {
            assert_int_equal(t.writes, 0);
            t.reads = 0;
            assert_int_equal(settle_counting(s, &t, LONG), LONG);
            assert_int_equal(t.reads + t.writes, 0);
        }
        small_free(s);
    }
}

static void a_missing_block_delays_nobody(void **state)
{
    /* Breaks when a write whose only missing block is a lost one is filed as delayed. All blocks
     * but the lost one are in the cache; the lost one is written in part. */
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct small *s = array((struct small_plan){ .disks = 3, .failed = 1 });

        small_submit(s, 0, PAGE_SECTORS, PAGE_SECTORS, false);
        assert_int_equal(small_settle(s), 0);
        s->w->shape.no_lost_delay = (uint8_t)old;
        write_up_to_hand_over(s, 0, PAGE_SECTORS / 2, false);
        assert_int_equal(pass_over(s, 0).reads, 0);
        assert_int_equal(!!(row(s, 0)->state & STRIPE_DELAYED), !old);
        small_free(s);
    }
}

static void what_a_failed_stripe_has_ended_still_counts(void **state)
{
    /* Breaks when the pass that ends a write with an error forgets it at once. */
    (void)state;
    for (unsigned stale = 0; stale < 2; stale++) {
        struct small *s = array((struct small_plan){ .disks = 5, .failed = 1 });

        s->w->shape.stale_counts = (uint8_t)stale;
        s->w->shape.no_superblock_gate = 1;
        s->e.count = 0;
        member_fail(s->w, 1, &s->e);
        array_at(s->w, 0)->sb_flags = 0;
        write_up_to_hand_over(s, 2 * PAGE_SECTORS, PAGE_SECTORS, true);
        assert_int_equal(pass_over(s, 0).read, stale ? 0x10 : 0);
        assert_int_equal(small_count(s, EFFECT_REPLY), 1);
        assert_int_equal(small_settle(s), 0);
        assert_int_equal(array_see(s->w, 0)->active, 0);
        small_free(s);
    }
}

/* ---- superblocks */

static void stripes_are_handled_while_a_superblock_write_is_pending(void **state)
{
    /* Breaks when a pass or raid5d's loop waits for any superblock write, as from 4.3 on. */
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct small *s = array((struct small_plan){ .disks = 3 });
        actor_id raid5d = actor_raid5d(&s->w->shape);

        s->w->shape.no_superblock_gate = (uint8_t)old;
        small_submit(s, 0, 0, PAGE_SECTORS, false);
        array_at(s->w, 0)->sb_flags = SB_PENDING;
        small_go(s, raid5d);
        assert_int_equal(actor_see(s->w, raid5d)->pc, RAID5D_LOOP);
        small_go(s, raid5d);
        if (actor_see(s->w, raid5d)->pc == RAID5D_LOOP)
            small_go(s, raid5d);
        assert_int_equal(actor_see(s->w, raid5d)->pc, old ? RAID5D_WORK : RAID5D_SLEEP);
        assert_int_equal(pass_over(s, 0).reads, old);
        small_free(s);
    }
}

static void a_bad_block_that_is_not_on_disk_holds_its_writes_back(void **state)
{
    /* Breaks when a write begins before the bad block is recorded, or reads wait for it, too. */
    (void)state;
    for (unsigned write = 0; write < 2; write++) {
        struct small *s = array((struct small_plan){
            .disks = 3, .rules_312 = 1, .metadata = METADATA_12, .chunk_pages = 2 });

        array_at(s->w, 0)->in_sync = 0;
        small_fire(s, 0, request_name(0, PAGE_SECTORS, write ? REQUEST_WRITE : 0));
        small_run(s, 0, CLIENT_TURN);
        s->e.count = 0;
        member_set_bad(s->w, 1, 0, &s->e);
        assert_true(array_see(s->w, 0)->sb_flags & SB_PENDING);
        assert_int_equal(pass_over(s, 0).reads, !write);
        assert_true(row(s, 0)->state & STRIPE_HANDLE);
        if (write) {
            members_acknowledge(s->w);
            assert_int_equal(pass_over(s, 0).read, 0x05); /* the listed block is as good as lost */
        }
        small_free(s);
    }
}

/* ---- 8.3 */

static void an_unreadable_page_of_a_degraded_array_is_bad_at_once(void **state)
{
    /* Breaks when it is read once more first, as 6.1 does; or when a healthy array gives up, too.
     */
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        bool old = n % 2, degraded = n / 2;
        struct small *s = array(
            (struct small_plan){ .disks = 3, .metadata = METADATA_12, .failed = degraded ? 1 : 0 });
        stripe_id id;

        s->w->shape.no_degraded_retry = old;
        s->e.count = 0;
        cache_lookup(s->w, 0, geometry_parity(&s->w->shape.geometry, 0), &id, &s->e);
        s->e.count = 0;
        assert_int_equal(trouble_read_failed(s->w, id, 1, &s->e), !(old && degraded));
        assert_int_equal(member_badness(s->w, 1, 0, PAGE_SECTORS) != BAD_NOT, old && degraded);
        small_free(s);
    }
}

static void a_failed_write_leaves_its_stripe_as_it_was(void **state)
{
    /* Breaks when the stripe becomes DEGRADED, or the error is not noted in its slot. */
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct small *s = array((struct small_plan){ .disks = 3, .metadata = METADATA_12 });
        stripe_id id;

        s->w->shape.quiet_write_error = (uint8_t)old;
        s->e.count = 0;
        cache_lookup(s->w, 0, geometry_parity(&s->w->shape.geometry, 0), &id, &s->e);
        trouble_write_ended(s->w, id, 1, true, &s->e);
        assert_int_equal(!!(stripe_see(s->w, id)->state & STRIPE_DEGRADED), !old);
        assert_true(slot_see(s->w, id, 1)->flags & SLOT_WRITE_ERROR);
        small_free(s);
    }
}

/* ---- the resync thread */

static void the_resync_thread_handles_a_stripe_first(void **state)
{
    /* Breaks when the first pass is left to raid5d, or somebody else sends the reads. */
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct small *s = array((struct small_plan){ .disks = 3, .sync = SYNC_CHECK });
        actor_id resync = actor_resync(&s->w->shape);
        struct traffic t = { 0 };

        s->w->shape.sync_handles = (uint8_t)old;
        small_run(s, resync, RESYNC_REQUEST);
        small_go(s, resync);
        assert_int_equal(actor_see(s->w, resync)->pc, old ? RESYNC_WORK : RESYNC_DRAIN);
        assert_int_equal(array_see(s->w, 0)->recovery_active, PAGE_SECTORS);
        if (old) {
            small_go(s, resync);
            count_io(s, &t);
            assert_int_equal(t.read, 0x07);
            assert_int_equal(io_see(s->w, io_of_slot(s->w, small_find(s, 0), 0))->issuer, resync);
        }
        assert_int_equal(small_settle(s), 0);
        assert_int_equal(array_see(s->w, 0)->recovery_active, 0);
        small_free(s);
    }
}

/* Sectors of a check that are done after 100 ms beside a busy reader. */
static uint64_t checked(unsigned yields)
{
    struct scenario *s = small_scenario(LEVEL_RAID5);
    struct timed t;
    uint64_t done;

    s->driver.generation = GENERATION_61;
    s->driver.array_plug = 0;
    s->driver.resync_yields = yields;
    s->array.sync_action = SYNC_CHECK;
    s->array.sync_max = UINT64_MAX;
    s->array.sync_speed_max = 1000000;
    s->job[0].runtime_ns = 100000000;
    timed_results(&t, s);
    done = array_see(t.sim.world, 0)->sync_at;
    timed_free(&t);
    return done;
}

static void beside_others_the_resync_thread_sleeps_half_a_second(void **state)
{
    /* Breaks when it waits for its own I/O only, which came with 4.1. */
    (void)state;
    assert_true(checked(1) > checked(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_of_a_row_are_those_of_the_worked_counts),
        cmocka_unit_test(blocks_for_a_partial_write_of_a_missing_one_are_read_at_once),
        cmocka_unit_test(untrusted_parity_and_a_missing_block_spin),
        cmocka_unit_test(a_missing_block_delays_nobody),
        cmocka_unit_test(what_a_failed_stripe_has_ended_still_counts),
        cmocka_unit_test(stripes_are_handled_while_a_superblock_write_is_pending),
        cmocka_unit_test(a_bad_block_that_is_not_on_disk_holds_its_writes_back),
        cmocka_unit_test(an_unreadable_page_of_a_degraded_array_is_bad_at_once),
        cmocka_unit_test(a_failed_write_leaves_its_stripe_as_it_was),
        cmocka_unit_test(the_resync_thread_handles_a_stripe_first),
        cmocka_unit_test(beside_others_the_resync_thread_sleeps_half_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
