/*
 * Law: whatever order things happen in, the structural invariants hold after every move, every I/O
 * is answered, and every answer is right. Thousands of walks over small arrays, among them caches
 * so small that clients wait for a stripe most of the time: a lost wake-up shows as a world at rest
 * with I/O in flight.
 */
#include "model/invariants.h"
#include "tests/lib/walk.h"

static const struct small_plan plans[] = {
    { .level = LEVEL_RAID5, .stripes = 2, .clients = 3, .depth = 2 },
    { .level = LEVEL_RAID5, .stripes = 3, .clients = 6, .tags_per_page = 8, .rows = 2 },
    { .level = LEVEL_RAID5, .stripes = 4, .clients = 8, .buckets = 1, .disks = 4 },
    { .level = LEVEL_RAID5, .stripes = 4, .clients = 3, .depth = 3, .no_plug = 1 },
    { .level = LEVEL_RAID5, .stripes = 4, .clients = 5, .wake_policy = WAKE_ALL, .rows = 8 },
    { .level = LEVEL_RAID5, .stripes = 4, .clients = 7, .wake_policy = WAKE_ONE, .rows = 8 },
    { .level = LEVEL_RAID5, .stripes = 1, .clients = 4, .active_limit = 100 },
    { .level = LEVEL_RAID5, .stripes = 17, .clients = 4, .depth = 4, .chunk_pages = 4, .rows = 2 },
    { .level = LEVEL_RAID4, .stripes = 3, .clients = 4, .disks = 4, .tags_per_page = 4 },
    { .level = LEVEL_RAID5, .stripes = 2, .clients = 2, .disks = 2, .chunk_pages = 2 },
    { .level = LEVEL_RAID5, .stripes = 2, .clients = 4, .bypass = 1, .depth = 2 },
    { .level = LEVEL_RAID5, .stripes = 3, .clients = 5, .written = 1, .rows = 2 },
    { .level = LEVEL_RAID5,
      .stripes = 4,
      .clients = 3,
      .depth = 3,
      .written = 1,
      .disks = 5,
      .tags_per_page = 8 },
    { .level = LEVEL_RAID5, .stripes = 4, .clients = 4, .written = 1, .disks = 4, .failed = 2 },
    { .level = LEVEL_RAID4, .stripes = 4, .clients = 4, .written = 1, .no_plug = 1 },
    { .level = LEVEL_RAID0, .clients = 3, .depth = 2, .written = 1, .tags_per_page = 8 },
    { .level = LEVEL_RAW, .clients = 3, .depth = 2, .written = 1, .write_cache = 1 },
};
enum { PLANS = sizeof plans / sizeof plans[0], WALKS = 250, WATCHED = 25, REQUESTS = 12 };

static void watch(const struct walk *k, struct move m)
{
    const char *broken = invariants_broken(k->s->w);

    if (broken)
        fail_msg("SEED=%llu, walk %llu, after move %llu (%s of actor %u): %s",
                 (unsigned long long)walk_seed(), (unsigned long long)k->seed,
                 (unsigned long long)k->moves, system_step(&system_md, k->s->w, m.who)->name, m.who,
                 broken);
}

static void walk_all(unsigned from, unsigned to, void (*look)(const struct walk *, struct move),
                     uint64_t marks[MARK_COUNT])
{
    for (unsigned p = 0; p < PLANS; p++)
        for (unsigned n = from; n < to; n++) {
            struct small *s = small_new(plans[p]);
            struct walk k;

            walk_start(&k, s, p * 100000u + n, REQUESTS);
            walk_run(&k, look);
            walk_must_be_done(&k);
            assert_int_equal(k.findings, 0);
            assert_int_equal(k.replies, REQUESTS * s->plan.clients);
            assert_int_equal(k.marks[MARK_HIT] + k.marks[MARK_MISS] + k.marks[MARK_BLOCKED],
                             k.work[WORK_LOOKUP]);
            for (unsigned i = 0; i < MARK_COUNT; i++)
                marks[i] += k.marks[i];
            small_free(s);
        }
}

static void the_invariants_hold_after_every_move(void **state)
{
    /* Breaks when a step forgets one of a pair: a counter with its list, LOCKED with its I/O, a
     * reference with its release. */
    uint64_t marks[MARK_COUNT] = { 0 };

    (void)state;
    walk_all(0, WATCHED, watch, marks);
}

static void no_walk_ends_with_an_io_unanswered_or_a_wrong_answer(void **state)
{
    /* Breaks by a lost wake-up, a bio never completed, a page served before it was read. The marks
     * show that the walks came where it is dangerous. */
    uint64_t marks[MARK_COUNT] = { 0 };

    (void)state;
    walk_all(WATCHED, WALKS, NULL, marks);
    assert_true(marks[MARK_BLOCKED] > 10000);
    assert_true(marks[MARK_WASTED] > 1000);
    assert_true(marks[MARK_OVERLAP] > 1000);
    assert_true(marks[MARK_HIT] > 10000);
}

static void a_cache_that_can_never_be_a_quarter_free_hangs_and_is_seen_to(void **state)
{
    /* Breaks when the search for stuck worlds cannot find one. The driver's own rule hangs with a
     * single stripe_head: three quarters of one are none, and fewer than none are never in use. */
    struct small *s = small_new(
        (struct small_plan){ .level = LEVEL_RAID5, .stripes = 1, .clients = 2, .rows = 8 });
    unsigned stuck = 0;

    (void)state;
    for (unsigned n = 0; n < 20 && !stuck; n++) {
        struct walk k;

        small_free(s);
        s = small_new(
            (struct small_plan){ .level = LEVEL_RAID5, .stripes = 1, .clients = 2, .rows = 8 });
        walk_start(&k, s, n, 10);
        walk_run(&k, watch);
        stuck += client_see(s->w, 0)->in_flight + client_see(s->w, 1)->in_flight;
    }
    assert_true(stuck > 0);
    assert_true(system_at_rest(&system_md, s->w) || stuck == 1);
    small_free(s);
}

static void every_planted_fault_breaks_an_invariant(void **state)
{
    /* Breaks when a check of model/invariants.c cannot fail. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .clients = 2 });
    struct world *w = s->w;

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_ask(s, 1, 8, 8, false);
    small_run(s, 1, CLIENT_HANDLE);
    assert_null(invariants_broken(w));
#define PLANT(what, number)                                                                        \
    do {                                                                                           \
        what++;                                                                                    \
        assert_non_null(invariants_broken(w));                                                     \
        assert_memory_equal(invariants_broken(w), number, sizeof(number) - 1);                     \
        what--;                                                                                    \
        assert_null(invariants_broken(w));                                                         \
    } while (0)
    stripe_id used = actor_see(w, 1)->stripe, idle = small_nth(s, LIST_INACTIVE, 0);
    struct slot *slot = slot_at(w, used, actor_see(w, 1)->slot);

    PLANT(stripe_at(w, idle)->lru_prev, "I1");
    PLANT(stripe_at(w, idle)->list, "I1");
    PLANT(stripe_at(w, idle)->state, "I2"); /* bit 0 is HANDLE */
    PLANT(stripe_at(w, used)->count, "I3");
    PLANT(array_at(w, 0)->active, "I4");
    PLANT(array_at(w, 0)->preread_active, "I5");
    PLANT(stripe_at(w, used)->parity, "I6");
    PLANT(stripe_at(w, used)->hash_prev, "I6");
    PLANT(bio_at(w, request_bio(w, 1, 0))->left, "I9");
    PLANT(request_at(w, 1)->bios_left, "I9");
    PLANT(client_at(w, 1)->in_flight, "RQ");
    PLANT(disk_at(w, 0)->queued, "IO");
    PLANT(actor_at(w, 0)->waits_on, "WQ");
    PLANT(slot_at(w, idle, 0)->written, "I11");
    slot->flags ^= SLOT_LOCKED;
    assert_memory_equal(invariants_broken(w), "I8", 2);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_invariants_hold_after_every_move),
        cmocka_unit_test(no_walk_ends_with_an_io_unanswered_or_a_wrong_answer),
        cmocka_unit_test(a_cache_that_can_never_be_a_quarter_free_hangs_and_is_seen_to),
        cmocka_unit_test(every_planted_fault_breaks_an_invariant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
