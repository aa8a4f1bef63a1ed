/*
 * What the recordings did: their shell commands as settings of a scenario.
 *
 * A recording writes one block, waits, runs `precmd`, waits again, and then does `cmd` or `ops`
 * while it records. Here everything happens at times fixed beforehand: a command that takes time
 * (ioseq, waitidle) gets a slot long enough for it, and what an administrator does falls between
 * slots, as it did between the processes of the recording.
 */
#ifndef TESTS_CONFORMANCE_COMMANDS_H
#define TESTS_CONFORMANCE_COMMANDS_H
#include <stdint.h>

#include "tests/conformance/recording.h"
#include "tests/conformance/settings.h"

enum { ADDITIONS_MAX = 8 };
struct timeline {
    bool io;               /* it does I/O of the array */
    uint64_t end_ns;       /* when the recording ends */
    uint64_t recording_ns; /* when the recording begins */
    unsigned added_count;
    unsigned added[ADDITIONS_MAX]; /* recorded numbers of the devices that came, in order */
};

/* Adds the settings. NULL: all was understood; else what was not, in a static buffer. */
const char *commands_translate(struct settings *, const struct recording *, struct timeline *);

#endif
