/*
 * The arm of a rotating disk: where it is, until when it is taken, and which of several places it
 * can reach soonest. Private to the hdd model (disks/hdd.c), which decides what it is to do.
 */
#ifndef DISKS_ARM_H
#define DISKS_ARM_H
#include <stdbool.h>
#include <stdint.h>

#include "disks/buffer.h"
#include "disks/platter.h"
#include "disks/seek.h"
#include "sim/dice.h"

struct disk_preset;

struct arm {
    struct platter platter;
    struct seek_curve curve;
    struct buffer buffer;
    struct dice noise;
    uint64_t busy_ns;     /* until then it works for a command or the write cache */
    uint64_t fence_ns;    /* until then it finishes the least read-ahead of a sequential reader; >=
                             busy_ns */
    uint64_t next_sector; /* follows the last one it has passed; UINT64_MAX: unknown */
    uint32_t cylinder, head;
};

/* Something the arm might do next. */
struct arm_target {
    uint64_t sector;
    uint64_t ready_ns; /* not before */
    struct platter_place place;
    bool write;
    uint8_t pad[7];
};

/* A search for the target that can begin soonest. */
struct arm_search {
    struct platter_place from; /* where the arm is */
    int64_t best_ns;           /* when it would begin, less its credit for age */
    uint64_t credit_max;
    uint32_t best; /* the index given with it; NONE32 before any offer */
    uint32_t far;  /* nothing this many cylinders away or farther can begin sooner */
    bool cached;
};

/* arm is zeroed. Draws phase and speed of the spindle from the owner's own stream. */
void arm_start(struct arm *, const struct disk_preset *, uint32_t owner, uint64_t seed);
/* cached: all that will be offered are writes of the cache, for which nobody waits. */
struct arm_search arm_search(const struct arm *, bool cached);
void arm_offer(const struct arm *, const struct disk_preset *, struct arm_search *, uint32_t index,
               const struct arm_target *);
/* Transfers [from, to), setting out at start_ns >= busy_ns, or running on if it has just passed the
 * sector before. Returns when the transfer begins; busy_ns and fence_ns become its end. Any stream
 * ends. */
uint64_t arm_transfer(struct arm *, const struct disk_preset *, uint64_t start_ns,
                      const struct arm_target *, uint64_t to);
/* Keeps the arm at the stream until `read_ahead_min` bytes beyond `to` are read. */
void arm_raise_fence(struct arm *, const struct disk_preset *, uint64_t to);

#endif
