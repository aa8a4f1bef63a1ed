/* raid5d of md-2.6.15: one thread, a "please run" bit, stripes from the head of the handle list
 * (spec 10.1). */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static struct small *array(void)
{
    return small_new((struct small_plan){ .level = LEVEL_RAID5, .clients = 3, .stripes = 8 });
}

static actor_id raid5d(const struct small *s)
{
    return actor_raid5d(&s->w->shape);
}

/* Puts `n` stripes on the handle list; a fresh world's n-th stripe is page n. */
static void queue(struct small *s, unsigned n, uint16_t why)
{
    for (uint64_t page = 0; page < n; page++) {
        stripe_id id;

        s->e.count = 0;
        cache_lookup(s->w, page * PAGE_SECTORS,
                     geometry_parity(&s->w->shape.geometry, page * PAGE_SECTORS), &id, &s->e);
        stripe_at(s->w, id)->state |= why;
        cache_release(s->w, id, &s->e);
    }
}

static void it_sleeps_until_it_is_wanted(void **state)
{
    /* Breaks when raid5d spins, or does not run when asked to. */
    struct small *s = array();

    (void)state;
    assert_int_equal(system_ways(&system_md, s->w, raid5d(s)), 0);
    cache_wake_raid5d(s->w, &s->e);
    assert_int_equal(system_ways(&system_md, s->w, raid5d(s)), 1);
    small_free(s);
}

static void the_bit_is_cleared_before_the_body_so_a_wake_in_it_means_one_more_run(void **state)
{
    /* Breaks as the classic lost wake-up: a wake that comes while the body runs (3.9). */
    struct small *s = array();

    (void)state;
    cache_wake_raid5d(s->w, &s->e);
    small_go(s, raid5d(s));
    assert_int_equal(actor_see(s->w, raid5d(s))->pc, RAID5D_PICK);
    assert_int_equal(array_see(s->w, 0)->raid5d_wanted, 0);
    s->e.count = 0;
    cache_wake_raid5d(s->w, &s->e);
    small_run(s, raid5d(s), RAID5D_SLEEP);
    assert_int_equal(system_ways(&system_md, s->w, raid5d(s)), 1);
    small_go(s, raid5d(s));
    small_run(s, raid5d(s), RAID5D_SLEEP);
    assert_int_equal(system_ways(&system_md, s->w, raid5d(s)), 0);
    small_free(s);
}

static void it_takes_stripes_from_the_head_of_the_handle_list(void **state)
{
    /* Breaks when stripes are handled in another order than they were filed in, or twice. */
    struct small *s = array();

    (void)state;
    queue(s, 4, STRIPE_HANDLE);
    small_go(s, raid5d(s));
    for (stripe_id n = 0; n < 4; n++) {
        small_run(s, raid5d(s), RAID5D_HANDLE);
        assert_int_equal(actor_see(s->w, raid5d(s))->stripe, n);
        assert_int_equal(stripe_see(s->w, n)->count, 1);
        assert_null(invariants_broken(s->w));
        small_run(s, raid5d(s), RAID5D_PICK);
        assert_int_equal(stripe_see(s->w, n)->list, LIST_INACTIVE);
    }
    small_go(s, raid5d(s));
    assert_int_equal(actor_see(s->w, raid5d(s))->pc, RAID5D_SLEEP);
    small_free(s);
}

static void with_nothing_left_it_unplugs_the_members(void **state)
{
    /* Breaks when what it has queued waits for the members' own timers (10.1, 4). */
    struct small *s = array();

    (void)state;
    cache_wake_raid5d(s->w, &s->e);
    small_go(s, raid5d(s));
    small_go(s, raid5d(s));
    assert_int_equal(small_count(s, EFFECT_UNPLUG), 1);
    small_free(s);
}

static void delayed_stripes_wait_while_the_array_is_plugged(void **state)
{
    /* Breaks when the plug does not hold delayed stripes back (10.1). */
    (void)state;
    for (unsigned plugged = 0; plugged < 2; plugged++) {
        struct small *s = array();

        queue(s, 3, STRIPE_HANDLE | STRIPE_DELAYED);
        array_at(s->w, 0)->plugged = (uint8_t)plugged;
        small_go(s, raid5d(s));
        small_go(s, raid5d(s));
        assert_int_equal(small_listed(s, LIST_DELAYED), plugged ? 3 : 0);
        assert_int_equal(actor_see(s->w, raid5d(s))->pc, plugged ? RAID5D_SLEEP : RAID5D_HANDLE);
        small_free(s);
    }
}

static void a_completion_files_its_stripe_for_raid5d(void **state)
{
    /* Breaks when a page has come and nobody is told (8.3). */
    struct small *s = array();

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_run(s, raid5d(s), RAID5D_PICK); /* the submitter's unplug had woken it */
    small_run(s, raid5d(s), RAID5D_SLEEP);
    small_go(s, actor_disk(&s->w->shape, 0));
    small_go(s, actor_completion(&s->w->shape, 0));
    assert_true(small_woke(s, raid5d(s)));
    assert_int_equal(small_listed(s, LIST_HANDLE), 1);
    assert_int_equal(slot_see(s->w, 0, 0)->flags & (SLOT_UPTODATE | SLOT_LOCKED), SLOT_UPTODATE);
    small_run(s, raid5d(s), RAID5D_RELEASE);
    assert_int_equal(small_count(s, EFFECT_REPLY), 1);
    assert_true(small_woke(s, 0));
    small_free(s);
}

static void a_completion_asks_for_handling_itself(void **state)
{
    /* Breaks when a completion relies on HANDLE having been set by whoever began the read: a pass
     * in between may have cleared it. */
    struct small *s = array();

    (void)state;
    small_submit(s, 0, 0, 8, false);
    stripe_at(s->w, 0)->state &= (uint16_t)~STRIPE_HANDLE;
    small_go(s, actor_disk(&s->w->shape, 0));
    small_go(s, actor_completion(&s->w->shape, 0));
    assert_int_equal(stripe_see(s->w, 0)->list, LIST_HANDLE);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void a_stripe_with_other_reads_on_the_way_is_filed_after_the_last(void **state)
{
    /* Breaks when a completion files a stripe whose other I/O still holds a reference. */
    struct small *s = array();

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_submit(s, 1, small_sector(s, 1, 0), 8, false);
    assert_int_equal(stripe_see(s->w, 0)->count, 2);
    small_go(s, actor_disk(&s->w->shape, 0));
    small_go(s, actor_completion(&s->w->shape, 0));
    assert_int_equal(stripe_see(s->w, 0)->list, LIST_NONE);
    small_go(s, actor_disk(&s->w->shape, 1));
    small_go(s, actor_completion(&s->w->shape, 1));
    assert_int_equal(stripe_see(s->w, 0)->list, LIST_HANDLE);
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sleeps_until_it_is_wanted),
        cmocka_unit_test(the_bit_is_cleared_before_the_body_so_a_wake_in_it_means_one_more_run),
        cmocka_unit_test(it_takes_stripes_from_the_head_of_the_handle_list),
        cmocka_unit_test(with_nothing_left_it_unplugs_the_members),
        cmocka_unit_test(delayed_stripes_wait_while_the_array_is_plugged),
        cmocka_unit_test(a_completion_files_its_stripe_for_raid5d),
        cmocka_unit_test(a_completion_asks_for_handling_itself),
        cmocka_unit_test(a_stripe_with_other_reads_on_the_way_is_filed_after_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
