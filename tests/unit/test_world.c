/* The world's block: sections laid out by the shape alone, reached by index, compared by bytes. */
#include "tests/lib/small_world.h"

#include <stdlib.h>
#include <string.h>

static void sections_lie_one_after_another_and_fill_the_block(void **state)
{
    /* Breaks when two sections overlap, one is not aligned, or the block is shorter than they. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .written = 1 });
    const struct world *w = s->w;
    uint64_t end = w->live_at;

    (void)state;
    assert_true(w->live_at >= sizeof *w && w->live_at % 16 == 0);
    for (unsigned i = 0; i < SECTION_COUNT; i++) {
        assert_true(w->at[i] >= end);
        assert_int_equal(w->at[i] % 16, 0);
        end = w->at[i] + w->item[i] * w->count[i];
        assert_true(end <= w->bytes);
    }
    assert_true(w->bytes - end < 16);
    assert_int_equal(w->bytes, world_bytes_for(&w->shape));
    small_free(s);
}

static void the_size_follows_from_the_shape(void **state)
{
    /* Breaks when a section's count is not taken from the shape. */
    struct small_plan plan = small_defaults((struct small_plan){ .level = LEVEL_RAID5 });
    struct shape shape = small_shape(&plan), more = shape;

    (void)state;
    more.stripes++;
    assert_true(world_bytes_for(&more) > world_bytes_for(&shape));
    more = shape;
    more.clients++;
    more.actors++;
    assert_true(world_bytes_for(&more) > world_bytes_for(&shape));
    more = shape;
    more.media_entries = 64;
    assert_true(world_bytes_for(&more) >= world_bytes_for(&shape) + 64 * medium_bytes(&shape));
}

static void an_index_beyond_its_section_is_an_assertion(void **state)
{
    /* Breaks when a wrong id reads its neighbour's record. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .stripes = 4 });

    (void)state;
    assert_non_null(stripe_see(s->w, 3));
    expect_assert_failure(stripe_see(s->w, 4));
    expect_assert_failure(actor_at(s->w, s->w->shape.actors));
    expect_assert_failure(world_see(s->w, SEC_MEDIA, 0)); /* nobody writes here */
    expect_assert_failure(world_at(s->w, SEC_ARRAY, 1));
    small_free(s);
}

static void two_first_moments_are_equal_bytes(void **state)
{
    /* Breaks when formatting leaves memory of others in the block. */
    struct small_plan plan = { .level = LEVEL_RAID5, .clients = 3, .written = 1 };
    struct small *a = small_new(plan), *b = small_new(plan);

    (void)state;
    assert_memory_equal(a->w, b->w, world_bytes(a->w));
    small_free(a);
    small_free(b);
}

static void a_copy_elsewhere_is_the_same_world(void **state)
{
    /* Breaks when a record holds an address: the copy would change the original. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .clients = 2 });
    struct world *copy = malloc(world_bytes(s->w)), *original = s->w;

    (void)state;
    assert_non_null(copy);
    small_submit(s, 0, 0, 16, false);
    memcpy(copy, original, world_bytes(original));
    s->w = copy;
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(client_see(copy, 0)->in_flight, 0);
    assert_int_equal(client_see(original, 0)->in_flight, 1);
    s->w = original;
    assert_int_equal(small_settle(s), 0);
    assert_memory_equal(copy, original, world_bytes(copy));
    free(copy);
    small_free(s);
}

static void actors_stand_where_their_numbers_say(void **state)
{
    /* Breaks when an actor number and the kind and index in its record disagree. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .clients = 3 });
    const struct world *w = s->w;
    const struct shape *shape = &w->shape;

    (void)state;
    for (actor_id c = 0; c < 3; c++) {
        assert_int_equal(actor_see(w, c)->kind, KIND_CLIENT);
        assert_int_equal(actor_see(w, c)->index, c);
    }
    assert_int_equal(actor_see(w, actor_raid5d(shape))->kind, KIND_RAID5D);
    assert_int_equal(actor_see(w, actor_timer(shape))->kind, KIND_TIMER);
    for (unsigned d = 0; d < 3; d++) {
        assert_int_equal(actor_see(w, actor_completion(shape, d))->kind, KIND_COMPLETION);
        assert_int_equal(actor_see(w, actor_completion(shape, d))->index, d);
        assert_int_equal(actor_see(w, actor_disk(shape, d))->kind, KIND_DISK);
        assert_int_equal(actor_see(w, actor_disk(shape, d))->index, d);
    }
    assert_int_equal(actor_disk(shape, 2), shape->actors - 1);
    small_free(s);
}

static void at_first_nobody_moves_but_clients(void **state)
{
    /* Breaks when a fresh array has work of its own. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .clients = 2 });

    (void)state;
    for (actor_id who = 0; who < s->w->shape.actors; who++)
        assert_int_equal(system_ways(&system_md, s->w, who), who < 2);
    assert_false(system_at_rest(&system_md, s->w));
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_lie_one_after_another_and_fill_the_block),
        cmocka_unit_test(the_size_follows_from_the_shape),
        cmocka_unit_test(an_index_beyond_its_section_is_an_assertion),
        cmocka_unit_test(two_first_moments_are_equal_bytes),
        cmocka_unit_test(a_copy_elsewhere_is_the_same_world),
        cmocka_unit_test(actors_stand_where_their_numbers_say),
        cmocka_unit_test(at_first_nobody_moves_but_clients),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
