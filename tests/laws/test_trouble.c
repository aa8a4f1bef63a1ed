/*
 * Law: md-3.12 and md-6.1 in trouble. While members' I/Os fail, sectors cannot be read, and a
 * member is failed, dies or is replaced, in whatever order things happen: every I/O is answered, no
 * read that is answered without an error is wrong, and at rest nothing is held. One member at most
 * is in trouble for good. Where reads bypass the cache there is one client: two reads of one page
 * that both fail keep raid5d busy with retrying the second (docs/LIMITS.md).
 */
#include "faults/fate.h"
#include "tests/lib/walk.h"

#include "model/members.h"
#include "model/workers.h"
#include "model/invariants.h"

enum { WALKS = 250, REQUESTS = 12, STRIKES = 6, MOVES_MAX = 400000 };

static const struct small_plan plans[] = {
    { .stripes = 4, .clients = 3, .disks = 4, .metadata = METADATA_12 },
    { .stripes = 6, .clients = 1, .disks = 3, .metadata = METADATA_12, .bypass = 1 },
    { .stripes = 6, .clients = 4, .disks = 4, .metadata = METADATA_090, .workers = 2 },
    { .stripes = 8,
      .clients = 1,
      .disks = 4,
      .chunk_pages = 2,
      .rows = 3,
      .max_pages = 8,
      .bio_sectors = 64,
      .metadata = METADATA_12,
      .workers = 3,
      .bypass = 1 },
    { .stripes = 6,
      .clients = 3,
      .disks = 5,
      .tags_per_page = 4,
      .metadata = METADATA_10,
      .sync = SYNC_REPAIR },
};
enum { PLANS = sizeof plans / sizeof *plans };

struct tally {
    uint64_t failed, bad, corrected, recovered, bypassed;
};

static void strike(struct walk *k, enum fate what, unsigned member, uint64_t sector,
                   uint32_t sectors)
{
    struct small *s = k->s;
    uint64_t name = fate_name(what, member, sector, sectors);

    s->w->shape.faults = 1;
    if (fate_kind.steps[0].allows(s->w, actor_fate(&s->w->shape), name)) {
        s->e.count = 0;
        fate_kind.steps[0].fire(s->w, actor_fate(&s->w->shape), name, &s->e);
    }
    s->w->shape.faults = 0; /* the walk itself does not strike */
}

/* Any I/O that is queued to this member. */
static void doom(struct walk *k, unsigned member)
{
    const struct disk *d = disk_see(k->s->w, member);

    if (d->queued)
        strike(k, FATE_DOOM, member,
               (uint64_t)member * k->s->w->shape.ios_per_disk +
                   io_nth(k->s->w, member, IO_QUEUED, (uint32_t)dice_below(&k->dice, d->queued)),
               0);
}

static void strike_somehow(struct walk *k)
{
    const struct shape *shape = &k->s->w->shape;
    unsigned victim = (unsigned)(k->seed % shape->geometry.disks);
    uint64_t pages = shape->geometry.component_sectors / PAGE_SECTORS;

    switch (dice_below(&k->dice, 6)) {
    case 0:
        strike(k, FATE_FAIL, victim, 0, 0);
        break;
    case 1:
        strike(k, FATE_UNREADABLE, victim, dice_below(&k->dice, pages) * PAGE_SECTORS,
               PAGE_SECTORS);
        break;
    case 2:
        strike(k, FATE_WORN_READ, victim, dice_below(&k->dice, pages) * PAGE_SECTORS, PAGE_SECTORS);
        break;
    case 3:
        strike(k, FATE_WORN_WRITE, victim, dice_below(&k->dice, pages) * PAGE_SECTORS,
               PAGE_SECTORS);
        break;
    case 4:
        strike(k, FATE_ADD, victim, 0, 0);
        break;
    default:
        doom(k, victim);
        break;
    }
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

static void walk_in_trouble(struct walk *k, bool watched)
{
    unsigned left = STRIKES;
    struct move m;

    while (walk_choose(k, &m)) {
        if (k->moves > MOVES_MAX)
            fail_msg("SEED=%llu, walk %llu does not end", (unsigned long long)walk_seed(),
                     (unsigned long long)k->seed);
        walk_fire(k, m);
        if (watched)
            watch(k, m);
        if (left && dice_below(&k->dice, 40) == 0) {
            strike_somehow(k);
            left--;
        }
    }
    walk_must_be_done(k);
}

static void is_at_rest(const struct small *s)
{
    const struct array *a = array_see(s->w, 0);

    assert_int_equal(a->active, 0);
    assert_int_equal(a->preread_active, 0);
    assert_int_equal(a->pending_full_writes, 0);
    assert_int_equal(a->released, NONE16);
    assert_int_equal(a->recovery_active, 0);
    assert_int_equal(a->meta_pending, 0);
    assert_int_equal(a->sb_flags & SB_PENDING, 0);
    assert_int_equal(a->writes_pending, 0);
    for (stripe_id n = 0; n < s->w->shape.stripes; n++) {
        assert_int_equal(stripe_see(s->w, n)->count, 0);
        for (unsigned d = 0; d < s->w->shape.geometry.disks; d++)
            assert_false(slot_see(s->w, n, d)->flags &
                         (SLOT_LOCKED | SLOT_OVERLAP | SLOT_WANTDRAIN | SLOT_WRITE_ERROR));
    }
}

static struct tally walk_all(bool rules_312)
{
    struct tally t = { 0 };

    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small_plan plan = plans[p];
            struct small *s;
            struct walk k;

            plan.level = LEVEL_RAID5;
            plan.later = plan.written = plan.faults = plan.rmw_level = 1;
            plan.wake_policy = WAKE_ALL;
            plan.rules_312 = rules_312;
            s = small_new(plan);
            s->w->shape.faults = 0;
            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_in_trouble(&k, n < WALKS / 5);
            if (k.findings)
                fail_msg("SEED=%llu, plan %u, walk %u: a wrong read",
                         (unsigned long long)walk_seed(), p, n);
            is_at_rest(s);
            t.failed += k.marks[MARK_MEMBER_FAILED];
            t.bad += k.marks[MARK_BAD_BLOCK];
            t.corrected += k.marks[MARK_CORRECTED];
            t.bypassed += k.marks[MARK_BYPASSED];
            t.recovered += array_see(s->w, 0)->degraded == 0 && k.marks[MARK_MEMBER_FAILED];
            small_free(s);
        }
    return t;
}

static void trouble_in_any_order_is_survived(void **state)
{
    /* Breaks by a stripe that waits for a superblock nobody writes, a bad block whose data is read
     * from its member, a rebuild that counts before it is done, a reference that is lost, a read
     * that goes to a member which has left since it was looked at. */
    (void)state;
    for (unsigned rules_312 = 0; rules_312 < 2; rules_312++) {
        struct tally t = walk_all(rules_312);

        assert_true(t.failed && t.bad && t.corrected && t.bypassed && t.recovered);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trouble_in_any_order_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
