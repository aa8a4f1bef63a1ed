/*
 * handle_stripe of md-2.6.15, reads of a healthy array (spec 6, steps 1, 2, 5 and 10).
 *
 * One whole pass runs under the stripe's lock and is one step: it sleeps nowhere, and everything it
 * looks at besides the stripe (the reader's buffers) belongs to it for the time being. The kernel
 * returns bios and submits member I/O after dropping the stripe's lock; nobody can tell the
 * difference, because a returned bio is out of every list and a submitted slot is LOCKED. Order of
 * slots is descending throughout.
 *
 * Left to the next issue, each with its place below: failed members (step 2d, 3), completing writes
 * (4), dirtying (6), parity (7), resync (8), read-error repair (9).
 */
#include "model/array.h"
#include "model/io.h"
#include "model/request.h"
#include "model/stripe.h"
#include "model/waits.h"

/* What one look over the slots finds. */
struct summary {
    unsigned locked, uptodate, to_read;
};

static unsigned piece_lines(const struct world *w, piece_id p)
{
    uint64_t from, to;

    piece_extent(w, p, &from, &to);
    return (unsigned)(to - from) * SECTOR_BYTES / 64;
}

/* Copies a slot's page to every reader waiting for it and lets go of their bios. */
static void fill(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);
    const tag *from = tags_see(w, (uint64_t)slot_page(w, s, disk) * w->shape.tags_per_page);
    piece_id p = slot->toread;

    effect(e, EFFECT_LOCK, WORK_HANDLE, 0, 0); /* the list is detached under device_lock */
    slot->toread = NONE32;
    if (slot->flags & SLOT_OVERLAP) {
        slot->flags &= ~(uint32_t)SLOT_OVERLAP;
        waits_wake_all(w, WAIT_OVERLAP, e);
    }
    while (p != NONE32) {
        piece_id next = piece_see(w, p)->next;
        tag *to = tags_at(w, (uint64_t)piece_page(w, p) * w->shape.tags_per_page);

        for (unsigned g = 0; g < w->shape.tags_per_page; g++)
            to[g] = from[g];
        work(e, WORK_COPY_CALL, 1);
        work(e, WORK_COPY_LINE, piece_lines(w, p));
        piece_at(w, p)->next = NONE32;
        effect(e, EFFECT_LOCK, WORK_HANDLE, 0, 0);
        bio_drop(w, piece_see(w, p)->bio, e);
        p = next;
    }
}

static struct summary analyse(struct world *w, stripe_id s, struct effects *e)
{
    struct summary sum = { 0, 0, 0 };

    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        struct slot *slot = slot_at(w, s, i);

        if ((slot->flags & SLOT_UPTODATE) && slot->toread != NONE32)
            fill(w, s, i, e);
        sum.locked += !!(slot->flags & SLOT_LOCKED);
        sum.uptodate += !!(slot->flags & SLOT_UPTODATE);
        sum.to_read += slot->toread != NONE32;
        slot->flags |= SLOT_INSYNC;
    }
    return sum;
}

/* The block is the xor of all others, which are here. */
static void compute(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    unsigned n = w->shape.tags_per_page;
    tag *to = tags_at(w, (uint64_t)slot_page(w, s, disk) * n);

    for (unsigned g = 0; g < n; g++)
        to[g] = 0;
    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        const tag *from = tags_see(w, (uint64_t)slot_page(w, s, i) * n);

        for (unsigned g = 0; i != disk && g < n; g++)
            to[g] ^= from[g];
    }
    slot_at(w, s, disk)->flags |= SLOT_UPTODATE;
    work(e, WORK_XOR_LINE, (w->shape.geometry.disks - 1u) * (PAGE_BYTES / 64));
    mark(e, MARK_COMPUTED);
}

static void read_block(struct world *w, actor_id by, stripe_id s, unsigned disk, struct effects *e)
{
    io_id io = io_of_slot(w, s, disk);
    struct io *r = io_at(w, io);

    slot_at(w, s, disk)->flags |= SLOT_LOCKED;
    stripe_at(w, s)->count++;
    r->sector = stripe_see(w, s)->sector;
    r->sectors = PAGE_SECTORS;
    r->page = slot_page(w, s, disk);
    r->issuer = by;
    r->kind = IO_READ;
    r->reason = REASON_FILL;
    work(e, WORK_SLOT_IO, 1);
    work(e, WORK_BIO, 1);
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

static void fetch(struct world *w, actor_id by, stripe_id s, struct summary *sum, struct effects *e)
{
    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        const struct slot *slot = slot_see(w, s, i);

        if ((slot->flags & (SLOT_LOCKED | SLOT_UPTODATE)) || slot->toread == NONE32)
            continue;
        if (sum->uptodate == w->shape.geometry.disks - 1u) {
            compute(w, s, i, e);
            sum->uptodate++;
        } else if (slot->flags & SLOT_INSYNC) {
            read_block(w, by, s, i, e);
            sum->locked++;
        }
    }
    stripe_at(w, s)->state |= STRIPE_HANDLE;
}

void handle_stripe(struct world *w, actor_id by, stripe_id s, struct effects *e)
{
    struct summary sum;

    work(e, WORK_HANDLE, 1);
    work(e, WORK_SLOT, w->shape.geometry.disks);
    effect(e, EFFECT_TOUCH, WORK_HANDLE, s, EFFECT_TOUCH_SCAN);
    stripe_at(w, s)->state &= (uint16_t) ~(STRIPE_HANDLE | STRIPE_DELAYED);
    sum = analyse(w, s, e);
    if (sum.to_read)
        fetch(w, by, s, &sum, e);
}
