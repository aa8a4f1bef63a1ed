/* Batches of vertically adjacent, fully overwritten stripes that are handled as one (spec 4.8, 4.1
 * and later). */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H
#include "model/step.h"
#include "model/stripe.h"

/* Fresh, unread, every data page fully overwritten. */
bool batch_possible(const struct world *, stripe_id);
/* Tries to add `s` to the batch of the stripe one page below, which is `last` or looked up in the
 * cache. */
void batch_join(struct world *, stripe_id s, stripe_id last, struct effects *);
/* handle_stripe begins: the batch is closed for joining. True: this is a member and not the head,
 * there is nothing to do. */
bool batch_close(struct world *, stripe_id);
/* The head's work is done (or has failed): members become ordinary stripes with the head's slot
 * flags; each is released. */
void batch_break(struct world *, stripe_id head, bool handle, struct effects *);

#endif
