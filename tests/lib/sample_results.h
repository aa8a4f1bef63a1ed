/*
 * A made-up struct results for tests of the reports: eight disks, two CPUs, 14 random reads in
 * flight for ten seconds, the stripe cache half blocked. Round numbers, so that a test can say what
 * must be printed.
 */
#ifndef TESTS_LIB_SAMPLE_RESULTS_H
#define TESTS_LIB_SAMPLE_RESULTS_H
#include "sim/results.h"

struct sample {
    struct scenario scenario;
    struct results results;
};

/* On the heap; free() it. results.scenario points to the scenario beside it. */
struct sample *sample_new(void);
/* Adds an [expect] line. Values in the unit itself, not in thousandths. */
struct expect *sample_expect(struct sample *, const char *name, enum expect_kind, int64_t value,
                             int64_t tolerance);

#endif
