/*
 * The radix-64 timing wheel.
 *
 * Write a time in base 64. An event lives on the level of the highest digit in which its time
 * differs from `now` (level 0 when they agree), in the slot of its own digit there. Hence, with
 * `now` fixed:
 *
 *   W1  place is a function of (time, now) alone: equal times share a slot, in order of insertion;
 *   W2  every event of a level comes before every event of a higher level, and slots of a level are
 * in order of time; W3  a slot of level 0 holds one single time.
 *
 * So the earliest event is in the lowest slot of the lowest occupied level. When that is not level
 * 0, `now` moves up to the beginning of that slot, whose events, in their order, find new places on
 * lower levels. Nobody else's highest differing digit changes by that, so W1 holds for all. Only
 * wheel_pop() may do so: it goes on until it has an event, and leaves `now` at that event's time.
 * Between calls `now` is always the last popped time, never a slot's beginning: that is what allows
 * a push between `now` and a time that was peeked.
 *
 * wheel_peek() therefore has to look through a slot of a higher level. It remembers what it found
 * until the next pop; a push of something earlier corrects it. 0 stands for "not known": the only
 * event that could be at 0 is found without a search.
 */
#include "sim/wheel.h"

#include <string.h>

#include "model/assert.h"

enum { DIGIT_BITS = 6, DIGIT_MASK = WHEEL_SLOTS - 1 };

size_t wheel_bytes(uint32_t capacity)
{
    return sizeof(struct wheel) + ((size_t)capacity + 1) * sizeof(struct wheel_event);
}

void wheel_start(struct wheel *w, uint32_t capacity)
{
    ASSERT(capacity < UINT32_MAX);
    memset(w, 0, wheel_bytes(capacity));
    w->capacity = capacity;
    for (uint32_t id = 1; id < capacity; id++)
        w->event[id].next = id + 1;
    w->free = capacity ? 1 : 0;
}

static inline unsigned lowest_bit(uint64_t bits)
{
    return (unsigned)__builtin_ctzll(bits);
}

/* Appends the event to the slot that W1 names. */
static inline void put(struct wheel *w, uint32_t id)
{
    struct wheel_event *event = &w->event[id];
    uint64_t differs = event->time_ns ^ w->now_ns;
    unsigned level = (63 - (unsigned)__builtin_clzll(differs | 1)) / DIGIT_BITS;
    unsigned digit = event->time_ns >> (DIGIT_BITS * level) & DIGIT_MASK;
    struct wheel_slot *slot = &w->slot[level][digit];

    event->next = 0;
    if (w->slots[level] >> digit & 1) {
        w->event[slot->last].next = id;
    } else {
        slot->first = id;
        w->slots[level] |= 1ull << digit;
        w->levels |= 1ull << level;
    }
    slot->last = id;
}

/* The lowest slot of this level is empty from now on. */
static inline void close_slot(struct wheel *w, unsigned level)
{
    w->slots[level] &= w->slots[level] - 1;
    if (!w->slots[level])
        w->levels &= ~(1ull << level);
}

void wheel_push(struct wheel *w, uint64_t time_ns, uint32_t what)
{
    uint32_t id = w->free;

    ASSERT(time_ns >= w->now_ns);
    ASSERT(id != 0);
    w->free = w->event[id].next;
    w->event[id].time_ns = time_ns;
    w->event[id].what = what;
    if (time_ns < w->peeked_ns)
        w->peeked_ns = time_ns;
    w->count++;
    put(w, id);
}

static uint64_t slot_earliest(const struct wheel *w, uint32_t id)
{
    uint64_t earliest = UINT64_MAX;

    for (; id; id = w->event[id].next)
        if (w->event[id].time_ns < earliest)
            earliest = w->event[id].time_ns;
    return earliest;
}

bool wheel_peek(struct wheel *w, uint64_t *time_ns)
{
    if (!w->levels)
        return false;
    if (!w->peeked_ns) {
        unsigned level = lowest_bit(w->levels);
        uint32_t first = w->slot[level][lowest_bit(w->slots[level])].first;

        w->peeked_ns = level ? slot_earliest(w, first) : w->event[first].time_ns;
    }
    *time_ns = w->peeked_ns;
    return true;
}

/* Opens the lowest slot of a level above 0: `now` moves to its beginning, its events move down. */
static void spill(struct wheel *w, unsigned level, uint32_t id)
{
    close_slot(w, level);
    w->now_ns = w->event[id].time_ns >> (DIGIT_BITS * level) << (DIGIT_BITS * level);
    while (id) {
        uint32_t next = w->event[id].next;

        put(w, id);
        id = next;
    }
}

bool wheel_pop(struct wheel *w, uint64_t *time_ns, uint32_t *what)
{
    if (!w->levels)
        return false;
    for (;;) {
        unsigned level = lowest_bit(w->levels);
        struct wheel_slot *slot = &w->slot[level][lowest_bit(w->slots[level])];
        uint32_t id = slot->first;
        struct wheel_event *event = &w->event[id];

        if (level && event->next) {
            spill(w, level, id);
            continue;
        }
        if (event->next) /* level 0: the others are of the same time */
            slot->first = event->next;
        else
            close_slot(w, level);
        w->now_ns = event->time_ns;
        w->peeked_ns = 0;
        w->count--;
        *time_ns = event->time_ns;
        *what = event->what;
        event->next = w->free;
        w->free = id;
        return true;
    }
}
