/*
 * The decisions of handle_stripe, md-6.1 (spec 7.1-7.9). What members in trouble make of them is in
 * trouble.c, where a log comes in between in log.c.
 *
 * A write goes through up to four passes: (1) decide and preread, (2) when all is here, copy the
 * data in and compute parity, (3) submit the writes, (4) end the bios. Which blocks are read for a
 * write, and when a tie decides what, is in dirty(). Order of slots is descending throughout.
 *
 * Left out: replacement devices (7.8).
 *
 * Kernel: raid5.c handle_stripe, analyse_stripe, handle_stripe_clean_event, handle_stripe_fill,
 * need_this_block, fetch_block, handle_stripe_dirtying, schedule_reconstruction,
 * handle_failed_stripe, handle_parity_checks5 (6.1).
 */
#include "model/machine.h"

#include "model/batch.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/log.h"
#include "model/mutations.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/resync.h"
#include "model/waits.h"

static unsigned disks_of(const struct world *w)
{
    return w->shape.geometry.disks;
}

static bool is_parity(const struct world *w, stripe_id s, unsigned i)
{
    return stripe_see(w, s)->parity == i;
}

/* ---- analysis (7.2) */

static void count_slot(struct pass *p, const struct slot *slot)
{
    p->locked += !!(slot->flags & SLOT_LOCKED);
    p->uptodate += !!(slot->flags & SLOT_UPTODATE);
    p->fill |= (slot->flags & SLOT_WANTFILL) != 0;
    p->to_read += slot->toread != NONE32 && !(slot->flags & SLOT_WANTFILL);
    p->to_write += slot->towrite != NONE32;
    p->non_overwrite += slot->towrite != NONE32 && !(slot->flags & SLOT_OVERWRITE);
    p->written += slot->written != NONE32;
}

static void analyse(struct world *w, struct pass *p)
{
    const struct array *a = array_see(w, 0);

    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, p->s, i);

        if ((slot->flags & SLOT_UPTODATE) && slot->toread != NONE32)
            slot->flags |= SLOT_WANTFILL;
        count_slot(p, slot);
        trouble_look(w, p, i, slot);
    }
    if (!(stripe_see(w, p->s)->state & STRIPE_SYNCING))
        return;
    p->syncing = p->do_recovery || a->sync == SYNC_CHECK || a->sync == SYNC_REPAIR ||
                 stripe_see(w, p->s)->sector >= a->recovery_cp;
    p->replacing = !p->syncing;
}

/* ---- a write whose parity is ready (7.4) */

static void want_writes(struct world *w, struct pass *p)
{
    struct stripe *x = stripe_at(w, p->s);

    if (x->reconstruct == RECONSTRUCT_IDLE)
        return;
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, p->s, i);

        if (!(slot->flags & SLOT_LOCKED) || (!is_parity(w, p->s, i) && slot->written == NONE32))
            continue;
        slot->flags |= SLOT_WANTWRITE;
        if (x->reconstruct == RECONSTRUCT_DRAIN_RESULT && p->failed < 2 &&
            (!(slot->flags & SLOT_INSYNC) || (is_parity(w, p->s, i) && !p->failed)))
            x->state |= STRIPE_INSYNC; /* its parity has been made from the data alone */
    }
    x->reconstruct = RECONSTRUCT_IDLE;
    if (x->state & STRIPE_PREREAD_ACTIVE) {
        x->state &= (uint16_t)~STRIPE_PREREAD_ACTIVE;
        p->preread_done = true;
    }
}

/* ---- completing writes (7.5) */

static bool parity_is_down(const struct world *w, const struct pass *p)
{
    const struct slot *parity = slot_see(w, p->s, stripe_see(w, p->s)->parity);

    return !(parity->flags & SLOT_INSYNC) ||
           (parity->flags & (SLOT_LOCKED | SLOT_UPTODATE)) == SLOT_UPTODATE;
}

static void complete(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);
    struct array *a = array_at(w, 0);
    bool some = false;

    if (!p->written || !parity_is_down(w, p))
        return;
    mark(e, MARK_CLEANED);
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, p->s, i);

        if (slot->written == NONE32 || (slot->flags & SLOT_LOCKED) ||
            !(slot->flags & (SLOT_UPTODATE | SLOT_SKIPCOPY)))
            continue;
        slot->flags &= ~(uint32_t)SLOT_SKIPCOPY;
        some = true;
        operations_end_written(w, p->s, i, e);
        for (stripe_id m = x->batch_head == p->s ? x->batch_next : NONE16; m != NONE16;
             m = stripe_see(w, m)->batch_next)
            operations_end_written(w, m, i, e);
    }
    if (x->state & STRIPE_FULL_WRITE) {
        x->state &= (uint16_t)~STRIPE_FULL_WRITE;
        if (--a->pending_full_writes == 0)
            cache_wake_raid5d(w, e);
    }
    if (some && x->batch_head == p->s)
        batch_break(w, p->s, false, e);
}

/* ---- fetching (7.6) */

static bool wants(const struct world *w, const struct pass *p, unsigned i)
{
    const struct slot *slot = slot_see(w, p->s, i);

    return slot->toread != NONE32 || (slot->towrite != NONE32 && !(slot->flags & SLOT_OVERWRITE));
}

static bool rcw_is_forced(const struct world *w, const struct pass *p)
{
    return w->shape.rmw_level == 0 ||
           (stripe_see(w, p->s)->sector >= array_see(w, 0)->recovery_cp && !MUTATED(w, B13) &&
            (p->failed == 0 || w->shape.forced_rcw_degraded || MUTATED(w, B14)));
}

/* Must a block be here because a write meets a missing member? */
static bool needed_for_the_missing(const struct world *w, const struct pass *p, unsigned i)
{
    const struct slot *slot = slot_see(w, p->s, i), *lost;
    unsigned f = p->failed_slot[0];

    if (!p->failed || !p->to_write)
        return false;
    if ((slot->flags & SLOT_INSYNC) && !(stripe_see(w, p->s)->state & STRIPE_PREREAD_ACTIVE))
        return false;
    lost = slot_see(w, p->s, f);
    if (lost->flags & (SLOT_UPTODATE | SLOT_OVERWRITE))
        return false;
    if (lost->towrite != NONE32)
        return true;
    if ((w->shape.rmw_level != 0 || MUTATED(w, B20)) &&
        stripe_see(w, p->s)->sector < array_see(w, 0)->recovery_cp)
        return false;
    return !is_parity(w, p->s, f);
}

static bool needed(const struct world *w, const struct pass *p, unsigned i)
{
    if (slot_see(w, p->s, i)->flags & (SLOT_LOCKED | SLOT_UPTODATE))
        return false;
    if (p->syncing || wants(w, p, i) ||
        (p->failed && slot_see(w, p->s, p->failed_slot[0])->toread != NONE32))
        return true;
    if (w->shape.early_fetch)
        return p->failed && wants(w, p, p->failed_slot[0]);
    return needed_for_the_missing(w, p, i);
}

static void want_read(struct world *w, struct pass *p, unsigned i, enum io_reason why)
{
    p->why = (uint8_t)why;
    slot_at(w, p->s, i)->flags |= SLOT_LOCKED | SLOT_WANTREAD;
    p->locked++;
}

static void fetch(struct world *w, struct pass *p)
{
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, p->s, i);

        if (!needed(w, p, i))
            continue;
        if (p->uptodate == disks_of(w) - 1 && !(slot->flags & SLOT_INSYNC)) {
            slot->flags |= SLOT_WANTCOMPUTE;
            p->compute = true;
            p->compute_slot = (uint8_t)i;
            p->uptodate++;
            break;
        }
        if (slot->flags & SLOT_INSYNC)
            want_read(w, p, i, p->syncing ? REASON_RESYNC : REASON_FILL);
    }
    stripe_at(w, p->s)->state |= STRIPE_HANDLE;
}

/* ---- dirtying (7.7) */

static bool missing_for_rmw(const struct world *w, const struct pass *p, unsigned i)
{
    const struct slot *slot = slot_see(w, p->s, i);

    return (slot->towrite != NONE32 || is_parity(w, p->s, i)) &&
           !(slot->flags & (SLOT_LOCKED | SLOT_UPTODATE | SLOT_WANTCOMPUTE));
}

static bool missing_for_rcw(const struct world *w, const struct pass *p, unsigned i)
{
    return !is_parity(w, p->s, i) &&
           !(slot_see(w, p->s, i)->flags &
             (SLOT_OVERWRITE | SLOT_LOCKED | SLOT_UPTODATE | SLOT_WANTCOMPUTE));
}

/* Reads the blocks of one method that are missing, or waits for permission to; returns how many are
 * missing. */
static unsigned preread(struct world *w, struct pass *p,
                        bool (*missing)(const struct world *, const struct pass *, unsigned))
{
    struct stripe *x = stripe_at(w, p->s);
    unsigned count = 0;

    for (unsigned i = disks_of(w); i-- > 0;) {
        bool in_sync = slot_see(w, p->s, i)->flags & SLOT_INSYNC;

        if (!missing(w, p, i))
            continue;
        count++;
        if (in_sync && (x->state & STRIPE_PREREAD_ACTIVE))
            want_read(w, p, i,
                      missing == missing_for_rmw ? REASON_PREREAD_RMW : REASON_PREREAD_RCW);
        else if (in_sync ||
                 (missing == missing_for_rcw && !w->shape.no_lost_delay && !MUTATED(w, B18)))
            x->state |= STRIPE_DELAYED;
    }
    return count;
}

/* Takes the slots being written out of the readers' sight until their new contents are in. */
static void want_drain(struct world *w, struct pass *p, unsigned i)
{
    struct slot *slot = slot_at(w, p->s, i);

    slot->flags = (slot->flags | SLOT_LOCKED | SLOT_WANTDRAIN) & ~(uint32_t)SLOT_UPTODATE;
    p->locked++;
}

static void schedule(struct world *w, struct pass *p, bool rcw)
{
    struct stripe *x = stripe_at(w, p->s);
    struct slot *parity = slot_at(w, p->s, x->parity);
    unsigned drained = 0;

    for (unsigned i = disks_of(w); i-- > 0;) {
        const struct slot *slot = slot_see(w, p->s, i);

        if (slot->towrite == NONE32 ||
            (!rcw && !(slot->flags & (SLOT_UPTODATE | SLOT_WANTCOMPUTE))))
            continue;
        want_drain(w, p, i);
        drained++;
    }
    if (!drained)
        return;
    if (rcw && p->locked + 1 == disks_of(w) && !(x->state & STRIPE_FULL_WRITE)) {
        x->state |= STRIPE_FULL_WRITE;
        array_at(w, 0)->pending_full_writes++;
    }
    p->prexor = !rcw;
    p->drain = p->reconstruct = true;
    parity->flags = (parity->flags | SLOT_LOCKED) & ~(uint32_t)SLOT_UPTODATE;
    p->locked++;
}

static void dirty(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);
    unsigned n = disks_of(w), rmw = 0, rcw = 0;

    mark(e, MARK_DIRTIED);
    if (rcw_is_forced(w, p)) {
        rcw = 1;
        rmw = 2;
    } else {
        for (unsigned i = 0; i < n; i++) {
            unsigned cost = slot_see(w, p->s, i)->flags & SLOT_INSYNC ? 1 : 2 * n;

            rmw += missing_for_rmw(w, p, i) ? cost : 0;
            rcw += missing_for_rcw(w, p, i) ? cost : 0;
        }
    }
    x->state |= STRIPE_HANDLE;
    if (rmw > 0 && (rmw < rcw || (rmw == rcw && w->shape.rmw_level == 2)))
        preread(w, p, missing_for_rmw);
    if (rcw > 0 && (rcw < rmw || (rcw == rmw && w->shape.rmw_level != 2)))
        rcw = preread(w, p, missing_for_rcw);
    if (rcw > n && rmw > n && !(x->state & STRIPE_PREREAD_ACTIVE) && !w->shape.no_lost_delay &&
        !MUTATED(w, B18))
        x->state |= STRIPE_DELAYED;
    if (p->locked == 0 && (rcw == 0 || rmw == 0) && !(x->state & STRIPE_BIT_DELAY)) {
        mark(e, MARK_SCHEDULED);
        schedule(w, p, rcw == 0);
    }
}

/* ---- parity check and repair (7.8) */

static void end_sync(struct world *w, struct pass *p, struct effects *e)
{
    stripe_at(w, p->s)->state &= (uint16_t)~STRIPE_SYNCING;
    p->syncing = p->replacing = false;
    resync_done(w, true, e);
}

/* The page that was missing, or parity that was wrong, goes to its member; unless a write has seen
 * to it meanwhile. */
static void write_back(struct world *w, struct pass *p, unsigned victim)
{
    struct stripe *x = stripe_at(w, p->s);
    struct slot *slot = slot_at(w, p->s, victim);

    if (x->state & STRIPE_INSYNC)
        return;
    ASSERT(p->uptodate == disks_of(w) && (slot->flags & SLOT_UPTODATE));
    slot->flags |= SLOT_LOCKED | SLOT_WANTWRITE;
    p->locked++;
    x->state = (uint16_t)((x->state | STRIPE_INSYNC) & ~STRIPE_DEGRADED);
}

static void parity_wrong(struct world *w, struct pass *p)
{
    struct stripe *x = stripe_at(w, p->s);

    array_at(w, 0)->mismatches += PAGE_SECTORS;
    if (array_see(w, 0)->sync == SYNC_CHECK) {
        x->state |= STRIPE_INSYNC;
        return;
    }
    x->check = CHECK_DIFFERS; /* until the operation has made it CHECK_COMPUTED */
    slot_at(w, p->s, x->parity)->flags |= SLOT_WANTCOMPUTE;
    p->compute_slot = x->parity;
    p->compute = true;
    p->uptodate++;
}

static void check_parity(struct world *w, struct pass *p)
{
    struct stripe *x = stripe_at(w, p->s);
    unsigned found = x->check;

    x->state |= STRIPE_HANDLE;
    x->check = CHECK_IDLE;
    if (found == CHECK_IDLE && p->failed) {
        write_back(w, p, p->failed_slot[0]);
    } else if (found == CHECK_IDLE) {
        ASSERT(p->uptodate == disks_of(w));
        slot_at(w, p->s, x->parity)->flags &= ~(uint32_t)SLOT_UPTODATE;
        p->uptodate--;
        p->check = true;
    } else if (found == CHECK_COMPUTED) {
        write_back(w, p, x->parity);
    } else if (p->failed) { /* since the comparison: it will be looked at again */
        return;
    } else if (found == CHECK_SAME) {
        x->state |= STRIPE_INSYNC;
    } else {
        parity_wrong(w, p);
    }
}

static void sync_stripe(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);
    bool quiet = p->syncing && p->locked == 0 && !p->compute;

    if (x->check != CHECK_IDLE || (quiet && !(x->state & STRIPE_INSYNC)))
        check_parity(w, p);
    if (p->replacing && p->locked == 0 && !p->compute)
        x->state |= STRIPE_INSYNC; /* nothing is to be done here any more */
    if ((p->syncing || p->replacing) && p->locked == 0 && !p->compute && !p->check &&
        (x->state & STRIPE_INSYNC))
        end_sync(w, p, e);
}

/* ---- the pass */

static void decide(struct world *w, struct pass *p, struct effects *e)
{
    bool idle;

    if (p->failed > 1 || log_has_failed(w))
        trouble_give_up(w, p, e);
    want_writes(w, p);
    complete(w, p, e);
    log_finish(w, p->by, p->s, e);
    idle = stripe_see(w, p->s)->reconstruct == RECONSTRUCT_IDLE &&
           stripe_see(w, p->s)->check == CHECK_IDLE;
    if (idle &&
        (p->to_read || p->non_overwrite || (p->to_write && p->failed && !w->shape.early_fetch) ||
         (p->syncing && p->uptodate < disks_of(w) &&
          !(MUTATED(w, B23) && (stripe_see(w, p->s)->state & STRIPE_IO_STARTED)))))
        fetch(w, p);
    if (idle && p->to_write)
        dirty(w, p, e);
    sync_stripe(w, p, e);
    if (p->failed == 1)
        trouble_repair(w, p);
}

/* Nothing is decided while the superblocks do not say what they must (7.1). md-3.12 asks only where
 * a bad block of this very stripe is not on disk yet, and lets reads go on. */
static bool must_wait(const struct world *w, const struct pass *p)
{
    if (p->to_record)
        return true;
    if (!w->shape.no_superblock_gate)
        return array_see(w, 0)->sb_flags & SB_PENDING;
    return p->blocked && (p->syncing || p->replacing || p->to_write || p->written);
}

void machine_handle(struct world *w, actor_id by, stripe_id s, struct effects *e)
{
    struct pass p = { .by = by, .s = s };

    work(e, WORK_HANDLE, 1);
    effect(e, EFFECT_TOUCH, WORK_HANDLE, s, EFFECT_TOUCH_SCAN);
    stripe_at(w, s)->state &= (uint16_t)~STRIPE_HANDLE;
    if (batch_close(w, s))
        return;
    if (stripe_see(w, s)->state & STRIPE_BATCH_ERR) {
        stripe_at(w, s)->state &= (uint16_t)~STRIPE_BATCH_ERR;
        if (stripe_see(w, s)->batch_head == s)
            batch_break(w, s, true, e);
    }
    work(e, WORK_SLOT, disks_of(w));
    resync_begin_stripe(w, s);
    stripe_at(w, s)->state &= (uint16_t)~STRIPE_DELAYED;
    analyse(w, &p);
    if (log_has_trapped(w, s)) {
        operations_issue(w, &p, e);
        return;
    }
    if (must_wait(w, &p)) {
        stripe_at(w, s)->state |= STRIPE_HANDLE;
        trouble_record(w, &p, e);
        return;
    }
    decide(w, &p, e);
    operations_run(w, &p, e);
    operations_issue(w, &p, e);
    if (p.preread_done)
        queue_preread_done(w, e);
}
