/*
 * The md device as a set of actor kinds: the small personality table (raw, raid0, raid4/5) and the
 * first moment.
 */
#ifndef MODEL_ARRAY_H
#define MODEL_ARRAY_H
#include "model/step.h"

extern const struct actor_kind client_kind, raid5d_kind, timer_kind, completion_kind, resync_kind;

/* Actor numbers, in this order: clients, raid5d, unplug timer, one completion path a member, one
 * disk a member; on md-6.1 also the resync thread, the safemode timer, fate, and
 * the timer of the bitmap's daemon; the workers. */
static inline actor_id actor_raid5d(const struct shape *s)
{
    return s->clients;
}
static inline actor_id actor_timer(const struct shape *s)
{
    return (actor_id)(s->clients + 1);
}
static inline actor_id actor_completion(const struct shape *s, unsigned disk)
{
    return (actor_id)(s->clients + 2u + disk);
}
static inline actor_id actor_disk(const struct shape *s, unsigned disk)
{
    return (actor_id)(s->clients + 2u + shape_devices(s) + disk);
}
static inline actor_id actor_resync(const struct shape *s)
{
    return (actor_id)(s->clients + 2u + 2u * shape_devices(s));
}
static inline actor_id actor_safemode(const struct shape *s)
{
    return (actor_id)(actor_resync(s) + 1);
}
static inline actor_id actor_fate(const struct shape *s)
{
    return (actor_id)(actor_resync(s) + 2);
}
static inline actor_id actor_daemon(const struct shape *s)
{
    return (actor_id)(actor_resync(s) + 3);
}
/* Is there a resync thread, a safemode timer, a fate, a bitmap's daemon? On raid4 and raid5 of
 * md-6.1. */
static inline bool shape_has_md(const struct shape *s)
{
    return s->stripes && (s->generation == GENERATION_61 || s->sync_action != SYNC_IDLE);
}
static inline actor_id actor_worker(const struct shape *s, unsigned n)
{
    return (actor_id)(actor_resync(s) + (shape_has_md(s) ? 4u : 0u) + n);
}
/* For a shape that is complete but for its actors. */
static inline uint16_t actor_count(const struct shape *s)
{
    return actor_worker(s, s->workers);
}

/* Program counters of clients. */
enum client_pc {
    CLIENT_TURN,
    CLIENT_DIRECT,
    CLIENT_PAGE,
    CLIENT_LOOKUP,
    CLIENT_RETRY,
    CLIENT_ATTACH,
    CLIENT_PLUG,
    CLIENT_OVERLAP,
    CLIENT_HANDLE,
    CLIENT_RELEASE,
    CLIENT_BIAS,
    CLIENT_UNPLUG,
    CLIENT_STRIPE, /* from here on: md-6.1 (model/submit.c) */
    CLIENT_AGAIN,
    CLIENT_ADD,
    CLIENT_CLASH,
    CLIENT_HAND_OVER,
    CLIENT_WRITE_START,
    CLIENT_FLUSH,
    CLIENT_PC_COUNT
};
enum timer_pc { TIMER_SLEEP, TIMER_UNPLUG, TIMER_PC_COUNT };
enum raid5d_pc {
    RAID5D_SLEEP,
    RAID5D_PICK,
    RAID5D_HANDLE,
    RAID5D_RELEASE,
    RAID5D_LOOP, /* from here on: md-6.1 */
    RAID5D_WORK,
    RAID5D_DONE,
    RAID5D_FLUSH,
    RAID5D_RETRY,
    RAID5D_CHECK,
    RAID5D_SUPERBLOCK,
    RAID5D_GRACE,
    RAID5D_BITMAP,
    RAID5D_DAEMON,
    RAID5D_PC_COUNT
};

enum resync_pc {
    RESYNC_START,
    RESYNC_LOOKUP,
    RESYNC_RETRY,
    RESYNC_REQUEST,
    RESYNC_DRAIN,
    RESYNC_PAUSED,
    RESYNC_PACE,
    RESYNC_YIELD,
    RESYNC_END,
    RESYNC_QUIESCE,
    RESYNC_WORK, /* md-3.12 */
    RESYNC_MARK, /* from here on: md-2.6.15 */
    RESYNC_HANDLE,
    RESYNC_RELEASE,
    RESYNC_PC_COUNT
};

/* Puts everybody who acts, and an empty stripe cache, into a world whose clients have their shares
 * of the requests. */
void array_place(struct world *);
/* Makes a formatted world the array's first moment: actors in place, all stripe_heads idle, each
 * client (number c) owning the depth[c] request records that follow those of client c-1. */
void array_start(struct world *, const uint16_t *depth);

/* handle_stripe of md-2.6.15 (spec 6): one whole pass, in whatever context. The caller holds the
 * stripe's lock. */
void handle_stripe(struct world *, actor_id by, stripe_id, struct effects *);

#endif
