/*
 * handle_stripe of md-2.6.15 (spec 6).
 *
 * One whole pass runs under the stripe's lock and is one step: it sleeps nowhere, and everything it
 * looks at besides the stripe (the callers' buffers) belongs to it for the time being. The kernel
 * returns bios and submits member I/O after dropping the stripe's lock; nobody can tell the
 * difference, because a returned bio is out of every list and a submitted slot is LOCKED. Order of
 * slots is descending throughout, and member I/O leaves in that order at the end.
 *
 * A small write takes three rounds: what is missing is marked and, with permission, read; when
 * nothing is missing and nothing under way, the data go into their pages, parity is computed and
 * both are sent; when parity is there the bios end. Whether parity can be trusted is never asked: a
 * read-modify-write carries a wrong parity on (spec 12.3).
 *
 * Left out, each with its place below: bitmap (3, 4), recovery (8), read-error repair (9).
 *
 * Kernel: raid5.c handle_stripe (2.6.15).
 */
#include "model/array.h"
#include "model/contents.h"
#include "model/io.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/resync.h"
#include "model/stripe.h"

/* What one look over the slots finds. */
struct summary {
    unsigned locked, uptodate, to_read, to_write, non_overwrite, written, failed;
    unsigned failed_slot; /* the lowest */
    bool syncing;
    enum io_reason why; /* of the pass's reads */
};

static unsigned disks_of(const struct world *w)
{
    return w->shape.geometry.disks;
}

static bool is_parity(const struct world *w, stripe_id s, unsigned i)
{
    return stripe_see(w, s)->parity == i;
}

/* May the member of this slot be read and written? */
static bool is_here(const struct world *w, unsigned i)
{
    return member_in_sync(w, member_of(w, i));
}

/* ---- the look over the slots (step 2) */

/* Lets go of the bios of a list that has been taken off its slot. */
static void end_list(struct world *w, piece_id p, bool failed, struct effects *e)
{
    while (p != NONE32) {
        piece_id next = piece_see(w, p)->next;

        piece_at(w, p)->next = NONE32;
        if (failed)
            request_at(w, piece_request(w, p))->failed = 1;
        bio_drop(w, piece_see(w, p)->bio, e);
        p = next;
    }
}

/* Copies a slot's page to every reader waiting for it and lets go of their bios. */
static void fill(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);
    piece_id p = slot->toread;

    effect(e, EFFECT_LOCK, WORK_HANDLE, 0, 0); /* the list is detached under device_lock */
    slot->toread = NONE32;
    contents_end_overlap(w, s, disk, e);
    while (p != NONE32) {
        piece_id next = piece_see(w, p)->next;

        contents_copy(w, s, disk, p, false, e);
        piece_at(w, p)->next = NONE32;
        effect(e, EFFECT_LOCK, WORK_HANDLE, 0, 0);
        bio_drop(w, piece_see(w, p)->bio, e);
        p = next;
    }
}

static void count_slot(struct summary *sum, const struct slot *slot)
{
    bool to_write = slot->towrite != NONE32;

    sum->locked += !!(slot->flags & SLOT_LOCKED);
    sum->uptodate += !!(slot->flags & SLOT_UPTODATE);
    sum->to_read += slot->toread != NONE32;
    sum->to_write += to_write;
    sum->non_overwrite += to_write && !(slot->flags & SLOT_OVERWRITE);
    sum->written += slot->written != NONE32;
}

static struct summary analyse(struct world *w, stripe_id s, struct effects *e)
{
    struct summary sum = { .syncing = stripe_see(w, s)->state & STRIPE_SYNCING };

    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, s, i);

        if ((slot->flags & SLOT_UPTODATE) && slot->toread != NONE32)
            fill(w, s, i, e);
        count_slot(&sum, slot);
        slot->flags |= SLOT_INSYNC;
        if (is_here(w, i))
            continue;
        slot->flags &= ~(uint32_t)SLOT_INSYNC;
        sum.failed++;
        sum.failed_slot = i;
    }
    return sum;
}

/* ---- two members are missing (step 3) */

static void fail_stripe(struct world *w, stripe_id s, struct summary *sum, struct effects *e)
{
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, s, i);
        bool lost = !(slot->flags & SLOT_INSYNC);

        effect(e, EFFECT_LOCK, WORK_HANDLE, 0, 0);
        contents_end_overlap(w, s, i, e);
        end_list(w, slot->towrite, true, e);
        end_list(w, slot->written, true, e);
        slot->towrite = slot->written = NONE32;
        if (!lost || slot->toread == NONE32)
            continue;
        end_list(w, slot->toread, true, e);
        slot->toread = NONE32;
        sum->to_read--;
    }
    sum->to_write = sum->written = sum->non_overwrite = 0;
}

/* ---- writes that have arrived (step 4) */

static bool parity_is_down(const struct world *w, stripe_id s, const struct summary *sum)
{
    unsigned pd = stripe_see(w, s)->parity;
    uint32_t flags = slot_see(w, s, pd)->flags & (SLOT_INSYNC | SLOT_LOCKED | SLOT_UPTODATE);

    return flags == (SLOT_INSYNC | SLOT_UPTODATE) || (sum->failed == 1 && sum->failed_slot == pd);
}

static void complete(struct world *w, stripe_id s, struct effects *e)
{
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, s, i);
        piece_id p = slot->written;

        if (p == NONE32 || (slot->flags & (SLOT_LOCKED | SLOT_UPTODATE)) != SLOT_UPTODATE)
            continue;
        slot->written = NONE32;
        effect(e, EFFECT_LOCK, WORK_HANDLE, 0, 0);
        end_list(w, p, false, e);
    }
}

/* ---- blocks that are needed here (step 5) */

static bool wants(const struct slot *slot)
{
    return slot->toread != NONE32 || (slot->towrite != NONE32 && !(slot->flags & SLOT_OVERWRITE));
}

static void want_read(struct world *w, stripe_id s, unsigned i, struct summary *sum,
                      enum io_reason why)
{
    sum->why = why;
    slot_at(w, s, i)->flags |= SLOT_LOCKED | SLOT_WANTREAD;
    sum->locked++;
}

/* A block that is wanted is computed, even a healthy one, if all others are here. So a check of a
 * stripe whose data are cached does not see what parity its member holds. */
static void fetch(struct world *w, stripe_id s, struct summary *sum, struct effects *e)
{
    bool all = sum->syncing || (sum->failed && wants(slot_see(w, s, sum->failed_slot)));

    for (unsigned i = disks_of(w); i-- > 0;) {
        const struct slot *slot = slot_see(w, s, i);

        if ((slot->flags & (SLOT_LOCKED | SLOT_UPTODATE)) || (!all && !wants(slot)))
            continue;
        if (sum->uptodate == disks_of(w) - 1) {
            contents_compute_block(w, s, i, e);
            sum->uptodate++;
        } else if (slot->flags & SLOT_INSYNC) {
            want_read(w, s, i, sum, sum->syncing ? REASON_RESYNC : REASON_FILL);
        }
    }
    stripe_at(w, s)->state |= STRIPE_HANDLE;
}

/* ---- starting a write (step 6) */

/* Blocks that a method needs and that are neither here nor on their way. */
typedef bool missing_fn(const struct world *, stripe_id, unsigned);

static bool missing_for_rmw(const struct world *w, stripe_id s, unsigned i)
{
    const struct slot *slot = slot_see(w, s, i);

    return (slot->towrite != NONE32 || is_parity(w, s, i)) &&
           !(slot->flags & (SLOT_LOCKED | SLOT_UPTODATE));
}

static bool missing_for_rcw(const struct world *w, stripe_id s, unsigned i)
{
    return !is_parity(w, s, i) &&
           !(slot_see(w, s, i)->flags & (SLOT_OVERWRITE | SLOT_LOCKED | SLOT_UPTODATE));
}

/* A block of a missing member cannot be read: it costs more than all others together. */
static unsigned count_missing(const struct world *w, stripe_id s, missing_fn *missing)
{
    unsigned count = 0;

    for (unsigned i = 0; i < disks_of(w); i++)
        if (missing(w, s, i))
            count += slot_see(w, s, i)->flags & SLOT_INSYNC ? 1 : 2 * disks_of(w);
    return count;
}

/* Reads the blocks a method misses, or waits for permission to. */
static void preread(struct world *w, stripe_id s, struct summary *sum, missing_fn *missing)
{
    struct stripe *x = stripe_at(w, s);

    for (unsigned i = disks_of(w); i-- > 0;) {
        if (!missing(w, s, i) || !(slot_see(w, s, i)->flags & SLOT_INSYNC))
            continue;
        if (x->state & STRIPE_PREREAD_ACTIVE)
            want_read(w, s, i, sum,
                      missing == missing_for_rmw ? REASON_PREREAD_RMW : REASON_PREREAD_RCW);
        else
            x->state |= STRIPE_DELAYED;
    }
}

/* Says by which method the stripe is written; all data pages new: neither had to be read. */
static void mark_write(const struct world *w, stripe_id s, const struct summary *sum,
                       enum parity_method method, struct effects *e)
{
    unsigned written = 0;

    for (unsigned i = 0; i < disks_of(w); i++)
        written += slot_see(w, s, i)->written != NONE32;
    if (method == PARITY_RMW)
        mark_many(e, MARK_RMW, 1);
    else
        mark_many(e, written == w->shape.geometry.data_disks ? MARK_FULL_WRITE : MARK_RCW, 1);
    if (sum->non_overwrite)
        mark(e, MARK_PARTIAL_PAGE);
}

static void start_write(struct world *w, stripe_id s, struct summary *sum,
                        enum parity_method method, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);

    contents_compute_parity(w, s, method, e);
    mark_write(w, s, sum, method, e);
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, s, i);

        if (!(slot->flags & SLOT_LOCKED))
            continue;
        slot->flags |= SLOT_WANTWRITE;
        sum->locked++;
        if (!(slot->flags & SLOT_INSYNC) || (is_parity(w, s, i) && !sum->failed))
            x->state |= STRIPE_INSYNC;
    }
    if (x->state & STRIPE_PREREAD_ACTIVE) {
        x->state &= (uint16_t)~STRIPE_PREREAD_ACTIVE;
        queue_preread_done(w, e);
    }
}

static void dirty(struct world *w, stripe_id s, struct summary *sum, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    unsigned rmw = count_missing(w, s, missing_for_rmw);
    unsigned rcw = count_missing(w, s, missing_for_rcw);

    x->state |= STRIPE_HANDLE;
    if (rmw > 0 && rmw < rcw)
        preread(w, s, sum, missing_for_rmw);
    if (rcw > 0 && rcw <= rmw)
        preread(w, s, sum, missing_for_rcw);
    if (sum->locked == 0 && (rcw == 0 || rmw == 0) && !(x->state & STRIPE_BIT_DELAY))
        start_write(w, s, sum, rcw == 0 ? PARITY_RCW : PARITY_RMW, e);
}

/* ---- check and repair (step 8) */

/* Parity is compared with the data, and made anew from them if it is wrong. */
static void check_parity(struct world *w, stripe_id s, struct summary *sum, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    unsigned pd = x->parity;

    x->state |= STRIPE_HANDLE;
    ASSERT(!sum->failed && sum->uptodate == disks_of(w));
    if (!contents_check_parity(w, s, e)) {
        array_at(w, 0)->mismatches += PAGE_SECTORS;
        if (array_see(w, 0)->sync != SYNC_CHECK) {
            contents_compute_block(w, s, pd, e);
            slot_at(w, s, pd)->flags |= SLOT_LOCKED | SLOT_WANTWRITE;
            sum->locked++;
        }
    }
    x->state |= STRIPE_INSYNC;
}

static void sync_stripe(struct world *w, stripe_id s, struct summary *sum, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);

    if (sum->locked == 0 && !(x->state & STRIPE_INSYNC))
        check_parity(w, s, sum, e);
    if (sum->locked == 0 && (x->state & STRIPE_INSYNC)) {
        x->state &= (uint16_t)~STRIPE_SYNCING;
        resync_done(w, true, e);
    }
}

/* ---- member I/O (step 10, spec 8.1) */

/* A parity page that is written though none of its stripe's data is: a repair or resync. */
static enum io_reason reason_of(const struct world *w, stripe_id s, unsigned disk, bool write,
                                const struct summary *sum)
{
    if (!write)
        return sum->why;
    if (!is_parity(w, s, disk))
        return REASON_DATA;
    for (unsigned i = 0; i < disks_of(w); i++)
        if (slot_see(w, s, i)->written != NONE32)
            return REASON_PARITY;
    return REASON_RESYNC;
}

static void submit(struct world *w, actor_id by, stripe_id s, unsigned disk, bool write,
                   const struct summary *sum, struct effects *e)
{
    io_id io = io_of_slot(w, s, disk);
    struct io *r = io_at(w, io);

    stripe_at(w, s)->count++;
    r->sector = stripe_see(w, s)->sector;
    r->sectors = PAGE_SECTORS;
    r->page = slot_page(w, s, disk);
    r->issuer = by;
    r->kind = write ? IO_WRITE : IO_READ;
    r->reason = (uint8_t)reason_of(w, s, disk, write, sum);
    work(e, WORK_SLOT_IO, 1);
    work(e, WORK_BIO, 1);
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

/* The block of a missing member is "written" by leaving it out. */
static void issue(struct world *w, actor_id by, stripe_id s, const struct summary *sum,
                  struct effects *e)
{
    for (unsigned i = disks_of(w); i-- > 0;) {
        struct slot *slot = slot_at(w, s, i);
        bool write = slot->flags & SLOT_WANTWRITE;

        if (!(slot->flags & (SLOT_WANTWRITE | SLOT_WANTREAD)))
            continue;
        slot->flags &= ~(uint32_t)(SLOT_WANTWRITE | SLOT_WANTREAD);
        if (is_here(w, i)) {
            submit(w, by, s, i, write, sum, e);
            continue;
        }
        ASSERT(write);
        stripe_at(w, s)->state |= STRIPE_DEGRADED | STRIPE_HANDLE;
        slot->flags &= ~(uint32_t)SLOT_LOCKED;
    }
}

void handle_stripe(struct world *w, actor_id by, stripe_id s, struct effects *e)
{
    struct summary sum;

    work(e, WORK_HANDLE, 1);
    work(e, WORK_SLOT, disks_of(w));
    effect(e, EFFECT_TOUCH, WORK_HANDLE, s, EFFECT_TOUCH_SCAN);
    stripe_at(w, s)->state &= (uint16_t) ~(STRIPE_HANDLE | STRIPE_DELAYED);
    sum = analyse(w, s, e);
    if (sum.failed > 1 && (sum.to_read || sum.to_write || sum.written))
        fail_stripe(w, s, &sum, e);
    if (sum.written && parity_is_down(w, s, &sum))
        complete(w, s, e);
    if (sum.to_read || sum.non_overwrite || (sum.syncing && sum.uptodate < disks_of(w)))
        fetch(w, s, &sum, e);
    if (sum.to_write)
        dirty(w, s, &sum, e);
    if (sum.syncing)
        sync_stripe(w, s, &sum, e);
    issue(w, by, s, &sum, e);
}
