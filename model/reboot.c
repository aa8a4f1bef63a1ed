/* Power cut and assembly: see reboot.h. */
#include "model/reboot.h"

#include <string.h>

#include "model/array.h"
#include "model/bitmap.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/media.h"
#include "model/members.h"
#include "model/oracle.h"
#include "model/resync.h"
#include "model/stored.h"

/* What is on the members, and what only we know. */
static bool survives(enum section s)
{
    switch (s) {
    case SEC_CLIENTS: /* their shares of the requests */
    case SEC_SEATS:
    case SEC_DISKS: /* the devices; the rest of the record is made anew */
    case SEC_BAD:
    case SEC_FLAWS:
    case SEC_EXTENTS:
    case SEC_MEDIA:
    case SEC_ORACLE:
    case SEC_SAFE:
    case SEC_STORED:
    case SEC_BITDISK:
    case SEC_CHECK:
        return true;
    default:
        return false;
    }
}

static void forget(struct world *w)
{
    uint32_t flaws = array_see(w, 0)->flaws, longest = array_see(w, 0)->flaw_longest;
    uint64_t mismatches = array_see(w, 0)->mismatches;

    for (enum section s = 0; s < SECTION_COUNT; s++)
        if (!survives(s) && w->count[s])
            memset(world_at(w, s, 0), 0, w->item[s] * w->count[s]);
    array_at(w, 0)->flaws = flaws;
    array_at(w, 0)->flaw_longest = longest;
    array_at(w, 0)->mismatches = mismatches;
}

/* Bad blocks that no superblock had said yet are forgotten. */
static void keep_acknowledged(struct world *w, unsigned disk)
{
    uint32_t room = w->shape.bad_blocks_max, kept = 0;

    for (uint32_t i = 0; i < disk_see(w, disk)->bad_blocks; i++) {
        uint64_t entry = *bad_see(w, (uint64_t)disk * room + i);

        if (!(entry & 1))
            *bad_at(w, (uint64_t)disk * room + kept++) = entry;
    }
    for (uint32_t i = kept; i < disk_see(w, disk)->bad_blocks; i++)
        *bad_at(w, (uint64_t)disk * room + i) = 0;
    disk_at(w, disk)->bad_blocks = kept;
}

/* The device as the freshest superblock has it, in the slot that its own one says. */
static void assemble_device(struct world *w, unsigned i, const struct stored *best)
{
    const struct stored *own = stored_see(w, 2 * i);
    struct disk *d = disk_at(w, i);
    uint64_t bit = UINT64_C(1) << i;

    keep_acknowledged(w, i);
    *d = (struct disk){
        .device = d->device, .extents = d->extents, .bad_blocks = d->bad_blocks, .slot = d->slot
    };
    if (!stored_counts(w, i, best))
        return;
    if (own->slot == NO_DEVICE)
        d->flags = MEMBER_WAITING;
    if (own->slot == NO_DEVICE || !(best->present & bit))
        return;
    d->flags = MEMBER_PRESENT | (best->in_sync & bit ? MEMBER_IN_SYNC : 0);
    if (!(d->flags & MEMBER_IN_SYNC))
        d->recovery_offset = own->recovery_offset;
    d->slot = own->slot;
    seat_at(w, d->slot)->device = (uint8_t)i;
}

/* Bits on disk are all that is known: each is to be looked at. */
static void load_bitmap(struct world *w)
{
    if (has_bitmap(&w->shape))
        bitmap_load(w);
}

static void start(struct world *w, const struct stored *best, struct effects *e)
{
    struct array *a = array_at(w, 0);
    bool dirty = best->resync_offset != UINT64_MAX;

    a->events = best->events;
    a->recovery_cp = best->resync_offset;
    a->sync_max = UINT64_MAX;
    a->in_sync = a->clean_stored = !dirty;
    if (members_too_few(w) || (dirty && a->degraded && !w->shape.start_dirty_degraded)) {
        a->down = 1;
        return;
    }
    load_bitmap(w);
    if (a->degraded)
        a->recovery |= RECOVERY_NEEDED;
    if (dirty)
        resync_begin(w, SYNC_RESYNC, e);
    cache_wake_raid5d(w, e);
}

void reboot(struct world *w, struct effects *e)
{
    const struct stored *freshest = stored_freshest(w);
    struct stored best = { 0 };

    for (unsigned i = 0; i < shape_devices(&w->shape); i++)
        media_cut(w, i);
    forget(w);
    oracle_cut(w);
    array_place(w);
    if (freshest)
        best = *freshest;
    for (unsigned i = 0; i < shape_devices(&w->shape); i++) {
        assemble_device(w, i, &best);
        *stored_at(w, 2 * i + 1) = (struct stored){ 0 };
    }
    members_count_degraded(w);
    start(w, &best, e);
}
