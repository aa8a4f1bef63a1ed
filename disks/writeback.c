/*
 * Volatile write cache: see writeback.h.
 *
 * A write that bridges two extents joins one of them only; the arm then finds the other at no
 * distance and writes on, so nothing is gained by joining all three. Sectors that leave for the
 * media take room until they are there.
 */
#include "disks/writeback.h"

#include "model/assert.h"
#include "model/ids.h"

size_t writeback_bytes(uint32_t cache_bytes)
{
    return sizeof(struct writeback) + (cache_bytes ? EXTENTS_MAX : 0) * sizeof(struct extent);
}

void writeback_start(struct writeback *w, uint32_t cache_bytes)
{
    w->sectors_max = cache_bytes / SECTOR_BYTES;
    w->max = cache_bytes ? EXTENTS_MAX : 0;
}

/* The extent that overlaps or adjoins [sector, end), or count. */
static uint32_t touching(const struct writeback *w, uint64_t sector, uint64_t end)
{
    uint32_t i = 0;

    while (i < w->count && (w->extent[i].end < sector || end < w->extent[i].sector))
        i++;
    return i;
}

bool writeback_has_room(const struct writeback *w, uint64_t at_ns, uint64_t sector,
                        uint32_t sectors)
{
    uint64_t leaving = at_ns < w->leaving_ns ? w->leaving : 0;

    if (w->sectors + leaving + sectors > w->sectors_max)
        return false;
    return w->count < w->max || touching(w, sector, sector + sectors) < w->count;
}

void writeback_take(struct writeback *w, const struct platter *p, uint64_t ready_ns,
                    uint64_t sector, uint32_t sectors)
{
    uint64_t end = sector + sectors;
    uint32_t i = touching(w, sector, end);
    struct extent *e = &w->extent[i];

    if (i == w->count) {
        ASSERT(w->count < w->max);
        w->count++;
        *e = (struct extent){ sector, end, ready_ns, platter_find(p, sector) };
        w->sectors += sectors;
        return;
    }
    w->sectors -= e->end - e->sector;
    if (end > e->end)
        e->end = end;
    if (sector < e->sector) {
        e->sector = sector;
        e->place = platter_find(p, sector);
    }
    w->sectors += e->end - e->sector;
    ASSERT(w->sectors <= w->sectors_max);
}

bool writeback_holds(const struct writeback *w, uint64_t sector, uint32_t sectors)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->extent[i].sector <= sector && sector + sectors <= w->extent[i].end)
            return true;
    return false;
}

uint64_t writeback_give(struct writeback *w, const struct platter *p, uint32_t extent,
                        uint32_t sectors)
{
    struct extent *e = &w->extent[extent];
    uint64_t from = e->sector, to = e->end;

    ASSERT(extent < w->count);
    if (to - from > sectors)
        to = from + sectors;
    w->sectors -= to - from;
    if (to < e->end) {
        e->sector = to;
        e->place = platter_find(p, to);
    } else {
        *e = w->extent[--w->count];
        w->extent[w->count] = (struct extent){ 0 };
    }
    return to;
}

void writeback_gone(struct writeback *w, uint64_t done_ns, uint64_t sectors)
{
    ASSERT(done_ns >= w->leaving_ns);
    w->leaving = sectors;
    w->leaving_ns = done_ns;
}
