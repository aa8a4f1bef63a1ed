/* The parts of the JSON report. Private to sim/report_json*.c. */
#ifndef SIM_REPORT_JSON_PARTS_H
#define SIM_REPORT_JSON_PARTS_H
#include "sim/json_build.h"
#include "sim/results.h"

/* One member of fio's "jobs" array. */
void json_job(struct builder *, json_t *jobs, const struct results *, unsigned job);
/* fio's "job options": what the [job] section says, in fio's words, defaults left out. */
void json_job_options(struct builder *, json_t *options, const struct job *);
/* fio's "disk_util": the array first, then its members. */
void json_disk_util(struct builder *, json_t *list, const struct results *);
/* Everything under "raid5sim". */
void json_own(struct builder *, json_t *own, const struct results *);

/* Of a member of an array with parity: its state, its errors, its I/O by reason. */
void json_member(struct builder *, json_t *member, const struct results *, unsigned index);
/* What users asked, and what it took at the members. */
void json_ledger(struct builder *, json_t *ledger, const struct results *);
/* The array at the end, its devices, its syncs. */
void json_md(struct builder *, json_t *md, const struct results *);
/* "timeline", "timeline_left_out" and "faults". */
void json_timeline(struct builder *, json_t *own, const struct results *);

#endif
