/* Checks for machines: JSON, and JUnit's XML. */
#ifndef SIM_CHECK_JSON_H
#define SIM_CHECK_JSON_H
#include <stdio.h>

#include "sim/check.h"

/* One object with bounds, verdict, counts and the trace in words. False: not written. */
bool check_json(FILE *, const struct check_problem *, const struct check_result *);
/* A test suite of one case, which fails if an expectation is missed or, without any, on a finding.
 * False: not written. */
bool check_junit(FILE *, const struct check_problem *, const struct check_result *);

#endif
