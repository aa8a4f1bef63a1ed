/*
 * Names the resource that limits a run.
 *
 * A claim is a share of the measured window. Disks, CPUs and threads claim the time they were busy,
 * the stripe cache the time somebody stood waiting for a free stripe, a lock the share of all busy
 * CPU time burnt spinning for it, and the load the time left over by the strongest of the others.
 * Shares of the window can be compared with each other; how sure a claim makes us differs by kind,
 * so claims are ranked first and compared within a rank:
 *
 *   LIMIT      the load, when every job has a rate limit and 97 % of it was reached: more was not
 * asked for. SATURATED  disks, CPUs or a thread busy 90 % or more; a lock, when it was held 90 % of
 * the window and 20 % of the busy CPU time went into waiting for it. No more can come out of these.
 * Waiting for stripes is never here: if a device is saturated, where its queue stands does not
 * matter. HEAVY      disks 50 %, CPUs 70 %, a thread 70 %, stripes 25 %, a lock 20 %. Disks count
 * early because a closed load of N requests over K disks in random order keeps them only N/(N+K-1)
 * busy; stripes because whoever waits there keeps the disks from being asked. IDLE       the load,
 * when nothing above it claims: too little in flight. It stays runner-up to HEAVY claims, since
 * more in flight would still bring more; it is out when something is saturated. LIGHT everything
 * below its threshold.
 *
 * The disks claim their mean, but a disk 20 points busier than the mean claims for itself (RAID4's
 * parity disk). A thread claims only while the CPUs are not saturated. When CPUs or a thread win
 * and a lock ate 20 % of the busy CPU time, the lock is the reason and goes first: it is what to
 * cure.
 */
#include "sim/bottleneck.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/assert.h"
#include "sim/figures.h"

enum rank { RANK_OUT, RANK_LIGHT, RANK_IDLE, RANK_HEAVY, RANK_SATURATED, RANK_LIMIT };

enum { /* thousandths of a percent */
       SATURATED_MILLI = 90000,
       HEAVY_DISKS_MILLI = 50000,
       HEAVY_CPU_MILLI = 70000,
       HEAVY_THREAD_MILLI = 70000,
       HEAVY_STRIPES_MILLI = 25000,
       HEAVY_LOCK_MILLI = 20000,
       HOT_DISK_MILLI = 20000,
       RATE_REACHED_MILLI = 97000
};

static unsigned whole_percent(uint32_t milli)
{
    return (milli + 500) / 1000;
}

static uint8_t rank_of(uint32_t share, uint32_t heavy, uint32_t saturated)
{
    if (share >= saturated)
        return RANK_SATURATED;
    return share >= heavy ? RANK_HEAVY : RANK_LIGHT;
}

static void claim_disks(const struct results *r, struct claim *c)
{
    uint32_t mean = figures_disk_util(r);
    struct share_of most = figures_disk_util_max(r);
    char name[DISK_NAME_BYTES];
    figures_disk_name(most.index, name);
    if (most.milli >= mean + HOT_DISK_MILLI) {
        c->share_milli = most.milli;
        snprintf(c->words, sizeof c->words, "disk %s %u %% busy, the mean of all is %u %%", name,
                 whole_percent(most.milli), whole_percent(mean));
    } else {
        c->share_milli = mean;
        snprintf(c->words, sizeof c->words, "disks %u %% busy, the busiest (%s) %u %%",
                 whole_percent(mean), name, whole_percent(most.milli));
    }
    c->rank = rank_of(c->share_milli, HEAVY_DISKS_MILLI, SATURATED_MILLI);
    if (r->member_count == 0)
        c->rank = RANK_OUT;
}

/* All CPUs together; or one CPU that does little but interrupts, which others cannot take off it.
 */
static void claim_cpu(const struct results *r, struct claim *c)
{
    uint32_t load = figures_cpu_load(r);
    c->share_milli = load;
    snprintf(c->words, sizeof c->words, "%" PRIu32 " CPU%s %u %% busy", r->cpu_count,
             r->cpu_count == 1 ? "" : "s", whole_percent(load));
    for (uint32_t i = 0; i < r->cpu_count; i++) {
        uint32_t irq = figures_share(r->cpu[i].irq_ns, r->window_ns);
        if (irq < SATURATED_MILLI || irq <= c->share_milli)
            continue;
        c->share_milli = irq;
        snprintf(c->words, sizeof c->words, "CPU %" PRIu32 " %u %% of the time in interrupts", i,
                 whole_percent(irq));
    }
    c->rank = rank_of(c->share_milli, HEAVY_CPU_MILLI, SATURATED_MILLI);
}

static void claim_thread(const struct results *r, struct claim *c)
{
    uint32_t busiest = 0;
    for (uint32_t i = 1; i < r->thread_count; i++) {
        if (r->thread[i].busy_ns > r->thread[busiest].busy_ns)
            busiest = i;
    }
    if (r->thread_count == 0) {
        c->rank = RANK_OUT;
        return;
    }
    c->share_milli = figures_share(r->thread[busiest].busy_ns, r->window_ns);
    snprintf(c->words, sizeof c->words, "thread %s on a CPU %u %% of the time",
             r->thread[busiest].name, whole_percent(c->share_milli));
    c->rank = rank_of(c->share_milli, HEAVY_THREAD_MILLI, SATURATED_MILLI);
    if (figures_cpu_load(r) >= SATURATED_MILLI)
        c->rank = RANK_LIGHT;
}

static void claim_stripes(const struct results *r, struct claim *c)
{
    if (r->cache.size == 0) {
        c->rank = RANK_OUT;
        return;
    }
    c->share_milli = figures_share(r->cache.blocked_ns, r->window_ns);
    snprintf(c->words, sizeof c->words,
             "waiting for free stripes %u %% of the time, %" PRIu32 " of %" PRIu32
             " active at most",
             whole_percent(c->share_milli), r->cache.active_max, r->cache.size);
    c->rank = c->share_milli >= HEAVY_STRIPES_MILLI ? RANK_HEAVY : RANK_LIGHT;
}

static void claim_lock(const struct results *r, struct claim *c)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < r->lock_count; i++) {
        if (r->lock[i].wait_ns > r->lock[worst].wait_ns)
            worst = i;
    }
    if (r->lock_count == 0) {
        c->rank = RANK_OUT;
        return;
    }
    const struct results_lock *lock = &r->lock[worst];
    uint32_t held = figures_share(lock->hold_ns, r->window_ns);
    c->share_milli = figures_share(lock->wait_ns, figures_cpu_busy_ns(r));
    snprintf(c->words, sizeof c->words, "%u %% of CPU time spent spinning for %s, held %u %%",
             whole_percent(c->share_milli), lock->name, whole_percent(held));
    c->rank = c->share_milli < HEAVY_LOCK_MILLI ? RANK_LIGHT
              : held < SATURATED_MILLI          ? RANK_HEAVY
                                                : RANK_SATURATED;
}

/* I/Os a second all jobs together may start; 0 when one of them has no limit. */
static uint64_t rate_limit(const struct results *r)
{
    uint64_t limit = 0;
    for (uint32_t i = 0; i < r->scenario->job_count; i++) {
        const struct job *job = &r->scenario->job[i];
        if (job->rate_iops == 0)
            return 0;
        limit += (uint64_t)job->rate_iops * job->numjobs;
    }
    return limit;
}

static void claim_load(const struct results *r, struct claim *c, const struct claim *strongest)
{
    uint64_t limit = rate_limit(r);
    uint64_t reached = figures_rate(figures_ios(r, 0) + figures_ios(r, 1), r->window_ns);
    if (limit > 0 && figures_share(reached, limit * 1000) >= RATE_REACHED_MILLI) {
        c->rank = RANK_LIMIT;
        c->share_milli = SHARE_ALL;
        snprintf(c->words, sizeof c->words, "the jobs' rate limit of %" PRIu64 " IOPS was reached",
                 limit);
        return;
    }
    uint64_t depth = figures_depth(r);
    uint32_t disks = figures_members(r);
    c->rank = strongest->rank >= RANK_SATURATED ? RANK_OUT : RANK_IDLE;
    c->share_milli = strongest->share_milli < SHARE_ALL ? SHARE_ALL - strongest->share_milli : 0;
    snprintf(c->words, sizeof c->words,
             "offered load, %" PRIu64 " I/O%s in flight at most over %" PRIu32 " disk%s", depth,
             depth == 1 ? "" : "s", disks, disks == 1 ? "" : "s");
}

static const struct claim *stronger(const struct claim *a, const struct claim *b)
{
    if (a->rank != b->rank)
        return a->rank > b->rank ? a : b;
    return b->share_milli > a->share_milli ? b : a; /* a draw: the first in enum order */
}

/* The strongest claim other than `not`. */
static const struct claim *pick(const struct claim claims[], unsigned count,
                                const struct claim * not )
{
    const struct claim *best = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (&claims[i] != not )
            best = best ? stronger(best, &claims[i]) : &claims[i];
    }
    return best;
}

void bottleneck_find(const struct results *r, struct bottleneck *out)
{
    struct claim claims[BOTTLENECK_COUNT] = { 0 };
    for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
        claims[i].kind = (uint8_t)i;
    claim_disks(r, &claims[BOTTLENECK_DISKS]);
    claim_cpu(r, &claims[BOTTLENECK_CPU]);
    claim_thread(r, &claims[BOTTLENECK_THREAD]);
    claim_stripes(r, &claims[BOTTLENECK_STRIPES]);
    claim_lock(r, &claims[BOTTLENECK_LOCK]);
    claim_load(r, &claims[BOTTLENECK_LOAD], pick(claims, BOTTLENECK_LOAD, NULL));

    const struct claim *first = pick(claims, BOTTLENECK_COUNT, NULL);
    const struct claim *second = pick(claims, BOTTLENECK_COUNT, first);
    const struct claim *lock = &claims[BOTTLENECK_LOCK];
    bool on_cpu = first->kind == BOTTLENECK_CPU || first->kind == BOTTLENECK_THREAD;
    if (on_cpu && lock->rank >= RANK_HEAVY) {
        second = first;
        first = lock;
    }
    out->first = *first;
    out->second = *second;
}

const char *bottleneck_name(unsigned kind)
{
    static const char *const names[BOTTLENECK_COUNT] = {
        [BOTTLENECK_DISKS] = "disks",   [BOTTLENECK_CPU] = "cpu",
        [BOTTLENECK_THREAD] = "thread", [BOTTLENECK_STRIPES] = "stripe_cache",
        [BOTTLENECK_LOCK] = "lock",     [BOTTLENECK_LOAD] = "load",
    };
    ASSERT(kind < BOTTLENECK_COUNT);
    return names[kind];
}
