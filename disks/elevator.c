/*
 * The request queue: its block, its plug, barriers, and the way of a request from arrival to its
 * end.
 *
 *   arrival --> merged into a waiting request (elevator_merge.c), or a new request, which is
 *     held       while a flush that came before it has not gone to the device, else
 *     queued     handed to the scheduler: noop (here), deadline, anticipatory
 *     dispatched one command of the device
 *     free       its place can be had by the next io
 *
 * A flush waits in the held list until every request that came before it has been dispatched, then
 * goes itself and releases those behind it up to the next flush. It unplugs the queue. It does not
 * wait for completions: whether an ended write is safe is the business of the world.
 *
 * The plug is a timer of whole jiffies, at least one, like all the times of this part: armed in
 * jiffy j for k jiffies, it fires when jiffy j + k begins. Timers are evaluated when the queue is
 * next touched at or after that time; elevator_timer() tells the host when to touch it.
 *
 * Left out: the block layer's grant of half as many requests again to a batch of one thread, and
 * the choosing of one request ahead by SCSI drivers while the device is full.
 *
 * Kernel: ll_rw_blk.c __make_request, blk_plug_device; elevator.c; noop-iosched.c (2.6.15)
 */
#include "disks/elevator.h"

#include <string.h>

#include "disks/elevator_internal.h"

static uint64_t align16(uint64_t bytes)
{
    return (bytes + 15) & ~(uint64_t)15;
}

/* A request in the pool has an io of its own, so there can be no more of them than ios. */
static uint32_t elevator_pool(const struct elevator_params *p, uint32_t ios_max)
{
    return p->nr_requests < ios_max / 2 ? 2 * p->nr_requests : ios_max;
}

static uint32_t elevator_bucket_count(uint32_t pool)
{
    uint32_t buckets = 16;

    while (buckets < pool && buckets < 1u << 30)
        buckets *= 2;
    return buckets;
}

/* Lays the sections out in e, if there is an e. Returns the size of the block. */
static size_t elevator_lay_out(struct elevator *e, const struct elevator_params *p,
                               uint32_t ios_max)
{
    uint32_t pool = elevator_pool(p, ios_max), buckets = elevator_bucket_count(pool);
    uint64_t at[5] = { align16(sizeof *e) };

    at[1] = at[0] + align16((uint64_t)pool * sizeof(struct elevator_request));
    at[2] = at[1] + align16((uint64_t)ios_max * sizeof(uint32_t));
    at[3] = at[2] + align16((uint64_t)buckets * sizeof(uint32_t));
    at[4] = at[3] + align16((uint64_t)buckets * sizeof(uint32_t));
    if (e) {
        e->requests_at = at[0];
        e->chain_at = at[1];
        e->hash_at[HASH_BY_END] = at[2];
        e->hash_at[HASH_BY_START] = at[3];
        e->ios_max = ios_max;
        e->pool = pool;
        e->hash_mask = buckets - 1;
    }
    return (size_t)at[4];
}

size_t elevator_bytes(const struct elevator_params *p, uint32_t ios_max)
{
    return elevator_lay_out(NULL, p, ios_max);
}

/* The nearest whole number of jiffies. */
static uint64_t to_jiffies(const struct elevator_params *p, uint64_t ns)
{
    return ns / 1000000000 * p->hz + (ns % 1000000000 * p->hz + 500000000) / 1000000000;
}

static uint64_t to_jiffies_at_least_one(const struct elevator_params *p, uint64_t ns)
{
    uint64_t jiffies = to_jiffies(p, ns);
    return jiffies ? jiffies : 1;
}

static void elevator_set_times(struct elevator *e, const struct elevator_params *p)
{
    e->hz = p->hz;
    e->expire[READS] = to_jiffies(p, p->read_expire_ns);
    e->expire[WRITES] = to_jiffies(p, p->write_expire_ns);
    e->batch[READS] = to_jiffies(p, p->read_batch_ns);
    e->batch[WRITES] = to_jiffies(p, p->write_batch_ns);
    e->antic = p->antic_ns ? to_jiffies_at_least_one(p, p->antic_ns) : 0;
    e->unplug = to_jiffies_at_least_one(p, p->unplug_ns);
}

void elevator_start(struct elevator *e, const struct elevator_params *p, uint32_t ios_max)
{
    ASSERT(p->hz > 0 && p->hz <= 1000000);
    ASSERT(p->nr_requests > 0 && p->max_sectors > 0 && p->max_segments > 0);
    ASSERT(p->kind <= ELEVATOR_ANTICIPATORY);
    ASSERT(ios_max > 0 && ios_max < IO_ABSENT);
    elevator_lay_out(e, p, ios_max);
    elevator_set_times(e, p);
    e->kind = p->kind;
    e->fifo[READS] = e->fifo[WRITES] = e->held = (struct request_list){ NONE32, NONE32 };
    for (int dir = READS; dir <= WRITES; dir++)
        e->root[dir] = e->first[dir] = e->next[dir] = NONE32;
    for (uint32_t io = 0; io < ios_max; io++)
        elevator_chain(e)[io] = IO_ABSENT;
    for (uint32_t bucket = 0; bucket <= e->hash_mask; bucket++)
        elevator_buckets(e, HASH_BY_END)[bucket] = elevator_buckets(e, HASH_BY_START)[bucket] =
            NONE32;
    for (uint32_t r = 0; r < e->pool; r++)
        request_of(e, r)->right = r + 1 < e->pool ? r + 1 : NONE32;
    anticipatory_start(e);
}

/* Free requests are zero but for `right`, which chains them. */
static uint32_t request_take(struct elevator *e)
{
    uint32_t r = e->free_head;
    struct elevator_request *q = request_of(e, r);

    ASSERT(q->state == REQUEST_FREE);
    e->free_head = q->right;
    q->list = q->order = q->hash[0] = q->hash[1] = (struct request_link){ NONE32, NONE32 };
    q->parent = q->left = q->right = NONE32;
    return r;
}

void request_free(struct elevator *e, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);
    int dir = request_direction(q);

    ASSERT(q->state != REQUEST_FREE && !q->hashed && e->used[dir] > 0);
    e->used[dir]--;
    memset(q, 0, sizeof *q);
    q->right = e->free_head;
    e->free_head = r;
}

void request_unqueue(struct elevator *e, uint32_t r)
{
    ASSERT(e->waiting > 0);
    e->waiting--;
    if (request_of(e, r)->state != REQUEST_QUEUED)
        return;
    ASSERT(e->queued > 0);
    e->queued--;
    if (e->kind == ELEVATOR_NOOP)
        return;
    if (e->kind == ELEVATOR_DEADLINE)
        deadline_forget(e, r);
    else
        anticipatory_forget(e, r);
    index_remove(e, r);
}

static void request_queue(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now)
{
    struct elevator_request *q = request_of(e, r);

    q->state = REQUEST_QUEUED;
    e->queued++;
    list_append(e, elevator_fifo(e, q), r);
    if (e->kind == ELEVATOR_NOOP)
        return;
    index_insert(e, r);
    if (e->kind == ELEVATOR_ANTICIPATORY)
        anticipatory_arrived(e, issuers, r, now);
}

static void request_hold(struct elevator *e, uint32_t r)
{
    request_of(e, r)->state = REQUEST_HELD;
    list_append(e, &e->held, r);
}

/* What time alone has changed up to now. */
static void elevator_catch_up(struct elevator *e, uint64_t now)
{
    if (e->plugged && now >= e->plug_due)
        elevator_unplug(e);
    if (e->kind == ELEVATOR_ANTICIPATORY)
        anticipatory_tick(e, now);
}

static void elevator_plug(struct elevator *e, uint64_t now)
{
    e->plugged = 1;
    e->plug_due = jiffy_start(e, jiffy_at(e, now) + e->unplug);
}

void elevator_hold(struct elevator *e)
{
    e->plugged = 1;
    e->plug_due = UINT64_MAX;
}

bool elevator_unplug(struct elevator *e)
{
    bool was = e->plugged;

    e->plugged = 0;
    e->plug_due = 0;
    return was;
}

bool elevator_has_room(const struct elevator *e, const struct elevator_params *p, uint8_t kind)
{
    return e->used[kind == COMMAND_READ ? READS : WRITES] < p->nr_requests &&
           e->free_head != NONE32;
}

static uint32_t request_make(struct elevator *e, const struct elevator_io *io, uint64_t now)
{
    uint32_t r = request_take(e);
    struct elevator_request *q = request_of(e, r);

    q->sector = io->sector;
    q->sectors = io->sectors;
    q->segments = io->segments;
    q->first_io = q->last_io = io->io;
    q->kind = io->kind;
    q->fua = io->fua;
    q->issuer = io->issuer;
    q->expires = jiffy_at(e, now) + e->expire[request_direction(q)];
    if (io->kind == COMMAND_FLUSH)
        e->latest_epoch++;
    q->epoch = e->latest_epoch;
    elevator_chain(e)[io->io] = NONE32;
    e->used[request_direction(q)]++;
    return r;
}

static void elevator_add_request(struct elevator *e, const struct elevator_params *p,
                                 struct issuer *issuers, uint64_t now, const struct elevator_io *io)
{
    bool flush = io->kind == COMMAND_FLUSH;
    bool plugs = p->plugs && e->waiting == 0 && !flush;
    uint32_t r = request_make(e, io, now);

    if (plugs)
        elevator_plug(e, now);
    e->waiting++;
    if (e->kind == ELEVATOR_ANTICIPATORY && !flush)
        anticipatory_announce(e, issuers, r, now);
    if (flush || e->latest_epoch != e->active_epoch)
        request_hold(e, r);
    else
        request_queue(e, issuers, r, now);
    if (!flush && !io->fua && !p->nomerges)
        merge_offer(e, r);
    if (flush || e->waiting >= p->unplug_requests)
        elevator_unplug(e);
}

enum elevator_add_result elevator_add(struct elevator *e, const struct elevator_params *p,
                                      struct issuer *issuers, uint64_t now, uint32_t io,
                                      uint64_t sector, uint32_t sectors, uint8_t kind, bool fua,
                                      uint16_t issuer)
{
    struct elevator_io arrival = { sector, io,   sectors,     (sectors + 7) / 8,
                                   issuer, kind, (uint8_t)fua };

    ASSERT(io < e->ios_max);
    ASSERT(elevator_chain(e)[io] == IO_ABSENT);
    ASSERT((kind == COMMAND_FLUSH) == (sectors == 0));
    elevator_catch_up(e, now);
    if (kind != COMMAND_FLUSH && !fua && !p->nomerges) {
        enum elevator_add_result merged = merge_io(e, p, issuers, &arrival);
        if (merged != ELEVATOR_NEW)
            return merged;
    }
    if (!elevator_has_room(e, p, kind))
        return ELEVATOR_FULL;
    elevator_add_request(e, p, issuers, now, &arrival);
    return ELEVATOR_NEW;
}

static uint32_t elevator_pick(struct elevator *e, const struct elevator_params *p,
                              struct issuer *issuers, uint64_t now)
{
    if (e->kind == ELEVATOR_NOOP)
        return e->fifo[READS].head;
    if (e->kind == ELEVATOR_DEADLINE)
        return deadline_pick(e, p, jiffy_at(e, now));
    return anticipatory_pick(e, issuers, now);
}

/* The flush at the head of the held list has gone: those behind it may follow. */
static void elevator_release_held(struct elevator *e, struct issuer *issuers, uint64_t now)
{
    e->active_epoch++;
    while (e->held.head != NONE32 && request_at(e, e->held.head)->kind != COMMAND_FLUSH) {
        uint32_t r = e->held.head;
        ASSERT(request_at(e, r)->epoch == e->active_epoch);
        list_remove(e, &e->held, r);
        request_queue(e, issuers, r, now);
    }
}

static void request_leave(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now)
{
    struct elevator_request *q = request_of(e, r);
    bool flush = q->kind == COMMAND_FLUSH;

    list_remove(e, flush ? &e->held : elevator_fifo(e, q), r);
    merge_withdraw(e, r);
    request_unqueue(e, r);
    q->state = REQUEST_DISPATCHED;
    if (flush)
        elevator_release_held(e, issuers, now);
    else
        e->stats.requests[request_direction(q)]++;
}

bool elevator_dispatch(struct elevator *e, const struct elevator_params *p, struct issuer *issuers,
                       uint64_t now, struct disk_command *command)
{
    elevator_catch_up(e, now);
    if (e->plugged)
        return false;
    uint32_t r = elevator_pick(e, p, issuers, now);
    if (r == NONE32)
        r = e->held.head; /* no scheduler idles while a flush waits: nothing is queued */
    if (r == NONE32)
        return false;
    const struct elevator_request *q = request_at(e, r);
    *command = (struct disk_command){
        .sector = q->sector, .sectors = q->sectors, .kind = q->kind, .fua = q->fua, .token = r
    };
    request_leave(e, issuers, r, now);
    return true;
}

uint64_t elevator_timer(const struct elevator *e, const struct elevator_params *p)
{
    ASSERT(p->kind == e->kind);
    if (e->plugged)
        return e->plug_due;
    return e->kind == ELEVATOR_ANTICIPATORY ? anticipatory_timer(e) : UINT64_MAX;
}

void elevator_complete(struct elevator *e, const struct elevator_params *p, struct issuer *issuers,
                       uint64_t now, uint32_t token)
{
    struct elevator_request *q = request_of(e, token);

    ASSERT(p->kind == e->kind);
    ASSERT(q->state == REQUEST_DISPATCHED);
    elevator_catch_up(e, now);
    if (e->kind == ELEVATOR_ANTICIPATORY && q->kind != COMMAND_FLUSH)
        anticipatory_ended(e, issuers, token, now);
    for (uint32_t io = q->first_io, next; io != NONE32; io = next) {
        next = elevator_chain(e)[io];
        elevator_chain(e)[io] = IO_ABSENT;
    }
    request_free(e, token);
}

uint32_t elevator_first_io(const struct elevator *e, uint32_t token)
{
    ASSERT(request_at(e, token)->state != REQUEST_FREE);
    return request_at(e, token)->first_io;
}

uint32_t elevator_next_io(const struct elevator *e, uint32_t io)
{
    ASSERT(io < e->ios_max);
    uint32_t next = ((const uint32_t *)((const char *)e + e->chain_at))[io];
    ASSERT(next != IO_ABSENT);
    return next;
}

uint32_t elevator_waiting(const struct elevator *e)
{
    return e->waiting;
}

uint32_t elevator_request_segments(const struct elevator *e, uint32_t token)
{
    ASSERT(request_at(e, token)->state != REQUEST_FREE);
    return request_at(e, token)->segments;
}

struct elevator_stats elevator_stats(const struct elevator *e)
{
    return e->stats;
}
