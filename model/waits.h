/*
 * Wait queues, as the kernel's wait_event does it: who waits joins the queue once and stays in it,
 * asleep or woken to look again, until what it waits for has come true. New waiters join at the
 * head and a wake-up goes from the head, so the last to come is the first to be woken
 * (kernel/wait.c: non-exclusive waiters). A waiter of the wake-one policy is exclusive: it joins at
 * the tail.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H
#include "model/step.h"

WORLD_SECTION(waits, struct wait_queue, SEC_WAITS)

/* Goes to sleep on the queue, joining it if it is not in it already. */
void waits_sleep(struct world *, actor_id, enum wait);
/* Leaves the queue it is in, if any. Precondition: awake. */
void waits_leave(struct world *, actor_id);
/* Wakes all sleepers; reports EFFECT_WAKE and WORK_WAKE for each. */
void waits_wake_all(struct world *, enum wait, struct effects *);
/* Wakes the sleepers whose register `slot` has that value. */
void waits_wake_slot(struct world *, enum wait, uint8_t slot, struct effects *);
/* Wakes the first sleeper. */
void waits_wake_one(struct world *, enum wait, struct effects *);
/* Where callers of a quiesced array wait: before 4.3 among those who wait for a stripe. */
static inline enum wait waits_for_quiet(const struct shape *s)
{
    return s->one_wait_queue ? WAIT_STRIPE : WAIT_QUIESCE;
}

#endif
