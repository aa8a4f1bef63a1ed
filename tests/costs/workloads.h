/*
 * The workloads of the instruction profile, read from the script that ran them in the guest
 * (tests/oracle/guest/cpu.sh), as experiments for tests/conformance/replay.h.
 *
 * A line of it is `c NAME key=value... -- OPERATIONS` or `x cpu-NAME key=value... cmd="..." --`;
 * WARM holds the operations before the first mark. Counting begins at the last mark before the end:
 * `before` is everything up to there, `whole` all of it.
 */
#ifndef TESTS_COSTS_WORKLOADS_H
#define TESTS_COSTS_WORKLOADS_H
#include <jansson.h>
#include <stdbool.h>

enum { WORKLOAD_NAME = 64, WORKLOADS_MAX = 64 };

struct profiled {
    char name[WORKLOAD_NAME]; /* without "cpu-" */
    json_t *before, *whole;   /* records as tests/golden has them; owned */
};

/* Those whose names are on the list. False: said why on stderr. */
bool workloads_read(const char *path, const char *const *names, struct profiled *, unsigned *count);
void workloads_free(struct profiled *, unsigned count);

#endif
