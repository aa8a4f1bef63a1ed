/* What a new device has been given: pages as extents. */
#include "tests/lib/small_world.h"

#include <string.h>

#include "model/fill.h"
#include "sim/dice.h"

enum { PAGES = 256 };

static struct small *with_new_device(void)
{
    struct small *s = small_new((struct small_plan){
        .level = LEVEL_RAID5, .later = 1, .written = 1, .faults = 1, .rows = PAGES, .stripes = 4 });

    disk_at(s->w, 1)->device |= DEVICE_NEW;
    return s;
}

static uint32_t extents(const struct small *s)
{
    return disk_see(s->w, 1)->extents;
}

static bool has(const struct small *s, uint64_t page)
{
    return fill_has(s->w, 1, page);
}

static void pages_side_by_side_are_one_extent(void **state)
{
    /* Breaks when a rebuild of a large member needs a record for every page. */
    struct small *s = with_new_device();

    (void)state;
    for (uint64_t page = 10; page < 20; page++)
        assert_true(fill_add(s->w, 1, page));
    assert_int_equal(extents(s), 1);
    assert_true(fill_add(s->w, 1, 9));
    assert_int_equal(extents(s), 1);
    assert_true(!has(s, 8) && has(s, 9) && has(s, 19) && !has(s, 20));
    small_free(s);
}

static void a_page_between_two_extents_makes_them_one(void **state)
{
    /* Breaks when extents that touch stay two: the number of records would grow with the rebuild.
     */
    struct small *s = with_new_device();

    (void)state;
    assert_true(fill_add(s->w, 1, 4) && fill_add(s->w, 1, 6) && fill_add(s->w, 1, 9));
    assert_int_equal(extents(s), 3);
    assert_true(fill_add(s->w, 1, 5));
    assert_int_equal(extents(s), 2);
    assert_true(has(s, 4) && has(s, 5) && has(s, 6) && !has(s, 7) && has(s, 9));
    assert_true(fill_add(s->w, 1, 5));
    assert_int_equal(extents(s), 2);
    small_free(s);
}

static void joining_takes_a_page_only_beside_others(void **state)
{
    /* Breaks when a page that is remembered elsewhere costs a record here. */
    struct small *s = with_new_device();

    (void)state;
    fill_join(s->w, 1, 7);
    assert_int_equal(extents(s), 0);
    assert_true(fill_add(s->w, 1, 7));
    fill_join(s->w, 1, 8);
    fill_join(s->w, 1, 6);
    fill_join(s->w, 1, 4);
    assert_int_equal(extents(s), 1);
    assert_true(!has(s, 4) && !has(s, 5) && has(s, 6) && has(s, 8));
    small_free(s);
}

static void when_all_records_are_taken_a_page_needs_a_neighbour(void **state)
{
    /* Breaks when a full list runs into the next member's, or refuses what costs nothing. */
    struct small *s = with_new_device();
    uint64_t room = fill_extents(&s->w->shape);
    struct extent next = *extent_see(s->w, 2 * room);

    (void)state;
    for (uint64_t i = 0; i < room; i++)
        assert_true(fill_add(s->w, 1, 3 * i));
    assert_int_equal(extents(s), room);
    assert_false(fill_add(s->w, 1, 3 * room + 1));
    assert_false(has(s, 3 * room + 1));
    assert_true(fill_add(s->w, 1, 1) && fill_add(s->w, 1, 2));
    assert_int_equal(extents(s), room - 1);
    assert_true(fill_add(s->w, 1, 3 * room + 1));
    assert_memory_equal(extent_see(s->w, 2 * room), &next, sizeof next);
    small_free(s);
}

static void what_is_forgotten_leaves_no_trace(void **state)
{
    /* Breaks when a second spare begins with the first one's pages, or another member loses its
     * own.
     */
    static const struct extent none;
    struct small *s = with_new_device();

    (void)state;
    disk_at(s->w, 2)->device |= DEVICE_NEW;
    assert_true(fill_add(s->w, 1, 3) && fill_add(s->w, 1, 5) && fill_add(s->w, 2, 3));
    fill_forget(s->w, 1);
    assert_int_equal(extents(s), 0);
    assert_true(!has(s, 3) && !has(s, 5) && fill_has(s->w, 2, 3));
    for (uint64_t i = 0; i < fill_extents(&s->w->shape); i++)
        assert_memory_equal(extent_see(s->w, fill_extents(&s->w->shape) + i), &none, sizeof none);
    small_free(s);
}

static void the_same_pages_are_the_same_bytes_whatever_the_order(void **state)
{
    /* Breaks by any mistake of find, join and drop; and when equal truths are not equal bytes. */
    struct dice dice = dice_new(11, DICE_FATE, 0);

    (void)state;
    for (unsigned n = 0; n < 60; n++) {
        struct small *s = with_new_device(), *again = with_new_device();
        bool given[PAGES] = { false };

        for (unsigned k = 0; k < 60; k++) {
            uint64_t page = dice_below(&dice, 128);

            given[page] = true;
            assert_true(fill_add(s->w, 1, page));
            for (uint64_t p = 0; p < PAGES; p++)
                assert_int_equal(has(s, p), given[p]);
        }
        for (uint64_t p = 0; p < PAGES; p++)
            if (given[p])
                assert_true(fill_add(again->w, 1, p));
        assert_memory_equal(s->w, again->w, world_bytes(s->w));
        small_free(s);
        small_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_side_by_side_are_one_extent),
        cmocka_unit_test(a_page_between_two_extents_makes_them_one),
        cmocka_unit_test(joining_takes_a_page_only_beside_others),
        cmocka_unit_test(when_all_records_are_taken_a_page_needs_a_neighbour),
        cmocka_unit_test(what_is_forgotten_leaves_no_trace),
        cmocka_unit_test(the_same_pages_are_the_same_bytes_whatever_the_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
