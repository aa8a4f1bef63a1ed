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
#include "model/bitmap.h"
#include "model/cache.h"
#include "model/defer.h"
#include "model/io.h"
#include "model/log.h"
#include "model/machine.h"
#include "model/mutations.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/retry.h"
#include "model/stripe.h"
#include "model/superblock.h"
#include "model/waits.h"
#include "model/workers.h"

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

static uint32_t awake(const struct world *w, actor_id who)
{
    return !actor_see(w, who)->asleep;
}

static void wake_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    mark(e, MARK_ROUND);
    if (w->shape.generation == GENERATION_61)
        work(e, WORK_PICK, 1); /* md_thread and raid5d around the loop cost as much as a turn */
    array_at(w, 0)->raid5d_wanted = 0;
    if (w->shape.generation == GENERATION_2615)
        actor_at(w, who)->pc = RAID5D_PICK;
    else
        actor_at(w, who)->pc = superblock_due(w) ? RAID5D_CHECK : RAID5D_LOOP;
}

static void pick_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    const struct array *array = array_see(w, 0);

    (void)way;
    work(e, WORK_PICK, 1);
    if (array->list[LIST_HANDLE].head == NONE16 && !array->plugged)
        cache_activate_delayed(w, e);
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

/* md-6.1: while a superblock write is pending raid5d runs again at once if it is to do it. */
static uint8_t after_loop(const struct world *w)
{
    return (array_see(w, 0)->sb_flags & SB_PENDING) && superblock_due(w) ? RAID5D_CHECK
                                                                         : RAID5D_SLEEP;
}

static void leave_loop(struct world *w, struct actor *a, struct effects *e)
{
    if (cache_grow(w, e))
        return; /* once more round: it has been released */
    a->pc = defer_any(w) ? RAID5D_FLUSH : after_loop(w);
}

/* md-6.1: file what was released, let delayed stripes go, pick up to a batch, handle it without a
 * lock, release it. */
static void loop_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    unsigned released;

    (void)way;
    if (MUTATED(w, B49) && (array_see(w, 0)->sb_flags & SB_PENDING)) {
        waits_sleep(w, who, WAIT_SUPERBLOCK);
        return;
    }
    if (MUTATED(w, B49))
        waits_leave(w, who);
    if ((array_see(w, 0)->sb_flags & SB_PENDING) && !w->shape.no_superblock_gate) {
        leave_loop(w, a, e);
        return;
    }
    released = queue_drain(w, e);
    if (array_see(w, 0)->list[LIST_BITMAP].head != NONE16) {
        array_at(w, 0)->seq_flush++;
        a->pc = RAID5D_BITMAP;
        return;
    }
    work(e, WORK_PICK, 1);
    mark(e, MARK_LOOP);
    cache_activate_delayed(w, e);
    if (retry_possible(w) && retry_read(w, who, e))
        return;
    if (queue_pick(w, workers_handler(w, who)))
        a->pc = RAID5D_WORK;
    else if (!released) {
        log_submit(w, who, e);
        leave_loop(w, a, e);
    }
}

/* Pages with bits that stripes wait for; once they are on disk the stripes may go. */
static void bitmap_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    if (bitmap_write_page(w, who, BITMAP_PAGE_DIRTY | BITMAP_PAGE_NEEDWRITE, false, e))
        return;
    bitmap_activate(w, e);
    actor_at(w, who)->pc = RAID5D_LOOP;
}

/* Pages the daemon has changed. */
static void daemon_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    if (!bitmap_write_page(w, who, BITMAP_PAGE_NEEDWRITE, true, e))
        actor_at(w, who)->pc = RAID5D_CHECK;
}

static void work_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    if (!workers_handle(w, who, e))
        actor_at(w, who)->pc = RAID5D_DONE;
}

static void done_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    workers_let_go(w, who, e);
    actor_at(w, who)->pc =
        array_see(w, 0)->sb_flags & (SB_DEVS | SB_CLEAN) ? RAID5D_CHECK : RAID5D_LOOP;
}

static void flush_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    defer_flush(w, who, e);
    actor_at(w, who)->pc = after_loop(w);
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
    [RAID5D_LOOP] = { "raid5d.loop", "raid5d, handle_active_stripes", awake, NULL, NULL, loop_fire,
                      .lock = LOCK_DEVICE, .books = WORK_PICK },
    [RAID5D_WORK] = { "raid5d.work", "handle_stripe, operations", always, NULL, NULL, work_fire,
                      .lock = LOCK_NONE },
    [RAID5D_DONE] = { "raid5d.done", "__release_stripe, a batch", always, NULL, NULL, done_fire,
                      .lock = LOCK_DEVICE, .books = WORK_RELEASE },
    [RAID5D_FLUSH] = { "raid5d.flush", "flush_deferred_bios", always, NULL, NULL, flush_fire,
                       .lock = LOCK_NONE },
    [RAID5D_RETRY] = { "raid5d.retry", "retry_aligned_read", always, NULL, NULL, retry_fire,
                       .lock = LOCK_NONE },
    [RAID5D_CHECK] = { "raid5d.check", "md_check_recovery", always, NULL, NULL, superblock_check,
                       .lock = LOCK_NONE },
    [RAID5D_SUPERBLOCK] = { "raid5d.superblock", "md_update_sb", superblock_is_down, NULL, NULL,
                            superblock_written, .lock = LOCK_NONE },
    [RAID5D_GRACE] = { "raid5d.grace", "remove_and_add_spares, synchronize_rcu", always, NULL, NULL,
                       superblock_grace, .lock = LOCK_NONE, .sleeps = 1 },
    [RAID5D_BITMAP] = { "raid5d.bitmap", "md_bitmap_unplug", superblock_is_down, NULL, NULL,
                        bitmap_fire, .lock = LOCK_DEVICE, .books = WORK_PICK },
    [RAID5D_DAEMON] = { "raid5d.daemon", "md_bitmap_daemon_work", superblock_is_down, NULL, NULL,
                        daemon_fire, .lock = LOCK_NONE },
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
static void end_slot_later(struct world *w, unsigned disk, stripe_id s, bool write, bool failed,
                           struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    struct slot *slot = slot_at(w, s, disk_see(w, disk)->slot);

    work(e, write ? WORK_END_WRITE : WORK_END_READ, 1);
    effect(e, EFFECT_TOUCH, write ? WORK_END_WRITE : WORK_END_READ, s, 1);
    x->state |= STRIPE_HANDLE;
    if (write)
        trouble_write_ended(w, s, disk, failed, e);
    else if (failed)
        trouble_read_failed(w, s, disk, e);
    else
        trouble_read_ended(w, s, disk, e);
    if (x->batch_head != NONE16 && x->batch_head != s) {
        queue_release(w, x->batch_head, e);
    } else {
        ASSERT(slot->flags & SLOT_LOCKED); /* I8 */
        slot->flags &= ~(uint32_t)SLOT_LOCKED;
    }
    queue_release(w, s, e);
}

/* md-2.6.15: a page written to has been up to date all the time. */
static void end_slot(struct world *w, unsigned disk, stripe_id s, bool write, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk_see(w, disk)->slot);

    ASSERT(slot->flags & SLOT_LOCKED); /* I8 */
    work(e, write ? WORK_END_WRITE : WORK_END_READ, 1);
    effect(e, EFFECT_TOUCH, write ? WORK_END_WRITE : WORK_END_READ, s, 1);
    slot->flags = (slot->flags | (write ? 0 : SLOT_UPTODATE)) & ~(uint32_t)SLOT_LOCKED;
    stripe_at(w, s)->state |= STRIPE_HANDLE;
    cache_release(w, s, e);
}

/* A faulty member that nobody uses any more may leave. */
static void notice_idle(struct world *w, unsigned disk, struct effects *e)
{
    const struct disk *d = disk_see(w, disk);

    if (!(d->flags & MEMBER_FAULTY) || d->queued + d->done + d->held)
        return;
    array_at(w, 0)->recovery |= RECOVERY_NEEDED;
    cache_wake_raid5d(w, e);
}

static void end_direct(struct world *w, bio_id b, bool failed, struct effects *e)
{
    bool flush = request_see(w, bio_request(w, b))->flags & REQUEST_FLUSH;

    if (!flush)
        mark(e, MARK_BYPASS_END);
    if (failed && !flush && w->shape.generation == GENERATION_61) {
        retry_add(w, b, e);
        return;
    }
    if (failed)
        request_at(w, bio_request(w, b))->failed = 1;
    bio_drop(w, b, e);
}

static void end_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    io_id io = (io_id)way;
    unsigned disk = actor_see(w, who)->index;
    const struct io ended = *io_see(w, io);
    uint32_t place = io_place(w, io);
    bool write = ended.kind == IO_WRITE;

    work(e, WORK_MEMBER_END, 1);
    work(e, WORK_DMA_PAGE, (ended.sectors + PAGE_SECTORS - 1) / PAGE_SECTORS);
    io_retire(w, io);
    if (ended.reason == REASON_PPL || ended.reason == REASON_JOURNAL)
        log_ended(w, io, &ended, e);
    else if (ended.flags & IO_META)
        superblock_ended(w, disk, ended.failed, e);
    else if (place < w->shape.stripes && w->shape.generation == GENERATION_61)
        end_slot_later(w, disk, (stripe_id)place, write, ended.failed, e);
    else if (place < w->shape.stripes)
        end_slot(w, disk, (stripe_id)place, write, e);
    else
        end_direct(w, place - w->shape.stripes, ended.failed, e);
    notice_idle(w, disk, e);
}

static const struct step completion_steps[] = {
    { "completion.end", "raid5_end_read_request, bio_endio", end_ways, end_name, end_allows,
      end_fire, .lock = LOCK_DEVICE, .books = WORK_END_READ, .hashed = HASHED_FREE },
};
const struct actor_kind completion_kind = { "completion", VENUE_IRQ, completion_steps, 1 };
