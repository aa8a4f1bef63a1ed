/*
 * The table of member I/O: where the array and the disks meet.
 *
 * The array queues a record, the disk's own step carries it out, the completion is again a step of
 * the array's side. Neither calls the other. A member's records are io = disk * ios_per_disk +
 * place; places below `stripes` belong to the slot of that stripe on this member (as its embedded
 * bio does), the others to direct bios (place = stripes + bio). Queued and done places are kept as
 * bit maps, so that the same set of outstanding I/O is the same bytes in whatever order it came
 * about.
 */
#ifndef MODEL_IO_H
#define MODEL_IO_H
#include "model/step.h"

enum io_state { IO_IDLE, IO_QUEUED, IO_DONE, IO_HELD };
enum io_kind { IO_READ, IO_WRITE, IO_FLUSH };

WORLD_STRUCTS_BEGIN
struct io {
    uint64_t sector; /* on the member */
    uint32_t sectors;
    uint32_t page;   /* its buffer: first page in SEC_TAGS */
    actor_id issuer; /* the thread in whose context it was queued */
    uint8_t state;   /* enum io_state */
    uint8_t kind;    /* enum io_kind */
    uint8_t fua, failed;
    uint16_t pad;
};

struct disk {
    uint32_t queued, done;           /* records in each state */
    uint32_t dirty_head, dirty_tail; /* volatile writes, oldest first (disks/media.h) */
    uint32_t dirty;
    uint32_t in_sync; /* it is there, and what it holds counts */
};
WORLD_STRUCTS_END

WORLD_SECTION(io, struct io, SEC_IOS)
WORLD_SECTION(disk, struct disk, SEC_DISKS)
WORLD_SECTION(iomap, uint64_t, SEC_IOMAP)

static inline unsigned io_disk(const struct world *w, io_id io)
{
    return io / w->shape.ios_per_disk;
}
static inline uint32_t io_place(const struct world *w, io_id io)
{
    return io % w->shape.ios_per_disk;
}
static inline io_id io_of_slot(const struct world *w, stripe_id s, unsigned disk)
{
    return (io_id)disk * w->shape.ios_per_disk + s;
}
static inline io_id io_of_bio(const struct world *w, bio_id b, unsigned disk)
{
    return (io_id)disk * w->shape.ios_per_disk + w->shape.stripes + b;
}

/* idle -> held: made, and not with the member yet (model/defer.h). Held places are in no bit map.
 */
void io_hold(struct world *, io_id);
/* idle or held -> queued; reports EFFECT_SUBMIT. The record's other fields are filled in by the
 * caller before. */
void io_queue(struct world *, io_id, struct effects *);
/* queued -> done, by the disk. */
void io_serve(struct world *, io_id);
/* done -> idle, by the completion; the record is zeroed. */
void io_retire(struct world *, io_id);
/* The place of the k-th record in that state (k from 0), for explorers of small worlds. */
uint32_t io_nth(const struct world *, unsigned disk, enum io_state, uint32_t k);

#endif
