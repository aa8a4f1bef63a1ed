/*
 * The host's request queue in front of one device: merging, plugging and the I/O scheduler. Timing
 * only: the world knows nothing of it, because a device may serve its queued records in any order
 * (disks/disk.h). It lives in the clockwork, flat and pointer-free.
 *
 * Vocabulary is the block layer's: an *io* is one member bio (a record of the world); a *request*
 * is a run of adjacent ios of one direction that goes to the device as one command. Back and front
 * merging join an io to a queued (not yet dispatched) request up to max_sectors and max_segments (a
 * segment is a page or part of one). A new request needs one of nr_requests per direction.
 *
 * The old plug (plugs = 1): a queue that was empty is plugged by its first io and dispatches
 * nothing until somebody unplugs it, until unplug_requests requests wait, or until unplug_ns have
 * passed since it was plugged. With plugs = 0 the host plugs and unplugs as its tasks do.
 *
 * Schedulers: noop (order of arrival), deadline, anticipatory. Facts and constants:
 * docs/ELEVATOR.md. All times are simulated nanoseconds. Nothing here scans what it could index:
 * sorting by sector is by a balanced or radix structure over requests, merge candidates are found
 * by a hash on end and start sectors.
 */
#ifndef DISKS_ELEVATOR_H
#define DISKS_ELEVATOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disks/timing.h"

enum elevator_kind { ELEVATOR_NOOP, ELEVATOR_DEADLINE, ELEVATOR_ANTICIPATORY };
enum elevator_add_result {
    ELEVATOR_NEW,
    ELEVATOR_BACK_MERGED,
    ELEVATOR_FRONT_MERGED,
    ELEVATOR_FULL
};

struct elevator_params {
    uint8_t kind;     /* enum elevator_kind */
    uint8_t plugs;    /* the old per-queue plug is in use */
    uint8_t nomerges; /* 1: never merge */
    uint8_t pad;
    uint32_t hz; /* timer interrupts a second: scheduler times are rounded to jiffies as there */
    uint32_t nr_requests;                             /* per direction, default 128 */
    uint32_t max_sectors;                             /* largest request */
    uint32_t max_segments;                            /* pages of a request */
    uint32_t unplug_requests;                         /* 4 */
    uint64_t unplug_ns;                               /* 3 ms */
    uint64_t read_expire_ns, write_expire_ns;         /* fifo deadlines */
    uint64_t read_batch_ns, write_batch_ns, antic_ns; /* anticipatory */
    uint32_t fifo_batch, writes_starved;              /* deadline */
};

/*
 * What the anticipatory scheduler knows about one submitting thread, over all queues of the host.
 * Zeroed at start. A new sample weighs 1/8. The means are plain jiffies and sectors; totals and
 * samples are in fixed point, 256 = 1. Kept up by the anticipatory scheduler only.
 */
struct issuer {
    uint32_t queued,
        dispatched;       /* its requests, either direction: waiting in queues / on devices */
    uint64_t reads;       /* read requests it has made: the first gives no sample */
    uint64_t last_end_ns; /* when its last read ended; 0: none has */
    uint64_t think_total, think_mean,
        think_samples; /* jiffies from the end of a read to the next one */
    uint64_t seek_total, seek_mean,
        seek_samples;     /* sectors from the end of a read to the next one */
    uint64_t last_sector; /* the sector behind its last read, on whatever device */
};

struct elevator; /* opaque, flat */

/* By direction, 0 read, 1 write; flushes are in neither. requests: commands given to the device.
 * merges: ios that joined a queued request, and queued requests joined to another; so a drained
 * queue has seen requests + merges ios. */
struct elevator_stats {
    uint64_t requests[2], merges[2];
};

/* Bytes for a queue that may hold ios_max ios (numbered 0 .. ios_max-1) at once. */
size_t elevator_bytes(const struct elevator_params *, uint32_t ios_max);
/* e points to elevator_bytes() zeroed bytes, 16-byte aligned. */
void elevator_start(struct elevator *e, const struct elevator_params *, uint32_t ios_max);
/* An io arrives. io: its number, not in the queue now; kind: COMMAND_*; issuer: the submitting
 * thread's record index in `issuers` (read only by the anticipatory scheduler; NONE16 for nobody).
 * ELEVATOR_FULL: nothing was changed, the submitter must sleep until a request of that direction is
 * freed. Flush commands are never merged and act as a barrier of order among requests arriving
 * later than they. */
enum elevator_add_result elevator_add(struct elevator *e, const struct elevator_params *,
                                      struct issuer *issuers, uint64_t now, uint32_t io,
                                      uint64_t sector, uint32_t sectors, uint8_t kind, bool fua,
                                      uint16_t issuer);
/* A task's own plug: nothing is dispatched until somebody unplugs. */
void elevator_hold(struct elevator *e);
/* Somebody waits: unplug the queue now. True if it was plugged. */
bool elevator_unplug(struct elevator *e);
/* The next command for the device, if the scheduler lets one go at `now`. False: none now; ask
 * again after an add, an unplug, a completion, or at elevator_timer(). command->token names the
 * request. */
bool elevator_dispatch(struct elevator *e, const struct elevator_params *, struct issuer *issuers,
                       uint64_t now, struct disk_command *command);
/* The time at which elevator_dispatch() may change its mind by itself (unplug timer, anticipation
 * or deadline expiry); UINT64_MAX: never. */
uint64_t elevator_timer(const struct elevator *e, const struct elevator_params *);
/* The device has ended request `token`. Its ios are walked with elevator_first_io /
 * elevator_next_io in sector order *before* this call; the call frees the request. */
void elevator_complete(struct elevator *e, const struct elevator_params *, struct issuer *issuers,
                       uint64_t now, uint32_t token);
uint32_t elevator_first_io(const struct elevator *e, uint32_t token);
uint32_t elevator_next_io(const struct elevator *e, uint32_t io); /* NONE32 after the last */
/* A new request of this COMMAND_* kind could be had now: what a sleeper behind ELEVATOR_FULL waits
 * for. True after a completion, and also after an add that joined two queued requests into one. A
 * flush counts as a write. */
bool elevator_has_room(const struct elevator *e, const struct elevator_params *, uint8_t kind);
/* Requests waiting in the queue (not dispatched), and pages in one request. */
uint32_t elevator_waiting(const struct elevator *e);
uint32_t elevator_request_segments(const struct elevator *e, uint32_t token);
struct elevator_stats elevator_stats(const struct elevator *e);

#endif
