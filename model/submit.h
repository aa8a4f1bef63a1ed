/*
 * The submit steps of md-6.1, rows of the client's step table (model/client.c). Each is the fire()
 * of one step.
 */
#ifndef MODEL_SUBMIT_H
#define MODEL_SUBMIT_H
#include "model/step.h"

/* The bio the actor is at begins its walk through the stripes. */
void submit_start(struct world *, actor_id, struct effects *);
/* get_active_stripe for the page the actor is at; after a sleep for want of a stripe. */
void submit_stripe(struct world *, actor_id, uint64_t way, struct effects *);
void submit_again(struct world *, actor_id, uint64_t way, struct effects *);
/* add_all_stripe_bios and batching; or, when a page is in the way, wake raid5d, let go, sleep. */
void submit_add(struct world *, actor_id, uint64_t way, struct effects *);
void submit_clash(struct world *, actor_id, uint64_t way, struct effects *);
/* To the plug list or released; on to the next stripe of the bio. */
void submit_hand_over(struct world *, actor_id, uint64_t way, struct effects *);

/* Attaches one page of a read to its stripe. False: another bio is in the way. */
bool submit_attach_read(struct world *, stripe_id, unsigned disk, piece_id, struct effects *);

#endif
