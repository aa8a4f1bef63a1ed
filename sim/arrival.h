/*
 * Gaps between the arrivals of a Poisson process, in whole numbers.
 *
 * A gap is -ln(u) times the mean gap, with u even in (0, 1]. The logarithm is a series in fixed
 * point, so the same dice give the same nanoseconds under every compiler and libc. Meant for the
 * hot path: no table, one 64-bit division, about 20 ns.
 */
#ifndef SIM_ARRIVAL_H
#define SIM_ARRIVAL_H
#include <stdint.h>

struct dice;

/* Binary places of arrival_log() and of a mean gap. */
enum { ARRIVAL_LOG_PLACES = 58, ARRIVAL_MEAN_PLACES = 32 };

/* -ln(x / 2^64) * 2^58, absolute error below 2^-29 of one. x >= 1. */
uint64_t arrival_log(uint64_t x);
/* The mean gap in ns, with 32 binary places, of that many arrivals a second. 1 <= rate <= 10^9. */
uint64_t arrival_mean(uint32_t rate);
/* The next gap in ns, rounded to the nearest; one throw of the dice. */
uint64_t arrival_gap_ns(struct dice *, uint64_t mean);

#endif
