/*
 * Geometry: the worked examples and pictures of the behaviour spec (1.3, 1.4) and the properties
 * G1..G3 of model/geometry.c, over all layouts and 2..32 members.
 */
#include "tests/lib/t.h"

#include <stdio.h>
#include <string.h>

#include "model/geometry.h"
#include "sim/geometry_names.h"

enum { LAYOUTS = 6, DISKS_TRIED = 32, NO_PARITY = 0xff };

static struct geometry shape(enum level level, enum layout layout, unsigned disks,
                             uint64_t component, uint32_t chunk)
{
    struct geometry g;

    assert_true(geometry_set(&g, level, layout, disks, component, chunk));
    return g;
}

static void the_worked_examples_of_the_spec_hold(void **state)
{
    /* Breaks when a formula of spec 1.1 is changed: slots, rows or offsets of the table in 1.4. */
    static const struct {
        uint64_t sector;
        enum layout layout;
        unsigned disks, chunk;
        uint64_t device;
        unsigned data, parity;
    } rows[] = {
        { 0, LAYOUT_LEFT_SYMMETRIC, 4, 128, 0, 0, 3 },
        { 127, LAYOUT_LEFT_SYMMETRIC, 4, 128, 127, 0, 3 },
        { 128, LAYOUT_LEFT_SYMMETRIC, 4, 128, 0, 1, 3 },
        { 384, LAYOUT_LEFT_SYMMETRIC, 4, 128, 128, 3, 2 },
        { 1000, LAYOUT_LEFT_SYMMETRIC, 4, 128, 360, 3, 1 },
        { 1000, LAYOUT_LEFT_ASYMMETRIC, 4, 128, 360, 2, 1 },
        { 1000, LAYOUT_RIGHT_ASYMMETRIC, 4, 128, 360, 1, 2 },
        { 1000, LAYOUT_RIGHT_SYMMETRIC, 4, 128, 360, 0, 2 },
        { 1000, LAYOUT_PARITY_0, 4, 128, 360, 2, 0 },
        { 1000, LAYOUT_PARITY_N, 4, 128, 360, 1, 3 },
        { 7679, LAYOUT_LEFT_SYMMETRIC, 6, 256, 1535, 5, 0 },
        { 123456789, LAYOUT_LEFT_SYMMETRIC, 5, 1024, 30863637, 3, 4 },
        { 123456789, LAYOUT_LEFT_ASYMMETRIC, 5, 1024, 30863637, 3, 4 },
        { (1ULL << 33) + 777, LAYOUT_LEFT_SYMMETRIC, 8, 128, 1227133577, 6, 2 },
        { (1ULL << 33) + 777, LAYOUT_RIGHT_ASYMMETRIC, 8, 128, 1227133577, 3, 5 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct geometry g =
            shape(LEVEL_RAID5, rows[i].layout, rows[i].disks, 1ULL << 34, rows[i].chunk);
        struct place p = geometry_map(&g, rows[i].sector);

        assert_int_equal(p.sector, rows[i].device);
        assert_int_equal(p.disk, rows[i].data);
        assert_int_equal(p.parity, rows[i].parity);
        assert_int_equal(geometry_parity(&g, p.sector), rows[i].parity);
        assert_int_equal(geometry_unmap(&g, p.sector, p.disk), rows[i].sector);
    }
}

/* Draws the first five rows as spec 1.3 does: "0 1 2 P/3 4 P 5/...". */
static void draw(const struct geometry *g, char *out, size_t size)
{
    size_t used = 0;

    for (unsigned row = 0; row < 5; row++) {
        for (unsigned disk = 0; disk < g->disks; disk++) {
            uint64_t sector = (uint64_t)row * g->chunk_sectors;
            const char *gap = disk + 1 < g->disks ? " " : "/";
            int n;

            if (geometry_parity(g, sector) == disk)
                n = snprintf(out + used, size - used, "P%s", gap);
            else
                n = snprintf(out + used, size - used, "%u%s",
                             (unsigned)(geometry_unmap(g, sector, disk) / g->chunk_sectors), gap);
            assert_true(n > 0 && (size_t)n < size - used);
            used += (size_t)n;
        }
    }
}

static void the_layout_pictures_of_the_spec_are_drawn(void **state)
{
    /* Breaks when parity rotates the wrong way or data are put round it in the wrong order. */
    static const char *const pictures[LAYOUTS] = {
        "0 1 2 P/3 4 P 5/6 P 7 8/P 9 10 11/12 13 14 P/",
        "P 0 1 2/3 P 4 5/6 7 P 8/9 10 11 P/P 12 13 14/",
        "0 1 2 P/4 5 P 3/8 P 6 7/P 9 10 11/12 13 14 P/",
        "P 0 1 2/5 P 3 4/7 8 P 6/9 10 11 P/P 12 13 14/",
        "P 0 1 2/P 3 4 5/P 6 7 8/P 9 10 11/P 12 13 14/",
        "0 1 2 P/3 4 5 P/6 7 8 P/9 10 11 P/12 13 14 P/",
    };
    char drawn[256];

    (void)state;
    for (unsigned layout = 0; layout < LAYOUTS; layout++) {
        struct geometry g = shape(LEVEL_RAID5, (enum layout)layout, 4, 8 * 128, 128);

        draw(&g, drawn, sizeof(drawn));
        assert_string_equal(drawn, pictures[layout]);
    }
    for (unsigned layout = 0; layout < LAYOUTS; layout++) {
        struct geometry g = shape(LEVEL_RAID4, (enum layout)layout, 4, 8 * 128, 128);

        draw(&g, drawn, sizeof(drawn));
        assert_string_equal(drawn, pictures[LAYOUT_PARITY_N]);
    }
}

/* Counts how often each (member, device sector) is hit by data or parity; all must be hit once. */
static void check_cover(const struct geometry *g)
{
    static uint8_t hit[DISKS_TRIED][1024];

    assert_true(g->component_sectors <= 1024);
    memset(hit, 0, sizeof(hit));
    for (uint64_t sector = 0; sector < geometry_sectors(g); sector++) {
        struct place p = geometry_map(g, sector);

        assert_true(p.disk < g->disks && p.sector < g->component_sectors);
        assert_int_equal(geometry_unmap(g, p.sector, p.disk), sector);
        assert_int_equal(geometry_parity(g, p.sector), p.parity);
        hit[p.disk][p.sector]++;
    }
    for (uint64_t s = 0; s < g->component_sectors; s++) {
        unsigned parity = geometry_parity(g, s);

        if (parity != NO_PARITY)
            hit[parity][s]++;
        for (unsigned disk = 0; disk < g->disks; disk++)
            assert_int_equal(hit[disk][s], 1);
    }
}

static void every_slot_of_every_row_is_hit_exactly_once(void **state)
{
    /* Breaks G1 or G2: two array sectors in one place, a hole, or an inverse that does not come
     * back. */
    (void)state;
    for (unsigned disks = 2; disks <= DISKS_TRIED; disks++) {
        for (unsigned layout = 0; layout < LAYOUTS; layout++) {
            struct geometry g =
                shape(LEVEL_RAID5, (enum layout)layout, disks, 8 * (2 * disks + 1), 8);

            check_cover(&g);
        }
    }
    for (unsigned disks = 1; disks <= DISKS_TRIED; disks++) {
        struct geometry zero = shape(LEVEL_RAID0, LAYOUT_LEFT_SYMMETRIC, disks, 5 * 16, 16);
        struct geometry raw = shape(LEVEL_RAW, LAYOUT_LEFT_SYMMETRIC, disks, 77, 0);

        check_cover(&zero);
        check_cover(&raw);
    }
    for (unsigned disks = 2; disks <= DISKS_TRIED; disks++) {
        struct geometry four = shape(LEVEL_RAID4, LAYOUT_LEFT_SYMMETRIC, disks, 5 * 32, 32);

        check_cover(&four);
    }
}

static void parity_is_shared_evenly_by_the_rotating_layouts(void **state)
{
    /* Breaks G3: a member that gets more parity than its fellows over n rows. */
    (void)state;
    for (unsigned disks = 2; disks <= DISKS_TRIED; disks++) {
        for (unsigned layout = 0; layout <= LAYOUT_RIGHT_SYMMETRIC; layout++) {
            struct geometry g = shape(LEVEL_RAID5, (enum layout)layout, disks, 64 * 8, 8);
            unsigned seen[DISKS_TRIED] = { 0 };

            for (unsigned row = 3; row < 3 + disks; row++)
                seen[geometry_parity(&g, row * 8)]++;
            for (unsigned disk = 0; disk < disks; disk++)
                assert_int_equal(seen[disk], 1);
        }
    }
}

static void symmetric_layouts_put_consecutive_chunks_on_consecutive_members(void **state)
{
    /* Breaks when a symmetric layout loses the property it is chosen for: long reads keep all
     * members busy. */
    (void)state;
    for (unsigned disks = 3; disks <= DISKS_TRIED; disks++) {
        struct geometry g = shape(LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, disks, 128 * 8, 8);

        for (uint64_t sector = 0; sector + 8 < geometry_sectors(&g); sector += 8) {
            unsigned here = geometry_map(&g, sector).disk;

            assert_int_equal(geometry_map(&g, sector + 8).disk, (here + 1) % disks);
        }
    }
}

static void the_identity_holds_at_the_far_end_of_enormous_arrays(void **state)
{
    /* Breaks when an intermediate is narrower than 64 bits (the driver of 2006 had such a bug in
     * its inverse). */
    (void)state;
    for (unsigned layout = 0; layout < LAYOUTS; layout++) {
        struct geometry g = shape(LEVEL_RAID5, (enum layout)layout, 31, 1ULL << 50, 8);
        uint64_t end = geometry_sectors(&g);

        assert_true(end > 1ULL << 54);
        for (uint64_t sector = end - 4096; sector < end; sector++) {
            struct place p = geometry_map(&g, sector);

            assert_int_equal(geometry_unmap(&g, p.sector, p.disk), sector);
        }
        /* Around 2^32 chunks the division changes its width. */
        for (uint64_t sector = (1ULL << 35) - 512; sector < (1ULL << 35) + 512; sector++) {
            struct place p = geometry_map(&g, sector);

            assert_int_equal(p.sector, ((sector / 8) / 30) * 8 + sector % 8);
            assert_int_equal(geometry_unmap(&g, p.sector, p.disk), sector);
        }
    }
}

static void raw_members_follow_one_another(void **state)
{
    /* Breaks when raw is striped, rounds its component to some chunk, or lets a member end within a
     * page, so that pages of the array would lie askew on the next one. */
    struct geometry g = shape(LEVEL_RAW, LAYOUT_LEFT_SYMMETRIC, 3, 1001, 128);
    struct place p = geometry_map(&g, 1000 + 5);

    (void)state;
    assert_int_equal(geometry_sectors(&g), 3000);
    assert_int_equal(p.disk, 1);
    assert_int_equal(p.sector, 5);
    assert_int_equal(p.parity, NO_PARITY);
    assert_int_equal(geometry_parity(&g, 5), NO_PARITY);
    assert_int_equal(geometry_unmap(&g, 999, 2), 2999);
}

static void the_component_is_rounded_down_to_a_chunk(void **state)
{
    /* Breaks when the tail of a member that holds no whole chunk becomes part of the array
     * (spec 1.5). */
    struct geometry g = shape(LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 1000 * 128 + 127, 128);

    (void)state;
    assert_int_equal(g.component_sectors, 1000 * 128);
    assert_int_equal(g.data_disks, 3);
    assert_int_equal(g.chunk_shift, 7);
    assert_int_equal(geometry_sectors(&g), 3 * 1000 * 128);
}

static void impossible_shapes_are_refused_and_change_nothing(void **state)
{
    /* Breaks when a shape is accepted that the formulas do not cover, or a refusal leaves a
     * half-set geometry. */
    struct geometry g = shape(LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 4096, 128);
    struct geometry before = g;

    (void)state;
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 1, 4096, 128));
    assert_false(geometry_set(&g, LEVEL_RAID4, LAYOUT_LEFT_SYMMETRIC, 1, 4096, 128));
    assert_false(geometry_set(&g, LEVEL_RAID0, LAYOUT_LEFT_SYMMETRIC, 0, 4096, 128));
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 255, 4096, 128));
    assert_false(geometry_set(&g, LEVEL_RAID5, (enum layout)6, 4, 4096, 128));
    assert_false(geometry_set(&g, (enum level)4, LAYOUT_LEFT_SYMMETRIC, 4, 4096, 128));
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 4096, 120));
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 4096, 4));
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 4096, 0));
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 127, 128));
    assert_false(geometry_set(&g, LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, UINT64_MAX, 128));
    assert_false(geometry_set(&g, LEVEL_RAW, LAYOUT_LEFT_SYMMETRIC, 1, 0, 128));
    assert_memory_equal(&g, &before, sizeof(g));
}

static void sectors_outside_the_array_are_our_own_bug(void **state)
{
    /* Breaks when a sector beyond the end, or the parity as a data member, is mapped silently. */
    struct geometry g = shape(LEVEL_RAID5, LAYOUT_LEFT_SYMMETRIC, 4, 4096, 128);

    (void)state;
    expect_assert_failure(geometry_map(&g, geometry_sectors(&g)));
    expect_assert_failure(geometry_unmap(&g, 4096, 0));
    expect_assert_failure(geometry_unmap(&g, 0, 4));
    expect_assert_failure(geometry_unmap(&g, 0, 3));
    expect_assert_failure(geometry_parity(&g, 4096));
}

static void names_come_back_from_their_parsers(void **state)
{
    /* Breaks when a name mdadm prints is not understood, or a short form means another layout. */
    static const char *const shorts[] = { "la", "ra", "ls", "rs", "parity-0", "parity-n" };
    static const char *const numbers[] = { "0", "1", "2", "3", "4", "5" };

    (void)state;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        const char *name = geometry_layout_name((enum layout)layout);

        assert_int_equal(geometry_layout_parse(name), layout);
        assert_int_equal(geometry_layout_parse(shorts[layout]), layout);
        assert_int_equal(geometry_layout_parse(numbers[layout]), layout);
    }
    for (int level = LEVEL_RAW; level <= LEVEL_RAID5; level++)
        assert_int_equal(geometry_level_parse(geometry_level_name((enum level)level)), level);
    assert_string_equal(geometry_layout_name(LAYOUT_LEFT_SYMMETRIC), "left-symmetric");
    assert_string_equal(geometry_layout_name(LAYOUT_PARITY_N), "parity-last");
    assert_string_equal(geometry_level_name(LEVEL_RAID5), "raid5");
    assert_int_equal(geometry_level_parse("5"), LEVEL_RAID5);
    assert_int_equal(geometry_level_parse("raid6"), -1);
    assert_int_equal(geometry_level_parse(""), -1);
    assert_int_equal(geometry_layout_parse("left"), -1);
    assert_int_equal(geometry_layout_parse("6"), -1);
    expect_assert_failure(geometry_layout_name((enum layout)6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_examples_of_the_spec_hold),
        cmocka_unit_test(the_layout_pictures_of_the_spec_are_drawn),
        cmocka_unit_test(every_slot_of_every_row_is_hit_exactly_once),
        cmocka_unit_test(parity_is_shared_evenly_by_the_rotating_layouts),
        cmocka_unit_test(symmetric_layouts_put_consecutive_chunks_on_consecutive_members),
        cmocka_unit_test(the_identity_holds_at_the_far_end_of_enormous_arrays),
        cmocka_unit_test(raw_members_follow_one_another),
        cmocka_unit_test(the_component_is_rounded_down_to_a_chunk),
        cmocka_unit_test(impossible_shapes_are_refused_and_change_nothing),
        cmocka_unit_test(sectors_outside_the_array_are_our_own_bug),
        cmocka_unit_test(names_come_back_from_their_parsers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
