/* Flaws of media: sectors that fail, what meets them, what heals them. */
#include "tests/lib/small_world.h"

#include <string.h>

#include "model/flaws.h"
#include "sim/dice.h"

static struct small *flawed(void)
{
    return small_new((struct small_plan){
        .level = LEVEL_RAID5, .later = 1, .written = 1, .faults = 1, .rows = 8 });
}

static uint32_t count(const struct small *s)
{
    return array_see(s->w, 0)->flaws;
}

static bool reads(struct small *s, uint64_t sector, uint32_t sectors)
{
    return !flaws_meet(s->w, 1, sector, sectors, false);
}

static bool writes(struct small *s, uint64_t sector, uint32_t sectors)
{
    return !flaws_meet(s->w, 1, sector, sectors, true);
}

static void an_io_meets_a_flaw_of_its_kind_that_it_touches(void **state)
{
    /* Breaks when an edge is off by one, or reads and writes are taken for each other. */
    struct small *s = flawed();

    (void)state;
    assert_true(flaws_add(s->w, 1, 10, 4, FLAW_READ));
    assert_true(flaws_add(s->w, 1, 30, 1, FLAW_WRITE));
    assert_true(reads(s, 8, 2) && reads(s, 14, 4));
    assert_false(reads(s, 8, 3) || reads(s, 13, 1) || reads(s, 0, 64));
    assert_true(writes(s, 8, 16) && writes(s, 31, 8) && writes(s, 24, 6));
    assert_false(writes(s, 24, 7) || writes(s, 30, 1));
    assert_true(reads(s, 30, 1));
    assert_true(!flaws_meet(s->w, 0, 10, 4, false) && !flaws_meet(s->w, 2, 10, 4, false));
    small_free(s);
}

static void a_long_flaw_that_begins_far_ahead_is_met(void **state)
{
    /* Breaks when the search does not go back as far as the longest flaw reaches. */
    struct small *s = flawed();

    (void)state;
    assert_true(flaws_add(s->w, 1, 2, 50, FLAW_READ));
    for (uint64_t at = 4; at < 50; at += 4)
        assert_true(flaws_add(s->w, 1, at, 1, FLAW_WRITE));
    assert_false(reads(s, 51, 1));
    assert_true(reads(s, 52, 1));
    small_free(s);
}

static void writing_heals_the_beginning_the_end_the_middle_or_all(void **state)
{
    /* Breaks when more is healed than was written, or less. */
    static const struct {
        uint64_t sector;
        uint32_t sectors, left; /* records */
    } cases[] = { { 16, 4, 1 }, { 28, 4, 1 },  { 20, 4, 2 }, { 16, 16, 0 }, { 8, 32, 0 },
                  { 8, 16, 1 }, { 24, 16, 1 }, { 8, 8, 1 },  { 32, 8, 1 } };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct small *s = flawed();

        assert_true(flaws_add(s->w, 1, 16, 16, FLAW_READ_UNTIL_WRITTEN));
        assert_true(writes(s, cases[i].sector, cases[i].sectors));
        assert_int_equal(count(s), cases[i].left);
        for (uint64_t at = 0; at < 64; at++) {
            bool written = at >= cases[i].sector && at < cases[i].sector + cases[i].sectors;

            assert_int_equal(reads(s, at, 1), at < 16 || at >= 32 || written);
        }
        small_free(s);
    }
}

static void a_write_that_fails_heals_nothing_and_one_of_another_member_neither(void **state)
{
    /* Breaks when a page counts as rewritten though it was not. */
    struct small *s = flawed();

    (void)state;
    assert_true(flaws_add(s->w, 1, 16, 4, FLAW_READ_UNTIL_WRITTEN));
    assert_true(flaws_add(s->w, 1, 22, 1, FLAW_WRITE));
    assert_false(writes(s, 16, 8));
    assert_false(flaws_meet(s->w, 2, 16, 8, true));
    assert_false(reads(s, 16, 1));
    assert_true(writes(s, 16, 4));
    assert_true(reads(s, 16, 4));
    assert_true(flaws_add(s->w, 1, 40, 4, FLAW_READ));
    assert_true(writes(s, 40, 8)); /* for ever is for ever */
    assert_false(reads(s, 43, 1));
    small_free(s);
}

static void the_same_flaw_twice_is_one_and_a_full_table_takes_no_more(void **state)
{
    /* Breaks when a fault that strikes the same sector again and again fills the table, or a full
     * one is written beyond. */
    struct small *s = flawed();
    uint32_t room = s->w->shape.flaw_entries;

    (void)state;
    for (unsigned n = 0; n < 3; n++)
        assert_true(flaws_add(s->w, 1, 8, 4 - n, FLAW_READ));
    assert_int_equal(count(s), 1);
    for (uint32_t i = 1; i < room; i++)
        assert_true(flaws_add(s->w, 0, i, 1, FLAW_WRITE));
    assert_false(flaws_add(s->w, 2, 8, 1, FLAW_READ));
    assert_true(flaws_add(s->w, 1, 8, 4, FLAW_READ));
    assert_int_equal(count(s), room);
    small_free(s);
}

static void a_new_device_has_no_flaws_and_the_others_keep_theirs(void **state)
{
    /* Breaks when a spare fails where the device before it did, and a freed record is not zero. */
    static const struct flaw none;
    struct small *s = flawed();

    (void)state;
    for (unsigned m = 0; m < 3; m++)
        for (uint64_t at = 0; at < 12; at += 4)
            assert_true(flaws_add(s->w, m, at, 2, FLAW_READ));
    flaws_forget(s->w, 1);
    assert_int_equal(count(s), 6);
    assert_true(reads(s, 0, 64));
    assert_true(flaws_meet(s->w, 0, 0, 1, false) && flaws_meet(s->w, 2, 9, 1, false));
    for (uint32_t i = count(s); i < s->w->shape.flaw_entries; i++)
        assert_memory_equal(flaw_see(s->w, i), &none, sizeof none);
    small_free(s);
}

/* ---- against a map of every sector */

enum { SECTORS = 64, KINDS = 3 };
static const uint8_t kinds[KINDS] = { FLAW_READ_UNTIL_WRITTEN, FLAW_READ, FLAW_WRITE };

static bool any(const bool *map, uint64_t sector, uint32_t sectors)
{
    for (uint64_t at = sector; at < sector + sectors; at++)
        if (map[at])
            return true;
    return false;
}

static void flaws_are_what_a_map_of_sectors_says(void **state)
{
    /* Breaks by any mistake in what is met and healed where flaws overlap. */
    struct dice dice = dice_new(7, DICE_FATE, 0);

    (void)state;
    for (unsigned n = 0; n < 400; n++) {
        struct small *s = flawed();
        bool map[KINDS][SECTORS] = { { false } };

        for (unsigned k = 0; k < 60; k++) {
            uint64_t sector = dice_below(&dice, SECTORS);
            uint32_t sectors = 1 + (uint32_t)dice_below(&dice, 12);
            unsigned kind = (unsigned)dice_below(&dice, KINDS);
            bool write = dice_below(&dice, 2), fails;

            sectors = sector + sectors > SECTORS ? (uint32_t)(SECTORS - sector) : sectors;
            if (dice_below(&dice, 4) == 0 && count(s) < 4) { /* healing may double them, twice */
                assert_true(flaws_add(s->w, 1, sector, sectors, kinds[kind]));
                memset(&map[kind][sector], 1, sectors);
                continue;
            }
            fails = write ? any(map[2], sector, sectors)
                          : any(map[0], sector, sectors) || any(map[1], sector, sectors);
            assert_int_equal(flaws_meet(s->w, 1, sector, sectors, write), fails);
            if (write && !fails)
                memset(&map[0][sector], 0, sectors);
        }
        small_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_io_meets_a_flaw_of_its_kind_that_it_touches),
        cmocka_unit_test(a_long_flaw_that_begins_far_ahead_is_met),
        cmocka_unit_test(writing_heals_the_beginning_the_end_the_middle_or_all),
        cmocka_unit_test(a_write_that_fails_heals_nothing_and_one_of_another_member_neither),
        cmocka_unit_test(the_same_flaw_twice_is_one_and_a_full_table_takes_no_more),
        cmocka_unit_test(a_new_device_has_no_flaws_and_the_others_keep_theirs),
        cmocka_unit_test(flaws_are_what_a_map_of_sectors_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
