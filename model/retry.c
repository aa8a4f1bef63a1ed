/* Retried reads: see retry.h. */
#include "model/retry.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/machine.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/submit.h"

void retry_add(struct world *w, bio_id b, struct effects *e)
{
    struct array *a = array_at(w, 0);

    bio_at(w, b)->next = a->retry_head;
    a->retry_head = b;
    mark(e, MARK_RETRIED_READ);
    cache_wake_raid5d(w, e);
}

bool retry_possible(const struct world *w)
{
    const struct array *a = array_see(w, 0);

    return a->retry_bio != NONE32 || a->retry_head != NONE32;
}

static void take_next(struct world *w)
{
    struct array *a = array_at(w, 0);

    if (a->retry_bio != NONE32)
        return;
    a->retry_bio = a->retry_head;
    a->retry_head = bio_see(w, a->retry_bio)->next;
    bio_at(w, a->retry_bio)->next = 0;
    a->retry_page = 0;
}

bool retry_read(struct world *w, actor_id who, struct effects *e)
{
    struct array *a = array_at(w, 0);
    struct place place;
    uint8_t blocked;
    uint64_t page;
    stripe_id s;

    take_next(w);
    page = bio_see(w, a->retry_bio)->sector / PAGE_SECTORS + a->retry_page;
    place = geometry_map(&w->shape.geometry, page * PAGE_SECTORS);
    work(e, WORK_MAP, 1);
    blocked = a->inactive_blocked;
    if (cache_lookup(w, place.sector, place.parity, &s, e) == LOOKUP_BLOCKED) {
        a->inactive_blocked = blocked; /* who does not wait keeps nobody waiting */
        return false;
    }
    if (!submit_attach_read(w, s, place.disk, request_piece(w, bio_request(w, a->retry_bio), page),
                            e)) {
        /* Filed at once, so that this turn of raid5d can handle it. By way of the list of released
         * stripes the next turn would take it away again, and so for ever. */
        cache_release(w, s, e);
        return false;
    }
    slot_at(w, s, place.disk)->flags |= SLOT_READ_NO_MERGE;
    actor_at(w, who)->stripe = s;
    actor_at(w, who)->pc = RAID5D_RETRY;
    return true;
}

void retry_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *x = actor_at(w, who);
    struct array *a = array_at(w, 0);
    bio_id b = a->retry_bio;
    const struct bio *bio = bio_see(w, b);
    uint64_t last = (bio->sector + bio->sectors - 1) / PAGE_SECTORS - bio->sector / PAGE_SECTORS;

    (void)way;
    machine_handle(w, who, x->stripe, e);
    queue_release(w, x->stripe, e);
    x->stripe = 0;
    x->pc = RAID5D_LOOP;
    if (a->retry_page++ < last)
        return;
    a->retry_bio = NONE32;
    a->retry_page = 0;
    bio_drop(w, b, e);
}
