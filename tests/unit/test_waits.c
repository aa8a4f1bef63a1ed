/* Wait queues: one line of sleepers; wake one, wake all. */
#include "tests/lib/invariants.h"
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

static void wake_all_wakes_everybody_once_along_the_line(void **state)
{
    /* Breaks when a sleeper is lost or woken twice, or the line is neither that of arrival nor its
     * reverse. */
    struct small *s = sleepers(5);
    bool latest_first;

    (void)state;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    latest_first = woken(s, 0) == 4;
    for (actor_id c = 0; c < 5; c++) {
        assert_int_equal(woken(s, c), latest_first ? 4 - c : c);
        assert_int_equal(actor_see(s->w, c)->waits_on, WAIT_NONE);
    }
    assert_int_equal(small_count(s, EFFECT_WAKE), 5);
    assert_int_equal(small_units(s, WORK_WAKE), 5);
    assert_int_equal(waits_see(s->w, WAIT_STRIPE)->sleepers, 0);
    small_free(s);
}

static void wake_one_wakes_the_head_of_the_line_and_leaves_the_others(void **state)
{
    /* Breaks when wake-one wakes more than one, or another than wake-all would wake first. */
    struct small *s = sleepers(3), *all = sleepers(3);
    actor_id first;

    (void)state;
    waits_wake_all(all->w, WAIT_STRIPE, &all->e);
    first = woken(all, 0);
    waits_wake_one(s->w, WAIT_STRIPE, &s->e);
    assert_int_equal(small_count(s, EFFECT_WAKE), 1);
    assert_int_equal(woken(s, 0), first);
    assert_int_equal(waits_see(s->w, WAIT_STRIPE)->sleepers, 2);
    for (actor_id c = 0; c < 3; c++)
        assert_int_equal(actor_see(s->w, c)->waits_on, c == first ? WAIT_NONE : WAIT_STRIPE);
    assert_null(invariants_broken(s->w));
    small_free(s);
    small_free(all);
}

static void who_sleeps_again_is_woken_again(void **state)
{
    /* Breaks when a woken actor keeps its link: the queue would lose those behind it. */
    struct small *s = sleepers(3);

    (void)state;
    for (unsigned n = 0; n < 7; n++) {
        s->e.count = 0;
        waits_wake_one(s->w, WAIT_STRIPE, &s->e);
        waits_sleep(s->w, woken(s, 0), WAIT_STRIPE);
        assert_null(invariants_broken(s->w));
    }
    s->e.count = 0;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    for (actor_id c = 0; c < 3; c++)
        assert_true(small_woke(s, c));
    small_free(s);
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
    assert_int_equal(actor_see(s->w, 2)->waits_on, WAIT_OVERLAP);
    assert_int_equal(small_count(s, EFFECT_WAKE), 2);
    assert_null(invariants_broken(s->w));
    small_free(s);
}

static void nobody_sleeps_twice(void **state)
{
    /* Breaks when a sleeper is put into a second queue. */
    struct small *s = sleepers(1);

    (void)state;
    expect_assert_failure(waits_sleep(s->w, 0, WAIT_OVERLAP));
    small_free(s);
}

static void an_emptied_queue_is_equal_to_a_fresh_one(void **state)
{
    /* Breaks when the past leaves bytes behind. */
    struct small *s = sleepers(4), *fresh = sleepers(0);

    (void)state;
    waits_wake_all(s->w, WAIT_STRIPE, &s->e);
    assert_memory_equal(s->w, fresh->w, world_bytes(s->w));
    small_free(s);
    small_free(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wake_all_wakes_everybody_once_along_the_line),
        cmocka_unit_test(wake_one_wakes_the_head_of_the_line_and_leaves_the_others),
        cmocka_unit_test(who_sleeps_again_is_woken_again),
        cmocka_unit_test(waking_an_empty_queue_does_nothing),
        cmocka_unit_test(the_two_queues_are_separate),
        cmocka_unit_test(nobody_sleeps_twice),
        cmocka_unit_test(an_emptied_queue_is_equal_to_a_fresh_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
