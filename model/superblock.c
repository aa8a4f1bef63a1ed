/* Superblocks: see superblock.h. */
#include "model/superblock.h"

#include "model/array.h"
#include "model/bitmap.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/log.h"
#include "model/members.h"
#include "model/mutations.h"
#include "model/resync.h"
#include "model/stored.h"
#include "model/stripe.h"
#include "model/waits.h"

enum { BAD_BLOCK_LOG_SECTORS = 8 };

bool superblock_due(const struct world *w)
{
    const struct array *a = array_see(w, 0);

    return (a->sb_flags & (SB_DEVS | SB_CLEAN)) || a->safemode || a->bitmap_tick ||
           (a->recovery & (RECOVERY_NEEDED | RECOVERY_DONE));
}

/* ---- writing */

static void write_one(struct world *w, actor_id by, unsigned disk, enum meta_place place,
                      struct effects *e)
{
    io_id io = io_of_meta(w, disk, place);
    struct io *r = io_at(w, io);
    bool small = place == META_SUPERBLOCK && w->shape.metadata != METADATA_090;

    r->sector = w->shape.meta_sector - (place == META_BAD_BLOCKS ? BAD_BLOCK_LOG_SECTORS : 0);
    if (w->shape.metadata == METADATA_12 && place == META_BAD_BLOCKS)
        r->sector = w->shape.meta_sector + BAD_BLOCK_LOG_SECTORS;
    r->sectors = small ? 1 : PAGE_SECTORS;
    r->page = NONE32;
    r->issuer = by;
    r->kind = IO_WRITE;
    r->reason = place == META_SUPERBLOCK ? REASON_SUPERBLOCK : REASON_BAD_BLOCKS;
    r->flags = IO_META;
    if (place == META_SUPERBLOCK)
        stored_note(w, disk);
    r->fua = disk_see(w, disk)->bad_blocks != 0;
    array_at(w, 0)->meta_pending++;
    work(e, WORK_BIO, 1);
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

/* A rebuild's progress is known to the superblocks from its checkpoints. */
static void note_recovery(struct world *w)
{
    const struct array *a = array_see(w, 0);

    if (!(a->recovery & RECOVERY_RUNNING) || a->sync != SYNC_RECOVER)
        return;
    for (unsigned i = 0; i < shape_devices(&w->shape); i++) {
        struct disk *d = disk_at(w, i);

        if (member_alive(w, i) && !member_in_sync(w, i) && a->sync_completed > d->recovery_offset)
            d->recovery_offset = a->sync_completed;
    }
}

static void write_device(struct world *w, actor_id by, unsigned disk, struct effects *e)
{
    write_one(w, by, disk, META_SUPERBLOCK, e);
    if (disk_see(w, disk)->bad_changed)
        write_one(w, by, disk, META_BAD_BLOCKS, e);
    disk_at(w, disk)->bad_changed = 0;
}

/* Of all devices, spares too: what came last comes first, the journal was the first to come. */
static void write_superblocks(struct world *w, actor_id by, struct effects *e)
{
    array_at(w, 0)->sb_phase = 0;
    array_at(w, 0)->clean_sent = array_see(w, 0)->in_sync;
    for (unsigned i = shape_devices(&w->shape); i-- > 0 && w->shape.metadata != METADATA_NONE;)
        if (shape_is_member(&w->shape, i) && member_is_bound(w, i))
            write_device(w, by, i, e);
    if (w->shape.log == LOG_JOURNAL && member_is_bound(w, w->shape.geometry.disks))
        write_device(w, by, w->shape.geometry.disks, e);
}

/* The bitmap's own superblock goes before the members'. */
static void write_all(struct world *w, actor_id by, struct effects *e)
{
    struct array *a = array_at(w, 0);

    note_recovery(w);
    a->sb_flags &= SB_PENDING;
    a->events++;
    members_acknowledge(w);
    actor_at(w, by)->pc = RAID5D_SUPERBLOCK;
    mark(e, MARK_SUPERBLOCKS);
    if (has_bitmap(&w->shape) && w->shape.metadata != METADATA_NONE) {
        a->sb_phase = 1;
        bitmap_write_head(w, by, e);
    } else {
        write_superblocks(w, by, e);
    }
}

uint32_t superblock_is_down(const struct world *w, actor_id who)
{
    (void)who;
    return array_see(w, 0)->meta_pending == 0;
}

void superblock_ended(struct world *w, unsigned disk, bool failed, struct effects *e)
{
    struct array *a = array_at(w, 0);

    if (failed)
        member_fail(w, disk, e);
    ASSERT(a->meta_pending);
    if (a->meta_pending == 1)
        bitmap_is_down(w);
    if (--a->meta_pending == 0)
        effect(e, EFFECT_WAKE, 0, actor_raid5d(&w->shape), 0);
}

void superblock_written(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);

    (void)way;
    if (a->sb_phase) {
        write_superblocks(w, who, e);
        return;
    }
    a->clean_stored = a->clean_sent;
    if (a->sb_flags & (SB_DEVS | SB_CLEAN)) { /* something has changed meanwhile */
        write_all(w, who, e);
        return;
    }
    a->sb_flags = 0;
    for (unsigned i = 0; i < shape_devices(&w->shape); i++)
        disk_at(w, i)->flags &= ~(uint32_t)MEMBER_BLOCKED;
    log_told(w, e);
    waits_wake_all(w, WAIT_SUPERBLOCK, e);
    actor_at(w, who)->pc = RAID5D_CHECK;
}

/* ---- members and the resync thread */

/* The resync thread has ended: who has been rebuilt counts, and the superblocks say so. */
static void reap(struct world *w)
{
    struct array *a = array_at(w, 0);

    members_activate(w);
    a->recovery &= RECOVERY_DISABLED;
    a->recovery |= RECOVERY_NEEDED;
    a->sync = SYNC_IDLE;
    a->sb_flags |= SB_DEVS;
}

/* Members that can be rebuilt are. True: a member has to leave first. */
static bool look_after_members(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);
    unsigned rebuildable;

    if (members_removable(w))
        return true;
    a->recovery &= (uint8_t)~RECOVERY_NEEDED;
    rebuildable = members_seat_spares(w);
    if (!rebuildable || members_too_few(w) || (a->recovery & RECOVERY_DISABLED))
        return false;
    a->sb_flags |= SB_DEVS;
    resync_begin(w, SYNC_RECOVER, e);
    return false;
}

static void become_clean(struct world *w)
{
    struct array *a = array_at(w, 0);

    a->safemode = 0;
    if (a->in_sync || a->writes_pending || a->recovery_cp != UINT64_MAX)
        return;
    a->in_sync = 1;
    a->sb_flags |= SB_CLEAN;
}

void superblock_check(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);

    (void)way;
    work(e, WORK_PICK, 1);
    if (bitmap_daemon_due(w)) {
        bitmap_daemon(w, e);
        actor_at(w, who)->pc = RAID5D_DAEMON;
        return;
    }
    if (a->safemode)
        become_clean(w);
    if (!(a->sb_flags & (SB_DEVS | SB_CLEAN)) && (a->recovery & RECOVERY_DONE))
        reap(w);
    if (a->sb_flags & (SB_DEVS | SB_CLEAN)) {
        write_all(w, who, e);
        return;
    }
    actor_at(w, who)->pc = RAID5D_LOOP;
    if (a->recovery & (RECOVERY_NEEDED | RECOVERY_DONE))
        a->raid5d_wanted = 1; /* whoever has had the array's lock has the thread look again */
    if (a->recovery & RECOVERY_RUNNING)
        a->recovery &= (uint8_t)~RECOVERY_NEEDED; /* its end will look again */
    else if ((a->recovery & RECOVERY_NEEDED) && look_after_members(w, e)) {
        actor_at(w, who)->pc = RAID5D_GRACE;
        effect(e, EFFECT_ARM, ARM_US, who, w->shape.grace_us);
    }
}

void superblock_grace(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    (void)e;
    members_remove(w);
    if (!(array_see(w, 0)->recovery & RECOVERY_RUNNING)) /* a check may have begun meanwhile */
        look_after_members(w, e);
    array_at(w, 0)->sb_flags |= SB_DEVS;
    array_at(w, 0)->raid5d_wanted = 1;
    actor_at(w, who)->pc = RAID5D_LOOP; /* stripes first; then the superblocks */
}

/* ---- clean and dirty */

bool superblock_write_start(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);

    if (a->in_sync) {
        a->in_sync = 0;
        a->sb_flags |= SB_CLEAN | (MUTATED(w, B54) ? 0 : SB_PENDING);
        cache_wake_raid5d(w, e);
    } else if (MUTATED(w, B54) && (a->sb_flags & SB_CLEAN)) {
        a->sb_flags |= SB_PENDING;
    }
    return !(a->sb_flags & SB_PENDING);
}

void superblock_write_end(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);

    ASSERT(a->writes_pending);
    if (--a->writes_pending || !w->shape.safe_mode_us)
        return;
    actor_at(w, actor_safemode(&w->shape))->slot = 1;
    effect(e, EFFECT_ARM, ARM_ROUNDED_US, actor_safemode(&w->shape), w->shape.safe_mode_us);
}

/* ---- the timer */

static uint32_t is_armed(const struct world *w, actor_id who)
{
    return actor_see(w, who)->slot;
}

static void timeout_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    actor_at(w, who)->slot = 0;
    array_at(w, 0)->safemode = 1;
    cache_wake_raid5d(w, e);
}

static const struct step safemode_steps[] = {
    { "safemode.timeout", "md_safemode_timeout", is_armed, NULL, NULL, timeout_fire,
      .lock = LOCK_NONE, .sleeps = 1 },
};
const struct actor_kind safemode_kind = { "safemode", VENUE_TIMER, safemode_steps, 1 };
