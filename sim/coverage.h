/*
 * What checks have reached: steps that were taken, marks they reported, flags of stripes and slots
 * that they set and cleared.
 */
#ifndef SIM_COVERAGE_H
#define SIM_COVERAGE_H
#include <stdio.h>

#include "sim/check.h"

enum { COVERAGE_STEPS = 32, COVERAGE_FLAGS = 32 };

struct coverage {
    uint64_t states, checks;
    uint64_t step[KIND_COUNT][COVERAGE_STEPS];
    uint64_t mark[MARK_COUNT];
    /* Edges: this step has set [0] or cleared [1] this flag of a stripe (below 16) or slot. */
    uint64_t edge[KIND_COUNT][COVERAGE_STEPS][2][COVERAGE_FLAGS];
};

/* Counts what the problem's moves do from now on: [threads] of them, zeroed, the caller's, as long
 * as the problem is checked. */
void coverage_watch(struct check_problem *, struct coverage *threads);
/* Adds one to another. */
void coverage_add(struct coverage *sum, const struct coverage *);
/* How much there is, and what is missing. Returns how much is missing. */
unsigned coverage_print(FILE *, const struct coverage *);

#endif
