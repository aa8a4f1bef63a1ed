/*
 * Derived figures: what text report, JSON report, [expect] lines and the bottleneck finder all work
 * out from struct results, worked out once so that they cannot disagree.
 *
 * Shares are thousandths of a percent (100 % = 100000), rates thousandths per second, both rounded
 * down; a share of nothing is 0. Doubles exist for printing alone and each is one division of two
 * whole numbers, so that they come out the same under every compiler.
 */
#ifndef SIM_FIGURES_H
#define SIM_FIGURES_H
#include <stdbool.h>
#include <stdint.h>

#include "sim/results.h"

enum { SHARE_ALL = 100000, DISK_NAME_BYTES = 8 };

struct share_of {
    uint32_t milli;
    uint32_t index;
}; /* a share and whose it is */

uint32_t figures_share(uint64_t part, uint64_t whole);
/* amount / ns, in thousandths per second; saturates at INT64_MAX. */
uint64_t figures_rate(uint64_t amount, uint64_t ns);
/* Whole units per second, rounded down as fio does. */
uint64_t figures_per_second(uint64_t amount, uint64_t ns);
double figures_ratio(uint64_t part, uint64_t whole);
double figures_percent(uint64_t part, uint64_t whole);

/* Over all jobs; dir 0 read, 1 write. */
uint64_t figures_bytes(const struct results *, unsigned dir);
uint64_t figures_ios(const struct results *, unsigned dir);
/* I/Os of a job that failed, both directions. */
uint64_t figures_errors(const struct results *, unsigned job);
/* What a job's own rates are taken over: its runtime, or the window when it has none. */
uint64_t figures_job_ns(const struct results *, unsigned job);
/* Completion latencies of all jobs and both directions. Overwrites *into. */
void figures_clat(const struct results *, struct histogram *into);

uint64_t figures_cpu_busy_ns(const struct results *);
/* Busy time of all CPUs over CPUs times window. */
uint32_t figures_cpu_load(const struct results *);
/* Devices that are or were in a slot, or hold the journal: what means are taken over. */
uint32_t figures_members(const struct results *);
/* Means over these, and the busiest one. Without members 0. */
uint32_t figures_disk_util(const struct results *);
struct share_of figures_disk_util_max(const struct results *);
uint64_t figures_profile_cycles(const struct results *); /* over all symbols */
/* Cycles of a symbol; 0 when nothing was booked under it. */
uint64_t figures_symbol(const struct results *, const char *name);
/* Most I/Os the jobs may have in flight together. */
uint64_t figures_depth(const struct results *);
/* Does this thread belong to the job? Threads of a job are called NAME/number, NAME cut after this
 * many characters; jobs whose names differ only behind the cut are not told apart. */
enum { THREAD_JOB_CHARS = 15 };
bool figures_thread_of(const struct results_thread *, const struct job *);

/* sda, sdb, ... sdz, sdaa: the name member number `index` goes by in reports. */
void figures_disk_name(unsigned index, char name[static DISK_NAME_BYTES]);
/* "md0", or NULL when the scenario has bare disks. */
const char *figures_array_name(const struct results *);
/* "ok", or "finding" when a read differed from the oracle or a thread hangs. */
const char *figures_verdict(const struct results *);

/* The texts of model/work.def. */
const char *work_key(unsigned work);
const char *work_label(unsigned work);

#endif
