/*
 * The world: everything that is true, in one flat block.
 *
 *   struct world (header: shape, where each section lies) | section 0 | section 1 | ...
 *
 * Records are named by index, never by pointer; a freed record is zeroed; records have no padding
 * and no floats, so that equal truths are equal bytes. A snapshot is a memcpy of world_bytes(),
 * equality a memcmp. What time it is, who holds a CPU or a lock and where a disk arm stands is not
 * here but in the clockwork (sim/clockwork.h).
 */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H
#include <stddef.h>

#include "model/assert.h"
#include "model/ids.h"
#include "model/shape.h"

enum section {
    SEC_ACTORS,   /* struct actor: program counters and registers */
    SEC_WAITS,    /* struct wait_queue */
    SEC_CLIENTS,  /* struct client: free and finished requests of a submitting thread */
    SEC_ARRAY,    /* struct array: counters, lists, flags of the md device */
    SEC_BUCKETS,  /* stripe_id: heads of the hash chains */
    SEC_LENGTHS,  /* uint32_t: lengths of the hash chains */
    SEC_INDEX,    /* stripe_id: heads of the index's chains (model/cache.c) */
    SEC_STRIPES,  /* struct stripe */
    SEC_SLOTS,    /* struct slot: stripe * disks + disk */
    SEC_REQUESTS, /* struct request */
    SEC_BIOS,     /* struct bio: request * bios_per_request + n */
    SEC_PIECES,   /* struct piece: request * pieces_per_request + n */
    SEC_MEMOS,    /* uint32_t: what the oracle said, per piece and sector group (model/request.h) */
    SEC_TAGS,  /* tag: pages of the stripe cache first, then callers' buffers, tags_per_page each */
    SEC_SEATS, /* struct seat: which device is in a slot (model/io.h) */
    SEC_DISKS, /* struct disk: devices, and what is queued and done on them */
    SEC_IOS,   /* struct io: device * ios_per_disk + place */
    SEC_IOMAP, /* uint64_t: bit maps of queued, then of done places of each member */
    SEC_BITMAP,    /* uint16_t: counters of the write-intent bitmap (model/bitmap.h) */
    SEC_BITPAGES,  /* uint8_t: attributes of its pages on disk */
    SEC_BITGROUPS, /* uint8_t: groups of counters the daemon has to look at */
    SEC_BAD,       /* uint64_t: lists of bad blocks, bad_blocks_max for each device */
    SEC_FLAWS,     /* struct flaw: sectors of media that fail */
    SEC_EXTENTS,   /* struct extent: pages a new device has been given (model/fill.h) */
    SEC_MEDIA,     /* struct medium: written blocks of the members */
    SEC_HANDLERS,  /* struct handler: what raid5d and the workers have picked */
    SEC_DEFERRED,  /* struct deferred: writes that are kept */
    SEC_LINKS,     /* io_id: the next member I/O of such a record; device * stripes + stripe */
    SEC_LOGGED,    /* struct logged: what a log knows of a stripe (model/log.h) */
    SEC_PPL,       /* struct ppl: a member's partial parity log (model/ppl.h) */
    SEC_JOURNAL,   /* struct journal (model/journal.h) */
    SEC_UNITS,     /* struct journal_unit: a ring */
    SEC_ORACLE,    /* struct truth: versions of written blocks of the array */
    SEC_SAFE,      /* uint32_t: versions that flushes have made safe (model/oracle.h) */
    SEC_STORED,    /* struct stored: superblocks on the members (model/stored.h) */
    SEC_BITDISK,   /* uint8_t: what the bitmap on disk says of a chunk; kept in a check only */
    SEC_CHECK,     /* uint16_t: what a check has given out and has left (sim/check_problem.h) */
    SECTION_COUNT
};

struct world {
    struct shape shape;
    uint64_t bytes;   /* of the whole block */
    uint64_t live_at; /* where the sections begin */
    uint64_t at[SECTION_COUNT];
    uint64_t item[SECTION_COUNT];
    uint64_t count[SECTION_COUNT];
};

/* Every world record stands between these two: a hole in it is a compile error. */
#define WORLD_STRUCTS_BEGIN                                                                        \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wpadded\"")
#define WORLD_STRUCTS_END _Pragma("GCC diagnostic pop")

WORLD_STRUCTS_BEGIN
/* One actor. Which step it takes next is (kind, pc); what the registers mean is its kind's
 * business. */
struct actor {
    uint8_t kind, pc;
    uint8_t waits_on; /* enum wait: the queue it is in; 0: none */
    uint8_t asleep;   /* it can do nothing until woken */
    uint8_t slot;
    uint8_t spare;
    uint16_t index;      /* which client, disk, ... of its kind */
    actor_id next, prev; /* in the wait queue */
    uint16_t request, bio, page;
    stripe_id stripe;
    stripe_id batch_last; /* the stripe added before, held while the next may join its batch */
};

struct wait_queue {
    actor_id head, tail;
    uint16_t waiters, sleepers; /* in the queue; of these asleep */
};
WORLD_STRUCTS_END

enum wait {
    WAIT_NONE,
    WAIT_STRIPE,
    WAIT_OVERLAP,
    WAIT_RECOVERY,
    WAIT_SUPERBLOCK,
    WAIT_QUIESCE,
    WAIT_FLUSH,
    WAIT_COUNT
};

/* Bytes a world of this shape takes. */
uint64_t world_bytes_for(const struct shape *);
/* Makes world_bytes_for() zeroed bytes, 16-byte aligned, a world of that shape with empty sections.
 */
void world_format(struct world *, const struct shape *);
static inline uint64_t world_bytes(const struct world *w)
{
    return w->bytes;
}

/* Sections are reached through these; SECTION() makes a module's typed pair. */
static inline void *world_at(struct world *w, enum section s, uint64_t index)
{
    ASSERT(index < w->count[s]);
    return (char *)w + w->at[s] + index * w->item[s];
}
static inline const void *world_see(const struct world *w, enum section s, uint64_t index)
{
    ASSERT(index < w->count[s]);
    return (const char *)w + w->at[s] + index * w->item[s];
}
/* NAME_at() to change, NAME_see() to look. The record's size is known here, so indexing is a shift
 * or one multiplication. */
#define WORLD_SECTION(name, type, section)                                                         \
    static inline type *name##_at(struct world *w, uint64_t index)                                 \
    {                                                                                              \
        ASSERT(index < w->count[section]);                                                         \
        return (type *)((char *)w + w->at[section]) + index;                                       \
    }                                                                                              \
    static inline const type *name##_see(const struct world *w, uint64_t index)                    \
    {                                                                                              \
        ASSERT(index < w->count[section]);                                                         \
        return (const type *)((const char *)w + w->at[section]) + index;                           \
    }

WORLD_SECTION(actor, struct actor, SEC_ACTORS)
WORLD_SECTION(wait_queue, struct wait_queue, SEC_WAITS)
WORLD_SECTION(tags, tag, SEC_TAGS)
WORLD_SECTION(check, uint16_t, SEC_CHECK)

struct fingerprint {
    uint64_t low, high;
};
/* One XXH3-128 over the live part. */
struct fingerprint world_fingerprint(const struct world *);

#endif
