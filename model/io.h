/*
 * The table of member I/O: where the array and the disks meet.
 *
 * The array queues a record, the disk's own step carries it out, the completion is again a step of
 * the array's side. Neither calls the other. A device's records are io = device * ios_per_disk +
 * place; places below `stripes` belong to the slot of that stripe on this device (as its embedded
 * bio does), those after them to direct bios (place = stripes + bio), the last META_PLACES to
 * superblock, list of bad blocks and bitmap. Queued and done places are kept as bit maps, so that
 * the same set of outstanding I/O is the same bytes in whatever order it came about.
 *
 * An array has slots, and in each of them a device, its member. Devices have numbers of their own:
 * at first device n is in slot n, behind them come the journal's, spares, and those that are added
 * later (model/shape.h). Flags of a device are md's (spec 2.3): one that has failed stays in its
 * slot, FAULTY, until raid5d has removed it. An empty slot still names the device that was there.
 */
#ifndef MODEL_IO_H
#define MODEL_IO_H
#include "model/step.h"

enum io_state { IO_IDLE, IO_QUEUED, IO_DONE, IO_HELD };
enum io_kind { IO_READ, IO_WRITE, IO_FLUSH };

/* What a member I/O is for. */
enum io_reason {
    REASON_DIRECT,      /* a caller's own bio, past the stripe cache */
    REASON_FILL,        /* a read that a caller waits for, or one to rebuild what it waits for */
    REASON_PREREAD_RMW, /* before a read-modify-write */
    REASON_PREREAD_RCW, /* before a reconstruct-write */
    REASON_DATA,
    REASON_PARITY,
    REASON_RESYNC,  /* check, repair, resync, recovery: reads and writes */
    REASON_REWRITE, /* of a page that could not be read */
    REASON_VERIFY,  /* reading it back */
    REASON_SUPERBLOCK,
    REASON_BAD_BLOCKS,
    REASON_BITMAP,
    REASON_PPL,
    REASON_JOURNAL,
    REASON_COUNT
};

/* Places for metadata, counted from the first of them. */
enum meta_place { META_SUPERBLOCK, META_BAD_BLOCKS, META_BITMAP, META_PLACES };

enum io_flag {
    IO_META =
        1u
        << 0, /* no contents of the array: superblock, list of bad blocks, bitmap, partial parity */
    IO_SYNC = 1u << 1,       /* done for a resync, recovery or check: no sign of a load */
    IO_DOOMED = 1u << 2,     /* fate has decided that it fails */
    IO_LOST = 1u << 3,       /* fate: acknowledged, not carried out */
    IO_TORN = 1u << 4,       /* fate: acknowledged, half of it carried out */
    IO_MISDIRECTED = 1u << 5 /* fate: acknowledged, written a page further on */
};

enum member_flag {
    MEMBER_PRESENT = 1u << 0, /* there is a device in the slot */
    MEMBER_IN_SYNC = 1u << 1, /* In_sync: all it holds counts */
    MEMBER_FAULTY = 1u << 2,
    MEMBER_BLOCKED = 1u << 3,     /* the superblocks do not say yet that it has failed */
    MEMBER_WRITE_ERROR = 1u << 4, /* WriteErrorSeen */
    MEMBER_WANT_REPLACEMENT = 1u << 5,
    MEMBER_WAITING = 1u << 6 /* a spare: part of the array, and in no slot */
};

/* The device itself, whatever md thinks of it. */
enum device_flag {
    DEVICE_DEAD = 1u << 0, /* answers every command with an error */
    DEVICE_NEW = 1u << 1, /* came blank: only what has been written to it is there (model/fill.h) */
    DEVICE_UNBUILT = 1u << 2, /* has not been rebuilt to the end: it lacks more than bitmaps know */
    DEVICE_TO_COME = 1u << 3  /* has never been part of the array */
};

WORLD_STRUCTS_BEGIN
struct io {
    uint64_t sector; /* on the member */
    uint32_t sectors;
    uint32_t page;   /* its buffer: first page in SEC_TAGS */
    actor_id issuer; /* the thread in whose context it was queued */
    uint8_t state;   /* enum io_state */
    uint8_t kind;    /* enum io_kind */
    uint8_t fua, failed;
    uint8_t reason; /* enum io_reason */
    uint8_t flags;  /* enum io_flag */
};

struct disk {
    uint64_t recovery_offset;        /* not IN_SYNC: member sectors below have been rebuilt */
    uint32_t queued, done;           /* records in each state */
    uint32_t dirty_head, dirty_tail; /* volatile writes, oldest first (model/media.h) */
    uint32_t dirty;
    uint32_t flags;       /* enum member_flag */
    uint32_t read_errors; /* in a row, as md counts them */
    uint32_t corrected;   /* sectors rewritten after a read error: `errors` in sysfs */
    uint32_t bad_blocks;  /* pages in its list */
    uint32_t bad_changed; /* its list on disk is older */
    uint32_t device;      /* enum device_flag */
    uint32_t extents;     /* of a new device: pages that hold what their place begins with */
    uint32_t held;        /* records in that state */
    uint8_t slot;         /* where it is, or was last; NO_DEVICE: never anywhere */
    uint8_t pad[3];
};

/* A slot of the array. */
struct seat {
    uint8_t device; /* its member, or the last one there was */
    uint8_t pad;
};
WORLD_STRUCTS_END
/* No slot, no device. */
enum { NO_DEVICE = 255 };

WORLD_SECTION(io, struct io, SEC_IOS)
WORLD_SECTION(seat, struct seat, SEC_SEATS)
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
/* The device in that slot. */
static inline unsigned member_of(const struct world *w, unsigned slot)
{
    return seat_see(w, slot)->device;
}
static inline io_id io_of_stripe(const struct world *w, stripe_id s, unsigned disk)
{
    return (io_id)disk * w->shape.ios_per_disk + s;
}
static inline io_id io_of_slot(const struct world *w, stripe_id s, unsigned slot)
{
    return io_of_stripe(w, s, member_of(w, slot));
}
static inline io_id io_of_bio(const struct world *w, bio_id b, unsigned disk)
{
    return (io_id)disk * w->shape.ios_per_disk + w->shape.stripes + b;
}

static inline io_id io_of_meta(const struct world *w, unsigned disk, enum meta_place place)
{
    return (io_id)(disk + 1) * w->shape.ios_per_disk - META_PLACES + place;
}
static inline bool member_in_sync(const struct world *w, unsigned disk)
{
    return disk_see(w, disk)->flags & MEMBER_IN_SYNC;
}
/* A device in a slot that can be asked. */
static inline bool member_alive(const struct world *w, unsigned disk)
{
    return (disk_see(w, disk)->flags & (MEMBER_PRESENT | MEMBER_FAULTY)) == MEMBER_PRESENT;
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
