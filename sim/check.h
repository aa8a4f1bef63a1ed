/*
 * Running a check: memory, threads, the search, and what came of it.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H
#include "model/check/search.h"
#include "sim/check_problem.h"

enum check_verdict { VERDICT_OK, VERDICT_FINDING, VERDICT_UNFINISHED };

struct check_result {
    enum check_verdict verdict;
    unsigned property;                       /* enum property, of a finding */
    const char *bound;                       /* unfinished: which bound was reached; a constant */
    uint64_t states, moves, rest, rest_keys; /* as in struct search_counts */
    uint32_t depth;                          /* the longest of all shortest paths */
    uint32_t trace_length;
    struct move *trace; /* [trace_length], of a finding; the result's */
    bool exact;         /* no state can have been taken for another */
    bool shortest;      /* no shorter trace leads to a finding */
    uint64_t map_bits;  /* mode bitstate: bits of the map; else 0 */
    bool liveness;      /* was looked at */
    double seconds;     /* of the host's clock, for whoever waits; never part of a result */
};

/* scenario_load for a check: refuses what a check would leave out. */
bool check_load(struct scenario *, const char *path, const struct overrides *, struct complaint *);
/* Explores. progress: lines on standard error while it lasts. False, with one line: no memory. Free
 * the result with check_result_free. */
bool check_run(const struct check_problem *, bool progress, struct check_result *,
               struct complaint *);
void check_result_free(struct check_result *);
/* Chance that some state was taken for another and not looked at, at most, if 64 bits were kept of
 * each: the birthday bound, in units of 10^-15 (rounded up); 0: exact. */
uint64_t check_omission(const struct check_result *);

#endif
