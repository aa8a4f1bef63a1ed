/*
 * The anticipatory scheduler: after a thread's read, keep the disk idle for a moment when the
 * thread is likely to ask for the next block at once, rather than seek away and back.
 *
 *   OFF        dispatching. A reason to wait, seen by a dispatch, leads to
 *   WAIT_END   while the read awaited is still on the device, and when that ends, or at once, to
 *   WAIT_NEXT  until `antic` jiffies after its end. A good request or that time leads to
 *   DONE       the next request may go, and with it the state is OFF again.
 *
 * There is reason to wait, in a batch of reads, while the last request dispatched was a read of a
 * thread that has no request of either direction waiting on any queue, whose mean think time (of
 * a newcomer: the queue's) is no more than `antic`, and nothing good has come: a request of that
 * thread, or a read that is near the head, or nearer than the thread's own mean seek. Near grows
 * with the time waited: 8192 sectors, doubled each millisecond, half of that backwards. A read
 * whose fifo deadline has passed goes before any waiting is begun, but does not end one.
 *
 * Requests on a device do not count as the thread's pending work: 2.6.15 takes them off its count
 * when the driver starts them. That is what makes WAIT_END happen at all.
 *
 * Batches: reads for read_batch, writes for write_batch or write_batch_count requests, in turn
 * while both wait. The old direction drains from the device before the new one starts; the time of
 * a read batch starts with its first completion; the count of a write batch is learned from how
 * long the disk took over it. Within a batch requests go in the order of elevator_sweep.c. Time is
 * over when a later jiffy runs; a fifo is looked at once an expiry only, lest a backlog of expired
 * requests turn into a storm of seeks.
 *
 * One thing is not as in 2.6.15: there a write batch that had to wait for reads on the device began
 * with the expiry of the old read batch, and so ended at its start. Later kernels repaired it, and
 * so does this. Left out: exiting threads; the leave of an awaited thread to exceed nr_requests;
 * two requests at one sector (there the older goes at once, here they queue).
 *
 * Kernel: as-iosched.c (2.6.15)
 */
#include "disks/elevator_internal.h"

enum { NEAR_SECTORS = 8192, NEAR_GROWS_MS = 20 }; /* sectors; ms of waiting */

void anticipatory_start(struct elevator *e)
{
    struct anticipation *a = &e->a;

    a->thread = NONE16;
    a->batch_expires = e->batch[READS];
    a->write_batch_count = e->batch[WRITES] >= 20 ? (uint32_t)(e->batch[WRITES] / 10) : 2;
}

static bool is_waiting(const struct anticipation *a)
{
    return a->status == ANTIC_WAIT_END || a->status == ANTIC_WAIT_NEXT;
}

static void anticipatory_stop(struct elevator *e)
{
    if (is_waiting(&e->a))
        e->a.status = ANTIC_DONE;
}

uint64_t anticipatory_timer(const struct elevator *e)
{
    if (e->a.status != ANTIC_WAIT_NEXT)
        return UINT64_MAX;
    return jiffy_start(e, e->a.antic_start + e->antic);
}

void anticipatory_tick(struct elevator *e, uint64_t now)
{
    if (e->a.status == ANTIC_WAIT_NEXT && now >= anticipatory_timer(e))
        anticipatory_stop(e);
}

void anticipatory_forget(struct elevator *e, uint32_t r)
{
    int dir = request_direction(request_at(e, r));

    if (e->next[dir] == r)
        e->next[dir] = sweep_after(e, r);
}

/* Waiting and its end. */

/* Is this read so near that it is as good as one of the thread we wait for? */
static bool is_near(const struct elevator *e, const struct issuer *t, uint64_t sector,
                    uint64_t jiffy)
{
    const struct anticipation *a = &e->a;
    uint64_t last = a->last_sector[a->dir], ms = 0;

    if (a->status != ANTIC_OFF && a->thread_finished)
        ms = (jiffy - a->antic_start) * 1000 / e->hz;
    /* Milliseconds against jiffies: so it is there. */
    if (ms > NEAR_GROWS_MS || (ms > 0 && ms > e->antic))
        return true;
    uint64_t near = (uint64_t)NEAR_SECTORS << ms;
    if (last <= sector + near / 2 && sector <= last + near)
        return true;
    uint64_t distance = last < sector ? sector - last : last - sector;
    return distance < (t->seek_samples ? t->seek_mean : a->new_seek_mean);
}

/* Is there no point in waiting (any longer) for the thread, given that r may go or has come?
 * Precondition: there is such a thread. A near read of another thread enters the history of this
 * one: they work together. */
static bool breaks_anticipation(struct elevator *e, struct issuer *issuers, uint32_t r,
                                uint64_t now)
{
    struct anticipation *a = &e->a;
    struct issuer *t = &issuers[a->thread];
    const struct elevator_request *q = r == NONE32 ? NULL : request_at(e, r);
    uint64_t jiffy = jiffy_at(e, now);

    if (q && q->issuer == a->thread)
        return true;
    if (a->thread_finished && jiffy - a->antic_start >= e->antic)
        return true;
    if (t->queued > 0)
        return true;
    if (q && q->kind == COMMAND_READ && is_near(e, t, q->sector, jiffy)) {
        history_add(e, t, now, q->sector, q->sectors);
        return true;
    }
    return (t->think_samples ? t->think_mean : a->new_think_mean) > e->antic;
}

/* True: wait, r is not good enough. */
static bool begins_to_wait(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now)
{
    struct anticipation *a = &e->a;

    ASSERT(!is_waiting(a));
    if (a->thread == NONE16 || a->status == ANTIC_DONE)
        return false;
    if (breaks_anticipation(e, issuers, r, now))
        return false;
    a->status = a->thread_finished ? ANTIC_WAIT_NEXT : ANTIC_WAIT_END;
    return true;
}

/* The life of a request. */

/* r is new, whether or not a flush holds it. */
void anticipatory_announce(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now)
{
    const struct elevator_request *q = request_at(e, r);

    if (q->issuer == NONE16)
        return;
    struct issuer *t = &issuers[q->issuer];
    if (q->kind == COMMAND_READ)
        history_add(e, t, now, q->sector, q->sectors);
    t->queued++;
}

void anticipatory_arrived(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now)
{
    int dir = request_direction(request_at(e, r));

    e->next[dir] = sweep_choose(e, dir, r, e->next[dir]);
    if (is_waiting(&e->a) && breaks_anticipation(e, issuers, r, now))
        anticipatory_stop(e);
}

/* r was joined to another. */
void anticipatory_absorb(struct elevator *e, struct issuer *issuers, uint32_t r)
{
    uint16_t issuer = request_at(e, r)->issuer;

    if (issuer == NONE16)
        return;
    ASSERT(issuers[issuer].queued > 0);
    issuers[issuer].queued--;
}

/* r goes to the device. It is still in the index. */
static uint32_t anticipatory_take(struct elevator *e, struct issuer *issuers, uint32_t r)
{
    struct anticipation *a = &e->a;
    const struct elevator_request *q = request_at(e, r);
    int dir = request_direction(q);

    a->status = ANTIC_OFF;
    a->last_sector[dir] = q->sector + q->sectors;
    a->thread = dir == READS ? q->issuer : NONE16;
    a->thread_finished = 0;
    if (dir == WRITES && a->writes_left > 0)
        a->writes_left--;
    e->next[dir] = sweep_after(e, r);
    a->dispatched++;
    if (q->issuer != NONE16) {
        ASSERT(issuers[q->issuer].queued > 0);
        issuers[q->issuer].queued--;
        issuers[q->issuer].dispatched++;
    }
    return r;
}

/* How long the last write batch really took decides how many writes the next one may have. */
static void learn_write_batch(struct elevator *e, uint64_t jiffy)
{
    struct anticipation *a = &e->a;
    uint64_t batch = e->batch[WRITES], sum = jiffy + batch;
    uint64_t took = sum > a->batch_expires ? sum - a->batch_expires : 0;

    if (took > batch && !a->writes_idled)
        a->write_batch_count =
            took > batch * 3 ? a->write_batch_count / 2 : a->write_batch_count - 1;
    else if (took < batch && a->writes_left == 0 && a->write_batch_count < UINT32_MAX / 2)
        a->write_batch_count =
            batch > took * 3 ? a->write_batch_count * 2 : a->write_batch_count + 1;
    if (a->write_batch_count < 1)
        a->write_batch_count = 1;
}

void anticipatory_ended(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now)
{
    struct anticipation *a = &e->a;
    const struct elevator_request *q = request_at(e, r);
    int dir = request_direction(q);
    uint64_t jiffy = jiffy_at(e, now);

    ASSERT(a->dispatched > 0);
    a->dispatched--;
    if (a->changing && a->dispatched == 0) {
        a->changing = 0;
        a->new_batch = a->dir == READS;
        if (a->dir == WRITES)
            a->batch_expires = jiffy + e->batch[WRITES];
    }
    if (a->new_batch && a->dir == dir) {
        learn_write_batch(e, jiffy);
        a->batch_expires = jiffy + e->batch[READS];
        a->new_batch = 0;
    }
    if (q->issuer == NONE16)
        return;
    if (q->issuer == a->thread) {
        a->antic_start = jiffy;
        a->thread_finished = 1;
        if (a->status == ANTIC_WAIT_END)
            a->status = ANTIC_WAIT_NEXT;
    }
    ASSERT(issuers[q->issuer].dispatched > 0);
    issuers[q->issuer].dispatched--;
    if (dir == READS)
        issuers[q->issuer].last_end_ns = now;
}

/* Batches. */

static bool fifo_has_expired(struct elevator *e, int dir, uint64_t jiffy)
{
    if (jiffy - e->a.fifo_checked[dir] < e->expire[dir])
        return false;
    e->a.fifo_checked[dir] = jiffy;
    return e->fifo[dir].head != NONE32 && jiffy > request_at(e, e->fifo[dir].head)->expires;
}

static bool batch_is_over(const struct anticipation *a, uint64_t jiffy)
{
    if (a->changing || a->new_batch)
        return false;
    return jiffy > a->batch_expires || (a->dir == WRITES && a->writes_left == 0);
}

/* The next request of the running batch; NONE32 and *wait: none yet; NONE32 alone: the batch has
 * none. */
static uint32_t batch_go_on(struct elevator *e, struct issuer *issuers, uint64_t now, bool *wait)
{
    struct anticipation *a = &e->a;
    uint32_t r = e->next[a->dir];
    uint64_t jiffy = jiffy_at(e, now);

    if (a->dir == READS && e->antic > 0) {
        if (fifo_has_expired(e, READS, jiffy))
            return e->fifo[READS].head;
        *wait = begins_to_wait(e, issuers, r, now);
        if (*wait)
            return NONE32;
    }
    if (r != NONE32 && e->fifo[READS].head != NONE32 && e->fifo[WRITES].head == NONE32)
        a->batch_expires = jiffy + e->batch[READS];
    return r;
}

/* Starts a batch, of reads unless it is the turn of writes. */
static uint32_t batch_begin(struct elevator *e, uint64_t jiffy)
{
    struct anticipation *a = &e->a;
    bool reads = e->fifo[READS].head != NONE32, writes = e->fifo[WRITES].head != NONE32;

    if (reads && !(writes && a->dir == READS)) {
        if (a->dir == WRITES)
            a->changing = 1;
        a->dir = READS;
        a->fifo_checked[READS] = jiffy;
        return e->fifo[READS].head;
    }
    ASSERT(writes);
    if (a->dir == READS)
        a->changing = 1;
    a->dir = WRITES;
    a->writes_left = a->write_batch_count;
    a->writes_idled = 0;
    return e->next[WRITES];
}

/* The device still works for the old batch. */
static bool batch_must_drain(struct elevator *e, uint64_t jiffy)
{
    struct anticipation *a = &e->a;

    if (!a->changing)
        return false;
    if (a->dispatched > 0)
        return true;
    if (a->dir == WRITES)
        a->batch_expires = jiffy + e->batch[WRITES];
    else
        a->new_batch = 1;
    a->changing = 0;
    return false;
}

/* A flush waits behind these: out with them, without fairness or waiting. */
static uint32_t empty_for_flush(struct elevator *e, struct issuer *issuers, uint64_t jiffy)
{
    struct anticipation *a = &e->a;

    a->dir = READS;
    a->changing = a->new_batch = 0;
    a->fifo_checked[READS] = a->fifo_checked[WRITES] = jiffy;
    if (e->queued == 0)
        return NONE32;
    return anticipatory_take(e, issuers,
                             e->next[READS] != NONE32 ? e->next[READS] : e->next[WRITES]);
}

uint32_t anticipatory_pick(struct elevator *e, struct issuer *issuers, uint64_t now)
{
    struct anticipation *a = &e->a;
    bool reads = e->fifo[READS].head != NONE32, writes = e->fifo[WRITES].head != NONE32;
    uint64_t jiffy = jiffy_at(e, now);
    uint32_t r = NONE32;
    bool wait = false;

    if (e->held.head != NONE32)
        return empty_for_flush(e, issuers, jiffy);
    if (a->dir == WRITES && !reads && (a->writes_left == 0 || !writes))
        a->writes_idled = 1;
    if (e->queued == 0 || is_waiting(a) || a->changing)
        return NONE32;
    if (!(reads && writes && batch_is_over(a, jiffy)))
        r = batch_go_on(e, issuers, now, &wait);
    if (wait)
        return NONE32;
    if (r == NONE32)
        r = batch_begin(e, jiffy);
    if (fifo_has_expired(e, a->dir, jiffy))
        r = e->fifo[a->dir].head;
    ASSERT(r != NONE32);
    return batch_must_drain(e, jiffy) ? NONE32 : anticipatory_take(e, issuers, r);
}
