/*
 * The reports of a timed run. docs/REPORTS.md explains every figure.
 *
 * Output depends on struct results and its scenario alone: no host clock, no locale, no machine.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/results.h"

/* For people: fio's lines, iostat -x, opreport and lock_stat tables, and one line that names the
 * bottleneck. At most 100 columns, unless names of the scenario are longer. */
void report_text(FILE *, const struct results *);
/* For programs: fio's JSON, with everything fio does not know under "raid5sim". False when memory
 * is short or the stream fails; then what was written is no JSON. */
bool report_json(FILE *, const struct results *);
/* What follows "bottleneck: " at the end of the text report: name and evidence, and the runner-up
 * on a second line. Returns `text`. */
const char *report_bottleneck(const struct results *, char *text, size_t bytes);

#endif
