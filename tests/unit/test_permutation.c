/*
 * The keyed permutation: one-to-one for every size, different for every key, without visible order.
 * Seeds are fixed; limits of the chi-square tests are about six standard deviations away, so that
 * only a change of the code can fail them.
 */
#include "tests/lib/t.h"

#include <string.h>

#include "sim/permutation.h"

static struct dice some_dice(uint64_t seed)
{
    return dice_new(seed, DICE_JOB_OFFSET, 0);
}

/* Sum of (seen - expected)^2 / expected, in thousandths. */
static uint64_t chi_square_milli(const uint32_t *seen, uint32_t cells, uint64_t expected)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < cells; i++) {
        int64_t off = (int64_t)seen[i] - (int64_t)expected;

        sum += (uint64_t)(off * off) * 1000 / expected;
    }
    return sum;
}

static void every_number_comes_exactly_once(void **state)
{
    /* Breaks when the network is not one-to-one, or cycle walking ends outside the range. */
    static uint8_t seen[70000];
    struct dice dice = some_dice(1);

    (void)state;
    for (uint64_t size = 1; size <= 300; size++) {
        struct permutation p = permutation_new(size, &dice);

        memset(seen, 0, sizeof(seen));
        for (uint64_t i = 0; i < size; i++) {
            uint64_t at = permutation_at(&p, i);

            assert_true(at < size);
            assert_int_equal(seen[at]++, 0);
        }
    }
    for (uint64_t size = 65535; size <= 65537; size++) {
        struct permutation p = permutation_new(size, &dice);

        memset(seen, 0, sizeof(seen));
        for (uint64_t i = 0; i < size; i++)
            assert_int_equal(seen[permutation_at(&p, i)]++, 0);
    }
}

static void enormous_sizes_stay_in_range_and_do_not_repeat(void **state)
{
    /* Breaks when a half is wider than the 32 bits it is kept in: high bits would be lost and
     * numbers meet. */
    enum { TRIED = 4096 };
    static uint64_t at[TRIED];
    struct dice dice = some_dice(2);
    const uint64_t sizes[] = { 1ULL << 62, (1ULL << 62) - 1, (1ULL << 61) + 1, 1ULL << 40 };

    (void)state;
    for (unsigned s = 0; s < 4; s++) {
        struct permutation p = permutation_new(sizes[s], &dice);
        uint64_t upper_half = 0;

        for (unsigned i = 0; i < TRIED; i++) {
            at[i] = permutation_at(&p, i);
            assert_true(at[i] < sizes[s]);
            upper_half += at[i] >= sizes[s] / 2;
            for (unsigned j = 0; j < i; j++)
                assert_true(at[i] != at[j]);
        }
        assert_in_range(upper_half, TRIED / 2 - 200, TRIED / 2 + 200);
    }
}

static void the_first_place_is_any_number_alike(void **state)
{
    /* Breaks when some blocks come early under most keys: a short random job would have a hot spot.
     */
    enum { DRAWS = 100 };
    /* limit: the mean of chi-square, size - 1, and six of its deviations, sqrt(2 (size - 1)) */
    static const struct {
        uint32_t size, limit;
    } cases[] = { { 2, 10 },  { 3, 14 },    { 5, 21 },     { 8, 30 },
                  { 13, 42 }, { 100, 184 }, { 1000, 1268 } };
    uint32_t seen[1000];
    struct dice dice = some_dice(3);

    (void)state;
    for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        uint32_t size = cases[c].size;

        memset(seen, 0, sizeof(seen));
        for (uint32_t i = 0; i < size * DRAWS; i++) {
            struct permutation p = permutation_new(size, &dice);

            seen[permutation_at(&p, 0)]++;
        }
        assert_true(chi_square_milli(seen, size, DRAWS) < 1000 * cases[c].limit);
    }
}

static void neighbours_do_not_stay_neighbours(void **state)
{
    /* Breaks when the order keeps the step between consecutive places, as a mere rotation or
     * multiplication would: seeks would be far too regular. */
    enum { SIZE = 1024, CELLS = 64, LAPS = 20 };
    uint32_t step[CELLS] = { 0 };
    struct dice dice = some_dice(4);

    (void)state;
    for (unsigned lap = 0; lap < LAPS; lap++) {
        struct permutation p = permutation_new(SIZE, &dice);

        for (uint64_t i = 0; i + 1 < SIZE; i++) {
            uint64_t gap = (permutation_at(&p, i + 1) - permutation_at(&p, i)) % SIZE;

            step[gap / (SIZE / CELLS)]++;
        }
    }
    /* 63 degrees of freedom: mean 63, deviation 11. */
    assert_true(chi_square_milli(step, CELLS, LAPS * (SIZE - 1) / CELLS) < 1000 * (63 + 6 * 11));
}

static void another_key_is_another_order(void **state)
{
    /* Breaks when the key is not used: every loop would repeat the first one. */
    enum { SIZE = 4096 };
    struct dice dice = some_dice(5);
    struct permutation a = permutation_new(SIZE, &dice), b = permutation_new(SIZE, &dice);
    unsigned same = 0;

    (void)state;
    for (uint64_t i = 0; i < SIZE; i++)
        same += permutation_at(&a, i) == permutation_at(&b, i);
    assert_true(same < 10); /* 1 is the mean of two random orders */
}

static void the_same_dice_give_the_same_order(void **state)
{
    /* Breaks when anything but the dice decides. */
    struct dice one = some_dice(6), two = some_dice(6);
    struct permutation a = permutation_new(999, &one), b = permutation_new(999, &two);

    (void)state;
    assert_memory_equal(&a, &b, sizeof(a));
    assert_int_equal(one.throws, PERMUTATION_ROUNDS / 2);
    for (uint64_t i = 0; i < 999; i++)
        assert_int_equal(permutation_at(&a, i), permutation_at(&b, i));
}

static void places_beyond_the_size_are_our_own_bug(void **state)
{
    /* Breaks when a place outside is answered: cycle walking from there need not end. */
    struct dice dice = some_dice(7);
    struct permutation p = permutation_new(10, &dice);

    (void)state;
    expect_assert_failure(permutation_at(&p, 10));
    expect_assert_failure(permutation_new(0, &dice));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_comes_exactly_once),
        cmocka_unit_test(enormous_sizes_stay_in_range_and_do_not_repeat),
        cmocka_unit_test(the_first_place_is_any_number_alike),
        cmocka_unit_test(neighbours_do_not_stay_neighbours),
        cmocka_unit_test(another_key_is_another_order),
        cmocka_unit_test(the_same_dice_give_the_same_order),
        cmocka_unit_test(places_beyond_the_size_are_our_own_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
