/*
 * handle_stripe of md 3.12 to 6.1 (spec 7): analysis, decisions, operations, member I/O, in one
 * pass. machine.c looks and decides, trouble.c deals with members that fail, operations.c moves and
 * computes contents, batch.c keeps batches.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H
#include "model/step.h"
#include "model/stripe.h"

/* What one pass has found and means to do. */
struct pass {
    actor_id by;
    stripe_id s;
    unsigned locked, uptodate, to_read, to_write, non_overwrite, written, failed;
    uint8_t failed_slot[2]; /* the two highest */
    uint8_t compute_slot;
    bool fill, compute, prexor, drain, reconstruct, check; /* operations asked for */
    bool syncing, replacing;
    bool do_recovery; /* a failed slot has a device that can be written to */
    bool to_record;   /* a list of bad blocks must change first */
    bool blocked;     /* a bad block of a slot is not on disk yet */
    bool preread_done;
    io_id kept_first, kept_last; /* its writes that are deferred */
    uint8_t why;                 /* enum io_reason of this pass's reads */
};

/* One whole pass by raid5d (or a worker). */
void machine_handle(struct world *, actor_id by, stripe_id, struct effects *);

/* The operations a pass has asked for, in the order in which they must run (spec 8.2), each with
 * its completion. */
void operations_run(struct world *, struct pass *, struct effects *);
/* Submits what the pass has marked WANTREAD or WANTWRITE; writes to a missing member are skipped
 * (spec 8.1). */
void operations_issue(struct world *, struct pass *, struct effects *);
/* Ends the written bios of a slot. */
void operations_end_written(struct world *, stripe_id, unsigned disk, struct effects *);

/* trouble.c. Whether the slot's member can serve it: sets INSYNC, counts failures. */
void trouble_look(const struct world *, struct pass *, unsigned disk, struct slot *);
/* More than one slot has failed: ends with an error what needs them. */
void trouble_give_up(struct world *, struct pass *, struct effects *);
/* A page that could not be read and is here again is written, then read back. */
void trouble_repair(struct world *, struct pass *);
/* Brings the lists of bad blocks up to what writes have met. */
void trouble_record(struct world *, struct pass *, struct effects *);
/* Completions of a slot's I/O (spec 8.3). The first returns whether the slot will be read again. */
bool trouble_read_failed(struct world *, stripe_id, unsigned disk, struct effects *);
void trouble_read_ended(struct world *, stripe_id, unsigned disk, struct effects *);
void trouble_write_ended(struct world *, stripe_id, unsigned disk, bool failed, struct effects *);

#endif
