/* What members hold: initial contents by arithmetic, written ones in a table, volatile until
 * flushed. */
#include "tests/lib/small_world.h"

#include "model/tag.h"

enum { BUFFER = 0 }; /* a page of SEC_TAGS that the test writes from and reads into */

static struct small *disks(uint8_t level, bool cache)
{
    return small_new((struct small_plan){
        .level = level, .written = 1, .write_cache = cache, .tags_per_page = 4, .rows = 6 });
}

static tag *buffer(struct small *s)
{
    return tags_at(s->w, BUFFER);
}

static tag content(struct small *s, unsigned disk, uint64_t sector)
{
    uint64_t group = sector / s->w->shape.group_sectors % s->plan.tags_per_page;

    media_read(s->w, disk, sector, s->w->shape.group_sectors, BUFFER);
    return buffer(s)[group];
}

static void write(struct small *s, unsigned disk, uint64_t page, tag t, bool durable)
{
    for (unsigned g = 0; g < s->plan.tags_per_page; g++)
        buffer(s)[g] = t + g;
    media_write(s->w, disk, page * PAGE_SECTORS, PAGE_SECTORS, BUFFER, durable);
}

/* The stable content of a page's first group; 0 if it was never written. */
static tag stable(const struct small *s, unsigned disk, uint64_t page)
{
    for (uint64_t i = 0; i < s->w->count[SEC_MEDIA]; i++) {
        const struct medium *m = world_see(s->w, SEC_MEDIA, i);

        if (m->key == ((uint64_t)disk << 40 | page) + 1)
            return ((const tag *)(m + 1))[0];
    }
    return 0;
}

static void a_fresh_member_holds_the_arrays_blocks(void **state)
{
    /* Breaks when initial contents do not follow the geometry: every first read would be wrong. */
    (void)state;
    for (uint8_t level = LEVEL_RAW; level <= LEVEL_RAID5; level++) {
        struct small *s = disks(level, false);
        unsigned unit = s->w->shape.group_sectors;

        for (uint64_t sector = 0; sector < s->sectors; sector += unit) {
            struct place p = geometry_map(&s->w->shape.geometry, sector);

            assert_true(content(s, p.disk, p.sector) == tag_of(sector / unit, 0));
        }
        small_free(s);
    }
}

static void fresh_parity_is_the_xor_of_its_row(void **state)
{
    /* Breaks when an untouched array would be found inconsistent. */
    struct small *s = disks(LEVEL_RAID5, false);

    (void)state;
    for (uint64_t sector = 0; sector < 6 * PAGE_SECTORS; sector += 2) {
        tag sum = 0;

        for (unsigned d = 0; d < 3; d++)
            sum ^= content(s, d, sector);
        assert_true(sum == 0);
    }
    small_free(s);
}

static void what_was_written_is_read_and_nothing_else_changes(void **state)
{
    /* Breaks when pages of different members or places share an entry. */
    struct small *s = disks(LEVEL_RAW, false);

    (void)state;
    for (unsigned d = 0; d < 3; d++)
        for (uint64_t p = 0; p < 6; p += 2)
            write(s, d, p, 1000 * (d + 1) + 10 * p, true);
    for (unsigned d = 0; d < 3; d++)
        for (uint64_t p = 0; p < 6; p++)
            for (unsigned g = 0; g < 4; g++) {
                uint64_t array = (d * 6 + p) * 4 + g;
                tag right = p % 2 ? tag_of(array, 0) : 1000 * (d + 1) + 10 * p + g;

                assert_true(content(s, d, p * PAGE_SECTORS + g * 2) == right);
            }
    small_free(s);
}

static void a_partial_write_keeps_the_rest_of_the_page(void **state)
{
    /* Breaks when a page's other groups are lost as soon as one is written. */
    struct small *s = disks(LEVEL_RAW, false);

    (void)state;
    buffer(s)[2] = 77;
    media_write(s->w, 1, PAGE_SECTORS + 4, 2, BUFFER, true);
    for (unsigned g = 0; g < 4; g++)
        assert_true(content(s, 1, PAGE_SECTORS + g * 2) ==
                    (g == 2 ? 77 : tag_of((6 + 1) * 4 + g, 0)));
    small_free(s);
}

static void a_write_into_the_cache_is_read_at_once_and_stable_after_a_flush(void **state)
{
    /* Breaks when a volatile write survives a power cut before the flush, or not after it. */
    struct small *s = disks(LEVEL_RAW, true);
    tag before = tag_of(2 * 4, 0);

    (void)state;
    write(s, 0, 2, 500, false);
    write(s, 1, 2, 600, false);
    assert_true(content(s, 0, 2 * PAGE_SECTORS) == 500);
    assert_true(stable(s, 0, 2) == before);
    assert_int_equal(disk_see(s->w, 0)->dirty, 1);
    media_flush(s->w, 0);
    assert_true(stable(s, 0, 2) == 500);
    assert_true(stable(s, 1, 2) == tag_of((6 + 2) * 4, 0)); /* a flush of one member only */
    assert_int_equal(disk_see(s->w, 0)->dirty, 0);
    assert_int_equal(disk_see(s->w, 1)->dirty, 1);
    small_free(s);
}

static void a_durable_write_takes_its_page_out_of_the_dirty_list(void **state)
{
    /* Breaks when FUA leaves a link in the list of dirty pages, at either end or in the middle. */
    (void)state;
    for (uint64_t at = 0; at < 3; at++) {
        struct small *s = disks(LEVEL_RAW, true);

        for (uint64_t p = 0; p < 3; p++)
            write(s, 0, p, 100 * p + 100, false);
        write(s, 0, 1, 250, false); /* dirty already: still once in the list */
        assert_int_equal(disk_see(s->w, 0)->dirty, 3);
        write(s, 0, at, 900, true);
        assert_int_equal(disk_see(s->w, 0)->dirty, 2);
        assert_true(stable(s, 0, at) == 900);
        media_flush(s->w, 0);
        assert_int_equal(disk_see(s->w, 0)->dirty, 0);
        assert_int_equal(disk_see(s->w, 0)->dirty_head, 0);
        assert_int_equal(disk_see(s->w, 0)->dirty_tail, 0);
        for (uint64_t p = 0; p < 3; p++)
            assert_true(stable(s, 0, p) == content(s, 0, p * PAGE_SECTORS));
        small_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_member_holds_the_arrays_blocks),
        cmocka_unit_test(fresh_parity_is_the_xor_of_its_row),
        cmocka_unit_test(what_was_written_is_read_and_nothing_else_changes),
        cmocka_unit_test(a_partial_write_keeps_the_rest_of_the_page),
        cmocka_unit_test(a_write_into_the_cache_is_read_at_once_and_stable_after_a_flush),
        cmocka_unit_test(a_durable_write_takes_its_page_out_of_the_dirty_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
