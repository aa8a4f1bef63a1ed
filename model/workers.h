/*
 * Worker groups (spec 10.4): threads that handle stripes beside raid5d. There is one group, as on a
 * host with one memory node; its handle list is LIST_HANDLE, and array.to_handle is its length.
 *
 * Whoever handles stripes, raid5d too, has a struct handler: the batch it has picked. All but
 * workers_handle() run under device_lock.
 */
#ifndef MODEL_WORKERS_H
#define MODEL_WORKERS_H
#include "model/step.h"
#include "model/stripe.h"

WORLD_STRUCTS_BEGIN
/* Number 0 is raid5d's, the others are the workers'. */
struct handler {
    stripe_id batch[HANDLE_BATCH_MAX]; /* each with a reference; what is not in use is 0 */
    uint8_t count, at;                 /* picked; handled */
    uint8_t working; /* a worker: it has been asked and has not done a batch since */
    uint8_t queued;  /* a worker: its work item waits to be begun */
};
WORLD_STRUCTS_END

WORLD_SECTION(handler, struct handler, SEC_HANDLERS)

extern const struct actor_kind worker_kind;

enum worker_pc { WORKER_IDLE, WORKER_LOOP, WORKER_WORK, WORKER_FLUSH, WORKER_PC_COUNT };

/* The handler an actor is: raid5d or a worker. */
struct handler *workers_handler(struct world *, actor_id who);
/* A stripe has come to the group's handle list or to the hold list: worker 0 is asked in any case,
 * one more for each further batch that waits (spec 10.4, wake rule). */
void workers_wake(struct world *, struct effects *);
/* Handles the next stripe of the batch; false: that was the last. */
bool workers_handle(struct world *, actor_id who, struct effects *);
/* Lets the batch go. */
void workers_let_go(struct world *, actor_id who, struct effects *);

#endif
