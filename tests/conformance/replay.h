/*
 * An experiment done again by the model: the same array, members, settings and I/Os.
 */
#ifndef TESTS_CONFORMANCE_REPLAY_H
#define TESTS_CONFORMANCE_REPLAY_H
#include "tests/conformance/state.h"

struct scenario;

enum { TROUBLE_MAX = 512 };

/* What the model cannot do yet about this experiment; NULL: it can. */
const char *replay_lacks(const struct recording *);
/* Runs it, in a process of its own, so that a failed assertion or a run without end is a result
 * like others. False: *trouble (TROUBLE_MAX bytes) says what went wrong; bios holds what was seen
 * up to then. The list is to be freed either way. `folder` holds the scenarios
 * to start from: base.cfg, primed.cfg for recordings that write one block first, idle.cfg for
 * those that do no other I/O. */
bool replay_run(const struct recording *, const char *folder, struct bio_list *bios,
                struct state_seen *, char *trouble);

/* The experiment as a scenario. False: *trouble says what is wrong with it. */
bool replay_scenario(const struct recording *, const char *folder, struct scenario *,
                     struct timeline *, char *trouble);

#endif
