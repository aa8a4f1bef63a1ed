/*
 * What befell an array: a timeline of faults and of md's answers, the devices there are, how far
 * each sync has got.
 *
 * It covers the whole run, the ramp included, and is bounded: of each kind of event the first few
 * are kept, the rest are counted, so that a flood of one kind hides no other. It is flat and part
 * of the clockwork's state; the results hold a copy.
 */
#ifndef SIM_HISTORY_H
#define SIM_HISTORY_H
#include <stdint.h>

#include "sim/scenario.h"

enum history_what {
    HISTORY_FAULT,      /* a [fault] struck */
    HISTORY_FAILED,     /* a device was declared faulty */
    HISTORY_REMOVED,    /* it has left its slot */
    HISTORY_ADDED,      /* a device took a slot, to be rebuilt there */
    HISTORY_IN_SYNC,    /* it has been rebuilt, and counts */
    HISTORY_SYNC_BEGAN, /* the resync thread: recovery, resync, check or repair */
    HISTORY_SYNC_ENDED,
    HISTORY_SYNC_STOPPED, /* interrupted */
    HISTORY_BAD_BLOCK,    /* a page went onto a member's list */
    HISTORY_CORRECTED,    /* a page that could not be read was rewritten and read back */
    HISTORY_WRITE_ERROR,  /* a member write of a stripe failed */
    HISTORY_IO_ERROR,     /* a job's I/O was returned with an error */
    HISTORY_SUPERBLOCKS,  /* all superblocks were written for what had happened to members */
    HISTORY_LISTS,        /* all superblocks were written, for lists of bad blocks only */
    HISTORY_KINDS
};

struct history_event {
    uint64_t ns;
    uint64_t sector; /* of the member; IO_ERROR: of the array; UINT64_MAX: none */
    uint16_t what;   /* enum history_what */
    uint16_t slot;   /* the device's, or NO_SLOT */
    uint16_t device; /* which device that is: index into device[] */
    uint16_t detail; /* FAULT: its number; SYNC_*: enum sync_action; IO_ERROR: 1 for a write;
                        FAILED, IN_SYNC: slots without a member in sync; SUPERBLOCKS, LISTS: what
                        for, a bit for each enum history_what */
};

/* A pass of the resync thread, in member sectors. */
struct history_sync {
    uint64_t began_ns, ended_ns; /* ended 0: it runs */
    uint64_t from, reached;
    uint32_t action; /* enum sync_action */
    uint32_t whole;  /* it came to its end uninterrupted */
};
/* What /proc/mdstat would have said: how far, and sectors done since `since_ns`, which gives speed.
 */
struct history_progress {
    uint64_t ns, at;
    uint64_t since_ns, since_sectors;
    uint32_t sync; /* which pass: index into sync[] */
    uint32_t action;
};

enum { NO_SLOT = 255 };
enum device_state {
    DEVICE_GONE,   /* not part of the array: never was, or taken out */
    DEVICE_SEATED, /* in a slot, or the journal */
    DEVICE_SPARE,
    DEVICE_FAULTY /* out of its slot and still there, as md keeps it until somebody takes it out */
};
struct history_device {
    uint16_t slot; /* where it is, or was; NO_SLOT: nowhere */
    uint8_t state; /* enum device_state */
    uint8_t pad;
};

enum {
    HISTORY_OF_A_KIND = 12, /* events kept; of faults the first strike of each is kept as well */
    HISTORY_EVENTS_MAX = HISTORY_KINDS * HISTORY_OF_A_KIND + FAULTS_MAX,
    HISTORY_SYNCS_MAX = 16,
    HISTORY_PROGRESS_MAX = 64
};

struct history {
    uint64_t kept[HISTORY_KINDS], left_out[HISTORY_KINDS];
    struct history_event event[HISTORY_EVENTS_MAX];
    struct history_sync sync[HISTORY_SYNCS_MAX];
    struct history_progress progress[HISTORY_PROGRESS_MAX];
    struct history_device device[DISKS_MAX];
    uint32_t seen[DISKS_MAX]; /* enum member_flag of each device when it was looked at last */
    uint32_t event_count, sync_count, progress_count, device_count;
    uint32_t syncs_left_out, progress_left_out;
    uint32_t superblocks_for; /* a bit for each enum history_what since they were written last */
    uint32_t running;         /* a sync is under way */
    uint64_t progress_step, progress_next;   /* the member sector at which to look next */
    uint64_t about;                          /* the member sector the current move is about */
    uint64_t rebuilds;                       /* recoveries that came to their end */
    uint64_t rebuilt_sectors, rebuilding_ns; /* all recoveries, whole or not, that have ended */
    uint64_t struck[FAULTS_MAX];             /* how often; a range counts once */
};

#endif
