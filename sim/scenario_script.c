/*
 * A job that is a script: the key `ioseq` says all that fio's keys would say, so none of those may
 * stand beside it but the two that shift or cut the measured time.
 */
#include "sim/scenario_internal.h"

#include <inttypes.h>
#include <string.h>

#include "sim/script.h"

/* The first key of the job that contradicts a script; NULL: none. */
static const struct entry *stray_key(const struct reading *reading, int number)
{
    static const char *const allowed[] = { "ioseq", "startdelay", "ramp_time" };

    for (size_t i = 0; i < reading->entry_count; i++) {
        const struct entry *entry = &reading->entry[i];
        bool stray = entry->section == SECTION_JOB &&
                     (entry->instance == number || entry->instance == EVERY_INSTANCE);

        for (size_t k = 0; k < sizeof allowed / sizeof allowed[0]; k++)
            stray = stray && strcmp(entry->key->name, allowed[k]) != 0;
        if (stray)
            return entry;
    }
    return NULL;
}

bool scenario_check_script(const struct reading *reading, int number, uint64_t array_bytes)
{
    struct job *job = &reading->scenario->job[number];
    const struct entry *stray = stray_key(reading, number);
    struct complaint why = { .line = 0 };
    struct script script;
    uint64_t end;

    if (stray)
        return reading_complain(reading, SECTION_JOB, number, stray->key->name,
                                "[job %s]: %s cannot stand beside ioseq", job->name,
                                stray->key->name);
    if (!script_parse(&script, job->ioseq, &why))
        return reading_complain(reading, SECTION_JOB, number, "ioseq", "ioseq: %s", why.text);
    end = script.end * 512;
    if (end > array_bytes) {
        script_free(&script);
        return reading_complain(reading, SECTION_JOB, number, "ioseq",
                                "ioseq: the script goes to byte %" PRIu64
                                ", beyond the array of %" PRIu64 " bytes",
                                end, array_bytes);
    }
    script_settle_job(&script, job);
    /* What [global] may have said for other jobs. */
    job->runtime_ns = job->thinktime_ns = 0;
    job->rate_iops = job->rate_process = 0;
    job->time_based = 0;
    script_free(&script);
    return true;
}
