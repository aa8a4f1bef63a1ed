/*
 * The resync thread.
 *
 *   START -> LOOKUP -> REQUEST -> LOOKUP ...   until DRAIN at a checkpoint, PACE after a window,
 *              v  ^                                  PAUSED at sync_max, END at the end
 *            RETRY (sleeps for a stripe)
 *
 * md-2.6.15 handles the stripe in this thread: MARK -> HANDLE -> RELEASE in place of REQUEST. So
 * does md-3.12, for the first time: REQUEST -> WORK.
 *
 * A thread that had to wait for a stripe sleeps one tick more, so that others get theirs first.
 * DRAIN waits until nothing is under way and then moves the checkpoint; for a resync that is
 * recovery_cp, below which parity is to be trusted. A checkpoint comes whenever more than 1/16 of a
 * member has been done since the last one, or half of what was left to sync_max. PACE looks at the
 * speed: whoever schedules knows time and says whether to go on, to wait until nothing is under way
 * (YIELD), or to sleep.
 *
 * Kernel: md.c md_do_sync, md_done_sync; raid5.c raid5_sync_request (6.1), sync_request (2.6.15).
 */
#include "model/resync.h"

#include "model/array.h"
#include "model/bitmap.h"
#include "model/cache.h"
#include "model/geometry.h"
#include "model/io.h"
#include "model/machine.h"
#include "model/members.h"
#include "model/mutations.h"
#include "model/queue.h"
#include "model/waits.h"

enum {
    TICK_NS = 4000000,
    CHECKPOINTS = 16,
    WINDOW_SECTORS = 256, /* SYNC_MARKS apart, 32 pages */
    PACE_SLEEP_US = 500000
};

static uint64_t size_of(const struct world *w)
{
    return w->shape.geometry.component_sectors;
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

static bool is_interrupted(const struct world *w)
{
    return array_see(w, 0)->recovery & RECOVERY_INTR;
}

/* Sums are taken as md does, in wrapping arithmetic: sync_max may be "all ones". */
static bool is_checkpoint(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    uint64_t done = a->sync_at - a->sync_completed;

    if (done == 0)
        return false;
    return a->sync_tick || done > size_of(w) / CHECKPOINTS ||
           (a->sync_max != UINT64_MAX && 2 * done >= a->sync_max - a->sync_completed);
}

/* What follows once everything below sync_at has been asked for. */
static uint8_t next_step(const struct world *w)
{
    const struct array *a = array_see(w, 0);

    if (a->sync_at >= size_of(w) || is_interrupted(w))
        return RESYNC_END;
    if (is_checkpoint(w))
        return RESYNC_DRAIN;
    if (a->sync_at >= a->sync_max)
        return RESYNC_PAUSED;
    return w->shape.speed_limits && a->sync_window >= WINDOW_SECTORS ? RESYNC_PACE : RESYNC_LOOKUP;
}

/* ---- START */

static uint32_t has_task(const struct world *w, actor_id who)
{
    (void)who;
    return array_see(w, 0)->sync != SYNC_IDLE;
}

static uint64_t first_sector(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    uint64_t first = size_of(w);

    if (a->sync == SYNC_RESYNC)
        return has_bitmap(&w->shape) ? 0 : a->recovery_cp;
    if (a->sync != SYNC_RECOVER)
        return w->shape.sync_min;
    for (unsigned i = 0; i < shape_devices(&w->shape); i++)
        if (member_alive(w, i) && !member_in_sync(w, i) && disk_see(w, i)->recovery_offset < first)
            first = disk_see(w, i)->recovery_offset;
    return first;
}

static void start_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);

    (void)way;
    (void)e;
    a->recovery |= RECOVERY_RUNNING;
    a->recovery &= (uint8_t) ~(RECOVERY_INTR | RECOVERY_DONE);
    a->sync_window = 0;
    /* parity that is missing cannot be checked */
    a->sync_at = a->sync != SYNC_RECOVER && a->degraded ? size_of(w) : first_sector(w);
    a->sync_completed = a->sync_at;
    a->sync_tick = 0;
    /* Writes that began before the member came must not leave their mark behind its rebuild. */
    a->quiesce = a->sync == SYNC_RECOVER && has_bitmap(&w->shape) && !MUTATED(w, B60);
    actor_at(w, who)->pc = a->quiesce ? RESYNC_QUIESCE : next_step(w);
}

static void quiesce_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);

    (void)way;
    if (a->active) {
        waits_sleep(w, who, WAIT_RECOVERY);
        return;
    }
    waits_leave(w, who);
    a->quiesce = 0;
    waits_wake_all(w, waits_for_quiet(&w->shape), e);
    actor_at(w, who)->pc = next_step(w);
}

void resync_begin(struct world *w, enum sync_action action, struct effects *e)
{
    struct array *a = array_at(w, 0);

    a->sync = (uint8_t)action;
    a->sync_completed = 0;
    a->recovery |= RECOVERY_RUNNING;
    a->recovery &= (uint8_t) ~(RECOVERY_INTR | RECOVERY_DONE);
    effect(e, EFFECT_WAKE, 0, actor_resync(&w->shape), 0);
    work(e, WORK_WAKE, 1);
}

bool resync_may_begin(const struct world *w, enum sync_action action)
{
    const struct array *a = array_see(w, 0);
    bool running = a->recovery & RECOVERY_RUNNING;

    if (action == SYNC_IDLE)
        return running;
    return (action == SYNC_CHECK || action == SYNC_REPAIR) && !running && a->sync == SYNC_IDLE;
}

void resync_interrupt(struct world *w, struct effects *e)
{
    array_at(w, 0)->recovery |= RECOVERY_INTR;
    waits_wake_all(w, WAIT_RECOVERY, e);
}

/* ---- LOOKUP, RETRY, REQUEST */

/* The old plugs would hold back what this thread waits for. */
static void rest(struct world *w, actor_id who, enum wait on, struct effects *e)
{
    if (w->shape.generation == GENERATION_2615) {
        work(e, WORK_UNPLUG_DISK, w->shape.geometry.disks);
        effect(e, EFFECT_UNPLUG, 0, NONE16, 0);
    }
    waits_sleep(w, who, on);
}

static bool look_up(struct world *w, actor_id who, struct effects *e)
{
    struct actor *x = actor_at(w, who);
    uint64_t sector = array_see(w, 0)->sync_at;
    unsigned parity = geometry_parity(&w->shape.geometry, sector);

    x->pc = w->shape.generation == GENERATION_61 ? RESYNC_REQUEST : RESYNC_MARK;
    if (cache_lookup(w, sector, parity, &x->stripe, e) != LOOKUP_BLOCKED)
        return true;
    x->stripe = 0;
    x->pc = RESYNC_RETRY;
    rest(w, who, WAIT_STRIPE, e);
    return false;
}

/* A rebuild or resync passes what the bitmap says is clean. */
static bool may_skip(struct world *w)
{
    struct array *a = array_at(w, 0);
    uint64_t skip;

    if (!has_bitmap(&w->shape) || a->sync == SYNC_CHECK || a->sync == SYNC_REPAIR || a->fullsync ||
        bitmap_needs_sync(w, a->sync_at, &skip) || skip < PAGE_SECTORS)
        return false;
    a->sync_at = a->sync_at + skip < size_of(w) ? a->sync_at + skip : size_of(w);
    return true;
}

static void lookup_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    if (may_skip(w))
        actor_at(w, who)->pc = next_step(w);
    else
        look_up(w, who, e);
}

static void retry_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    work(e, WORK_WAIT_CHECK, 1);
    if (!cache_may_retry(w, array_see(w, 0)->sync_at)) {
        mark(e, MARK_WASTED);
        rest(w, who, WAIT_STRIPE, e);
        return;
    }
    waits_leave(w, who);
    if (look_up(w, who, e))
        effect(e, EFFECT_ARM, ARM_NS, who, TICK_NS);
}

/* Will a member be missing when this is done? */
static bool is_still_degraded(const struct world *w)
{
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (!member_alive(w, member_of(w, i)))
            return true;
    return false;
}

static void request_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *x = actor_at(w, who);
    struct array *a = array_at(w, 0);

    (void)way;
    work(e, WORK_SYNC, 1);
    if (has_bitmap(&w->shape))
        bitmap_start_sync(w, a->sync_at, !is_still_degraded(w));
    stripe_at(w, x->stripe)->state |= STRIPE_SYNC_REQUESTED;
    a->recovery_active += PAGE_SECTORS;
    a->sync_window += PAGE_SECTORS;
    a->sync_at += PAGE_SECTORS;
    if (w->shape.sync_handles) {
        x->pc = RESYNC_WORK;
        return;
    }
    stripe_at(w, x->stripe)->state |= STRIPE_HANDLE;
    queue_release(w, x->stripe, e);
    x->stripe = 0;
    x->pc = next_step(w);
}

/* md-3.12 */
static void work_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *x = actor_at(w, who);

    (void)way;
    machine_handle(w, who, x->stripe, e);
    queue_release(w, x->stripe, e);
    x->stripe = 0;
    x->pc = next_step(w);
}

/* ---- md-2.6.15 */

static void mark_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct stripe *x = stripe_at(w, actor_see(w, who)->stripe);
    struct array *a = array_at(w, 0);

    (void)way;
    work(e, WORK_SYNC, 1);
    x->state = (uint16_t)((x->state | STRIPE_SYNCING) & ~STRIPE_INSYNC);
    a->recovery_active += PAGE_SECTORS;
    a->sync_at += PAGE_SECTORS;
    actor_at(w, who)->pc = RESYNC_HANDLE;
}

static void handle_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    handle_stripe(w, who, actor_see(w, who)->stripe, e);
    actor_at(w, who)->pc = RESYNC_RELEASE;
}

static void release_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *x = actor_at(w, who);

    (void)way;
    cache_release(w, x->stripe, e);
    x->stripe = 0;
    x->pc = next_step(w);
}

/* ---- DRAIN, PAUSED, PACE, YIELD */

/* Sleeps until nothing is under way; true: it is so. */
static bool is_drained(struct world *w, actor_id who, struct effects *e)
{
    if (array_see(w, 0)->recovery_active) {
        rest(w, who, WAIT_RECOVERY, e);
        return false;
    }
    waits_leave(w, who);
    return true;
}

static void drain_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);

    (void)way;
    if (!is_drained(w, who, e))
        return;
    a->sync_completed = a->sync_at;
    if (a->sync == SYNC_RESYNC && !is_interrupted(w))
        a->recovery_cp = a->sync_at;
    a->sb_flags |= SB_CLEAN; /* raid5d writes them when it comes by */
    if (a->sync_tick)
        bitmap_end_sync(w, a->sync_at, false, e);
    a->sync_tick = 0;
    actor_at(w, who)->pc = next_step(w);
}

static void paused_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    (void)e;
    waits_leave(w, who);
    actor_at(w, who)->pc = next_step(w);
    if (actor_see(w, who)->pc == RESYNC_PAUSED)
        waits_sleep(w, who, WAIT_RECOVERY);
}

static uint32_t pace_ways(const struct world *w, actor_id who)
{
    (void)w;
    (void)who;
    return RESYNC_PACE_WAYS;
}

static void pace_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *x = actor_at(w, who);

    if (way == RESYNC_SLEEP && !is_interrupted(w)) {
        effect(e, EFFECT_ARM, ARM_US, who, PACE_SLEEP_US); /* and looks again */
        return;
    }
    array_at(w, 0)->sync_window = 0;
    x->pc = way == RESYNC_MAKE_ROOM ? RESYNC_YIELD : next_step(w);
}

static void yield_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    (void)e;
    if (is_drained(w, who, e))
        actor_at(w, who)->pc = next_step(w);
}

/* ---- END */

/* All that was asked for is done; the superblocks are told, raid5d does the rest. */
static void end_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *a = array_at(w, 0);
    bool whole = a->sync_at >= size_of(w) && !is_interrupted(w);

    (void)way;
    if (!is_drained(w, who, e))
        return;
    a->sync_completed = a->sync_at;
    if (a->sync == SYNC_RESYNC && !a->degraded)
        a->recovery_cp = whole ? UINT64_MAX : a->sync_at;
    for (unsigned i = 0; i < shape_devices(&w->shape) && a->sync == SYNC_RECOVER; i++) {
        struct disk *d = disk_at(w, i);
        uint64_t reached = whole ? UINT64_MAX : a->sync_at;

        if (member_alive(w, i) && !member_in_sync(w, i) && d->recovery_offset < reached)
            d->recovery_offset = reached;
    }
    if (has_bitmap(&w->shape))
        bitmap_end_sync(w, a->sync_at, !whole, e);
    if (whole)
        a->fullsync = 0;
    a->recovery |= RECOVERY_DONE;
    a->sb_flags |= SB_DEVS | SB_PENDING;
    a->sync = SYNC_IDLE;
    cache_wake_raid5d(w, e);
    actor_at(w, who)->pc = RESYNC_START;
}

/* Steps with a stripe in their hands have `sleeps`: a run does not end before them. */
static const struct step resync_steps[RESYNC_PC_COUNT] = {
    [RESYNC_START] = { "resync.start", "md_do_sync, beginning", has_task, NULL, NULL, start_fire,
                       .lock = LOCK_NONE },
    [RESYNC_LOOKUP] = { "resync.lookup", "raid5_get_active_stripe", always, NULL, NULL, lookup_fire,
                        .lock = LOCK_DEVICE, .books = WORK_LOOKUP, .hashed = HASHED_LOOKUP },
    [RESYNC_RETRY] = { "resync.retry", "raid5_get_active_stripe, after a sleep", awake, NULL, NULL,
                       retry_fire, .lock = LOCK_DEVICE, .books = WORK_LOOKUP,
                       .hashed = HASHED_LOOKUP },
    [RESYNC_REQUEST] = { "resync.request", "raid5_sync_request", always, NULL, NULL, request_fire,
                         .lock = LOCK_NONE, .sleeps = 1 },
    [RESYNC_DRAIN] = { "resync.drain", "md_do_sync, checkpoint", awake, NULL, NULL, drain_fire,
                       .lock = LOCK_NONE },
    [RESYNC_PAUSED] = { "resync.paused", "md_do_sync, at sync_max", awake, NULL, NULL, paused_fire,
                        .lock = LOCK_NONE },
    [RESYNC_PACE] = { "resync.pace", "md_do_sync, speed", pace_ways, NULL, NULL, pace_fire,
                      .lock = LOCK_NONE, .sleeps = 1 },
    [RESYNC_YIELD] = { "resync.yield", "md_do_sync, making room", awake, NULL, NULL, yield_fire,
                       .lock = LOCK_NONE },
    [RESYNC_QUIESCE] = { "resync.quiesce", "raid5_quiesce", awake, NULL, NULL, quiesce_fire,
                         .lock = LOCK_DEVICE, .books = WORK_SYNC },
    [RESYNC_END] = { "resync.end", "md_do_sync, end", awake, NULL, NULL, end_fire,
                     .lock = LOCK_NONE },
    [RESYNC_WORK] = { "resync.work", "handle_stripe, operations", always, NULL, NULL, work_fire,
                      .lock = LOCK_NONE, .sleeps = 1 },
    [RESYNC_MARK] = { "resync.mark", "sync_request", always, NULL, NULL, mark_fire,
                      .lock = LOCK_STRIPE, .books = WORK_SYNC, .sleeps = 1 },
    [RESYNC_HANDLE] = { "resync.handle", "handle_stripe", always, NULL, NULL, handle_fire,
                        .lock = LOCK_STRIPE, .books = WORK_HANDLE, .sleeps = 1 },
    [RESYNC_RELEASE] = { "resync.release", "release_stripe", always, NULL, NULL, release_fire,
                         .lock = LOCK_DEVICE, .books = WORK_RELEASE, .sleeps = 1 },
};
const struct actor_kind resync_kind = { "resync", VENUE_CPU, resync_steps, RESYNC_PC_COUNT };

/* ---- for the stripe machine and for fate */

void resync_begin_stripe(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);

    if ((x->state & STRIPE_SYNC_REQUESTED) && x->batch_head == NONE16)
        x->state =
            (uint16_t)((x->state | STRIPE_SYNCING) & ~(STRIPE_SYNC_REQUESTED | STRIPE_INSYNC));
}

void resync_done(struct world *w, bool good, struct effects *e)
{
    struct array *a = array_at(w, 0);

    ASSERT(a->recovery_active >= PAGE_SECTORS);
    a->recovery_active -= PAGE_SECTORS;
    if (!good) {
        a->recovery |= RECOVERY_INTR;
        cache_wake_raid5d(w, e);
    }
    waits_wake_all(w, WAIT_RECOVERY, e);
}

void resync_set_max(struct world *w, uint64_t sector, struct effects *e)
{
    array_at(w, 0)->sync_max = sector;
    waits_wake_all(w, WAIT_RECOVERY, e);
}
