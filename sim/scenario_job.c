/*
 * Load sections: fio's defaults, what [global] says before the job, the job's own keys, --set.
 *
 * As in fio a [global] section counts for the jobs after it only. bssplit beats bs wherever either
 * stands.
 */
#include "sim/scenario_internal.h"

#include <stdio.h>
#include <string.h>

#include "sim/complaint.h"

/* Does this entry count for the job? `first`: how many entries stood before its section. */
static bool concerns(const struct entry *entry, int job, size_t place, size_t first)
{
    if (entry->section == SECTION_GLOBAL)
        return place < first;
    return entry->section == SECTION_JOB &&
           (entry->instance == job || entry->instance == EVERY_INSTANCE);
}

static size_t entries_before(const struct reading *reading, int job)
{
    for (size_t i = 0; i < reading->header_count; i++) {
        const struct header *header = &reading->header[i];

        if (header->section == SECTION_JOB && header->instance == job)
            return header->first;
    }
    return 0;
}

static bool gives_split(const struct reading *reading, int job, size_t first)
{
    for (size_t i = 0; i < reading->entry_count; i++) {
        const struct entry *entry = &reading->entry[i];

        if (concerns(entry, job, i, first) && entry->key->type == KEY_SPLIT)
            return true;
    }
    return false;
}

static void warn_of_engine(struct reading *reading, const struct entry *entry)
{
    char text[64];

    if (entry->key->type != KEY_ENGINE || value_knows_engine(entry->value))
        return;
    snprintf(text, sizeof text, "ioengine=%.54s", entry->value);
    scenario_warn(reading->scenario, text);
}

static bool store_entry(struct reading *reading, const struct entry *entry, struct job *job)
{
    char why[WHY_MAX] = "";

    warn_of_engine(reading, entry);
    if (value_store(entry->key, job, entry->value, why))
        return true;
    if (entry->command_line)
        return complain(reading->complaint, "--set", 0, "%s: %s", entry->name, why);
    return complain(reading->complaint, reading->file[entry->file].path, entry->line, "%s: %s",
                    entry->name, why);
}

/* Entries of [global] have a lower rank than the job's own; within a rank the later wins. */
static unsigned rank(const struct entry *entry)
{
    if (entry->section == SECTION_GLOBAL)
        return 0;
    return entry->command_line ? 2 : 1;
}

static bool fill_job(struct reading *reading, int number, struct job *job)
{
    size_t first = entries_before(reading, number);
    bool split = gives_split(reading, number, first);
    const struct header *header = reading_header(reading, SECTION_JOB, number);

    preset_defaults(SECTION_JOB, job);
    snprintf(job->name, sizeof job->name, "%s", reading->job[number]);
    job->line = header ? header->line : 1;
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < reading->entry_count; i++) {
            const struct entry *entry = &reading->entry[i];

            if (!concerns(entry, number, i, first) || rank(entry) != turn ||
                (split && entry->key->type == KEY_BLOCK))
                continue;
            if (!store_entry(reading, entry, job))
                return false;
        }
    }
    return true;
}

bool scenario_fill_jobs(struct reading *reading)
{
    struct scenario *scenario = reading->scenario;

    for (unsigned i = 0; i < reading->job_count; i++) {
        if (!fill_job(reading, (int)i, &scenario->job[i]))
            return false;
    }
    scenario->job_count = reading->job_count;
    return true;
}
