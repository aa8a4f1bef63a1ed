/* The disk's one step: carry out a queued record. Contents move between the media and the record's
 * buffer at this moment. */
#include "disks/disk.h"

#include "model/io.h"
#include "model/media.h"

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

static void serve_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    io_id io = (io_id)way;
    const struct io *r = io_see(w, io);
    unsigned disk = actor_see(w, who)->index;

    (void)e;
    ASSERT(disk_see(w, disk)->in_sync); /* nobody asks a member that is not there */
    switch (r->kind) {
    case IO_READ:
        media_read(w, disk, r->sector, r->sectors, r->page);
        break;
    case IO_WRITE:
        media_write(w, disk, r->sector, r->sectors, r->page, r->fua || !w->shape.write_cache);
        break;
    default:
        media_flush(w, disk);
        break;
    }
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
