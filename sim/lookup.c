/*
 * Lookups: see lookup.h.
 *
 * Array and member chunks begin and end together, so that what is left of a chunk can be read off
 * the member sector in both directions.
 */
#include "sim/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/assert.h"
#include "model/ids.h"
#include "sim/complaint.h"
#include "sim/scenario_internal.h"

enum { NUMBER_BYTES = 64 };

static bool refuse(const struct lookup *lookup, struct complaint *complaint, const char *what)
{
    return complain(complaint, lookup->of_member ? "--member" : "raid5sim map", 0, "'%s': %s",
                    lookup->text, what);
}

/* The first `length` bytes of at as a number of sectors. */
static bool parse_sectors(const struct lookup *lookup, const char *at, size_t length,
                          uint64_t *sectors, struct complaint *complaint)
{
    char number[NUMBER_BYTES];
    uint64_t bytes;

    if (length < sizeof number) {
        memcpy(number, at, length);
        number[length] = '\0';
        if (value_whole(number, sectors))
            return true;
        if (units_bytes(number, &bytes)) {
            *sectors = bytes / SECTOR_BYTES;
            return bytes % SECTOR_BYTES == 0 ||
                   refuse(lookup, complaint, "no whole sectors of 512 bytes");
        }
    }
    return refuse(lookup, complaint,
                  lookup->of_member ? "not DISK:SECTOR[+COUNT], in sectors or bytes such as 64k"
                                    : "not SECTOR[+COUNT], in sectors or bytes such as 64k");
}

/* DISK: of a member's range; *at is left behind it. */
static bool parse_disk(struct lookup *lookup, const char **at, struct complaint *complaint)
{
    char number[NUMBER_BYTES];
    size_t length = strcspn(*at, ":");

    snprintf(number, sizeof number, "%.*s", (int)(length < NUMBER_BYTES ? length : 0), *at);
    if ((*at)[length] != ':' || !value_whole(number, &lookup->disk))
        return refuse(lookup, complaint, "not DISK:SECTOR[+COUNT]");
    *at += length + 1;
    return true;
}

bool lookup_parse(struct lookup *lookup, struct complaint *complaint)
{
    const char *at = lookup->text;
    size_t length;

    if (lookup->of_member && !parse_disk(lookup, &at, complaint))
        return false;
    length = strcspn(at, "+");
    lookup->count = 1;
    if (!parse_sectors(lookup, at, length, &lookup->sector, complaint))
        return false;
    if (at[length] == '+' &&
        !parse_sectors(lookup, at + length + 1, strlen(at + length + 1), &lookup->count, complaint))
        return false;
    return lookup->count > 0 || refuse(lookup, complaint, "a range of no sectors");
}

bool lookup_check(const struct lookup *lookup, const struct geometry *geometry, uint32_t *pieces,
                  struct complaint *complaint)
{
    uint64_t end = lookup->of_member ? geometry->component_sectors : geometry_sectors(geometry);
    char text[128];
    struct piece piece;

    if (lookup->of_member && lookup->disk >= geometry->disks) {
        snprintf(text, sizeof text, "the array has members 0 to %d", geometry->disks - 1);
        return refuse(lookup, complaint, text);
    }
    if (lookup->sector >= end || lookup->count > end - lookup->sector) {
        snprintf(text, sizeof text, "beyond the %" PRIu64 " sectors of %s", end,
                 lookup->of_member ? "a member" : "the array");
        return refuse(lookup, complaint, text);
    }
    for (struct walk walk = walk_begin(lookup, geometry); walk_next(&walk, &piece);) {
        if (++*pieces > PIECES_MAX) {
            snprintf(text, sizeof text, "more than %d pieces in all", PIECES_MAX);
            return refuse(lookup, complaint, text);
        }
    }
    return true;
}

struct walk walk_begin(const struct lookup *lookup, const struct geometry *geometry)
{
    return (struct walk){ .lookup = lookup, .geometry = geometry };
}

/* Data chunk `index` of the row whose parity lies here: the sector of the array that this sector of
 * the parity is about. */
static uint64_t row_sector(const struct geometry *g, uint64_t member_sector, unsigned parity,
                           uint32_t index)
{
    uint64_t first = UINT64_MAX;

    for (unsigned disk = 0; disk < g->disks; disk++) {
        uint64_t sector = disk == parity ? first : geometry_unmap(g, member_sector, disk);

        if (sector < first)
            first = sector;
    }
    return first + (uint64_t)index * g->chunk_sectors;
}

/* Where the walk stands, as a sector of the array; *parity: the sector asked for is parity. */
static uint64_t here(const struct walk *walk, bool *parity)
{
    const struct lookup *lookup = walk->lookup;
    uint64_t sector = lookup->sector + walk->done;

    *parity = false;
    if (!lookup->of_member)
        return sector;
    *parity = geometry_parity(walk->geometry, sector) == lookup->disk;
    return *parity ? row_sector(walk->geometry, sector, (unsigned)lookup->disk, walk->index)
                   : geometry_unmap(walk->geometry, sector, (unsigned)lookup->disk);
}

bool walk_next(struct walk *walk, struct piece *piece)
{
    const struct geometry *g = walk->geometry;
    uint64_t left = walk->lookup->count - walk->done, room;
    struct place place;

    if (left == 0)
        return false;
    memset(piece, 0, sizeof *piece);
    piece->sector = here(walk, &piece->asked_parity);
    place = geometry_map(g, piece->sector);
    room = g->level == LEVEL_RAW ? g->component_sectors - place.sector
                                 : g->chunk_sectors - (place.sector & (g->chunk_sectors - 1));
    piece->member_sector = place.sector;
    piece->disk = place.disk;
    piece->parity = place.parity;
    piece->count = left < room ? left : room;
    if (piece->asked_parity && ++walk->index < g->data_disks)
        return true;
    walk->index = 0;
    walk->done += piece->count;
    ASSERT(walk->done <= walk->lookup->count);
    return true;
}
