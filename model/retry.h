/*
 * Reads that went past the stripe cache and failed: raid5d does them again through it, page by
 * page, each page's first read as the second try (spec 4.4, 8.3). Kernel: raid5.c
 * raid5_align_endio, add_bio_to_retry, retry_aligned_read (6.1).
 */
#ifndef MODEL_RETRY_H
#define MODEL_RETRY_H
#include "model/step.h"

/* A bypassed bio has failed. The last to come is the first to be retried. */
void retry_add(struct world *, bio_id, struct effects *);
/* Is there one? */
bool retry_possible(const struct world *);
/* raid5d, in its turn: finds the stripe of the next page and attaches it; raid5d is then at
 * RAID5D_RETRY. False: there is no stripe for it, or another read is in the way; later. */
bool retry_read(struct world *, actor_id who, struct effects *);
/* The step RAID5D_RETRY: handles that stripe. */
void retry_fire(struct world *, actor_id who, uint64_t way, struct effects *);

#endif
