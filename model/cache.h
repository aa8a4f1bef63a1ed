/*
 * The stripe cache: hash table, lists, lookup, release (spec 3). The caller is under device_lock.
 */
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H
#include <stdbool.h>

#include "model/step.h"
#include "model/stripe.h"

enum lookup { LOOKUP_HIT, LOOKUP_MISS, LOOKUP_BLOCKED };

/* All stripe_heads of a fresh world go to the inactive list, unhashed (spec 3.4). */
void cache_start(struct world *);
/* get_active_stripe, md-2.6.15 (spec 3.6): on HIT or MISS *s is referenced, on MISS freshly
 * initialised for `sector`; BLOCKED: inactive_blocked is set, nothing obtained, the caller sleeps
 * on WAIT_STRIPE. Marks what came of it. */
enum lookup cache_lookup(struct world *, uint64_t sector, unsigned parity, stripe_id *s,
                         struct effects *);
/* B05: the lookup goes by what the actor has seen of the stripe's count a step before (0: nothing).
 * cache_glance: true, the stripe is there, and this was that step. */
bool cache_glance(const struct world *, actor_id, uint64_t sector, uint8_t *glance);
enum lookup cache_lookup_glanced(struct world *, uint64_t sector, unsigned parity, uint8_t glance,
                                 stripe_id *s, struct effects *);
/* The hash lock class a sector belongs to (6.1; one class before). */
unsigned cache_class(const struct world *, uint64_t sector);
/* The stripe of that sector if it is in the cache, by no way md has to pay for; NONE16: it is not.
 */
stripe_id cache_find(const struct world *, uint64_t sector);
/* What a woken waiter for that sector tests before it may start the lookup over; clears
 * inactive_blocked when it may. */
bool cache_may_retry(struct world *, uint64_t sector);
/* The lists of 3.2: takes a stripe off the one it is on; puts it at the end of one. */
void cache_unlink(struct world *, stripe_id);
void cache_append(struct world *, unsigned list, stripe_id);
/* Drops one reference; files the stripe when it was the last (spec 3.8). */
void cache_release(struct world *, stripe_id, struct effects *);
/* Takes the head of the handle list with a reference; NONE16: empty. */
stripe_id cache_pick(struct world *);
/* Moves all delayed stripes to the handle list (md-6.1: the hold list) if no stripe has preread
 * permission (spec 3.10). */
void cache_activate_delayed(struct world *, struct effects *);
/* raid5_unplug_device, the part under device_lock: close the bitmap batch, activate, wake raid5d,
 * unplug the members. */
void cache_unplug(struct world *, struct effects *);
/* Sets raid5d's "please run" bit and wakes it. */
void cache_wake_raid5d(struct world *, struct effects *);

/* md-6.1: a stripe_head more, if a lookup has wanted one and none was added since raid5d last found
 * released ones (3.5). True: it waits on the list of released ones. */
bool cache_grow(struct world *, struct effects *);

#endif
