/*
 * Exponential gaps: see arrival.h.
 *
 * The 64 random bits are shifted up until the first of them is set, which takes whole halvings
 * (ln 2 each) out of the logarithm. What is left, v in [1/2, 1), is doubled if it is below the root
 * of 1/2, so that it lies about 1; then
 *
 *     -ln v = 2 artanh s = 2 s (1 + s^2/3 + s^4/5 + ...)    with s = (1 - v) / (1 + v), |s| <
 * 0.172.
 *
 * Seven terms leave an error below 2^-38; cutting s to 32 binary places costs more than that. An
 * error of 2^-29 of the mean gap is a nanosecond where arrivals are half a second apart.
 *
 * An even draw counts as the odd one above it, so that 0 never comes up: no gap is longer than 44
 * times the mean, and only one in 2^63 would be.
 */
#include "sim/arrival.h"

#include "model/assert.h"
#include "sim/dice.h"

#define ONE (INT64_C(1) << 32)

static const uint64_t ln2 = 0x2c5c85fdf473de6;        /* with 58 places */
static const uint64_t half_root = 0xb504f333f9de6484; /* the root of 1/2, with 64 places */

/* 1 + t/3 + t^2/5 + ... + t^6/13; all with 32 places. */
static int64_t series(int64_t t)
{
    static const int64_t share[] = { ONE / 13, ONE / 11, ONE / 9, ONE / 7, ONE / 5, ONE / 3, ONE };
    int64_t sum = 0;

    for (unsigned i = 0; i < sizeof share / sizeof share[0]; i++)
        sum = share[i] + (sum * t >> 32);
    return sum;
}

uint64_t arrival_log(uint64_t x)
{
    unsigned halvings;
    int64_t v, s;

    ASSERT(x >= 1);
    halvings = (unsigned)__builtin_clzll(x);
    x <<= halvings;
    halvings += x < half_root;
    v = (int64_t)(x < half_root ? x >> 1 : x >> 2); /* with 62 places */
    s = ((INT64_C(1) << 62) - v) * 2 / (int64_t)(((UINT64_C(1) << 62) + (uint64_t)v) >> 31);
    return halvings * ln2 + (uint64_t)(s * series(s * s >> 32) >> 5);
}

uint64_t arrival_mean(uint32_t rate)
{
    ASSERT(rate >= 1 && rate <= 1000000000);
    return (UINT64_C(1000000000) << ARRIVAL_MEAN_PLACES) / rate;
}

uint64_t arrival_gap_ns(struct dice *dice, uint64_t mean)
{
    enum { PLACES = ARRIVAL_LOG_PLACES + ARRIVAL_MEAN_PLACES };
    const unsigned __int128 half = (unsigned __int128)1 << (PLACES - 1);
    unsigned __int128 product = (unsigned __int128)arrival_log(dice_bits(dice) | 1) * mean;

    return (uint64_t)((product + half) >> PLACES);
}
