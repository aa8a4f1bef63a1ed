/*
 * The resync thread: goes over the members once, asking for stripe after stripe to be checked
 * (spec 11.2-11.4). What a stripe then does is model/machine.c's (6.1) or model/handle.c's
 * (2.6.15).
 */
#ifndef MODEL_RESYNC_H
#define MODEL_RESYNC_H
#include "model/step.h"
#include "model/stripe.h"

/* A stripe that has been asked for, and is in no batch, begins its sync (spec 7.1, 5). */
void resync_begin_stripe(struct world *, stripe_id);
/* md_done_sync: one stripe less is under way. */
void resync_done(struct world *, struct effects *);
/* The member sector at which the pass ends: sync_max or the members' end. */
uint64_t resync_end(const struct world *);

#endif
