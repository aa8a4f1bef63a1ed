/* What a check has to say: text, and the comparison with [expect]. */
#ifndef SIM_CHECK_REPORT_H
#define SIM_CHECK_REPORT_H
#include <stdio.h>

#include "sim/check.h"

/* Bounds, verdict, story, expectations. */
void check_print(FILE *, const struct check_problem *, const struct check_result *);
/* How long it took, on the host's clock. */
void check_print_speed(FILE *, const struct check_result *);
/* Compares with [expect]; prints a line each unless out is NULL. Returns how many are not met. */
unsigned check_expectations(const struct scenario *, const struct check_result *, FILE *out);
/* Missed expectations; without any: a finding, or no answer. */
bool check_failed(const struct scenario *, const struct check_result *);
/* "ok", "unfinished", or the number of the property that is broken. */
const char *check_verdict_word(const struct check_result *);

#endif
