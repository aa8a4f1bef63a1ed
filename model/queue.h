/*
 * How stripes get to raid5d in md 3.12 to 6.1 (spec 3.8, 3.10, 3.11, 4.3): the list of released
 * stripes, plug lists, the hold list. The lists of model/cache.h lie behind it. All but
 * queue_release() run under device_lock.
 */
#ifndef MODEL_QUEUE_H
#define MODEL_QUEUE_H
#include "model/step.h"
#include "model/stripe.h"

/* Drops one reference. The last one (md-3.12: each one, unless the stripe has one there already) is
 * not dropped but goes on the list of released stripes, and raid5d is woken if that was empty. */
void queue_release(struct world *, stripe_id, struct effects *);
/* Files what has been released, oldest first. Returns how many. */
unsigned queue_drain(struct world *, struct effects *);
/* The submitter has done with a stripe: to its plug list if it has several I/Os to submit, else
 * released. */
void queue_hand_over(struct world *, actor_id client, stripe_id, struct effects *);
/* The submitter unplugs: its stripes are filed in the order in which they were touched. */
void queue_unplug(struct world *, actor_id client, struct effects *);
/* B55: the first stripe of the plug list says that it has left it, a step before it does. True:
 * this was that step. */
bool queue_announces(struct world *, actor_id client);
struct handler;
/* Picks up to MAX_STRIPE_BATCH stripes into the handler's batch by the rule of handle and hold
 * list; each gets a reference. */
unsigned queue_pick(struct world *, struct handler *);
/* One stripe less has permission to preread; raid5d is woken when none has any more. */
void queue_preread_done(struct world *, struct effects *);

#endif
