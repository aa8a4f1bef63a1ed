/*
 * The flat block of one request queue and the seams between its parts.
 *
 * Sections, each at an offset from the block's start: the records of requests, the chain links of
 * ios, the heads of the two merge hashes. A request is named by its index, NONE32 is nobody. A
 * waiting request is
 *
 *   queued   in the fifo of its direction and, but for noop, in the index by sector
 * (elevator_index.c), or held     behind a flush that has not gone yet: in the list `held`, which
 * always begins with a flush;
 *
 * and, unless it can never be merged, in both hashes (elevator_merge.c). `epoch` counts the flushes
 * that arrived before a request: only requests of the latest epoch take new ios, and only those of
 * `active_epoch` are queued.
 */
#ifndef DISKS_ELEVATOR_INTERNAL_H
#define DISKS_ELEVATOR_INTERNAL_H
#include "disks/elevator.h"
#include "model/assert.h"
#include "model/ids.h"

enum { READS, WRITES };
enum { REQUEST_FREE, REQUEST_HELD, REQUEST_QUEUED, REQUEST_DISPATCHED };
enum { HASH_BY_END, HASH_BY_START };
enum antic_status { ANTIC_OFF, ANTIC_WAIT_END, ANTIC_WAIT_NEXT, ANTIC_DONE };

#define IO_ABSENT (UINT32_MAX - 1) /* the chain link of an io that is in no request */

struct request_link {
    uint32_t prev, next;
};

struct request_list {
    uint32_t head, tail;
};

struct elevator_request {
    uint64_t sector;
    uint64_t expires; /* the last jiffy of its fifo deadline */
    uint32_t sectors, segments;
    uint32_t first_io, last_io;
    uint32_t epoch;
    uint16_t issuer;
    uint8_t kind, fua;
    uint8_t state, hashed, pad[2];
    struct request_link list;    /* fifo or held list */
    struct request_link hash[2]; /* HASH_BY_END, HASH_BY_START */
    struct request_link order;   /* neighbours by sector */
    uint32_t parent, left, right, priority;
    uint32_t pad2;
};
_Static_assert(sizeof(struct elevator_request) == 96, "no hidden padding in a request");

/* Times of this part are jiffies. Directions are READS, WRITES. */
struct anticipation {
    uint64_t batch_expires, antic_start;
    uint64_t last_sector[2], fifo_checked[2];
    uint64_t new_think_total, new_think_mean; /* of threads at their second read, this queue */
    uint64_t new_seek_total, new_seek_mean;
    uint32_t write_batch_count; /* writes a batch may have: learned */
    uint32_t writes_left;       /* of them, in this batch */
    uint32_t dispatched;        /* on the device, flushes not counted */
    uint16_t thread;            /* the issuer of the last read dispatched; NONE16 after a write */
    uint8_t thread_finished;    /* a request of it has ended since */
    uint8_t status;             /* enum antic_status */
    uint8_t dir;                /* of the batch */
    uint8_t changing;           /* the old batch must leave the device first */
    uint8_t new_batch;          /* of reads: its time starts with its first completion */
    uint8_t writes_idled;       /* the write batch ran out of work: no measure of the disk */
    uint8_t pad[4];
};

struct elevator {
    uint64_t requests_at, chain_at, hash_at[2]; /* offsets of the sections */
    uint32_t ios_max, pool, hash_mask, free_head;
    uint32_t used[2]; /* requests taken, by direction, waiting or dispatched */
    uint32_t waiting; /* held + queued */
    uint32_t queued;
    uint32_t latest_epoch, active_epoch;
    struct request_list fifo[2], held; /* noop keeps one fifo, that of READS */
    uint32_t root[2], first[2];        /* the index by sector */
    uint32_t next[2];                  /* the scheduler's next request in order of sectors */
    uint64_t serial;                   /* requests ever indexed: source of tree priorities */
    uint64_t hz, expire[2], batch[2], antic, unplug; /* jiffies */
    uint64_t plug_due;                               /* ns; meaningful while plugged */
    struct elevator_stats stats;
    uint32_t batching, starved; /* deadline */
    uint8_t kind, plugged, pad[6];
    struct anticipation a;
};

static inline struct elevator_request *request_of(struct elevator *e, uint32_t r)
{
    ASSERT(r < e->pool);
    return (struct elevator_request *)((char *)e + e->requests_at) + r;
}

static inline const struct elevator_request *request_at(const struct elevator *e, uint32_t r)
{
    ASSERT(r < e->pool);
    return (const struct elevator_request *)((const char *)e + e->requests_at) + r;
}

static inline uint32_t *elevator_chain(struct elevator *e)
{
    return (uint32_t *)((char *)e + e->chain_at);
}

static inline uint32_t *elevator_buckets(struct elevator *e, int hash)
{
    return (uint32_t *)((char *)e + e->hash_at[hash]);
}

static inline int request_direction(const struct elevator_request *q)
{
    return q->kind == COMMAND_READ ? READS : WRITES;
}

/* The fifo a request of that kind waits in under this scheduler. */
static inline struct request_list *elevator_fifo(struct elevator *e,
                                                 const struct elevator_request *q)
{
    return &e->fifo[e->kind == ELEVATOR_NOOP ? READS : request_direction(q)];
}

/* The jiffy that runs at `ns`, and the first nanosecond of a jiffy: jiffy_at(jiffy_start(j)) == j.
 */
static inline uint64_t jiffy_at(const struct elevator *e, uint64_t ns)
{
    return ns / 1000000000 * e->hz + ns % 1000000000 * e->hz / 1000000000;
}

static inline uint64_t jiffy_start(const struct elevator *e, uint64_t jiffy)
{
    return jiffy / e->hz * 1000000000 + (jiffy % e->hz * 1000000000 + e->hz - 1) / e->hz;
}

/* A bijection that spreads nearby keys over all bits. */
static inline uint64_t elevator_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* elevator_list.c */
void list_append(struct elevator *e, struct request_list *l, uint32_t r);
void list_remove(struct elevator *e, struct request_list *l, uint32_t r);
void list_put_in_place(struct elevator *e, struct request_list *l, uint32_t old, uint32_t r);

/* elevator_index.c: requests of one direction by sector; equals in order of arrival. */
void index_insert(struct elevator *e, uint32_t r);
void index_remove(struct elevator *e, uint32_t r);
void index_moved_down(struct elevator *e, uint32_t r); /* its sector has become smaller */

/* elevator_merge.c */
struct elevator_io {
    uint64_t sector;
    uint32_t io, sectors, segments;
    uint16_t issuer;
    uint8_t kind, fua;
};
void merge_offer(struct elevator *e, uint32_t r);    /* from now on r takes ios */
void merge_withdraw(struct elevator *e, uint32_t r); /* no longer */
enum elevator_add_result merge_io(struct elevator *e, const struct elevator_params *p,
                                  struct issuer *issuers, const struct elevator_io *io);

/* elevator.c: take a request out of its scheduler's structures, and back to the pool. */
void request_unqueue(struct elevator *e, uint32_t r);
void request_free(struct elevator *e, uint32_t r);

/* elevator_deadline.c. pick returns the request to dispatch, still queued, or NONE32. */
uint32_t deadline_pick(struct elevator *e, const struct elevator_params *p, uint64_t jiffy);
/* r is leaving the index by another way than pick: a merge. */
void deadline_forget(struct elevator *e, uint32_t r);

/* elevator_anticipatory.c */
void anticipatory_start(struct elevator *e);
void anticipatory_announce(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now);
void anticipatory_arrived(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now);
void anticipatory_absorb(struct elevator *e, struct issuer *issuers, uint32_t r);
void anticipatory_forget(struct elevator *e, uint32_t r);
void anticipatory_tick(struct elevator *e, uint64_t now);
uint64_t anticipatory_timer(const struct elevator *e);
uint32_t anticipatory_pick(struct elevator *e, struct issuer *issuers, uint64_t now);
void anticipatory_ended(struct elevator *e, struct issuer *issuers, uint32_t r, uint64_t now);

/* elevator_sweep.c: the order of sectors as the anticipatory scheduler sees it. */
uint32_t sweep_choose(const struct elevator *e, int dir, uint32_t one, uint32_t other);
uint32_t sweep_after(const struct elevator *e, uint32_t r);

/* elevator_history.c: what is learned of a thread from a read of [sector, sector + sectors). */
void history_add(struct elevator *e, struct issuer *thread, uint64_t now, uint64_t sector,
                 uint32_t sectors);

#endif
