/*
 * Merging: an io joins a waiting request that ends where it begins (back merge) or begins where it
 * ends (front merge); and when a request has grown up to its neighbour, the two are joined as well.
 *
 * The candidates are found by two hashes over the waiting requests, one by end and one by start
 * sector. Like the block layer we look for a back merge first, and a candidate found but too large
 * for the io ends the search: the io then gets a request of its own.
 *
 * What may join: one direction, both plain (no flush, no forced unit access), both behind the same
 * flushes, neither on the device, together within max_sectors and max_segments. When two requests
 * are joined the survivor is the one in front; it inherits the older deadline with its place in the
 * fifo (so does the thread that is waiting for it), except under noop, where it keeps its own
 * place.
 *
 * Kernel: elevator.c elv_merge, ll_rw_blk.c attempt_merge and ll_*_merge_fn, as-iosched.c
 * as_merged_requests (2.6.15)
 */
#include "disks/elevator_internal.h"

static uint64_t merge_key(const struct elevator_request *q, int hash)
{
    return hash == HASH_BY_END ? q->sector + q->sectors : q->sector;
}

static uint32_t *merge_bucket(struct elevator *e, int hash, uint64_t key, int dir)
{
    return elevator_buckets(e, hash) + (elevator_mix(key * 2 + (uint64_t)dir) & e->hash_mask);
}

static void hash_insert(struct elevator *e, int hash, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);
    uint32_t *bucket = merge_bucket(e, hash, merge_key(q, hash), request_direction(q));

    q->hash[hash] = (struct request_link){ NONE32, *bucket };
    if (*bucket != NONE32)
        request_of(e, *bucket)->hash[hash].prev = r;
    *bucket = r;
}

/* Precondition: the key is still the one it was inserted under. */
static void hash_remove(struct elevator *e, int hash, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);
    struct request_link link = q->hash[hash];

    if (link.prev != NONE32)
        request_of(e, link.prev)->hash[hash].next = link.next;
    else
        *merge_bucket(e, hash, merge_key(q, hash), request_direction(q)) = link.next;
    if (link.next != NONE32)
        request_of(e, link.next)->hash[hash].prev = link.prev;
    q->hash[hash] = (struct request_link){ NONE32, NONE32 };
}

/* The latest request of that direction and of the latest epoch with this key. */
static uint32_t hash_find(struct elevator *e, int hash, uint64_t key, int dir)
{
    uint32_t r = *merge_bucket(e, hash, key, dir);

    while (r != NONE32) {
        const struct elevator_request *q = request_at(e, r);
        if (merge_key(q, hash) == key && request_direction(q) == dir && q->epoch == e->latest_epoch)
            return r;
        r = q->hash[hash].next;
    }
    return NONE32;
}

void merge_offer(struct elevator *e, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);

    ASSERT(!q->hashed);
    ASSERT(q->kind != COMMAND_FLUSH && !q->fua);
    hash_insert(e, HASH_BY_END, r);
    hash_insert(e, HASH_BY_START, r);
    q->hashed = 1;
}

void merge_withdraw(struct elevator *e, uint32_t r)
{
    if (!request_of(e, r)->hashed)
        return;
    hash_remove(e, HASH_BY_END, r);
    hash_remove(e, HASH_BY_START, r);
    request_of(e, r)->hashed = 0;
}

static bool merge_fits(const struct elevator_params *p, const struct elevator_request *q,
                       uint32_t sectors, uint32_t segments)
{
    return (uint64_t)q->sectors + sectors <= p->max_sectors &&
           (uint64_t)q->segments + segments <= p->max_segments;
}

/* The older deadline, its place and its thread go to the survivor. */
static void join_inherit(struct elevator *e, uint32_t front, uint32_t behind)
{
    struct elevator_request *a = request_of(e, front), *b = request_of(e, behind);
    bool held = b->state == REQUEST_HELD;
    struct request_list *list = held ? &e->held : elevator_fifo(e, b);

    if (e->kind == ELEVATOR_NOOP || b->expires >= a->expires) {
        list_remove(e, list, behind);
        return;
    }
    list_put_in_place(e, list, behind, front);
    a->expires = b->expires;
    uint16_t issuer = a->issuer;
    a->issuer = b->issuer;
    b->issuer = issuer;
}

/* Request `front` takes over all of `behind`, if they are adjacent and allowed to: see the essay.
 */
static void merge_join(struct elevator *e, const struct elevator_params *p, struct issuer *issuers,
                       uint32_t front, uint32_t behind)
{
    if (front == NONE32 || behind == NONE32 || front == behind)
        return;
    struct elevator_request *a = request_of(e, front), *b = request_of(e, behind);
    ASSERT(a->sector + a->sectors == b->sector);
    ASSERT(a->state == b->state);
    if (!merge_fits(p, a, b->sectors, b->segments))
        return;
    hash_remove(e, HASH_BY_END, front);
    merge_withdraw(e, behind);
    a->sectors += b->sectors;
    a->segments += b->segments;
    hash_insert(e, HASH_BY_END, front);
    elevator_chain(e)[a->last_io] = b->first_io;
    a->last_io = b->last_io;
    join_inherit(e, front, behind);
    if (e->kind == ELEVATOR_ANTICIPATORY)
        anticipatory_absorb(e, issuers, behind);
    e->stats.merges[request_direction(a)]++;
    request_unqueue(e, behind);
    request_free(e, behind);
}

static void merge_back(struct elevator *e, uint32_t r, const struct elevator_io *io)
{
    struct elevator_request *q = request_of(e, r);

    hash_remove(e, HASH_BY_END, r);
    q->sectors += io->sectors;
    q->segments += io->segments;
    hash_insert(e, HASH_BY_END, r);
    elevator_chain(e)[q->last_io] = io->io;
    elevator_chain(e)[io->io] = NONE32;
    q->last_io = io->io;
}

static void merge_front(struct elevator *e, uint32_t r, const struct elevator_io *io)
{
    struct elevator_request *q = request_of(e, r);

    hash_remove(e, HASH_BY_START, r);
    q->sector = io->sector;
    q->sectors += io->sectors;
    q->segments += io->segments;
    hash_insert(e, HASH_BY_START, r);
    elevator_chain(e)[io->io] = q->first_io;
    q->first_io = io->io;
    if (e->kind != ELEVATOR_NOOP && q->state == REQUEST_QUEUED)
        index_moved_down(e, r);
}

/* ELEVATOR_NEW: nobody takes it. */
enum elevator_add_result merge_io(struct elevator *e, const struct elevator_params *p,
                                  struct issuer *issuers, const struct elevator_io *io)
{
    int dir = io->kind == COMMAND_READ ? READS : WRITES;
    uint64_t end = io->sector + io->sectors;
    uint32_t r = hash_find(e, HASH_BY_END, io->sector, dir);

    if (r != NONE32) {
        if (!merge_fits(p, request_at(e, r), io->sectors, io->segments))
            return ELEVATOR_NEW;
        merge_back(e, r, io);
        e->stats.merges[dir]++;
        merge_join(e, p, issuers, r, hash_find(e, HASH_BY_START, end, dir));
        return ELEVATOR_BACK_MERGED;
    }
    r = hash_find(e, HASH_BY_START, end, dir);
    if (r == NONE32 || !merge_fits(p, request_at(e, r), io->sectors, io->segments))
        return ELEVATOR_NEW;
    merge_front(e, r, io);
    e->stats.merges[dir]++;
    merge_join(e, p, issuers, hash_find(e, HASH_BY_END, io->sector, dir), r);
    return ELEVATOR_FRONT_MERGED;
}
