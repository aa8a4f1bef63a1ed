/*
 * "job options" of the JSON report: the job as one would write it in a fio job file. fio echoes
 * what it was given; we say what was understood, leaving out what is fio's default, with sizes and
 * times in the largest exact unit.
 */
#include "sim/report_json_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/assert.h"

static void put_size(struct builder *b, json_t *o, const char *key, uint64_t bytes)
{
    static const char units[] = " kmgt";
    unsigned unit = 0;
    char text[32];
    while (bytes > 0 && bytes % 1024 == 0 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, sizeof text, unit ? "%" PRIu64 "%c" : "%" PRIu64, bytes, units[unit]);
    put_text(b, o, key, text);
}

static void put_number(struct builder *b, json_t *o, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_text(b, o, key, text);
}

static void put_duration(struct builder *b, json_t *o, const char *key, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
    unsigned unit = 0;
    char text[32];
    while (ns % units[unit].ns != 0)
        unit++;
    snprintf(text, sizeof text, "%" PRIu64 "%s", ns / units[unit].ns, units[unit].name);
    put_text(b, o, key, text);
}

static const char *rw_name(uint8_t rw)
{
    static const char *const names[] = {
        [RW_READ] = "read",           [RW_WRITE] = "write", [RW_RANDREAD] = "randread",
        [RW_RANDWRITE] = "randwrite", [RW_RW] = "rw",       [RW_RANDRW] = "randrw",
    };
    ASSERT(rw < sizeof names / sizeof names[0]);
    return names[rw];
}

static const char *engine_name(uint8_t engine)
{
    static const char *const names[] = {
        [ENGINE_LIBAIO] = "libaio",
        [ENGINE_IO_URING] = "io_uring",
        [ENGINE_POSIXAIO] = "posixaio",
        [ENGINE_PSYNC] = "psync",
    };
    ASSERT(engine < sizeof names / sizeof names[0]);
    return names[engine];
}

static void put_block_sizes(struct builder *b, json_t *o, const struct job *job)
{
    if (job->split_count == 1) {
        put_size(b, o, "bs", job->split[0].bytes);
        return;
    }
    char text[BSSPLIT_MAX * 24] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < job->split_count; i++) {
        int more = snprintf(text + used, sizeof text - used, "%s%" PRIu32 "/%" PRIu32, i ? ":" : "",
                            job->split[i].bytes, job->split[i].percent);
        ASSERT(more > 0 && used + (size_t)more < sizeof text);
        used += (size_t)more;
    }
    put_text(b, o, "bssplit", text);
}

static void put_distribution(struct builder *b, json_t *o, const struct job *job)
{
    static const char *const names[] = {
        [DIST_ZIPF] = "zipf", [DIST_PARETO] = "pareto", [DIST_NORMAL] = "normal"
    };
    char text[48];
    if (job->distribution == DIST_RANDOM)
        return;
    ASSERT(job->distribution < sizeof names / sizeof names[0]);
    snprintf(text, sizeof text, "%s:%" PRIu32 ".%03" PRIu32, names[job->distribution],
             job->distribution_milli / 1000, job->distribution_milli % 1000);
    put_text(b, o, "random_distribution", text);
}

static void put_region(struct builder *b, json_t *o, const struct job *job)
{
    if (job->size > 0)
        put_size(b, o, "size", job->size);
    if (job->offset > 0)
        put_size(b, o, "offset", job->offset);
    if (job->io_size > 0 && job->io_size != job->size)
        put_size(b, o, "io_size", job->io_size);
    if (job->loops > 1)
        put_number(b, o, "loops", job->loops);
    if (job->norandommap)
        put_text(b, o, "norandommap", "1");
}

static void put_pace(struct builder *b, json_t *o, const struct job *job)
{
    if (job->runtime_ns > 0)
        put_duration(b, o, "runtime", job->runtime_ns);
    if (job->ramp_ns > 0)
        put_duration(b, o, "ramp_time", job->ramp_ns);
    if (job->time_based)
        put_text(b, o, "time_based", "1");
    if (job->rate_iops > 0)
        put_number(b, o, "rate_iops", job->rate_iops);
    if (job->rate_process == RATE_POISSON)
        put_text(b, o, "rate_process", "poisson");
    if (job->thinktime_ns > 0)
        put_duration(b, o, "thinktime", job->thinktime_ns);
    if (job->startdelay_ns > 0)
        put_duration(b, o, "startdelay", job->startdelay_ns);
}

void json_job_options(struct builder *b, json_t *o, const struct job *job)
{
    put_text(b, o, "rw", rw_name(job->rw));
    if (job->rw == RW_RW || job->rw == RW_RANDRW)
        put_number(b, o, "rwmixread", job->rwmixread);
    put_block_sizes(b, o, job);
    put_text(b, o, "ioengine", engine_name(job->engine));
    put_number(b, o, "iodepth", job->iodepth);
    put_number(b, o, "numjobs", job->numjobs);
    put_text(b, o, "direct", job->direct ? "1" : "0");
    put_distribution(b, o, job);
    put_region(b, o, job);
    put_pace(b, o, job);
}
