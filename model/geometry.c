/*
 * Geometry: see geometry.h. Which member holds a sector is pure arithmetic; this file is all of it.
 *
 * A member is cut into chunks. The chunks at the same place of all members make a *row*. A row
 * holds d data chunks, numbered k = 0..d-1 within the row and through the array in order, and, if
 * the level has parity, one parity chunk. Two questions remain per row: which member holds the
 * parity, and where k goes among the rest.
 *
 *   parity    left layouts walk from the last member down, right layouts from the first up, one
 * step a row; PARITY_0, PARITY_N and RAID4 stay where their name says. data      asymmetric layouts
 * (and the fixed ones) count members upwards and step over the parity; symmetric layouts start
 * behind the parity and go round, so that consecutive chunks of the array always lie on consecutive
 * members.
 *
 * Invariants, tested for every layout and 2..32 members:
 *   G1  unmap(map(r)) == r for every sector of the array.
 *   G2  Every chunk of every member is hit by exactly one data chunk, or is the parity of its row.
 *   G3  The rotating layouts give each member the same share of parity over n rows.
 *
 * RAID4 is stored as PARITY_N: the driver's formulas for both are the same. RAID0 is a row without
 * parity. RAW puts the members one after another and knows no chunk. Chunks are powers of two, so
 * that the map costs two divisions (by d, and by n where the parity rotates), and the inverse one.
 *
 * Left out: data_offset (a constant added below), reshape (two geometries at once), RAID6.
 *
 * Kernel: raid5.c raid5_compute_sector, compute_blocknr.
 */
#include "model/geometry.h"

#include <string.h>

#include "model/assert.h"
#include "model/ids.h"

enum { NO_PARITY = 0xff, DISKS_LIMIT = 254 };

_Static_assert(sizeof(struct geometry) == 24, "stands in the world's shape without padding");
_Static_assert(sizeof(struct place) == 16, "returned in two registers");

static bool has_parity(const struct geometry *g)
{
    return g->level == LEVEL_RAID4 || g->level == LEVEL_RAID5;
}

static bool is_symmetric(const struct geometry *g)
{
    return g->layout == LAYOUT_LEFT_SYMMETRIC || g->layout == LAYOUT_RIGHT_SYMMETRIC;
}

/* Dividends are chunk and row numbers, which fit 32 bits unless the array is enormous; the narrow
 * division is several times faster on the processors people simulate with. */
static uint64_t divide(uint64_t dividend, uint32_t divisor)
{
    if (dividend <= UINT32_MAX)
        return (uint32_t)dividend / divisor;
    return dividend / divisor;
}

static uint32_t remainder_of(uint64_t dividend, uint32_t divisor)
{
    return (uint32_t)(dividend - divide(dividend, divisor) * divisor);
}

static uint32_t parity_slot(const struct geometry *g, uint64_t row)
{
    switch (g->layout) {
    case LAYOUT_LEFT_ASYMMETRIC:
    case LAYOUT_LEFT_SYMMETRIC:
        return g->data_disks - remainder_of(row, g->disks);
    case LAYOUT_RIGHT_ASYMMETRIC:
    case LAYOUT_RIGHT_SYMMETRIC:
        return remainder_of(row, g->disks);
    case LAYOUT_PARITY_0:
        return 0;
    default:
        return g->data_disks;
    }
}

/* The member of data chunk k in a row whose parity is given. */
static uint32_t data_slot(const struct geometry *g, uint32_t k, uint32_t parity)
{
    uint32_t slot;

    if (!is_symmetric(g))
        return k < parity ? k : k + 1;
    slot = parity + 1 + k;
    return slot < g->disks ? slot : slot - g->disks;
}

/* The inverse of data_slot. */
static uint32_t data_index(const struct geometry *g, uint32_t slot, uint32_t parity)
{
    if (!is_symmetric(g))
        return slot < parity ? slot : slot - 1;
    return (slot > parity ? slot : slot + g->disks) - parity - 1;
}

static bool chunk_is_possible(uint32_t chunk_sectors)
{
    return chunk_sectors >= PAGE_SECTORS && (chunk_sectors & (chunk_sectors - 1)) == 0;
}

bool geometry_set(struct geometry *g, enum level level, enum layout layout, unsigned disks,
                  uint64_t component_sectors, uint32_t chunk_sectors)
{
    struct geometry new;
    bool parity = level == LEVEL_RAID4 || level == LEVEL_RAID5;

    if (level > LEVEL_RAID5 || (level == LEVEL_RAID5 && layout > LAYOUT_PARITY_N))
        return false;
    if (disks < (parity ? 2 : 1) || disks > DISKS_LIMIT)
        return false;
    if (level != LEVEL_RAW && !chunk_is_possible(chunk_sectors))
        return false;

    memset(&new, 0, sizeof(new));
    new.level = (uint8_t)level;
    new.disks = (uint8_t)disks;
    new.data_disks = (uint8_t)(disks - parity);
    new.component_sectors = component_sectors;
    if (level == LEVEL_RAID5)
        new.layout = (uint8_t)layout;
    else if (level == LEVEL_RAID4)
        new.layout = LAYOUT_PARITY_N;
    if (level != LEVEL_RAW) {
        new.chunk_sectors = chunk_sectors;
        new.chunk_shift = (uint8_t)__builtin_ctz(chunk_sectors);
        new.component_sectors &= ~(uint64_t)(chunk_sectors - 1);
    } else {
        new.component_sectors &=
            ~(uint64_t)7; /* whole pages: those of members and array coincide */
    }
    if (new.component_sectors == 0 || new.component_sectors > UINT64_MAX / disks)
        return false;
    *g = new;
    return true;
}

uint64_t geometry_sectors(const struct geometry *g)
{
    return g->component_sectors * g->data_disks;
}

struct place geometry_map(const struct geometry *g, uint64_t sector)
{
    struct place p = { .parity = NO_PARITY };
    uint64_t chunk, row;
    uint32_t k;

    ASSERT(sector < geometry_sectors(g));
    if (g->level == LEVEL_RAW) {
        uint64_t disk = sector / g->component_sectors;

        p.disk = (uint8_t)disk;
        p.sector = sector - disk * g->component_sectors;
        return p;
    }
    chunk = sector >> g->chunk_shift;
    row = divide(chunk, g->data_disks);
    k = (uint32_t)(chunk - row * g->data_disks);
    p.sector = row << g->chunk_shift | (sector & (g->chunk_sectors - 1));
    if (has_parity(g)) {
        uint32_t parity = parity_slot(g, row);

        p.parity = (uint8_t)parity;
        k = data_slot(g, k, parity);
    }
    p.disk = (uint8_t)k;
    ASSERT(p.disk < g->disks && p.disk != p.parity);
    return p;
}

unsigned geometry_parity(const struct geometry *g, uint64_t device_sector)
{
    ASSERT(device_sector < g->component_sectors);
    return has_parity(g) ? parity_slot(g, device_sector >> g->chunk_shift) : NO_PARITY;
}

uint64_t geometry_unmap(const struct geometry *g, uint64_t device_sector, unsigned disk)
{
    uint64_t row, sector;
    uint32_t k = disk;

    ASSERT(disk < g->disks);
    ASSERT(device_sector < g->component_sectors);
    if (g->level == LEVEL_RAW)
        return disk * g->component_sectors + device_sector;
    row = device_sector >> g->chunk_shift;
    if (has_parity(g)) {
        uint32_t parity = parity_slot(g, row);

        ASSERT(disk != parity);
        k = data_index(g, disk, parity);
    }
    sector = row * g->data_disks + k;
    if (g->chunk_bits)
        sector &= (UINT64_C(1) << g->chunk_bits) - 1;
    sector <<= g->chunk_shift;
    sector |= device_sector & (g->chunk_sectors - 1);
    /* The driver maps every inverse forward again and complains if it does not come back. */
    ASSERT_DEEP(geometry_map(g, sector).sector == device_sector);
    ASSERT_DEEP(geometry_map(g, sector).disk == disk);
    return sector;
}
