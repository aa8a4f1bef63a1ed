/*
 * Contents of a stripe's pages (model/contents.h).
 *
 * A page that is written to stays up to date all the time: unlike later versions this one copies
 * under the lock, so nobody sees a page half done. Parity is made from the pages in memory,
 * whatever is still on its way to the members.
 *
 * Kernel: raid5.c copy_data, compute_block, compute_parity (2.6.15).
 */
#include "model/contents.h"

#include "model/request.h"
#include "model/waits.h"

enum { PAGE_LINES = PAGE_BYTES / 64 };

static tag *page_of(struct world *w, stripe_id s, unsigned disk)
{
    return tags_at(w, (uint64_t)slot_page(w, s, disk) * w->shape.tags_per_page);
}

static void clear_page(struct world *w, tag *page)
{
    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        page[g] = 0;
}

/* to ^= from. Clearing `to` beforehand is part of the price of the first: its lines are fetched
 * once. */
static void fold(struct world *w, tag *to, const tag *from, struct effects *e)
{
    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        to[g] ^= from[g];
    work(e, WORK_XOR_LINE, PAGE_LINES);
}

void contents_copy(struct world *w, stripe_id s, unsigned disk, piece_id p, bool into_page,
                   struct effects *e)
{
    tag *page = page_of(w, s, disk);
    tag *own = tags_at(w, (uint64_t)piece_page(w, p) * w->shape.tags_per_page);
    uint64_t from, to;

    piece_extent(w, p, &from, &to);
    for (uint64_t g = from / w->shape.group_sectors; g < to / w->shape.group_sectors; g++) {
        unsigned k = (unsigned)(g % w->shape.tags_per_page);

        if (into_page)
            page[k] = own[k];
        else
            own[k] = page[k];
    }
    work(e, WORK_COPY_CALL, 1);
    work(e, WORK_COPY_LINE, (uint32_t)(to - from) * SECTOR_BYTES / 64);
}

void contents_compute_block(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    tag *to = page_of(w, s, disk);

    clear_page(w, to);
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (i != disk)
            fold(w, to, page_of(w, s, i), e);
    slot_at(w, s, disk)->flags |= SLOT_UPTODATE;
    mark(e, MARK_COMPUTED);
}

void contents_end_overlap(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);

    if (!(slot->flags & SLOT_OVERLAP))
        return;
    slot->flags &= ~(uint32_t)SLOT_OVERLAP;
    waits_wake_all(w, WAIT_OVERLAP, e);
}

/* The waiting writes of a slot become written ones. */
static void take(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);

    ASSERT(slot->written == NONE32);
    slot->written = slot->towrite;
    slot->towrite = NONE32;
    contents_end_overlap(w, s, disk, e);
}

/* Takes the writes that the method can take; rmw folds the old contents out of parity. */
static void take_writes(struct world *w, stripe_id s, enum parity_method method, struct effects *e)
{
    unsigned pd = stripe_see(w, s)->parity;
    tag *parity = page_of(w, s, pd);

    if (method == PARITY_RCW)
        clear_page(w, parity);
    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        const struct slot *slot = slot_see(w, s, i);

        if (slot->towrite == NONE32)
            continue;
        if (method == PARITY_RMW) {
            if (!(slot->flags & SLOT_UPTODATE))
                continue;
            fold(w, parity, page_of(w, s, i), e);
        }
        take(w, s, i, e);
    }
}

static void copy_in(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);

    for (piece_id p = slot->written; p != NONE32; p = piece_see(w, p)->next)
        contents_copy(w, s, disk, p, true, e);
    slot->flags |= SLOT_LOCKED | SLOT_UPTODATE;
}

void contents_compute_parity(struct world *w, stripe_id s, enum parity_method method,
                             struct effects *e)
{
    unsigned pd = stripe_see(w, s)->parity;
    tag *parity = page_of(w, s, pd);

    ASSERT(method == PARITY_RCW || (slot_see(w, s, pd)->flags & SLOT_UPTODATE));
    take_writes(w, s, method, e);
    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        bool written = slot_see(w, s, i)->written != NONE32;

        if (written)
            copy_in(w, s, i, e);
        if (i != pd && (written || method == PARITY_RCW))
            fold(w, parity, page_of(w, s, i), e);
    }
    slot_at(w, s, pd)->flags |= SLOT_LOCKED | SLOT_UPTODATE;
}

bool contents_check_parity(struct world *w, stripe_id s, struct effects *e)
{
    unsigned pd = stripe_see(w, s)->parity;
    tag *parity = page_of(w, s, pd), left = 0;

    for (unsigned i = w->shape.geometry.disks; i-- > 0;)
        if (i != pd)
            fold(w, parity, page_of(w, s, i), e);
    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        left |= parity[g];
    slot_at(w, s, pd)->flags &= ~(uint32_t)SLOT_UPTODATE;
    return left == 0;
}
