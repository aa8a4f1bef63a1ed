/*
 * The part of the JSON report that is fio's: jobs and disk_util.
 *
 * Keys and their order are fio's (stat.c of 3.3x). fio measures some things that a simulation does
 * not have, or has without sampling; they are filled in by these rules, so that readers of the keys
 * are not misled: bw_*, iops_*       fio samples every half second; we have one sample, the whole
 * window. sys_cpu, ctx       of the job's own threads; usr_cpu is 0, since all simulated work is
 * the kernel's. iodepth_level      the mean number in flight by Little's law (total latency over
 * runtime), all weight in the bucket it falls into. iodepth_submit,    jobs hand over and take back
 * I/Os one by one. iodepth_complete latency_*          read off the histogram: a limit inside a
 * bucket is blurred by at most 1/64. trim, sync         always there, as in fio; no job trims or
 * syncs.
 */
#include "sim/report_json_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/figures.h"
#include "sim/report_parts.h"
#include "sim/report_percentiles.h"

static const uint64_t million = 1000000;

static void put_latency(struct builder *b, json_t *parent, const char *key,
                        const struct histogram *h, bool percentiles)
{
    json_t *o = put_object(b, parent, key);
    put_uint(b, o, "min", h->min);
    put_uint(b, o, "max", h->max);
    put_real(b, o, "mean", figures_ratio(histogram_mean(h), 1));
    put_real(b, o, "stddev", figures_ratio(histogram_stddev(h), 1));
    put_uint(b, o, "N", h->count);
    if (!percentiles || h->count == 0)
        return;
    json_t *list = put_object(b, o, "percentile");
    for (unsigned i = 0; i < REPORT_PERCENTILES; i++) {
        uint32_t milli = report_percentiles[i];
        char name[16];
        snprintf(name, sizeof name, "%" PRIu32 ".%03" PRIu32 "000", milli / 1000, milli % 1000);
        put_uint(b, list, name, histogram_percentile(h, milli));
    }
}

/* bytes_s_all: the bandwidth of all jobs in this direction. */
static void put_samples(struct builder *b, json_t *o, const struct results_direction *d,
                        uint64_t ns, uint64_t bytes_s_all)
{
    bool any = d->ios > 0;
    uint64_t bytes_s = figures_per_second(d->bytes, ns);
    put_uint(b, o, "bw_min", bytes_s / 1024);
    put_uint(b, o, "bw_max", bytes_s / 1024);
    put_real(b, o, "bw_agg",
             figures_percent(bytes_s < bytes_s_all ? bytes_s : bytes_s_all, bytes_s_all));
    put_real(b, o, "bw_mean", figures_ratio(bytes_s, 1024));
    put_real(b, o, "bw_dev", 0.0);
    put_uint(b, o, "bw_samples", any);
    put_uint(b, o, "iops_min", figures_per_second(d->ios, ns));
    put_uint(b, o, "iops_max", figures_per_second(d->ios, ns));
    put_real(b, o, "iops_mean", figures_ratio(figures_rate(d->ios, ns), 1000));
    put_real(b, o, "iops_stddev", 0.0);
    put_uint(b, o, "iops_samples", any);
}

static void put_direction(struct builder *b, json_t *parent, const char *key,
                          const struct results_direction *d, const uint64_t ns_and_all[2])
{
    uint64_t ns = ns_and_all[0], bytes_s = figures_per_second(d->bytes, ns);
    json_t *o = put_object(b, parent, key);
    put_uint(b, o, "io_bytes", d->bytes);
    put_uint(b, o, "io_kbytes", d->bytes / 1024);
    put_uint(b, o, "bw_bytes", bytes_s);
    put_uint(b, o, "bw", bytes_s / 1024);
    put_real(b, o, "iops", figures_ratio(figures_rate(d->ios, ns), 1000));
    put_uint(b, o, "runtime", d->ios > 0 ? ns / million : 0);
    put_uint(b, o, "total_ios", d->ios);
    put_uint(b, o, "short_ios", 0);
    put_uint(b, o, "drop_ios", 0);
    put_latency(b, o, "slat_ns", &d->slat, false);
    put_latency(b, o, "clat_ns", &d->clat, true);
    put_latency(b, o, "lat_ns", &d->lat, false);
    put_samples(b, o, d, ns, ns_and_all[1]);
}

static void put_directions(struct builder *b, json_t *o, const struct results *r, unsigned job)
{
    static const struct results_direction nothing;
    uint64_t ns = figures_job_ns(r, job);
    for (unsigned dir = 0; dir < 2; dir++) {
        uint64_t all = figures_per_second(figures_bytes(r, dir), r->window_ns);
        put_direction(b, o, dir ? "write" : "read", &r->job[job].dir[dir],
                      (const uint64_t[2]){ ns, all });
    }
    put_direction(b, o, "trim", &nothing, (const uint64_t[2]){ ns, 0 });
    json_t *sync = put_object(b, o, "sync");
    put_uint(b, sync, "total_ios", r->job[job].sync.count);
    put_latency(b, sync, "lat_ns", &r->job[job].sync, r->job[job].sync.count != 0);
}

static void put_cpu(struct builder *b, json_t *o, const struct results *r, unsigned job)
{
    uint64_t busy = 0, switches = 0, ns = figures_job_ns(r, job);
    const struct job *asked = &r->scenario->job[job];
    for (uint32_t i = 0; i < r->thread_count; i++) {
        if (figures_thread_of(&r->thread[i], asked)) {
            busy += r->thread[i].busy_ns;
            switches += r->thread[i].switches;
        }
    }
    put_uint(b, o, "job_runtime", ns / million * asked->numjobs);
    put_real(b, o, "usr_cpu", 0.0);
    put_real(b, o, "sys_cpu", figures_percent(busy, ns * asked->numjobs));
    put_uint(b, o, "ctx", switches);
    put_uint(b, o, "majf", 0);
    put_uint(b, o, "minf", 0);
}

/* Seven levels, 100 % at the one asked for; none when `level` is 7. */
static void put_levels(struct builder *b, json_t *parent, const char *key,
                       const char *const names[7], unsigned level)
{
    json_t *o = put_object(b, parent, key);
    for (unsigned i = 0; i < 7; i++)
        put_real(b, o, names[i], i == level ? 100.0 : 0.0);
}

static void put_depths(struct builder *b, json_t *o, const struct results *r, unsigned job)
{
    static const char *const level_names[7] = { "1", "2", "4", "8", "16", "32", ">=64" };
    static const char *const batch_names[7] = { "0", "4", "8", "16", "32", "64", ">=64" };
    const struct results_direction *d = r->job[job].dir;
    bool any = d[0].ios + d[1].ios > 0;
    uint64_t ns = figures_job_ns(r, job) * r->scenario->job[job].numjobs;
    unsigned __int128 depth = ns == 0 ? 0 : (d[0].lat.sum + d[1].lat.sum + ns / 2) / ns;
    unsigned level = 0;
    while (level < 6 && depth >> (level + 1) > 0)
        level++;
    put_levels(b, o, "iodepth_level", level_names, any ? level : 7);
    put_levels(b, o, "iodepth_submit", batch_names, any ? 1 : 7);
    put_levels(b, o, "iodepth_complete", batch_names, any ? 1 : 7);
}

/* One of fio's three latency tables: from `unit` on, limits in that unit; a limit of 0 is "the
 * rest". */
struct range {
    const char *name;
    uint64_t limit;
};

static void put_range(struct builder *b, json_t *parent, const char *key, const struct range *range,
                      const struct results_direction d[2])
{
    json_t *o = put_object(b, parent, key);
    uint64_t all = d[0].lat.count + d[1].lat.count;
    uint64_t unit =
        range->limit / 2; /* the first limit is 2 units; below 1 unit is the table before */
    uint64_t before =
        unit <= 1 ? 0 : histogram_below(&d[0].lat, unit) + histogram_below(&d[1].lat, unit);
    for (; range->name; range++) {
        uint64_t below = all;
        if (range->limit > 0)
            below =
                histogram_below(&d[0].lat, range->limit) + histogram_below(&d[1].lat, range->limit);
        put_real(b, o, range->name, figures_percent(below - before, all));
        before = below;
    }
}

#define SUBUNIT_RANGES(unit)                                                                       \
    { "2", 2 * (unit) }, { "4", 4 * (unit) }, { "10", 10 * (unit) }, { "20", 20 * (unit) },        \
        { "50", 50 * (unit) }, { "100", 100 * (unit) }, { "250", 250 * (unit) },                   \
        { "500", 500 * (unit) }, { "750", 750 * (unit) },                                          \
    {                                                                                              \
        "1000", 1000 * (unit)                                                                      \
    }

static void put_distribution(struct builder *b, json_t *o, const struct results_direction d[2])
{
    static const struct range ns[] = { SUBUNIT_RANGES(UINT64_C(1)), { NULL, 0 } };
    static const struct range us[] = { SUBUNIT_RANGES(UINT64_C(1000)), { NULL, 0 } };
    static const struct range ms[] = { SUBUNIT_RANGES(UINT64_C(1000000)),
                                       { "2000", UINT64_C(2000000000) },
                                       { ">=2000", 0 },
                                       { NULL, 0 } };
    put_range(b, o, "latency_ns", ns, d);
    put_range(b, o, "latency_us", us, d);
    put_range(b, o, "latency_ms", ms, d);
}

void json_job(struct builder *b, json_t *jobs, const struct results *r, unsigned job)
{
    const struct job *asked = &r->scenario->job[job];
    uint64_t errors = figures_errors(r, job);
    json_t *o = append_object(b, jobs);
    put_text(b, o, "jobname", asked->name);
    put_uint(b, o, "groupid", 0);
    put_uint(b, o, "job_start", asked->startdelay_ns / million);
    put_uint(b, o, "error", errors ? REPORT_EIO : 0);
    put_uint(b, o, "eta", 0);
    put_uint(b, o, "elapsed", r->end_ns / 1000000000);
    json_job_options(b, put_object(b, o, "job options"), asked);
    put_directions(b, o, r, job);
    put_cpu(b, o, r, job);
    put_depths(b, o, r, job);
    put_distribution(b, o, r->job[job].dir);
    if (errors) { /* fio's continue_on_error, where there was an error */
        put_uint(b, o, "total_err", errors);
        put_uint(b, o, "first_error", REPORT_EIO);
    }
    put_uint(b, o, "latency_depth", asked->iodepth);
    put_uint(b, o, "latency_target", 0);
    put_real(b, o, "latency_percentile", 100.0);
    put_uint(b, o, "latency_window", 0);
    put_object(b, o, "steadystate");
}

static json_t *append_disk(struct builder *b, json_t *list, const char *name,
                           const struct results_member *m, uint64_t window_ns)
{
    json_t *o = append_object(b, list);
    put_text(b, o, "name", name);
    put_uint(b, o, "read_ios", m->ios[0]);
    put_uint(b, o, "write_ios", m->ios[1]);
    put_uint(b, o, "read_sectors", m->sectors[0]);
    put_uint(b, o, "write_sectors", m->sectors[1]);
    put_uint(b, o, "read_merges", m->merges[0]);
    put_uint(b, o, "write_merges", m->merges[1]);
    put_uint(b, o, "read_ticks", m->ticks_ns[0] / million);
    put_uint(b, o, "write_ticks", m->ticks_ns[1] / million);
    put_uint(b, o, "in_queue", m->queue_ns / million);
    put_real(b, o, "util", figures_percent(m->busy_ns, window_ns));
    return o;
}

/* fio's aggr_* of an array: means over the members, and the use of the busiest. */
static void put_aggregate(struct builder *b, json_t *o, const struct results *r)
{
    static const char *const names[4][2] = { { "aggr_read_ios", "aggr_write_ios" },
                                             { "aggr_read_sectors", "aggr_write_sectors" },
                                             { "aggr_read_merges", "aggr_write_merge" },
                                             { "aggr_read_ticks", "aggr_write_ticks" } };
    uint64_t sum[4][2] = { { 0 } }, queue_ns = 0;
    uint32_t members = figures_members(r);
    for (uint32_t i = 0; i < r->member_count; i++) {
        const struct results_member *m = &r->member[i];
        for (unsigned dir = 0; dir < 2; dir++) {
            sum[0][dir] += m->ios[dir];
            sum[1][dir] += m->sectors[dir];
            sum[2][dir] += m->merges[dir];
            sum[3][dir] += m->ticks_ns[dir] / million;
        }
        queue_ns += m->queue_ns;
    }
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned dir = 0; dir < 2; dir++)
            put_uint(b, o, names[i][dir], sum[i][dir] / members);
    }
    put_uint(b, o, "aggr_in_queue", queue_ns / million / members);
    put_real(b, o, "aggr_util", figures_ratio(figures_disk_util_max(r).milli, 1000));
}

void json_disk_util(struct builder *b, json_t *list, const struct results *r)
{
    const char *array = figures_array_name(r);
    if (array) {
        json_t *o = append_disk(b, list, array, &r->array, r->window_ns);
        if (r->member_count > 0)
            put_aggregate(b, o, r);
    }
    for (uint32_t i = 0; i < r->member_count; i++) {
        char name[DISK_NAME_BYTES];
        figures_disk_name(i, name);
        append_disk(b, list, name, &r->member[i], r->window_ns);
    }
}
