/*
 * The table of keys, made from sim/keys.def and model/work.def.
 *
 * Offsets are relative to struct scenario for the sections that exist once, to struct disk_preset
 * for [disk], to struct job for [job] and to struct fault for [fault]; scenario.c knows which base
 * belongs to which section.
 */
#include "sim/keys.h"

#include <string.h>

#include "sim/nearest.h"
#include "sim/scenario.h"

#define BASE_scenario(field) struct scenario, field
#define BASE_host(field)     struct scenario, host.field
#define BASE_driver(field)   struct scenario, driver.field
#define BASE_array(field)    struct scenario, field
#define BASE_disk(field)     struct disk_preset, field
#define BASE_job(field)      struct job, field
#define BASE_fault(field)    struct fault, field
#define BASE_check(field)    struct scenario, checking.field

#define SECTION_scenario SECTION_SCENARIO
#define SECTION_host     SECTION_HOST
#define SECTION_driver   SECTION_DRIVER
#define SECTION_array    SECTION_ARRAY
#define SECTION_disk     SECTION_DISK
#define SECTION_job      SECTION_JOB
#define SECTION_fault    SECTION_FAULT
#define SECTION_check    SECTION_CHECK

#define OFFSET2(type, field) offsetof(type, field)
#define OFFSET(base)         OFFSET2(base)
#define SIZE2(type, field)   sizeof(((type *)0)->field)
#define SIZE(base)           SIZE2(base)

/* The largest price of a unit of work: four million cycles, in thousandths. */
enum { PRICE_MAX = 4000000 };

/* Locks have keys of their own (lock_cycles), and a cycle of spinning costs a cycle: a price key
 * for them would be read by nobody. They stand in the table as keys of no section, which nobody
 * sees. */
#define PRICED_ELSEWHERE(work) ((work) == WORK_LOCK || (work) == WORK_SPIN)

static const struct key keys[] = {
#define KEY(sect, key, kind, field, d, lo, hi, u, h)                                               \
    { .section = SECTION_##sect,                                                                   \
      .type = KEY_##kind,                                                                          \
      .size = SIZE(BASE_##sect(field)),                                                            \
      .offset = OFFSET(BASE_##sect(field)),                                                        \
      .min = (lo),                                                                                 \
      .max = (hi),                                                                                 \
      .name = #key,                                                                                \
      .dflt = d,                                                                                   \
      .unit = u,                                                                                   \
      .help = h },
#include "sim/keys.def"
#define WORK(id, key, symbol, what)                                                                \
    { .section = PRICED_ELSEWHERE(WORK_##id) ? SECTION_NONE : SECTION_HOST,                        \
      .type = KEY_MILLI,                                                                           \
      .size = sizeof(uint32_t),                                                                    \
      .offset = offsetof(struct scenario, host.cycles_milli[WORK_##id]),                           \
      .min = 0,                                                                                    \
      .max = PRICE_MAX * UINT64_C(1000),                                                           \
      .name = "cycles_" #key,                                                                      \
      .dflt = "0",                                                                                 \
      .unit = "cycles",                                                                            \
      .help = what },
#include "model/work.def"
#undef WORK
};

struct alias {
    uint8_t section;
    const char *alias, *name;
};

static const struct alias aliases[] = {
#define ALIAS(sect, other, key) { SECTION_##sect, #other, #key },
#include "sim/keys.def"
};

static const struct expect_name expects[] = {
#define EXPECT(what, u, h) { .name = #what, .help = h, .unit = EXPECT_IN_##u },
#include "sim/keys.def"
};

enum {
    KEYS = sizeof keys / sizeof keys[0],
    ALIASES = sizeof aliases / sizeof aliases[0],
    EXPECTS = sizeof expects / sizeof expects[0]
};

const struct key *key_at(unsigned number)
{
    for (unsigned i = 0; i < KEYS; i++) {
        if (keys[i].section != SECTION_NONE && number-- == 0)
            return &keys[i];
    }
    return NULL;
}

static enum section section_of_keys(enum section section)
{
    return section == SECTION_GLOBAL ? SECTION_JOB : section;
}

const struct key *key_find(enum section section, const char *name)
{
    section = section_of_keys(section);
    for (unsigned i = 0; i < ALIASES; i++) {
        if (aliases[i].section == section && !strcmp(aliases[i].alias, name))
            name = aliases[i].name;
    }
    for (unsigned i = 0; i < KEYS; i++) {
        if (keys[i].section == section && !strcmp(keys[i].name, name))
            return &keys[i];
    }
    return NULL;
}

const char *key_nearest(enum section section, const char *name)
{
    struct nearest search = nearest_begin(name);

    section = section_of_keys(section);
    for (unsigned i = 0; i < KEYS; i++) {
        if (keys[i].section == section)
            nearest_offer(&search, keys[i].name);
    }
    for (unsigned i = 0; i < ALIASES; i++) {
        if (aliases[i].section == section)
            nearest_offer(&search, aliases[i].alias);
    }
    return search.best;
}

const char *section_name(enum section section)
{
    static const char *const name[] = {
        [SECTION_NONE] = "",         [SECTION_SCENARIO] = "scenario", [SECTION_HOST] = "host",
        [SECTION_DRIVER] = "driver", [SECTION_ARRAY] = "array",       [SECTION_DISK] = "disk",
        [SECTION_GLOBAL] = "global", [SECTION_JOB] = "job",           [SECTION_FAULT] = "fault",
        [SECTION_CHECK] = "check",   [SECTION_EXPECT] = "expect",
    };
    return name[section];
}

const struct expect_name *expect_name_at(unsigned number)
{
    return number < EXPECTS ? &expects[number] : NULL;
}

const struct expect_name *expect_name_find(const char *name)
{
    for (unsigned i = 0; i < EXPECTS; i++) {
        if (!strcmp(expects[i].name, name))
            return &expects[i];
    }
    return NULL;
}
