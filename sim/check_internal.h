/* What sim/check.c and sim/check_dive.c share. */
#ifndef SIM_CHECK_INTERNAL_H
#define SIM_CHECK_INTERNAL_H
#include <time.h>

#include "sim/check.h"

/* Of the host's clock. */
double check_seconds_since(const struct timespec *);
/* Complains that [check] memory is too little to begin with. */
bool check_too_small(const struct check_problem *, struct complaint *);
/* order = depth and walk, in the scenario's memory, zeroed. As check_run. */
bool check_dive(const struct check_problem *, bool progress, void *memory, struct check_result *,
                struct complaint *);

#endif
