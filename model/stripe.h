/*
 * A stripe_head: one page from every member, all at the same member sector, with the requests
 * waiting on it.
 *
 * Invariants at rest (spec 16.1; properties and assertions cite the numbers):
 *   I1  a stripe is on at most one list; on exactly one if count = 0.
 *   I2  count = 0 and HANDLE clear <=> on the inactive list; count = 0 and HANDLE set <=> on
 * handle, delayed or bitmap. I4  array.active = number of stripes not on the inactive list. I5
 * array.preread_active = number of stripes with PREREAD_ACTIVE. I6  a hashed stripe is in the
 * bucket of its sector; no two hashed stripes have equal sectors. I8  a LOCKED slot has exactly one
 * member I/O in flight. I11 a stripe with count = 0 and HANDLE clear has no bios and no LOCKED
 * slot.
 *
 * A page's state (spec 2.4) and the steps of md-2.6.15 that move it:
 *
 *          handle (fetch)            completion.end
 *   empty -----------------> want -------------------> clean ----> (init_stripe) empty
 *     |                                                ^  |  ^
 *     +---------------- handle (compute) --------------+  |  | completion.end
 *     |                                                   v  |
 *     +---------------- handle (data, parity) ----------> dirty
 *
 * md-6.1 takes UPTODATE from a page while its new contents are being made.
 */
#ifndef MODEL_STRIPE_H
#define MODEL_STRIPE_H
#include "model/world.h"

enum stripe_bit {
    STRIPE_HANDLE = 1u << 0,
    STRIPE_SYNCING = 1u << 1,
    STRIPE_INSYNC = 1u << 2,
    STRIPE_PREREAD_ACTIVE = 1u << 3,
    STRIPE_DELAYED = 1u << 4,
    STRIPE_DEGRADED = 1u << 5,
    STRIPE_BIT_DELAY = 1u << 6,
    STRIPE_HASHED = 1u << 7,     /* ours: stands for the hash linkage being in use */
    STRIPE_ON_UNPLUG = 1u << 8,  /* on a submitter's plug list */
    STRIPE_ON_RELEASE = 1u << 9, /* on the list of released stripes, its last reference with it */
    STRIPE_BATCH_READY = 1u << 10,
    STRIPE_FULL_WRITE = 1u << 11,
    STRIPE_IO_STARTED = 1u << 12,
    STRIPE_SYNC_REQUESTED = 1u << 13,
    STRIPE_BATCH_ERR = 1u << 14 /* a write of a member of its batch failed */
};

/* reconstruct_state between two passes: the parity of a write has been computed (operations run
 * inline). */
enum reconstruct { RECONSTRUCT_IDLE, RECONSTRUCT_DRAIN_RESULT, RECONSTRUCT_PREXOR_DRAIN_RESULT };

/* check_state between two passes (spec 7.8): what the comparison of parity said, or that parity has
 * been computed anew. */
enum parity_check { CHECK_IDLE, CHECK_SAME, CHECK_DIFFERS, CHECK_COMPUTED };

enum slot_bit {
    SLOT_UPTODATE = 1u << 0, /* R5_UPTODATE */
    SLOT_LOCKED = 1u << 1,
    SLOT_OVERWRITE = 1u << 2,
    SLOT_INSYNC = 1u << 3, /* R5_Insync */
    SLOT_WANTREAD = 1u << 4,
    SLOT_WANTWRITE = 1u << 5,
    SLOT_OVERLAP = 1u << 6,
    SLOT_READ_ERROR = 1u << 7,
    SLOT_REWRITE = 1u << 8,
    SLOT_WANTFILL = 1u << 9,
    SLOT_WANTDRAIN = 1u << 10,
    SLOT_WANTCOMPUTE = 1u << 11,
    SLOT_SKIPCOPY = 1u << 12,      /* written from the caller's page: nothing is cached */
    SLOT_READ_NO_MERGE = 1u << 13, /* the next read is the second try */
    SLOT_WRITE_ERROR = 1u << 14,
    SLOT_MADE_GOOD = 1u << 15 /* written, though it was known to be bad */
};

/* LIST_INACTIVE + c holds the idle stripes of hash lock class c. */
enum { CLASSES_MAX = 8, HANDLE_BATCH_MAX = 8 };
enum stripe_list {
    LIST_NONE,
    LIST_HANDLE,
    LIST_DELAYED,
    LIST_BITMAP,
    LIST_HOLD,
    LIST_PLUG, /* heads are the clients' */
    LIST_INACTIVE,
    LIST_COUNT = LIST_INACTIVE + CLASSES_MAX
};

WORLD_STRUCTS_BEGIN
struct stripe {
    uint64_t sector; /* member sector of the slice */
    uint16_t state;  /* enum stripe_bit */
    uint16_t count;  /* references: lookups, handling, member I/O in flight */
    stripe_id lru_next, lru_prev;
    stripe_id hash_next, hash_prev;
    stripe_id index_next, index_prev;
    uint16_t bm_seq;
    uint8_t list;           /* enum stripe_list it is on */
    uint8_t parity;         /* pd_idx */
    stripe_id release_next; /* the one released before it, on the list of released stripes */
    stripe_id batch_head, batch_next; /* NONE16: in no batch / last of it */
    uint8_t reconstruct;              /* enum reconstruct */
    uint8_t overwrites;               /* overwrite_disks */
    uint8_t klass;                    /* hash_lock_index */
    uint8_t check;                    /* enum parity_check */
    uint8_t pad[2];
};

/* r5dev: lists of pieces, each linked through piece.next, sorted by sector (spec 2.2). */
struct slot {
    piece_id toread, towrite, written; /* NONE32: empty */
    uint32_t flags;                    /* enum slot_bit */
};

/* What the superblocks do not say yet: MD_SB_CHANGE_*. While PENDING is set nobody may begin a
 * write, and no stripe is handled. */
enum sb_flag { SB_DEVS = 1u << 0, SB_CLEAN = 1u << 1, SB_PENDING = 1u << 2 };
/* A lookup has found no idle stripe of its class; a stripe_head has been added since one was last
 * released: R5_ALLOC_MORE, R5_DID_ALLOC. */
enum cache_state { CACHE_ALLOC_MORE = 1u << 0, CACHE_DID_ALLOC = 1u << 1 };
/* MD_RECOVERY_* */
enum recovery_flag {
    RECOVERY_NEEDED = 1u << 0,
    RECOVERY_RUNNING = 1u << 1,
    RECOVERY_INTR = 1u << 2,
    RECOVERY_DONE = 1u << 3,
    RECOVERY_DISABLED = 1u << 4 /* it has failed for good */
};

/* The md device. */
struct array {
    uint64_t recovery_cp;     /* member sectors below are in sync; UINT64_MAX: all */
    uint64_t sync_at;         /* next member sector the resync thread asks for */
    uint64_t sync_completed;  /* curr_resync_completed: all below is done and recorded */
    uint64_t mismatches;      /* resync_mismatches: sectors of stripes whose parity was wrong */
    uint64_t sync_max;        /* the resync thread pauses there */
    uint32_t recovery_active; /* sectors asked for and not done */
    uint32_t sync_window;     /* sectors asked for since it last looked at its speed */
    uint32_t writes_pending;  /* bios that write and have not ended */
    uint32_t meta_pending;    /* superblock and bitmap I/Os under way */
    bio_id retry_head;        /* failed bypassed reads, the last first; NONE32: none */
    bio_id retry_bio;         /* the one being retried: retry_read_aligned */
    uint32_t retry_page;      /* its next page */
    uint32_t max_stripes;     /* max_nr_stripes: stripe_heads there are */
    uint32_t flaws;           /* places taken in SEC_FLAWS */
    uint32_t flaw_longest;    /* sectors of the longest of them so far */
    uint8_t sb_flags;         /* enum sb_flag */
    uint8_t recovery;         /* enum recovery_flag */
    uint8_t sync;             /* enum sync_action: what the resync thread does or is to begin */
    uint8_t in_sync;          /* the superblocks say clean */
    uint8_t safemode;         /* the timer has run out */
    uint8_t degraded;         /* slots without a member in sync */
    uint8_t fullsync;         /* a rebuild may not trust the bitmap */
    uint8_t quiesce;          /* nobody may take a stripe up */
    uint64_t events, events_cleared; /* of the superblocks; up to which the bitmap's bits may go */
    uint8_t bitmap_tick;             /* the daemon's timer has run out */
    uint8_t bitmap_head_old;         /* the bitmap's own superblock is to be written */
    uint8_t sync_tick;               /* the resync thread is to make a checkpoint */
    uint8_t sb_phase;                /* of writing superblocks: 1: page 0 of the bitmap first */
    uint8_t flushing;                /* a flush of all members is under way */
    uint8_t cache_state;             /* enum cache_state */
    uint8_t clean_sent;              /* the superblocks under way say clean */
    uint8_t clean_stored;            /* those on the members do */
    uint32_t active;                 /* active_stripes */
    uint32_t preread_active;         /* preread_active_stripes */
    uint16_t seq_flush, seq_write;
    uint8_t inactive_blocked;
    uint8_t plugged;       /* the array's own queue */
    uint8_t raid5d_wanted; /* THREAD_WAKEUP of raid5d */
    uint8_t down;          /* it has not been started after a power cut */
    uint32_t to_handle;    /* stripes on the handle list: stripes_cnt of the one worker group */
    uint32_t pending_full_writes, bypass_count;
    stripe_id last_hold;
    stripe_id released;   /* the stripe released last */
    uint16_t deferred;    /* records of writes that are kept (model/defer.h) */
    uint16_t deferred_at; /* where the next dispatch begins; NONE16: with the first */
    struct {
        stripe_id head, tail;
    } list[LIST_COUNT];
    uint32_t pad2;
};
WORLD_STRUCTS_END

/* Buckets of the index: a power of two, at least the hash's own and about one a stripe. */
static inline uint32_t index_buckets(const struct shape *s)
{
    uint32_t n = s->hash_buckets;

    while (n && n < s->stripes)
        n *= 2;
    return n;
}

WORLD_SECTION(stripe, struct stripe, SEC_STRIPES)
WORLD_SECTION(bucket, stripe_id, SEC_BUCKETS)
WORLD_SECTION(length, uint32_t, SEC_LENGTHS)
WORLD_SECTION(index, stripe_id, SEC_INDEX)
WORLD_SECTION(slots, struct slot, SEC_SLOTS)
WORLD_SECTION(array, struct array, SEC_ARRAY)

static inline struct slot *slot_at(struct world *w, stripe_id s, unsigned disk)
{
    return slots_at(w, (uint64_t)s * w->shape.geometry.disks + disk);
}
static inline const struct slot *slot_see(const struct world *w, stripe_id s, unsigned disk)
{
    return slots_see(w, (uint64_t)s * w->shape.geometry.disks + disk);
}
/* Tells the host's processor that this stripe will be worked on soon. Changes nothing. */
static inline void stripe_expect(const struct world *w, stripe_id s)
{
    const char *slot;
    uint64_t bytes = w->shape.geometry.disks * sizeof(struct slot);

    if (s >= w->shape.stripes)
        return;
    __builtin_prefetch(stripe_see(w, s), 1);
    slot = (const char *)slots_see(w, (uint64_t)s * w->shape.geometry.disks);
    for (uint64_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(slot + at, 1);
    __builtin_prefetch(tags_see(w, (uint64_t)s * w->shape.geometry.disks * w->shape.tags_per_page),
                       1);
}
/* Where the page of a slot begins, counted in pages of SEC_TAGS. */
static inline uint32_t slot_page(const struct world *w, stripe_id s, unsigned disk)
{
    return (uint32_t)s * w->shape.geometry.disks + disk;
}

#endif
