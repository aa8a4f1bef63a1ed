/*
 * Powers in whole numbers: logarithm and exponential to the base 2 in fixed point.
 *
 * The C library's pow() may differ in its last bit between versions and even between processors of
 * one machine room (it picks a variant by instruction set). A table built with it could send a
 * request elsewhere. These functions use integers only: same answer everywhere. Not for the hot
 * path: about 0.2 us a call.
 */
#ifndef SIM_POWER_H
#define SIM_POWER_H
#include <stdint.h>

/* Binary places of a logarithm. */
enum { POWER_PLACES = 56 };

/* root[k] = 2^(2^-(k+1)) with 63 binary places. */
struct power {
    uint64_t root[POWER_PLACES];
};

void power_set(struct power *);
/* log2(x) * 2^56, rounded down within 2 units. x >= 1. */
int64_t power_log2(uint64_t x);
/* 2^(q / 2^56) * 2^64, relative error below 2^-55 or absolute below 1; 0 when it is too small.
 * q < 63 * 2^56. */
unsigned __int128 power_exp2(const struct power *, int64_t q);

#endif
