/* Wait queues: first come first in line; who sleeps has waits_on set and is enabled for nothing. */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H
#include "model/step.h"

WORLD_SECTION(waits, struct wait_queue, SEC_WAITS)

void waits_sleep(struct world *, actor_id, enum wait);
/* Wakes all sleepers, or the first; reports EFFECT_WAKE and WORK_WAKE for each. */
void waits_wake_all(struct world *, enum wait, struct effects *);
void waits_wake_one(struct world *, enum wait, struct effects *);

#endif
