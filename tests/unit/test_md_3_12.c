/* What md-3.12 does otherwise than md-6.1 on the way to handle_stripe: bios, bypass, plugs, lists
 * of stripes, flushes, locks (spec 3.6, 3.8, 4.2, 4.4). Each claim is tried with its switch and
 * without. */
#include "model/invariants.h"
#include "tests/lib/small_scenario.h"
#include "tests/lib/small_world.h"

#include "model/members.h"
#include "model/queue.h"
#include "sim/simulation.h"

static struct small *array(struct small_plan p)
{
    p.level = LEVEL_RAID5;
    p.later = p.written = 1;
    p.wake_policy = WAKE_ALL;
    p.rmw_level = 1;
    return small_new(p);
}

/* ---- the walk through a bio's pages */

/* Four pages over two data disks, both pages of each in stripes 0 and 1. */
static struct small *two_chunks(bool page_attach)
{
    struct small *s = array((struct small_plan){
        .disks = 3, .chunk_pages = 2, .max_pages = 8, .bio_sectors = 64, .stripes = 8 });

    s->w->shape.page_attach = page_attach;
    s->w->shape.bio_cut = CUT_NONE;
    small_ask(s, 0, 0, 4 * PAGE_SECTORS, true);
    return s;
}

static unsigned attached_to(const struct small *s, uint64_t page)
{
    unsigned n = 0;

    for (unsigned d = 0; d < s->plan.disks; d++)
        n += slot_see(s->w, small_find(s, page), d)->towrite != NONE32;
    return n;
}

static void a_bio_is_attached_page_by_page_in_order(void **state)
{
    /* Breaks when a stripe takes more than the page the walk is at, or the walk begins at the next
     * chunk, as from 6.0 on. */
    static const uint64_t stripes[] = { 0, 1, 0, 1 };
    struct small *s = two_chunks(true);

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        small_run(s, 0, CLIENT_ADD);
        assert_int_equal(stripe_see(s->w, actor_see(s->w, 0)->stripe)->sector,
                         stripes[n] * PAGE_SECTORS);
        small_go(s, 0);
        assert_int_equal(attached_to(s, stripes[n]), 1 + n / 2);
    }
    small_run(s, 0, CLIENT_TURN);
    assert_int_equal(small_settle(s), 0);
    small_free(s);

    s = two_chunks(false);
    small_run(s, 0, CLIENT_HAND_OVER);
    assert_int_equal(attached_to(s, 0), 2);
    small_free(s);
}

/* Bios of an I/O of two chunks. */
static unsigned bios_of(enum bio_cut cut, bool write)
{
    struct small *s = array((struct small_plan){
        .disks = 3, .chunk_pages = 2, .max_pages = 8, .bio_sectors = 64, .stripes = 8 });
    unsigned bios;

    s->w->shape.bio_cut = (uint8_t)cut;
    small_ask(s, 0, 0, 4 * PAGE_SECTORS, write);
    bios = request_see(s->w, actor_see(s->w, 0)->request)->bios;
    small_free(s);
    return bios;
}

static void the_merge_rule_ends_all_bios_at_chunks(void **state)
{
    /* Breaks when writes are not cut, too, or without the rule anything is. */
    (void)state;
    assert_int_equal(bios_of(CUT_ALL, false), 2);
    assert_int_equal(bios_of(CUT_ALL, true), 2);
    assert_int_equal(bios_of(CUT_FOR_BYPASS, false), 2);
    assert_int_equal(bios_of(CUT_FOR_BYPASS, true), 1);
    assert_int_equal(bios_of(CUT_NONE, false), 1);
    assert_int_equal(bios_of(CUT_NONE, true), 1);
}

/* ---- the bypass */

struct bypass_case {
    uint8_t failed;   /* 1 + the missing member */
    uint8_t degraded; /* bypass_degraded */
    uint8_t most;     /* pages, 0: any */
    uint8_t rebuilt;  /* member 0 is being rebuilt; pages that are done */
    uint8_t first, pages;
    bool bypasses;
};

/* Row 0 of three members, chunks of two pages: member 0 holds pages 0 and 1, member 1 2 and 3. */
static const struct bypass_case bypasses[] = {
    { 0, 0, 0, 0, 0, 2, true },  { 2, 1, 0, 0, 0, 2, true },  { 2, 0, 0, 0, 0, 2, false },
    { 1, 1, 0, 0, 0, 2, false }, { 1, 1, 0, 0, 2, 2, true },  { 0, 0, 1, 0, 0, 2, false },
    { 0, 0, 1, 0, 0, 1, true },  { 0, 0, 2, 0, 0, 2, true },  { 0, 0, 0, 0, 1, 2, false },
    { 1, 1, 0, 1, 0, 1, true },  { 1, 1, 0, 1, 0, 2, false }, { 1, 0, 0, 2, 0, 2, false },
};

static void a_read_bypasses_the_cache_where_its_member_has_it(void **state)
{
    /* Breaks when a degraded array sends every read through the cache, as from 4.2 on; when a read
     * goes to a member that is missing or not rebuilt so far; when one that crosses a chunk, or is
     * beyond the member queue's limits, bypasses. */
    (void)state;
    for (unsigned n = 0; n < sizeof bypasses / sizeof *bypasses; n++) {
        const struct bypass_case *c = &bypasses[n];
        struct small *s = array((struct small_plan){ .disks = 3,
                                                     .chunk_pages = 2,
                                                     .max_pages = 8,
                                                     .bio_sectors = 64,
                                                     .stripes = 8,
                                                     .bypass = 1,
                                                     .failed = c->failed });

        s->w->shape.bio_cut = CUT_NONE;
        s->w->shape.bypass_degraded = c->degraded;
        s->w->shape.bypass_most = c->most * PAGE_SECTORS;
        if (c->rebuilt) {
            disk_at(s->w, 0)->flags = MEMBER_PRESENT;
            disk_at(s->w, 0)->recovery_offset = c->rebuilt * PAGE_SECTORS;
        }
        small_ask(s, 0, c->first * PAGE_SECTORS, c->pages * PAGE_SECTORS, false);
        if ((actor_see(s->w, 0)->pc == CLIENT_DIRECT) != c->bypasses)
            fail_msg("case %u", n);
        small_free(s);
    }
}

/* ---- plugs and REQ_SYNC */

static void every_direct_io_plugs(void **state)
{
    /* Breaks when a read of one bio hands its stripe over before it has all been submitted. */
    (void)state;
    for (unsigned all = 0; all < 2; all++) {
        struct small *s = array((struct small_plan){ .disks = 3 });

        s->w->shape.plug_all = (uint8_t)all;
        small_ask(s, 0, 0, PAGE_SECTORS, false);
        assert_int_equal(client_see(s->w, 0)->plugging, all);
        small_run(s, 0, CLIENT_UNPLUG);
        assert_int_equal(array_see(s->w, 0)->released == NONE16, all);
        small_run(s, 0, CLIENT_TURN);
        assert_int_equal(small_settle(s), 0);
        small_free(s);
    }
}

static void a_read_that_is_waited_for_takes_no_permission(void **state)
{
    /* Breaks when a plain READ counts as REQ_SYNC: delayed writes would wait for it. */
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct small *s = array((struct small_plan){ .disks = 3 });

        s->w->shape.no_sync_reads = (uint8_t)old;
        small_fire(s, 0, request_name(0, PAGE_SECTORS, REQUEST_WAITED));
        small_run(s, 0, CLIENT_BIAS);
        assert_int_equal(array_see(s->w, 0)->preread_active, !old);
        small_free(s);
    }
}

/* ---- the list of released stripes */

static void every_reference_goes_by_way_of_the_list(void **state)
{
    /* Breaks when a reference that is not the last is dropped at once, or one stripe goes on the
     * list twice, or the reference on the list is lost. */
    struct small *s = array((struct small_plan){ .disks = 3 });
    stripe_id id;

    (void)state;
    s->w->shape.release_every = 1;
    s->e.count = 0;
    cache_lookup(s->w, 0, geometry_parity(&s->w->shape.geometry, 0), &id, &s->e);
    stripe_at(s->w, id)->count = 3;
    queue_release(s->w, id, &s->e);
    assert_int_equal(stripe_see(s->w, id)->count, 3);
    assert_int_equal(array_see(s->w, 0)->released, id);
    assert_true(array_see(s->w, 0)->raid5d_wanted);
    queue_release(s->w, id, &s->e);
    assert_int_equal(stripe_see(s->w, id)->count, 2);
    assert_int_equal(queue_drain(s->w, &s->e), 1);
    assert_int_equal(stripe_see(s->w, id)->count, 1);
    assert_int_equal(array_see(s->w, 0)->active, 1);
    queue_release(s->w, id, &s->e);
    assert_int_equal(queue_drain(s->w, &s->e), 1);
    assert_int_equal(array_see(s->w, 0)->active, 0);
    small_free(s);
}

/* A read is served by a pass whose operation, the copy, has ended; then the batch is let go. */
static void an_operation_lets_go_by_way_of_the_list(void **state)
{
    /* Breaks when an operation's end drops its reference at once. */
    (void)state;
    for (unsigned every = 0; every < 2; every++) {
        struct small *s = array((struct small_plan){ .disks = 3 });
        actor_id raid5d = actor_raid5d(&s->w->shape);
        unsigned replies = 0;

        s->w->shape.release_every = (uint8_t)every;
        small_submit(s, 0, 0, PAGE_SECTORS, false);
        while (!replies) {
            small_serve(s);
            small_go(s, raid5d);
            replies = small_count(s, EFFECT_REPLY);
        }
        assert_int_equal(actor_see(s->w, raid5d)->pc, RAID5D_DONE);
        assert_int_equal(array_see(s->w, 0)->released != NONE16, every);
        assert_int_equal(stripe_see(s->w, small_find(s, 0))->count, 1 + every);
        assert_int_equal(small_settle(s), 0);
        assert_int_equal(array_see(s->w, 0)->active, 0);
        small_free(s);
    }
}

/* ---- a quiesced array */

static void a_quiesced_array_keeps_its_callers_on_the_one_queue(void **state)
{
    /* Breaks when they sleep where nobody wakes them. */
    (void)state;
    for (unsigned one = 0; one < 2; one++) {
        struct small *s = array((struct small_plan){ .disks = 3 });

        s->w->shape.one_wait_queue = (uint8_t)one;
        array_at(s->w, 0)->quiesce = 1;
        small_submit(s, 0, 0, PAGE_SECTORS, true);
        assert_int_equal(actor_see(s->w, 0)->waits_on, one ? WAIT_STRIPE : WAIT_QUIESCE);
        array_at(s->w, 0)->quiesce = 0;
        s->e.count = 0;
        waits_wake_all(s->w, waits_for_quiet(&s->w->shape), &s->e);
        small_run(s, 0, CLIENT_TURN);
        assert_int_equal(small_settle(s), 0);
        small_free(s);
    }
}

/* ---- flushes */

static unsigned flushes_of_three(bool apart)
{
    struct small *s =
        array((struct small_plan){ .disks = 3, .clients = 3, .write_cache = 1, .bypass = 1 });
    unsigned flushes = 0;
    actor_id who;

    s->w->shape.flushes_apart = apart;
    for (who = 0; who < 3; who++) {
        small_fire(s, who, request_name(0, 0, REQUEST_FLUSH));
        small_go(s, who);
    }
    for (unsigned moves = 0; moves < 1000; moves++) {
        for (who = 0; who < s->w->shape.actors && !small_enabled(s, who);)
            who++;
        if (who == s->w->shape.actors)
            break;
        small_go(s, who);
        flushes += small_count(s, EFFECT_SUBMIT);
    }
    for (who = 0; who < 3; who++)
        assert_int_equal(client_see(s->w, who)->in_flight, 0);
    small_free(s);
    return flushes;
}

static void nobody_shares_a_flush(void **state)
{
    /* Breaks when who waited for a flush is served by the next one's: the first was sent before. */
    (void)state;
    assert_int_equal(flushes_of_three(true), 2 * 3);
    assert_int_equal(flushes_of_three(false), 1 * 3);
}

/* ---- locks */

static uint64_t device_lock_rounds(unsigned lookup_lock)
{
    struct scenario *s = small_scenario(LEVEL_RAID5);
    struct timed t;
    uint64_t rounds;

    s->driver.generation = GENERATION_61;
    s->driver.lookup_lock = lookup_lock;
    s->driver.array_plug = 0;
    s->job[0].iodepth = 1;
    rounds = timed_results(&t, s)->lock[0].acquisitions;
    timed_free(&t);
    return rounds;
}

static void lookups_take_device_lock(void **state)
{
    /* Breaks when get_active_stripe goes by a hash lock, which came with 3.13. */
    (void)state;
    assert_true(device_lock_rounds(1) > device_lock_rounds(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bio_is_attached_page_by_page_in_order),
        cmocka_unit_test(the_merge_rule_ends_all_bios_at_chunks),
        cmocka_unit_test(a_read_bypasses_the_cache_where_its_member_has_it),
        cmocka_unit_test(every_direct_io_plugs),
        cmocka_unit_test(a_read_that_is_waited_for_takes_no_permission),
        cmocka_unit_test(every_reference_goes_by_way_of_the_list),
        cmocka_unit_test(an_operation_lets_go_by_way_of_the_list),
        cmocka_unit_test(a_quiesced_array_keeps_its_callers_on_the_one_queue),
        cmocka_unit_test(nobody_shares_a_flush),
        cmocka_unit_test(lookups_take_device_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
