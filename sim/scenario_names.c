/*
 * What names mean: sections, jobs and keys, and what to say when a name means nothing.
 *
 * Load sections are special, because people paste fio jobs into them: an option fio has and the
 * model has not is noted as a warning and left out. A word that is neither a key nor an option of
 * fio's is taken for a slip if a key is within two edits, and for an option we have not heard of
 * otherwise.
 */
#include "sim/scenario_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/nearest.h"

static bool wrong_section(const char *text, char *why)
{
    static const enum section known[] = { SECTION_SCENARIO, SECTION_HOST,  SECTION_DRIVER,
                                          SECTION_ARRAY,    SECTION_DISK,  SECTION_GLOBAL,
                                          SECTION_JOB,      SECTION_FAULT, SECTION_CHECK,
                                          SECTION_EXPECT };
    struct nearest search = nearest_begin(text);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        nearest_offer(&search, section_name(known[i]));
    if (search.best)
        snprintf(why, WHY_MAX, "unknown section [%s]; did you mean [%s]?", text, search.best);
    else
        snprintf(why, WHY_MAX, "unknown section [%s] (a load is written [job %s])", text, text);
    return false;
}

/* The place of a name in a list, where it is put if it is new; -1: no room, or too long. */
static int place_of(char (*list)[64], unsigned *count, unsigned max, const char *name)
{
    for (unsigned i = 0; i < *count; i++)
        if (!strcmp(list[i], name))
            return (int)i;
    if (*count == max || strlen(name) >= sizeof list[0])
        return -1;
    snprintf(list[*count], sizeof list[0], "%s", name);
    return (int)(*count)++;
}

int names_job(struct reading *reading, const char *name)
{
    return place_of(reading->job, &reading->job_count, JOBS_MAX, name);
}

static bool find_fault(struct reading *reading, const char *name, int *instance, char *why)
{
    *instance = -1;
    if (*name != '\0')
        *instance = place_of(reading->fault, &reading->fault_count, FAULTS_MAX, name);
    if (*instance < 0)
        snprintf(why, WHY_MAX, "[fault NAME]: no name, one of more than %zu bytes, or more than %d",
                 sizeof reading->fault[0] - 1, FAULTS_MAX);
    return *instance >= 0;
}

static bool find_job(struct reading *reading, const char *name, int *instance, char *why)
{
    if (*name == '\0') {
        snprintf(why, WHY_MAX, "a load section needs a name: [job NAME]");
        return false;
    }
    *instance = names_job(reading, name);
    if (*instance < 0)
        snprintf(why, WHY_MAX, "[job %s]: more than %d jobs, or a name of more than %zu bytes",
                 name, JOBS_MAX, sizeof reading->job[0] - 1);
    return *instance >= 0;
}

static bool find_disk(const char *number, int *instance, char *why)
{
    uint64_t member;

    if (!value_whole(number, &member) || member >= DISKS_MAX) {
        snprintf(why, WHY_MAX, "[disk %s]: members are numbered 0 to %d", number, DISKS_MAX - 1);
        return false;
    }
    *instance = (int)member;
    return true;
}

bool names_find_section(struct reading *reading, const char *text, enum section *section,
                        int *instance, char *why)
{
    size_t word = strcspn(text, " \t");
    const char *rest = text + word + strspn(text + word, " \t");

    *instance = EVERY_INSTANCE;
    for (enum section s = SECTION_SCENARIO; s <= SECTION_EXPECT; s++) {
        if (strlen(section_name(s)) != word || strncmp(text, section_name(s), word))
            continue;
        *section = s;
        if (s == SECTION_JOB)
            return find_job(reading, rest, instance, why);
        if (s == SECTION_FAULT)
            return find_fault(reading, rest, instance, why);
        if (s == SECTION_DISK && *rest)
            return find_disk(rest, instance, why);
        if (*rest == '\0')
            return true;
    }
    return wrong_section(text, why);
}

/* A name of [expect]: a known one or symbol.<name>. */
static bool find_expect(const struct entry *entry, char *why)
{
    struct nearest search = nearest_begin(entry->name);

    if (expect_name_find(entry->name) ||
        (!strncmp(entry->name, "symbol.", 7) && entry->name[7] != '\0'))
        return true;
    for (unsigned i = 0; expect_name_at(i); i++)
        nearest_offer(&search, expect_name_at(i)->name);
    snprintf(why, WHY_MAX, "unknown expectation '%s'%s%s%s", entry->name,
             search.best ? "; did you mean '" : "", search.best ? search.best : "",
             search.best ? "'?" : "");
    return false;
}

/* A load key that is not in the table: fio's, a slip, or unheard of. */
static bool unmodelled(struct reading *reading, const struct entry *entry, char *why)
{
    const char *nearest = key_nearest(SECTION_JOB, entry->name);

    if (nearest && !fio_knows_option(entry->name) && edit_distance(entry->name, nearest) <= 2) {
        snprintf(why, WHY_MAX, "unknown key '%s' in [%s]; did you mean '%s'?", entry->name,
                 section_name((enum section)entry->section), nearest);
        return false;
    }
    scenario_warn(reading->scenario, entry->name);
    return true;
}

bool names_find_key(struct reading *reading, struct entry *entry, bool *keep, char *why)
{
    enum section section = (enum section)entry->section;

    *keep = true;
    if (section == SECTION_NONE) {
        snprintf(why, WHY_MAX, "key '%s' stands before any [section]; only include may",
                 entry->name);
        return false;
    }
    if (section == SECTION_EXPECT)
        return find_expect(entry, why);
    entry->key = key_find(section, entry->name);
    if (entry->key && reading->preset && !strcmp(entry->key->name, "preset")) {
        snprintf(why, WHY_MAX, "a preset cannot name another preset");
        return false;
    }
    if (entry->key)
        return true;
    if (section == SECTION_JOB || section == SECTION_GLOBAL) {
        *keep = false;
        return unmodelled(reading, entry, why);
    }
    const char *nearest = key_nearest(section, entry->name);

    snprintf(why, WHY_MAX, "unknown key '%s' in [%s]%s%s%s", entry->name, section_name(section),
             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}
