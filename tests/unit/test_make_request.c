/* make_request of md-2.6.15: page by page through the cache in the submitter's context
 * (spec 4.1, 4.5). */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static struct small *array(struct small_plan plan)
{
    plan.level = LEVEL_RAID5;
    plan.clients = plan.clients ? plan.clients : 3;
    return small_new(plan);
}

static const struct actor *client(const struct small *s, actor_id c)
{
    return actor_see(s->w, c);
}

static void a_client_handles_its_stripe_itself_and_then_lets_go(void **state)
{
    /* Breaks when the submitter leaves the member read to raid5d (6): the I/O is queued before the
     * stripe is released, and every step comes in its order. */
    struct small *s = array((struct small_plan){ .stripes = 4 });
    static const unsigned order[] = { CLIENT_PAGE,   CLIENT_LOOKUP,  CLIENT_ATTACH, CLIENT_PLUG,
                                      CLIENT_HANDLE, CLIENT_RELEASE, CLIENT_BIAS,   CLIENT_UNPLUG };

    (void)state;
    small_ask(s, 0, 0, 8, false);
    for (unsigned n = 0; n < sizeof order / sizeof order[0]; n++) {
        assert_int_equal(client(s, 0)->pc, order[n]);
        assert_int_equal(disk_see(s->w, 0)->queued, order[n] > CLIENT_HANDLE);
        assert_null(invariants_broken(s->w));
        small_go(s, 0);
    }
    assert_int_equal(client(s, 0)->pc, CLIENT_TURN);
    small_free(s);
}

static void each_page_of_a_bio_goes_through_the_cache(void **state)
{
    /* Breaks when pages are left out or taken twice: three pages, three members' stripes. */
    struct small *s = array((struct small_plan){ .stripes = 4, .bio_sectors = 64 });
    unsigned lookups = 0, attaches = 0;

    (void)state;
    small_ask(s, 0, 4, 20, false); /* half a page and two */
    while (client(s, 0)->pc != CLIENT_TURN) {
        small_go(s, 0);
        lookups += (unsigned)small_units(s, WORK_LOOKUP);
        attaches += (unsigned)small_units(s, WORK_ATTACH);
    }
    assert_int_equal(lookups, 3);
    assert_int_equal(attaches, 3);
    assert_int_equal(bio_see(s->w, 0)->left, 3);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void overlapping_reads_of_one_page_wait_for_each_other(void **state)
{
    /* Breaks when the rule of 4.5 is not applied: it unplugs, lets go of the stripe, and sleeps
     * until the pending bio has been taken. */
    struct small *s = array((struct small_plan){ .stripes = 4 });

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_ask(s, 1, 4, 4, false);
    small_run(s, 1, CLIENT_OVERLAP);
    array_at(s->w, 0)->plugged = 1;
    small_go(s, 1);
    assert_int_equal(array_see(s->w, 0)->plugged, 0);
    assert_true(client(s, 1)->asleep);
    assert_int_equal(client(s, 1)->waits_on, WAIT_OVERLAP);
    assert_int_equal(system_ways(&system_md, s->w, 1), 0);
    assert_null(invariants_broken(s->w));
    small_serve(s);
    assert_true(client(s, 1)->asleep);
    assert_int_equal(client(s, 1)->waits_on, WAIT_OVERLAP);
    small_run(s, actor_raid5d(&s->w->shape), RAID5D_RELEASE);
    assert_false(client(s, 1)->asleep);
    assert_true(small_woke(s, 1));
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 1)->in_flight, 0);
    small_free(s);
}

static void disjoint_reads_share_a_page(void **state)
{
    /* Breaks when any second bio on a page counts as overlap: neighbours do not touch, in whatever
     * order they come, and hang sorted. */
    static const uint64_t order[][3] = { { 0, 2, 5 }, { 5, 2, 0 }, { 2, 5, 0 } };

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct small *s = array((struct small_plan){ .stripes = 4, .tags_per_page = 8 });
        uint64_t from, to, last = 0;
        unsigned count = 0;

        for (actor_id c = 0; c < 3; c++)
            small_submit(s, c, order[n][c], order[n][c] == 2 ? 3 : 2, false);
        for (piece_id p = slot_see(s->w, small_find(s, 0), 0)->toread; p != NONE32;
             p = piece_see(s->w, p)->next, count++) {
            piece_extent(s->w, p, &from, &to);
            assert_true(from >= last);
            last = to;
        }
        assert_int_equal(count, 3);
        assert_int_equal(disk_see(s->w, 0)->queued, 1); /* one member read for all */
        assert_int_equal(small_settle(s), 0);
        small_free(s);
    }
}

static void a_read_never_waits_for_another_page_of_the_stripe(void **state)
{
    /* Breaks when the overlap rule looks beyond its slot. */
    struct small *s = array((struct small_plan){ .stripes = 4 });

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_submit(s, 1, small_sector(s, 1, 0), 8, false);
    assert_int_equal(client(s, 1)->pc, CLIENT_TURN);
    assert_int_equal(small_find(s, 0), 0);
    assert_int_equal(array_see(s->w, 0)->active, 1);
    small_free(s);
}

static void an_overlap_that_has_gone_meanwhile_is_not_waited_for(void **state)
{
    /* Breaks as a lost wake-up: the flag is cleared between the test and the sleep (4.1). */
    struct small *s = array((struct small_plan){ .stripes = 4 });

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_serve(s);
    small_ask(s, 1, 4, 4, false);
    small_run(s, 1, CLIENT_OVERLAP);
    small_run(s, actor_raid5d(&s->w->shape), RAID5D_PICK);
    assert_int_equal(stripe_see(s->w, 0)->count, 1); /* the stripe is client 1's: no handling yet */
    handle_stripe(s->w, actor_raid5d(&s->w->shape), 0, &s->e);
    small_go(s, 1);
    assert_false(client(s, 1)->asleep);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void who_finds_no_stripe_unplugs_the_members_before_it_sleeps(void **state)
{
    /* Breaks when those it waits for sit in plugged queues: everybody would wait (3.6, 3c). */
    struct small *s = array((struct small_plan){ .stripes = 1, .active_limit = 100 });

    (void)state;
    small_submit(s, 0, small_sector(s, 0, 0), 8, false);
    small_ask(s, 1, small_sector(s, 0, 1), 8, false);
    small_run(s, 1, CLIENT_RETRY);
    assert_int_equal(small_count(s, EFFECT_UNPLUG), 1);
    assert_int_equal(small_marks(s, MARK_BLOCKED), 1);
    assert_true(client(s, 1)->asleep);
    assert_int_equal(client(s, 1)->waits_on, WAIT_STRIPE);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 1)->in_flight, 0);
    small_free(s);
}

static void a_woken_waiter_starts_the_lookup_over(void **state)
{
    /* Breaks when it takes what it was woken for: the stripe it wants has appeared meanwhile, and
     * must be found, not doubled (3.6). */
    struct small *s = array((struct small_plan){ .stripes = 4, .rows = 8 });
    const uint64_t wanted = 5 * 16; /* the first data page of row 5 */
    stripe_id id[4];

    (void)state;
    for (uint64_t page = 0; page < 4; page++) {
        s->e.count = 0;
        cache_lookup(s->w, page * PAGE_SECTORS,
                     geometry_parity(&s->w->shape.geometry, page * PAGE_SECTORS), &id[page], &s->e);
    }
    for (actor_id c = 1; c < 3; c++) {
        small_ask(s, c, wanted, 8, false);
        small_run(s, c, CLIENT_RETRY);
    }
    for (unsigned n = 0; n < 4; n++) {
        s->e.count = 0;
        cache_release(s->w, id[n], &s->e);
    }
    small_go(s, 1);
    assert_int_equal(small_marks(s, MARK_MISS), 1);
    small_go(s, 2);
    assert_int_equal(small_marks(s, MARK_HIT), 1);
    assert_int_equal(client(s, 1)->stripe, client(s, 2)->stripe);
    assert_int_equal(stripe_see(s->w, client(s, 1)->stripe)->count, 2);
    assert_null(invariants_broken(s->w));
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 1)->in_flight + client_see(s->w, 2)->in_flight, 0);
    small_free(s);
}

static void the_first_page_plugs_the_array_and_arms_the_timer_once(void **state)
{
    /* Breaks when the plug's timer starts anew with every page, or never (4.1 f). */
    struct small *s = array((struct small_plan){ .stripes = 4 });
    unsigned armed = 0;

    (void)state;
    small_ask(s, 0, 0, 16, false);
    while (client(s, 0)->pc != CLIENT_UNPLUG) {
        small_go(s, 0);
        for (uint32_t i = 0; i < s->e.count; i++)
            if (s->e.list[i].kind == EFFECT_ARM) {
                assert_int_equal(s->e.list[i].who, actor_timer(&s->w->shape));
                assert_int_equal(s->e.list[i].amount, 3000000);
                armed++;
            }
    }
    assert_int_equal(armed, 1);
    assert_int_equal(array_see(s->w, 0)->plugged, 1);
    small_go(s, 0); /* direct I/O unplugs before it waits */
    assert_int_equal(array_see(s->w, 0)->plugged, 0);
    assert_int_equal(small_count(s, EFFECT_UNPLUG), 1);
    small_free(s);
}

static void the_plug_timer_unplugs_and_has_nothing_to_do_afterwards(void **state)
{
    /* Breaks when the timer leaves the plug in, or runs without one. */
    struct small *s = array((struct small_plan){ .stripes = 4 });
    actor_id timer = actor_timer(&s->w->shape);

    (void)state;
    assert_int_equal(system_ways(&system_md, s->w, timer), 0);
    small_ask(s, 0, 0, 8, false);
    small_run(s, 0, CLIENT_RELEASE);
    assert_int_equal(system_ways(&system_md, s->w, timer), 1);
    small_go(s, timer); /* it is due */
    small_go(s, timer);
    assert_int_equal(array_see(s->w, 0)->plugged, 0);
    assert_true(small_woke(s, actor_raid5d(&s->w->shape)));
    assert_int_equal(system_ways(&system_md, s->w, timer), 0);
    small_free(s);
}

static void an_array_without_plug_never_plugs(void **state)
{
    /* Breaks when array_plug = 0 is parsed and ignored. */
    struct small *s = array((struct small_plan){ .stripes = 4, .no_plug = 1 });

    (void)state;
    small_ask(s, 0, 0, 8, false);
    small_run(s, 0, CLIENT_UNPLUG);
    assert_int_equal(array_see(s->w, 0)->plugged, 0);
    small_free(s);
}

static void a_read_within_a_chunk_may_pass_the_cache_by(void **state)
{
    /* Breaks when the bypass is ignored, or takes a read that crosses a chunk (4.4). */
    struct small *s = array((struct small_plan){
        .stripes = 4, .bypass = 1, .chunk_pages = 2, .bio_sectors = 64, .clients = 2 });

    (void)state;
    small_submit(s, 0, 4, 12, false);
    assert_int_equal(disk_see(s->w, 0)->queued, 1);
    assert_int_equal(io_see(s->w, io_of_bio(s->w, 0, 0))->sectors, 12);
    assert_int_equal(array_see(s->w, 0)->active, 0);
    small_submit(s, 1, 8, 16, false);
    assert_int_equal(array_see(s->w, 0)->active, 2);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_handles_its_stripe_itself_and_then_lets_go),
        cmocka_unit_test(each_page_of_a_bio_goes_through_the_cache),
        cmocka_unit_test(overlapping_reads_of_one_page_wait_for_each_other),
        cmocka_unit_test(disjoint_reads_share_a_page),
        cmocka_unit_test(a_read_never_waits_for_another_page_of_the_stripe),
        cmocka_unit_test(an_overlap_that_has_gone_meanwhile_is_not_waited_for),
        cmocka_unit_test(who_finds_no_stripe_unplugs_the_members_before_it_sleeps),
        cmocka_unit_test(a_woken_waiter_starts_the_lookup_over),
        cmocka_unit_test(the_first_page_plugs_the_array_and_arms_the_timer_once),
        cmocka_unit_test(the_plug_timer_unplugs_and_has_nothing_to_do_afterwards),
        cmocka_unit_test(an_array_without_plug_never_plugs),
        cmocka_unit_test(a_read_within_a_chunk_may_pass_the_cache_by),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
