/*
 * The deadline scheduler: batches of up to fifo_batch requests of one direction in ascending order
 * of sectors.
 *
 * A batch begins at the oldest request of its direction if that one's deadline has passed, or if
 * there is no request left above the end of the last batch, or the last batch was of the other
 * direction; otherwise it goes on where the last one ended. Reads come first, but after
 * writes_starved batches that passed waiting writes by, it is their turn. A deadline has passed
 * once the jiffy of arrival plus the expiry is over.
 *
 * The choice is never to wait: with anything queued something goes, so there is no timer.
 * This is the later form, that of 6.1 too; in 2.6.15 a gap between two requests also ended
 * a batch.
 *
 * Kernel: deadline-iosched.c deadline_dispatch_requests (6.1: mq-deadline.c, without its
 * priorities)
 */
#include "disks/elevator_internal.h"

static bool deadline_has_passed(const struct elevator *e, int dir, uint64_t jiffy)
{
    return jiffy > request_at(e, e->fifo[dir].head)->expires;
}

static int deadline_choose_direction(struct elevator *e, const struct elevator_params *p)
{
    bool reads = e->fifo[READS].head != NONE32, writes = e->fifo[WRITES].head != NONE32;

    if (reads && !(writes && e->starved++ >= p->writes_starved))
        return READS;
    e->starved = 0;
    return WRITES;
}

/* The one after r becomes the next of its batch. */
static uint32_t deadline_take(struct elevator *e, uint32_t r)
{
    e->batching++;
    e->next[READS] = e->next[WRITES] = NONE32;
    e->next[request_direction(request_at(e, r))] = request_at(e, r)->order.next;
    return r;
}

uint32_t deadline_pick(struct elevator *e, const struct elevator_params *p, uint64_t jiffy)
{
    if (e->queued == 0)
        return NONE32;
    uint32_t next = e->next[WRITES] != NONE32 ? e->next[WRITES] : e->next[READS];
    if (next != NONE32 && e->batching < p->fifo_batch)
        return deadline_take(e, next);
    int dir = deadline_choose_direction(e, p);
    e->batching = 0;
    if (deadline_has_passed(e, dir, jiffy) || e->next[dir] == NONE32)
        return deadline_take(e, e->fifo[dir].head);
    return deadline_take(e, e->next[dir]);
}

void deadline_forget(struct elevator *e, uint32_t r)
{
    int dir = request_direction(request_at(e, r));

    if (e->next[dir] == r)
        e->next[dir] = request_at(e, r)->order.next;
}
