/*
 * What is in a stripe's pages, md-2.6.15 (spec 6, step 7): copying between a page and its bios, one
 * block as the xor of all others, parity for what waits to be written. All of it runs inline, under
 * the stripe's lock.
 */
#ifndef MODEL_CONTENTS_H
#define MODEL_CONTENTS_H
#include "model/step.h"
#include "model/stripe.h"

/* How parity comes to be: by the difference that the new data make, or from all data. */
enum parity_method { PARITY_RMW, PARITY_RCW };

/* Copies the part of the page that a piece covers, into the page or out of it. */
void contents_copy(struct world *, stripe_id, unsigned disk, piece_id, bool into_page,
                   struct effects *);
/* The block is the xor of all others, which are here; it is up to date from now on. */
void contents_compute_block(struct world *, stripe_id, unsigned disk, struct effects *);
/* Takes the waiting writes into their pages and makes parity fit. What has to go to the members is
 * up to date and LOCKED afterwards: the pages written to, and parity. */
void contents_compute_parity(struct world *, stripe_id, enum parity_method, struct effects *);
/* Folds all data into parity's page, which is no parity any more then; true if nothing is left in
 * it: parity was right. */
bool contents_check_parity(struct world *, stripe_id, struct effects *);
/* Clears Overlap of a slot whose waiting bios have been taken, and wakes who sleeps for it. */
void contents_end_overlap(struct world *, stripe_id, unsigned disk, struct effects *);

#endif
