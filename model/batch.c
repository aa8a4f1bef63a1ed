/*
 * Batches.
 *
 * A batch is a chain through its members in ascending order of sectors, the head first. A member
 * holds one reference for being in it; while it is, all flags that count are the head's.
 *
 * Kernel: raid5.c stripe_can_batch, stripe_add_to_batch_list, clear_batch_ready,
 * break_stripe_batch_list (6.1).
 */
#include "model/batch.h"

#include "model/cache.h"
#include "model/log.h"
#include "model/mutations.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/waits.h"

bool batch_possible(const struct world *w, stripe_id s)
{
    const struct stripe *x = stripe_see(w, s);

    return !w->shape.no_batches && !has_log(&w->shape) && (x->state & STRIPE_BATCH_READY) &&
           x->overwrites == w->shape.geometry.data_disks;
}

/* Writes may share a batch only if they are of one kind; the first data slot stands for all. */
static unsigned write_flags(const struct world *w, stripe_id s)
{
    unsigned first = stripe_see(w, s)->parity == 0;
    piece_id p = slot_see(w, s, first)->towrite;

    return p == NONE32
               ? ~0u
               : request_see(w, piece_request(w, p))->flags & (REQUEST_NOSYNC | REQUEST_FUA);
}

void batch_join(struct world *w, stripe_id s, stripe_id last, struct effects *e)
{
    struct stripe *x = stripe_at(w, s), *below;
    uint64_t sector = x->sector;
    stripe_id partner;

    if (sector % w->shape.geometry.chunk_sectors == 0)
        return;
    partner = last != NONE16 && stripe_see(w, last)->sector + PAGE_SECTORS == sector
                  ? last
                  : cache_find(w, sector - PAGE_SECTORS);
    if (partner == NONE16)
        return;
    work(e, WORK_RELEASE, 1); /* it was held while they were compared */
    mark(e, MARK_RELEASED);
    if (!batch_possible(w, partner) || x->batch_head != NONE16 ||
        write_flags(w, partner) != write_flags(w, s))
        return;
    below = stripe_at(w, partner);
    if (below->batch_head == NONE16) {
        below->batch_head = partner;
        below->batch_next = NONE16;
    }
    x->batch_head = below->batch_head;
    x->batch_next = below->batch_next;
    below->batch_next = s;
    if (x->state & STRIPE_PREREAD_ACTIVE) {
        x->state &= (uint16_t)~STRIPE_PREREAD_ACTIVE;
        queue_preread_done(w, e);
    }
    if ((x->state & STRIPE_BIT_DELAY) && !MUTATED(w, B32)) {
        struct stripe *head = stripe_at(w, x->batch_head);
        bool later = (head->state & STRIPE_BIT_DELAY) && (int16_t)(head->bm_seq - x->bm_seq) > 0;

        head->bm_seq = later ? head->bm_seq : x->bm_seq;
        head->state |= STRIPE_BIT_DELAY;
    }
    x->count++;
}

bool batch_close(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);
    bool member = x->batch_head != NONE16 && x->batch_head != s;

    if (!(x->state & STRIPE_BATCH_READY) || member)
        return member;
    x->state &= (uint16_t)~STRIPE_BATCH_READY;
    for (stripe_id m = x->batch_head == s ? x->batch_next : NONE16; m != NONE16;
         m = stripe_see(w, m)->batch_next)
        stripe_at(w, m)->state &= (uint16_t)~STRIPE_BATCH_READY;
    return false;
}

/* Copies the head's slot flags, but for write errors, which everybody has their own; says whether
 * somebody sleeps for one of the member's own. */
static bool inherit(struct world *w, stripe_id member, stripe_id head)
{
    bool overlap = false;

    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        struct slot *to = slot_at(w, member, i);

        overlap |= (to->flags & SLOT_OVERLAP) != 0;
        to->flags = (slot_see(w, head, i)->flags & ~(uint32_t)(SLOT_OVERLAP | SLOT_WRITE_ERROR)) |
                    (to->flags & SLOT_WRITE_ERROR);
    }
    return overlap;
}

void batch_break(struct world *w, stripe_id head, bool handle, struct effects *e)
{
    enum {
        KEPT = STRIPE_SYNC_REQUESTED | STRIPE_PREREAD_ACTIVE | STRIPE_DEGRADED | STRIPE_ON_UNPLUG |
               STRIPE_HASHED | STRIPE_ON_RELEASE
    };
    const unsigned kept = KEPT & ~(MUTATED(w, B34)   ? (unsigned)STRIPE_PREREAD_ACTIVE
                                   : MUTATED(w, B35) ? (unsigned)STRIPE_ON_UNPLUG
                                                     : 0);
    struct stripe *h = stripe_at(w, head);
    stripe_id m = h->batch_next;
    bool overlap = false;

    while (m != NONE16) {
        struct stripe *x = stripe_at(w, m);
        stripe_id next = x->batch_next;

        x->batch_head = x->batch_next = NONE16;
        x->state = (uint16_t)((x->state & kept) | (h->state & STRIPE_INSYNC));
        x->reconstruct = h->reconstruct;
        overlap |= inherit(w, m, head);
        if (handle || (x->state & STRIPE_SYNC_REQUESTED))
            x->state |= STRIPE_HANDLE;
        queue_release(w, m, e);
        m = next;
    }
    h->batch_head = h->batch_next = NONE16;
    if (h->state & STRIPE_SYNC_REQUESTED)
        h->state |= STRIPE_HANDLE;
    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        struct slot *slot = slot_at(w, head, i);

        overlap |= (slot->flags & SLOT_OVERLAP) != 0;
        slot->flags &= ~(uint32_t)SLOT_OVERLAP;
    }
    if (overlap)
        waits_wake_all(w, WAIT_OVERLAP, e);
}
