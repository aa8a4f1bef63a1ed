/*
 * Uneven random choice against theory: zipf's shares summed term by term, pareto's closed form, the
 * bell of normal.
 */
#include "tests/lib/t.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/distribution.h"

enum { DRAWS = 100000 };

struct fixture {
    struct choice choice;
    uint64_t *table;
    struct dice dice;
};

static struct fixture fixture_new(enum distribution kind, uint32_t milli, uint64_t count)
{
    struct fixture f;

    f.table = calloc((size_t)distribution_buckets(kind, count) + 1, sizeof(*f.table));
    assert_non_null(f.table);
    f.choice = distribution_new(kind, milli, count, f.table);
    f.dice = dice_new(7, DICE_JOB_OFFSET, 0);
    return f;
}

static uint64_t draw(struct fixture *f)
{
    uint64_t rank = distribution_draw(&f->choice, f->table, &f->dice);

    assert_true(rank < f->choice.count);
    return rank;
}

/* The share of draws below `rank`. */
static double share_below(struct fixture *f, uint64_t rank)
{
    unsigned below = 0;

    for (unsigned i = 0; i < DRAWS; i++)
        below += draw(f) < rank;
    return (double)below / DRAWS;
}

static double zeta(uint64_t terms, double theta)
{
    double sum = 0;

    for (uint64_t k = terms; k >= 1; k--)
        sum += pow((double)k, -theta);
    return sum;
}

/* Six deviations of a share measured by DRAWS draws. */
static double slack(double share)
{
    return 6 * sqrt(share * (1 - share) / DRAWS) + 1e-6;
}

static void zipf_gives_the_hot_ranks_the_share_of_theory(void **state)
{
    /* Breaks when theta is misread, or the buckets of many ranks get a wrong weight. */
    static const struct {
        uint32_t milli;
        uint64_t count;
    } cases[] = {
        { 1200, 1000000 }, { 1200, 1000 }, { 500, 1000000 }, { 1000, 100000 }, { 2500, 777 }
    };

    (void)state;
    for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct fixture f = fixture_new(DIST_ZIPF, cases[c].milli, cases[c].count);
        double theta = cases[c].milli / 1000.0, all = zeta(cases[c].count, theta);

        for (uint64_t rank = 1; rank <= cases[c].count; rank *= 10) {
            double want = zeta(rank, theta) / all;

            assert_true(fabs(share_below(&f, rank) - want) < slack(want));
        }
        free(f.table);
    }
}

static void the_zipf_table_is_right_to_a_millionth(void **state)
{
    /* Breaks when the middle of a bucket no longer stands for it, far finer than draws could show.
     */
    struct fixture f = fixture_new(DIST_ZIPF, 1200, 1 << 20);
    double all = zeta(1 << 20, 1.2);

    (void)state;
    for (unsigned octave = 0; octave < 12; octave++) {
        uint32_t bucket = 511 + 256 * octave;
        double want = zeta(512ULL << octave, 1.2) / all;
        double got = (double)f.table[bucket] / 0x1p64;

        if (bucket < f.choice.buckets)
            assert_true(fabs(got - want) < 1e-6);
    }
    assert_int_equal(f.table[f.choice.buckets - 1], UINT64_MAX);
    for (uint32_t b = 1; b < f.choice.buckets; b++)
        assert_true(f.table[b] >= f.table[b - 1]);
    free(f.table);
}

static void pareto_gives_a_share_h_of_the_blocks_the_rest_of_the_draws(void **state)
{
    /* Breaks when h is misread: pareto:0.2 must be the 80/20 rule. */
    static const uint32_t milli[] = { 100, 200, 500, 900 };

    (void)state;
    for (unsigned c = 0; c < 4; c++) {
        struct fixture f = fixture_new(DIST_PARETO, milli[c], 100000);
        double h = milli[c] / 1000.0, q = log(1 - h) / log(h);

        for (uint64_t rank = 1; rank <= 100000; rank *= 10) {
            double want = pow((double)rank / 100000, q);

            assert_true(fabs(share_below(&f, rank) - want) < slack(want));
        }
        assert_true(fabs(share_below(&f, 100 * milli[c]) - (1 - h)) < slack(h));
        free(f.table);
    }
}

static void normal_is_a_bell_around_the_middle(void **state)
{
    /* Breaks when the deviation in percent is not what widens the bell, or its middle moves. */
    static const uint32_t percent[] = { 0, 10, 50, 100 };
    const double n = 100000;

    (void)state;
    for (unsigned c = 0; c < 4; c++) {
        struct fixture f = fixture_new(DIST_NORMAL, percent[c] * 1000, 100000);
        double window = fmin(percent[c] / 100.0, 0.5) * n;
        double want = sqrt(n * n / 144 + window * window / 12), sum = 0, square = 0;

        for (unsigned i = 0; i < DRAWS; i++) {
            double off = (double)draw(&f) - n / 2;

            sum += off;
            square += off * off;
        }
        assert_true(fabs(sum / DRAWS) < 6 * want / sqrt(DRAWS) + 1);
        assert_true(fabs(sqrt(square / DRAWS) / want - 1) < 0.01);
        free(f.table);
    }
}

static void random_treats_all_blocks_alike(void **state)
{
    /* Breaks when the even draw is not even: chi-square over 1000 blocks, mean 999, deviation 45.
     */
    static uint32_t seen[1000];
    struct fixture f = fixture_new(DIST_RANDOM, 0, 1000);
    double chi = 0;

    (void)state;
    for (unsigned i = 0; i < DRAWS; i++)
        seen[draw(&f)]++;
    for (unsigned i = 0; i < 1000; i++)
        chi += ((double)seen[i] - 100) * ((double)seen[i] - 100) / 100;
    assert_true(chi > 999 - 6 * 45 && chi < 999 + 6 * 45);
    free(f.table);
}

static void every_block_of_a_small_region_is_drawn(void **state)
{
    /* Breaks when the ends of the range are never reached, or a tiny count divides by zero. */
    (void)state;
    for (int kind = DIST_RANDOM; kind <= DIST_NORMAL; kind++) {
        for (uint64_t count = 1; count <= 4; count++) {
            struct fixture f = fixture_new((enum distribution)kind, 600, count);
            uint32_t seen = 0;

            for (unsigned i = 0; i < 20000; i++)
                seen |= 1u << draw(&f);
            if (kind != DIST_NORMAL)
                assert_int_equal(seen, (1u << count) - 1);
            free(f.table);
        }
    }
}

static void extreme_parameters_stay_in_range(void **state)
{
    /* Breaks when fixed point overflows: enormous regions, steep and flat slopes. */
    static const struct {
        enum distribution kind;
        uint32_t milli;
    } cases[] = { { DIST_ZIPF, 1 },       { DIST_ZIPF, 20000 }, { DIST_ZIPF, 4000000000 },
                  { DIST_PARETO, 1 },     { DIST_PARETO, 999 }, { DIST_NORMAL, 1 },
                  { DIST_NORMAL, 100000 } };

    (void)state;
    for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct fixture f = fixture_new(cases[c].kind, cases[c].milli, (1ULL << 56) - 3);
        uint64_t largest = 0;

        for (unsigned i = 0; i < 2000; i++) {
            uint64_t rank = draw(&f);

            largest = rank > largest ? rank : largest;
        }
        if (cases[c].milli == 4000000000)
            assert_int_equal(largest, 0);
        if (cases[c].milli == 1)
            assert_true(largest > 0);
        for (uint32_t b = 1; b < f.choice.buckets; b++)
            assert_true(f.table[b] >= f.table[b - 1]);
        free(f.table);
    }
}

static void senseless_parameters_are_our_own_bug(void **state)
{
    /* Breaks when a parameter the scenario reader should have refused is given some meaning. */
    uint64_t table[600];

    (void)state;
    expect_assert_failure(distribution_new(DIST_ZIPF, 0, 100, table));
    expect_assert_failure(distribution_new(DIST_PARETO, 0, 100, table));
    expect_assert_failure(distribution_new(DIST_PARETO, 1000, 100, table));
    expect_assert_failure(distribution_new(DIST_NORMAL, 100001, 100, table));
    expect_assert_failure(distribution_new(DIST_RANDOM, 0, 0, table));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zipf_gives_the_hot_ranks_the_share_of_theory),
        cmocka_unit_test(the_zipf_table_is_right_to_a_millionth),
        cmocka_unit_test(pareto_gives_a_share_h_of_the_blocks_the_rest_of_the_draws),
        cmocka_unit_test(normal_is_a_bell_around_the_middle),
        cmocka_unit_test(random_treats_all_blocks_alike),
        cmocka_unit_test(every_block_of_a_small_region_is_drawn),
        cmocka_unit_test(extreme_parameters_stay_in_range),
        cmocka_unit_test(senseless_parameters_are_our_own_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
