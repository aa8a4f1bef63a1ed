/* The stripe cache of md-2.6.15: hash, lists, lookup, release, hysteresis (behaviour spec 3). */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static struct small *cache(struct small_plan plan)
{
    plan.level = LEVEL_RAID5;
    plan.rows = plan.rows ? plan.rows : 64;
    plan.clients = 5;
    return small_new(plan);
}

static enum lookup look(struct small *s, uint64_t page, stripe_id *id)
{
    s->e.count = 0;
    return cache_lookup(s->w, page * PAGE_SECTORS,
                        geometry_parity(&s->w->shape.geometry, page * PAGE_SECTORS), id, &s->e);
}

static stripe_id get(struct small *s, uint64_t page)
{
    stripe_id id;

    assert_int_not_equal(look(s, page, &id), LOOKUP_BLOCKED);
    return id;
}

static void put(struct small *s, stripe_id id)
{
    s->e.count = 0;
    cache_release(s->w, id, &s->e);
}

static struct array *array(struct small *s)
{
    return array_at(s->w, 0);
}

static void a_sectors_bucket_is_its_page_modulo_their_number(void **state)
{
    /* Breaks when the hash is another than the driver's (3.1). */
    struct small *s = cache((struct small_plan){ .stripes = 16, .buckets = 8 });

    (void)state;
    for (uint64_t page = 0; page < 16; page++) {
        stripe_id id = get(s, page * 3);

        assert_int_equal(*bucket_see(s->w, page * 3 % 8), id);
    }
    small_free(s);
}

static void new_stripes_stand_at_the_front_of_their_chain(void **state)
{
    /* Breaks when a chain is filled at its end: the youngest would be the farthest (3.1). */
    struct small *s = cache((struct small_plan){ .stripes = 4, .buckets = 1 });
    stripe_id id[4];

    (void)state;
    for (uint64_t page = 0; page < 4; page++)
        id[page] = get(s, page);
    for (uint64_t page = 0; page < 4; page++) {
        assert_int_equal(get(s, page), id[page]);
        assert_int_equal(small_units(s, WORK_CHAIN), 3 - page); /* strangers passed */
        assert_int_equal(small_units(s, WORK_FOUND), 1);
    }
    small_free(s);
}

static void idle_stripes_are_recycled_from_the_head_first_in_first_out(void **state)
{
    /* Breaks when another than the longest idle one is recycled (3.2). */
    struct small *s = cache((struct small_plan){ .stripes = 4, .buckets = 8 });
    stripe_id id[4];

    (void)state;
    for (uint64_t page = 0; page < 4; page++)
        id[page] = get(s, page);
    static const unsigned order[] = { 2, 0, 3, 1 };
    for (unsigned n = 0; n < 4; n++)
        put(s, id[order[n]]);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(small_nth(s, LIST_INACTIVE, n), id[order[n]]);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(get(s, 10 + n), id[order[n]]);
        assert_int_equal(small_find(s, order[n]), NONE16); /* it forgot what it was */
    }
    small_free(s);
}

static void an_idle_stripe_stays_hashed_and_keeps_its_pages(void **state)
{
    /* Breaks when the cache is none: a stripe released would have to be read again. */
    struct small *s = cache((struct small_plan){ .stripes = 4 });
    stripe_id id = get(s, 5), again;

    (void)state;
    slot_at(s->w, id, 1)->flags |= SLOT_UPTODATE;
    put(s, id);
    assert_int_equal(look(s, 5, &again), LOOKUP_HIT);
    assert_int_equal(again, id);
    assert_true(slot_see(s->w, id, 1)->flags & SLOT_UPTODATE);
    small_free(s);
}

static void a_recycled_stripe_forgets_everything(void **state)
{
    /* Breaks when a page of another sector passes for this one's (3.7). */
    struct small *s = cache((struct small_plan){ .stripes = 1, .active_limit = 100 });
    stripe_id id = get(s, 5);

    (void)state;
    for (unsigned d = 0; d < 3; d++)
        slot_at(s->w, id, d)->flags = SLOT_UPTODATE | SLOT_INSYNC | SLOT_OVERWRITE;
    stripe_at(s->w, id)->state |= STRIPE_DEGRADED;
    *tags_at(s->w, 0) = 99;
    put(s, id);
    assert_int_equal(get(s, 6), id);
    for (unsigned d = 0; d < 3; d++)
        assert_int_equal(slot_see(s->w, id, d)->flags, 0);
    assert_int_equal(stripe_see(s->w, id)->state, STRIPE_HASHED);
    assert_int_equal(stripe_see(s->w, id)->sector, 6 * PAGE_SECTORS);
    assert_true(*tags_see(s->w, 0) == 0);
    assert_int_equal(small_units(s, WORK_UNMAP), 2); /* every slot but parity */
    small_free(s);
}

static void a_hit_takes_an_unused_stripe_off_whatever_list_it_is_on(void **state)
{
    /* Breaks when a stripe is used and listed at once, or loses its being active (3.2, 3.6). */
    static const enum stripe_list lists[] = { LIST_INACTIVE, LIST_HANDLE, LIST_DELAYED,
                                              LIST_BITMAP };
    static const uint16_t why[] = { [LIST_INACTIVE] = 0,
                                    [LIST_HANDLE] = STRIPE_HANDLE,
                                    [LIST_DELAYED] = STRIPE_HANDLE | STRIPE_DELAYED,
                                    [LIST_BITMAP] = STRIPE_HANDLE | STRIPE_BIT_DELAY };

    (void)state;
    for (unsigned n = 0; n < sizeof lists / sizeof lists[0]; n++) {
        enum stripe_list l = lists[n];
        struct small *s = cache((struct small_plan){ .stripes = 4 });
        stripe_id id = get(s, 5), again;

        stripe_at(s->w, id)->state |= why[l];
        put(s, id);
        assert_int_equal(stripe_see(s->w, id)->list, l);
        assert_int_equal(array(s)->active, l != LIST_INACTIVE);
        assert_null(invariants_broken(s->w));
        assert_int_equal(look(s, 5, &again), LOOKUP_HIT);
        assert_int_equal(stripe_see(s->w, id)->list, LIST_NONE);
        assert_int_equal(small_listed(s, (enum stripe_list)l), l == LIST_INACTIVE ? 3 : 0);
        assert_int_equal(array(s)->active, 1);
        small_free(s);
    }
}

static void only_the_last_release_files_a_stripe(void **state)
{
    /* Breaks when a stripe in somebody's hands is recycled. */
    struct small *s = cache((struct small_plan){ .stripes = 4 });
    stripe_id id = get(s, 5);

    (void)state;
    get(s, 5);
    put(s, id);
    assert_int_equal(stripe_see(s->w, id)->list, LIST_NONE);
    put(s, id);
    assert_int_equal(stripe_see(s->w, id)->list, LIST_INACTIVE);
    expect_assert_failure(put(s, id));
    small_free(s);
}

static void a_stripe_to_be_handled_wakes_raid5d_and_an_idle_one_does_not(void **state)
{
    /* Breaks when work waits for a thread that sleeps, or sleepers are woken for nothing (3.8). */
    (void)state;
    for (unsigned handle = 0; handle < 2; handle++) {
        struct small *s = cache((struct small_plan){ .stripes = 4 });
        stripe_id id = get(s, 5);

        stripe_at(s->w, id)->state |= handle ? STRIPE_HANDLE : 0;
        put(s, id);
        assert_int_equal(small_woke(s, actor_raid5d(&s->w->shape)), handle);
        assert_int_equal(array(s)->raid5d_wanted, handle);
        small_free(s);
    }
}

/* Uses up the cache and has one more lookup blocked. */
static void exhaust(struct small *s, stripe_id *id, unsigned n)
{
    stripe_id none;

    for (unsigned page = 0; page < n; page++)
        id[page] = get(s, page);
    assert_int_equal(look(s, 40, &none), LOOKUP_BLOCKED);
    assert_int_equal(array(s)->inactive_blocked, 1);
}

static void once_blocked_every_miss_blocks_though_something_is_idle(void **state)
{
    /* Breaks when newcomers steal the stripes that are being gathered; hits never block (3.6). */
    struct small *s = cache((struct small_plan){ .stripes = 8 });
    stripe_id id[8], any;

    (void)state;
    exhaust(s, id, 8);
    put(s, id[0]);
    assert_int_equal(small_listed(s, LIST_INACTIVE), 1);
    assert_int_equal(look(s, 41, &any), LOOKUP_BLOCKED);
    assert_int_equal(look(s, 3, &any), LOOKUP_HIT);
    assert_int_equal(look(s, 0, &any), LOOKUP_HIT); /* idle, but its own */
    small_free(s);
}

static void waiters_go_on_below_three_quarters(void **state)
{
    /* Breaks when the mark is not "fewer than three quarters in use": 16 stripes, 11 in use. */
    struct small *s = cache((struct small_plan){ .stripes = 16 });
    stripe_id id[16];

    (void)state;
    exhaust(s, id, 16);
    assert_false(cache_may_retry(s->w, 0));
    for (unsigned n = 0; n < 16; n++) {
        bool may;

        put(s, id[n]);
        may = array(s)->active < 12;
        assert_int_equal(cache_may_retry(s->w, 0), may);
        if (may)
            break;
    }
    assert_int_equal(array(s)->active, 11);
    small_free(s);
}

static void the_first_that_passes_clears_the_flag_for_all(void **state)
{
    /* Breaks when each waiter needs a mark of its own: above the mark the others pass only because
     * the flag is clear. */
    struct small *s = cache((struct small_plan){ .stripes = 8 });
    stripe_id id[8];

    (void)state;
    exhaust(s, id, 8);
    for (unsigned n = 0; n < 3; n++)
        put(s, id[n]);
    assert_true(cache_may_retry(s->w, 0));
    assert_int_equal(array(s)->inactive_blocked, 0);
    get(s, 20);
    get(s, 21); /* seven in use: above the mark again */
    assert_true(cache_may_retry(s->w, 0));
    get(s, 22);
    assert_false(cache_may_retry(s->w, 0)); /* nothing is idle */
    small_free(s);
}

static unsigned woken_by_release(uint8_t policy, unsigned released, unsigned *sleepers)
{
    struct small *s = cache((struct small_plan){ .stripes = 8, .wake_policy = policy });
    stripe_id id[8];
    unsigned woken;

    exhaust(s, id, 8);
    for (unsigned n = 0; n < released - 1; n++)
        put(s, id[n]);
    for (actor_id c = 0; c < 3; c++)
        waits_sleep(s->w, c, WAIT_STRIPE);
    put(s, id[released - 1]);
    woken = small_count(s, EFFECT_WAKE);
    *sleepers = waits_see(s->w, WAIT_STRIPE)->sleepers;
    small_free(s);
    return woken;
}

static void the_gated_policy_wakes_nobody_above_the_mark_and_all_below(void **state)
{
    /* Breaks when 2.6.15 wakes at every release, or one at a time (3.8, 3.9). Six of eight is the
     * mark: the third release is the first below it. */
    unsigned sleepers;

    (void)state;
    assert_int_equal(woken_by_release(WAKE_GATED, 1, &sleepers), 0);
    assert_int_equal(woken_by_release(WAKE_GATED, 2, &sleepers), 0);
    assert_int_equal(sleepers, 3);
    assert_int_equal(woken_by_release(WAKE_GATED, 3, &sleepers), 3);
    assert_int_equal(sleepers, 0);
}

static void wake_all_wakes_all_and_wake_one_one_at_every_release(void **state)
{
    /* Breaks when the other policies are the first one in disguise. */
    unsigned sleepers;

    (void)state;
    assert_int_equal(woken_by_release(WAKE_ALL, 1, &sleepers), 3);
    assert_int_equal(sleepers, 0);
    assert_int_equal(woken_by_release(WAKE_ONE, 1, &sleepers), 1);
    assert_int_equal(sleepers, 2);
}

static void a_miss_below_the_mark_does_not_sleep(void **state)
{
    /* Breaks when a lookup that finds the flag set sleeps without asking whether it has to: the
     * driver tests the condition before it sleeps, not only after (3.6, step 3c). */
    struct small *s = cache((struct small_plan){ .stripes = 8 });
    stripe_id id[8];

    (void)state;
    exhaust(s, id, 8);
    for (unsigned n = 0; n < 3; n++)
        put(s, id[n]);
    small_ask(s, 0, 42 * 16, 8, false);
    small_run(s, 0, CLIENT_LOOKUP);
    small_go(s, 0);
    assert_false(actor_see(s->w, 0)->asleep);
    small_free(s);
}

static void delayed_stripes_go_on_all_together_when_nobody_has_permission(void **state)
{
    /* Breaks when activation takes one at a time, or while a generation is still reading (3.10). */
    struct small *s = cache((struct small_plan){ .stripes = 8 });
    stripe_id id[3];

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        id[n] = get(s, n);
        stripe_at(s->w, id[n])->state |= STRIPE_HANDLE | STRIPE_DELAYED;
        put(s, id[n]);
    }
    array(s)->preread_active = 1;
    cache_activate_delayed(s->w, &s->e);
    assert_int_equal(small_listed(s, LIST_DELAYED), 3);
    array(s)->preread_active = 0;
    cache_activate_delayed(s->w, &s->e);
    assert_int_equal(small_listed(s, LIST_DELAYED), 0);
    assert_int_equal(array(s)->preread_active, 3);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(small_nth(s, LIST_HANDLE, n), id[n]);
        assert_true(stripe_see(s->w, id[n])->state & STRIPE_PREREAD_ACTIVE);
        assert_false(stripe_see(s->w, id[n])->state & STRIPE_DELAYED);
    }
    assert_null(invariants_broken(s->w));
    small_free(s);
}

static void permission_ends_when_a_stripe_is_released_idle(void **state)
{
    /* Breaks when a finished generation blocks the next one for ever (3.8). */
    struct small *s = cache((struct small_plan){ .stripes = 8 });
    stripe_id id = get(s, 0);

    (void)state;
    stripe_at(s->w, id)->state |= STRIPE_PREREAD_ACTIVE;
    array(s)->preread_active = 1;
    put(s, id);
    assert_int_equal(array(s)->preread_active, 0);
    assert_true(small_woke(s, actor_raid5d(&s->w->shape)));
    assert_null(invariants_broken(s->w));
    small_free(s);
}

static void unplug_activates_and_closes_the_batch_only_if_plugged(void **state)
{
    /* Breaks when an unplug of an unplugged array has the effects of one (10.1). */
    struct small *s = cache((struct small_plan){ .stripes = 8 });
    stripe_id id = get(s, 0);

    (void)state;
    stripe_at(s->w, id)->state |= STRIPE_HANDLE | STRIPE_DELAYED;
    put(s, id);
    for (unsigned plugged = 0; plugged < 2; plugged++) {
        array(s)->plugged = (uint8_t)plugged;
        array(s)->raid5d_wanted = 0;
        s->e.count = 0;
        cache_unplug(s->w, &s->e);
        assert_int_equal(small_listed(s, LIST_DELAYED), !plugged);
        assert_int_equal(array(s)->seq_flush, plugged);
        assert_int_equal(array(s)->plugged, 0);
        assert_true(small_woke(s, actor_raid5d(&s->w->shape)));
        assert_int_equal(small_count(s, EFFECT_UNPLUG), 1);
    }
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sectors_bucket_is_its_page_modulo_their_number),
        cmocka_unit_test(new_stripes_stand_at_the_front_of_their_chain),
        cmocka_unit_test(idle_stripes_are_recycled_from_the_head_first_in_first_out),
        cmocka_unit_test(an_idle_stripe_stays_hashed_and_keeps_its_pages),
        cmocka_unit_test(a_recycled_stripe_forgets_everything),
        cmocka_unit_test(a_hit_takes_an_unused_stripe_off_whatever_list_it_is_on),
        cmocka_unit_test(only_the_last_release_files_a_stripe),
        cmocka_unit_test(a_stripe_to_be_handled_wakes_raid5d_and_an_idle_one_does_not),
        cmocka_unit_test(once_blocked_every_miss_blocks_though_something_is_idle),
        cmocka_unit_test(waiters_go_on_below_three_quarters),
        cmocka_unit_test(the_first_that_passes_clears_the_flag_for_all),
        cmocka_unit_test(the_gated_policy_wakes_nobody_above_the_mark_and_all_below),
        cmocka_unit_test(wake_all_wakes_all_and_wake_one_one_at_every_release),
        cmocka_unit_test(a_miss_below_the_mark_does_not_sleep),
        cmocka_unit_test(delayed_stripes_go_on_all_together_when_nobody_has_permission),
        cmocka_unit_test(permission_ends_when_a_stripe_is_released_idle),
        cmocka_unit_test(unplug_activates_and_closes_the_batch_only_if_plugged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
