/*
 * What stands between parity that is ready and the writes of a stripe's members: a log, if the
 * array has one (spec 13). Where the machine and its handlers have to know which log it is, they
 * ask here.
 *
 *   handle (parity is ready) -> trapped -> log write -> handle -> member writes -> finished
 *
 * A stripe is *trapped* while its pages are on their way to the log. It holds a reference for that
 * time, and no pass does anything but look at it.
 *
 * Kernel: raid5-log.h (6.1).
 */
#ifndef MODEL_LOG_H
#define MODEL_LOG_H
#include "model/io.h"
#include "model/machine.h"

enum logged_bit {
    LOGGED_TRAPPED = 1u << 0, /* STRIPE_LOG_TRAPPED */
    LOGGED_IN_UNIT = 1u << 1, /* part of an io_unit that has not been finished */
    LOGGED_FIRST = 1u << 2,   /* the first stripe of its io_unit */
    LOGGED_PARTIAL = 1u << 3  /* a page of partial parity goes along */
};

WORLD_STRUCTS_BEGIN
/* Of every stripe, with a log only. */
struct logged {
    stripe_id next; /* logged after it, in the same log; NONE16: none */
    uint8_t flags;  /* enum logged_bit */
    uint8_t pad;
    uint32_t unit; /* of a journal: the io_unit it is part of */
};
WORLD_STRUCTS_END

WORLD_SECTION(logged, struct logged, SEC_LOGGED)

static inline bool has_log(const struct shape *s)
{
    return s->log != LOG_NONE;
}
static inline bool log_has_trapped(const struct world *w, stripe_id s)
{
    return has_log(&w->shape) && (logged_see(w, s)->flags & LOGGED_TRAPPED);
}
/* Records a member has for a log: one for its writes, and for the partial parity log of each member
 * one to flush this one. */
static inline uint32_t log_ios(const struct shape *s)
{
    return s->log == LOG_NONE ? 0 : s->write_cache ? 1u + s->geometry.disks : 1;
}
/* The record of a log write to a member; those before it are for flushes. */
static inline io_id io_of_log(const struct world *w, unsigned disk)
{
    return io_of_meta(w, disk, META_SUPERBLOCK) - 1;
}

/* The first moment. */
void log_begin(struct world *);
/* The pass is about to send its writes: does the log take the stripe first? */
bool log_takes(struct world *, struct pass *, struct effects *);
/* The pass is about to copy data in: what the log must know of the old contents. */
void log_before_drain(struct world *, struct pass *, struct effects *);
/* The stripe has been looked at, and is not trapped: whatever it wrote is on its members. */
void log_finish(struct world *, actor_id by, stripe_id, struct effects *);
/* What has been logged goes out: after each batch of stripes, and when there is none. */
void log_submit(struct world *, actor_id by, struct effects *);
/* The superblocks have been written. */
void log_told(struct world *, struct effects *);
/* The log is a device, and it has failed: nothing can be written any more. */
bool log_has_failed(const struct world *);
/* An I/O of a log has ended; `ended` is a copy. */
void log_ended(struct world *, io_id, const struct io *ended, struct effects *);

#endif
