/*
 * The resync thread.
 *
 *   START -> LOOKUP -> REQUEST -> LOOKUP ... -> DRAIN -> LOOKUP     every 1/16 of a member
 *              v  ^                               +----> STOPPED    at the end
 *            RETRY (sleeps for a stripe)
 *
 * A thread that had to wait for a stripe sleeps one tick more, so that others get theirs first.
 * DRAIN waits until nothing is under way and then moves the checkpoint; for a resync that is
 * recovery_cp, below which parity is to be trusted. sync_max below the end makes the thread stop
 * there, its checkpoint moved.
 *
 * Kernel: md.c md_do_sync, md_done_sync; raid5.c raid5_sync_request (6.1).
 */
#include "model/resync.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/geometry.h"
#include "model/queue.h"
#include "model/waits.h"

enum { TICK_NS = 4000000, CHECKPOINTS = 16 };

uint64_t resync_end(const struct world *w)
{
    uint64_t size = w->shape.geometry.component_sectors;

    return w->shape.sync_max < size ? w->shape.sync_max : size;
}

static uint32_t always(const struct world *w, actor_id who)
{
    (void)w;
    (void)who;
    return 1;
}

static uint32_t awake(const struct world *w, actor_id who)
{
    return !actor_see(w, who)->asleep;
}

static uint32_t never(const struct world *w, actor_id who)
{
    (void)w;
    (void)who;
    return 0;
}

/* What follows once everything below sync_at has been asked for. */
static uint8_t next_step(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    uint64_t size = w->shape.geometry.component_sectors;

    return a->sync_at >= resync_end(w) || a->sync_at - a->sync_completed > size / CHECKPOINTS
               ? RESYNC_DRAIN
               : RESYNC_LOOKUP;
}

static void start_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);

    (void)way;
    (void)e;
    a->sync_at = w->shape.sync_action == SYNC_RESYNC ? a->recovery_cp : w->shape.sync_min;
    a->sync_completed = a->sync_at;
    actor_at(w, who)->pc = next_step(w);
}

static bool look_up(struct world *w, actor_id who, struct effects *e)
{
    struct actor *x = actor_at(w, who);
    uint64_t sector = array_see(w, 0)->sync_at;
    unsigned parity = geometry_parity(&w->shape.geometry, sector);

    x->pc = RESYNC_REQUEST;
    if (cache_lookup(w, sector, parity, &x->stripe, e) != LOOKUP_BLOCKED)
        return true;
    x->stripe = 0;
    x->pc = RESYNC_RETRY;
    waits_sleep(w, who, WAIT_STRIPE);
    return false;
}

static void lookup_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    look_up(w, who, e);
}

static void retry_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    work(e, WORK_WAIT_CHECK, 1);
    if (!cache_may_retry(w, array_see(w, 0)->sync_at)) {
        mark(e, MARK_WASTED);
        waits_sleep(w, who, WAIT_STRIPE);
        return;
    }
    waits_leave(w, who);
    if (look_up(w, who, e))
        effect(e, EFFECT_ARM, 0, who, TICK_NS);
}

static void request_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *x = actor_at(w, who);
    struct array *a = array_at(w, 0);

    (void)way;
    work(e, WORK_SYNC, 1);
    stripe_at(w, x->stripe)->state |= STRIPE_SYNC_REQUESTED | STRIPE_HANDLE;
    queue_release(w, x->stripe, e);
    x->stripe = 0;
    a->recovery_active += PAGE_SECTORS;
    a->sync_at += PAGE_SECTORS;
    x->pc = next_step(w);
}

static void drain_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);
    bool whole = resync_end(w) == w->shape.geometry.component_sectors;

    (void)way;
    (void)e;
    if (a->recovery_active) {
        waits_sleep(w, who, WAIT_RECOVERY);
        return;
    }
    waits_leave(w, who);
    a->sync_completed = a->sync_at;
    if (w->shape.sync_action == SYNC_RESYNC)
        a->recovery_cp = a->sync_at >= resync_end(w) && whole ? UINT64_MAX : a->sync_at;
    actor_at(w, who)->pc = a->sync_at >= resync_end(w) ? RESYNC_STOPPED : RESYNC_LOOKUP;
}

static const struct step resync_steps[RESYNC_PC_COUNT] = {
    [RESYNC_START] = { "resync.start", "md_do_sync, beginning", always, NULL, NULL, start_fire,
                       .lock = LOCK_NONE },
    [RESYNC_LOOKUP] = { "resync.lookup", "raid5_get_active_stripe", always, NULL, NULL, lookup_fire,
                        .lock = LOCK_DEVICE, .books = WORK_LOOKUP, .hashed = 1 },
    [RESYNC_RETRY] = { "resync.retry", "raid5_get_active_stripe, after a sleep", awake, NULL, NULL,
                       retry_fire, .lock = LOCK_DEVICE, .books = WORK_LOOKUP, .hashed = 1 },
    [RESYNC_REQUEST] = { "resync.request", "raid5_sync_request", always, NULL, NULL, request_fire,
                         .lock = LOCK_NONE, .sleeps = 1 },
    [RESYNC_DRAIN] = { "resync.drain", "md_do_sync, checkpoint", awake, NULL, NULL, drain_fire,
                       .lock = LOCK_NONE },
    [RESYNC_STOPPED] = { "resync.stopped", "md_do_sync has returned", never, NULL, NULL, NULL,
                         .lock = LOCK_NONE },
};
const struct actor_kind resync_kind = { "resync", VENUE_CPU, resync_steps, RESYNC_PC_COUNT };

void resync_begin_stripe(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);

    if ((x->state & STRIPE_SYNC_REQUESTED) && x->batch_head == NONE16)
        x->state =
            (uint16_t)((x->state | STRIPE_SYNCING) & ~(STRIPE_SYNC_REQUESTED | STRIPE_INSYNC));
}

void resync_done(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);

    ASSERT(a->recovery_active >= PAGE_SECTORS);
    a->recovery_active -= PAGE_SECTORS;
    waits_wake_all(w, WAIT_RECOVERY, e);
}
