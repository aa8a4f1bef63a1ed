/*
 * How long the arm of a rotating disk needs for a seek over a given number of cylinders.
 *
 * Two sources, both from the preset: three figures of a data sheet (single cylinder, mean over
 * random pairs, full stroke) joined by Lee's curve t(d) = c + a*sqrt(d-1) + b*(d-1), or a table of
 * measured points, between which the time is a straight line. Whole nanoseconds and integer
 * arithmetic throughout.
 */
#ifndef DISKS_SEEK_H
#define DISKS_SEEK_H
#include <stdint.h>

struct disk_preset;

/* Flat; coefficients scaled by 2^16. Unused when the preset has a table. */
struct seek_curve {
    int64_t c_ns;
    int64_t a;          /* ns per sqrt(cylinder), times 2^16 */
    int64_t b;          /* ns per cylinder, times 2^16 */
    uint32_t table;     /* 1: the preset's seek[] is used instead */
    uint32_t is_rising; /* 1: a longer seek never takes less time, so that searches may prune */
};

/* The largest r with r*r <= x. Exact. */
uint32_t seek_root(uint64_t x);
/* Precondition: the preset is sound (disk_preset_trouble). */
void seek_start(struct seek_curve *, const struct disk_preset *);
/* Time for d cylinders; 0 for d = 0. Never negative. */
uint64_t seek_ns(const struct seek_curve *, const struct disk_preset *, uint32_t d);

#endif
