/*
 * A scenario from its file: read, fill in section by section, check as a whole. On any trouble the
 * complaint is filled in and the scenario is not to be used; nothing outside of it has changed.
 */
#include "sim/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario_internal.h"

/* Sections without presets: defaults and what the entries say. */
static bool fill_plain(struct reading *reading, enum section section)
{
    preset_defaults(section, reading->scenario);
    return reading_store(reading, section, EVERY_INSTANCE, reading->scenario);
}

uint32_t scenario_additions(const struct scenario *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->fault_count; i++)
        n += s->fault[i].what == FAULT_ADD;
    return n;
}

uint32_t scenario_devices(const struct scenario *s)
{
    return s->disk_count + s->array.journal + s->array.spares + scenario_additions(s);
}

/* All devices start from [disk]; each [disk N] goes on from there. */
static bool fill_disks(struct reading *reading)
{
    struct scenario *scenario = reading->scenario;

    scenario->disk_count = scenario->array.raid_disks;
    if (scenario->array.consistency == CONSISTENCY_JOURNAL)
        scenario->array.journal = 1;
    if (scenario_devices(scenario) > DISKS_MAX)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "raid_disks",
                                "%" PRIu32 " members, spares, journal and devices added: "
                                "%d at most",
                                scenario_devices(scenario), DISKS_MAX);
    if (!preset_apply(reading, SECTION_DISK, EVERY_INSTANCE, &scenario->disk[0]))
        return false;
    for (uint32_t i = 1; i < scenario_devices(scenario); i++)
        scenario->disk[i] = scenario->disk[0];
    for (uint32_t i = 0; i < scenario_devices(scenario); i++) {
        if (!preset_apply(reading, SECTION_DISK, (int)i, &scenario->disk[i]))
            return false;
    }
    return true;
}

static bool fill_faults(struct reading *reading)
{
    struct scenario *scenario = reading->scenario;

    scenario->fault_count = reading->fault_count;
    for (unsigned i = 0; i < reading->fault_count; i++) {
        preset_defaults(SECTION_FAULT, &scenario->fault[i]);
        snprintf(scenario->fault[i].name, sizeof scenario->fault[i].name, "%s", reading->fault[i]);
        if (!reading_store(reading, SECTION_FAULT, (int)i, &scenario->fault[i]))
            return false;
    }
    return true;
}

static bool read_all(struct reading *reading, const char *path, const struct overrides *overrides)
{
    if (!(path ? reading_add_file(reading, path) : reading_add_no_file(reading)))
        return false;
    for (unsigned i = 0; overrides && i < overrides->count; i++) {
        if (!reading_add_override(reading, overrides->text[i]))
            return false;
    }
    return true;
}

static bool fill(struct reading *reading)
{
    struct scenario *scenario = reading->scenario;

    return fill_plain(reading, SECTION_SCENARIO) && fill_plain(reading, SECTION_ARRAY) &&
           fill_plain(reading, SECTION_CHECK) &&
           preset_apply(reading, SECTION_HOST, EVERY_INSTANCE, scenario) &&
           preset_apply(reading, SECTION_DRIVER, EVERY_INSTANCE, scenario) &&
           fill_faults(reading) && fill_disks(reading) && scenario_fill_jobs(reading) &&
           scenario_fill_expects(reading);
}

/* geometry NULL: the whole scenario is wanted; else only its array. */
static bool load(struct scenario *scenario, const char *path, const struct overrides *overrides,
                 struct geometry *geometry, struct complaint *complaint)
{
    memset(complaint, 0, sizeof *complaint);
    memset(scenario, 0, sizeof *scenario);
    struct reading *reading = reading_new(scenario, complaint);

    if (!reading)
        return false;
    bool good = read_all(reading, path, overrides) && fill(reading) &&
                (geometry ? scenario_check_array(reading, geometry) : scenario_check(reading));

    if (good)
        memcpy(scenario->path, reading->file[0].path, sizeof scenario->path);
    /* Troubles of a file as a whole are shown on its first line, so that every tool can jump there.
     */
    if (!good && complaint->line == 0 && strcmp(complaint->file, "--set"))
        complaint->line = 1;
    reading_free(reading);
    return good;
}

bool scenario_load(struct scenario *scenario, const char *path, const struct overrides *overrides,
                   struct complaint *complaint)
{
    return load(scenario, path, overrides, NULL, complaint);
}

bool scenario_load_array(struct scenario *scenario, const char *path,
                         const struct overrides *overrides, struct geometry *geometry,
                         struct complaint *complaint)
{
    return load(scenario, path, overrides, geometry, complaint);
}

struct elevator_params scenario_elevator(const struct scenario *scenario)
{
    const struct host *host = &scenario->host;

    return (struct elevator_params){
        .kind = (uint8_t)host->elevator,
        .plugs = host->plug_requests == 0,
        .nomerges = (uint8_t)host->nomerges,
        .hz = host->hz,
        .nr_requests = host->nr_requests,
        .max_sectors = host->max_sectors,
        .max_segments = host->max_segments,
        .unplug_requests = host->unplug_requests,
        .unplug_ns = host->unplug_ns,
        .read_expire_ns = host->read_expire_ns,
        .write_expire_ns = host->write_expire_ns,
        .read_batch_ns = host->read_batch_ns,
        .write_batch_ns = host->write_batch_ns,
        .antic_ns = host->antic_ns,
        .fifo_batch = host->fifo_batch,
        .writes_starved = host->writes_starved,
    };
}

uint64_t scenario_planned_end(const struct scenario *s)
{
    uint64_t end = 0;

    for (uint32_t j = 0; j < s->job_count; j++) {
        const struct job *job = &s->job[j];

        if (!job->runtime_ns)
            return 0;
        if (job->startdelay_ns + job->ramp_ns + job->runtime_ns > end)
            end = job->startdelay_ns + job->ramp_ns + job->runtime_ns;
    }
    return end;
}
