/*
 * Law: md-6.1 amid faults (behaviour spec 7.2, 7.3, 7.8 to 7.10, 8.3, 11, 12.1; D1 to D8). At any
 * move a member may fail or die, a blank or the old device may be added, sectors become
 * unreadable, reads and writes fail once or for ever, a check begin and be stopped. Whatever
 * happens, in whatever order: the structural invariants hold, every I/O is answered, nobody sleeps
 * for ever. While at most one member of a stripe is in trouble nothing is lost and no I/O fails;
 * after a rebuild the array is whole, and does without any one of its members.
 */
#include "tests/lib/trial.h"

#include "faults/fate.h"
#include "model/fill.h"
#include "model/flaws.h"
#include "model/members.h"
#include "model/invariants.h"

#include <stdlib.h>
#include <string.h>

static const struct small_plan plans[] = {
    { .stripes = 4, .clients = 3, .disks = 4, .rmw_level = 1, .metadata = METADATA_12 },
    { .stripes = 4, .clients = 3, .disks = 3, .rmw_level = 1, .bypass = 1, .tags_per_page = 4 },
    { .stripes = 6,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .metadata = METADATA_12,
      .bypass = 1,
      .depth = 2 },
    { .stripes = 4, .clients = 2, .disks = 4, .rmw_level = 0, .metadata = METADATA_090 },
    { .stripes = 8,
      .clients = 3,
      .disks = 3,
      .chunk_pages = 4,
      .rows = 2,
      .max_pages = 8,
      .bio_sectors = 64,
      .metadata = METADATA_12,
      .spares = 1,
      .speed_limits = 1 },
    { .stripes = 8,
      .clients = 2,
      .disks = 4,
      .chunk_pages = 2,
      .rows = 3,
      .max_pages = 12,
      .bio_sectors = 96,
      .rmw_level = 2,
      .bypass = 1,
      .skip_copy = 1,
      .metadata = METADATA_12 },
    { .stripes = 5, .clients = 4, .disks = 5, .rmw_level = 1, .rows = 3, .spares = 2 },
    { .level = LEVEL_RAID4,
      .stripes = 4,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .metadata = METADATA_090,
      .spares = 1,
      .bypass = 1 },
    { .stripes = 2,
      .clients = 3,
      .active_limit = 100,
      .rmw_level = 1,
      .metadata = METADATA_12,
      .bypass = 1 },
    { .stripes = 4,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .failed = 2,
      .spares = 1,
      .metadata = METADATA_12,
      .speed_limits = 1 },
    { .stripes = 5,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .bypass = 1,
      .sync = SYNC_RESYNC,
      .metadata = METADATA_12 },
    { .stripes = 5,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .rows = 6,
      .bypass = 1,
      .bitmap = 2,
      .metadata = METADATA_12 },
    { .stripes = 6,
      .clients = 2,
      .disks = 3,
      .chunk_pages = 2,
      .rows = 4,
      .max_pages = 6,
      .bio_sectors = 48,
      .bitmap = 1,
      .sync = SYNC_RESYNC,
      .spares = 1,
      .metadata = METADATA_090 },
    { .stripes = 6,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .workers = 2,
      .bypass = 1,
      .bitmap = 1,
      .metadata = METADATA_12 },
    { .stripes = 6,
      .clients = 3,
      .disks = 4,
      .rmw_level = 1,
      .workers = 3,
      .defer = 1,
      .spares = 1,
      .metadata = METADATA_12 },
};
enum { PLANS = sizeof plans / sizeof plans[0], WALKS = 30, WATCHED = 6, REQUESTS = 8 };

static unsigned walks(void)
{
    const char *text = getenv("WALKS");

    return text ? (unsigned)strtoul(text, NULL, 10) : WALKS;
}

static struct small *array_of(unsigned n)
{
    struct small_plan p = plans[n];

    p.level = p.level ? p.level : LEVEL_RAID5;
    p.later = p.written = p.faults = 1;
    p.wake_policy = WAKE_ALL;
    return small_new(p);
}

static void look_at_invariants(const struct trial *t, struct move m)
{
    const char *broken = invariants_broken(t->k.s->w);

    if (broken)
        fail_msg("SEED=%llu, walk %llu, after move %llu (pc %u of actor %u, way %llx): %s",
                 (unsigned long long)walk_seed(), (unsigned long long)t->k.seed,
                 (unsigned long long)t->k.moves, m.step, m.who, (unsigned long long)m.way, broken);
}

static void run(struct trial *t, bool watched)
{
    struct move m;

    while (trial_move(t, &m)) {
        if (watched)
            look_at_invariants(t, m);
    }
}

/* ---- at rest */

static bool has_empty_slot(const struct world *w)
{
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (!(disk_see(w, member_of(w, i))->flags & MEMBER_PRESENT))
            return true;
    return false;
}

static void nobody_waits(const struct trial *t)
{
    const struct world *w = t->k.s->w;
    const struct array *a = array_see(w, 0);

    walk_must_be_done(&t->k);
    for (actor_id who = 0; who < w->shape.actors; who++) {
        assert_false(actor_see(w, who)->asleep);
        assert_int_equal(actor_see(w, who)->waits_on, WAIT_NONE);
    }
    assert_int_equal(a->active, 0);
    assert_int_equal(a->preread_active, 0);
    assert_int_equal(a->pending_full_writes, 0);
    assert_int_equal(a->recovery_active, 0);
    assert_int_equal(a->writes_pending, 0);
    assert_int_equal(a->meta_pending, 0);
    assert_false(a->sb_flags & SB_PENDING);
    assert_int_equal(a->sync, SYNC_IDLE);
    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        assert_int_equal(disk_see(w, d)->queued + disk_see(w, d)->done, 0);
        if (a->degraded > 1) /* nobody looks after the members of an array that has failed */
            continue;
        if (disk_see(w, d)->flags & (MEMBER_FAULTY | (has_empty_slot(w) ? MEMBER_WAITING : 0)))
            fail_msg("walk %llu: at rest device %u still has flags %x",
                     (unsigned long long)t->k.seed, d, disk_see(w, d)->flags);
    }
}

/* The xor of one sector group over all members but one. */
static tag xor_without(struct small *s, uint64_t sector, unsigned left_out)
{
    const struct shape *shape = &s->w->shape;
    uint32_t page = (uint32_t)(s->w->count[SEC_TAGS] / shape->tags_per_page) - 1;
    tag *at = tags_at(s->w, (uint64_t)page * shape->tags_per_page);
    unsigned place = (unsigned)(sector / shape->group_sectors % shape->tags_per_page);
    tag sum = 0;

    for (unsigned d = 0; d < shape->geometry.disks; d++) {
        if (d == left_out)
            continue;
        media_read(s->w, member_of(s->w, d), sector, shape->group_sectors, page);
        sum ^= at[place];
        at[place] = 0;
    }
    return sum;
}

static bool bad_in(const struct world *w, unsigned slot, uint64_t sector)
{
    return member_badness(w, member_of(w, slot), sector / PAGE_SECTORS * PAGE_SECTORS,
                          PAGE_SECTORS) != BAD_NOT;
}

/* What one sector group of the members must be to each other: with any one member left out, the
 * one whose page is recorded as bad to begin with, its block can be had from the others. */
static void group_is_right(struct small *s, uint64_t sector)
{
    const struct geometry *g = &s->w->shape.geometry;
    unsigned bad = 0, parity = geometry_parity(g, sector);

    for (unsigned d = 0; d < g->disks; d++)
        bad += bad_in(s->w, d, sector);
    assert_true(bad <= 1);
    if (!bad)
        assert_true(xor_without(s, sector, NONE16) == 0);
    for (unsigned d = 0; d < g->disks; d++) {
        uint64_t group;

        if (d == parity || (bad && !bad_in(s->w, d, sector)))
            continue;
        group = geometry_unmap(g, sector, d) / s->w->shape.group_sectors;
        assert_true(
            oracle_accepts(s->w, group, oracle_oldest(s->w, group), xor_without(s, sector, d)));
    }
}

static void array_is_whole(struct small *s)
{
    const struct array *a = array_see(s->w, 0);

    assert_int_equal(a->degraded, 0);
    for (unsigned i = 0; i < s->w->shape.geometry.disks; i++)
        assert_true(member_alive(s->w, member_of(s->w, i)) &&
                    member_in_sync(s->w, member_of(s->w, i)));
    for (uint64_t sector = 0; sector < s->w->shape.geometry.component_sectors;
         sector += s->w->shape.group_sectors)
        group_is_right(s, sector);
}

/* ---- the laws */

static void one_member_in_trouble_costs_nothing(void **state)
{
    /* Breaks by a write acknowledged before it can be had again, a rebuild that misses a write, a
     * page read from a member that lacks it, an error handed to a caller too early, a bad block
     * that is forgotten, a wake-up lost when a member leaves. The marks show that the walks came
     * where it is dangerous. */
    uint64_t marks[MARK_COUNT] = { 0 };

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < walks(); n++) {
            struct small *s = array_of(p);
            struct trial t;

            trial_start(&t, s, p * 100000u + n, REQUESTS, true);
            run(&t, n < WATCHED);
            trial_heal(&t);
            nobody_waits(&t);
            assert_int_equal(t.k.replies, REQUESTS * s->plan.clients);
            array_is_whole(s);
            for (unsigned i = 0; i < MARK_COUNT; i++)
                marks[i] += t.k.marks[i];
            small_free(s);
        }
    assert_true(marks[MARK_FATE] > 1000);
    assert_true(marks[MARK_MEMBER_FAILED] > 100);
    assert_true(marks[MARK_CORRECTED] > 20);
    assert_true(marks[MARK_BAD_BLOCK] > 20);
    assert_true(marks[MARK_WRITE_ERROR] > 20);
    assert_true(marks[MARK_RETRIED_READ] > 20);
}

static void an_io_fails_only_where_two_members_were_in_trouble(void **state)
{
    /* Breaks by an I/O that nobody answers once an array is beyond help, an answer made of what is
     * not there where one member at a time was in trouble, a stripe that is handled for ever. */
    uint64_t failed = 0;

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < walks(); n++) {
            struct small *s = array_of(p);
            struct trial t;

            trial_start(&t, s, p * 100000u + 50000 + n, REQUESTS, false);
            run(&t, n < WATCHED);
            trial_heal(&t);
            nobody_waits(&t);
            assert_int_equal(t.k.replies, REQUESTS * s->plan.clients);
            failed += t.failed;
            small_free(s);
        }
    assert_true(failed > 100);
}

/* ---- determinism and snapshots */

static struct world *copy_of(const struct world *w)
{
    struct world *c = malloc(world_bytes(w));

    assert_non_null(c);
    memcpy(c, w, world_bytes(w));
    return c;
}

/* Fires every move twice, from a copy as well; the copy and what was reported must be the same. */
static void walk_twice(struct trial *t)
{
    struct world *twin = copy_of(t->k.s->w);
    struct effects e = { .capacity = t->k.s->e.capacity };
    struct move m;

    e.list = calloc(e.capacity, sizeof *e.list);
    assert_non_null(e.list);
    while (trial_move(t, &m)) {
        system_fire(&system_md, twin, m, &e);
        assert_int_equal(e.count, t->k.s->e.count);
        assert_memory_equal(e.list, t->k.s->e.list, e.count * sizeof *e.list);
        assert_memory_equal(twin, t->k.s->w, world_bytes(twin));
    }
    free(e.list);
    free(twin);
}

static void a_move_amid_faults_is_a_function_of_the_world(void **state)
{
    /* Breaks when a step of fate, members or superblocks remembers something elsewhere, or reads
     * what nobody wrote. */
    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WATCHED; n++) {
            struct small *s = array_of(p);
            struct trial t;

            trial_start(&t, s, p * 100000u + 70000 + n, REQUESTS, n % 2);
            walk_twice(&t);
            small_free(s);
        }
}

static void a_walk_put_back_to_its_middle_ends_the_same(void **state)
{
    /* Breaks when a snapshot of the world misses some of what faults have left. */
    struct move m;

    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WATCHED; n++) {
            struct small *s = array_of(p);
            struct trial t, then;
            struct world *middle, *end;

            trial_start(&t, s, p * 100000u + 80000 + n, REQUESTS, n % 2);
            for (unsigned k = 0; k < 150 + 20 * n; k++)
                if (!trial_move(&t, &m))
                    break;
            middle = copy_of(s->w);
            then = t;
            trial_heal(&t);
            end = copy_of(s->w);
            memcpy(s->w, middle, world_bytes(middle));
            trial_heal(&then);
            assert_int_equal(t.k.moves, then.k.moves);
            assert_memory_equal(end, s->w, world_bytes(end));
            free(middle);
            free(end);
            small_free(s);
        }
}

/* ---- can the invariants fail? */

static void every_planted_fault_of_members_breaks_an_invariant(void **state)
{
    /* Breaks when a check of model/invariants_md.c cannot fail. */
    struct small *s = array_of(2);
    struct world *w = s->w;
    actor_id fate = actor_fate(&w->shape);

    (void)state;
    small_fire(s, fate, fate_name(FATE_UNREADABLE, 1, 8, 4));
    small_fire(s, fate, fate_name(FATE_UNREADABLE, 1, 20, 4));
    disk_at(w, 0)->device |= DEVICE_NEW;
    assert_true(fill_add(w, 0, 1) && fill_add(w, 0, 3));
    assert_null(invariants_broken(w));
#define PLANT(what, value, number)                                                                 \
    do {                                                                                           \
        __typeof__(what) before_ = what;                                                           \
        what = (__typeof__(what))(value);                                                          \
        assert_non_null(invariants_broken(w));                                                     \
        assert_memory_equal(invariants_broken(w), number, sizeof(number) - 1);                     \
        what = before_;                                                                            \
        assert_null(invariants_broken(w));                                                         \
    } while (0)
    PLANT(array_at(w, 0)->degraded, 1, "MB");
    PLANT(disk_at(w, 1)->flags, MEMBER_PRESENT, "MB");
    PLANT(disk_at(w, 1)->flags, MEMBER_PRESENT | MEMBER_IN_SYNC | MEMBER_FAULTY, "MB");
    PLANT(disk_at(w, 1)->flags, MEMBER_WAITING | MEMBER_IN_SYNC, "MB");
    PLANT(seat_at(w, 1)->device, 3, "MB");
    PLANT(disk_at(w, 1)->bad_blocks, 17, "BB");
    PLANT(*bad_at(w, 3), 2, "BB");
    PLANT(array_at(w, 0)->meta_pending, 1, "SB");
    PLANT(array_at(w, 0)->sb_flags, SB_PENDING, "SB");
    PLANT(array_at(w, 0)->safemode, 1, "SB");
    PLANT(array_at(w, 0)->recovery, RECOVERY_NEEDED, "SB");
    PLANT(array_at(w, 0)->writes_pending, 1, "I14");
    PLANT(array_at(w, 0)->pending_full_writes, 1, "I5");
    PLANT(array_at(w, 0)->recovery_active, 8, "RS");
    PLANT(actor_at(w, actor_resync(&w->shape))->pc, RESYNC_LOOKUP, "RS");
    PLANT(array_at(w, 0)->retry_page, 1, "RT");
    PLANT(array_at(w, 0)->retry_head, 0, "RT");
    PLANT(array_at(w, 0)->flaw_longest, 3, "FL");
    PLANT(flaw_at(w, 0)->sector, 21, "FL");
    PLANT(flaw_at(w, 1)->kind, FLAW_READ | FLAW_WRITE, "FL");
    PLANT(flaw_at(w, 5)->sectors, 1, "FL");
    PLANT(extent_at(w, 0)->end, 3, "EX");
    PLANT(extent_at(w, 1)->end, 3, "EX");
    PLANT(disk_at(w, 0)->device, 0, "EX");
    PLANT(stripe_at(w, 2)->batch_head, 1, "I3");
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_member_in_trouble_costs_nothing),
        cmocka_unit_test(an_io_fails_only_where_two_members_were_in_trouble),
        cmocka_unit_test(a_move_amid_faults_is_a_function_of_the_world),
        cmocka_unit_test(a_walk_put_back_to_its_middle_ends_the_same),
        cmocka_unit_test(every_planted_fault_of_members_breaks_an_invariant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
