/*
 * The wheel: everything that will happen later, in order of time. The event queue of the clockwork.
 *
 * A radix-64 timing wheel: eleven levels of 64 slots cover all 64-bit times, so there is no horizon
 * and no overflow list. Push is O(1); an event moves down at most once a level before it is popped.
 * One flat block without pointers: a copy of its bytes is a copy of the queue.
 *
 * Order is total: by time, and among equal times by order of insertion. Nothing else (no address,
 * no capacity, no history of other events) has a say in it.
 *
 * Time does not run backwards: a push before the last popped time is an assertion failure. A peek
 * does not move time, so a push between the last popped time and the peeked one is in order and
 * comes out first.
 */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WHEEL_LEVELS = 11, WHEEL_SLOTS = 64 }; /* 11 digits of 6 bits: the top one has 4 */

struct wheel_event {
    uint64_t time_ns;
    uint32_t what; /* the owner's business */
    uint32_t next; /* in its slot, or in the list of free ones; 0: last */
};

struct wheel {
    uint64_t now_ns;    /* the last popped time */
    uint64_t peeked_ns; /* the earliest time waiting, where it is known; 0: look for it */
    uint64_t levels;    /* bit L: level L holds something */
    uint64_t slots[WHEEL_LEVELS];
    uint32_t free; /* first unused event, 0: full */
    uint32_t count, capacity;
    uint32_t pad;
    struct wheel_slot {
        uint32_t first, last;
    } slot[WHEEL_LEVELS][WHEEL_SLOTS];
    struct wheel_event event[]; /* capacity + 1; the first is nobody */
};

/* How large a block a wheel for `capacity` waiting events takes. */
size_t wheel_bytes(uint32_t capacity);
/* Makes an empty wheel at time 0 in a block of wheel_bytes(capacity) bytes, 8-byte aligned.
 * capacity < UINT32_MAX. */
void wheel_start(struct wheel *, uint32_t capacity);
/* `what` shall happen at time_ns, which is not before the last popped time. The wheel must not be
 * full. */
void wheel_push(struct wheel *, uint64_t time_ns, uint32_t what);
/* The earliest time waiting; false: nothing waits, *time_ns is untouched. Pushes and pops go on as
 * if nobody had looked. */
bool wheel_peek(struct wheel *, uint64_t *time_ns);
/* Takes out the earliest event, the first inserted of its time; false: nothing waits, the results
 * are untouched. */
bool wheel_pop(struct wheel *, uint64_t *time_ns, uint32_t *what);

static inline uint32_t wheel_count(const struct wheel *w)
{
    return w->count;
}

#endif
