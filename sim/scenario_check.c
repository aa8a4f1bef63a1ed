/*
 * What concerns more than one key: the array against its disks, the jobs against the array, the
 * parts of a disk against each other. Runs last, on a scenario whose every single value is good; it
 * also resolves what had to wait (percentages of the array, interrupts spread over all CPUs, the
 * default alignment).
 *
 * Limits come from the model: chunk and member rules are md's (geometry), the number of requests in
 * flight is that of a 16-bit id.
 */
#include "model/shape.h"
#include "sim/scenario_internal.h"

#include <inttypes.h>
#include <string.h>

#include "model/geometry.h"
#include "model/catalogue.h"
#include "sim/geometry_names.h"

enum { CLIENTS_MAX = 65000 };

static bool has_parity(const struct scenario *scenario)
{
    return scenario->array.level == LEVEL_RAID4 || scenario->array.level == LEVEL_RAID5;
}

/* A [disk N] or --set disk.N that no member answers to; EVERY_INSTANCE: there is none. */
static int member_beyond(const struct reading *reading, int disks)
{
    for (size_t i = 0; i < reading->header_count; i++) {
        if (reading->header[i].section == SECTION_DISK && reading->header[i].instance >= disks)
            return reading->header[i].instance;
    }
    for (size_t i = 0; i < reading->entry_count; i++) {
        if (reading->entry[i].section == SECTION_DISK && reading->entry[i].instance >= disks)
            return reading->entry[i].instance;
    }
    return EVERY_INSTANCE;
}

static bool check_members(const struct reading *reading)
{
    const struct scenario *scenario = reading->scenario;
    uint32_t disks = scenario->array.raid_disks;

    if (disks == 0)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, NULL,
                                "[array] does not say raid_disks");
    if (has_parity(scenario) && disks < 2)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "raid_disks",
                                "%s needs at least 2 disks, not %" PRIu32,
                                geometry_level_name((enum level)scenario->array.level), disks);
    int beyond = member_beyond(reading, (int)scenario_devices(scenario));

    if (beyond != EVERY_INSTANCE)
        return reading_complain(reading, SECTION_DISK, beyond, NULL,
                                "[disk %d]: the array has members 0 to %" PRIu32, beyond,
                                scenario_devices(scenario) - 1);
    return true;
}

/* Switches that the driver does not have: they would be read by nobody. The first two came after
 * md-3.12. */
static bool check_switches(const struct reading *reading)
{
    const struct scenario *s = reading->scenario;
    bool is_later = s->driver.generation == GENERATION_61;
    const struct {
        const char *key;
        bool set;
    } later[] = {
        { "rmw_level", s->array.rmw_level != 1 && !(is_later && s->driver.rmw_levels) },
        { "skip_copy", s->array.skip_copy != 0 && !(is_later && s->driver.skip_copies) },
        { "preread_bypass_threshold", s->array.bypass_threshold != 1 && !is_later },
        { "recovery_start",
          s->array.recovery_cp != UINT64_MAX && s->array.sync_action != SYNC_RESYNC && !is_later },
        { "sync_min", s->array.sync_min != 0 && !is_later },
        { "sync_max", s->array.sync_max != UINT64_MAX && !is_later },
    };

    if (!has_parity(s))
        return true;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (later[i].set)
            return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, later[i].key,
                                    "%s: needs driver md-6.1%s", later[i].key,
                                    strcmp(later[i].key, "recovery_start") ? "" : " or a resync");
    return true;
}

static bool check_missing(const struct reading *reading)
{
    const struct scenario *scenario = reading->scenario;
    uint32_t disks = scenario->array.raid_disks;
    uint64_t failed = scenario->array.failed;

    if (failed == 0)
        return true;
    if (!has_parity(scenario))
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "failed_members",
                                "failed_members: %s cannot do without a member",
                                geometry_level_name((enum level)scenario->array.level));
    if (disks < 64 && failed >> disks)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "failed_members",
                                "failed_members: the array has members 0 to %" PRIu32, disks - 1);
    if (__builtin_popcountll(failed) > 2)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "failed_members",
                                "failed_members: two at most, not %d",
                                __builtin_popcountll(failed));
    return true;
}

/* Worker groups: for whom they are there. */
static bool check_workers(const struct reading *reading)
{
    const struct scenario *s = reading->scenario;

    if (s->array.group_thread_cnt == 0 || (has_parity(s) && s->driver.generation == GENERATION_61))
        return true;
    return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "group_thread_cnt",
                            "group_thread_cnt: needs raid4 or raid5 and driver md-3.12 or md-6.1");
}

/* One pass of the resync thread: for whom it is there, and over what. */
static bool check_sync(const struct reading *reading)
{
    const struct scenario *s = reading->scenario;

    if (s->array.sync_action == SYNC_IDLE) {
        bool recovery = s->array.spares || s->fault_count;

        if (s->array.sync_delay || s->array.sync_min ||
            (s->array.sync_max != UINT64_MAX && !recovery))
            return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "sync_action",
                                    "sync_delay, sync_min, sync_max: nothing to do without a "
                                    "sync_action");
        return true;
    }
    if (!has_parity(s))
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "sync_action",
                                "sync_action: needs raid4 or raid5");
    if (s->array.failed)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "sync_action",
                                "sync_action: a degraded array has no parity to check");
    if (s->array.sync_action == SYNC_RESYNC && s->array.recovery_cp == UINT64_MAX)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "sync_action",
                                "sync_action: resync begins at recovery_start, but all is in sync");
    if (s->array.sync_action == SYNC_RESYNC && s->array.sync_min)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "sync_min",
                                "sync_min: a resync begins at recovery_start");
    if (s->array.sync_min >= s->array.sync_max)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "sync_min",
                                "sync_min: has to be below sync_max");
    return true;
}

static uint64_t smallest_disk(const struct scenario *scenario)
{
    uint64_t sectors = UINT64_MAX;

    for (uint32_t i = 0; i < scenario->disk_count; i++) {
        if (scenario->disk[i].sectors < sectors)
            sectors = scenario->disk[i].sectors;
    }
    return sectors;
}

/* Spares have to be as large as the part of a member that is used: mdadm takes no others. */
static bool check_spares(const struct reading *reading, const struct geometry *geometry)
{
    const struct scenario *s = reading->scenario;

    for (uint32_t i = s->disk_count + s->array.journal; i < scenario_devices(s); i++)
        if (s->disk[i].sectors < geometry->component_sectors)
            return reading_complain(reading, SECTION_DISK, (int)i, "capacity",
                                    "[disk %" PRIu32 "]: a spare smaller than what is used of the "
                                    "members, %" PRIu64 " bytes",
                                    i, geometry->component_sectors * 512);
    return true;
}

/* The array's geometry, from the smallest of its members. */
static bool check_geometry(const struct reading *reading, struct geometry *geometry)
{
    const struct scenario *scenario = reading->scenario;
    uint64_t smallest = smallest_disk(scenario);
    uint64_t component = scenario->array.component_size / 512;

    if (scenario->array.component_size % 512 != 0)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "component_size",
                                "component_size: no whole sectors of 512 bytes");
    if (component > smallest)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "component_size",
                                "component_size: the smallest disk has %" PRIu64 " bytes",
                                smallest * 512);
    if (!geometry_set(geometry, (enum level)scenario->array.level,
                      (enum layout)scenario->array.layout, scenario->array.raid_disks,
                      component ? component : smallest, scenario->array.chunk_size / 512))
        return reading_complain(
            reading, SECTION_ARRAY, EVERY_INSTANCE, "chunk_size",
            "no such array: a member of %" PRIu64 " bytes holds no chunk of %" PRIu32,
            (component ? component : smallest) * 512, scenario->array.chunk_size);
    return true;
}

/* Percentages of the array become bytes, whole blocks. */
static void resolve_share(uint64_t *share, uint64_t array_bytes, uint32_t block)
{
    if (!(*share & SHARE_FLAG))
        return;
    *share = (uint64_t)((unsigned __int128)array_bytes * (*share & ~SHARE_FLAG) / (100 * 1000));
    *share -= *share % block;
}

static uint32_t smallest_block(const struct job *job)
{
    uint32_t bytes = job->split[0].bytes;

    for (uint32_t i = 1; i < job->split_count; i++) {
        if (job->split[i].bytes < bytes)
            bytes = job->split[i].bytes;
    }
    return bytes;
}

static uint32_t largest_block(const struct job *job)
{
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < job->split_count; i++) {
        if (job->split[i].bytes > bytes)
            bytes = job->split[i].bytes;
    }
    return bytes;
}

static bool check_region(const struct reading *reading, int number, uint64_t array_bytes)
{
    struct job *job = &reading->scenario->job[number];
    uint32_t smallest = smallest_block(job), largest = largest_block(job);

    if (!job->blockalign)
        job->blockalign = smallest;
    resolve_share(&job->offset, array_bytes, job->blockalign);
    resolve_share(&job->size, array_bytes, job->blockalign);
    resolve_share(&job->io_size, array_bytes, smallest);
    if (job->offset % 512 != 0 || job->size % 512 != 0)
        return reading_complain(reading, SECTION_JOB, number,
                                job->offset % 512 != 0 ? "offset" : "size",
                                "[job %s]: no whole sectors of 512 bytes", job->name);
    if (job->offset >= array_bytes)
        return reading_complain(reading, SECTION_JOB, number, "offset",
                                "offset %" PRIu64 " is beyond the array of %" PRIu64 " bytes",
                                job->offset, array_bytes);
    uint64_t region = job->size ? job->size : array_bytes - job->offset;

    if (region > array_bytes - job->offset)
        return reading_complain(reading, SECTION_JOB, number, "size",
                                "offset + size is %" PRIu64 ", beyond the array of %" PRIu64
                                " bytes",
                                job->offset + region, array_bytes);
    if (region < largest || region < job->blockalign)
        return reading_complain(reading, SECTION_JOB, number, "size",
                                "the region of %" PRIu64 " bytes holds no block of %" PRIu32,
                                region, region < largest ? largest : job->blockalign);
    return true;
}

static bool check_job(const struct reading *reading, int number, uint64_t array_bytes)
{
    const struct job *job = &reading->scenario->job[number];

    if (job->ioseq[0] && !scenario_check_script(reading, number, array_bytes))
        return false;
    if (job->time_based && !job->runtime_ns)
        return reading_complain(reading, SECTION_JOB, number, "time_based",
                                "[job %s]: time_based needs a runtime", job->name);
    if (job->rate_process == RATE_POISSON && !job->rate_iops)
        return reading_complain(reading, SECTION_JOB, number, "rate_process",
                                "[job %s]: rate_process=poisson needs rate_iops", job->name);
    if (job->fsync && job->engine == ENGINE_POSIXAIO)
        return reading_complain(reading, SECTION_JOB, number, "fsync",
                                "[job %s]: fsync with posixaio: its helper threads do not wait for "
                                "each other",
                                job->name);
    return check_region(reading, number, array_bytes);
}

static bool check_jobs(const struct reading *reading, uint64_t array_bytes)
{
    const struct scenario *scenario = reading->scenario;
    uint64_t clients = 0;

    if (scenario->job_count == 0)
        return reading_complain(reading, SECTION_JOB, EVERY_INSTANCE, NULL,
                                "there is no load: write a section [job NAME]");
    for (uint32_t i = 0; i < scenario->job_count; i++) {
        const struct job *job = &scenario->job[i];

        if (!check_job(reading, (int)i, array_bytes))
            return false;
        clients += (uint64_t)job->numjobs * (job->engine == ENGINE_PSYNC ? 1 : job->iodepth);
        if (clients > CLIENTS_MAX)
            return reading_complain(reading, SECTION_JOB, (int)i, "iodepth",
                                    "%" PRIu64 " I/Os outstanding; at most %d over all jobs",
                                    clients, CLIENTS_MAX);
    }
    return true;
}

static bool check_host(const struct reading *reading)
{
    struct host *host = &reading->scenario->host;

    if (host->irq_cpu == IRQ_SPREAD)
        host->irq_cpu = host->cpus;
    if (host->irq_cpu > host->cpus)
        return reading_complain(reading, SECTION_HOST, EVERY_INSTANCE, "irq_cpu",
                                "irq_cpu: the host has CPUs 0 to %" PRIu32, host->cpus - 1);
    return true;
}

static bool check_array(const struct reading *reading)
{
    if (!reading_header(reading, SECTION_ARRAY, EVERY_INSTANCE) &&
        reading->scenario->array.raid_disks == 0)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, NULL,
                                "there is no section [array]");
    return check_members(reading) && check_missing(reading) && check_switches(reading) &&
           check_sync(reading) && check_workers(reading) && scenario_check_md(reading);
}

/* The fault that is put back: of the catalogue, and one that can be. */
static bool check_mutation(const struct reading *reading)
{
    const char *wanted = reading->scenario->driver.mutation;

    for (unsigned n = 0; mutation_text(n); n++) {
        const struct mutation_text *m = mutation_text(n);

        if (!strcmp(m->id, wanted))
            return !m->unseeded ||
                   reading_complain(reading, SECTION_DRIVER, EVERY_INSTANCE, "mutation",
                                    "mutation: %s cannot be put back: %s", wanted, m->unseeded);
    }
    return !strcmp(wanted, "none") ||
           reading_complain(reading, SECTION_DRIVER, EVERY_INSTANCE, "mutation",
                            "mutation: '%s' is none of those `raid5sim mutations` lists", wanted);
}

bool scenario_check(struct reading *reading)
{
    struct geometry geometry;

    if (!check_mutation(reading) || !check_host(reading) || !check_array(reading))
        return false;
    for (uint32_t i = 0; i < scenario_devices(reading->scenario); i++) {
        if (!scenario_check_disk(reading, i))
            return false;
    }
    if (!check_geometry(reading, &geometry) || !check_spares(reading, &geometry))
        return false;
    if (!scenario_check_log_room(reading, smallest_disk(reading->scenario)))
        return false;
    if (geometry_sectors(&geometry) > ARRAY_SECTORS_MAX)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, NULL,
                                "the array has %" PRIu64 " sectors, a run takes %llu at most",
                                geometry_sectors(&geometry), ARRAY_SECTORS_MAX);
    return scenario_check_faults(reading, geometry.component_sectors) &&
           check_jobs(reading, geometry_sectors(&geometry) * 512);
}

bool scenario_check_array(struct reading *reading, struct geometry *geometry)
{
    struct scenario *scenario = reading->scenario;
    bool size_matters = scenario->array.level == LEVEL_RAW && scenario->array.component_size == 0;

    if (!check_array(reading))
        return false;
    for (uint32_t i = 0; i < scenario->disk_count; i++) {
        if (scenario->disk[i].sectors != 0)
            continue;
        if (size_matters)
            return scenario_check_disk(reading, i);
        scenario->disk[i].sectors = INT64_MAX / 512;
    }
    return check_geometry(reading, geometry);
}
