/* Traces as message-sequence charts: a column for each actor, time downwards. */
#ifndef SIM_CHART_H
#define SIM_CHART_H
#include <stdio.h>

#include "sim/check.h"

/* As text, and as an SVG picture. False: no memory, or not written. */
bool chart_text(FILE *, const struct check_problem *, const struct check_result *);
bool chart_svg(FILE *, const struct check_problem *, const struct check_result *);

#endif
