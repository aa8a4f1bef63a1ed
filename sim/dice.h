/*
 * Dice: counter-based random streams (Philox 4x32-10 of the Random123 library).
 *
 * One stream per purpose and owner, so that adding a disk does not shift another disk's luck and
 * two runs that differ in one key share all other luck. A stream is two integers: it can be copied,
 * snapshot and compared.
 */
#ifndef SIM_DICE_H
#define SIM_DICE_H
#include <stdint.h>

/* What a stream is for. New purposes go at the end: the order is part of every seed's meaning. */
enum dice_purpose {
    DICE_JOB_OFFSET,
    DICE_JOB_SIZE,
    DICE_JOB_MIX,
    DICE_SPINDLE,
    DICE_SEEK_NOISE,
    DICE_LOCK,
    DICE_FATE,
    DICE_JOB_ARRIVAL
};

struct dice {
    uint64_t key;     /* from the run's seed */
    uint32_t purpose; /* enum dice_purpose */
    uint32_t owner;   /* job instance, disk, lock: whatever the purpose counts */
    uint64_t throws;  /* how many numbers were drawn so far */
};

/* A fresh stream. Same (seed, purpose, owner): same numbers, on every machine. */
struct dice dice_new(uint64_t seed, enum dice_purpose purpose, uint32_t owner);
/* The next 64 random bits. */
uint64_t dice_bits(struct dice *);
/* A whole number in [0, n), without bias worth naming (128-bit multiplication). n >= 1. */
uint64_t dice_below(struct dice *, uint64_t n);

#endif
