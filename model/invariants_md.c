/*
 * Invariants of what md-6.1 knows beside stripes (model/invariants.h): members and their lists
 * of bad blocks, superblocks, reads to be retried; and of what the world keeps of the devices:
 * flaws, and what a new device has been given.
 */
#include "model/invariants.h"

#include "model/array.h"
#include "model/fill.h"
#include "model/flaws.h"
#include "model/io.h"
#include "model/members.h"
#include "model/request.h"
#include "model/stripe.h"

#define HOLDS(claim, words)                                                                        \
    do {                                                                                           \
        if (!(claim))                                                                              \
            return words;                                                                          \
    } while (0)

static const char *flags(const struct world *w)
{
    uint32_t out = 0;

    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        out += !member_in_sync(w, member_of(w, i));
    HOLDS(out == array_see(w, 0)->degraded, "MB: degraded = slots not in sync");
    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        const struct disk *m = disk_see(w, d);

        HOLDS(!(m->flags & MEMBER_WAITING) ||
                  !(m->flags & ~(uint32_t)(MEMBER_WAITING | MEMBER_FAULTY | MEMBER_BLOCKED)),
              "MB: a spare is nothing else but faulty");
        if (m->flags & MEMBER_PRESENT)
            HOLDS(m->slot == NO_DEVICE || member_of(w, m->slot) == d,
                  "MB: in a slot that names another device");
        else
            HOLDS(!m->read_errors, "MB: in no slot, and read errors are counted");
        HOLDS(!(m->flags & MEMBER_IN_SYNC) || !(m->device & DEVICE_UNBUILT),
              "MB: in sync, and never rebuilt");
        if (m->flags & MEMBER_FAULTY)
            HOLDS(!(m->flags & MEMBER_IN_SYNC), "MB: faulty and in sync");
        if (m->flags & MEMBER_BLOCKED)
            HOLDS((m->flags & MEMBER_FAULTY) && (array_see(w, 0)->sb_flags & SB_PENDING),
                  "MB: blocked: a faulty member until the superblocks say so");
        if (!m->flags)
            HOLDS(m->queued + m->done + m->held == 0, "MB: not there, and I/O under way");
    }
    return NULL;
}

static const char *bad_blocks(const struct world *w)
{
    uint32_t room = w->shape.bad_blocks_max;

    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        uint32_t count = disk_see(w, d)->bad_blocks;

        HOLDS(count <= room, "BB: more bad blocks than there is room for");
        for (uint32_t i = 0; i < room; i++) {
            uint64_t entry = *bad_see(w, (uint64_t)d * room + i);

            HOLDS(i < count || !entry, "BB: behind its end a list is zero");
            if (i >= count)
                continue;
            HOLDS(!i || *bad_see(w, (uint64_t)d * room + i - 1) >> 1 < entry >> 1,
                  "BB: a list is sorted, each page in it once");
            HOLDS((entry >> 1) * PAGE_SECTORS < w->shape.geometry.component_sectors,
                  "BB: a page beyond the member");
            HOLDS(!(entry & 1) || (array_see(w, 0)->sb_flags & SB_PENDING),
                  "BB: not acknowledged, and no superblock is to say so");
        }
    }
    return NULL;
}

static const char *metadata(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    const struct actor *raid5d = actor_see(w, actor_raid5d(&w->shape));
    bool awake = a->raid5d_wanted || raid5d->pc != RAID5D_SLEEP;
    uint32_t under_way = 0;

    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        for (unsigned p = 0; p < META_PLACES; p++) {
            const struct io *r = io_see(w, io_of_meta(w, d, p));

            under_way += r->state != IO_IDLE;
            HOLDS(r->state == IO_IDLE || (r->flags & IO_META), "SB: contents in a metadata I/O");
        }
    HOLDS(under_way == a->meta_pending, "SB: meta_pending = metadata I/Os under way");
    HOLDS(!under_way || raid5d->pc == RAID5D_SUPERBLOCK || raid5d->pc == RAID5D_BITMAP ||
              raid5d->pc == RAID5D_DAEMON,
          "SB: metadata I/O, and nobody waits");
    HOLDS(!(a->sb_flags & SB_PENDING) || awake, "SB: pending, and raid5d asleep");
    HOLDS(!a->safemode || awake, "SB: the timer has run out, and raid5d asleep");
    HOLDS(!(a->recovery & (RECOVERY_DONE | RECOVERY_NEEDED)) || awake,
          "SB: something to do for members, and raid5d asleep");
    HOLDS(!wait_queue_see(w, WAIT_SUPERBLOCK)->sleepers || (a->sb_flags & SB_PENDING),
          "SB: a writer sleeps for superblocks that are not pending");
    return NULL;
}

static const char *writes(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    uint32_t open = 0, full = 0;

    for (uint64_t b = 0; b < w->count[SEC_BIOS]; b++)
        open += bio_see(w, b)->counted == BIO_IS_PENDING_WRITE && bio_see(w, b)->left;
    HOLDS(a->writes_pending == open, "I14: writes_pending = bios that write");
    HOLDS(!a->in_sync || !open, "I14: the superblocks say clean amid a write");
    for (stripe_id s = 0; s < w->shape.stripes; s++)
        full += (stripe_see(w, s)->state & STRIPE_FULL_WRITE) != 0;
    HOLDS(a->pending_full_writes == full, "I5: pending_full_writes = stripes being fully written");
    return NULL;
}

static const char *recovery(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    const struct actor *resync = actor_see(w, actor_resync(&w->shape));

    HOLDS(a->recovery_active % PAGE_SECTORS == 0, "RS: part of a stripe is being synced");
    if (resync->pc != RESYNC_START)
        HOLDS(a->recovery & RECOVERY_RUNNING, "RS: the resync thread runs unseen");
    else
        HOLDS(!a->recovery_active, "RS: stripes are being synced for nobody");
    HOLDS(a->sync_completed <= a->sync_at || resync->pc == RESYNC_START,
          "RS: more is completed than was asked for");
    return NULL;
}

static const char *retries(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    uint64_t n = 0;

    if (a->retry_bio == NONE32)
        HOLDS(a->retry_page == 0, "RT: a page of no read");
    for (bio_id b = a->retry_head; b != NONE32; b = bio_see(w, b)->next) {
        const struct request *r = request_see(w, bio_request(w, b));

        HOLDS(n++ < w->count[SEC_BIOS], "RT: the list is a ring");
        HOLDS(b != a->retry_bio, "RT: being retried and waiting for it");
        HOLDS(bio_see(w, b)->left == 1, "RT: a read to be retried that somebody else works on");
        HOLDS(!r->write && r->state != REQUEST_FREE && r->state != REQUEST_DONE,
              "RT: to be retried, and no read under way");
    }
    HOLDS(a->retry_head == NONE32 || a->retry_bio != NONE32 || a->raid5d_wanted ||
              actor_see(w, actor_raid5d(&w->shape))->pc != RAID5D_SLEEP,
          "RT: reads to be retried, and raid5d asleep");
    return NULL;
}

static const char *flaws(const struct world *w)
{
    const struct array *a = array_see(w, 0);

    for (uint32_t i = 0; i < w->shape.flaw_entries; i++) {
        const struct flaw *f = flaw_see(w, i), *before = i ? flaw_see(w, i - 1) : NULL;

        if (i >= a->flaws) {
            HOLDS(!f->sectors && !f->sector && !f->kind && !f->member,
                  "FL: behind its end the list is zero");
            continue;
        }
        HOLDS(f->sectors && f->sectors <= a->flaw_longest, "FL: longer than the longest, or empty");
        HOLDS(f->member < shape_devices(&w->shape), "FL: a flaw of nobody");
        HOLDS(f->kind == FLAW_READ_UNTIL_WRITTEN || f->kind == FLAW_READ || f->kind == FLAW_WRITE,
              "FL: of no kind, or of two");
        if (before)
            HOLDS(before->member < f->member ||
                      (before->member == f->member && before->sector <= f->sector),
                  "FL: sorted by member and sector");
    }
    return NULL;
}

static const char *extents(const struct world *w)
{
    uint64_t room = fill_extents(&w->shape);

    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        uint32_t count = disk_see(w, d)->extents;
        uint64_t end = 0;

        HOLDS(!count || (disk_see(w, d)->device & DEVICE_NEW), "EX: a device that is not new");
        HOLDS(count <= room, "EX: more extents than there is room for");
        for (uint64_t i = 0; i < room; i++) {
            const struct extent *x = extent_see(w, d * room + i);

            HOLDS(i < count || (!x->first && !x->end), "EX: behind their end there are zeros");
            if (i >= count)
                break;
            HOLDS(x->first < x->end, "EX: an empty extent");
            HOLDS(!i || x->first > end, "EX: in order, none touching the next");
            HOLDS(x->end <= w->shape.geometry.component_sectors / PAGE_SECTORS,
                  "EX: beyond the member");
            end = x->end;
        }
    }
    return NULL;
}

const char *invariants_md_broken(const struct world *w)
{
    static const char *(*const of_md[])(const struct world *) = { flags,  bad_blocks, metadata,
                                                                  writes, recovery,   retries,
                                                                  flaws,  extents };
    const char *broken = NULL;

    for (unsigned i = 0; i < sizeof of_md / sizeof of_md[0] && !broken; i++)
        broken = of_md[i](w);
    return broken;
}
