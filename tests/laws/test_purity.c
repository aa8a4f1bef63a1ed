/*
 * Law: a step is a function of the world. Fired twice from one snapshot it leaves the same bytes
 * and reports the same effects; asking whether and how it could go leaves the world as it was.
 */
#include "tests/lib/walk.h"

#include <stdlib.h>
#include <string.h>

static const struct small_plan plans[] = {
    { .level = LEVEL_RAID5, .stripes = 2, .clients = 3, .depth = 2 },
    { .level = LEVEL_RAID5, .stripes = 4, .clients = 6, .disks = 4, .tags_per_page = 8 },
    { .level = LEVEL_RAID5, .stripes = 2, .clients = 3, .bypass = 1, .depth = 2 },
    { .level = LEVEL_RAID5, .stripes = 3, .clients = 3, .depth = 2, .written = 1, .disks = 4 },
    { .level = LEVEL_RAID5, .stripes = 3, .clients = 3, .written = 1, .failed = 1 },
    { .level = LEVEL_RAID0, .clients = 3, .depth = 2, .written = 1 },
    { .level = LEVEL_RAW, .clients = 3, .depth = 2, .written = 1, .write_cache = 1 },
};
enum { PLANS = sizeof plans / sizeof plans[0], WALKS = 6, REQUESTS = 6 };

/* Copies of a world and of a list of effects. */
struct copy {
    char *bytes;
    struct effect *list;
    uint32_t count;
};

static struct copy copy_new(const struct small *s)
{
    struct copy c = { malloc(world_bytes(s->w)), malloc(s->e.capacity * sizeof(struct effect)), 0 };

    assert_true(c.bytes && c.list);
    return c;
}

static void copy_free(struct copy *c)
{
    free(c->bytes);
    free(c->list);
}

static void take(struct copy *c, const struct small *s)
{
    memcpy(c->bytes, s->w, world_bytes(s->w));
    memcpy(c->list, s->e.list, s->e.count * sizeof(struct effect));
    c->count = s->e.count;
}

/* Every move each actor could make now; clients at their turn are left to the walk. */
static void ask_all(const struct small *s)
{
    for (actor_id who = 0; who < s->w->shape.actors; who++) {
        const struct step *step = system_step(&system_md, s->w, who);
        uint32_t ways = step->ways(s->w, who);

        for (uint32_t k = 0; k < ways && !step->chosen; k++) {
            uint64_t name = step->name_of ? step->name_of(s->w, who, k) : k;
            struct move m = { .who = who, .way = name, .step = actor_see(s->w, who)->pc };

            assert_true(system_allows(&system_md, s->w, m));
        }
        assert_false(system_allows(
            &system_md, s->w,
            (struct move){ .who = who, .way = UINT64_MAX, .step = actor_see(s->w, who)->pc }));
    }
}

/* A walk in which before every move all questions are asked, and every move is made twice. */
static void walk_twice(struct walk *k)
{
    struct small *s = k->s;
    struct copy before = copy_new(s), after = copy_new(s);
    struct move m;

    for (;;) {
        take(&before, s);
        ask_all(s);
        if (!walk_choose(k, &m))
            break;
        assert_true(system_allows(&system_md, s->w, m));
        assert_memory_equal(before.bytes, s->w, world_bytes(s->w));
        small_fire(s, m.who, m.way);
        take(&after, s);
        memcpy(s->w, before.bytes, world_bytes(s->w));
        memset(s->e.list, 0xa5, s->e.capacity * sizeof(struct effect));
        walk_fire(k, m);
        assert_memory_equal(after.bytes, s->w, world_bytes(s->w));
        assert_int_equal(after.count, s->e.count);
        if (after.count)
            assert_memory_equal(after.list, s->e.list, after.count * sizeof(struct effect));
    }
    assert_memory_equal(before.bytes, s->w, world_bytes(s->w));
    copy_free(&before);
    copy_free(&after);
}

static void a_move_made_twice_from_one_snapshot_does_the_same(void **state)
{
    /* Breaks when a step keeps state outside the world, or a question changes the world. */
    (void)state;
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = 0; n < WALKS; n++) {
            struct small *s = small_new(plans[p]);
            struct walk k;

            walk_start(&k, s, 1000000 + p * 1000 + n, REQUESTS);
            walk_twice(&k);
            walk_must_be_done(&k);
            assert_true(k.moves > 50);
            small_free(s);
        }
}

static void a_move_leaves_the_shape_alone(void **state)
{
    /* Breaks when a step writes outside the live part: the fingerprint would not see it. */
    struct small *s = small_new(plans[0]);
    struct world head;
    struct walk k;

    (void)state;
    memcpy(&head, s->w, sizeof head);
    walk_start(&k, s, 77, REQUESTS);
    walk_run(&k, NULL);
    assert_memory_equal(&head, s->w, sizeof head);
    small_free(s);
}

static void what_is_not_offered_is_not_allowed(void **state)
{
    /* Breaks when replay would accept a move of another step, another member or beyond the array.
     */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAW, .clients = 2 });
    const struct world *w = s->w;
    actor_id disk0 = actor_disk(&w->shape, 0), disk1 = actor_disk(&w->shape, 1);
    io_id io;

    (void)state;
#define ALLOWED(actor, pc, name)                                                                   \
    system_allows(&system_md, w, (struct move){ .who = (actor), .step = (pc), .way = (name) })
    assert_false(ALLOWED(0, CLIENT_TURN, request_name(s->sectors, 8, false)));
    assert_false(ALLOWED(0, CLIENT_TURN, request_name(s->sectors - 8, 16, false)));
    assert_false(ALLOWED(0, CLIENT_TURN, request_name(1, 8, false))); /* half a sector group */
    assert_false(ALLOWED(0, CLIENT_TURN, request_name(0, 0, false)));
    assert_false(ALLOWED(0, CLIENT_TURN, request_name(4, 24, false))); /* four pages */
    assert_true(ALLOWED(0, CLIENT_TURN, request_name(0, 24, false)));
    assert_false(ALLOWED(0, CLIENT_DIRECT, 0));
    small_submit(s, 0, 0, 8, false);
    assert_int_equal(disk_see(w, 0)->queued, 1);
    io = (io_id)system_step(&system_md, w, disk0)->name_of(w, disk0, 0);
    assert_true(ALLOWED(disk0, 0, io));
    assert_false(ALLOWED(disk0, 0, io + 1));
    assert_false(ALLOWED(disk1, 0, io));
    assert_false(ALLOWED(actor_completion(&w->shape, 0), 0, io)); /* queued, not done */
    small_go(s, disk0);
    assert_false(ALLOWED(disk0, 0, io));
    assert_true(ALLOWED(actor_completion(&w->shape, 0), 0, io));
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_made_twice_from_one_snapshot_does_the_same),
        cmocka_unit_test(a_move_leaves_the_shape_alone),
        cmocka_unit_test(what_is_not_offered_is_not_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
