/*
 * An experiment done again by the model: the same array, members, settings and I/Os.
 */
#ifndef TESTS_CONFORMANCE_REPLAY_H
#define TESTS_CONFORMANCE_REPLAY_H
#include "tests/conformance/recording.h"

struct scenario;

enum { TROUBLE_MAX = 512 };

/* What the model cannot do yet about this experiment; NULL: it can. */
const char *replay_lacks(const struct recording *);
/* Runs it, in a process of its own, so that a failed assertion or a run without end is a result
 * like others. False: *trouble (TROUBLE_MAX bytes) says what went wrong; bios holds what was seen
 * up to then. The list is to be freed either way. `base` is the scenario file to start from. */
bool replay_run(const struct recording *, const char *base, struct bio_list *bios, char *trouble);

/* The experiment as a scenario. False: *trouble says what is wrong with it. */
bool replay_scenario(const struct recording *, const char *base, struct scenario *, char *trouble);

#endif
