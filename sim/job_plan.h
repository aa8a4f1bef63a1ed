/*
 * What a [job] has settled for good once the array is known: the region, the grid of random
 * offsets, how much a loop moves, the moments between which it may issue. Constant during a run;
 * shared by the job's instances.
 */
#ifndef SIM_JOB_PLAN_H
#define SIM_JOB_PLAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/distribution.h"
#include "sim/scenario.h"

struct job_plan {
    struct job job;
    uint64_t start, region; /* bytes: where the region begins, how long it is */
    uint64_t align, blocks; /* random offsets are start + k * align, k < blocks */
    uint64_t limit;         /* bytes a loop moves */
    uint64_t begin_ns;      /* startdelay */
    uint64_t stop_ns;       /* nothing is issued from here on; UINT64_MAX without a runtime */
    uint64_t mean_gap;      /* Poisson arrivals: arrival_mean(); 0: evenly spaced or unlimited */
    uint32_t smallest;      /* of the block sizes that occur */
    enum distribution distribution; /* DIST_RANDOM for sequential jobs */
    bool random, mixed;
    bool mapped;          /* each block once per pass: fio's random map */
    struct choice choice; /* how random offsets are drawn; set by the workload, */
    size_t table;         /* with the place of its table in the workload's block */
    size_t script;        /* a script's I/Os in the workload's block, */
    uint32_t asks;        /* and how many; 0: this is no script. Set by the workload too */
};

/* Derives everything but choice, table and script (zeroed). Preconditions, which the scenario
 * reader ensures: the region lies in the array and holds the smallest block; sizes, offset and
 * blockalign are multiples of 512; numjobs, loops >= 1; some block size has a share above 0 %. */
void job_plan_set(struct job_plan *, const struct job *, uint64_t array_bytes);

#endif
