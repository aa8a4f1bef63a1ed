/*
 * The hold model: pop the earliest of N waiting events and push it again an exponential delay (mean
 * 10 ms) later.
 *
 * Measured beside a plain radix-64 wheel without assertions, peek or capacity, compiled into this
 * file so that the compiler may inline all of it. Both must pop the same times in the same order
 * (the checksums are compared). Figures of different machines or moments say little; the ratio
 * does. Aim: at most 1.5.
 */
#include "sim/wheel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/assert.h"

enum { DELAYS = 2048, REPEATS = 7, HOLDS = 1000000 };

struct plain_event {
    uint64_t time_ns, order;
    uint32_t next;
};
struct plain {
    uint64_t now, levels, slots[11];
    uint32_t first[11][64], last[11][64], free;
    struct plain_event *event;
};
struct source { /* of delays: a shuffled table, picked from by a xorshift */
    uint64_t state, delay_ns[DELAYS];
};

void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, claim);
    abort();
}

static inline void plain_put(struct plain *p, uint32_t id)
{
    uint64_t differs = p->event[id].time_ns ^ p->now;
    unsigned level = differs ? (63 - (unsigned)__builtin_clzll(differs)) / 6 : 0;
    unsigned digit = p->event[id].time_ns >> (6 * level) & 63;

    p->event[id].next = 0;
    if (p->slots[level] >> digit & 1) {
        p->event[p->last[level][digit]].next = id;
    } else {
        p->first[level][digit] = id;
        p->slots[level] |= 1ull << digit;
        p->levels |= 1ull << level;
    }
    p->last[level][digit] = id;
}

static inline void plain_push(struct plain *p, uint64_t time_ns, uint64_t order)
{
    uint32_t id = p->free;

    p->free = p->event[id].next;
    p->event[id].time_ns = time_ns;
    p->event[id].order = order;
    plain_put(p, id);
}

static inline void plain_close(struct plain *p, unsigned level)
{
    p->slots[level] &= p->slots[level] - 1;
    if (!p->slots[level])
        p->levels &= ~(1ull << level);
}

static inline uint64_t plain_take(struct plain *p, uint32_t id)
{
    p->now = p->event[id].time_ns;
    p->event[id].next = p->free;
    p->free = id;
    return p->now;
}

static inline uint64_t plain_pop(struct plain *p)
{
    for (;;) {
        unsigned level = (unsigned)__builtin_ctzll(p->levels);
        unsigned digit = (unsigned)__builtin_ctzll(p->slots[level]);
        uint32_t id = p->first[level][digit], next = p->event[id].next;

        if (!level && next) {
            p->first[0][digit] = next;
            return plain_take(p, id);
        }
        plain_close(p, level);
        if (!next)
            return plain_take(p, id);
        p->now = p->event[id].time_ns >> (6 * level) << (6 * level);
        for (; id; id = next) {
            next = p->event[id].next;
            plain_put(p, id);
        }
    }
}

static inline uint64_t bits(struct source *s)
{
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    s->state ^= s->state << 17;
    return s->state;
}

static inline uint64_t delay(struct source *s)
{
    uint64_t b = bits(s);

    return s->delay_ns[b % DELAYS] + (b >> 60);
}

static void start_source(struct source *s)
{
    s->state = 88172645463325252ull;
    for (int i = 0; i < DELAYS; i++)
        s->delay_ns[i] = (uint64_t)(-log((i + 0.5) / DELAYS) * 1e7);
    for (uint32_t i = DELAYS - 1; i; i--) {
        uint64_t other = bits(s) % (i + 1), kept = s->delay_ns[i];

        s->delay_ns[i] = s->delay_ns[other];
        s->delay_ns[other] = kept;
    }
}

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double hold_plain(uint32_t pending, uint64_t *sum)
{
    struct plain *p = calloc(1, sizeof *p);
    struct source s;
    uint64_t order = 0;
    double begun;

    p->event = calloc(pending + 2, sizeof *p->event);
    for (uint32_t i = pending; i; i--) {
        p->event[i].next = p->free;
        p->free = i;
    }
    start_source(&s);
    for (uint32_t i = 0; i < pending; i++)
        plain_push(p, delay(&s), order++);
    begun = cpu_ns();
    for (uint32_t i = 0; i < HOLDS; i++) {
        uint64_t now = plain_pop(p);

        *sum = *sum * 31 + now;
        plain_push(p, now + delay(&s), order++);
    }
    begun = cpu_ns() - begun;
    free(p->event);
    free(p);
    return begun / HOLDS;
}

/* With a peek before each pop, or without. */
static double hold_wheel(uint32_t pending, bool peeks, uint64_t *sum)
{
    struct wheel *w = malloc(wheel_bytes(pending));
    struct source s;
    double begun;

    wheel_start(w, pending);
    start_source(&s);
    for (uint32_t i = 0; i < pending; i++)
        wheel_push(w, delay(&s), i);
    begun = cpu_ns();
    for (uint32_t i = 0; i < HOLDS; i++) {
        uint64_t now;
        uint32_t what;

        if (peeks && wheel_peek(w, &now))
            *sum += now;
        wheel_pop(w, &now, &what);
        *sum = *sum * 31 + now;
        wheel_push(w, now + delay(&s), what);
    }
    begun = cpu_ns() - begun;
    free(w);
    return begun / HOLDS;
}

int main(void)
{
    static const uint32_t pendings[] = { 10, 100, 1000, 10000 };

    printf("# event queue, hold model: ns per pop + push, best of %d\n", REPEATS);
    printf("# pending   wheel   plain   ratio  wheel with a peek before each pop\n");
    for (unsigned k = 0; k < sizeof pendings / sizeof *pendings; k++) {
        double wheel = INFINITY, plain = INFINITY, peeked = INFINITY;
        uint64_t wheel_sum = 0, plain_sum = 0, peeked_sum = 0;

        for (int i = 0; i < REPEATS; i++) { /* by turns, so that both have the same neighbours */
            wheel = fmin(wheel, hold_wheel(pendings[k], false, &wheel_sum));
            plain = fmin(plain, hold_plain(pendings[k], &plain_sum));
            peeked = fmin(peeked, hold_wheel(pendings[k], true, &peeked_sum));
        }
        printf("%9u %7.1f %7.1f %7.2f %6.1f\n", pendings[k], wheel, plain, wheel / plain, peeked);
        if (wheel_sum != plain_sum) {
            fprintf(stderr, "wheel: the two wheels popped different times\n");
            return 1;
        }
    }
    return 0;
}
