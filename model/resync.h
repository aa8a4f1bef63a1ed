/*
 * The resync thread (md0_resync): check, repair, resync and recovery (spec 11.2-11.4, md-6.1).
 *
 * It goes over the members from sync_min (resync: from recovery_cp; recovery: from where the least
 * rebuilt member stands) upwards and asks for one stripe after the other; raid5d reads, compares
 * and writes (md-2.6.15: the thread begins that itself, by model/handle.c). At sync_max it pauses.
 * At the end it leaves the rest to raid5d (model/superblock.c) and has nothing to do until the next
 * begins.
 */
#ifndef MODEL_RESYNC_H
#define MODEL_RESYNC_H
#include "model/step.h"

/* The ways of resync.pace: below the limits, or at the lowest speed md keeps: go on; others use the
 * members: wait until nothing is under way; too fast: sleep half a second and look again. */
enum resync_pace { RESYNC_GO_ON, RESYNC_MAKE_ROOM, RESYNC_SLEEP, RESYNC_PACE_WAYS };

/* Tells the thread, which has nothing to do, what to do. */
void resync_begin(struct world *, enum sync_action, struct effects *);
/* May that be asked of it now: it runs (idle), or has nothing to do (check, repair)? */
bool resync_may_begin(const struct world *, enum sync_action);
/* Makes it end where it is. */
void resync_interrupt(struct world *, struct effects *);
/* The next pass takes up what the thread has asked of this stripe, if it has. */
void resync_begin_stripe(struct world *, stripe_id);
/* What was asked of a stripe is done (good), or cannot be done, which ends the whole; the thread
 * may be waiting for the last one. */
void resync_done(struct world *, bool good, struct effects *);
/* sync_max, in sectors of a member; UINT64_MAX: none. */
void resync_set_max(struct world *, uint64_t sector, struct effects *);

#endif
