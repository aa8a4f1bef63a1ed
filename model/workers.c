/*
 * Worker groups: see workers.h.
 *
 *   IDLE -> LOOP -> WORK (a step a stripe) -> LOOP ... -> FLUSH -> IDLE
 *
 * A worker is a work item of a workqueue. It is queued or not, whether it runs or not, and never
 * runs beside itself: queued while it runs, it runs once more. `working` keeps the wake rule from
 * asking a worker twice; it ends with each batch, so that a busy worker can be asked again, which
 * costs one more run.
 *
 * A worker files what has been released and takes stripes from its group's handle list and from the
 * hold list, by the same rule as raid5d. Activation of delayed stripes is left to raid5d.
 *
 * Kernel: raid5.c raid5_do_work, raid5_wakeup_stripe_thread, handle_active_stripes (6.1).
 */
#include "model/workers.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/defer.h"
#include "model/log.h"
#include "model/machine.h"
#include "model/mutations.h"
#include "model/queue.h"
#include "model/waits.h"

struct handler *workers_handler(struct world *w, actor_id who)
{
    const struct actor *a = actor_see(w, who);

    return handler_at(w, a->kind == KIND_WORKER ? a->index + 1u : 0);
}

/* ---- the wake rule */

static void ask(struct world *w, unsigned n, struct effects *e)
{
    struct handler *h = handler_at(w, n + 1);
    actor_id who = actor_worker(&w->shape, n);
    bool asleep = actor_see(w, who)->pc == WORKER_IDLE && !h->queued;

    h->working = h->queued = 1;
    if (asleep)
        effect(e, EFFECT_WAKE, 0, who, 0);
    work(e, asleep ? WORK_WAKE : WORK_POKE, 1);
}

void workers_wake(struct world *w, struct effects *e)
{
    uint32_t batches = array_see(w, 0)->to_handle / w->shape.handle_batch;

    ask(w, 0, e);
    for (unsigned n = 1; n < w->shape.workers && batches > 1; n++)
        if (!handler_see(w, n + 1)->working) {
            ask(w, n, e);
            batches--;
        }
}

/* ---- a batch, raid5d's or a worker's */

bool workers_handle(struct world *w, actor_id who, struct effects *e)
{
    struct handler *h = workers_handler(w, who);

    ASSERT(h->at < h->count);
    machine_handle(w, who, h->batch[h->at++], e);
    if (h->at < h->count)
        return true;
    log_submit(w, who, e);
    return false;
}

void workers_let_go(struct world *w, actor_id who, struct effects *e)
{
    struct handler *h = workers_handler(w, who);

    for (unsigned i = 0; i < h->count; i++) {
        cache_release(w, h->batch[i], e);
        h->batch[i] = 0;
    }
    h->count = h->at = 0;
}

/* ---- a worker's program */

static uint32_t queued(const struct world *w, actor_id who)
{
    return handler_see(w, actor_see(w, who)->index + 1u)->queued;
}

static uint32_t always(const struct world *w, actor_id who)
{
    (void)w;
    (void)who;
    return 1;
}

static void begin_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    work(e, WORK_ITEM, 1);
    workers_handler(w, who)->queued = 0;
    actor_at(w, who)->pc = WORKER_LOOP;
}

static uint32_t awake(const struct world *w, actor_id who)
{
    return !actor_see(w, who)->asleep;
}

/* Between two turns a worker waits while a superblock write is pending. True: it has to. */
static bool pauses(struct world *w, actor_id who)
{
    if ((array_see(w, 0)->sb_flags & SB_PENDING) && !w->shape.no_superblock_gate) {
        waits_sleep(w, who, WAIT_SUPERBLOCK);
        return true;
    }
    waits_leave(w, who);
    return false;
}

/* The batch that is done and the next one, in one hold of the lock. A turn that has found nothing
 * at all to do is the last. */
static void loop_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct handler *h = workers_handler(w, who);
    bool first = !h->count && actor_see(w, who)->waits_on == WAIT_NONE;
    unsigned released;

    (void)way;
    if (h->count) {
        workers_let_go(w, who, e);
        h->working = 0;
    }
    if (!first && pauses(w, who))
        return;
    released = queue_drain(w, e);
    work(e, WORK_PICK, 1);
    mark(e, MARK_LOOP);
    if (queue_pick(w, h)) {
        actor_at(w, who)->pc = WORKER_WORK;
        return;
    }
    h->working = 0;
    if (!released)
        log_submit(w, who, e);
    if (!released)
        actor_at(w, who)->pc = defer_any(w) && !MUTATED(w, B51) ? WORKER_FLUSH : WORKER_IDLE;
    else
        pauses(w, who);
}

static void work_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    if (!workers_handle(w, who, e))
        actor_at(w, who)->pc = WORKER_LOOP;
}

static void flush_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    defer_flush(w, who, e);
    actor_at(w, who)->pc = WORKER_IDLE;
}

static const struct step worker_steps[WORKER_PC_COUNT] = {
    [WORKER_IDLE] = { "worker.begin", "process_one_work, raid5_do_work", queued, NULL, NULL,
                      begin_fire, .lock = LOCK_NONE },
    [WORKER_LOOP] = { "worker.loop", "raid5_do_work, handle_active_stripes", awake, NULL, NULL,
                      loop_fire, .lock = LOCK_DEVICE, .books = WORK_PICK },
    [WORKER_WORK] = { "worker.work", "handle_stripe, operations", always, NULL, NULL, work_fire,
                      .lock = LOCK_NONE },
    [WORKER_FLUSH] = { "worker.flush", "flush_deferred_bios", always, NULL, NULL, flush_fire,
                       .lock = LOCK_NONE },
};
const struct actor_kind worker_kind = { "worker", VENUE_CPU, worker_steps, WORKER_PC_COUNT };
