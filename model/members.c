/* Members: see members.h. Only transitions are here; who calls them when is raid5d's affair
 * (superblock.c). */
#include "model/members.h"

#include <string.h>

#include "model/bitmap.h"
#include "model/cache.h"
#include "model/flaws.h"
#include "model/media.h"
#include "model/stored.h"
#include "model/waits.h"

enum { UNACKNOWLEDGED = 1 };

static unsigned slots_of(const struct world *w)
{
    return w->shape.geometry.disks;
}

/* ---- lists of bad blocks */

static uint64_t entry_of(uint64_t sector)
{
    return sector / PAGE_SECTORS << 1;
}

/* The first entry that is not below. */
static uint32_t lower_bound(const struct world *w, unsigned disk, uint64_t entry)
{
    uint32_t from = 0, to = disk_see(w, disk)->bad_blocks;
    uint64_t base = (uint64_t)disk * w->shape.bad_blocks_max;

    while (from < to) {
        uint32_t middle = (from + to) / 2;

        if (*bad_see(w, base + middle) < entry)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static uint64_t *entry_at(struct world *w, unsigned disk, uint32_t at)
{
    return bad_at(w, (uint64_t)disk * w->shape.bad_blocks_max + at);
}

enum badness member_badness(const struct world *w, unsigned disk, uint64_t sector, uint32_t sectors)
{
    const struct disk *d = disk_see(w, disk);
    uint64_t base = (uint64_t)disk * w->shape.bad_blocks_max;
    enum badness worst = BAD_NOT;

    if (!d->bad_blocks)
        return BAD_NOT;
    for (uint32_t i = lower_bound(w, disk, entry_of(sector)); i < d->bad_blocks; i++) {
        uint64_t entry = *bad_see(w, base + i);

        if (entry >= entry_of(sector + sectors + PAGE_SECTORS - 1))
            break;
        if (entry & UNACKNOWLEDGED)
            return BAD_UNACKNOWLEDGED;
        worst = BAD_ACKNOWLEDGED;
    }
    return worst;
}

static void superblocks_wanted(struct world *w, unsigned flags, struct effects *e)
{
    array_at(w, 0)->sb_flags |= (uint8_t)flags;
    cache_wake_raid5d(w, e);
}

bool member_set_bad(struct world *w, unsigned disk, uint64_t sector, struct effects *e)
{
    struct disk *d = disk_at(w, disk);
    uint32_t at;

    if (d->bad_blocks == w->shape.bad_blocks_max)
        return false;
    at = lower_bound(w, disk, entry_of(sector));
    if (at == d->bad_blocks || *entry_at(w, disk, at) >> 1 != sector / PAGE_SECTORS) {
        if (at < d->bad_blocks)
            memmove(entry_at(w, disk, at) + 1, entry_at(w, disk, at),
                    (d->bad_blocks - at) * sizeof(uint64_t));
        d->bad_blocks++;
        *entry_at(w, disk, at) = entry_of(sector) | UNACKNOWLEDGED;
    }
    d->bad_changed = 1;
    mark_member(e, MARK_BAD_BLOCK, disk);
    superblocks_wanted(w, SB_CLEAN | SB_PENDING, e);
    return true;
}

void member_clear_bad(struct world *w, unsigned disk, uint64_t sector)
{
    struct disk *d = disk_at(w, disk);
    uint32_t at = lower_bound(w, disk, entry_of(sector));

    if (at == d->bad_blocks || *entry_at(w, disk, at) >> 1 != sector / PAGE_SECTORS)
        return;
    d->bad_blocks--;
    memmove(entry_at(w, disk, at), entry_at(w, disk, at) + 1,
            (d->bad_blocks - at) * sizeof(uint64_t));
    *entry_at(w, disk, d->bad_blocks) = 0;
    d->bad_changed = 1; /* written with the next superblock, whenever that is */
}

void members_acknowledge(struct world *w)
{
    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        for (uint32_t at = 0; at < disk_see(w, d)->bad_blocks; at++)
            *entry_at(w, d, at) &= ~(uint64_t)UNACKNOWLEDGED;
}

/* ---- failing */

void members_count_degraded(struct world *w)
{
    struct array *a = array_at(w, 0);

    a->degraded = 0;
    for (unsigned i = 0; i < slots_of(w); i++)
        a->degraded = (uint8_t)(a->degraded + !member_in_sync(w, member_of(w, i)));
}

bool members_too_few(const struct world *w)
{
    return array_see(w, 0)->degraded > 1;
}

bool member_is_bound(const struct world *w, unsigned disk)
{
    uint32_t flags = disk_see(w, disk)->flags;

    return flags && !(flags & MEMBER_FAULTY);
}

void member_fail(struct world *w, unsigned disk, struct effects *e)
{
    struct array *a = array_at(w, 0);
    struct disk *d = disk_at(w, disk);

    if (!member_is_bound(w, disk))
        return;
    d->flags = (d->flags | MEMBER_FAULTY | MEMBER_BLOCKED) & ~(uint32_t)MEMBER_IN_SYNC;
    members_count_degraded(w);
    mark(e, MARK_MEMBER_FAILED);
    a->recovery |= RECOVERY_INTR | RECOVERY_NEEDED;
    waits_wake_all(w, WAIT_RECOVERY, e); /* a paused resync thread gives up */
    superblocks_wanted(w, SB_DEVS | SB_PENDING, e);
}

/* ---- coming and going */

/* A rebuild that has failed for good may be tried again. */
static void device_came(struct world *w, unsigned disk, struct effects *e)
{
    struct array *a = array_at(w, 0);

    disk_at(w, disk)->flags = MEMBER_WAITING;
    disk_at(w, disk)->device &= ~(uint32_t)DEVICE_TO_COME;
    a->recovery = (uint8_t)((a->recovery & ~RECOVERY_DISABLED) | RECOVERY_NEEDED);
    superblocks_wanted(w, SB_DEVS, e);
}

/* Another device bears this number from now on, or it will be in another slot: what it holds means
 * nothing. */
static void blank(struct world *w, unsigned disk)
{
    struct disk *d = disk_at(w, disk);

    media_replace(w, disk);
    for (uint32_t at = 0; at < d->bad_blocks; at++)
        *entry_at(w, disk, at) = 0;
    d->bad_blocks = d->bad_changed = 0;
    d->device |= DEVICE_UNBUILT;
}

static bool is_to_come(const struct world *w, unsigned disk)
{
    return disk_see(w, disk)->device & DEVICE_TO_COME;
}

/* The first number nobody has borne yet; else that of a device that has left. */
static unsigned unused_device(const struct world *w)
{
    unsigned left = NO_DEVICE;

    for (unsigned d = shape_devices(&w->shape); d-- > 0;) {
        if (!shape_is_member(&w->shape, d) || disk_see(w, d)->flags)
            continue;
        if (left == NO_DEVICE || is_to_come(w, d) || !is_to_come(w, left))
            left = d;
    }
    return left;
}

bool members_may_add(const struct world *w)
{
    return unused_device(w) != NO_DEVICE;
}

void members_add_spare(struct world *w, struct effects *e)
{
    unsigned disk = unused_device(w);

    ASSERT(disk != NO_DEVICE);
    if (!is_to_come(w, disk)) {
        blank(w, disk);
        flaws_forget(w, disk);
        disk_at(w, disk)->slot = NO_DEVICE;
    }
    device_came(w, disk, e);
    stored_make(w, disk);
}

void member_return(struct world *w, unsigned disk, struct effects *e)
{
    ASSERT(!disk_see(w, disk)->flags);
    disk_at(w, disk)->recovery_offset = 0;
    device_came(w, disk, e);
}

/* Out of its slot if it has one, and nobody's any more. */
static bool is_removable(const struct world *w, unsigned disk)
{
    const struct disk *d = disk_see(w, disk);

    return (d->flags & (MEMBER_FAULTY | MEMBER_BLOCKED)) == MEMBER_FAULTY &&
           d->queued + d->done + d->held == 0 && shape_is_member(&w->shape, disk);
}

bool members_removable(const struct world *w)
{
    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        if (is_removable(w, d))
            return true;
    return false;
}

void members_remove(struct world *w)
{
    for (unsigned i = 0; i < shape_devices(&w->shape); i++) {
        struct disk *d = disk_at(w, i);

        if (!is_removable(w, i))
            continue;
        /* Its list of bad blocks is on the device, and comes back with it. */
        d->bad_changed = d->read_errors = d->corrected = 0;
        d->flags = 0;
        d->recovery_offset = 0;
    }
}

/* What the bitmap does not say: all of a device that has never been whole. */
static bool lacks_more_than_bits(const struct world *w, unsigned disk)
{
    return !has_bitmap(&w->shape) || (disk_see(w, disk)->device & DEVICE_UNBUILT);
}

static bool is_empty(const struct world *w, unsigned slot)
{
    return !(disk_see(w, member_of(w, slot))->flags & MEMBER_PRESENT);
}

static void take_seat(struct world *w, unsigned disk, unsigned slot)
{
    struct disk *d = disk_at(w, disk);

    if (d->slot != slot && d->slot != NO_DEVICE) {
        blank(w, disk);
        stored_make(w, disk);
    }
    d->slot = (uint8_t)slot;
    d->flags = MEMBER_PRESENT;
    seat_at(w, slot)->device = (uint8_t)disk;
}

/* The slot for a spare: where it was before, else the first empty one. */
static unsigned slot_for(const struct world *w, unsigned disk)
{
    unsigned before = disk_see(w, disk)->slot;

    if (before != NO_DEVICE && is_empty(w, before))
        return before;
    for (unsigned i = 0; i < slots_of(w); i++)
        if (is_empty(w, i))
            return i;
    return NO_DEVICE;
}

/* Those that come back into their own slots first; else the last one that came. */
static void seat(struct world *w, bool to_their_own)
{
    for (unsigned d = shape_devices(&w->shape); d-- > 0;) {
        unsigned slot = slot_for(w, d);

        if (disk_see(w, d)->flags == MEMBER_WAITING && slot != NO_DEVICE &&
            (!to_their_own || slot == disk_see(w, d)->slot))
            take_seat(w, d, slot);
    }
}

unsigned members_seat_spares(struct world *w)
{
    struct array *a = array_at(w, 0);
    unsigned count = 0;

    seat(w, true);
    seat(w, false);
    a->fullsync = 0;
    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        if (!member_alive(w, d) || member_in_sync(w, d))
            continue;
        a->fullsync |= lacks_more_than_bits(w, d);
        count++;
    }
    return count;
}

void members_activate(struct world *w)
{
    for (unsigned i = 0; i < shape_devices(&w->shape); i++) {
        struct disk *d = disk_at(w, i);

        if (member_alive(w, i) && !member_in_sync(w, i) && d->recovery_offset == UINT64_MAX) {
            d->flags |= MEMBER_IN_SYNC;
            d->device &= ~(uint32_t)DEVICE_UNBUILT;
        }
    }
    members_count_degraded(w);
}
