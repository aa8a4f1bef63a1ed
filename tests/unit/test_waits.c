/* Wait queues: one line of sleepers; wake one, wake all. */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static struct small *sleepers(unsigned n)
{
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .clients = 5 });

    for (actor_id c = 0; c < n; c++)
        waits_sleep(s->w, c, WAIT_STRIPE);
    s->e.count = 0;
    return s;
}

static actor_id woken(const struct small *s, unsigned n)
{
    for (uint32_t i = 0; i < s->e.count; i++)
        if (s->e.list[i].kind == EFFECT_WAKE && n-- == 0)
            return s->e.list[i].who;
    return NONE16;
}

static void wake_all_wakes_everybody_the_last_to_come_first(void **state)
{
    /* Breaks when a sleeper is lost or woken twice, or the line is another than the kernel's: new
     * waiters join at the head. */
    struct small *s = sleepers(5);

    (void)state;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    for (actor_id c = 0; c < 5; c++) {
        assert_int_equal(woken(s, c), 4 - c);
        assert_false(actor_see(s->w, c)->asleep);
    }
    assert_int_equal(small_count(s, EFFECT_WAKE), 5);
    assert_int_equal(small_units(s, WORK_WAKE), 5);
    assert_int_equal(waits_see(s->w, WAIT_STRIPE)->sleepers, 0);
    assert_int_equal(waits_see(s->w, WAIT_STRIPE)->waiters, 5); /* until each has looked */
    assert_null(invariants_broken(s->w));
    small_free(s);
}

static void a_second_wake_does_not_wake_who_is_awake(void **state)
{
    /* Breaks when a wake is charged for waiters that are looking already. */
    struct small *s = sleepers(3);

    (void)state;
    waits_wake_one(s->w, WAIT_STRIPE, &s->e);
    s->e.count = 0;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    assert_int_equal(small_count(s, EFFECT_WAKE), 2);
    s->e.count = 0;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    assert_int_equal(s->e.count, 0);
    small_free(s);
}

static void wake_one_wakes_a_single_one_and_leaves_the_others(void **state)
{
    /* Breaks when wake-one wakes more than one, or nobody while somebody sleeps. */
    struct small *s = sleepers(4);

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        s->e.count = 0;
        waits_wake_one(s->w, WAIT_STRIPE, &s->e);
        assert_int_equal(small_count(s, EFFECT_WAKE), 1);
        assert_int_equal(waits_see(s->w, WAIT_STRIPE)->sleepers, 3 - n);
        assert_null(invariants_broken(s->w));
    }
    small_free(s);
}

static void exclusive_waiters_are_woken_in_order_of_arrival(void **state)
{
    /* Breaks when the wake-one policy lets the first to come wait for ever. */
    struct small *s = small_new(
        (struct small_plan){ .level = LEVEL_RAID5, .clients = 5, .wake_policy = WAKE_ONE });

    (void)state;
    for (actor_id c = 0; c < 5; c++)
        waits_sleep(s->w, c, WAIT_STRIPE);
    for (actor_id c = 0; c < 5; c++) {
        s->e.count = 0;
        waits_wake_one(s->w, WAIT_STRIPE, &s->e);
        assert_int_equal(woken(s, 0), c);
        waits_leave(s->w, c);
        assert_null(invariants_broken(s->w));
    }
    small_free(s);
}

static void who_sleeps_again_keeps_its_place(void **state)
{
    /* Breaks when a waiter that looked in vain joins the queue a second time. */
    struct small *s = sleepers(3);

    (void)state;
    for (unsigned n = 0; n < 7; n++) {
        s->e.count = 0;
        waits_wake_all(s->w, WAIT_STRIPE, &s->e);
        for (actor_id c = 0; c < 3; c++) {
            assert_int_equal(woken(s, c), 2 - c);
            waits_sleep(s->w, n % 2 ? c : 2 - c, WAIT_STRIPE);
        }
        assert_int_equal(waits_see(s->w, WAIT_STRIPE)->waiters, 3);
        assert_null(invariants_broken(s->w));
    }
    small_free(s);
}

static void a_waiter_leaves_from_any_place(void **state)
{
    /* Breaks when head, middle or tail of the line cannot be taken out. */
    (void)state;
    for (actor_id who = 0; who < 3; who++) {
        struct small *s = sleepers(3);

        waits_wake_all(s->w, WAIT_STRIPE, &s->e);
        waits_leave(s->w, who);
        assert_int_equal(actor_see(s->w, who)->waits_on, WAIT_NONE);
        assert_int_equal(waits_see(s->w, WAIT_STRIPE)->waiters, 2);
        assert_null(invariants_broken(s->w));
        waits_leave(s->w, who); /* in no queue: nothing happens */
        assert_int_equal(waits_see(s->w, WAIT_STRIPE)->waiters, 2);
        small_free(s);
    }
}

static void waking_an_empty_queue_does_nothing(void **state)
{
    /* Breaks when a wake without sleepers is reported, or costs. */
    struct small *s = sleepers(0);

    (void)state;
    waits_wake_one(s->w, WAIT_STRIPE, &s->e);
    waits_wake_all(s->w, WAIT_OVERLAP, &s->e);
    assert_int_equal(s->e.count, 0);
    small_free(s);
}

static void the_two_queues_are_separate(void **state)
{
    /* Breaks when a wake for a stripe wakes who waits for an overlap to end. */
    struct small *s = sleepers(2);

    (void)state;
    waits_sleep(s->w, 2, WAIT_OVERLAP);
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    assert_true(actor_see(s->w, 2)->asleep);
    assert_int_equal(small_count(s, EFFECT_WAKE), 2);
    assert_null(invariants_broken(s->w));
    small_free(s);
}

static void nobody_sleeps_twice_or_leaves_asleep(void **state)
{
    /* Breaks when a sleeper is put into a second queue, or taken out of its own. */
    struct small *s = sleepers(1);

    (void)state;
    expect_assert_failure(waits_sleep(s->w, 0, WAIT_STRIPE));
    expect_assert_failure(waits_sleep(s->w, 0, WAIT_OVERLAP));
    expect_assert_failure(waits_leave(s->w, 0));
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    expect_assert_failure(waits_sleep(s->w, 0, WAIT_OVERLAP)); /* it has not left the first */
    small_free(s);
}

static void an_emptied_queue_is_equal_to_a_fresh_one(void **state)
{
    /* Breaks when the past leaves bytes behind. */
    struct small *s = sleepers(4), *fresh = sleepers(0);

    (void)state;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    for (actor_id c = 0; c < 4; c++)
        waits_leave(s->w, (actor_id)((c + 2) % 4));
    assert_memory_equal(s->w, fresh->w, world_bytes(s->w));
    small_free(s);
    small_free(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wake_all_wakes_everybody_the_last_to_come_first),
        cmocka_unit_test(a_second_wake_does_not_wake_who_is_awake),
        cmocka_unit_test(wake_one_wakes_a_single_one_and_leaves_the_others),
        cmocka_unit_test(exclusive_waiters_are_woken_in_order_of_arrival),
        cmocka_unit_test(who_sleeps_again_keeps_its_place),
        cmocka_unit_test(a_waiter_leaves_from_any_place),
        cmocka_unit_test(waking_an_empty_queue_does_nothing),
        cmocka_unit_test(the_two_queues_are_separate),
        cmocka_unit_test(nobody_sleeps_twice_or_leaves_asleep),
        cmocka_unit_test(an_emptied_queue_is_equal_to_a_fresh_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
