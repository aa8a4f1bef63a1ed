/* The cache of md-6.1 grows by itself (spec 3.5). */
#include "tests/lib/small_world.h"

static struct small *small_cache(void)
{
    return small_new((struct small_plan){ .level = LEVEL_RAID5,
                                          .clients = 3,
                                          .disks = 3,
                                          .later = 1,
                                          .wake_policy = WAKE_ALL,
                                          .written = 1,
                                          .rows = 6,
                                          .stripes = 1,
                                          .reserve = 2 });
}

/* A write to the row of that number, up to where the client sleeps or is done submitting. */
static void write_row(struct small *s, actor_id client, uint64_t row)
{
    small_submit(s, client, row * 2 * PAGE_SECTORS, PAGE_SECTORS, true);
}

static uint32_t heads(const struct small *s)
{
    return array_see(s->w, 0)->max_stripes;
}

static void a_miss_without_an_idle_stripe_adds_one(void **state)
{
    /* Breaks when the cache stays as it is, grows without need, or the new stripe reaches nobody.
     */
    struct small *s = small_cache();
    actor_id raid5d = actor_raid5d(&s->w->shape);

    (void)state;
    write_row(s, 0, 0);
    assert_int_equal(heads(s), 1);
    small_go(s, raid5d);
    small_run(s, raid5d, RAID5D_SLEEP);
    assert_int_equal(heads(s), 1);
    write_row(s, 1, 1);
    assert_false(small_enabled(s, 1));
    small_serve(
        s); /* the first write's prereads: raid5d runs, and adds one at the end of its run */
    small_go(s, raid5d);
    small_run(s, raid5d, RAID5D_SLEEP);
    assert_int_equal(heads(s), 2);
    assert_true(small_enabled(s, 1));
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(array_see(s->w, 0)->active, 0);
    small_free(s);
}

static void nothing_is_added_beyond_the_reserve(void **state)
{
    /* Breaks when a stripe_head is taken that the world does not have. */
    struct small *s = small_cache();

    (void)state;
    for (unsigned round = 0; round < 6; round++) {
        for (actor_id client = 0; client < 3; client++)
            if (client_see(s->w, client)->in_flight == 0)
                write_row(s, client, (round + 2 * client) % 6);
        assert_int_equal(small_settle(s), 0);
        assert_true(heads(s) <= 3);
    }
    assert_true(heads(s) > 1);
    small_free(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_without_an_idle_stripe_adds_one),
        cmocka_unit_test(nothing_is_added_beyond_the_reserve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
