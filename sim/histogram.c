/*
 * The latency histogram: fio's buckets, whole numbers only.
 *
 * Values below 128 have a bucket each. Above that every power of two is one group of 64 equal
 * buckets, so a bucket is never wider than 1/64 of the values in it. 29 groups reach 2^34 ns (17
 * s); what is longer falls into the last bucket, for which the maximum stands in when a percentile
 * lands there.
 *
 * A percentile is the middle of the bucket it falls into, as fio prints it, but never outside [min,
 * max]: with few samples fio's middle can be larger than the largest sample, which only confuses.
 *
 * 1. count is the sum over all buckets; min <= max when count > 0.
 * 2. sum and square cannot overflow: 2^64 samples of 2^32 ns make 2^96 and 2^128.
 */
#include "sim/histogram.h"

#include "model/assert.h"

enum { LINEAR_BITS = 6, GROUP = 1 << LINEAR_BITS };

static unsigned highest_bit(uint64_t value)
{
    return 63U - (unsigned)__builtin_clzll(value);
}

static unsigned bucket_of(uint64_t ns)
{
    if (ns < 2 * GROUP)
        return (unsigned)ns;
    unsigned dropped = highest_bit(ns) - LINEAR_BITS;
    unsigned bucket = (dropped + 1) * GROUP + (unsigned)((ns >> dropped) & (GROUP - 1));
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* The middle of a bucket; the value itself where a bucket holds one value only. */
static uint64_t bucket_middle(unsigned bucket)
{
    ASSERT(bucket < HISTOGRAM_BUCKETS);
    if (bucket < 2 * GROUP)
        return bucket;
    unsigned dropped = bucket / GROUP - 1;
    uint64_t width = (uint64_t)1 << dropped;
    return (uint64_t)(GROUP + bucket % GROUP) * width + width / 2;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
    if (h->count == 0 || ns < h->min)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
    h->count++;
    h->sum += ns;
    h->square += (unsigned __int128)ns * ns;
    h->bucket[bucket_of(ns)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    if (from->count == 0)
        return;
    if (into->count == 0 || from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    into->count += from->count;
    into->sum += from->sum;
    into->square += from->square;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

uint64_t histogram_percentile(const struct histogram *h, uint32_t milli_percent)
{
    ASSERT(milli_percent <= 100000);
    if (h->count == 0)
        return 0;
    unsigned __int128 wanted = (unsigned __int128)h->count * milli_percent;
    unsigned __int128 seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
        seen += (unsigned __int128)h->bucket[i] * 100000;
        if (seen == 0 || seen < wanted)
            continue;
        uint64_t middle = bucket_middle(i);
        if (middle < h->min)
            return h->min;
        return middle < h->max ? middle : h->max;
    }
    return h->max;
}

uint64_t histogram_below(const struct histogram *h, uint64_t ns)
{
    uint64_t below = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS && bucket_middle(i) < ns; i++)
        below += h->bucket[i];
    return below;
}

uint64_t histogram_mean(const struct histogram *h)
{
    return h->count == 0 ? 0 : (uint64_t)((h->sum + h->count / 2) / h->count);
}

/* The whole number nearest to the square root, by bisection on bits. */
static uint64_t square_root(unsigned __int128 value)
{
    uint64_t root = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        uint64_t trial = root | (uint64_t)1 << bit;
        if ((unsigned __int128)trial * trial <= value)
            root = trial;
    }
    return value - (unsigned __int128)root * root > root ? root + 1 : root;
}

/*
 * Of the sample (division by n - 1), as fio. sum^2 may not fit, so sum^2 / n is put together from
 * sum = q n + r: q^2 n + 2 q r + r^2 / n, none of which exceeds `square` (Cauchy-Schwarz).
 */
uint64_t histogram_stddev(const struct histogram *h)
{
    if (h->count < 2)
        return 0;
    unsigned __int128 n = h->count, q = h->sum / n, r = h->sum % n;
    unsigned __int128 deviations = h->square - (q * q * n + 2 * q * r + r * r / n);
    return square_root(deviations / (n - 1));
}
