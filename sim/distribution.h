/*
 * Uneven random choice among n blocks: how often the most wanted, the second, ... is asked for.
 *
 * A draw is a *rank*, 0 for the most wanted; where that block lies is the caller's business (fio
 * scatters ranks with a hash, sim/workload.c with a keyed permutation). Kinds, with fio's
 * parameters in thousandths:
 *
 *   DIST_RANDOM  all alike; no parameter
 *   DIST_ZIPF    rank r with a probability proportional to (r + 1)^-theta; theta > 0
 *   DIST_PARETO  rank = n * u^(log h / log (1 - h)), u uniform: a share h of the blocks gets 1 - h
 * of the draws; 0 < h < 1 DIST_NORMAL  a bell over the ranks around n / 2, as fio makes it: the
 * mean of twelve uniform draws (standard deviation n / 12) plus a uniform shift in a window of
 * `deviation` percent of n (at most half of n); 0..100
 *
 * Results are integers computed from integers: the same on every machine.
 */
#ifndef SIM_DISTRIBUTION_H
#define SIM_DISTRIBUTION_H
#include <stdint.h>

#include "sim/dice.h"
#include "sim/scenario.h"

struct choice {
    uint64_t count;   /* n, blocks to choose from */
    uint64_t window;  /* normal: width of the shift in blocks */
    uint32_t kind;    /* enum distribution */
    uint32_t buckets; /* entries of the table */
};

/* How many entries the table of this kind needs; 0: none. At most 256 for each doubling of n. */
uint32_t distribution_buckets(enum distribution kind, uint64_t count);
/* Sets up a choice among `count` (1..2^56) blocks; fills the table, which the caller owns. */
struct choice distribution_new(enum distribution kind, uint32_t milli, uint64_t count,
                               uint64_t *table);
/* The rank of the next draw, below count. */
uint64_t distribution_draw(const struct choice *, const uint64_t *table, struct dice *);

#endif
