/* handle_stripe of md-2.6.15 for writes and missing members (spec 6, steps 3 to 7 and 10; 3.10). */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

#include "model/tag.h"

static struct small *array(struct small_plan plan)
{
    plan.level = LEVEL_RAID5;
    plan.written = 1;
    return small_new(plan);
}

static const struct stripe *row(const struct small *s, uint64_t page)
{
    return stripe_see(s->w, small_find(s, page));
}

enum { PATIENCE = 1000 };

/* Members that get reads and writes, as bits, until nobody can move. */
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

static void run_counting(struct small *s, actor_id who, unsigned pc, struct traffic *t)
{
    while (actor_see(s->w, who)->pc != pc) {
        small_go(s, who);
        count_io(s, t);
    }
}

static void settle_counting(struct small *s, struct traffic *t)
{
    unsigned before, moves = 0;

    do {
        before = moves;
        for (actor_id who = 0; who < s->w->shape.actors; who++)
            for (; small_enabled(s, who); moves++) {
                assert_true(moves < PATIENCE);
                small_go(s, who);
                count_io(s, t);
                assert_int_equal(small_count(s, EFFECT_FINDING), 0);
            }
    } while (moves != before);
}

static void reads_and_writes_of_a_row_are_those_of_the_worked_counts(void **state)
{
    /* Breaks when rmw and rcw are counted, compared or carried out otherwise than in 2.6.15: a tie
     * goes to rcw, a missing block costs 2n, parity counts in rmw though it is missing. Row 0 of n
     * members: data in 0 .. n-2, parity in n-1. */
    static const struct {
        uint8_t disks, failed; /* 1 + the missing member */
        uint8_t written;       /* pages, as bits of their members */
        uint8_t half;          /* the first half of each only */
        uint8_t reads, writes; /* members */
    } table[] = {
        { 5, 0, 0x01, 0, 0x11, 0x11 }, /* rmw 2, rcw 3 */
        { 5, 0, 0x03, 0, 0x0c, 0x13 }, /* rmw 3, rcw 2 */
        { 5, 0, 0x07, 0, 0x08, 0x17 }, /* rmw 4, rcw 1 */
        { 5, 0, 0x0f, 0, 0x00, 0x1f }, /* rcw 0: at once */
        { 3, 0, 0x01, 0, 0x02, 0x05 }, /* rmw 2, rcw 1 */
        { 4, 0, 0x01, 0, 0x06, 0x09 }, /* rmw 2, rcw 2 */
        { 2, 0, 0x01, 0, 0x00, 0x03 }, /* rmw 2, rcw 0 */
        { 5, 0, 0x01, 1, 0x11, 0x11 }, /* rmw 2, rcw 4 */
        { 4, 0, 0x01, 1, 0x09, 0x09 }, /* rmw 2, rcw 3 */
        { 3, 0, 0x01, 1, 0x03, 0x05 }, /* its own page is read first: then rmw 1, rcw 1 */
        { 5, 1, 0x01, 0, 0x0e, 0x10 }, /* to the missing member: rmw 11, rcw 3 */
        { 5, 1, 0x01, 1, 0x1e, 0x10 }, /* its old page has to be computed first */
        { 5, 2, 0x01, 0, 0x11, 0x11 }, /* another one is missing: rmw 2, rcw 12 */
        { 5, 2, 0x0d, 0, 0x1d, 0x1d }, /* and all others are written: rmw 4, rcw 10 */
        { 5, 5, 0x01, 0, 0x0e, 0x01 }, /* parity is missing: rmw 11, rcw 3 for nothing */
    };

    (void)state;
    for (unsigned n = 0; n < sizeof table / sizeof table[0]; n++) {
        struct small *s = array((struct small_plan){
            .clients = 4, .disks = table[n].disks, .failed = table[n].failed });
        struct traffic t = { 0 };
        unsigned writers = 0;

        for (unsigned d = 0; d + 1u < table[n].disks; d++)
            if (table[n].written & 1u << d) {
                small_ask(s, (actor_id)writers, small_sector(s, d, 0), table[n].half ? 4 : 8, true);
                run_counting(s, (actor_id)writers++, CLIENT_BIAS, &t); /* all in, still plugged */
            }
        settle_counting(s, &t);
        if (t.read != table[n].reads || t.written != table[n].writes)
            fail_msg("row %u of the table: members read 0x%llx, written 0x%llx", n,
                     (unsigned long long)t.read, (unsigned long long)t.written);
        assert_int_equal(t.reads, __builtin_popcountll(t.read));
        assert_int_equal(t.writes, __builtin_popcountll(t.written));
        assert_int_equal(!!(row(s, 0)->state & STRIPE_DEGRADED),
                         table[n].failed && (table[n].written | 1u << (table[n].disks - 1)) >>
                                                    (table[n].failed - 1) &
                                                1u);
        small_free(s);
    }
}

static void a_full_row_is_written_by_the_submitter_of_its_last_page(void **state)
{
    /* Breaks when a write that needs no read waits for raid5d or for permission. */
    struct small *s = array((struct small_plan){ .clients = 2 });

    (void)state;
    small_ask(s, 0, 0, 8, true);
    small_run(s, 0, CLIENT_BIAS);
    assert_int_equal(disk_see(s->w, 0)->queued + disk_see(s->w, 1)->queued, 0);
    assert_int_equal(row(s, 0)->list, LIST_DELAYED);
    small_ask(s, 1, small_sector(s, 1, 0), 8, true);
    small_run(s, 1, CLIENT_HANDLE);
    assert_int_equal(array_see(s->w, 0)->preread_active, 0);
    small_go(s, 1);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 3);
    assert_int_equal(small_units(s, WORK_XOR_LINE), 2 * PAGE_BYTES / 64);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void a_write_that_needs_reads_waits_until_the_array_is_unplugged(void **state)
{
    /* Breaks when raid5d activates delayed stripes under a plug (10.1), or when nobody does. */
    struct small *s = array((struct small_plan){ .clients = 2, .disks = 5 });
    actor_id raid5d = actor_raid5d(&s->w->shape);

    (void)state;
    small_ask(s, 0, 0, 8, true);
    small_run(s, 0, CLIENT_UNPLUG);
    small_go(s, raid5d);
    small_run(s, raid5d, RAID5D_SLEEP);
    assert_int_equal(small_listed(s, LIST_DELAYED), 1);
    assert_true(row(s, 0)->state & STRIPE_DELAYED);
    small_go(s, 0);
    assert_int_equal(small_listed(s, LIST_DELAYED), 0);
    assert_true(row(s, 0)->state & STRIPE_PREREAD_ACTIVE);
    assert_false(row(s, 0)->state & STRIPE_DELAYED);
    small_run(s, raid5d, RAID5D_RELEASE);
    assert_int_equal(disk_see(s->w, 0)->queued + disk_see(s->w, 4)->queued, 2);
    assert_null(invariants_broken(s->w));
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void the_next_generation_waits_until_the_last_has_read(void **state)
{
    /* Breaks when delayed stripes are activated one by one, or before everybody who has permission
     * has given it up (3.10, IO_THRESHOLD). */
    struct small *s = array((struct small_plan){ .clients = 4, .disks = 5 });
    actor_id raid5d = actor_raid5d(&s->w->shape);

    (void)state;
    for (actor_id c = 0; c < 2; c++) {
        small_ask(s, c, small_sector(s, 0, c), 8, true);
        small_run(s, c, CLIENT_UNPLUG);
    }
    small_go(s, 0); /* both rows are activated */
    assert_int_equal(array_see(s->w, 0)->preread_active, 2);
    small_run(s, raid5d, RAID5D_PICK);
    small_run(s, raid5d, RAID5D_SLEEP);
    for (actor_id c = 2; c < 4; c++)
        small_submit(s, c, small_sector(s, 0, c), 8, true);
    assert_int_equal(small_listed(s, LIST_DELAYED), 2);
    for (uint64_t page = 0; page < 2; page++) {
        stripe_id id = small_find(s, page);

        assert_int_equal(small_listed(s, LIST_DELAYED), 2);
        for (unsigned d = 0; d < 5; d++)
            if (io_see(s->w, io_of_slot(s->w, id, d))->state == IO_QUEUED) {
                small_fire(s, actor_disk(&s->w->shape, d), io_of_slot(s->w, id, d));
                small_go(s, actor_completion(&s->w->shape, d));
            }
        small_go(s, raid5d);
        small_run(s, raid5d, RAID5D_SLEEP);
    }
    small_go(s, raid5d); /* woken when permission was given up */
    small_go(s, raid5d);
    assert_int_equal(small_listed(s, LIST_DELAYED), 0);
    assert_int_equal(array_see(s->w, 0)->preread_active, 2);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

/* Lets a member I/O of the first row end, and raid5d look. */
static void end_one(struct small *s, unsigned disk)
{
    actor_id raid5d = actor_raid5d(&s->w->shape);

    small_go(s, actor_disk(&s->w->shape, disk));
    small_go(s, actor_completion(&s->w->shape, disk));
    if (!small_enabled(s, raid5d))
        return;
    small_go(s, raid5d);
    small_run(s, raid5d, RAID5D_SLEEP);
}

static void a_write_ends_when_its_page_and_parity_are_down_whichever_comes_first(void **state)
{
    /* Breaks when a write is acknowledged that one lost member could take back (D5). */
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        struct small *s = array((struct small_plan){ .disks = 2, .bio_sectors = 16 });
        unsigned parity = geometry_parity(&s->w->shape.geometry, 0);

        small_submit(s, 0, 0, 8, true);
        assert_int_equal(disk_see(s->w, 0)->queued + disk_see(s->w, 1)->queued, 2);
        end_one(s, first ? parity : !parity);
        s->e.count = 0;
        handle_stripe(s->w, 0, small_find(s, 0), &s->e); /* as another submitter's pass */
        assert_int_equal(client_see(s->w, 0)->done_head, NONE16);
        end_one(s, first ? !parity : parity);
        assert_int_equal(client_see(s->w, 0)->done_head, 0);
        assert_int_equal(small_settle(s), 0);
        small_free(s);
    }
}

static void a_write_to_a_page_on_its_way_waits_and_then_follows(void **state)
{
    /* Breaks when a page is changed while it is being written, when written bios count as overlap,
     * or when the second write is forgotten. */
    struct small *s = array((struct small_plan){ .clients = 3, .disks = 2 });

    (void)state;
    small_submit(s, 0, 0, 8, true);
    small_submit(s, 1, 0, 8, true);
    assert_int_equal(actor_see(s->w, 1)->pc, CLIENT_TURN); /* attached, not asleep */
    assert_true(slot_see(s->w, small_find(s, 0), 0)->towrite != NONE32);
    end_one(s, 0);
    assert_true(slot_see(s->w, small_find(s, 0), 0)->towrite != NONE32);
    end_one(s, 1);
    assert_int_equal(slot_see(s->w, small_find(s, 0), 0)->towrite, NONE32);
    assert_int_equal(disk_see(s->w, 0)->queued + disk_see(s->w, 1)->queued, 2);
    assert_int_equal(small_settle(s), 0);
    small_submit(s, 2, 0, 8, false);
    assert_int_equal(small_settle(s), 0); /* the oracle: the second write's contents */
    small_free(s);
}

static void a_reader_gets_what_is_still_being_written(void **state)
{
    /* Breaks when a page that is up to date and on its way is not served, or is read again. */
    struct small *s = array((struct small_plan){ .clients = 2, .disks = 2 });

    (void)state;
    small_submit(s, 0, 0, 8, true);
    small_ask(s, 1, 0, 8, false);
    small_run(s, 1, CLIENT_HANDLE);
    small_go(s, 1);
    assert_int_equal(small_units(s, WORK_COPY_LINE), PAGE_BYTES / 64);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 0);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void overlapping_writes_wait_until_the_first_is_taken(void **state)
{
    /* Breaks when the overlap rule looks at readers, or leaves the sleeper asleep when the pending
     * write goes into its page. */
    struct small *s = array((struct small_plan){ .clients = 3, .disks = 5 });
    actor_id raid5d = actor_raid5d(&s->w->shape);

    (void)state;
    small_submit(s, 0, 0, 8, true);
    small_submit(s, 1, 4, 4, false); /* a reader does not clash with a pending write */
    assert_int_equal(actor_see(s->w, 1)->pc, CLIENT_TURN);
    small_submit(s, 2, 4, 4, true);
    assert_true(actor_see(s->w, 2)->asleep);
    assert_int_equal(actor_see(s->w, 2)->waits_on, WAIT_OVERLAP);
    for (unsigned n = 0; actor_see(s->w, 2)->asleep; n++) {
        assert_true(n < PATIENCE);
        small_serve(s);
        small_go(s, raid5d);
    }
    assert_int_equal(actor_see(s->w, raid5d)->pc, RAID5D_RELEASE);
    assert_true(small_woke(s, 2));
    assert_true(slot_see(s->w, small_find(s, 0), 0)->written != NONE32);
    assert_null(invariants_broken(s->w));
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 2)->in_flight, 0);
    small_free(s);
}

static void small_writes_that_cover_a_page_together_overwrite_it_for_good(void **state)
{
    /* Breaks when only one large bio counts as overwriting, when a gap does not matter, or when the
     * flag goes with the write (4.5). */
    struct small *s = array((struct small_plan){ .clients = 3, .disks = 5, .tags_per_page = 8 });
    const uint64_t from[] = { 0, 6, 3 }, length[] = { 3, 2, 3 };

    (void)state;
    for (actor_id c = 0; c < 3; c++) {
        stripe_id id;

        small_ask(s, c, from[c], (uint32_t)length[c], true);
        small_run(s, c, CLIENT_BIAS);
        id = small_find(s, 0);
        assert_int_equal(!!(slot_see(s->w, id, 0)->flags & SLOT_OVERWRITE), c == 2);
    }
    assert_int_equal(small_settle(s), 0);
    assert_true(slot_see(s->w, small_find(s, 0), 0)->flags & SLOT_OVERWRITE);
    small_free(s);
}

static void with_two_members_missing_writes_fail_and_what_is_there_is_read(void **state)
{
    /* Breaks when such a write hangs, is acknowledged, or takes the healthy members' readers with
     * it (step 3). */
    struct small *s = array((struct small_plan){ .clients = 4, .disks = 4, .failed = 1 });
    static const unsigned at[] = { 0, 1, 2, 2 };
    static const bool writes[] = { false, true, true, false },
                      fails[] = { true, true, true, false };

    (void)state;
    disk_at(s->w, 1)->flags &= ~(uint32_t)MEMBER_IN_SYNC;
    for (actor_id c = 0; c < 4; c++) {
        small_ask(s, c, small_sector(s, at[c], 0), 8, writes[c]);
        small_run(s, c, CLIENT_UNPLUG);
        small_serve(s);
        small_run(s, c, CLIENT_TURN);
        if (!fails[c]) {
            small_go(s, actor_raid5d(&s->w->shape));
            small_run(s, actor_raid5d(&s->w->shape), RAID5D_SLEEP);
        }
        assert_int_equal(client_see(s->w, c)->done_head, c);
        assert_int_equal(request_see(s->w, c)->failed, fails[c]);
    }
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(array_see(s->w, 0)->active, 0);
    assert_null(invariants_broken(s->w));
    small_free(s);
}

/* The xor over a row of one sector group. */
static tag row_sum(struct small *s)
{
    uint32_t page = (uint32_t)(s->w->count[SEC_TAGS] / s->w->shape.tags_per_page) - 1;
    tag sum = 0;

    for (unsigned d = 0; d < s->plan.disks; d++) {
        media_read(s->w, d, 0, s->w->shape.group_sectors, page);
        sum ^= *tags_at(s->w, (uint64_t)page * s->w->shape.tags_per_page);
    }
    return sum;
}

/* Puts a wrong parity on row 0. */
static void spoil(struct small *s, tag error)
{
    unsigned parity = geometry_parity(&s->w->shape.geometry, 0);

    media_read(s->w, parity, 0, PAGE_SECTORS, 0);
    *tags_at(s->w, 0) ^= error;
    media_write(s->w, parity, 0, PAGE_SECTORS, 0, true);
    for (unsigned g = 0; g < s->w->shape.tags_per_page; g++)
        *tags_at(s->w, g) = 0;
}

static void read_modify_write_carries_a_wrong_parity_on_and_reconstruct_write_mends_it(void **state)
{
    /* Breaks when parity that was never checked is distrusted: 2.6.15 does not (B13). Five members:
     * one page is an rmw, two are an rcw. */
    struct small *s = array((struct small_plan){ .clients = 4, .disks = 5 });
    const tag error = 42;

    (void)state;
    spoil(s, error);
    assert_true(row_sum(s) == error);
    small_submit(s, 0, 0, 8, true);
    assert_int_equal(small_settle(s), 0);
    assert_true(row_sum(s) == error);
    small_submit(s, 0, 0, 24, true); /* three pages: rcw, with the cached one */
    assert_int_equal(small_settle(s), 0);
    assert_true(row_sum(s) == 0);
    small_free(s);
}

static void the_resync_thread_handles_its_stripe_itself(void **state)
{
    /* Breaks when the first pass is left to raid5d, as later versions do (11.3). */
    struct small *s = array((struct small_plan){ .disks = 4, .sync = SYNC_CHECK });
    actor_id resync = actor_resync(&s->w->shape);

    (void)state;
    small_run(s, resync, RESYNC_HANDLE);
    assert_true(row(s, 0)->state & STRIPE_SYNCING);
    assert_int_equal(array_see(s->w, 0)->recovery_active, PAGE_SECTORS);
    small_go(s, resync);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 4);
    assert_int_equal(io_see(s->w, io_of_slot(s->w, small_find(s, 0), 2))->issuer, resync);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(array_see(s->w, 0)->recovery_active, 0);
    small_free(s);
}

static void the_resync_thread_unplugs_the_members_before_it_sleeps(void **state)
{
    /* Breaks when what it waits for sits in plugged queues (3.6, 3c). */
    struct small *s = array(
        (struct small_plan){ .disks = 4, .stripes = 1, .active_limit = 100, .sync = SYNC_CHECK });
    actor_id resync = actor_resync(&s->w->shape);

    (void)state;
    small_submit(s, 0, small_sector(s, 0, 1), 8, false);
    small_run(s, resync, RESYNC_RETRY);
    assert_true(actor_see(s->w, resync)->asleep);
    assert_int_equal(small_count(s, EFFECT_UNPLUG), 1);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(actor_see(s->w, resync)->pc, RESYNC_START);
    assert_int_equal(array_see(s->w, 0)->sync, SYNC_IDLE);
    small_free(s);
}

static void a_check_does_not_see_the_parity_of_a_row_whose_data_are_cached(void **state)
{
    /* Breaks when parity is read though it could be computed: 2.6.15 computes any block if all
     * others are here (step 5), and finds what it has just computed right. */
    (void)state;
    for (unsigned cached = 2; cached <= 3; cached++) {
        struct small *s = array((struct small_plan){ .disks = 4, .rows = 1, .sync = SYNC_CHECK });

        spoil(s, 42);
        for (unsigned d = 0; d < cached; d++) {
            small_ask(s, 0, small_sector(s, d, 0), 8, false);
            small_run(s, 0, CLIENT_TURN);
            small_serve(s);
            small_run(s, actor_raid5d(&s->w->shape), RAID5D_RELEASE);
            small_run(s, actor_raid5d(&s->w->shape), RAID5D_SLEEP);
            small_go(s, 0);
        }
        assert_int_equal(small_settle(s), 0);
        assert_int_equal(array_see(s->w, 0)->mismatches, cached < 3 ? PAGE_SECTORS : 0);
        small_free(s);
    }
}

static void a_pass_that_does_everything_at_once_stays_within_its_effects(void **state)
{
    /* Breaks when a step reports more than effects_needed() promises: each sector of each page of a
     * stripe of twenty members has a reader, a written bio that has arrived, and a waiting one. */
    enum { PAGES = 19, BIOS = PAGES * 8 };
    struct small *s = array((struct small_plan){ .disks = 20,
                                                 .depth = 3 * BIOS,
                                                 .tags_per_page = 8,
                                                 .stripes = 2,
                                                 .rows = 2,
                                                 .max_pages = 1 });
    actor_id raid5d = actor_raid5d(&s->w->shape);

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned b = 0; b < BIOS; b++)
            small_submit(s, 0, small_sector(s, b / 8, 0) + b % 8, 1, true);
        if (n)
            break;
        small_serve(s); /* what partial writes wanted to see first */
        small_go(s, raid5d);
        small_run(s, raid5d, RAID5D_SLEEP);
        assert_int_equal(disk_see(s->w, 19)->queued, 1);
    }
    for (unsigned d = 0; d < PAGES; d++) /* so that readers wait */
        slot_at(s->w, small_find(s, 0), d)->flags &= ~(uint32_t)SLOT_UPTODATE;
    for (unsigned b = 0; b < BIOS; b++)
        small_submit(s, 0, small_sector(s, b / 8, 0) + b % 8, 1, false);
    for (unsigned d = 0; d < PAGES; d++)
        slot_at(s->w, small_find(s, 0), d)->flags |= SLOT_UPTODATE;
    small_serve(s);
    small_go(s, raid5d);
    small_run(s, raid5d, RAID5D_RELEASE);
    assert_int_equal(small_count(s, EFFECT_REPLY), 2 * BIOS);
    assert_int_equal(small_units(s, WORK_COPY_CALL), 2 * BIOS);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 20);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 0)->in_flight, 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_of_a_row_are_those_of_the_worked_counts),
        cmocka_unit_test(a_full_row_is_written_by_the_submitter_of_its_last_page),
        cmocka_unit_test(a_write_that_needs_reads_waits_until_the_array_is_unplugged),
        cmocka_unit_test(the_next_generation_waits_until_the_last_has_read),
        cmocka_unit_test(a_write_ends_when_its_page_and_parity_are_down_whichever_comes_first),
        cmocka_unit_test(a_write_to_a_page_on_its_way_waits_and_then_follows),
        cmocka_unit_test(a_reader_gets_what_is_still_being_written),
        cmocka_unit_test(overlapping_writes_wait_until_the_first_is_taken),
        cmocka_unit_test(small_writes_that_cover_a_page_together_overwrite_it_for_good),
        cmocka_unit_test(with_two_members_missing_writes_fail_and_what_is_there_is_read),
        cmocka_unit_test(
            read_modify_write_carries_a_wrong_parity_on_and_reconstruct_write_mends_it),
        cmocka_unit_test(the_resync_thread_handles_its_stripe_itself),
        cmocka_unit_test(the_resync_thread_unplugs_the_members_before_it_sleeps),
        cmocka_unit_test(a_check_does_not_see_the_parity_of_a_row_whose_data_are_cached),
        cmocka_unit_test(a_pass_that_does_everything_at_once_stays_within_its_effects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
