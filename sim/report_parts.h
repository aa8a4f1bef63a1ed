/* The blocks of the text report, one file each, in the order report_text prints them. Private to
 * sim/report_*.c. */
#ifndef SIM_REPORT_PARTS_H
#define SIM_REPORT_PARTS_H
#include <stdbool.h>
#include <stdio.h>

#include "sim/results.h"

/* The one error a job can meet, under its number and name in Linux. */
enum { REPORT_EIO = 5 };
#define REPORT_EIO_TEXT "Input/output error"

void report_jobs(FILE *, const struct results *);    /* fio's job lines and run status group */
void report_disks(FILE *, const struct results *);   /* iostat -x of array and members */
void report_cpu(FILE *, const struct results *);     /* load, per CPU, per thread */
void report_profile(FILE *, const struct results *); /* opreport; count vector */
void report_cache(FILE *, const struct results *);   /* stripe cache */
void report_ledger(FILE *, const struct results *);  /* user I/Os, stripes written, member I/Os */
void report_locks(FILE *, const struct results *);   /* lock_stat */
/* Those of an array that has had faults, missing members, spares or a sync, and no other: */
bool report_is_eventful(const struct results *);
void report_timeline(FILE *, const struct results *); /* what befell it */
void report_mdstat(FILE *, const struct results *); /* /proc/mdstat, while a sync ran, at the end */
void report_detail(FILE *, const struct results *); /* mdadm --detail at the end */

#endif
