/*
 * Law: writes of md-6.1, md-3.12 and md-2.6.15. Whatever order things happen in: every I/O is
 * answered, every read right; at rest parity holds in every row, nothing is held, and with a member
 * missing its blocks can be read from the others. Overlapping partial writes by several clients on
 * few pages, caches down to two stripe_heads, batches, rmw and rcw; raid5d alone, or workers beside
 * it.
 */
#include "tests/lib/walk.h"

#include "model/workers.h"
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static const struct small_plan plans[] = {
    { .stripes = 4, .clients = 3, .rmw_level = 1 },
    { .stripes = 4, .clients = 3, .depth = 2, .disks = 4, .rmw_level = 1, .tags_per_page = 4 },
    { .stripes = 4,
      .clients = 4,
      .disks = 5,
      .rmw_level = 1,
      .rows = 2,
      .max_pages = 8,
      .bio_sectors = 64 },
    { .stripes = 8,
      .clients = 3,
      .disks = 3,
      .chunk_pages = 4,
      .rows = 1,
      .max_pages = 8,
      .bio_sectors = 64 },
    { .stripes = 8,
      .clients = 2,
      .disks = 4,
      .chunk_pages = 2,
      .rows = 2,
      .max_pages = 12,
      .bio_sectors = 96,
      .rmw_level = 2 },
    { .stripes = 2, .clients = 4, .rmw_level = 1, .active_limit = 100 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 1, .failed = 1 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 0, .failed = 2, .tags_per_page = 4 },
    { .stripes = 6,
      .clients = 3,
      .disks = 5,
      .rmw_level = 1,
      .failed = 3,
      .tags_per_page = 8,
      .rows = 2 },
    { .stripes = 6,
      .clients = 3,
      .disks = 3,
      .chunk_pages = 2,
      .rmw_level = 2,
      .failed = 3,
      .max_pages = 6,
      .bio_sectors = 48 },
    { .level = LEVEL_RAID4, .stripes = 4, .clients = 3, .disks = 4, .rmw_level = 1, .bypass = 1 },
    { .stripes = 4, .clients = 3, .rmw_level = 1, .workers = 1 },
    { .stripes = 2, .clients = 4, .rmw_level = 1, .active_limit = 100, .workers = 2 },
    { .stripes = 12,
      .clients = 4,
      .depth = 2,
      .disks = 4,
      .rmw_level = 1,
      .rows = 8,
      .tags_per_page = 4,
      .workers = 3 },
    { .stripes = 8,
      .clients = 3,
      .disks = 3,
      .chunk_pages = 4,
      .rows = 1,
      .max_pages = 8,
      .bio_sectors = 64,
      .workers = 3,
      .defer = 1 },
    { .stripes = 12,
      .clients = 4,
      .disks = 4,
      .chunk_pages = 2,
      .rows = 3,
      .max_pages = 12,
      .bio_sectors = 96,
      .rmw_level = 2,
      .workers = 4,
      .defer = 1 },
    { .stripes = 6, .clients = 3, .disks = 4, .rmw_level = 1, .failed = 1, .workers = 2 },
    { .stripes = 6,
      .clients = 4,
      .disks = 4,
      .rmw_level = 1,
      .workers = 3,
      .metadata = METADATA_10 },
    { .stripes = 6,
      .clients = 4,
      .rmw_level = 1,
      .workers = 2,
      .defer = 1,
      .metadata = METADATA_12 },
    { .stripes = 6,
      .clients = 3,
      .disks = 5,
      .rmw_level = 1,
      .failed = 3,
      .tags_per_page = 8,
      .rows = 2,
      .workers = 3,
      .defer = 1 },
};
enum { PLANS = sizeof plans / sizeof plans[0], WALKS = 150, WATCHED = 30, REQUESTS = 10 };

enum version { MD_2615, MD_312, MD_61 };

static struct small *new_array(unsigned n, enum version v, uint8_t sync)
{
    struct small_plan p = plans[n];

    p.level = p.level ? p.level : LEVEL_RAID5;
    p.written = 1;
    p.later = v != MD_2615;
    p.rules_312 = v == MD_312;
    p.bypass |= v == MD_312 && n % 2;
    p.wake_policy = v == MD_2615 ? WAKE_GATED : WAKE_ALL;
    p.sync = sync;
    return small_new(p);
}

static struct small *array_of(unsigned n)
{
    return new_array(n, MD_61, SYNC_IDLE);
}

/* Puts a wrong parity on every row. */
static void spoil_parity(struct small *s)
{
    const struct geometry *g = &s->w->shape.geometry;

    for (uint64_t sector = 0; sector < g->component_sectors; sector += PAGE_SECTORS) {
        for (unsigned t = 0; t < s->w->shape.tags_per_page; t++)
            *tags_at(s->w, t) = sector * 8 + t + 1;
        media_write(s->w, geometry_parity(g, sector), sector, PAGE_SECTORS, 0, true);
    }
    for (unsigned t = 0; t < s->w->shape.tags_per_page; t++)
        *tags_at(s->w, t) = 0;
}

/* The xor over all members that are there, of one sector group. */
static tag row_sum(struct small *s, uint64_t sector, unsigned leave_out)
{
    const struct shape *shape = &s->w->shape;
    uint32_t page = (uint32_t)(s->w->count[SEC_TAGS] / shape->tags_per_page) -
                    1; /* the last caller's buffer: at rest nobody's */
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

static void row_is_right(struct small *s, uint64_t sector)
{
    const struct geometry *g = &s->w->shape.geometry;
    unsigned lost = s->plan.failed ? s->plan.failed - 1u : NONE16;
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

static void is_at_rest(struct small *s)
{
    const struct array *a = array_see(s->w, 0);

    assert_int_equal(a->active, 0);
    assert_int_equal(a->preread_active, 0);
    assert_int_equal(a->pending_full_writes, 0);
    assert_int_equal(a->released, NONE16);
    assert_int_equal(a->deferred, 0);
    assert_int_equal(a->deferred_at, NONE16);
    assert_null(invariants_of_handlers(s->w));
    for (unsigned n = 0; n < s->w->count[SEC_HANDLERS]; n++) {
        const struct handler idle = { .count = 0 };

        assert_memory_equal(handler_see(s->w, n), &idle, sizeof idle);
    }
    for (stripe_id n = 0; n < s->w->shape.stripes; n++) {
        const struct stripe *x = stripe_see(s->w, n);

        assert_int_equal(x->count, 0);
        assert_int_equal(x->batch_head, NONE16);
        assert_true(x->list >= LIST_INACTIVE);
        for (unsigned d = 0; d < s->w->shape.geometry.disks; d++)
            assert_false(slot_see(s->w, n, d)->flags &
                         (SLOT_LOCKED | SLOT_OVERLAP | SLOT_WANTDRAIN));
    }
    for (uint64_t sector = 0; sector < s->w->shape.geometry.component_sectors;
         sector += s->w->shape.group_sectors)
        row_is_right(s, sector);
}

static void watch(const struct walk *k, struct move m)
{
    const char *broken = invariants_of_handlers(k->s->w);

    if (broken)
        fail_msg("SEED=%llu, walk %llu, after move %llu (%s of actor %u): %s",
                 (unsigned long long)walk_seed(), (unsigned long long)k->seed,
                 (unsigned long long)k->moves, system_step(&system_md, k->s->w, m.who)->name, m.who,
                 broken);
}

struct tally {
    uint64_t batches, items, deferred;
};

static struct tally walk_all(enum version v)
{
    struct tally t = { 0 };

    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small *s = new_array(p, v, SYNC_IDLE);
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, n < WATCHED ? watch : NULL);
            walk_must_be_done(&k);
            if (k.findings)
                fail_msg("SEED=%llu, plan %u, walk %u: a wrong read",
                         (unsigned long long)walk_seed(), p, n);
            assert_int_equal(k.replies, REQUESTS * s->plan.clients);
            is_at_rest(s);
            t.batches += k.work[WORK_XOR_LINE];
            t.items += k.work[WORK_ITEM];
            t.deferred += k.work[WORK_COMPARE];
            small_free(s);
        }
    return t;
}

static void writes_in_any_order_leave_the_array_right(void **state)
{
    /* Breaks by a parity that misses a write, a page drained before its old contents were folded
     * out, a lost wake-up, a batch that does not break, a reference dropped twice. */
    struct tally t = walk_all(MD_61);

    (void)state;
    assert_true(t.batches > 0);
    assert_true(t.items > 1000);
    assert_true(t.deferred > 1000);
}

static void writes_of_3_12_in_any_order_leave_the_array_right(void **state)
{
    /* Breaks by a reference that stays on the list of released stripes, a page that is attached
     * twice or never, a write that neither method can start and nobody delays. */
    struct tally t = walk_all(MD_312);

    (void)state;
    assert_true(t.batches > 0);
    assert_true(t.items > 1000);
    assert_true(t.deferred == 0);
}

static void look(const struct walk *k, struct move m)
{
    const char *broken = invariants_broken(k->s->w);

    if (broken)
        fail_msg("SEED=%llu, walk %llu, after move %llu (%s of actor %u): %s",
                 (unsigned long long)walk_seed(), (unsigned long long)k->seed,
                 (unsigned long long)k->moves, system_step(&system_md, k->s->w, m.who)->name, m.who,
                 broken);
}

/* Workers and superblocks are md-6.1's alone. */
static bool is_early(unsigned plan)
{
    return !plans[plan].workers && !plans[plan].metadata;
}

static void writes_of_2_6_15_in_any_order_leave_the_array_right(void **state)
{
    /* Breaks by a write started while another is under way, a delayed stripe that nobody
     * activates, a bio that ends before its parity is down, a missing block that is not computed
     * first. */
    uint64_t folded = 0, ended = 0;

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS && is_early(p); n++) {
            struct small *s = new_array(p, MD_2615, SYNC_IDLE);
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, NULL);
            walk_must_be_done(&k);
            if (k.findings)
                fail_msg("SEED=%llu, plan %u, walk %u: a wrong read",
                         (unsigned long long)walk_seed(), p, n);
            assert_int_equal(k.replies, REQUESTS * s->plan.clients);
            is_at_rest(s);
            folded += k.work[WORK_XOR_LINE];
            ended += k.work[WORK_END_WRITE];
            small_free(s);
        }
    assert_true(folded > 0 && ended > 0);
}

static uint64_t mend_all(enum version v)
{
    uint64_t mended = 0;

    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS && !plans[p].failed; n++) {
            uint8_t action = n % 2 ? SYNC_REPAIR : SYNC_RESYNC;
            struct small *s = new_array(p, v, action);
            struct walk k;

            spoil_parity(s);
            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, NULL);
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            is_at_rest(s);
            assert_int_equal(array_see(s->w, 0)->recovery_active, 0);
            assert_true(array_see(s->w, 0)->recovery_cp == UINT64_MAX);
            mended += array_see(s->w, 0)->mismatches;
            small_free(s);
        }
    return mended;
}

static void a_pass_mends_every_wrong_parity_whatever_is_written_meanwhile(void **state)
{
    /* Breaks by a stripe that counts as in sync before its parity is written, a write that hides
     * the mismatch, a stripe the thread leaves out, a thread that is never woken. */
    (void)state;
    assert_true(mend_all(MD_61) > 0);
    assert_true(mend_all(MD_312) > 0);
}

static void a_pass_of_2_6_15_finds_right_parity_right_whatever_is_written_meanwhile(void **state)
{
    /* Breaks by a check that compares pages of different moments, a stripe whose sync never ends, a
     * count that does not come back to 0. */
    uint64_t asked = 0;

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS && !plans[p].failed && is_early(p); n++) {
            struct small *s = new_array(p, MD_2615, (uint8_t)(SYNC_CHECK + n % 3));
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, n % 10 ? NULL : look);
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            is_at_rest(s);
            assert_int_equal(array_see(s->w, 0)->recovery_active, 0);
            assert_int_equal(array_see(s->w, 0)->mismatches, 0);
            assert_true(array_see(s->w, 0)->recovery_cp == UINT64_MAX);
            assert_int_equal(k.work[WORK_SYNC] * PAGE_SECTORS,
                             s->w->shape.geometry.component_sectors);
            asked += k.work[WORK_SYNC];
            small_free(s);
        }
    assert_true(asked > 0);
}

/* The whole array is out of order, and nobody reads or writes. */
static void pass_alone(enum version v, uint8_t action)
{
    struct small *s = new_array(0, v, action);
    uint64_t size = s->w->shape.geometry.component_sectors;
    struct walk k;

    spoil_parity(s);
    walk_start(&k, s, 1, 0);
    walk_run(&k, NULL);
    assert_int_equal(array_see(s->w, 0)->mismatches, size);
    for (uint64_t sector = 0; sector < size; sector += PAGE_SECTORS)
        assert_int_equal(row_sum(s, sector, NONE16) != 0, action == SYNC_CHECK);
    small_free(s);
}

static void a_check_counts_wrong_parity_and_leaves_it_the_others_mend_it(void **state)
{
    /* Breaks when a check writes, counts a stripe twice, or counts sectors that differ instead of
     * those of the stripe; when a repair or a resync leaves a row out. */
    (void)state;
    for (uint8_t action = SYNC_CHECK; action <= SYNC_RESYNC; action++) {
        pass_alone(MD_61, action);
        pass_alone(MD_312, action);
        pass_alone(MD_2615, action);
    }
}

static void a_parity_that_is_wrong_is_seen(void **state)
{
    /* Breaks when the law above cannot fail. */
    struct small *s = array_of(0);
    const uint32_t page = 0;

    (void)state;
    *tags_at(s->w, 0) = 42;
    media_write(s->w, 1, 0, s->w->shape.group_sectors, page, true);
    assert_true(row_sum(s, 0, NONE16) != 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_in_any_order_leave_the_array_right),
        cmocka_unit_test(writes_of_3_12_in_any_order_leave_the_array_right),
        cmocka_unit_test(writes_of_2_6_15_in_any_order_leave_the_array_right),
        cmocka_unit_test(a_pass_mends_every_wrong_parity_whatever_is_written_meanwhile),
        cmocka_unit_test(a_pass_of_2_6_15_finds_right_parity_right_whatever_is_written_meanwhile),
        cmocka_unit_test(a_check_counts_wrong_parity_and_leaves_it_the_others_mend_it),
        cmocka_unit_test(a_parity_that_is_wrong_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
