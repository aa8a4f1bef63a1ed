/*
 * Derived figures (sim/figures.h): sums, shares and rates over struct results.
 *
 * Products are taken in 128 bits: a day of simulated ns times a billion does not fit 64. Every
 * figure over time is taken over the measured window, except a job's own rates, which are over that
 * job's runtime, as fio does.
 */
#include "sim/figures.h"

#include <string.h>

#include "model/assert.h"
#include "model/geometry.h"

typedef unsigned __int128 wide;

uint32_t figures_share(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return 0;
    wide share = (wide)part * SHARE_ALL / whole;
    return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

static uint64_t rate_in(uint64_t amount, uint64_t ns, uint64_t units)
{
    if (ns == 0)
        return 0;
    wide rate = (wide)amount * units / ns;
    return rate < INT64_MAX ? (uint64_t)rate : INT64_MAX;
}

uint64_t figures_rate(uint64_t amount, uint64_t ns)
{
    return rate_in(amount, ns, 1000000000000);
}

uint64_t figures_per_second(uint64_t amount, uint64_t ns)
{
    return rate_in(amount, ns, 1000000000);
}

double figures_ratio(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : (double)part / (double)whole;
}

double figures_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : (double)((wide)part * 100) / (double)whole;
}

uint64_t figures_bytes(const struct results *r, unsigned dir)
{
    ASSERT(dir < 2);
    uint64_t bytes = 0;
    for (unsigned i = 0; i < r->job_count; i++)
        bytes += r->job[i].dir[dir].bytes;
    return bytes;
}

uint64_t figures_ios(const struct results *r, unsigned dir)
{
    ASSERT(dir < 2);
    uint64_t ios = 0;
    for (unsigned i = 0; i < r->job_count; i++)
        ios += r->job[i].dir[dir].ios;
    return ios;
}

uint64_t figures_errors(const struct results *r, unsigned job)
{
    ASSERT(job < r->job_count);
    return r->job[job].dir[0].errors + r->job[job].dir[1].errors;
}

uint64_t figures_job_ns(const struct results *r, unsigned job)
{
    ASSERT(job < r->job_count);
    return r->job[job].runtime_ns > 0 ? r->job[job].runtime_ns : r->window_ns;
}

void figures_clat(const struct results *r, struct histogram *into)
{
    memset(into, 0, sizeof *into);
    for (unsigned i = 0; i < r->job_count; i++) {
        histogram_merge(into, &r->job[i].dir[0].clat);
        histogram_merge(into, &r->job[i].dir[1].clat);
    }
}

uint64_t figures_cpu_busy_ns(const struct results *r)
{
    uint64_t busy = 0;
    for (unsigned i = 0; i < r->cpu_count; i++)
        busy += r->cpu[i].busy_ns;
    return busy;
}

uint32_t figures_cpu_load(const struct results *r)
{
    return figures_share(figures_cpu_busy_ns(r), r->cpu_count * r->window_ns);
}

static bool is_member(const struct results *r, unsigned device)
{
    return device < r->scenario->array.raid_disks + r->scenario->array.journal ||
           r->history.device[device].slot != NO_SLOT;
}

uint32_t figures_members(const struct results *r)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < r->member_count; i++)
        n += is_member(r, i);
    return n;
}

uint32_t figures_disk_util(const struct results *r)
{
    uint64_t busy = 0;
    for (unsigned i = 0; i < r->member_count; i++)
        busy += is_member(r, i) ? r->member[i].busy_ns : 0;
    return figures_share(busy, figures_members(r) * r->window_ns);
}

struct share_of figures_disk_util_max(const struct results *r)
{
    struct share_of most = { 0, 0 };
    for (unsigned i = 0; i < r->member_count; i++) {
        uint32_t share = figures_share(r->member[i].busy_ns, r->window_ns);
        if (share > most.milli)
            most = (struct share_of){ share, i };
    }
    return most;
}

uint64_t figures_profile_cycles(const struct results *r)
{
    uint64_t cycles = 0;
    for (unsigned i = 0; i < r->symbol_count; i++)
        cycles += r->symbol[i].cycles;
    return cycles;
}

uint64_t figures_symbol(const struct results *r, const char *name)
{
    for (unsigned i = 0; i < r->symbol_count; i++) {
        if (strcmp(r->symbol[i].name, name) == 0)
            return r->symbol[i].cycles;
    }
    return 0;
}

uint64_t figures_depth(const struct results *r)
{
    uint64_t depth = 0;
    for (unsigned i = 0; i < r->scenario->job_count; i++) {
        const struct job *job = &r->scenario->job[i];
        depth += (uint64_t)job->numjobs * (job->engine == ENGINE_PSYNC ? 1 : job->iodepth);
    }
    return depth;
}

bool figures_thread_of(const struct results_thread *thread, const struct job *job)
{
    const char *slash = strrchr(thread->name, '/');
    if (slash == NULL)
        return false;
    size_t length = (size_t)(slash - thread->name);
    if (strncmp(thread->name, job->name, length) != 0)
        return false;
    return job->name[length] == 0 || length >= THREAD_JOB_CHARS;
}

void figures_disk_name(unsigned index, char name[static DISK_NAME_BYTES])
{
    ASSERT(index < 26 + 26 * 26);
    char *next = name;
    *next++ = 's';
    *next++ = 'd';
    if (index >= 26)
        *next++ = (char)('a' + index / 26 - 1);
    *next++ = (char)('a' + index % 26);
    *next = 0;
}

const char *figures_array_name(const struct results *r)
{
    return r->scenario->array.level == LEVEL_RAW ? NULL : "md0";
}

const char *figures_verdict(const struct results *r)
{
    return r->findings == 0 ? "ok" : "finding";
}

const char *work_key(unsigned work)
{
    static const char *const keys[WORK_COUNT] = {
#define WORK(id, key, symbol, what) [WORK_##id] = #key,
#include "model/work.def"
#undef WORK
    };
    ASSERT(work < WORK_COUNT);
    return keys[work];
}

const char *work_label(unsigned work)
{
    static const char *const labels[WORK_COUNT] = {
#define WORK(id, key, symbol, what) [WORK_##id] = what,
#include "model/work.def"
#undef WORK
    };
    ASSERT(work < WORK_COUNT);
    return labels[work];
}
