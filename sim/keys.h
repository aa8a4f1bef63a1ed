/*
 * The table of scenario keys (sim/keys.def) in the form the program works with.
 *
 * Constant data; entries live as long as the program. The order is the order of sim/keys.def with
 * the cycles_* prices of model/work.def after the other keys of [host].
 */
#ifndef SIM_KEYS_H
#define SIM_KEYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sections of a scenario file. SECTION_NONE: before the first header. */
enum section {
    SECTION_NONE,
    SECTION_SCENARIO,
    SECTION_HOST,
    SECTION_DRIVER,
    SECTION_ARRAY,
    SECTION_DISK,
    SECTION_GLOBAL, /* fio's defaults for the jobs after it; its keys are those of SECTION_JOB */
    SECTION_JOB,
    SECTION_FAULT,
    SECTION_CHECK,
    SECTION_EXPECT
};

/* How the text of a value becomes the field. The number in a name is the width of the field. */
enum key_type {
    KEY_TEXT,  /* char[size] */
    KEY_PROSE, /* char[size]; a repeated key appends a space and its text */
    KEY_U8,    /* whole numbers */
    KEY_U32,
    KEY_U64,
    KEY_POWER32, /* a power of two */
    KEY_FLAG,    /* 0 or 1 in a uint8_t; fio allows the bare word */
    KEY_SWITCH,  /* 0 or 1 in a uint32_t */
    KEY_BYTES32, /* units_bytes() */
    KEY_BYTES64,
    KEY_CHUNK,    /* units_bytes(), a power of two */
    KEY_CAPACITY, /* units_bytes(), stored in sectors */
    KEY_NS32,     /* a plain number is ns; else units_time() */
    KEY_NS64,
    KEY_US32,         /* a plain number is us; stored in us */
    KEY_SECONDS,      /* a plain number is seconds; stored in ns, 64 bits */
    KEY_MICROSECONDS, /* a plain number is us; stored in ns, 64 bits */
    KEY_MILLI,        /* thousandths in a uint32_t */
    KEY_WORDS32,      /* words of `unit`, separated by commas or blanks: a bit each */
    KEY_CHOICE32,     /* the place of the word in `unit` */
    KEY_CHOICE_TEXT,  /* one of the words in `unit`, stored as text */
    KEY_MEMBERS,      /* members' numbers, parted by commas, as bits of a uint64_t */
    KEY_SYNCED,       /* units_bytes(), stored in sectors; `all`: UINT64_MAX */
    KEY_IRQ_CPU,      /* a CPU, or IRQ_SPREAD until the whole scenario is known */
    KEY_LEVEL,
    KEY_LAYOUT,
    KEY_ZONES,
    KEY_SEEKS,
    KEY_RW,
    KEY_REST_PERCENT, /* 100 less the number */
    KEY_BLOCK,
    KEY_BLOCKALIGN,
    KEY_SPLIT,
    KEY_ENGINE,
    KEY_DIRECT,
    KEY_SHARE, /* bytes, or a percentage of the array (share_of_array) */
    KEY_DISTRIBUTION
};

#define NS_MAX                                                                                     \
    (UINT64_C(365) * 86400 * 1000000000) /* a year: sums of times stay far from overflow */
#define BYTES_MAX (INT64_MAX / 2)

struct key {
    uint8_t section; /* enum section */
    uint8_t type;    /* enum key_type */
    uint16_t size;   /* bytes of the field */
    uint32_t offset; /* of the field in struct scenario, disk_preset, job or fault */
    uint64_t min, max;
    const char *name, *dflt, *unit, *help;
};

/* What the numbers of an expectation count; values are stored in thousandths of it. */
enum expect_quantity {
    EXPECT_IN_NUMBER,
    EXPECT_IN_RATE,    /* bytes a second */
    EXPECT_IN_PERCENT, /* percentage points */
    EXPECT_IN_TIME,    /* ns */
    EXPECT_IN_TEXT
};

struct expect_name {
    const char *name, *help;
    uint8_t unit; /* enum expect_quantity */
};

/* The keys, numbered from 0; NULL after the last. */
const struct key *key_at(unsigned number);
/* The key of that name or alias; NULL: there is none. SECTION_GLOBAL knows the keys of SECTION_JOB.
 */
const struct key *key_find(enum section, const char *name);
/* The key or alias of the section nearest to a name; NULL: none is near. */
const char *key_nearest(enum section, const char *name);
/* "host", "job", ... as written between brackets. */
const char *section_name(enum section);

/* The names [expect] knows, numbered from 0; NULL after the last. symbol.<name> is not among them.
 */
const struct expect_name *expect_name_at(unsigned number);
const struct expect_name *expect_name_find(const char *name);

#endif
