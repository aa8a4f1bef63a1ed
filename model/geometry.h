/*
 * Geometry: which member, sector and stripe hold an array sector, and back.
 *
 * Source: behaviour spec 1.1-1.5 (md 2.6.15, 3.12, 6.1). All sectors are 512 bytes; "device sector"
 * is without data_offset. Division is by the chunk and the number of data disks, as the driver does
 * it.
 */
#ifndef MODEL_GEOMETRY_H
#define MODEL_GEOMETRY_H
#include <stdbool.h>
#include <stdint.h>

enum level { LEVEL_RAW, LEVEL_RAID0, LEVEL_RAID4, LEVEL_RAID5 };
enum layout {
    LAYOUT_LEFT_ASYMMETRIC,
    LAYOUT_RIGHT_ASYMMETRIC,
    LAYOUT_LEFT_SYMMETRIC,
    LAYOUT_RIGHT_SYMMETRIC,
    LAYOUT_PARITY_0,
    LAYOUT_PARITY_N
};

/* 24 bytes, no padding: it stands in the world's shape. */
struct geometry {
    uint64_t component_sectors; /* used of each member, a multiple of the chunk */
    uint32_t chunk_sectors;     /* a power of two, >= 8; raw: unused */
    uint8_t level;              /* enum level */
    uint8_t layout;             /* enum layout; meaningful for RAID5 */
    uint8_t disks;              /* members, 1..254 */
    uint8_t data_disks;         /* disks less parity */
    uint8_t chunk_shift;        /* log2(chunk_sectors) */
    uint8_t chunk_bits; /* B12: all that the inverse map keeps of a chunk number; 0: all of it */
    uint8_t pad[6];
};

struct place {
    uint64_t sector; /* on the member */
    uint8_t disk;    /* the member that holds the data */
    uint8_t parity;  /* the member that holds the parity of that row; 0xff: none (raw, raid0) */
    uint8_t pad[6];
};

/* Fills in the derived fields (data_disks, chunk_shift; component rounded down to a chunk). False
 * if the shape is impossible: fewer members than the level needs (raid0: 1, raid4/5: 2 ... the
 * driver's own minimum is checked by the scenario reader), a chunk that is no power of two or
 * smaller than a page, a component smaller than one chunk. */
bool geometry_set(struct geometry *, enum level, enum layout, unsigned disks,
                  uint64_t component_sectors, uint32_t chunk_sectors);
/* Sectors of the array: component * data disks. Raw: all members one after another (disk k holds
 * sectors from k * component_sectors on). */
uint64_t geometry_sectors(const struct geometry *);
/* Array sector -> place (spec 1.1). Precondition: sector < geometry_sectors(). */
struct place geometry_map(const struct geometry *, uint64_t sector);
/* The parity member of the row that holds this device sector; 0xff without parity. */
unsigned geometry_parity(const struct geometry *, uint64_t device_sector);
/* (device sector, member) -> array sector (spec 1.2). Precondition: the member is not the parity of
 * that row. */
uint64_t geometry_unmap(const struct geometry *, uint64_t device_sector, unsigned disk);
/* Names and their parsers are text and stand outside the model: sim/geometry_names.h. */

#endif
