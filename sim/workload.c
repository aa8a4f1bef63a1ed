/*
 * The load generator: see workload.h; docs/WORKLOADS.md says for the user which fio key means what.
 *
 * A *plan* (sim/job_plan.h) is what a [job] has settled for good. An *instance* is one of the job's
 * numjobs clones: dice of its own and a few counters. Plans, instances and the tables of uneven
 * distributions stand in one block of memory with offsets instead of pointers, so that a copy of
 * its bytes is a snapshot.
 *
 * Time. An instance may issue at the latest of: its start (startdelay), the due time of its next
 * I/O under rate_iops (evenly spaced, or a Poisson process: sim/arrival.h), and thinktime after its
 * last completion (with I/Os still out nothing is issued at all: fio, too, lets the queue run dry
 * before it thinks). At or after start + ramp + runtime it is over.
 *
 * Place. Sequential jobs keep a position for each direction and go back to the start of the region
 * when what is left is smaller than the smallest block. Random jobs choose a block of the grid:
 * through a keyed permutation (the random map), an independent even draw, or an uneven draw whose
 * rank is scattered by a permutation fixed for the instance.
 *
 * End. A *loop* moves io_size bytes, or the region's; `loops` of them make the job. A new loop
 * starts at the region's start and with a new random map. time_based jobs know no end but the
 * runtime.
 *
 * A job with a script (sim/script.h) has none of that: its I/Os stand in the block as a list.
 *
 * Invariants: W1 a request lies in the region of its job. W2 What an instance asks depends on the
 * seed, its number, its job and the answers' order only, never on the time or on other instances.
 * W3 With a random map each block is asked exactly once before any is asked again.
 */
#include "sim/workload.h"

#include <stdlib.h>
#include <string.h>

#include "faults/points.h"
#include "model/assert.h"
#include "model/request.h"
#include "model/ids.h"
#include "sim/arrival.h"
#include "sim/dice.h"
#include "sim/distribution.h"
#include "sim/job_plan.h"
#include "sim/permutation.h"
#include "sim/script.h"

static const uint64_t second_ns = 1000000000;

struct instance {
    struct dice offset, size, mix, arrival;
    struct permutation shuffle; /* the random map, or where ranks of an uneven choice lie */
    uint64_t position[2];       /* sequential: next byte of the region, by direction */
    uint64_t visited;           /* blocks of the map used up */
    uint64_t moved;             /* bytes of this loop */
    uint64_t issued;            /* I/Os since the start, for rate_iops */
    uint64_t arrival_ns;        /* Poisson: when the next I/O is due */
    uint64_t last_done_ns;
    uint64_t awake_ns; /* script: end of the sleep before the next I/O; 0: not begun */
    uint32_t loop, in_flight, job;
    uint32_t over;
    uint32_t unsynced, syncing; /* fsync: writes since the last flush; one is out */
};

struct workload {
    size_t bytes;            /* of the whole block */
    size_t plans, instances; /* offsets */
    uint32_t job_count, instance_count;
};

static struct job_plan *plan_of(const struct workload *w, unsigned job)
{
    return (struct job_plan *)(void *)((char *)w + w->plans) + job;
}

static struct instance *instance_of(const struct workload *w, unsigned instance)
{
    ASSERT(instance < w->instance_count);
    return (struct instance *)(void *)((char *)w + w->instances) + instance;
}

static uint64_t *table_of(const struct workload *w, const struct job_plan *p)
{
    return (uint64_t *)(void *)((char *)w + p->table);
}

static struct script_ask *script_of(const struct workload *w, const struct job_plan *p)
{
    return (struct script_ask *)(void *)((char *)w + p->script);
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* -------------------------------------------------------------- instances */

static void instance_set(struct instance *s, const struct job_plan *p, uint32_t job,
                         uint32_t number, uint64_t seed)
{
    s->job = job;
    s->offset = dice_new(seed, DICE_JOB_OFFSET, number);
    s->size = dice_new(seed, DICE_JOB_SIZE, number);
    s->mix = dice_new(seed, DICE_JOB_MIX, number);
    s->arrival = dice_new(seed, DICE_JOB_ARRIVAL, number);
    s->arrival_ns = s->last_done_ns = p->begin_ns;
    s->shuffle = permutation_new(p->blocks, &s->offset);
}

/* A loop is over when less than a block is missing, as in fio; but it has one I/O at least. */
static bool loop_has_ended(const struct instance *s, const struct job_plan *p)
{
    if (p->job.time_based || s->moved == 0)
        return false;
    return s->moved >= p->limit || p->limit - s->moved < p->smallest;
}

/* False if that was the last one. */
static bool start_next_loop(struct instance *s, const struct job_plan *p)
{
    if (s->loop + 1 >= p->job.loops)
        return false;
    s->loop++;
    s->moved = 0;
    s->position[0] = s->position[1] = 0;
    if (p->mapped) {
        s->visited = 0;
        s->shuffle = permutation_new(p->blocks, &s->offset);
    }
    return true;
}

static bool is_over(struct instance *s, const struct job_plan *p, uint64_t now, uint64_t earliest)
{
    if (now >= p->stop_ns || earliest >= p->stop_ns)
        return true;
    return loop_has_ended(s, p) && !start_next_loop(s, p);
}

/* When the next I/O is due. The n-th (from 0) of an even rate: start + n / rate, to the nanosecond,
 * without drift. */
static uint64_t rate_due(const struct instance *s, const struct job_plan *p)
{
    uint64_t rate = p->job.rate_iops, n = s->issued;

    if (p->mean_gap != 0)
        return s->arrival_ns;
    return add_saturated(p->begin_ns, n / rate * second_ns + n % rate * second_ns / rate);
}

/* Thinking begins when the I/O that is out has ended: nobody knows when, and asking again and again
 * would keep the threads of a deep posixaio job busy with nothing else. */
static bool waits_for_an_end(const struct instance *s, const struct job_plan *p)
{
    return p->job.thinktime_ns != 0 && s->in_flight > 0;
}

/* The earliest time for the next I/O. */
static uint64_t earliest_ns(const struct instance *s, const struct job_plan *p)
{
    uint64_t earliest = p->begin_ns;

    if (p->job.rate_iops != 0) {
        uint64_t due = rate_due(s, p);

        earliest = due > earliest ? due : earliest;
    }
    if (p->job.thinktime_ns != 0 && s->issued > 0) {
        uint64_t thought = add_saturated(s->last_done_ns, p->job.thinktime_ns);

        earliest = thought > earliest ? thought : earliest;
    }
    return earliest;
}

static bool next_is_write(struct instance *s, const struct job_plan *p)
{
    if (p->mixed)
        return dice_below(&s->mix, 100) >= p->job.rwmixread;
    return p->job.rw == RW_WRITE || p->job.rw == RW_RANDWRITE;
}

/* A size out of bssplit among those that fit into `room`, in the proportion of their shares. */
static uint32_t next_size(struct instance *s, const struct job_plan *p, uint64_t room)
{
    const struct split *split = p->job.split;
    uint32_t total = 0, draw, i;

    if (p->job.split_count == 1)
        return split[0].bytes;
    for (i = 0; i < p->job.split_count; i++)
        total += split[i].bytes <= room ? split[i].percent : 0;
    ASSERT(total > 0);
    draw = (uint32_t)dice_below(&s->size, total);
    for (i = 0; split[i].bytes > room || draw >= split[i].percent; i++)
        draw -= split[i].bytes <= room ? split[i].percent : 0;
    return split[i].bytes;
}

static uint64_t next_block(const struct workload *w, struct instance *s, const struct job_plan *p)
{
    uint64_t rank;

    if (p->mapped) {
        if (s->visited == p->blocks) {
            s->visited = 0;
            s->shuffle = permutation_new(p->blocks, &s->offset);
        }
        return permutation_at(&s->shuffle, s->visited++);
    }
    rank = distribution_draw(&p->choice, table_of(w, p), &s->offset);
    return p->choice.kind == DIST_RANDOM ? rank : permutation_at(&s->shuffle, rank);
}

/* Where the next sequential request of this direction begins, from the start of the region. */
static uint64_t next_position(struct instance *s, const struct job_plan *p, bool write)
{
    if (p->region - s->position[write] < p->smallest)
        s->position[write] = 0;
    return s->position[write];
}

/* Does a read block the thread that asks for it? */
static bool waits(const struct job *job)
{
    return job->engine == ENGINE_PSYNC || job->engine == ENGINE_POSIXAIO;
}

static void compose(const struct workload *w, struct instance *s, const struct job_plan *p,
                    struct ask *ask)
{
    bool write = next_is_write(s, p);
    uint64_t at = p->random ? next_block(w, s, p) * p->align : next_position(s, p, write);
    uint32_t bytes = next_size(s, p, p->region - at);

    ASSERT(at + bytes <= p->region); /* W1 */
    if (!p->random)
        s->position[write] = at + bytes;
    s->moved += bytes;
    s->issued++;
    s->in_flight++;
    if (p->mean_gap != 0)
        s->arrival_ns = add_saturated(s->arrival_ns, arrival_gap_ns(&s->arrival, p->mean_gap));
    memset(ask, 0, sizeof(*ask));
    ask->sector = (p->start + at) / SECTOR_BYTES;
    ask->sectors = bytes / SECTOR_BYTES;
    ask->flags = write ? REQUEST_WRITE : waits(&p->job) ? REQUEST_WAITED : 0;
}

/* fsync: the thread waits in it, whatever else it has under way. */
static enum workload_answer sync_next(struct instance *s, struct ask *ask)
{
    if (s->syncing)
        return WORKLOAD_LATER;
    s->syncing = 1;
    s->in_flight++;
    *ask = (struct ask){ .flags = REQUEST_FLUSH };
    return WORKLOAD_ASK;
}

/* ----------------------------------------------------------------- scripts */

/* The next I/O of a script, when as few others are under way as it asks for. */
static enum workload_answer script_next(const struct workload *w, struct instance *s,
                                        const struct job_plan *p, uint64_t now, struct ask *ask,
                                        uint64_t *when)
{
    const struct script_ask *next;

    if (s->issued == p->asks) {
        s->over = 1;
        return WORKLOAD_OVER;
    }
    next = script_of(w, p) + s->issued;
    *when = UINT64_MAX; /* a completion will tell */
    if (s->in_flight > next->outstanding)
        return WORKLOAD_LATER;
    if (s->awake_ns == 0)
        s->awake_ns = add_saturated(now < p->begin_ns ? p->begin_ns : now, next->sleep_ns);
    *when = s->awake_ns;
    if (now < s->awake_ns)
        return WORKLOAD_LATER;
    s->awake_ns = 0;
    s->issued++;
    s->in_flight++;
    s->moved += (uint64_t)next->sectors * SECTOR_BYTES;
    *ask = (struct ask){ next->sector, next->sectors, next->flags, { 0 } };
    return WORKLOAD_ASK;
}

/* ----------------------------------------------------------------- public */

static void place_script(struct workload *w, struct job_plan *p, const struct script *script,
                         size_t at)
{
    p->script = at;
    p->asks = script->count;
    if (script->count)
        memcpy(script_of(w, p), script->ask, script->count * sizeof *script->ask);
}

/* The instances' owner numbers run over all jobs in order: a job added at the end changes no one's
 * luck. */
static void fill(struct workload *w, const struct scenario *scenario, const struct script *script,
                 uint64_t array_sectors)
{
    size_t table = w->instances + w->instance_count * sizeof(struct instance);
    uint32_t number = 0;

    for (uint32_t j = 0; j < w->job_count; j++) {
        struct job_plan *p = plan_of(w, j);

        job_plan_set(p, &scenario->job[j], array_sectors * SECTOR_BYTES);
        p->table = table;
        p->choice =
            distribution_new(p->distribution, p->job.distribution_milli, p->blocks, table_of(w, p));
        table += p->choice.buckets * sizeof(uint64_t);
        place_script(w, p, &script[j], table);
        table += script[j].count * sizeof *script[j].ask;
        for (uint32_t i = 0; i < p->job.numjobs; i++, number++)
            instance_set(instance_of(w, number), p, j, number, scenario->seed);
    }
}

static struct workload *make(const struct scenario *scenario, const struct script *script,
                             uint64_t array_sectors)
{
    struct workload *w;
    size_t bytes = sizeof(*w);
    uint32_t instances = 0;

    for (uint32_t j = 0; j < scenario->job_count; j++) {
        struct job_plan p;

        job_plan_set(&p, &scenario->job[j], array_sectors * SECTOR_BYTES);
        bytes += sizeof(uint64_t) * distribution_buckets(p.distribution, p.blocks);
        bytes += script[j].count * sizeof *script[j].ask;
        instances += p.job.numjobs;
    }
    bytes += scenario->job_count * sizeof(struct job_plan) + instances * sizeof(struct instance);
    w = point_fails(POINT_LOAD_MEMORY) ? NULL : calloc(1, bytes);
    if (w == NULL)
        return NULL;
    w->bytes = bytes;
    w->job_count = scenario->job_count;
    w->instance_count = instances;
    w->plans = sizeof(*w);
    w->instances = w->plans + scenario->job_count * sizeof(struct job_plan);
    fill(w, scenario, script, array_sectors);
    return w;
}

struct workload *workload_new(const struct scenario *scenario, uint64_t array_sectors)
{
    struct script script[JOBS_MAX] = { { .count = 0 } };
    struct complaint why = { .line = 0 };
    struct workload *w = NULL;
    bool good = true;

    ASSERT(array_sectors <= UINT64_MAX / SECTOR_BYTES);
    for (uint32_t j = 0; j < scenario->job_count && good; j++)
        if (scenario->job[j].ioseq[0])
            good = script_parse(&script[j], scenario->job[j].ioseq, &why);
    if (good)
        w = make(scenario, script, array_sectors);
    for (uint32_t j = 0; j < scenario->job_count; j++)
        script_free(&script[j]);
    return w;
}

void workload_free(struct workload *w)
{
    free(w);
}

size_t workload_bytes(const struct workload *w)
{
    return w->bytes;
}

unsigned workload_instances(const struct workload *w)
{
    return w->instance_count;
}

unsigned workload_job(const struct workload *w, unsigned instance)
{
    return instance_of(w, instance)->job;
}

enum workload_answer workload_next(struct workload *w, unsigned instance, uint64_t now,
                                   struct ask *ask, uint64_t *when)
{
    struct instance *s = instance_of(w, instance);
    const struct job_plan *p = plan_of(w, s->job);
    uint64_t earliest;

    if (s->over)
        return WORKLOAD_OVER;
    if (p->asks)
        return script_next(w, s, p, now, ask, when);
    earliest = earliest_ns(s, p);
    if (is_over(s, p, now, earliest)) {
        s->over = 1;
        return WORKLOAD_OVER;
    }
    if (waits_for_an_end(s, p) || now < earliest) {
        *when = waits_for_an_end(s, p) ? UINT64_MAX : earliest;
        return WORKLOAD_LATER;
    }
    if (p->job.fsync && s->unsynced >= p->job.fsync) {
        *when = UINT64_MAX;
        return sync_next(s, ask);
    }
    compose(w, s, p, ask);
    s->unsynced += (ask->flags & REQUEST_WRITE) != 0;
    return WORKLOAD_ASK;
}

void workload_done(struct workload *w, unsigned instance, uint64_t now, bool flush)
{
    struct instance *s = instance_of(w, instance);

    if (flush && s->syncing)
        s->syncing = s->unsynced = 0;

    ASSERT(s->in_flight > 0);
    s->in_flight--;
    s->last_done_ns = now;
}
