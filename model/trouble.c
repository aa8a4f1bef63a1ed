/*
 * What a pass finds wrong with members and does about it (spec 7.2, 7.3, 7.9, 7.10, md-6.1).
 *
 * A page that could not be read twice, the second time on its own, counts as missing until it has
 * been computed, rewritten and read back. A write that failed, or a page that stays unreadable,
 * goes onto its member's list of bad blocks; a member that has no list fails.
 *
 * Kernel: raid5.c analyse_stripe, handle_failed_stripe, handle_failed_sync, handle_stripe (6.1).
 */
#include "model/batch.h"
#include "model/bitmap.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/machine.h"
#include "model/members.h"
#include "model/mutations.h"
#include "model/request.h"
#include "model/resync.h"
#include "model/waits.h"

/* May the page of this slot be taken from its member? */
static bool is_insync(const struct world *w, const struct pass *p, unsigned i, struct slot *slot)
{
    unsigned disk = member_of(w, i);
    const struct disk *d = disk_see(w, disk);
    uint64_t sector = stripe_see(w, p->s)->sector;

    if (d->bad_blocks && member_badness(w, disk, sector, PAGE_SECTORS) != BAD_NOT) {
        if ((d->flags & MEMBER_WRITE_ERROR) || !(slot->flags & SLOT_UPTODATE))
            return false;
        slot->flags |= SLOT_READ_ERROR; /* its contents are here: they are to be written again */
        return true;
    }
    return (d->flags & MEMBER_IN_SYNC) || sector + PAGE_SECTORS <= d->recovery_offset;
}

void trouble_look(const struct world *w, struct pass *p, unsigned i, struct slot *slot)
{
    unsigned disk = member_of(w, i);
    bool alive = member_alive(w, disk);

    p->blocked |= alive && member_badness(w, disk, stripe_see(w, p->s)->sector, PAGE_SECTORS) ==
                               BAD_UNACKNOWLEDGED;
    slot->flags &= ~(uint32_t)SLOT_INSYNC;
    if (alive && is_insync(w, p, i, slot))
        slot->flags |= SLOT_INSYNC;
    if (slot->flags & SLOT_WRITE_ERROR)
        slot->flags &= ~(uint32_t)SLOT_INSYNC;
    if (!alive)
        slot->flags &= ~(uint32_t)(SLOT_WRITE_ERROR | SLOT_MADE_GOOD);
    p->to_record |= (slot->flags & (SLOT_WRITE_ERROR | SLOT_MADE_GOOD)) != 0;
    if (!(slot->flags & SLOT_INSYNC))
        slot->flags &= ~(uint32_t)(SLOT_READ_ERROR | SLOT_REWRITE);
    if (slot->flags & SLOT_READ_ERROR)
        slot->flags &= ~(uint32_t)SLOT_INSYNC;
    if (slot->flags & SLOT_INSYNC)
        return;
    if (p->failed < 2)
        p->failed_slot[p->failed] = (uint8_t)i;
    p->failed++;
    p->do_recovery |= alive;
}

/* ---- too many failures (7.3) */

/* Ends the bios of a list with an error. */
static void fail_list(struct world *w, piece_id *head, struct effects *e)
{
    piece_id p = *head;

    *head = NONE32;
    while (p != NONE32) {
        piece_id next = piece_see(w, p)->next;

        piece_at(w, p)->next = NONE32;
        request_at(w, piece_request(w, p))->failed = 1;
        bio_drop(w, piece_see(w, p)->bio, e);
        p = next;
    }
}

static void fail_writes(struct world *w, stripe_id s, piece_id *head, struct effects *e)
{
    if (*head != NONE32 && has_bitmap(&w->shape))
        bitmap_end_write(w, s, false, e);
    fail_list(w, head, e);
}

static void record_or_fail(struct world *w, struct pass *p, unsigned disk, struct effects *e)
{
    if (!member_set_bad(w, disk, stripe_see(w, p->s)->sector, e))
        member_fail(w, disk, e);
}

static bool fail_slot(struct world *w, struct pass *p, unsigned i, struct effects *e)
{
    struct slot *slot = slot_at(w, p->s, i);
    unsigned disk = member_of(w, i);
    bool overlap = (slot->flags & SLOT_OVERLAP) != 0;

    if ((slot->flags & SLOT_READ_ERROR) && member_alive(w, disk) && member_in_sync(w, disk))
        record_or_fail(w, p, disk, e);
    slot->flags &= ~(uint32_t)(SLOT_OVERLAP | SLOT_SKIPCOPY);
    if (io_see(w, io_of_slot(w, p->s, i))->state == IO_IDLE)
        slot->flags &= ~(uint32_t)SLOT_LOCKED;
    fail_writes(w, p->s, &slot->towrite, e);
    fail_writes(w, p->s, &slot->written, e);
    if (p->failed > 1 && !(slot->flags & SLOT_WANTFILL) && slot->toread != NONE32 &&
        (!(slot->flags & SLOT_INSYNC) || (slot->flags & SLOT_READ_ERROR))) {
        fail_list(w, &slot->toread, e);
        p->to_read--;
    }
    return overlap;
}

static void fail_stripe(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);
    bool overlap = false;

    for (unsigned i = w->shape.geometry.disks; i-- > 0;)
        overlap |= fail_slot(w, p, i, e);
    if (overlap)
        waits_wake_all(w, WAIT_OVERLAP, e);
    if (x->state & STRIPE_FULL_WRITE) {
        x->state &= (uint16_t)~STRIPE_FULL_WRITE;
        if (--array_at(w, 0)->pending_full_writes == 0)
            cache_wake_raid5d(w, e);
    }
    if (!w->shape.stale_counts)
        p->to_write = p->written = p->non_overwrite = 0;
}

/* A stripe that cannot be rebuilt becomes a bad block of the member that is being rebuilt. */
static void fail_sync(struct world *w, struct pass *p, struct effects *e)
{
    bool recovering = array_see(w, 0)->sync == SYNC_RECOVER, good = recovering;

    stripe_at(w, p->s)->state &= (uint16_t)~STRIPE_SYNCING;
    for (unsigned d = 0; recovering && d < shape_devices(&w->shape); d++)
        if (member_alive(w, d) && !member_in_sync(w, d))
            good &= member_set_bad(w, d, stripe_see(w, p->s)->sector, e);
    if (recovering && !good)
        array_at(w, 0)->recovery |= RECOVERY_DISABLED;
    p->syncing = p->replacing = false;
    resync_done(w, good, e);
}

void trouble_give_up(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);

    if (x->batch_head == p->s)
        batch_break(w, p->s, true, e); /* the others go on from where the head stands */
    x->check = CHECK_IDLE;
    x->reconstruct = RECONSTRUCT_IDLE;
    if (p->to_read || p->to_write || p->written)
        fail_stripe(w, p, e);
    if (p->syncing || p->replacing)
        fail_sync(w, p, e);
}

/* ---- rewriting and reading back (7.9) */

void trouble_repair(struct world *w, struct pass *p)
{
    for (unsigned k = 0; k < p->failed && k < 2; k++) {
        struct slot *slot = slot_at(w, p->s, p->failed_slot[k]);

        if ((slot->flags & (SLOT_READ_ERROR | SLOT_LOCKED | SLOT_UPTODATE)) !=
            (SLOT_READ_ERROR | SLOT_UPTODATE))
            continue;
        /* Were it to fail, nobody could end the writes that wait for their parity only. */
        if ((slot->flags & SLOT_REWRITE) && slot->written != NONE32)
            continue;
        slot->flags |= SLOT_LOCKED | (slot->flags & SLOT_REWRITE ? SLOT_WANTREAD : SLOT_WANTWRITE);
        slot->flags |= SLOT_REWRITE;
        p->locked++;
    }
}

/* ---- the lists of bad blocks (7.10) */

void trouble_record(struct world *w, struct pass *p, struct effects *e)
{
    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        struct slot *slot = slot_at(w, p->s, i);

        if (slot->flags & SLOT_WRITE_ERROR)
            record_or_fail(w, p, member_of(w, i), e);
        if (slot->flags & SLOT_MADE_GOOD)
            member_clear_bad(w, member_of(w, i), stripe_see(w, p->s)->sector);
        slot->flags &= ~(uint32_t)(SLOT_WRITE_ERROR | SLOT_MADE_GOOD);
    }
}

/* ---- completions (8.3) */

bool trouble_read_failed(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct disk *d = disk_at(w, disk);
    struct slot *slot = slot_at(w, s, d->slot);
    bool bad = false, again = false;

    slot->flags &= ~(uint32_t)SLOT_UPTODATE;
    d->read_errors++;
    if (array_see(w, 0)->degraded || (slot->flags & SLOT_REWRITE))
        bad = true;
    else
        again = d->read_errors <= array_see(w, 0)->max_stripes;
    if (bad && member_in_sync(w, disk) && !(slot->flags & SLOT_READ_NO_MERGE) &&
        !w->shape.no_degraded_retry)
        again = true;
    if (again && ((slot->flags & SLOT_READ_NO_MERGE) || MUTATED(w, B28))) {
        slot->flags = (slot->flags | SLOT_READ_ERROR) & ~(uint32_t)SLOT_READ_NO_MERGE;
    } else if (again) {
        slot->flags |= SLOT_READ_NO_MERGE;
    } else {
        slot->flags &= ~(uint32_t)(SLOT_READ_ERROR | SLOT_REWRITE);
        if (!bad || !member_alive(w, disk) || !member_in_sync(w, disk) ||
            !member_set_bad(w, disk, stripe_see(w, s)->sector, e))
            member_fail(w, disk, e);
    }
    return again;
}

void trouble_read_ended(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct disk *d = disk_at(w, disk);
    struct slot *slot = slot_at(w, s, d->slot);

    slot->flags |= SLOT_UPTODATE;
    if (slot->flags & SLOT_READ_ERROR) {
        d->corrected += PAGE_SECTORS;
        mark_member(e, MARK_CORRECTED, disk);
        slot->flags &= ~(uint32_t)(SLOT_READ_ERROR | SLOT_REWRITE);
    } else {
        slot->flags &= ~(uint32_t)SLOT_READ_NO_MERGE;
    }
    d->read_errors = 0;
}

void trouble_write_ended(struct world *w, stripe_id s, unsigned disk, bool failed,
                         struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    struct disk *d = disk_at(w, disk);
    struct slot *slot = slot_at(w, s, d->slot);

    if (!failed) {
        if (d->bad_blocks && member_badness(w, disk, x->sector, PAGE_SECTORS) != BAD_NOT) {
            slot->flags |= SLOT_MADE_GOOD;
            if (slot->flags & SLOT_READ_ERROR)
                slot->flags |= SLOT_REWRITE;
        }
        return;
    }
    mark_member(e, MARK_WRITE_ERROR, disk);
    if (!w->shape.quiet_write_error && !MUTATED(w, B15))
        x->state |= STRIPE_DEGRADED;
    slot->flags |= SLOT_WRITE_ERROR;
    d->flags |= MEMBER_WRITE_ERROR | MEMBER_WANT_REPLACEMENT;
    if (x->batch_head != NONE16)
        stripe_at(w, x->batch_head)->state |= STRIPE_BATCH_ERR;
}
