/*
 * Commands under way inside a device, ordered by the time at which they end. Shared by the timing
 * models.
 *
 * A flat binary heap, sized once for the device's queue. Two commands that end in the same
 * nanosecond end in the order in which they were added, so that the order is the same on every
 * machine.
 */
#ifndef DISKS_ENDS_H
#define DISKS_ENDS_H
#include <stddef.h>
#include <stdint.h>

struct ending {
    uint64_t end_ns;
    uint64_t order; /* how many were added before: breaks ties */
    uint32_t token; /* the host's name for the command */
    uint32_t pad;
};

struct ends {
    uint64_t added;
    uint32_t count;
    uint32_t max;
    struct ending heap[];
};

/* Bytes for at most max commands; a multiple of 8. */
size_t ends_bytes(uint32_t max);
/* e points to ends_bytes(max) zeroed bytes. max >= 1. */
void ends_start(struct ends *e, uint32_t max);
/* Precondition: count < max. */
void ends_add(struct ends *e, uint64_t end_ns, uint32_t token);
/* Takes the earliest command away. Precondition: count > 0. */
struct ending ends_take(struct ends *e);

/* UINT64_MAX when nothing is under way. */
static inline uint64_t ends_next(const struct ends *e)
{
    return e->count ? e->heap[0].end_ns : UINT64_MAX;
}

#endif
