/* Data against the oracle: see properties.h. */
#include "model/properties.h"

#include "model/array.h"
#include "model/bitmap.h"
#include "model/flaws.h"
#include "model/media.h"
#include "model/members.h"
#include "model/oracle.h"
#include "model/stripe.h"

const struct property_text *property_text(unsigned property)
{
    static const struct property_text texts[PROPERTY_COUNT] = {
        [PROPERTY_HOLDS] = { "HOLDS", "", "", "" },
#define PROPERTY(name, n, c, m)                                                                    \
    [PROPERTY_##name] = { .id = #name, .number = n, .claim = c, .meaning = m },
#include "model/properties.def"
#undef PROPERTY
    };

    ASSERT(property < PROPERTY_COUNT);
    return &texts[property];
}

/* Flaws that make reading these sectors fail. */
static bool is_flawed(const struct world *w, unsigned disk, uint64_t sector, uint32_t sectors)
{
    for (uint32_t i = 0; i < array_see(w, 0)->flaws; i++) {
        const struct flaw *f = flaw_see(w, i);

        if (f->member == disk && f->kind != FLAW_WRITE && f->sector < sector + sectors &&
            sector < f->sector + f->sectors)
            return true;
    }
    return false;
}

/* Can md count on what this member holds there? */
static bool is_good(const struct world *w, unsigned disk, uint64_t sector)
{
    const struct disk *d = disk_see(w, disk);
    uint32_t sectors = w->shape.group_sectors;

    return member_alive(w, disk) && !(d->device & DEVICE_DEAD) &&
           (member_in_sync(w, disk) || sector + sectors <= d->recovery_offset) &&
           member_badness(w, disk, sector / PAGE_SECTORS * PAGE_SECTORS, PAGE_SECTORS) == BAD_NOT &&
           !is_flawed(w, disk, sector, sectors);
}

/* Does this block hold a version that a read may return now? */
static bool is_accepted(const struct world *w, unsigned slot, uint64_t sector, tag content)
{
    const struct geometry *g = &w->shape.geometry;
    uint64_t group = geometry_unmap(g, sector, slot) / w->shape.group_sectors;

    return oracle_accepts(w, group, oracle_oldest(w, group), content);
}

/* Has some block of this row been written? */
static bool is_written(const struct world *w, uint64_t sector, unsigned parity)
{
    const struct geometry *g = &w->shape.geometry;

    for (unsigned d = 0; d < g->disks; d++)
        if (d != parity && oracle_oldest(w, geometry_unmap(g, sector, d) / w->shape.group_sectors))
            return true;
    return false;
}

/* One sector group of all members. Behind recovery_cp parity need not be right yet, but where
 * something has been written since. */
static enum property judge_row(const struct world *w, uint64_t sector, bool no_parity)
{
    const struct geometry *g = &w->shape.geometry;
    unsigned parity = geometry_parity(g, sector), lost = NONE16;
    tag sum = 0;

    for (unsigned i = 0; i < g->disks; i++) {
        unsigned d = member_of(w, i);

        if (!is_good(w, d, sector)) {
            if (lost != NONE16)
                return PROPERTY_HOLDS;
            lost = i;
            continue;
        }
        if (i != parity && !is_accepted(w, i, sector, media_see(w, d, sector)))
            return PROPERTY_D4;
        sum ^= media_see(w, d, sector);
    }
    if (lost == parity || no_parity)
        return PROPERTY_HOLDS;
    if (sector >= array_see(w, 0)->recovery_cp && (lost == NONE16 || w->shape.stale_parity))
        return lost == NONE16 && sum && is_written(w, sector, parity) ? PROPERTY_D4
                                                                      : PROPERTY_HOLDS;
    if (lost == NONE16)
        return sum ? PROPERTY_D1 : PROPERTY_HOLDS;
    return is_accepted(w, lost, sector, sum) ? PROPERTY_HOLDS : PROPERTY_D4;
}

enum property properties_at_rest(const struct world *w, bool no_parity, uint64_t *sector)
{
    const struct geometry *g = &w->shape.geometry;

    if (g->level < LEVEL_RAID4)
        return PROPERTY_HOLDS;
    for (*sector = 0; *sector < g->component_sectors; *sector += w->shape.group_sectors) {
        enum property p = judge_row(w, *sector, no_parity);

        if (p != PROPERTY_HOLDS)
            return p;
    }
    return PROPERTY_HOLDS;
}

static enum property judge_io(const struct world *w, const struct io *r)
{
    const struct array *a = array_see(w, 0);

    if (r->kind != IO_WRITE || (r->reason != REASON_DATA && r->reason != REASON_PARITY))
        return PROPERTY_HOLDS;
    if (a->clean_stored && w->shape.metadata != METADATA_NONE)
        return PROPERTY_D10_CLEAN;
    if (w->count[SEC_BITDISK] &&
        !(*bitdisk_see(w, r->sector / w->shape.bitmap_chunk_sectors) & BIT_STORED))
        return PROPERTY_D10;
    return PROPERTY_HOLDS;
}

enum property properties_under_way(const struct world *w)
{
    enum property p = PROPERTY_HOLDS;

    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        for (uint32_t i = 0; i < w->shape.ios_per_disk && p == PROPERTY_HOLDS; i++) {
            const struct io *r = io_see(w, (io_id)d * w->shape.ios_per_disk + i);

            if (r->state != IO_IDLE)
                p = judge_io(w, r);
        }
    return p;
}

bool properties_reads_good(const struct world *w, io_id io)
{
    const struct io *r = io_see(w, io);

    return r->kind != IO_READ || r->reason != REASON_DIRECT ||
           member_badness(w, io_disk(w, io), r->sector, r->sectors) != BAD_ACKNOWLEDGED;
}
