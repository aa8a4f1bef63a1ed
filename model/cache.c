/*
 * The stripe cache of md-2.6.15 (spec 3.1-3.8).
 *
 *  - Bucket of a sector: (sector / 8) and (buckets - 1); new stripes go to the front of the chain;
 * idle stripes stay hashed.
 *  - One inactive list, filled at the tail, emptied at the head: least recently used first.
 *  - Once a lookup finds nothing idle it sets inactive_blocked: every miss then sleeps, until
 * something is idle *and* less than three quarters are active or somebody has cleared the flag. The
 * first waiter that passes clears it for all.
 *  - Filing an idle stripe wakes the waiters only if nobody is blocked or the three-quarter mark is
 * passed, and then all of them.
 *
 * Kernel: raid5.c get_active_stripe, init_stripe, __release_stripe, raid5_activate_delayed,
 * raid5_unplug_device (2.6.15).
 */
#include "model/cache.h"

#include "model/array.h"
#include "model/mutations.h"
#include "model/queue.h"
#include "model/waits.h"
#include "model/workers.h"

void cache_unlink(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);
    struct array *a = array_at(w, 0);
    unsigned l = x->list;

    ASSERT(l != LIST_NONE);
    if (x->lru_prev == NONE16)
        a->list[l].head = x->lru_next;
    else
        stripe_at(w, x->lru_prev)->lru_next = x->lru_next;
    if (x->lru_next == NONE16)
        a->list[l].tail = x->lru_prev;
    else
        stripe_at(w, x->lru_next)->lru_prev = x->lru_prev;
    x->lru_next = x->lru_prev = NONE16;
    x->list = LIST_NONE;
    a->to_handle -= l == LIST_HANDLE;
}

void cache_append(struct world *w, unsigned l, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);
    struct array *a = array_at(w, 0);

    ASSERT(x->list == LIST_NONE); /* I1 */
    x->list = (uint8_t)l;
    x->lru_next = NONE16;
    x->lru_prev = a->list[l].tail;
    if (x->lru_prev == NONE16)
        a->list[l].head = s;
    else
        stripe_at(w, x->lru_prev)->lru_next = s;
    a->list[l].tail = s;
    a->to_handle += l == LIST_HANDLE;
}

unsigned cache_class(const struct world *w, uint64_t sector)
{
    return (unsigned)(sector / PAGE_SECTORS) & (w->shape.hash_classes - 1u);
}

static stripe_id *bucket_of(struct world *w, uint64_t sector)
{
    return bucket_at(w, sector / PAGE_SECTORS & (w->shape.hash_buckets - 1));
}

static stripe_id *index_of(struct world *w, uint64_t sector)
{
    return index_at(w, sector / PAGE_SECTORS & (w->count[SEC_INDEX] - 1));
}

static void unindex(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);

    if (x->index_prev == NONE16)
        *index_of(w, x->sector) = x->index_next;
    else
        stripe_at(w, x->index_prev)->index_next = x->index_next;
    if (x->index_next != NONE16)
        stripe_at(w, x->index_next)->index_prev = x->index_prev;
    --*length_at(w, x->sector / PAGE_SECTORS & (w->shape.hash_buckets - 1));
}

static void put_into_index(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);
    stripe_id *b = index_of(w, x->sector);

    x->index_prev = NONE16;
    x->index_next = *b;
    if (*b != NONE16)
        stripe_at(w, *b)->index_prev = s;
    *b = s;
    ++*length_at(w, x->sector / PAGE_SECTORS & (w->shape.hash_buckets - 1));
}

static void unhash(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);

    if (!(x->state & STRIPE_HASHED))
        return;
    unindex(w, s);
    if (x->hash_prev == NONE16)
        *bucket_of(w, x->sector) = x->hash_next;
    else
        stripe_at(w, x->hash_prev)->hash_next = x->hash_next;
    if (x->hash_next != NONE16)
        stripe_at(w, x->hash_next)->hash_prev = x->hash_prev;
}

static void hash(struct world *w, stripe_id s)
{
    struct stripe *x = stripe_at(w, s);
    stripe_id *b = bucket_of(w, x->sector);

    x->hash_prev = NONE16;
    x->hash_next = *b;
    if (*b != NONE16)
        stripe_at(w, *b)->hash_prev = s;
    *b = s;
    x->state |= STRIPE_HASHED;
    put_into_index(w, s);
}

void cache_start(struct world *w)
{
    struct array *a = array_at(w, 0);

    a->released = a->last_hold = a->deferred_at = NONE16;
    for (unsigned l = 0; l < LIST_COUNT; l++)
        a->list[l].head = a->list[l].tail = NONE16;
    for (uint32_t b = 0; b < w->shape.hash_buckets; b++)
        *bucket_at(w, b) = NONE16;
    for (uint32_t b = 0; b < w->count[SEC_INDEX]; b++)
        *index_at(w, b) = NONE16;
    a->max_stripes = w->shape.stripes - w->shape.reserve;
    for (uint32_t s = 0; s < w->shape.stripes; s++) {
        struct stripe *x = stripe_at(w, s);

        x->lru_next = x->lru_prev = x->hash_next = x->hash_prev = NONE16;
        x->index_next = x->index_prev = NONE16;
        x->release_next = x->batch_head = x->batch_next = NONE16;
        x->klass = (uint8_t)(s % w->shape.hash_classes);
        for (unsigned d = 0; d < w->shape.geometry.disks; d++) {
            struct slot *slot = slot_at(w, (stripe_id)s, d);

            slot->toread = slot->towrite = slot->written = NONE32;
        }
        if (s < a->max_stripes)
            cache_append(w, LIST_INACTIVE + x->klass, (stripe_id)s);
    }
}

/* The stripe of that sector by way of the index; NONE16: it is not in the cache. */
stripe_id cache_find(const struct world *w, uint64_t sector)
{
    stripe_id s = *index_see(w, sector / PAGE_SECTORS & (w->count[SEC_INDEX] - 1));

    while (s != NONE16 && stripe_see(w, s)->sector != sector)
        s = stripe_see(w, s)->index_next;
    return s;
}

static stripe_id find(const struct world *w, uint64_t sector, struct effects *e)
{
    stripe_id found = cache_find(w, sector);
    uint64_t bucket = sector / PAGE_SECTORS & (w->shape.hash_buckets - 1);
    uint32_t strangers = 0;

    if (found == NONE16) {
        strangers = *length_see(w, bucket);
    } else { /* the one that was found may still be warm; the others are strangers */
        for (stripe_id s = stripe_see(w, found)->hash_prev; s != NONE16; strangers++)
            s = stripe_see(w, s)->hash_prev;
        effect(e, EFFECT_TOUCH, WORK_CHAIN, found, 1);
        work(e, WORK_FOUND, 1);
    }
    if (strangers)
        work(e, WORK_CHAIN, strangers);
    return found;
}

/* Recycles an idle stripe_head for another sector (spec 3.7): all its contents are forgotten. */
static void init_stripe(struct world *w, stripe_id s, uint64_t sector, unsigned parity,
                        struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    unsigned disks = w->shape.geometry.disks;
    bool later = w->shape.generation == GENERATION_61;

    ASSERT(x->count == 0 && !(x->state & STRIPE_HANDLE)); /* I2, I11 */
    unhash(w, s);
    x->sector = sector;
    x->state = 0;
    x->parity = (uint8_t)parity;
    x->bm_seq = 0;
    x->reconstruct = RECONSTRUCT_IDLE;
    x->check = CHECK_IDLE;
    x->overwrites = 0;
    if (later)
        x->state = STRIPE_BATCH_READY;
    for (unsigned d = 0; d < disks; d++) {
        struct slot *slot = slot_at(w, s, d);
        tag *page = tags_at(w, (uint64_t)slot_page(w, s, d) * w->shape.tags_per_page);

        ASSERT(slot->toread == NONE32 && slot->towrite == NONE32 && slot->written == NONE32);
        ASSERT(!(slot->flags & SLOT_LOCKED));
        slot->flags = 0;
        for (unsigned g = 0; g < w->shape.tags_per_page; g++)
            page[g] = 0;
    }
    hash(w, s);
    work(e, WORK_INIT, 1);
    /* Every slot but parity: inverse map, and a forward map as its self-check. 6.1 asks for parity,
     * too, in vain, and maps once more to know where that is. */
    work(e, WORK_UNMAP, disks - !later);
    work(e, WORK_MAP, disks - !later);
    effect(e, EFFECT_TOUCH, WORK_INIT, s, EFFECT_TOUCH_FILL);
}

/* An idle stripe_head for a miss; NONE16: the caller must sleep. A miss that finds none sets the
 * flag and waits *until* the condition holds, which it may do already. */
static stripe_id take_idle(struct world *w, uint64_t sector)
{
    struct array *a = array_at(w, 0);
    unsigned l = LIST_INACTIVE + cache_class(w, sector);

    if (a->list[l].head == NONE16 && !a->inactive_blocked && !(a->cache_state & CACHE_DID_ALLOC))
        a->cache_state |= CACHE_ALLOC_MORE;
    if (a->inactive_blocked || a->list[l].head == NONE16) {
        a->inactive_blocked = 1;
        if (!cache_may_retry(w, sector))
            return NONE16;
    }
    return a->list[l].head;
}

/* A stripe in the cache gets one more reference. was_idle: nobody had one. */
static void take(struct world *w, stripe_id s, bool was_idle)
{
    struct stripe *x = stripe_at(w, s);

    if (was_idle) {
        if (!(x->state & STRIPE_HANDLE))
            array_at(w, 0)->active++;
        cache_unlink(w, s);
    }
    x->count++;
}

/* What was seen of the stripe's count before the lock was taken. */
enum { GLANCE_NONE, GLANCE_HELD, GLANCE_IDLE };
enum { NR_STRIPES = 256 }; /* B01: the size compiled in */

bool cache_glance(const struct world *w, actor_id who, uint64_t sector, uint8_t *glance)
{
    stripe_id s = cache_find(w, sector);

    if (!MUTATED(w, B05) || s == NONE16 || actor_see(w, who)->spare != GLANCE_NONE)
        return false;
    *glance = stripe_see(w, s)->count ? GLANCE_HELD : GLANCE_IDLE;
    return true;
}

enum lookup cache_lookup(struct world *w, uint64_t sector, unsigned parity, stripe_id *s,
                         struct effects *e)
{
    return cache_lookup_glanced(w, sector, parity, GLANCE_NONE, s, e);
}

enum lookup cache_lookup_glanced(struct world *w, uint64_t sector, unsigned parity, uint8_t glance,
                                 stripe_id *s, struct effects *e)
{
    struct array *a = array_at(w, 0);

    work(e, WORK_LOOKUP, 1);
    *s = find(w, sector, e);
    if (*s == NONE16) {
        *s = take_idle(w, sector);
        if (*s == NONE16) {
            mark(e, MARK_BLOCKED);
            return LOOKUP_BLOCKED;
        }
        mark(e, MARK_MISS);
        cache_unlink(w, *s);
        a->active++;
        stripe_expect(w, a->list[LIST_INACTIVE + cache_class(w, sector)].head);
        init_stripe(w, *s, sector, parity, e);
        stripe_at(w, *s)->count = 1;
        return LOOKUP_MISS;
    }
    mark(e, MARK_HIT);
    take(w, *s, glance == GLANCE_NONE ? stripe_see(w, *s)->count == 0 : glance == GLANCE_IDLE);
    return LOOKUP_HIT;
}

static bool below_limit(const struct world *w)
{
    uint32_t size = MUTATED(w, B01) ? NR_STRIPES : array_see(w, 0)->max_stripes;

    return array_see(w, 0)->active < size * w->shape.active_limit / 100;
}

bool cache_may_retry(struct world *w, uint64_t sector)
{
    struct array *a = array_at(w, 0);

    if (a->list[LIST_INACTIVE + cache_class(w, sector)].head == NONE16 ||
        (a->inactive_blocked && !below_limit(w)))
        return false;
    a->inactive_blocked = 0;
    return true;
}

void cache_wake_raid5d(struct world *w, struct effects *e)
{
    actor_id raid5d = actor_raid5d(&w->shape);
    struct array *a = array_at(w, 0);
    bool asleep = actor_see(w, raid5d)->pc == RAID5D_SLEEP && !a->raid5d_wanted;

    a->raid5d_wanted = 1;
    mark(e, MARK_POKED);
    if (asleep)
        effect(e, EFFECT_WAKE, 0, raid5d, 0);
    work(e, asleep ? WORK_WAKE : WORK_POKE, 1);
}

static bool waits_for_its_bit(const struct world *w, const struct stripe *x)
{
    uint16_t written = array_see(w, 0)->seq_write;

    return w->shape.generation == GENERATION_61 && !MUTATED(w, B02)
               ? (int16_t)(x->bm_seq - written) > 0
               : x->bm_seq == written;
}

static void file_for_handling(struct world *w, stripe_id s, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);

    bool later = w->shape.generation == GENERATION_61;

    if ((x->state & STRIPE_DELAYED) && !(later && (x->state & STRIPE_PREREAD_ACTIVE)))
        cache_append(w, LIST_DELAYED, s);
    else if ((x->state & STRIPE_BIT_DELAY) && waits_for_its_bit(w, x))
        cache_append(w, LIST_BITMAP, s);
    else {
        x->state &= (uint16_t) ~(STRIPE_BIT_DELAY | (later ? STRIPE_DELAYED : 0));
        cache_append(w, LIST_HANDLE, s);
        if (w->shape.workers) {
            workers_wake(w, e);
            return;
        }
    }
    cache_wake_raid5d(w, e);
}

static void file_idle(struct world *w, stripe_id s, struct effects *e)
{
    struct array *a = array_at(w, 0);
    struct stripe *x = stripe_at(w, s);

    if (x->state & STRIPE_PREREAD_ACTIVE) {
        x->state &= (uint16_t)~STRIPE_PREREAD_ACTIVE;
        if (--a->preread_active < w->shape.io_threshold)
            cache_wake_raid5d(w, e);
    }
    cache_append(w, LIST_INACTIVE + x->klass, s);
    a->active--;
    if (a->quiesce && !a->active)
        waits_wake_all(w, WAIT_RECOVERY, e);
    if (a->retry_bio != NONE32)
        cache_wake_raid5d(w, e); /* a read waits for a stripe to be retried */
    switch (MUTATED(w, B07) ? WAKE_CLASS : (enum wake_policy)w->shape.wake_policy) {
    case WAKE_CLASS:
        waits_wake_slot(w, WAIT_STRIPE, x->klass, e);
        break;
    case WAKE_GATED:
        if (!a->inactive_blocked || below_limit(w))
            waits_wake_all(w, WAIT_STRIPE, e);
        break;
    case WAKE_ALL:
        waits_wake_all(w, WAIT_STRIPE, e);
        break;
    default:
        waits_wake_one(w, WAIT_STRIPE, e);
        break;
    }
}

void cache_release(struct world *w, stripe_id s, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);

    ASSERT(x->count); /* I3 */
    work(e, WORK_RELEASE, 1);
    if (--x->count)
        return;
    mark(e, MARK_FILED);
    if (x->state & STRIPE_HANDLE)
        file_for_handling(w, s, e);
    else
        file_idle(w, s, e);
}

stripe_id cache_pick(struct world *w)
{
    stripe_id s = array_see(w, 0)->list[LIST_HANDLE].head;

    if (s == NONE16)
        return s;
    cache_unlink(w, s);
    stripe_expect(w, array_see(w, 0)->list[LIST_HANDLE].head);
    ASSERT(stripe_see(w, s)->count == 0);
    stripe_at(w, s)->count = 1;
    return s;
}

void cache_activate_delayed(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);
    bool later = w->shape.generation == GENERATION_61;
    stripe_id s;

    if (a->preread_active >= w->shape.io_threshold)
        return;
    while ((s = a->list[LIST_DELAYED].head) != NONE16) {
        struct stripe *x = stripe_at(w, s);

        cache_unlink(w, s);
        x->state &= (uint16_t)~STRIPE_DELAYED;
        if (!(x->state & STRIPE_PREREAD_ACTIVE)) {
            x->state |= STRIPE_PREREAD_ACTIVE;
            a->preread_active++;
        }
        cache_append(w, later ? LIST_HOLD : LIST_HANDLE, s);
        if (w->shape.workers)
            workers_wake(w, e);
    }
}

void cache_unplug(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);

    work(e, WORK_PLUG, 1);
    if (a->plugged) {
        a->plugged = 0;
        a->seq_flush++;
        cache_activate_delayed(w, e);
        mark(e, MARK_UNPLUGGED);
    }
    cache_wake_raid5d(w, e);
    work(e, WORK_UNPLUG_DISK, w->shape.geometry.disks);
    effect(e, EFFECT_UNPLUG, 0, NONE16, 0);
}

bool cache_grow(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);
    stripe_id s = (stripe_id)a->max_stripes;

    if (!(a->cache_state & CACHE_ALLOC_MORE))
        return false;
    a->cache_state = CACHE_DID_ALLOC;
    if (a->max_stripes == w->shape.stripes)
        return false;
    mark(e, MARK_GROWN);
    work(e, WORK_INIT, 1);
    a->max_stripes++;
    a->active++;
    stripe_at(w, s)->count = 1;
    queue_release(w, s, e);
    return true;
}
