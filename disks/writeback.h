/*
 * The volatile write cache of a rotating disk, as far as time is concerned: which runs of sectors
 * wait to be written to the media, and how many bytes they take. What is lost in a power cut is the
 * business of the rules, not of this file.
 *
 * A run (*extent*) grows when a write touches it, so that writes which follow one another go to the
 * media together. The number of extents is limited as well as their bytes: a drive's firmware keeps
 * a table of that kind.
 */
#ifndef DISKS_WRITEBACK_H
#define DISKS_WRITEBACK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disks/platter.h"

enum { EXTENTS_MAX = 256 };

struct extent {
    uint64_t sector, end;
    uint64_t ready_ns;          /* not to the media before this */
    struct platter_place place; /* of its first sector */
};

struct writeback {
    uint64_t sectors; /* waiting, in all extents */
    uint64_t sectors_max;
    uint64_t leaving; /* sectors on their way to the media until leaving_ns: they still take room */
    uint64_t leaving_ns;
    uint32_t count, max;
    struct extent extent[];
};

/* Bytes for a cache of that size; extents are only kept if it has one. */
size_t writeback_bytes(uint32_t cache_bytes);
void writeback_start(struct writeback *, uint32_t cache_bytes);
/* May [sector, sector + sectors) be taken in at that time? */
bool writeback_has_room(const struct writeback *, uint64_t at_ns, uint64_t sector,
                        uint32_t sectors);
/* Takes it in. Precondition: writeback_has_room(). */
void writeback_take(struct writeback *, const struct platter *, uint64_t ready_ns, uint64_t sector,
                    uint32_t sectors);
/* Is all of it here, so that a read needs no media? */
bool writeback_holds(const struct writeback *, uint64_t sector, uint32_t sectors);
/* At most `sectors` from the front of that extent leave for the media. Returns the sector after the
 * last of them. */
uint64_t writeback_give(struct writeback *, const struct platter *, uint32_t extent,
                        uint32_t sectors);
/* What writeback_give() gave is on the media at that time. */
void writeback_gone(struct writeback *, uint64_t done_ns, uint64_t sectors);

#endif
