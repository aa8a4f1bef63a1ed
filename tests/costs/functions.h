/*
 * Which counters of the model stand for the calls of which kernel function. Counters are work kinds
 * (model/work.def) and marks (model/marks.def); nothing here is scaled.
 */
#ifndef TESTS_COSTS_FUNCTIONS_H
#define TESTS_COSTS_FUNCTIONS_H
#include <stdint.h>

#include "sim/results.h"

struct function {
    const char *name;
    int64_t (*calls)(const struct results *);
};

extern const struct function functions[];
extern const unsigned function_count;

#endif
