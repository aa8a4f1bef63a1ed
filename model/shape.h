/*
 * The shape of a world: all sizes and switches that stay constant during a run. It stands at the
 * head of the world so that a step needs nothing else, and outside its live part, so that it costs
 * no fingerprint.
 */
#ifndef MODEL_SHAPE_H
#define MODEL_SHAPE_H
#include "model/geometry.h"
#include "model/ids.h"

/* When filing a stripe as inactive wakes the waiters for a stripe (spec 3.8, 3.9). */
enum wake_policy {
    WAKE_GATED, /* 2.6.15: all, but only if nobody blocks or less than the given share is active */
    WAKE_ALL,   /* 3.12: all, at every release */
    WAKE_ONE,   /* what-if: one waiter a release */
    WAKE_CLASS  /* 4.3 to 4.5 (B07): those who wait for a stripe of the same hash lock class */
};

/* Which form of the machine: handle_stripe in the submitter (2.6.15), or in raid5d with operations
 * (3.x to 6.1). */
enum generation { GENERATION_2615, GENERATION_61 };

/* Where the bios of a direct I/O to raid4 or raid5 end beside their largest size. */
enum bio_cut {
    CUT_FOR_BYPASS, /* 6.1: reads that may bypass the cache, at the edges of chunks */
    CUT_ALL,        /* 3.12: all, at the edges of chunks */
    CUT_NONE
};

/* What the resync thread has been told to do (sync_action; spec 11.1). */
enum sync_action { SYNC_IDLE, SYNC_CHECK, SYNC_REPAIR, SYNC_RESYNC, SYNC_RECOVER };

/* Where the superblock is kept, if it counts at all (spec 12.1). Versions 1.x have a list of bad
 * blocks, 0.90 has none. */
enum metadata { METADATA_NONE, METADATA_090, METADATA_10, METADATA_12 };

/* What stripes are written to before their members are (spec 13). */
enum log_kind { LOG_NONE, LOG_PPL, LOG_JOURNAL };
/* Partial parity logs: of how many members at most, and what mdadm keeps for one. */
enum { PPL_MEMBERS_MAX = 64, PPL_SECTORS = 2048 };
/* The journal's device: where the log begins on it, and how large it is at least. */
enum { JOURNAL_OFFSET = 2048, JOURNAL_SECTORS_MIN = 8192 };

struct shape {
    struct geometry geometry;
    uint64_t
        media_entries; /* places for written blocks, all members together; a power of two or 0 */
    uint64_t oracle_entries; /* the same for blocks of the array */
    uint32_t stripes;        /* stripe_heads there may be; 0 for raw and raid0 */
    uint32_t reserve;        /* of these: not there at the start; md-6.1 may add them */
    uint32_t check_words;    /* what a check keeps in the world */
    uint32_t hash_buckets;   /* a power of two */
    uint32_t requests;       /* request records, over all clients */
    uint32_t bios_per_request;
    uint32_t pieces_per_request;
    uint32_t ios_per_disk;    /* stripes + direct bios */
    uint32_t bio_max_sectors; /* largest bio of a direct I/O to this array */
    uint32_t stripe_lines;    /* cache lines of one stripe_head, for temperature */
    uint32_t unplug_ns;       /* the array's plug timer */
    uint16_t clients;         /* submitting threads */
    uint16_t actors;
    uint8_t tags_per_page; /* 1, 2, 4 or 8 */
    uint8_t group_sectors; /* 8 / tags_per_page */
    uint8_t wake_policy;   /* enum wake_policy */
    uint8_t active_limit;  /* percent of the cache below which blocked waiters may go on: 75 */
    uint8_t io_threshold;  /* IO_THRESHOLD */
    uint8_t array_plug;    /* the array's own queue is plugged by every attach */
    uint8_t bypass;        /* aligned reads go straight to the member */
    uint8_t fresh_buffers; /* the callers' buffers fault in at every I/O */
    uint8_t write_cache;   /* members have a volatile write cache */
    uint8_t generation;    /* enum generation */
    uint8_t hash_classes;  /* 1 or 8 */
    uint8_t handle_batch;  /* MAX_STRIPE_BATCH */
    uint8_t rmw_level;
    uint8_t skip_copy;
    uint8_t sync_action; /* enum sync_action: what the resync thread begins with */
    uint8_t metadata;    /* enum metadata; none: superblocks are not written */
    uint32_t bypass_threshold;
    uint32_t grace_us;       /* RCU grace period: a failed member leaves its slot that much later */
    uint32_t safe_mode_us;   /* safe_mode_delay; 0: an array never becomes clean by itself */
    uint32_t bad_blocks_max; /* pages a member's list of bad blocks holds */
    uint32_t flaw_entries;   /* places for flaws of the members' media (model/flaws.h) */
    uint16_t spares;         /* devices that wait for a slot at the start */
    uint16_t additions;      /* devices that may be added later */
    uint16_t faults;         /* not 0: there is a fate, which may strike */
    uint8_t bitmap_fresh;    /* as mdadm --create leaves it: all bits are set */
    uint8_t speed_limits;    /* the resync thread looks at its speed after each window */
    uint8_t defer; /* writes are kept and sent in order of sectors: workers, all members rotate */
    uint8_t no_batches; /* full stripes are handled one by one, as before 4.1 */
    /* Rules of md-3.12 that md-6.1 has not; 0: as md-6.1. Their names in a scenario, and since when
     * they are different: sim/keys.def. */
    uint8_t page_attach;        /* a bio is attached page by page */
    uint8_t bio_cut;            /* enum bio_cut */
    uint8_t bypass_degraded;    /* reads of members that are there bypass the cache all the same */
    uint8_t plug_all;           /* every direct I/O plugs, not only writes and those of many bios */
    uint8_t no_sync_reads;      /* reads never have REQ_SYNC */
    uint8_t lookup_locked;      /* lookups take device_lock */
    uint8_t release_every;      /* every reference goes by way of the list of released stripes */
    uint8_t one_wait_queue;     /* a quiesced array's callers wait where those for a stripe do */
    uint8_t no_superblock_gate; /* stripes are handled while a superblock write is pending */
    uint8_t early_fetch;        /* for a partial write of a missing block all are read at once,
                                   for any other write none */
    uint8_t forced_rcw_degraded;   /* untrusted parity forces rcw on a missing member, too */
    uint8_t no_lost_delay;         /* a missing block does not make a write wait for permission */
    uint8_t stale_counts;          /* what a failed stripe has ended still counts in its pass */
    uint8_t no_degraded_retry;     /* a page a degraded array cannot read is not read again */
    uint8_t quiet_write_error;     /* a failed write does not make its stripe DEGRADED */
    uint8_t sync_handles;          /* the resync thread handles a stripe first */
    uint8_t flushes_apart;         /* no flush serves another one, too */
    uint32_t bypass_most;          /* sectors of a read that may bypass the cache; 0: any */
    uint8_t log;                   /* enum log_kind */
    uint8_t stale_parity;          /* behind recovery_cp parity is wrong at the start */
    uint8_t power_cuts;            /* the power may be cut */
    uint8_t start_dirty_degraded;  /* raid456.start_dirty_degraded */
    uint8_t mutation;              /* enum mutation (model/mutations.h) */
    uint16_t workers;              /* group_thread_cnt */
    uint64_t bitmap_chunk_sectors; /* of a member; 0: no bitmap */
    uint64_t bitmap_sector;        /* of every member: where the bitmap is */
    uint64_t log_sector, log_sectors; /* of every member with LOG_PPL: where it is */
    uint64_t meta_sector;             /* of every member: where its superblock is */
    uint64_t recovery_cp; /* at the start: member sectors below are in sync; UINT64_MAX: all */
    uint64_t sync_min, sync_max; /* member sectors a check or repair goes over */
    uint64_t failed;             /* bit d: member d is missing from the start */
};

/* Devices by number: those that are in the slots at the start, the journal's, spares, those that
 * are added later. */
static inline unsigned shape_first_spare(const struct shape *s)
{
    return s->geometry.disks + (s->log == LOG_JOURNAL ? 1u : 0u);
}
static inline unsigned shape_devices(const struct shape *s)
{
    return shape_first_spare(s) + s->spares + s->additions;
}
/* Can this device be a member? The journal's cannot. */
static inline bool shape_is_member(const struct shape *s, unsigned device)
{
    return device < s->geometry.disks || device >= shape_first_spare(s);
}

#endif
