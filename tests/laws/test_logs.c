/*
 * Laws of arrays with a log between parity and members:
 *
 *   G1 in whatever order everybody moves, all I/Os end, reads return what was written, and at rest
 * parity is right; G2 a member is sent data or parity of a stripe only after the log has the
 * stripe; G3 all this though a member fails on the way: what it held can be made from the others;
 *   G4 at rest nothing is left in a log that waits.
 */
#include "tests/lib/walk.h"

#include <string.h>

#include "model/journal.h"
#include "model/log.h"
#include "model/media.h"
#include "model/members.h"
#include "model/ppl.h"
#include "model/invariants.h"

static const struct small_plan plans[] = {
    { .stripes = 4, .clients = 3, .rmw_level = 1 },
    { .stripes = 2, .clients = 4, .rmw_level = 1, .active_limit = 100 },
    { .stripes = 8, .clients = 3, .disks = 4, .rmw_level = 1, .chunk_pages = 4, .rows = 2 },
    { .stripes = 12, .clients = 4, .depth = 2, .disks = 5, .rmw_level = 2, .tags_per_page = 4 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 0, .tags_per_page = 8 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 1, .write_cache = 1 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 1, .bypass = 1, .write_cache = 1 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 1, .metadata = METADATA_12 },
    { .stripes = 6, .clients = 3, .rmw_level = 1, .workers = 2, .write_cache = 1 },
    { .stripes = 8,
      .clients = 4,
      .disks = 4,
      .chunk_pages = 8,
      .rows = 1,
      .max_pages = 24,
      .bio_sectors = 192,
      .rmw_level = 1,
      .workers = 3 },
    { .stripes = 40,
      .clients = 2,
      .depth = 6,
      .disks = 3,
      .chunk_pages = 64,
      .rows = 1,
      .max_pages = 12,
      .bio_sectors = 96,
      .rmw_level = 1 },
};
enum { PLANS = 2 * sizeof plans / sizeof plans[0], WALKS = 60, REQUESTS = 10 };

/* The odd ones have a journal. */
static uint8_t log_of(unsigned n)
{
    return n % 2 ? LOG_JOURNAL : LOG_PPL;
}

static struct small *array_of(unsigned n, uint8_t sync)
{
    struct small_plan p = plans[n / 2];

    p.level = LEVEL_RAID5;
    p.later = p.written = 1;
    p.wake_policy = WAKE_ALL;
    p.log = log_of(n);
    p.sync = sync;
    return small_new(p);
}

/* The xor of one sector group over all members but one. */
static tag row_sum(struct small *s, uint64_t sector, unsigned leave_out)
{
    const struct shape *shape = &s->w->shape;
    uint32_t page = (uint32_t)(s->w->count[SEC_TAGS] / shape->tags_per_page) - 1;
    tag sum = 0;

    for (unsigned d = 0; d < shape->geometry.disks; d++) {
        tag *at = tags_at(s->w, (uint64_t)page * shape->tags_per_page);

        if (d == leave_out)
            continue;
        media_read(s->w, d, sector, shape->group_sectors, page);
        sum ^= at[sector / shape->group_sectors % shape->tags_per_page];
    }
    return sum;
}

static void row_is_right(struct small *s, uint64_t sector, unsigned lost)
{
    const struct geometry *g = &s->w->shape.geometry;
    uint64_t group;

    if (lost == NONE16) {
        assert_true(row_sum(s, sector, NONE16) == 0);
        return;
    }
    if (lost == geometry_parity(g, sector))
        return;
    group = geometry_unmap(g, sector, lost) / s->w->shape.group_sectors;
    assert_true(oracle_accepts(s->w, group, oracle_oldest(s->w, group), row_sum(s, sector, lost)));
}

/* G4 */
static void logs_are_idle(const struct small *s)
{
    for (unsigned d = 0; d < s->w->count[SEC_PPL]; d++) {
        const struct ppl *log = ppl_see(s->w, d);

        assert_int_equal(log->head, NONE16);
        assert_int_equal(log->writing, NONE16);
        assert_int_equal(log->unfinished, 0);
        assert_int_equal(log->flushes, 0);
        assert_true(log->at <= s->w->shape.log_sectors);
    }
    if (s->w->shape.log == LOG_JOURNAL) {
        assert_int_equal(journal_see(s->w, 0)->units, 0);
        assert_int_equal(journal_see(s->w, 0)->run, 0);
        assert_int_equal(journal_see(s->w, 0)->telling, 0);
        assert_int_equal(journal_see(s->w, 0)->waiting, NONE16);
        assert_int_equal(journal_see(s->w, 0)->done, journal_see(s->w, 0)->at);
    }
    for (stripe_id n = 0; n < s->w->shape.stripes; n++) {
        assert_int_equal(logged_see(s->w, n)->flags, 0);
        assert_int_equal(logged_see(s->w, n)->next, NONE16);
    }
}

static void is_at_rest(struct small *s, unsigned lost)
{
    assert_int_equal(array_see(s->w, 0)->active, 0);
    assert_int_equal(array_see(s->w, 0)->preread_active, 0);
    assert_int_equal(array_see(s->w, 0)->pending_full_writes, 0);
    assert_null(invariants_of_handlers(s->w));
    logs_are_idle(s);
    for (uint64_t sector = 0; sector < s->w->shape.geometry.component_sectors;
         sector += s->w->shape.group_sectors)
        row_is_right(s, sector, lost);
}

static void complain(const struct walk *k, const char *what)
{
    fail_msg("SEED=%llu, walk %llu, after move %llu: %s", (unsigned long long)walk_seed(),
             (unsigned long long)k->seed, (unsigned long long)k->moves, what);
}

/* G2, looked at right after the move that has queued the write. */
static void log_comes_first(const struct walk *k)
{
    const struct small *s = k->s;

    for (uint32_t i = 0; i < s->e.count && !log_has_failed(s->w); i++) {
        const struct io *r;
        stripe_id x;

        if (s->e.list[i].kind != EFFECT_SUBMIT)
            continue;
        r = io_see(s->w, s->e.list[i].amount);
        if (r->kind != IO_WRITE || (r->reason != REASON_DATA && r->reason != REASON_PARITY))
            continue;
        x = (stripe_id)io_place(s->w, s->e.list[i].amount);
        if (logged_see(s->w, x)->flags & LOGGED_TRAPPED)
            complain(k, "G2: written while it is on its way to the log");
        if (!(logged_see(s->w, x)->flags & LOGGED_IN_UNIT) && !array_see(s->w, 0)->degraded &&
            !(stripe_see(s->w, x)->state & STRIPE_SYNCING))
            complain(k, "G2: written before the log has it");
    }
}

static void watch(const struct walk *k, struct move m)
{
    const char *broken = invariants_of_handlers(k->s->w);

    (void)m;
    if (broken)
        complain(k, broken);
    log_comes_first(k);
}

static void writes_in_any_order_go_through_the_log_first(void **state)
{
    /* Breaks by a stripe that is written before its log write has ended, one that is never let go
     * by its io_unit, an io_unit that is never sent, a reference dropped twice. */
    uint64_t writes = 0, rounds = 0;

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small *s = array_of(p, SYNC_IDLE);
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, watch);
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            assert_int_equal(k.replies, REQUESTS * s->plan.clients);
            is_at_rest(s, NONE16);
            for (unsigned d = 0; d < s->w->count[SEC_PPL]; d++)
                writes += ppl_see(s->w, d)->at != 0;
            if (s->w->shape.log == LOG_JOURNAL)
                rounds += journal_see(s->w, 0)->checkpoint / s->w->shape.log_sectors;
            small_free(s);
        }
    assert_true(writes > PLANS * WALKS / 2);
    assert_true(rounds > PLANS * WALKS / 2); /* the log has been written over, and was full */
}

/* One member fails after so many moves. */
static void run_failing(struct walk *k, unsigned lost, uint64_t after)
{
    struct move m;

    while (walk_choose(k, &m)) {
        walk_fire(k, m);
        watch(k, m);
        if (k->moves == after) {
            k->s->e.count = 0;
            member_fail(k->s->w, lost, &k->s->e);
        }
    }
}

static void a_member_that_fails_on_the_way_can_be_made_from_the_others(void **state)
{
    /* Breaks by an io_unit that waits for a member that is gone, a stripe whose parity was left out
     * and whose data with it, a write that ends before it can be read back. */
    unsigned failed = 0;

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small *s = array_of(p, SYNC_IDLE);
            unsigned lost = n % s->plan.disks;
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            run_failing(&k, lost, 20 + dice_below(&k.dice, 600));
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            if (array_see(s->w, 0)->degraded) {
                is_at_rest(s, lost);
                failed++;
            } else {
                is_at_rest(s, NONE16);
            }
            small_free(s);
        }
    assert_true(failed > PLANS * WALKS / 2);
}

static void when_the_journal_fails_everybody_is_answered(void **state)
{
    /* Breaks by a stripe that waits for a log that is gone, and by a read that its failure spoils.
     */
    unsigned failed = 0;

    (void)state;
    for (unsigned p = 1; p < PLANS; p += 2)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small *s = array_of(p, SYNC_IDLE);
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            run_failing(&k, s->plan.disks, 20 + dice_below(&k.dice, 600));
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            assert_int_equal(array_see(s->w, 0)->active, 0);
            assert_null(invariants_of_handlers(s->w));
            failed += !member_alive(s->w, s->plan.disks);
            small_free(s);
        }
    assert_true(failed > PLANS / 2 * WALKS / 2);
}

static void a_pass_over_the_array_and_writes_do_not_disturb_each_other(void **state)
{
    /* Breaks by a stripe that the resync thread holds and the log, too. */
    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small *s = array_of(p, n % 2 ? SYNC_CHECK : SYNC_REPAIR);
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, watch);
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            assert_int_equal(array_see(s->w, 0)->mismatches, 0);
            is_at_rest(s, NONE16);
            small_free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_in_any_order_go_through_the_log_first),
        cmocka_unit_test(a_member_that_fails_on_the_way_can_be_made_from_the_others),
        cmocka_unit_test(when_the_journal_fails_everybody_is_answered),
        cmocka_unit_test(a_pass_over_the_array_and_writes_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
