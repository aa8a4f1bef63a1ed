/*
 * Released stripes, plug lists, hold list.
 *
 * The priority rule: new full-stripe work may overtake stripes that wait on the hold list for their
 * turn to preread, as long as full stripes are pending; `bypass_count` counts how often, and
 * preread_bypass_threshold bounds it.
 *
 * Kernel: raid5.c raid5_release_stripe, release_stripe_list, release_stripe_plug, raid5_unplug,
 * __get_priority_stripe (6.1).
 */
#include "model/queue.h"

#include "model/cache.h"
#include "model/mutations.h"
#include "model/request.h"
#include "model/workers.h"

void queue_release(struct world *w, stripe_id s, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    struct array *a = array_at(w, 0);

    ASSERT(x->count);
    mark(e, MARK_RELEASED);
    if (x->count > 1 && !w->shape.release_every) {
        work(e, WORK_RELEASE, 1);
        x->count--;
        return;
    }
    if (x->state & STRIPE_ON_RELEASE) {
        cache_release(w, s, e);
        return;
    }
    work(e, WORK_RELEASE, 1);
    x->state |= STRIPE_ON_RELEASE;
    x->release_next = a->released;
    if (a->released == NONE16)
        cache_wake_raid5d(w, e);
    a->released = s;
}

unsigned queue_drain(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);
    stripe_id s = a->released, oldest = NONE16;
    unsigned count = 0;

    a->released = NONE16;
    if (s != NONE16)
        a->cache_state &= (uint8_t)~CACHE_DID_ALLOC;
    while (s != NONE16) { /* turn the chain round */
        stripe_id before = stripe_see(w, s)->release_next;

        stripe_at(w, s)->release_next = oldest;
        oldest = s;
        s = before;
    }
    for (s = oldest; s != NONE16; count++) {
        stripe_id next = stripe_see(w, s)->release_next;

        stripe_at(w, s)->release_next = NONE16;
        stripe_at(w, s)->state &= (uint16_t)~STRIPE_ON_RELEASE;
        cache_release(w, s, e);
        s = next;
    }
    return count;
}

void queue_hand_over(struct world *w, actor_id client, stripe_id s, struct effects *e)
{
    struct client *c = client_at(w, client);
    struct stripe *x = stripe_at(w, s);

    if (!c->plugging || (x->state & STRIPE_ON_UNPLUG)) {
        queue_release(w, s, e);
        return;
    }
    work(e, WORK_PLUG, 1);
    x->state |= STRIPE_ON_UNPLUG;
    ASSERT(x->list == LIST_NONE);
    x->list = LIST_PLUG;
    x->lru_next = NONE16;
    if (c->plug_head == NONE16)
        c->plug_head = s;
    else
        stripe_at(w, c->plug_tail)->lru_next = s;
    c->plug_tail = s;
}

bool queue_announces(struct world *w, actor_id client)
{
    stripe_id s = client_see(w, client)->plug_head;

    if (!MUTATED(w, B55) || s == NONE16 || !(stripe_see(w, s)->state & STRIPE_ON_UNPLUG))
        return false;
    stripe_at(w, s)->state &= (uint16_t)~STRIPE_ON_UNPLUG;
    return true;
}

void queue_unplug(struct world *w, actor_id client, struct effects *e)
{
    struct client *c = client_at(w, client);
    stripe_id s = c->plug_head;

    if (s != NONE16)
        work(e, WORK_PLUG, 1);
    c->plug_head = c->plug_tail = NONE16;
    while (s != NONE16) {
        struct stripe *x = stripe_at(w, s);
        stripe_id next = x->lru_next;

        x->lru_next = NONE16;
        x->list = LIST_NONE;
        x->state &= (uint16_t)~STRIPE_ON_UNPLUG;
        cache_release(w, s, e);
        s = next;
    }
}

static void lower_bypass(struct world *w)
{
    struct array *a = array_at(w, 0);
    uint32_t t = w->shape.bypass_threshold;

    a->bypass_count = a->bypass_count > t ? a->bypass_count - t : 0;
}

/* Bookkeeping when the head of the handle list goes before the hold list. */
static void count_bypass(struct world *w, stripe_id candidate)
{
    struct array *a = array_at(w, 0);
    stripe_id held = a->list[LIST_HOLD].head;

    if (held == NONE16) {
        a->bypass_count = 0;
    } else if (!(stripe_see(w, candidate)->state & STRIPE_IO_STARTED)) {
        if (held == a->last_hold) {
            a->bypass_count++;
        } else {
            a->last_hold = held;
            lower_bypass(w);
        }
    }
}

static stripe_id pick_one(struct world *w)
{
    struct array *a = array_at(w, 0);
    uint32_t t = w->shape.bypass_threshold;
    stripe_id s = a->list[LIST_HANDLE].head;

    if (s != NONE16) {
        count_bypass(w, s);
    } else if (a->list[LIST_HOLD].head != NONE16 &&
               ((t && a->bypass_count > t) || a->pending_full_writes == 0)) {
        s = a->list[LIST_HOLD].head;
        lower_bypass(w);
    }
    return s;
}

unsigned queue_pick(struct world *w, struct handler *h)
{
    ASSERT(h->count == 0);
    while (h->count < w->shape.handle_batch) {
        stripe_id s = pick_one(w);

        if (s == NONE16)
            break;
        cache_unlink(w, s);
        ASSERT(stripe_see(w, s)->count == 0);
        stripe_at(w, s)->count = 1;
        h->batch[h->count++] = s;
    }
    return h->count;
}

void queue_preread_done(struct world *w, struct effects *e)
{
    if (--array_at(w, 0)->preread_active < w->shape.io_threshold)
        cache_wake_raid5d(w, e);
}
