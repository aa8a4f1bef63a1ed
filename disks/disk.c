/* The disk's one step: carry out a queued record. Contents move between the media and the record's
 * buffer at this moment. */
#include "disks/disk.h"

#include "model/flaws.h"
#include "model/io.h"
#include "model/media.h"
#include "model/stored.h"
#include "model/stripe.h"

static uint32_t serve_ways(const struct world *w, actor_id who)
{
    return disk_see(w, actor_see(w, who)->index)->queued;
}

static uint64_t serve_name(const struct world *w, actor_id who, uint32_t k)
{
    unsigned disk = actor_see(w, who)->index;

    return (uint64_t)disk * w->shape.ios_per_disk + io_nth(w, disk, IO_QUEUED, k);
}

static bool serve_allows(const struct world *w, actor_id who, uint64_t way)
{
    return way < w->count[SEC_IOS] && io_disk(w, (io_id)way) == actor_see(w, who)->index &&
           io_see(w, way)->state == IO_QUEUED;
}

/* What fate and the media make of an I/O: it fails, or only says that it has not. */
static bool fails(struct world *w, unsigned disk, const struct io *r)
{
    if (r->flags & IO_DOOMED || disk_see(w, disk)->device & DEVICE_DEAD)
        return true;
    return r->kind != IO_FLUSH && r->reason != REASON_PPL && r->reason != REASON_JOURNAL &&
           array_see(w, 0)->flaws &&
           flaws_meet(w, disk, flaws_sector(w, r), r->sectors, r->kind == IO_WRITE);
}

/* Where a write goes: a misdirected one to the next page, the last one to the first. */
static uint64_t landing(const struct world *w, const struct io *r)
{
    uint64_t next = r->sector + PAGE_SECTORS;

    if (!(r->flags & IO_MISDIRECTED))
        return r->sector;
    return next + r->sectors <= w->shape.geometry.component_sectors ? next : 0;
}

static void carry_out(struct world *w, unsigned disk, const struct io *r)
{
    uint32_t sectors = r->flags & IO_TORN
                           ? r->sectors / 2 / w->shape.group_sectors * w->shape.group_sectors
                           : r->sectors;

    if (r->reason == REASON_SUPERBLOCK)
        stored_arrive(w, disk);
    if (r->flags & (IO_META | IO_LOST))
        return;
    switch (r->kind) {
    case IO_READ:
        media_read(w, disk, r->sector, r->sectors, r->page);
        break;
    case IO_WRITE:
        if (sectors)
            media_write(w, disk, landing(w, r), sectors, r->page, r->fua || !w->shape.write_cache);
        break;
    default:
        media_flush(w, disk);
        break;
    }
}

static void serve_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    io_id io = (io_id)way;
    struct io *r = io_at(w, io);
    unsigned disk = actor_see(w, who)->index;

    (void)e;
    ASSERT(disk_see(w, disk)->flags); /* nobody asks a member that is not there */
    if (fails(w, disk, r))
        r->failed = 1;
    else
        carry_out(w, disk, r);
    io_serve(w, io);
}

static const struct step disk_steps[] = {
    { .name = "disk.serve",
      .kernel = "the device",
      .ways = serve_ways,
      .name_of = serve_name,
      .allows = serve_allows,
      .fire = serve_fire },
};
const struct actor_kind disk_kind = { "disk", VENUE_DEVICE, disk_steps, 1 };
