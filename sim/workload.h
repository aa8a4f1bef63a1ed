/*
 * The load generator: what a job instance asks next, in fio's sense.
 *
 * A job with numjobs = J has J instances, each with streams of its own. The generator is pure apart
 * from its state, which is flat (dice and counters), so that it can be snapshot with the clockwork.
 * Random block choice follows fio: blocks of `blockalign` in [offset, offset+size); unless
 * norandommap is set each block is visited once before any is visited twice, per loop (implemented
 * as a keyed permutation, not a bitmap: memory does not grow with size). zipf, pareto and normal
 * are computed in whole numbers (sim/distribution.h): the same under every compiler and libc.
 *
 * A job with the key ioseq works off a script instead (sim/script.h).
 */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/scenario.h"

struct workload; /* all instances of all jobs; opaque */

struct ask {
    uint64_t sector;
    uint32_t sectors;
    uint8_t flags; /* enum request_flag of model/request.h */
    uint8_t pad[3];
};

enum workload_answer { WORKLOAD_ASK, WORKLOAD_LATER, WORKLOAD_OVER };

/* array_sectors bounds jobs whose size is 0. Instances are numbered over all jobs, in order. Exits
 * only by returning; NULL when memory is short. Free with workload_free. */
struct workload *workload_new(const struct scenario *, uint64_t array_sectors);
void workload_free(struct workload *);
/* The whole state is one block of this size without pointers: a copy of it is a snapshot, copying
 * it back restores it. */
size_t workload_bytes(const struct workload *);
unsigned workload_instances(const struct workload *);
unsigned workload_job(const struct workload *, unsigned instance);
/* The next I/O of `instance` at time now. WORKLOAD_ASK: *ask is filled and counted as issued.
 * A flush that fsync or a script asks for has no sectors, and flag REQUEST_FLUSH.
 * WORKLOAD_LATER: nothing before *when (rate_iops, thinktime, startdelay); ask again then. *when is
 * UINT64_MAX for a script that waits for completions, for thinktime while an I/O is out, and while
 * a flush of fsync is out: ask again after workload_done.
 * WORKLOAD_OVER: never again (size, loops or runtime used up; when a runtime is set, no I/O is
 * issued at or after ramp + runtime; time_based starts over instead of ending by size). */
enum workload_answer workload_next(struct workload *, unsigned instance, uint64_t now,
                                   struct ask *ask, uint64_t *when);
/* An I/O of this instance ended (thinktime counts from here); `flush`: it was one of fsync's. */
void workload_done(struct workload *, unsigned instance, uint64_t now, bool flush);

#endif
