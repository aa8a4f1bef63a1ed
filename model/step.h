/*
 * The language both schedulers speak: moves, steps, effects.
 *
 * A step is one atomic region: one critical section, one stretch of private work, or one device
 * action. `ways` says how many ways it can go now (0: blocked, 1: forced); it leaves the world
 * unchanged and never scans. Way k has a *name*, a 64-bit number that stays meaningful where k does
 * not (which I/O record, which block a client asks for next): the timed run names what it wants,
 * the explorer enumerates. `fire` is the only writer. It reports effects and cannot fail.
 */
#ifndef MODEL_STEP_H
#define MODEL_STEP_H
#include <stdbool.h>

#include "model/marks.h"
#include "model/work.h"
#include "model/world.h"

struct move {
    uint64_t way; /* the name of the way taken */
    actor_id who;
    uint16_t step; /* must equal who's program counter */
    uint32_t pad;
};

enum effect_kind {
    EFFECT_WORK,  /* what: enum work; amount: units */
    EFFECT_TOUCH, /* who: stripe; what: work kind booked; amount: lines, one after another; or: */
                  /* EFFECT_TOUCH_FILL, _SCAN */
    EFFECT_LOCK, /* who: 0 device_lock; taken once more inside the region; what: work kind booked */
    EFFECT_WAKE, /* who: an actor that may run now */
    EFFECT_SUBMIT, /* amount: io record queued to its member; what: page count is in the record */
    EFFECT_UNPLUG, /* who: member, NONE16: all members */
    EFFECT_REPLY,  /* who: request that is complete */
    EFFECT_ARM,    /* who: actor that sleeps; what: enum arm; amount: how long */
    EFFECT_MARK,   /* what: enum mark; who: the member, where its text says so; amount: how often */
    EFFECT_FINDING /* who: request; what: enum property; amount: piece */
};

/* ns, us; or as a timer that is set anew by every user but runs out at multiples of its period
 * only: at the next multiple of so many us and one period more (md's safemode timer). */
enum arm { ARM_NS, ARM_US, ARM_ROUNDED_US };

struct effect {
    uint8_t kind, what;
    uint16_t who;
    uint32_t amount;
};
/* The whole stripe_head: written in one sweep (init_stripe), or scanned slot by slot with locked
 * bit operations, each of which waits for its line (handle_stripe). */
enum { EFFECT_TOUCH_FILL = 0xffffffffu, EFFECT_TOUCH_SCAN = 0xfffffffeu };

/* The reporter's buffer; list belongs to the scheduler, which makes it large enough for its shape
 * (effects_needed()). */
struct effects {
    uint32_t count, capacity;
    struct effect *list;
};

static inline void effect(struct effects *e, enum effect_kind kind, unsigned what, unsigned who,
                          uint32_t amount)
{
    ASSERT(e->count < e->capacity);
    e->list[e->count++] = (struct effect){ (uint8_t)kind, (uint8_t)what, (uint16_t)who, amount };
}
static inline void work(struct effects *e, enum work kind, uint32_t units)
{
    effect(e, EFFECT_WORK, kind, 0, units);
}
static inline void mark(struct effects *e, enum mark m)
{
    effect(e, EFFECT_MARK, m, 0, 1);
}
/* It happened to that member. */
static inline void mark_member(struct effects *e, enum mark m, unsigned member)
{
    effect(e, EFFECT_MARK, m, member, 1);
}
/* It happened to so many stripes at once. */
static inline void mark_many(struct effects *e, enum mark m, uint32_t stripes)
{
    effect(e, EFFECT_MARK, m, 0, stripes);
}
/* The most effects one step can report in a world of this shape: every actor woken, every slot's
 * bios completed. */
uint32_t effects_needed(const struct shape *);

/* Locks a step runs under, besides the stripe's own. */
enum lock { LOCK_NONE, LOCK_DEVICE, LOCK_STRIPE, LOCK_STRIPE_DEVICE };
/* When raid5d handles all stripes a step may need no device_lock: it has none to take, or, with
 * hash locks (3.13), another one, for which nobody waits here. */
enum hashed { HASHED_NOT, HASHED_FREE, HASHED_LOOKUP };
enum venue { VENUE_CPU, VENUE_IRQ, VENUE_DEVICE, VENUE_TIMER, VENUE_FATE };

struct step {
    const char *name;   /* "raid5d.pick" */
    const char *kernel; /* the region it stands for */
    uint32_t (*ways)(const struct world *, actor_id);
    /* The name of way k < ways(); NULL: k itself. */
    uint64_t (*name_of)(const struct world *, actor_id, uint32_t k);
    /* May the step go this way now? NULL: way < ways(). Needed where names are not 0 .. ways-1. */
    bool (*allows)(const struct world *, actor_id, uint64_t way);
    void (*fire)(struct world *, actor_id, uint64_t way, struct effects *);
    uint8_t lock;   /* enum lock; the stripe is actor.stripe */
    uint8_t books;  /* enum work: whose symbol fetching the lock's cache line is booked under */
    uint8_t hashed; /* enum hashed */
    uint8_t sleeps; /* not before the actor's own timer, if that has been armed */
    uint8_t chosen; /* the way is the scheduler's choice among many (a client's next block) */
};

struct actor_kind {
    const char *name;
    enum venue venue;
    const struct step *steps;
    unsigned step_count;
};

enum kind {
    KIND_CLIENT,
    KIND_RAID5D,
    KIND_TIMER,
    KIND_COMPLETION,
    KIND_DISK,
    KIND_RESYNC,
    KIND_SAFEMODE,
    KIND_FATE,
    KIND_DAEMON,
    KIND_WORKER,
    KIND_COUNT
};

/* The parts of one model, by kind. */
struct system {
    const struct actor_kind *kinds[KIND_COUNT];
};

const struct step *system_step(const struct system *, const struct world *, actor_id);
uint32_t system_ways(const struct system *, const struct world *, actor_id);
bool system_allows(const struct system *, const struct world *, struct move);
/* Fires; e->count is reset first. Precondition: system_allows(). */
void system_fire(const struct system *, struct world *, struct move, struct effects *);
/* Nobody can move. */
bool system_at_rest(const struct system *, const struct world *);

#endif
