/*
 * A keyed permutation of 0..size-1 that needs no memory: the random map of a load generator.
 *
 * permutation_at(p, 0), permutation_at(p, 1), ... visits every number below size exactly once, in
 * an order the key decides. A bitmap of visited blocks would give the same promise for a bit per
 * block; this gives it for 48 bytes whatever the size.
 */
#ifndef SIM_PERMUTATION_H
#define SIM_PERMUTATION_H
#include <stdint.h>

#include "sim/dice.h"

enum { PERMUTATION_ROUNDS = 8 };

struct permutation {
    uint64_t size;
    uint32_t round_key[PERMUTATION_ROUNDS];
    uint8_t low_bits, high_bits; /* the halves a number is cut into */
    uint8_t pad[6];
};

/* A fresh permutation of 0..size-1. Draws PERMUTATION_ROUNDS / 2 numbers from the dice, whatever
 * the size. 1 <= size <= 2^62. */
struct permutation permutation_new(uint64_t size, struct dice *);
/* The number at place `index` < size. */
uint64_t permutation_at(const struct permutation *, uint64_t index);

#endif
