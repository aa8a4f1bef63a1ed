/*
 * Scenarios drawn at random for the soak: whole files, in the words of the user, so that a failing
 * one can be given to the program as it is. All are good scenarios: what a bad one gets is tested
 * by tests/cli/bad_scenarios.sh. All are small in work, though not in shape: a run takes
 * milliseconds.
 */
#ifndef TESTS_LIB_SOAK_SCENARIO_H
#define TESTS_LIB_SOAK_SCENARIO_H
#include <stdbool.h>
#include <stdint.h>

#include "sim/scenario.h"

enum { SOAK_TEXT_BYTES = 16384 };

/* The scenario of that seed; the same text on every machine. */
void soak_scenario_text(uint64_t seed, char text[SOAK_TEXT_BYTES]);
/* Some job has a ramp: counts cover a part of the run only. */
bool soak_has_ramp(const struct scenario *);
/* How many members something happens to, or are missing from the start. */
unsigned soak_members_struck(const struct scenario *);
/* Something changes contents and says nothing: no array can notice. */
bool soak_is_corrupted(const struct scenario *);

#endif
