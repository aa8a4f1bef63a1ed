/*
 * The pace of the resync thread: md_do_sync's rule after each window (spec 11.2).
 *
 * Below sync_speed_min it goes on; above sync_speed_max it sleeps; between them it makes room, or
 * sleeps (before 4.1), when the members have been busy with anything else. Speed is taken over a
 * ring of marks three seconds apart. Members have been busy when the sectors they have completed
 * outgrew those that sync I/O was issued for by more than 64 since the last look.
 *
 * Kernel: md.c md_do_sync, is_mddev_idle, speed_min, speed_max (6.1).
 */
#include "sim/clockwork_internal.h"

#include "model/io.h"
#include "model/resync.h"
#include "model/stripe.h"

#define MARK_STEP_NS (3 * 1000000000ull)
enum { IDLE_SECTORS = 64 };

/* Not to be cut short: looking also remembers. */
static bool members_idle(struct clockwork *c)
{
    bool idle = true;

    for (unsigned d = 0; d < c->members; d++) {
        struct member *m = &c->member[d];
        int64_t events = (int64_t)(m->completed_sectors - m->sync_sectors);

        if (events - m->last_events <= IDLE_SECTORS)
            continue;
        m->last_events = events;
        idle = false;
    }
    return idle;
}

void sync_begins(struct clockwork *c)
{
    struct pace *p = &c->s->pace;

    *p = (struct pace){ .start_sector = array_see(c->world, 0)->sync_at, .begin_ns = c->s->now };
    for (unsigned i = 0; i < PACE_MARKS; i++)
        p->mark_ns[i] = c->s->now;
    for (unsigned d = 0; d < c->members; d++) {
        struct member *m = &c->member[d];

        m->last_events = (int64_t)(m->completed_sectors - m->sync_sectors);
    }
}

void sync_goes_on(struct clockwork *c)
{
    const struct array *a = array_see(c->world, 0);
    struct pace *p = &c->s->pace;

    p->end_ns = c->s->now;
    p->done = a->sync_at - p->start_sector - a->recovery_active;
}

uint64_t sync_pace(struct clockwork *c)
{
    const struct array *a = array_see(c->world, 0);
    struct pace *p = &c->s->pace;
    uint64_t done = a->sync_at - p->start_sector - a->recovery_active, seconds, speed;

    if (c->s->now >= p->mark_ns[p->last] + MARK_STEP_NS) {
        unsigned next = (p->last + 1) % PACE_MARKS;

        p->since_ns = p->mark_ns[next];
        p->since_sectors = p->mark_sectors[next];
        p->mark_ns[next] = c->s->now;
        p->mark_sectors[next] = done;
        p->last = next;
    } else if (!p->since_ns) {
        p->since_ns = p->mark_ns[0];
    }
    seconds = (c->s->now - p->since_ns) / 1000000000 + 1;
    speed = (done - p->since_sectors) / 2 / seconds + 1;
    if (speed <= c->scenario->array.sync_speed_min)
        return RESYNC_GO_ON;
    if (speed > c->scenario->array.sync_speed_max)
        return RESYNC_SLEEP;
    if (members_idle(c))
        return RESYNC_GO_ON;
    return c->scenario->driver.resync_yields ? RESYNC_MAKE_ROOM : RESYNC_SLEEP;
}
