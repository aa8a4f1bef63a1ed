/*
 * The write journal, write-through (spec 13.1; recordings log-journal-*): a device of its own, to
 * which a stripe's data and parity go before its members do.
 *
 * Stripes are gathered in io_units: a meta block of one page, then their pages, in one write. Many
 * may be under way, but stripes go on to their members strictly in the order of the log: an io_unit
 * waits for those before it. When all stripes of an io_unit, and of all before it, are on their
 * members, its space may be had again; that is told to the superblocks when it is more than a
 * quarter of the log, or when the log is full.
 *
 * Positions count sectors from the first one ever written; where one lies is the remainder.
 *
 * Kernel: raid5-cache.c r5l_write_stripe, r5l_log_stripe, r5l_log_endio, r5l_log_run_stripes,
 * r5l_flush_stripe_to_raid, r5l_stripe_write_finished, r5l_do_reclaim (6.1).
 */
#ifndef MODEL_JOURNAL_H
#define MODEL_JOURNAL_H
#include "model/io.h"
#include "model/machine.h"

enum { JOURNAL_PAGES_MAX = 203 /* data and parity that a meta block describes */ };

enum unit_state { UNIT_OPEN, UNIT_SENT, UNIT_LOGGED, UNIT_FLUSHING, UNIT_RUNS };

WORLD_STRUCTS_BEGIN
struct journal {
    uint64_t at;                     /* where the next page goes */
    uint64_t checkpoint;             /* all before it may be written over */
    uint64_t done;                   /* ... once the superblocks say so */
    uint64_t telling;                /* what they are being told; 0: nothing */
    uint32_t oldest, units;          /* of the ring */
    uint32_t run;                    /* units from the oldest on whose stripes have been let go */
    stripe_id waiting, waiting_tail; /* stripes that found the log full */
};

struct journal_unit {
    uint64_t from, to;     /* positions */
    stripe_id first, last; /* its stripes, until they are let go */
    uint16_t pages;        /* behind the meta block */
    uint16_t unfinished;   /* stripes that are not on their members */
    uint8_t state;         /* enum unit_state */
    uint8_t bios;          /* under way: two where the log begins again */
    uint8_t pad[6];
};
WORLD_STRUCTS_END

WORLD_SECTION(journal, struct journal, SEC_JOURNAL)
WORLD_SECTION(unit, struct journal_unit, SEC_UNITS)

void journal_begin(struct world *);
bool journal_takes(struct world *, struct pass *, struct effects *);
void journal_finish(struct world *, stripe_id, struct effects *);
void journal_submit(struct world *, actor_id by, struct effects *);
void journal_ended(struct world *, io_id, const struct io *ended, struct effects *);
/* The superblocks have been written. */
void journal_told(struct world *, struct effects *);
/* The device has failed: no write of the array can be done any more. */
bool journal_has_failed(const struct world *);

#endif
