/*
 * handle_stripe of md 3.12 to 6.1 (spec 7): analysis, decisions, operations, member I/O, in one
 * pass. machine.c looks and decides, operations.c moves and computes contents, batch.c keeps
 * batches.
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
    bool syncing;
    bool preread_done;
    io_id kept_first, kept_last; /* its writes that are deferred */
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

#endif
