/* handle_stripe of md-2.6.15 for reads of a healthy array (spec 6, steps 1, 2, 5); writes and
 * missing members are in test_handle_writes.c. */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

#include "model/tag.h"

static struct small *array(struct small_plan plan)
{
    plan.level = LEVEL_RAID5;
    return small_new(plan);
}

/* The stripe of member page 0, where slots up to date hold what the members hold. */
static stripe_id stripe_with(struct small *s, unsigned uptodate_mask)
{
    stripe_id id;

    s->e.count = 0;
    assert_int_equal(cache_lookup(s->w, 0, geometry_parity(&s->w->shape.geometry, 0), &id, &s->e),
                     LOOKUP_MISS);
    for (unsigned d = 0; d < s->plan.disks; d++)
        if (uptodate_mask & 1u << d) {
            media_read(s->w, d, 0, PAGE_SECTORS, slot_page(s->w, id, d));
            slot_at(s->w, id, d)->flags |= SLOT_UPTODATE;
        }
    cache_release(s->w, id, &s->e);
    return id;
}

static void handle(struct small *s, stripe_id id)
{
    s->e.count = 0;
    handle_stripe(s->w, 0, id, &s->e);
}

static void slots_are_taken_in_descending_order(void **state)
{
    /* Breaks when member reads of one pass are queued in another order than the driver's. */
    struct small *s = array((struct small_plan){ .clients = 3, .disks = 4 });
    unsigned n = 0, last = 4;

    (void)state;
    for (actor_id c = 0; c < 3; c++) {
        small_ask(s, c, small_sector(s, c, 0), 8, false);
        small_run(s, c, CLIENT_HANDLE);
    }
    small_go(s, 0);
    for (uint32_t i = 0; i < s->e.count; i++)
        if (s->e.list[i].kind == EFFECT_SUBMIT) {
            unsigned disk = io_disk(s->w, s->e.list[i].amount);

            assert_true(disk < last);
            last = disk;
            n++;
        }
    assert_int_equal(n, 3);
    small_free(s);
}

static void a_page_that_is_here_is_served_without_member_io(void **state)
{
    /* Breaks when the cache is not used. */
    struct small *s = array((struct small_plan){ .clients = 2 });

    (void)state;
    small_submit(s, 0, 0, 8, false);
    assert_int_equal(small_settle(s), 0);
    small_ask(s, 1, 0, 8, false);
    small_run(s, 1, CLIENT_HANDLE);
    small_go(s, 1);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 0);
    assert_int_equal(small_units(s, WORK_COPY_LINE), PAGE_BYTES / 64);
    assert_int_equal(slot_see(s->w, 0, 0)->toread, NONE32);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void half_a_page_costs_half_the_copying(void **state)
{
    /* Breaks when sub-page reads are charged for whole pages. */
    struct small *s = array((struct small_plan){ .clients = 1 });

    (void)state;
    stripe_with(s, 1);
    small_ask(s, 0, 4, 4, false);
    small_run(s, 0, CLIENT_HANDLE);
    small_go(s, 0);
    assert_int_equal(small_units(s, WORK_COPY_LINE), PAGE_BYTES / 64 / 2);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void the_last_missing_page_is_computed_from_all_others(void **state)
{
    /* Breaks when a page is read though n-1 are here (step 5), or computed wrong: the oracle looks
     * at what the reader gets. */
    (void)state;
    for (unsigned missing = 0; missing < 3; missing++) {
        struct small *s = array((struct small_plan){ .disks = 4 });
        stripe_id id = stripe_with(s, 0xfu & ~(1u << missing));

        small_ask(s, 0, small_sector(s, missing, 0), 8, false);
        small_run(s, 0, CLIENT_HANDLE);
        small_go(s, 0);
        assert_int_equal(small_marks(s, MARK_COMPUTED), 1);
        assert_int_equal(small_count(s, EFFECT_SUBMIT), 0);
        assert_int_equal(small_units(s, WORK_XOR_LINE), 3 * PAGE_BYTES / 64);
        assert_true(slot_see(s->w, id, missing)->flags & SLOT_UPTODATE);
        assert_true(stripe_see(s->w, id)->state & STRIPE_HANDLE); /* a pass more fills the reader */
        assert_int_equal(small_settle(s), 0);
        assert_int_equal(client_see(s->w, 0)->in_flight, 0);
        small_free(s);
    }
}

static void with_two_pages_missing_one_is_read(void **state)
{
    /* Breaks when a page is computed from pages that are not there. */
    struct small *s = array((struct small_plan){ .disks = 4 });

    (void)state;
    stripe_with(s, 0x9);
    small_ask(s, 0, small_sector(s, 1, 0), 8, false);
    small_run(s, 0, CLIENT_HANDLE);
    small_go(s, 0);
    assert_int_equal(small_marks(s, MARK_COMPUTED), 0);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 1);
    assert_int_equal(disk_see(s->w, 1)->queued, 1);
    small_free(s);
}

static void a_page_on_its_way_is_not_asked_for_again(void **state)
{
    /* Breaks when a LOCKED slot is fetched a second time. */
    struct small *s = array((struct small_plan){ .clients = 2 });

    (void)state;
    small_submit(s, 0, 0, 4, false);
    small_submit(s, 1, 4, 4, false);
    assert_int_equal(disk_see(s->w, 0)->queued, 1);
    assert_int_equal(stripe_see(s->w, 0)->count, 1);
    handle(s, 0);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 0);
    small_free(s);
}

static void a_pass_clears_handle_first_and_fetching_sets_it_again(void **state)
{
    /* Breaks when HANDLE is cleared after the look: what came meanwhile would be forgotten. */
    struct small *s = array((struct small_plan){ .clients = 1 });
    stripe_id id = stripe_with(s, 0);

    (void)state;
    stripe_at(s->w, id)->state |= STRIPE_HANDLE | STRIPE_DELAYED;
    handle(s, id);
    assert_int_equal(stripe_see(s->w, id)->state, STRIPE_HASHED);
    small_ask(s, 0, 0, 8, false);
    small_run(s, 0, CLIENT_HANDLE);
    small_go(s, 0);
    assert_true(stripe_see(s->w, id)->state & STRIPE_HANDLE);
    small_free(s);
}

static void a_pass_looks_at_every_slot(void **state)
{
    /* Breaks when a pass over n members costs less than n slots. */
    (void)state;
    for (uint8_t disks = 3; disks <= 12; disks += 3) {
        struct small *s = array((struct small_plan){ .disks = disks });
        stripe_id id = stripe_with(s, 0);

        handle(s, id);
        assert_int_equal(small_units(s, WORK_SLOT), disks);
        assert_int_equal(small_units(s, WORK_HANDLE), 1);
        small_free(s);
    }
}

static void a_stripe_full_of_readers_is_filled_in_one_pass(void **state)
{
    /* Breaks when a step reports more than effects_needed() promises: every sector of every page of
     * a stripe of twenty members has a reader of its own, and all data come at once. */
    struct small *s = array((struct small_plan){ .disks = 20,
                                                 .depth = 19 * 8,
                                                 .tags_per_page = 8,
                                                 .stripes = 2,
                                                 .rows = 2,
                                                 .max_pages = 1 });
    uint64_t left;

    (void)state;
    for (unsigned d = 0; d < 20; d++)
        for (unsigned g = 0; d != geometry_parity(&s->w->shape.geometry, 0) && g < 8; g++)
            small_submit(s, 0, small_sector(s, d, 0) + g, 1, false);
    small_serve(s);
    left = client_see(s->w, 0)->in_flight;
    assert_int_equal(left, 19 * 8);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(s->w, 0)->in_flight, 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_taken_in_descending_order),
        cmocka_unit_test(a_page_that_is_here_is_served_without_member_io),
        cmocka_unit_test(half_a_page_costs_half_the_copying),
        cmocka_unit_test(the_last_missing_page_is_computed_from_all_others),
        cmocka_unit_test(with_two_pages_missing_one_is_read),
        cmocka_unit_test(a_page_on_its_way_is_not_asked_for_again),
        cmocka_unit_test(a_pass_clears_handle_first_and_fetching_sets_it_again),
        cmocka_unit_test(a_pass_looks_at_every_slot),
        cmocka_unit_test(a_stripe_full_of_readers_is_filled_in_one_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
