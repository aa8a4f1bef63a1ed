/*
 * What a timed run has measured: the only thing reports look at.
 *
 * Counts cover the measured window (after ramp_time) unless said otherwise. Times are ns, sizes
 * bytes or sectors as named, cycles are CPU cycles. Filled by sim/run.c, read by sim/report_text.c,
 * sim/report_json.c, sim/expect.c.
 */
#ifndef SIM_RESULTS_H
#define SIM_RESULTS_H
#include <stdint.h>

#include "model/marks.h"
#include "sim/histogram.h"
#include "sim/history.h"
#include "sim/scenario.h"

struct results_direction {
    uint64_t ios, bytes;
    uint64_t errors;                  /* I/Os that failed; they count among ios, as in fio */
    struct histogram clat, slat, lat; /* completion, submission, total */
};
struct results_job { /* all instances of one [job] together */
    uint64_t runtime_ns;
    struct results_direction dir[2]; /* 0 read, 1 write */
    struct histogram sync;           /* fsync, fdatasync: one flush each */
};
/* Room for enum io_reason and enum io_kind of model/io.h, which is not seen from here. */
enum { RESULT_REASONS = 16, RESULT_KINDS = 3 };
struct results_io {
    uint64_t ios, sectors;
};
struct results_member { /* one member disk, iostat -x */
    uint64_t ios[2], sectors[2], merges[2],
        ticks_ns[2];   /* ticks: sum over requests of queue + service time */
    uint64_t busy_ns;  /* time with at least one request in queue or device */
    uint64_t queue_ns; /* integral of requests in queue or device */
    uint64_t flushes, flush_ticks_ns;
    uint64_t meta_ios, meta_sectors; /* of the writes: superblock, list of bad blocks, bitmap */
    /* Member I/Os before merging, by what they were for and enum io_kind, counted as they end: over
     * all reasons their sectors are those above, and ios + merges once nothing is under way. */
    struct results_io by_reason[RESULT_REASONS][RESULT_KINDS];
};
/* How stripes were written (md-6.1). A stripe that is written again counts again. */
enum { BATCH_BUCKETS = 16 };
struct results_writes {
    uint64_t full, rcw, rmw;         /* stripes; full: every data page of them is new */
    uint64_t partial;                /* of all these: given a page in part */
    uint64_t batches[BATCH_BUCKETS]; /* full ones that were handled together: 1, 2-3, 4-7, ... */
};
/* md at the end of the run. */
enum { RESULT_BAD_MAX = 8 };
struct results_device {
    uint64_t recovery_offset;     /* as in struct disk */
    uint64_t bad[RESULT_BAD_MAX]; /* the first bad blocks: member sectors */
    uint32_t flags;               /* enum member_flag */
    uint32_t corrected;           /* sectors */
    uint32_t bad_blocks;          /* pages */
};
struct results_md {
    uint64_t array_sectors, component_sectors;
    uint32_t degraded;
    uint8_t in_sync, safemode, sb_flags; /* as in struct array */
    uint8_t metadata;                    /* enum metadata */
    uint64_t bitmap_chunk_sectors;       /* 0: there is no bitmap */
    uint64_t bitmap_pages, bitmap_used;  /* of its counters in memory; with one that is not zero */
    struct history_progress now;         /* of a sync under way (history.running) */
    struct results_device device[DISKS_MAX];
    uint8_t seat[DISKS_MAX]; /* the device in each slot, or the last one there was */
};
struct results_thread {
    char name[24];
    uint64_t busy_ns, spin_ns, blocked_ns, switches, wakeups, wasted_wakeups;
};
struct results_cpu {
    uint64_t busy_ns, irq_ns, spin_ns, switch_ns;
}; /* busy includes the three others */
struct results_lock {
    char name[24];
    uint64_t acquisitions, contended, wait_ns, wait_max_ns, hold_ns, hold_max_ns;
};
struct results_symbol {
    char name[32];
    uint64_t cycles;
};
struct results_cache {
    uint64_t sync_done, sync_end, mismatches; /* member sectors; sync_end 0: no resync thread */
    uint64_t
        sync_speed; /* KiB/s of each member, from the last sync's begin to its end or the run's */
    uint64_t lookups, hits, misses, chain_steps, waits, wait_ns, wakeups, wasted_wakeups,
        blocked_ns; /* blocked: time with >= 1 waiter */
    uint32_t active_max, size;
    uint64_t memory_bytes; /* what a cache of that size takes in the kernel: heads and pages */
    uint64_t handle_passes, attached_pages;
};

/* What became of a [fault NAME], over the whole run. */
struct results_fault {
    uint64_t struck, missed; /* missed: there was nothing to strike */
};

enum { RESULT_SYMBOLS_MAX = 64, RESULT_THREADS_MAX = 1024, RESULT_LOCKS_MAX = 8 };

struct results {
    const struct scenario *scenario;
    uint64_t window_ns;     /* length of the measured window */
    uint64_t end_ns;        /* simulated time at the end of the run */
    uint64_t moves, events; /* whole run */
    uint64_t findings;      /* reads that differ from the oracle; 0 in a right run */
    char finding[256];      /* the first one, in words */
    uint64_t pages;         /* 4 KiB pages moved for users in the window */
    uint64_t world_bytes;
    uint32_t cpu_count, thread_count, lock_count, symbol_count, job_count, member_count;
    uint64_t work[WORK_COUNT]; /* the count vector */
    uint64_t work_cycles[WORK_COUNT];
    uint64_t marks[MARK_COUNT]; /* whole window, like work */
    struct results_job job[JOBS_MAX];
    struct results_member member[DISKS_MAX], array;
    struct results_cpu cpu[CPUS_MAX];
    struct results_thread thread[RESULT_THREADS_MAX];
    struct results_lock lock[RESULT_LOCKS_MAX];
    struct results_symbol symbol[RESULT_SYMBOLS_MAX]; /* sorted by cycles, falling */
    struct results_cache cache;
    struct results_fault fault[FAULTS_MAX];
    struct results_writes writes;
    struct results_md md;   /* at the end */
    struct history history; /* of the whole run */
};

#endif
