/*
 * Law: equal truths are equal bytes. Moves that have nothing to do with each other may come in
 * either order and leave the same world; what is over leaves no trace.
 */
#include "tests/lib/walk.h"

#include <stdlib.h>
#include <string.h>

static const struct small_plan readers[] = {
    { .level = LEVEL_RAID5, .stripes = 3, .clients = 4, .depth = 2 },
    { .level = LEVEL_RAID5, .stripes = 8, .clients = 4, .disks = 4, .tags_per_page = 8 },
    { .level = LEVEL_RAID0, .clients = 4, .depth = 2 },
    { .level = LEVEL_RAW, .clients = 4, .depth = 2 },
};
enum { READERS = sizeof readers / sizeof readers[0], WALKS = 8, REQUESTS = 8 };

static char *copy_of(const struct world *w)
{
    char *c = malloc(world_bytes(w));

    assert_non_null(c);
    memcpy(c, w, world_bytes(w));
    return c;
}

/* A move of that actor which concerns nobody else: a device at work, a client thinking. */
static bool keeps_to_itself(const struct small *s, actor_id who, struct move *m)
{
    const struct actor *a = actor_see(s->w, who);
    const struct step *step = system_step(&system_md, s->w, who);

    if (a->kind != KIND_DISK && !(a->kind == KIND_CLIENT && a->pc == CLIENT_PAGE))
        return false;
    if (!step->ways(s->w, who))
        return false;
    *m = (struct move){ .who = who, .step = a->pc };
    m->way = step->name_of ? step->name_of(s->w, who, 0) : 0;
    return true;
}

static void fire_both(struct small *s, struct move first, struct move second)
{
    small_fire(s, first.who, first.way);
    small_fire(s, second.who, second.way);
}

/* All pairs of such moves, in either order, from the world as it is. Returns how many. */
static unsigned try_pairs(struct small *s)
{
    char *before = copy_of(s->w);
    unsigned pairs = 0;

    for (actor_id i = 0; i < s->w->shape.actors; i++)
        for (actor_id j = 0; j < i; j++) {
            struct move a, b;
            char *one;

            if (!keeps_to_itself(s, i, &a) || !keeps_to_itself(s, j, &b))
                continue;
            fire_both(s, a, b);
            one = copy_of(s->w);
            memcpy(s->w, before, world_bytes(s->w));
            fire_both(s, b, a);
            assert_memory_equal(one, s->w, world_bytes(s->w));
            memcpy(s->w, before, world_bytes(s->w));
            free(one);
            pairs++;
        }
    free(before);
    return pairs;
}

static unsigned walk_in_pairs(struct small_plan plan, uint64_t seed)
{
    struct small *s = small_new(plan);
    unsigned pairs = 0;
    struct walk k;
    struct move m;

    walk_start(&k, s, seed, REQUESTS);
    while (walk_choose(&k, &m)) {
        pairs += try_pairs(s);
        walk_fire(&k, m);
    }
    small_free(s);
    return pairs;
}

static void readers_and_disks_may_come_in_either_order(void **state)
{
    /* Breaks when a record tells in which order it was made: a list where a set would do, a
     * leftover of the move before. */
    unsigned pairs = 0;

    (void)state;
    for (unsigned p = 0; p < READERS; p++)
        for (unsigned n = 0; n < WALKS; n++)
            pairs += walk_in_pairs(readers[p], 2000000 + p * 1000 + n);
    assert_true(pairs > 2000);
}

static void writes_on_two_disks_may_land_in_either_order(void **state)
{
    /* Breaks when the place of a written block depends on what was written before it: the explorer
     * would take one state for many. */
    unsigned pairs = 0;

    (void)state;
    for (unsigned n = 0; n < 4 * WALKS; n++)
        pairs += walk_in_pairs(
            (struct small_plan){
                .level = LEVEL_RAID0, .clients = 4, .written = 1, .write_cache = n % 2 },
            3000000 + n);
    assert_true(pairs > 500);
}

static void ios_of_one_disk_may_be_served_in_either_order(void **state)
{
    /* Breaks when the table of member I/O keeps the order of arrival or of service. */
    static const unsigned orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                          { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    char *first = NULL;

    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        struct small *s = small_new((struct small_plan){ .level = LEVEL_RAW, .clients = 3 });
        io_id io[3];

        for (actor_id c = 0; c < 3; c++) {
            small_submit(s, c, c * 8u, 8, false);
            io[c] = io_of_bio(s->w, request_bio(s->w, c, 0), 0);
        }
        for (unsigned k = 0; k < 3; k++)
            small_fire(s, actor_disk(&s->w->shape, 0), io[orders[n][k]]);
        if (!first)
            first = copy_of(s->w);
        assert_memory_equal(first, s->w, world_bytes(s->w));
        small_free(s);
    }
    free(first);
}

static void readers_leave_plain_disks_as_they_found_them(void **state)
{
    /* Breaks when a finished request leaves something in its records, its buffer or its thread's
     * registers. (A cache remembers: there only the clients' records can be compared.) */
    (void)state;
    for (unsigned p = 0; p < READERS; p++)
        for (unsigned n = 0; n < 4 * WALKS; n++) {
            struct small_plan plan = readers[p];
            struct small *s, *fresh;
            struct walk k;

            plan.depth = 1;
            s = small_new(plan);
            fresh = small_new(plan);
            walk_start(&k, s, 4000000 + p * 1000 + n, REQUESTS);
            walk_run(&k, NULL);
            walk_must_be_done(&k);
            for (unsigned i = 0; i < SECTION_COUNT; i++) {
                bool cache = i == SEC_ARRAY || i == SEC_BUCKETS || i == SEC_STRIPES ||
                             i == SEC_LENGTHS || i == SEC_INDEX || i == SEC_SLOTS || i == SEC_TAGS;

                if (s->w->count[i] && !(cache && s->plan.stripes))
                    assert_memory_equal((char *)s->w + s->w->at[i], (char *)fresh->w + s->w->at[i],
                                        s->w->count[i] * s->w->item[i]);
            }
            small_free(s);
            small_free(fresh);
        }
}

static void the_fingerprint_sees_every_live_byte(void **state)
{
    /* Breaks when a section lies outside what is fingerprinted. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .written = 1 });
    struct fingerprint was = world_fingerprint(s->w);

    (void)state;
    for (uint64_t at = s->w->live_at; at < s->w->bytes; at++) {
        struct fingerprint f;

        ((char *)s->w)[at] ^= 1;
        f = world_fingerprint(s->w);
        assert_true(f.low != was.low || f.high != was.high);
        ((char *)s->w)[at] ^= 1;
    }
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_and_disks_may_come_in_either_order),
        cmocka_unit_test(writes_on_two_disks_may_land_in_either_order),
        cmocka_unit_test(ios_of_one_disk_may_be_served_in_either_order),
        cmocka_unit_test(readers_leave_plain_disks_as_they_found_them),
        cmocka_unit_test(the_fingerprint_sees_every_live_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
