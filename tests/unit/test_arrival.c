/*
 * Gaps of a Poisson process in whole numbers (sim/arrival.h), against sim/power.h and against what
 * an exponential distribution must look like.
 */
#include "tests/lib/t.h"

#include "sim/arrival.h"
#include "sim/dice.h"
#include "sim/power.h"

enum { DRAWS = 100000, CELLS = 20 };

static const uint64_t natural = 0xb17217f7d1cf79ab; /* ln 2, with 64 places */

/* -ln(x / 2^64) * 2^58 by way of the logarithm to the base 2, which has its own tests. */
static int64_t by_power(uint64_t x)
{
    uint64_t log2 = (64ULL << POWER_PLACES) - (uint64_t)power_log2(x);

    return (int64_t)((unsigned __int128)log2 * natural >> (64 - ARRIVAL_LOG_PLACES + POWER_PLACES));
}

static void assert_log_is_right(uint64_t x)
{
    int64_t error = (int64_t)arrival_log(x) - by_power(x);
    int64_t most = INT64_C(1) << (ARRIVAL_LOG_PLACES - 29);

    assert_true(error < most && error > -most);
}

static void the_logarithm_is_right_everywhere(void **state)
{
    /* Breaks when a term of the series is wrong or missing, or at the seams: powers of 2, the root
     * of a half, the ends. */
    static const uint64_t half_root = 0xb504f333f9de6484;
    struct dice dice = dice_new(3, DICE_JOB_ARRIVAL, 0);

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t x = 1ULL << bit;

        assert_log_is_right(x);
        assert_log_is_right(x | 1);
        assert_log_is_right(x > 1 ? x - 1 : 1);
        for (unsigned i = 0; i < 1000; i++)
            assert_log_is_right(x | (dice_bits(&dice) & (x - 1)));
    }
    assert_log_is_right(half_root - 1);
    assert_log_is_right(half_root);
    assert_log_is_right(UINT64_MAX);
    assert_int_equal(arrival_log(1), 64 * (natural >> (64 - ARRIVAL_LOG_PLACES)));
}

static void the_logarithm_falls(void **state)
{
    /* Breaks when the two ranges of v do not meet: a longer gap would come up where a shorter one
     * should. */
    struct dice dice = dice_new(4, DICE_JOB_ARRIVAL, 0);

    (void)state;
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t x = dice_bits(&dice) >> (i % 60) | 1, more = x + (x >> 24) + 1;

        assert_true(more < x || arrival_log(more) <= arrival_log(x));
    }
}

static void gaps_fill_equal_shares_of_the_distribution_equally(void **state)
{
    /* Breaks when gaps are not exponential: with cells of equal probability chi-square of 19
     * degrees of freedom stays below 50 but once in 7000 seeds. */
    struct dice dice = dice_new(5, DICE_JOB_ARRIVAL, 0);
    uint64_t mean = arrival_mean(200), sum = 0;
    unsigned cell[CELLS] = { 0 };
    double chi = 0;

    (void)state;
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t gap = arrival_gap_ns(&dice, mean), survives = 1ULL << 32;
        unsigned k = 0;

        /* The k-th edge is where the share 1 - k/20 is still to come. */
        for (; k + 1 < CELLS; k++) {
            survives = (CELLS - 1 - k) * ((1ULL << 32) / CELLS) << 32;
            if (gap < (uint64_t)((unsigned __int128)arrival_log(survives) * 5000000 >>
                                 ARRIVAL_LOG_PLACES))
                break;
        }
        cell[k]++;
        sum += gap;
    }
    for (unsigned k = 0; k < CELLS; k++) {
        double off = (double)cell[k] - DRAWS / (double)CELLS;

        chi += off * off * CELLS / DRAWS;
    }
    assert_true(chi < 50);
    assert_true(sum / DRAWS > 4930000 && sum / DRAWS < 5070000);
}

static void short_gaps_are_rounded_without_drift(void **state)
{
    /* Breaks when gaps are rounded down: at 10^8 a second that would make the load 5 % faster. */
    struct dice dice = dice_new(6, DICE_JOB_ARRIVAL, 0);
    uint64_t mean = arrival_mean(100000000), sum = 0;

    (void)state;
    for (unsigned i = 0; i < 10 * DRAWS; i++)
        sum += arrival_gap_ns(&dice, mean);
    assert_true(sum > 9960000 && sum < 10040000);
}

static void the_meaning_of_seeds_is_what_it_was(void **state)
{
    /* Breaks when recorded seeds get other arrivals; see tests/laws/test_workload_determinism.c. */
    static const uint64_t golden[] = { 5427908, 11152378, 1784750, 239058,
                                       1192570, 6140339,  5629625, 854351 };
    struct dice dice = dice_new(11, DICE_JOB_ARRIVAL, 0);

    (void)state;
    for (unsigned i = 0; i < sizeof golden / sizeof golden[0]; i++)
        assert_int_equal(arrival_gap_ns(&dice, arrival_mean(200)), golden[i]);
}

static void a_rate_or_draw_of_nothing_is_a_bug(void **state)
{
    /* Breaks when the contract is not checked: a division by zero, a gap without end. */
    (void)state;
    expect_assert_failure(arrival_mean(0));
    expect_assert_failure(arrival_log(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_logarithm_is_right_everywhere),
        cmocka_unit_test(the_logarithm_falls),
        cmocka_unit_test(gaps_fill_equal_shares_of_the_distribution_equally),
        cmocka_unit_test(short_gaps_are_rounded_without_drift),
        cmocka_unit_test(the_meaning_of_seeds_is_what_it_was),
        cmocka_unit_test(a_rate_or_draw_of_nothing_is_a_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
