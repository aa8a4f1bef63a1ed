/* The blocks of the text report, one file each, in the order report_text prints them. Private to
 * sim/report_*.c. */
#ifndef SIM_REPORT_PARTS_H
#define SIM_REPORT_PARTS_H
#include <stdio.h>

#include "sim/results.h"

void report_jobs(FILE *, const struct results *);    /* fio's job lines and run status group */
void report_disks(FILE *, const struct results *);   /* iostat -x of array and members */
void report_cpu(FILE *, const struct results *);     /* load, per CPU, per thread */
void report_profile(FILE *, const struct results *); /* opreport; count vector */
void report_cache(FILE *, const struct results *);   /* stripe cache */
void report_locks(FILE *, const struct results *);   /* lock_stat */

#endif
