/*
 * A job's plan: see job_plan.h. The rules are fio's; docs/WORKLOADS.md lists them for the user.
 *
 * The random map is left out where fio leaves it out: with norandommap, with an uneven
 * distribution, with a blockalign other than the block size. With several block sizes fio keeps a
 * map of the smallest and cuts requests where they meet a visited block, so that the sizes no
 * longer follow bssplit; here the sizes win and the map is off.
 */
#include "sim/job_plan.h"

#include <string.h>

#include "model/assert.h"
#include "model/ids.h"
#include "sim/arrival.h"

static uint32_t smallest_block(const struct job *job)
{
    uint32_t smallest = UINT32_MAX;

    ASSERT(job->split_count >= 1 && job->split_count <= BSSPLIT_MAX);
    for (uint32_t i = 0; i < job->split_count; i++) {
        ASSERT(job->split[i].bytes > 0);
        ASSERT(job->split[i].bytes % SECTOR_BYTES == 0);
        if (job->split[i].percent > 0 && job->split[i].bytes < smallest)
            smallest = job->split[i].bytes;
    }
    ASSERT(smallest != UINT32_MAX);
    return smallest;
}

static void set_region(struct job_plan *p, uint64_t array_bytes)
{
    const struct job *job = &p->job;

    ASSERT(job->offset % SECTOR_BYTES == 0);
    ASSERT(job->offset < array_bytes);
    p->start = job->offset;
    p->region = job->size != 0 ? job->size : array_bytes - job->offset;
    ASSERT(p->region <= array_bytes - job->offset);
    ASSERT(p->region >= p->smallest);
    p->limit = job->io_size != 0 ? job->io_size : p->region;
}

/* fio counts the whole grid steps that are left when the part of the last block that sticks out of
 * its step has been put aside. */
static void set_grid(struct job_plan *p)
{
    uint64_t overhang;

    p->align = p->job.blockalign != 0 ? p->job.blockalign : p->smallest;
    ASSERT(p->align % SECTOR_BYTES == 0);
    overhang = p->smallest > p->align ? p->smallest - p->align : 0;
    p->blocks = (p->region - overhang) / p->align;
    if (p->blocks == 0)
        p->blocks = 1; /* a region shorter than a step: its first block only */
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void set_times(struct job_plan *p)
{
    const struct job *job = &p->job;

    p->begin_ns = job->startdelay_ns;
    p->stop_ns = UINT64_MAX;
    if (job->runtime_ns != 0)
        p->stop_ns = add_saturated(p->begin_ns, add_saturated(job->ramp_ns, job->runtime_ns));
    if (job->rate_iops != 0 && job->rate_process == RATE_POISSON)
        p->mean_gap = arrival_mean(job->rate_iops);
}

void job_plan_set(struct job_plan *p, const struct job *job, uint64_t array_bytes)
{
    ASSERT(job->numjobs >= 1);
    ASSERT(job->loops >= 1);
    ASSERT(job->rwmixread <= 100);
    memset(p, 0, sizeof(*p));
    p->job = *job;
    p->smallest = smallest_block(job);
    p->random = job->rw == RW_RANDREAD || job->rw == RW_RANDWRITE || job->rw == RW_RANDRW;
    p->mixed = job->rw == RW_RW || job->rw == RW_RANDRW;
    p->distribution = p->random ? (enum distribution)job->distribution : DIST_RANDOM;
    set_region(p, array_bytes);
    set_grid(p);
    set_times(p);
    p->mapped = p->random && !job->norandommap && p->distribution == DIST_RANDOM &&
                job->split_count == 1 && p->align == p->smallest;
}
