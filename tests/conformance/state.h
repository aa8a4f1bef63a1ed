/*
 * What an experiment leaves behind: the array's state and its members', errors its callers met, and
 * how many superblocks and bitmap pages were written on the way.
 */
#ifndef TESTS_CONFORMANCE_STATE_H
#define TESTS_CONFORMANCE_STATE_H
#include "sim/io_log.h"
#include "sim/simulation.h"
#include "tests/conformance/commands.h"
#include "tests/conformance/compare.h"

enum { BAD_TEXT = 512 };

struct state_seen {
    unsigned degraded, io_errors;
    uint64_t mismatches;
    uint64_t journal_bios, journal_sectors; /* writes of the journal's device, all of them */
    struct device_seen {
        bool in_sync;
        unsigned corrected; /* sectors: `errors` */
        unsigned flushes;
        unsigned metadata;         /* I/Os of superblock, list of bad blocks, bitmap */
        char bad_blocks[BAD_TEXT]; /* "24+8,40+16," */
    } device[MEMBERS_MAX];
};

/* After a run. */
void state_take(struct state_seen *, const struct simulation *, const struct results *,
                const struct io_log *, const struct timeline *);
/* What the recording calls a device of the model. */
unsigned state_device(const struct timeline *, const struct shape *, unsigned device);
/* Changes the verdict if the recording ended otherwise. */
void compare_state(struct comparison *, const struct recording *, const struct state_seen *);

#endif
