/*
 * The array as md's own files and tools would tell of it, worked out from results once for the text
 * report, the JSON report and [expect].
 *
 * Words are those of sysfs (md/array_state, md/sync_action, md/dev-sda/state), figures of a sync
 * those of /proc/mdstat: thousandths of the whole rounded down, speed over whole seconds since a
 * mark at most half a minute back, minutes to go.
 */
#ifndef SIM_MD_VIEW_H
#define SIM_MD_VIEW_H
#include "sim/results.h"

enum { MD_STATE_BYTES = 64 };

/* "clean", "active", "write-pending", "active-idle". */
const char *md_array_state(const struct results *);
/* "idle", "check", "repair", "resync", "recover". */
const char *md_sync_action(unsigned action);
/* What mdstat calls it: "check", "resync" (a repair too), "recovery". */
const char *md_sync_word(unsigned action);
/* "in_sync", "spare", "faulty,blocked", ... or "removed" for one that has left. */
const char *md_device_state(const struct results_device *, char text[static MD_STATE_BYTES]);

/* The devices there are; active: in sync, spare: the rest of those that work. */
struct md_counts {
    uint32_t total, active, working, failed, spare;
};
struct md_counts md_counts(const struct results *);
/* Is this device, seated or not, faulty? */
bool md_device_is_faulty(const struct results *, unsigned device);

struct md_progress {
    uint32_t per_mille;
    uint64_t done_kib, all_kib;
    uint64_t left_s; /* to the end at that speed */
    uint64_t speed_kib;
};
struct md_progress md_progress_of(const struct results *, const struct history_progress *);

/* Mean over all recoveries that have ended, whole or not: bytes of one member a second, in
 * thousandths. */
uint64_t md_rebuild_speed(const struct results *);
/* "fault", "failed", "sync_began", ...: enum history_what. */
const char *md_event_name(unsigned what);

#endif
