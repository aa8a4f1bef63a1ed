/* The latency histogram: buckets, percentiles, mean and deviation against brute force. */
#include "tests/lib/t.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/dice.h"
#include "sim/histogram.h"

enum { SAMPLES = 20000 };

static struct histogram *fresh(void)
{
    struct histogram *h = calloc(1, sizeof *h);
    assert_non_null(h);
    return h;
}

static void an_empty_histogram_is_all_zero(void **state)
{
    /* Breaks when an empty histogram divides by its count or answers with a bucket. */
    (void)state;
    struct histogram *h = fresh();
    assert_int_equal(histogram_percentile(h, 50000), 0);
    assert_int_equal(histogram_mean(h), 0);
    assert_int_equal(histogram_stddev(h), 0);
    assert_int_equal(histogram_below(h, UINT64_MAX), 0);
    free(h);
}

static void a_single_value_is_every_percentile(void **state)
{
    /* Breaks when the middle of a bucket is given out although it lies outside [min, max]. */
    (void)state;
    static const uint64_t values[] = { 0, 1, 127, 128, 129, 12345, 987654321, UINT64_C(1) << 40 };
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct histogram *h = fresh();
        histogram_add(h, values[i]);
        assert_int_equal(histogram_percentile(h, 0), values[i]);
        assert_int_equal(histogram_percentile(h, 50000), values[i]);
        assert_int_equal(histogram_percentile(h, 100000), values[i]);
        assert_int_equal(histogram_mean(h), values[i]);
        assert_int_equal(histogram_stddev(h), 0);
        free(h);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void percentiles_are_right_within_one_64th(void **state)
{
    /* Breaks when a value goes into a wrong bucket, a bucket stands for a wrong value, or the rank
     * is off. */
    (void)state;
    static const uint32_t asked[] = { 1000, 10000, 50000, 90000, 99000, 99900, 100000 };
    uint64_t *value = malloc(SAMPLES * sizeof *value);
    struct dice dice = dice_new(1, DICE_SEEK_NOISE, 0);
    struct histogram *h = fresh();
    assert_non_null(value);
    for (unsigned i = 0; i < SAMPLES; i++) { /* from ns to 16 s, all magnitudes alike */
        value[i] = dice_below(&dice, UINT64_C(1) << dice_below(&dice, 35));
        histogram_add(h, value[i]);
    }
    qsort(value, SAMPLES, sizeof *value, by_value);
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        unsigned rank = SAMPLES / 1000 * asked[i] / 100;
        double truth = (double)value[rank - 1], got = (double)histogram_percentile(h, asked[i]);
        assert_true(fabs(got - truth) <= truth / 64);
    }
    free(value);
    free(h);
}

static void mean_and_deviation_are_exact(void **state)
{
    /* Breaks when they are taken from buckets instead of sums, or the deviation divides by n
     * instead of n - 1. */
    (void)state;
    struct histogram *h = fresh();
    static const uint64_t values[] = { 1000000007, 1000000011, 1000000021, 1000000033 };
    for (unsigned i = 0; i < 4; i++)
        histogram_add(h, values[i]);
    assert_int_equal(histogram_mean(h), 1000000018);
    assert_int_equal(histogram_stddev(h), 12); /* sqrt(404 / 3) = 11.6 */
    assert_int_equal(h->min, 1000000007);
    assert_int_equal(h->max, 1000000033);
    free(h);
}

static void the_deviation_survives_sums_beyond_64_bits(void **state)
{
    /* Breaks when sum^2 is computed and wraps: 2^30 merged doublings of 2^40 ns make a sum of 2^70.
     */
    (void)state;
    struct histogram *h = fresh(), *half = fresh();
    histogram_add(h, UINT64_C(1) << 40);
    histogram_add(h, (UINT64_C(1) << 40) + 200);
    for (unsigned i = 0; i < 29; i++) {
        *half = *h;
        histogram_merge(h, half);
    }
    assert_int_equal(h->count, UINT64_C(1) << 30);
    assert_int_equal(histogram_mean(h), (UINT64_C(1) << 40) + 100);
    assert_int_equal(histogram_stddev(h), 100);
    free(h);
    free(half);
}

static void merging_equals_adding_to_one(void **state)
{
    /* Breaks when merge forgets a field, or takes the min of an empty histogram for a sample. */
    (void)state;
    struct histogram *all = fresh(), *a = fresh(), *b = fresh(), *sum = fresh();
    for (uint64_t v = 1; v < 3000000; v = v * 3 + 1) {
        histogram_add(all, v);
        histogram_add(v % 2 ? a : b, v);
    }
    histogram_merge(sum, a);
    histogram_merge(sum, b);
    assert_memory_equal(sum, all, sizeof *all);
    memset(a, 0, sizeof *a);
    histogram_merge(sum, a);
    assert_memory_equal(sum, all, sizeof *all);
    free(all);
    free(a);
    free(b);
    free(sum);
}

static void longer_than_the_last_bucket_answers_with_the_maximum(void **state)
{
    /* Breaks when latencies over 17 s are reported as 17 s, or write behind the buckets. */
    (void)state;
    struct histogram *h = fresh();
    histogram_add(h, 5);
    histogram_add(h, UINT64_C(3600000000000));
    assert_int_equal(histogram_percentile(h, 50000), 5);
    assert_int_equal(histogram_percentile(h, 99000), UINT64_C(3600000000000));
    assert_int_equal(h->bucket[HISTOGRAM_BUCKETS - 1], 1);
    free(h);
}

static void below_counts_every_sample_once(void **state)
{
    /* Breaks when limits in ascending order lose or repeat samples. */
    (void)state;
    struct histogram *h = fresh();
    for (uint64_t us = 1; us <= 1000; us++)
        histogram_add(h, us * 1000);
    assert_int_equal(histogram_below(h, 0), 0);
    assert_int_equal(histogram_below(h, UINT64_MAX), 1000);
    assert_in_range(histogram_below(h, 500000), 492,
                    508); /* 499 in truth; a bucket is 8 wide there */
    assert_true(histogram_below(h, 250000) <= histogram_below(h, 500000));
    free(h);
}

static void a_percentile_above_a_hundred_is_our_bug(void **state)
{
    /* Breaks when percent instead of thousandths of a percent goes unnoticed the other way round.
     */
    (void)state;
    struct histogram *h = fresh();
    expect_assert_failure(histogram_percentile(h, 100001));
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_histogram_is_all_zero),
        cmocka_unit_test(a_single_value_is_every_percentile),
        cmocka_unit_test(percentiles_are_right_within_one_64th),
        cmocka_unit_test(mean_and_deviation_are_exact),
        cmocka_unit_test(the_deviation_survives_sums_beyond_64_bits),
        cmocka_unit_test(merging_equals_adding_to_one),
        cmocka_unit_test(longer_than_the_last_bucket_answers_with_the_maximum),
        cmocka_unit_test(below_counts_every_sample_once),
        cmocka_unit_test(a_percentile_above_a_hundred_is_our_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
