/* What fate may do in a state of a check: its budgets, spelled out. */
#ifndef SIM_CHECK_FATE_H
#define SIM_CHECK_FATE_H
#include "sim/check_problem.h"

/* How many strikes there are in this world; *name: of the k-th (name may be NULL if k is beyond).
 * Strikes that could change nothing are left out, and of members that nothing tells apart all but
 * the first, if that reduction is on. */
uint32_t check_fates(const struct check_problem *, const struct world *, uint32_t k,
                     uint64_t *name);

#endif
