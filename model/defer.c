/*
 * Deferred member writes: see defer.h.
 *
 * Kernel: raid5.c defer_issue_bios, dispatch_defer_bios, flush_deferred_bios (6.1).
 */
#include "model/defer.h"

#include "model/io.h"
#include "model/stripe.h"

/* Where a member I/O's successor stands. Only those of stripes are deferred. */
static io_id *link_of(struct world *w, io_id io)
{
    return link_at(w, (uint64_t)io_disk(w, io) * w->shape.stripes + io_place(w, io));
}

void defer_link(struct world *w, io_id io, io_id *first, io_id *last)
{
    io_hold(w, io);
    if (*first == NONE32)
        *first = io;
    else
        *link_of(w, *last) = io;
    *link_of(w, io) = NONE32;
    *last = io;
}

/* Sends a record's chain; the links are nobody's afterwards. */
static void send(struct world *w, actor_id by, struct deferred *d, struct effects *e)
{
    uint32_t count = 0;

    for (io_id io = d->first; io != NONE32; count++) {
        io_id next = *link_of(w, io);

        *link_of(w, io) = 0;
        io_at(w, io)->issuer = by;
        io_queue(w, io, e);
        io = next;
    }
    work(e, WORK_MEMBER_BIO, count);
    d->first = NONE32;
}

/* What sorting n records costs, in comparisons: n log n. */
static uint32_t comparisons(uint32_t n)
{
    uint32_t doublings = 0;

    while (n >> doublings > 1)
        doublings++;
    return n * doublings;
}

/* Closes the gaps that sent records have left; `next` is where the next dispatch begins. */
static void close_up(struct world *w, unsigned next)
{
    struct array *a = array_at(w, 0);
    unsigned n = a->deferred, kept = 0;

    a->deferred_at = NONE16;
    for (unsigned k = 0; k < n; k++) {
        const struct deferred d = *deferred_see(w, k);

        if (d.first == NONE32)
            continue;
        if (k == next)
            a->deferred_at = (uint16_t)kept;
        *deferred_at(w, kept++) = d;
    }
    a->deferred = (uint16_t)kept;
    for (; kept < n; kept++)
        *deferred_at(w, kept) = (struct deferred){ 0 };
}

static void dispatch(struct world *w, actor_id by, unsigned target, struct effects *e)
{
    const struct array *a = array_see(w, 0);
    unsigned n = a->deferred, from = a->deferred_at == NONE16 ? 0 : a->deferred_at;

    ASSERT(target <= n);
    work(e, WORK_COMPARE, comparisons(n));
    for (unsigned k = 0; k < target; k++)
        send(w, by, deferred_at(w, (from + k) % n), e);
    close_up(w, (from + target) % n);
}

void defer_keep(struct world *w, actor_id by, uint64_t sector, io_id first, io_id last,
                struct effects *e)
{
    struct array *a = array_at(w, 0);
    unsigned at = a->deferred;

    for (; at && deferred_see(w, at - 1)->sector > sector; at--)
        *deferred_at(w, at) = *deferred_see(w, at - 1);
    *deferred_at(w, at) = (struct deferred){ sector, first, last };
    if (a->deferred_at != NONE16 && at <= a->deferred_at)
        a->deferred_at++;
    if (++a->deferred == DEFER_MAX)
        dispatch(w, by, DEFER_SOME, e);
}

bool defer_any(const struct world *w)
{
    return array_see(w, 0)->deferred != 0;
}

void defer_flush(struct world *w, actor_id by, struct effects *e)
{
    if (defer_any(w)) /* somebody else may have been faster */
        dispatch(w, by, array_see(w, 0)->deferred, e);
}
