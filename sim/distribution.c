/*
 * Uneven random choice: see distribution.h.
 *
 * zipf and pareto draw from a table of cumulative shares. An entry per block would be exact and far
 * too much for 10^9 blocks, so ranks are gathered in buckets: each of the first 512 ranks has its
 * own; behind them, every doubling of the rank is cut into 256 equal buckets, within which all
 * ranks are taken alike. The density over a bucket varies by theta/256, and its middle stands for
 * it: the shares of buckets are right to about theta^2 / 10^6.
 *
 * The table holds, for each bucket, the share of all draws that lie in it or before, in units of
 * 2^-64. A draw is a 64-bit number, looked up by bisection, and a second number for the place
 * within the bucket.
 *
 * Left out: fio's cap of the zeta sum at 10^7 terms and its approximation for ranks beyond two;
 * ours is the distribution those aim at. fio's zipf refuses theta = 1, ours need not.
 */
#include "sim/distribution.h"

#include <stdbool.h>

#include "model/assert.h"
#include "sim/power.h"

enum { FINE = 8, NORMAL_DRAWS = 12 };

typedef unsigned __int128 wide;

static uint32_t bucket_of(uint64_t rank)
{
    unsigned shift = 0;

    if (rank >= 2 << FINE)
        shift = (unsigned)(63 - __builtin_clzll(rank) - FINE);
    return (uint32_t)((shift << FINE) + (rank >> shift));
}

static uint64_t bucket_start(uint32_t bucket)
{
    uint32_t fine = bucket & ((1u << FINE) - 1);

    if (bucket < 2u << FINE)
        return bucket;
    return (uint64_t)(1u << FINE | fine) << ((bucket >> FINE) - 1);
}

/* First rank behind the bucket; the last one is cut short. */
static uint64_t bucket_end(const struct choice *d, uint32_t bucket)
{
    return bucket + 1 == d->buckets ? d->count : bucket_start(bucket + 1);
}

uint32_t distribution_buckets(enum distribution kind, uint64_t count)
{
    if (kind != DIST_ZIPF && kind != DIST_PARETO)
        return 0;
    return bucket_of(count - 1) + 1;
}

/* The weight of a bucket, in units of 2^-64 of the first rank's: width * middle^-theta, by
 * logarithms. */
static wide zipf_weight(const struct choice *d, const struct power *p, uint32_t bucket,
                        uint32_t theta_milli)
{
    uint64_t start = bucket_start(bucket), end = bucket_end(d, bucket);
    int64_t one = 1LL << POWER_PLACES;
    int64_t middle = power_log2(start + 1 + end) - one;
    __int128 fall = (__int128)middle * theta_milli / 1000;
    __int128 log = power_log2(end - start) - fall;

    if (log < -64 * (__int128)one)
        return 0;
    return power_exp2(p, (int64_t)log);
}

static void fill_zipf(const struct choice *d, uint32_t theta_milli, uint64_t *table)
{
    struct power p;
    wide total = 0, sum = 0;
    unsigned shift = 0;

    power_set(&p);
    for (uint32_t b = 0; b < d->buckets; b++)
        total += zipf_weight(d, &p, b, theta_milli);
    while (total >> shift > UINT64_MAX)
        shift++;
    for (uint32_t b = 0; b < d->buckets; b++) {
        wide share;

        sum += zipf_weight(d, &p, b, theta_milli);
        share = ((sum >> shift) << 64) / (total >> shift);
        table[b] = share > UINT64_MAX ? UINT64_MAX : (uint64_t)share;
    }
}

/* The share of draws below rank k is (k/n)^q with q = log (1 - h) / log h. */
static void fill_pareto(const struct choice *d, uint32_t h_milli, uint64_t *table)
{
    enum { Q_PLACES = 40 };
    struct power p;
    int64_t thousand = power_log2(1000), whole = power_log2(d->count);
    __int128 above = power_log2(1000 - h_milli) - thousand;
    __int128 q = above * ((__int128)1 << Q_PLACES) / (power_log2(h_milli) - thousand);

    power_set(&p);
    for (uint32_t b = 0; b < d->buckets; b++) {
        __int128 log = (power_log2(bucket_end(d, b)) - whole) * q / ((__int128)1 << Q_PLACES);
        wide share = 0;

        if (log > -65 * ((__int128)1 << POWER_PLACES))
            share = power_exp2(&p, (int64_t)log);
        table[b] = share > UINT64_MAX ? UINT64_MAX : (uint64_t)share;
    }
}

struct choice distribution_new(enum distribution kind, uint32_t milli, uint64_t count,
                               uint64_t *table)
{
    struct choice d = { .count = count, .kind = (uint32_t)kind };

    ASSERT(count >= 1);
    ASSERT(count <= 1ULL << 56);
    d.buckets = distribution_buckets(kind, count);
    if (kind == DIST_ZIPF) {
        ASSERT(milli > 0);
        fill_zipf(&d, milli, table);
    } else if (kind == DIST_PARETO) {
        ASSERT(milli > 0 && milli < 1000);
        fill_pareto(&d, milli, table);
    } else if (kind == DIST_NORMAL) {
        ASSERT(milli <= 100 * 1000);
        d.window = (uint64_t)(((wide)count * milli + 99999) / 100000);
        if (d.window > count / 2)
            d.window = count / 2;
    }
    return d;
}

static uint64_t draw_table(const struct choice *d, const uint64_t *table, struct dice *dice)
{
    uint64_t share = dice_bits(dice), start;
    uint32_t low = 0, high = d->buckets - 1;

    /* The first bucket whose cumulative share lies above; the last one takes what rounding left
     * over. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (share < table[middle])
            high = middle;
        else
            low = middle + 1;
    }
    start = bucket_start(low);
    return start + dice_below(dice, bucket_end(d, low) - start);
}

static uint64_t draw_normal(const struct choice *d, struct dice *dice)
{
    uint64_t sum = 0, rank;
    int64_t shift;

    for (unsigned i = 0; i < NORMAL_DRAWS; i++)
        sum += dice_below(dice, d->count + 1);
    rank = (sum + NORMAL_DRAWS - 1) / NORMAL_DRAWS;
    if (rank >= d->count)
        rank = d->count - 1;
    if (d->window == 0)
        return rank;
    shift = (int64_t)dice_below(dice, d->window) - (int64_t)(d->window / 2);
    /* A shift that would leave the region is halved until it does not, as fio does. */
    while (rank + (uint64_t)shift >= d->count)
        shift /= 2;
    return rank + (uint64_t)shift;
}

uint64_t distribution_draw(const struct choice *d, const uint64_t *table, struct dice *dice)
{
    switch (d->kind) {
    case DIST_ZIPF:
    case DIST_PARETO:
        return draw_table(d, table, dice);
    case DIST_NORMAL:
        return draw_normal(d, dice);
    default:
        return dice_below(dice, d->count);
    }
}
