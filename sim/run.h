/*
 * One timed run: from a scenario to its results.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H
#include <stdbool.h>

#include "sim/results.h"
#include "sim/scenario.h"

struct io_log;

struct run_options {
    struct io_log *io_log; /* every member I/O is appended here; NULL: none is */
    bool progress;         /* a line with percentage and ETA on stderr, for a terminal */
};

/* Runs the scenario to its end. False: it could not start (*complaint says why: too large a world,
 * no memory). A run that has started always ends: threads that hang with I/O outstanding are a
 * finding, not a failure. results may be large: heap. */
bool run_scenario(const struct scenario *, const struct run_options *, struct results *,
                  struct complaint *);

#endif
