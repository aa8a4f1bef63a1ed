/*
 * Latency histogram with fio's buckets: 2^6 linear steps per power of two, 29 groups. Nanoseconds
 * in, exact min, max, mean; percentiles with a relative error below 1/64. Flat; 16 KiB.
 */
#ifndef SIM_HISTOGRAM_H
#define SIM_HISTOGRAM_H
#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 29 * 64 };

struct histogram {
    uint64_t count, min, max;
    unsigned __int128 sum, square; /* of ns and ns^2 */
    uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *);
/* The value below which `milli` thousandths of a percent (99990 = 99.99 %) of the samples lie; 0
 * when empty. */
uint64_t histogram_percentile(const struct histogram *, uint32_t milli_percent);
/* Samples below ns, told by the middle of their bucket: off by at most one bucket. */
uint64_t histogram_below(const struct histogram *, uint64_t ns);
/* Rounded to whole ns; 0 when empty. The deviation is the sample's (n - 1), as fio's; 0 below two
 * samples. */
uint64_t histogram_mean(const struct histogram *);
uint64_t histogram_stddev(const struct histogram *);

#endif
