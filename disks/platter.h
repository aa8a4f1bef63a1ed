/*
 * Where the sectors of a rotating disk lie, and when they pass under a head.
 *
 * Zones of cylinders, each with its own number of sectors a track; a cylinder's tracks (one a head)
 * are filled before the next cylinder. An *angle* is measured in nanoseconds of rotation from the
 * index, 0 .. rev_ns-1. Inside a zone every sector has a *slot number*: its number in the zone plus
 * the skews before it, counted in sectors. Slot numbers make both questions simple: the angle is
 * (slot mod sectors a track) of a revolution, and reading on from sector a to sector b takes
 * (slot(b) - slot(a)) sector times, head and cylinder switches included.
 */
#ifndef DISKS_PLATTER_H
#define DISKS_PLATTER_H
#include <stdint.h>

#include "disks/preset.h"

struct platter_zone {
    uint64_t first_sector;
    uint64_t angle_ns; /* of the zone's first sector */
    uint32_t first_cylinder;
    uint32_t track_sectors;
    uint32_t track_skew;    /* sectors that pass while the next head is selected */
    uint32_t cylinder_skew; /* sectors that pass while the arm moves on by one cylinder */
};

struct platter {
    uint64_t sectors;
    uint64_t rev_ns;         /* this spindle's revolution */
    uint64_t phase_ns;       /* its angle at time 0 */
    uint64_t single_seek_ns; /* to the neighbouring cylinder */
    uint32_t heads, zone_count;
    struct platter_zone zone[ZONES_MAX];
};

struct platter_place {
    uint64_t angle_ns;
    uint32_t cylinder, head;
};

/* Precondition: the preset is sound; 0 <= phase_ns < rev_ns. */
void platter_start(struct platter *, const struct disk_preset *, uint64_t rev_ns, uint64_t phase_ns,
                   uint64_t single_seek_ns);
/* Precondition: sector < sectors, here and below. */
struct platter_place platter_find(const struct platter *, uint64_t sector);
/* From `at_ns` until a sector with that angle begins to pass under its head. */
uint64_t platter_wait_ns(const struct platter *, uint64_t angle_ns, uint64_t at_ns);
/* From the beginning of sector `from` to the end of sector `to - 1`, read in one go. from < to <=
 * sectors. */
uint64_t platter_transfer_ns(const struct platter *, uint64_t from, uint64_t to);
/* From the end of sector - 1 to the beginning of sector, read in one go: 0, or a skew. */
uint64_t platter_gap_ns(const struct platter *, uint64_t sector);
/* Reading on from the beginning of `from` for that long: the first sector not wholly read yet, at
 * most `limit`. */
uint64_t platter_reached(const struct platter *, uint64_t from, uint64_t elapsed_ns,
                         uint64_t limit);

#endif
