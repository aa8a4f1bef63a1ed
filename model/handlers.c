/*
 * Who else acts on the array: raid5d, the unplug timer, the completion path of each member.
 *
 * raid5d (spec 10.1) is one thread with a "please run" bit, cleared before its body runs. The
 * unplug timer stands for the block layer's 3 ms timer on the array's own queue. A completion path
 * ends one member I/O a step, in interrupt context (spec 8.3).
 *
 * Kernel: raid5.c raid5d, raid5_end_read_request, raid5_unplug_device (2.6.15).
 */
#include "model/array.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/machine.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/stripe.h"

/* ---- raid5d */

static uint32_t wanted(const struct world *w, actor_id who)
{
    (void)who;
    return array_see(w, 0)->raid5d_wanted;
}

static uint32_t always(const struct world *w, actor_id who)
{
    (void)w;
    (void)who;
    return 1;
}

static void wake_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    mark(e, MARK_ROUND);
    if (w->shape.generation == GENERATION_61)
        work(e, WORK_PICK, 1); /* md_thread and raid5d around the loop cost as much as a turn */
    array_at(w, 0)->raid5d_wanted = 0;
    actor_at(w, who)->pc = w->shape.generation == GENERATION_61 ? RAID5D_LOOP : RAID5D_PICK;
}

static void pick_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    const struct array *array = array_see(w, 0);

    (void)way;
    work(e, WORK_PICK, 1);
    if (array->list[LIST_HANDLE].head == NONE16 && !array->plugged)
        cache_activate_delayed(w);
    a->stripe = cache_pick(w);
    if (a->stripe != NONE16) {
        a->pc = RAID5D_HANDLE;
        return;
    }
    work(e, WORK_UNPLUG_DISK, w->shape.geometry.disks);
    effect(e, EFFECT_UNPLUG, 0, NONE16, 0);
    a->stripe = 0;
    a->pc = RAID5D_SLEEP;
}

static void handle_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    handle_stripe(w, who, actor_see(w, who)->stripe, e);
    actor_at(w, who)->pc = RAID5D_RELEASE;
}

static void release_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);

    (void)way;
    cache_release(w, a->stripe, e);
    a->stripe = 0;
    a->pc = RAID5D_PICK;
}

/* md-6.1: file what was released, let delayed stripes go, pick up to a batch, handle it without a
 * lock, release it. */
static void loop_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    unsigned released = queue_drain(w, e);

    (void)way;
    work(e, WORK_PICK, 1);
    mark(e, MARK_LOOP);
    cache_activate_delayed(w);
    if (queue_pick(w))
        a->pc = RAID5D_WORK;
    else if (!released)
        a->pc = RAID5D_SLEEP;
}

static void work_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *array = array_at(w, 0);

    (void)way;
    machine_handle(w, who, array->batch[array->batch_at++], e);
    if (array->batch_at == array->batch_count)
        actor_at(w, who)->pc = RAID5D_DONE;
}

static void done_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *array = array_at(w, 0);

    (void)way;
    for (unsigned i = 0; i < array->batch_count; i++) {
        cache_release(w, array->batch[i], e);
        array->batch[i] = 0;
    }
    array->batch_count = array->batch_at = 0;
    actor_at(w, who)->pc = RAID5D_LOOP;
}

static const struct step raid5d_steps[RAID5D_PC_COUNT] = {
    [RAID5D_SLEEP] = { "raid5d.wake", "md_thread", wanted, NULL, NULL, wake_fire,
                       .lock = LOCK_NONE },
    [RAID5D_PICK] = { "raid5d.pick", "raid5d, one turn", always, NULL, NULL, pick_fire,
                      .lock = LOCK_DEVICE, .books = WORK_PICK },
    [RAID5D_HANDLE] = { "raid5d.handle", "handle_stripe", always, NULL, NULL, handle_fire,
                        .lock = LOCK_STRIPE, .books = WORK_HANDLE },
    [RAID5D_RELEASE] = { "raid5d.release", "release_stripe", always, NULL, NULL, release_fire,
                         .lock = LOCK_DEVICE, .books = WORK_RELEASE },
    [RAID5D_LOOP] = { "raid5d.loop", "raid5d, handle_active_stripes", always, NULL, NULL, loop_fire,
                      .lock = LOCK_DEVICE, .books = WORK_PICK },
    [RAID5D_WORK] = { "raid5d.work", "handle_stripe, operations", always, NULL, NULL, work_fire,
                      .lock = LOCK_NONE },
    [RAID5D_DONE] = { "raid5d.done", "__release_stripe, a batch", always, NULL, NULL, done_fire,
                      .lock = LOCK_DEVICE, .books = WORK_RELEASE },
};
const struct actor_kind raid5d_kind = { "raid5d", VENUE_CPU, raid5d_steps, RAID5D_PC_COUNT };

/* ---- the array's unplug timer */

static uint32_t plugged(const struct world *w, actor_id who)
{
    (void)who;
    return w->shape.stripes && array_see(w, 0)->plugged;
}

/* From here on somebody else may unplug: kblockd finds out under the lock, and unplugs the members
 * all the same. */
static void due_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    (void)e;
    actor_at(w, who)->pc = TIMER_UNPLUG;
}

static void timer_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    cache_unplug(w, e);
    actor_at(w, who)->pc = TIMER_SLEEP;
}

static const struct step timer_steps[TIMER_PC_COUNT] = {
    [TIMER_SLEEP] = { "kblockd.due", "blk_unplug_timeout", plugged, NULL, NULL, due_fire,
                      .lock = LOCK_NONE },
    [TIMER_UNPLUG] = { "kblockd.unplug", "blk_unplug_work, raid5_unplug_device", always, NULL, NULL,
                       timer_fire, .lock = LOCK_DEVICE, .books = WORK_PLUG },
};
const struct actor_kind timer_kind = { "kblockd", VENUE_CPU, timer_steps, TIMER_PC_COUNT };

/* ---- completions */

static uint32_t end_ways(const struct world *w, actor_id who)
{
    return disk_see(w, actor_see(w, who)->index)->done;
}

static uint64_t end_name(const struct world *w, actor_id who, uint32_t k)
{
    unsigned disk = actor_see(w, who)->index;

    return (uint64_t)disk * w->shape.ios_per_disk + io_nth(w, disk, IO_DONE, k);
}

static bool end_allows(const struct world *w, actor_id who, uint64_t way)
{
    return way < w->count[SEC_IOS] && io_disk(w, (io_id)way) == actor_see(w, who)->index &&
           io_see(w, way)->state == IO_DONE;
}

/* md-6.1: reads and writes, reads' pages valid from now on; the release may be the last. A batch's
 * member has no flags of its own, and its head has been waiting for this I/O too. */
static void end_slot_later(struct world *w, unsigned disk, stripe_id s, bool write,
                           struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    struct slot *slot = slot_at(w, s, disk);

    work(e, write ? WORK_END_WRITE : WORK_END_READ, 1);
    effect(e, EFFECT_TOUCH, write ? WORK_END_WRITE : WORK_END_READ, s, 1);
    x->state |= STRIPE_HANDLE;
    if (x->batch_head != NONE16 && x->batch_head != s) {
        queue_release(w, x->batch_head, e);
    } else {
        ASSERT(slot->flags & SLOT_LOCKED); /* I8 */
        slot->flags = (slot->flags | (write ? 0 : SLOT_UPTODATE)) & ~(uint32_t)SLOT_LOCKED;
    }
    queue_release(w, s, e);
}

static void end_slot(struct world *w, unsigned disk, stripe_id s, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);

    ASSERT(slot->flags & SLOT_LOCKED); /* I8 */
    work(e, WORK_END_READ, 1);
    effect(e, EFFECT_TOUCH, WORK_END_READ, s, 1);
    slot->flags = (slot->flags | SLOT_UPTODATE) & ~(uint32_t)SLOT_LOCKED;
    stripe_at(w, s)->state |= STRIPE_HANDLE;
    cache_release(w, s, e);
}

static void end_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    io_id io = (io_id)way;
    uint32_t place = io_place(w, io);
    bool write;

    work(e, WORK_MEMBER_END, 1);
    work(e, WORK_DMA_PAGE, (io_see(w, io)->sectors + PAGE_SECTORS - 1) / PAGE_SECTORS);
    write = io_see(w, io)->kind == IO_WRITE;
    io_retire(w, io);
    if (place < w->shape.stripes && w->shape.generation == GENERATION_61)
        end_slot_later(w, actor_see(w, who)->index, (stripe_id)place, write, e);
    else if (place < w->shape.stripes)
        end_slot(w, actor_see(w, who)->index, (stripe_id)place, e);
    else {
        mark(e, MARK_BYPASS_END);
        bio_drop(w, place - w->shape.stripes, e);
    }
}

static const struct step completion_steps[] = {
    { "completion.end", "raid5_end_read_request, bio_endio", end_ways, end_name, end_allows,
      end_fire, .lock = LOCK_DEVICE, .books = WORK_END_READ, .hashed = 1 },
};
const struct actor_kind completion_kind = { "completion", VENUE_IRQ, completion_steps, 1 };
