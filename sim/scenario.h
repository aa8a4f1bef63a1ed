/*
 * A scenario: everything the user has said, checked and with presets and defaults filled in.
 *
 * Scenario files are INI (libinih). All keys live in one table, sim/keys.def, which feeds the
 * reader, `raid5sim keys`, the man page and the completion. Sections: [scenario] [host] [driver]
 * [array] [disk] [disk N] [job NAME] [fault NAME]
 * [expect] and `include = FILE`. A preset is an INI file with
 * the keys of one section; `preset = NAME` is looked up as NAME.cfg in the scenario's own folder,
 * then <data>/presets/{hosts,drivers,disks}, where <data> is $RAID5SIM_DATA, the `scenarios` folder
 * of the source tree the binary was built in, or the installed data folder, first that exists. Keys
 * given beside `preset` override the preset, wherever they stand in the section. `--set
 * section.key=value` overrides both.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disks/elevator.h"
#include "disks/preset.h"
#include "model/geometry.h"
#include "model/work.h"

enum {
    JOBS_MAX = 32,
    EXPECTS_MAX = 64,
    FAULTS_MAX = 64,
    DISKS_MAX = 254,
    BSSPLIT_MAX = 16,
    CPUS_MAX = 64,
    WARNINGS_MAX = 64,
    IOSEQ_MAX = 8192 /* bytes of a job's script */
};

/* One line for the user: file:line: text. The four channels: docs/HACKING.md. */
struct complaint {
    char file[256];
    int line;
    char text[512];
};

enum rw { RW_READ, RW_WRITE, RW_RANDREAD, RW_RANDWRITE, RW_RW, RW_RANDRW };
enum distribution { DIST_RANDOM, DIST_ZIPF, DIST_PARETO, DIST_NORMAL };
/* Who submits: one context for all of a job's I/Os (libaio, io_uring), or a helper thread for each
 * outstanding one (posixaio), or one at a time (psync, sync: iodepth counts as 1). */
enum ioengine { ENGINE_LIBAIO, ENGINE_IO_URING, ENGINE_POSIXAIO, ENGINE_PSYNC };
/* How rate_iops spaces I/Os: evenly, or as a Poisson process of that mean rate. */
enum rate_process { RATE_LINEAR, RATE_POISSON };
/* Run queues first come first served (the O(1) scheduler without its bonus), or CFS. */
enum scheduler_kind { SCHEDULER_FCFS, SCHEDULER_CFS };
enum lock_kind { LOCK_UNFAIR, LOCK_TICKET, LOCK_QUEUED };

struct split {
    uint32_t bytes, percent;
};

/* A [job NAME] section, in fio's keys and units (docs/SCENARIOS.md). Sizes are bytes, times ns. */
struct job {
    char name[64];
    uint8_t rw;           /* enum rw */
    uint8_t distribution; /* random_distribution */
    uint8_t engine;       /* ioengine */
    uint8_t direct, time_based, norandommap;
    uint8_t fresh_buffers; /* ours: every I/O has a newly allocated buffer, its pages fault in */
    uint8_t rwmixread;     /* percent */
    uint32_t distribution_milli; /* zipf theta, pareto h, normal deviation in percent, times 1000 */
    uint32_t iodepth, numjobs, loops;
    uint32_t fsync;        /* a flush after so many writes; 0: none */
    uint32_t rate_iops;    /* per job instance; 0: no limit */
    uint32_t rate_process; /* enum rate_process */
    uint32_t split_count;  /* bssplit; one entry with 100 % for a plain bs */
    struct split split[BSSPLIT_MAX];
    uint32_t blockalign;   /* offsets are multiples of this; default: the smallest block size */
    uint64_t size, offset; /* the region; size 0: to the end of the array */
    uint64_t io_size;      /* bytes to move before the job ends; 0: size */
    uint64_t runtime_ns, ramp_ns, thinktime_ns, startdelay_ns;
    char ioseq[IOSEQ_MAX]; /* ours: a script of I/Os (sim/script.h) instead of all the above; "":
                              none */
    int line;              /* where the section starts */
};

/* What a [fault NAME] does, in the order of the key's words. From bad_sectors on: see
 * faults/fate.h; read_error to misdirected_write strike single I/Os. */
enum fault_what {
    FAULT_FAIL,
    FAULT_DIE,
    FAULT_ADD,
    FAULT_RE_ADD,
    FAULT_BAD_SECTORS,
    FAULT_ROT,
    FAULT_READ_ERROR,
    FAULT_WRITE_ERROR,
    FAULT_LOST_WRITE,
    FAULT_TORN_WRITE,
    FAULT_MISDIRECTED_WRITE,
    FAULT_SYNC_MAX,
    FAULT_CHECK,
    FAULT_REPAIR,
    FAULT_IDLE,
    FAULT_SLOW, /* from here on single I/Os again, of both directions */
    FAULT_TIMEOUT
};
enum fault_lasts { LASTS_IO, LASTS_REWRITE, LASTS_EVER };

/* A [fault NAME] section (docs/FAULTS.md). */
struct fault {
    char name[64];
    uint32_t what;  /* enum fault_what */
    uint32_t lasts; /* enum fault_lasts */
    uint32_t member;
    uint32_t every, nth, count; /* I/Os; 0: not so */
    uint32_t probability;       /* thousandths of a percent */
    uint64_t at_ns, until_ns;
    uint64_t offset, size; /* bytes */
    uint64_t delay_ns;
};

enum expect_kind { EXPECT_ABSOLUTE, EXPECT_RELATIVE, EXPECT_TEXT };
/* A line of [expect]: name = value [+-tolerance]. `throughput = 200MB/s +-10%`, `cpu_load = 45%
 * +-8`, `verdict = ok`, `symbol.memcpy = 18300 +-25%` (cycles per 4 KiB). Values in thousandths. */
struct expect {
    char name[64];
    uint8_t kind;
    int64_t value_milli, tolerance_milli; /* tolerance: in units of the value, or thousandths of a
                                             percent when relative */
    char text[64];
    uint32_t gap; /* the line ends in `gap`: the model is known to miss it; meeting it is news */
    int line;
};

struct host {
    char preset[64];
    char source[128];
    uint32_t cpus, mhz;
    uint32_t l2_size, line_bytes;
    uint32_t miss_cycles;     /* a line from DRAM that something waits for: pointer chases, locked
                                 operations */
    uint32_t stream_cycles;   /* a line from DRAM among others in a row: misses overlap */
    uint32_t transfer_cycles; /* a line last written by another CPU */
    uint32_t lock_kind;       /* enum lock_kind */
    uint32_t lock_cycles;     /* taking and dropping a free spinlock */
    uint32_t handover_cycles; /* a contended spinlock changes hands */
    uint32_t wake_ns;         /* from wake-up to running on an idle CPU */
    uint32_t timeslice_ns;
    uint32_t soaker;  /* a lowest-priority cycle soaker runs on every CPU (a load meter): no CPU is
                         ever idle */
    uint32_t soak_ns; /* the soaker's own timeslice: it runs when a thread has used up its own */
    uint32_t scheduler;  /* enum scheduler_kind */
    uint32_t balance_ns; /* how often the scheduler evens out the run queues of busy CPUs */
    uint32_t irq_cpu;    /* CPU that takes disk interrupts; cpus: spread round robin by disk */
    uint32_t hz;
    uint32_t elevator; /* enum elevator_kind */
    uint32_t nr_requests, max_sectors, max_segments, unplug_requests;
    uint32_t
        plug_requests; /* a task's own plug holds so many, then lets them go; 0: the old plug */
    uint64_t unplug_ns, antic_ns, read_expire_ns, write_expire_ns, read_batch_ns, write_batch_ns;
    uint32_t fifo_batch, writes_starved, nomerges;
    uint32_t cycles_milli[WORK_COUNT]; /* thousandths of a cycle per unit of work */
};

/* Feature switches of an md version (DESIGN: driver versions are data). */
struct driver {
    char preset[64];
    char source[128];             /* what was read to know this, printed by `raid5sim presets` */
    uint32_t nr_hash;             /* hash buckets, 512 */
    uint32_t aligned_read_bypass; /* reads inside a chunk go straight to the member (2.6.20+) */
    uint32_t
        wake_policy; /* 0 gated wake-all (2.6.15), 1 wake-all at every release (3.12), 2 wake-one */
    uint32_t three_quarter_rule; /* waiters wait until this share of the cache, in percent, is
                                    active: 75; 100 turns the rule off */
    uint32_t array_plug;         /* the array's queue has the old plug */
    uint64_t array_plug_ns;
    uint32_t bio_max_sectors;   /* largest bio direct I/O may build for this array */
    uint32_t bio_max_pages;     /* and for a plain disk: BIO_MAX_PAGES */
    uint32_t stripe_head_bytes; /* fixed part, for memory and temperature */
    uint32_t stripe_slot_bytes; /* per slot */
    uint32_t lock_lines;   /* cache lines that come along when device_lock changes CPUs: lock, list
                              heads, counters */
    uint32_t io_threshold; /* preread_active below which delayed stripes are activated, 1 */
    uint32_t generation;   /* 0 2.6.15: the submitter handles stripes; 1 6.1: raid5d does */
    uint32_t max_stripe_batch; /* stripes raid5d takes from its lists at a time (6.1) */
    uint32_t stripe_batches;   /* full stripes of one write are handled together (4.1) */
    uint32_t hash_classes;     /* NR_STRIPE_HASH_LOCKS: lists of inactive stripes, 1 to 8 */
    /* Where md-3.12 and md-6.1 differ: see sim/keys.def. */
    uint32_t whole_bio_attach, plug_every_io, sync_reads;
    uint32_t bio_chunks; /* enum bio_cut */
    uint32_t bypass_degraded, bypass_queue_limits;
    uint32_t lookup_lock;  /* 0 a hash lock, 1 device_lock */
    uint32_t release_list; /* 0 the last reference, 1 every one */
    uint32_t quiesce_queue, superblock_gate;
    uint32_t degraded_fetch, forced_rcw_degraded, lost_block_delay, failed_counts_stay;
    uint32_t degraded_retry, write_error_degrades;
    uint32_t resync_handles, resync_yields, cache_grows, shared_flushes, deferred_writes;
    uint32_t rmw_levels, skip_copies; /* md has the sysfs file of this name */
    uint32_t logs;                    /* a journal or PPL can be asked for */
    char mutation[8];                 /* a fault that is put back (model/mutations.def) */
};

/* consistency_policy, as the key names its values. */
enum consistency { CONSISTENCY_RESYNC, CONSISTENCY_BITMAP, CONSISTENCY_PPL, CONSISTENCY_JOURNAL };

enum check_mode { CHECK_FINGERPRINT, CHECK_EXACT, CHECK_BITSTATE };
enum check_order { CHECK_BREADTH, CHECK_DEPTH, CHECK_WALK };
enum check_reduce { REDUCE_PRIVATE = 1u << 0, REDUCE_CLIENTS = 1u << 1, REDUCE_MEMBERS = 1u << 2 };
enum check_allow {
    ALLOW_WRITE_HOLE = 1u << 0,
    ALLOW_DOUBLE_FAILURE = 1u << 1,
    ALLOW_SILENT_CORRUPTION = 1u << 2
};
/* What fate may spend. */
enum check_budget {
    BUDGET_FAIL,
    BUDGET_DIE,
    BUDGET_ADD,
    BUDGET_RETURN,
    BUDGET_READ,
    BUDGET_UNREADABLE,
    BUDGET_WORN,
    BUDGET_WRITE,
    BUDGET_LOSE,
    BUDGET_TEAR,
    BUDGET_MISDIRECT,
    BUDGET_ROT,
    BUDGET_CHECK,
    BUDGET_REPAIR,
    BUDGET_CUT,
    BUDGET_COUNT
};

/* [check]: see sim/keys.def. */
struct checking {
    bool on; /* the world is made for a check: small tables, a client's I/Os and budgets in it */
    uint32_t mode, order;   /* enum check_mode, check_order */
    uint32_t reduce, allow; /* bits of enum check_reduce, check_allow */
    uint32_t threads, depth, walks, liveness, structure;
    uint32_t stripes, growth, stale_parity, background, start_dirty_degraded;
    uint32_t budget[BUDGET_COUNT];
    uint64_t memory;
};

struct scenario {
    char path[256], title[128], why[512];
    uint64_t seed;
    struct host host;
    struct driver driver;
    struct {
        uint32_t level, layout, raid_disks, chunk_size; /* enums of model/geometry.h; bytes */
        uint64_t component_size; /* bytes of each member used; 0: the whole disk */
        uint32_t stripe_cache_size;
        uint64_t failed;                         /* bit d: member d is missing from the start */
        uint64_t sync_delay;                     /* ns */
        uint64_t sync_min, sync_max;             /* member sectors */
        uint32_t sync_action;                    /* enum sync_action */
        uint32_t sync_speed_min, sync_speed_max; /* KiB/s */
        uint32_t metadata;                       /* enum metadata */
        uint32_t spares;
        uint32_t consistency; /* enum consistency */
        uint32_t journal;     /* there is a journal device */
        uint32_t bitmap, bitmap_fresh;
        uint64_t bitmap_chunk;
        uint64_t safe_mode_ns;
        uint64_t recovery_cp;      /* member sectors below are in sync; UINT64_MAX: all are */
        uint32_t rmw_level;        /* 0 never read-modify-write, 1 if cheaper, 2 also on a tie */
        uint32_t skip_copy;        /* full-page writes are sent from the caller's page */
        uint32_t bypass_threshold; /* preread_bypass_threshold */
        uint32_t group_thread_cnt; /* workers beside raid5d */
    } array;
    uint32_t disk_count;                /* = raid_disks */
    struct disk_preset disk[DISKS_MAX]; /* [disk] applies to all, [disk 3] overrides one */
    uint32_t job_count;
    struct job job[JOBS_MAX];
    uint32_t fault_count;
    struct fault fault[FAULTS_MAX];
    struct checking checking;
    uint32_t expect_count;
    struct expect expect[EXPECTS_MAX];
    uint32_t warning_count; /* unknown fio keys: named in one line, not fatal */
    char warning[WARNINGS_MAX][64];
};

/* Overrides from the command line: `section.key=value`, `job.NAME.key=value`; md/KEY is array.KEY
 * (sysfs). */
struct overrides {
    const char *const *text;
    unsigned count;
};

/* Reads, merges presets, checks every value and the whole (1-disk raid5, jobs beyond the array,
 * component beyond the disk, chunk no power of two, bs no multiple of 512, ...). False: *complaint
 * says the first trouble, nothing else happened. struct scenario is large (allocate it on the
 * heap). */
bool scenario_load(struct scenario *, const char *path, const struct overrides *,
                   struct complaint *);
/* The same for who only asks where sectors lie: its geometry too, and without a load. path NULL:
 * there is no file, --set says everything. Members that have neither preset nor capacity count as
 * the largest possible, except where their size is part of the answer (raw). */
bool scenario_load_array(struct scenario *, const char *path, const struct overrides *,
                         struct geometry *, struct complaint *);
/* Folder of a kind of preset ("hosts") in the data folder; false: there is no data folder. */
bool preset_folder(const char *kind, char *folder, size_t size);
/* The elevator parameters this host gives every member queue. */
struct elevator_params scenario_elevator(const struct scenario *);
/* Prints the table of keys (`raid5sim keys [PATTERN]`) / of presets with their sources (`raid5sim
 * presets`). Exit status. */
int scenario_print_keys(const char *pattern);
int scenario_print_presets(void);

/* "8M", "60G", "512", "1.5k": bytes, 1024-based as fio. "10s", "3ms", "5m", "250us": ns; a plain
 * number is seconds. "4.25": thousandths. False on junk, negative numbers and overflow. */
bool units_bytes(const char *, uint64_t *bytes);
bool units_time(const char *, uint64_t *ns);
bool units_milli(const char *, int64_t *milli);

/* Devices that faults add during a run; and all: members, the journal's, spares, these. */
uint32_t scenario_additions(const struct scenario *);
uint32_t scenario_devices(const struct scenario *);
/* When the last job stops issuing, in ns, as far as that is known beforehand; 0: it is not (a job
 * ends by size). */
uint64_t scenario_planned_end(const struct scenario *);

#endif
