/*
 * Fixed-point log2 and exp2 against the C library's doubles (as a judge here, never as a source)
 * and exact points.
 */
#include "tests/lib/t.h"

#include <math.h>

#include "sim/power.h"

static const double unit = 1.0 / (double)(1ULL << POWER_PLACES);

static void logarithms_of_powers_of_two_are_exact(void **state)
{
    /* Breaks when normalising loses a bit. */
    (void)state;
    for (int k = 0; k < 64; k++)
        assert_int_equal(power_log2(1ULL << k), (int64_t)k << POWER_PLACES);
}

static void logarithms_agree_with_the_c_library(void **state)
{
    /* Breaks when a binary place is wrong: the first 50 must be right. */
    (void)state;
    for (uint64_t x = 1; x < 1ULL << 60; x += 1 + x / 7) {
        double ours = (double)power_log2(x) * unit;

        assert_true(fabs(ours - log2((double)x)) < 1e-13 * (1 + ours));
    }
}

static void logarithms_rise(void **state)
{
    /* Breaks when rounding makes a larger number's logarithm smaller: shares of buckets would turn
     * negative. */
    int64_t last = -1;

    (void)state;
    for (uint64_t x = 1; x < 20000; x++) {
        int64_t log = power_log2(x);

        assert_true(log > last);
        last = log;
    }
}

static void exponentials_agree_with_the_c_library(void **state)
{
    /* Breaks when a root of 2 is wrong, or a shift for whole powers is off by one. */
    struct power p;

    (void)state;
    power_set(&p);
    for (double q = -63.9; q < 62.9; q += 0.0371) {
        int64_t fixed = (int64_t)(q * (double)(1ULL << POWER_PLACES));
        double want = exp2((double)fixed * unit + 64);
        double got = (double)power_exp2(&p, fixed);

        assert_true(fabs(got - want) <= want * 1e-13 + 1);
    }
}

static void exponentials_of_whole_numbers_are_exact(void **state)
{
    /* Breaks when 2^k is not 2^k. */
    struct power p;

    (void)state;
    power_set(&p);
    for (int k = -64; k < 63; k++) {
        unsigned __int128 got = power_exp2(&p, (int64_t)k * (1LL << POWER_PLACES));

        assert_true(got == (unsigned __int128)1 << (64 + k));
    }
    assert_true(power_exp2(&p, -65 * (1LL << POWER_PLACES)) == 0);
    assert_true(power_exp2(&p, INT64_MIN) == 0);
}

static void what_cannot_be_represented_is_our_own_bug(void **state)
{
    /* Breaks when the logarithm of nothing, or an overflow, passes for a number. */
    struct power p;

    (void)state;
    power_set(&p);
    expect_assert_failure(power_log2(0));
    expect_assert_failure(power_exp2(&p, 63 * (1LL << POWER_PLACES)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_of_powers_of_two_are_exact),
        cmocka_unit_test(logarithms_agree_with_the_c_library),
        cmocka_unit_test(logarithms_rise),
        cmocka_unit_test(exponentials_agree_with_the_c_library),
        cmocka_unit_test(exponentials_of_whole_numbers_are_exact),
        cmocka_unit_test(what_cannot_be_represented_is_our_own_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
