/*
 * The lists: for each CPU a ring through `stripes` nodes, node 0 being the list's head. A node's
 * `in` says whether it is listed; `owner` of a stripe is the CPU that touched it last, plus one.
 */
#include "sim/temperature.h"

#include "model/assert.h"

struct node {
    uint16_t next, prev;
};

static struct node *ring(const struct temperature *t, uint32_t cpu)
{
    return (struct node *)(t + 1) + (size_t)cpu * (t->stripes + 1);
}

static uint32_t *sizes(const struct temperature *t)
{
    return (uint32_t *)ring(t, t->cpus);
}

/* Owner of each stripe, and whether the owner still has it. */
static uint8_t *owners(const struct temperature *t)
{
    return (uint8_t *)(sizes(t) + t->cpus);
}

size_t temperature_bytes(uint32_t cpus, uint32_t stripes)
{
    return sizeof(struct temperature) + (size_t)cpus * (stripes + 1) * sizeof(struct node) +
           cpus * sizeof(uint32_t) + stripes;
}

void temperature_start(struct temperature *t, uint32_t cpus, uint32_t stripes, uint32_t room)
{
    ASSERT(cpus < 127 && stripes < UINT16_MAX);
    t->cpus = cpus;
    t->stripes = stripes;
    t->room = room;
}

/* Owner byte: bits 0-6 CPU + 1, bit 7 set while that CPU's cache holds it. */
enum { HELD = 0x80 };

static void take_out(struct temperature *t, uint32_t cpu, uint16_t n)
{
    struct node *r = ring(t, cpu);

    r[r[n].prev].next = r[n].next;
    r[r[n].next].prev = r[n].prev;
    sizes(t)[cpu]--;
}

static void put_first(struct temperature *t, uint32_t cpu, uint16_t n)
{
    struct node *r = ring(t, cpu);

    r[n].prev = 0;
    r[n].next = r[0].next;
    r[r[0].next].prev = n;
    r[0].next = n;
    sizes(t)[cpu]++;
}

enum warmth temperature_of(const struct temperature *t, uint32_t cpu, uint32_t stripe)
{
    uint8_t o = owners(t)[stripe];

    if (!(o & HELD))
        return COLD;
    return (o & (HELD - 1u)) == cpu + 1 ? WARM : WARM_ELSEWHERE;
}

enum warmth temperature_touch(struct temperature *t, uint32_t cpu, uint32_t stripe)
{
    enum warmth was = temperature_of(t, cpu, stripe);
    uint16_t n = (uint16_t)(stripe + 1);

    if (!t->room)
        return COLD;
    if (was == WARM && ring(t, cpu)[0].next == n)
        return WARM;
    if (was != COLD)
        take_out(t, (owners(t)[stripe] & (HELD - 1u)) - 1u, n);
    put_first(t, cpu, n);
    owners(t)[stripe] = (uint8_t)((cpu + 1) | HELD);
    if (sizes(t)[cpu] > t->room) {
        uint16_t last = ring(t, cpu)[0].prev;

        take_out(t, cpu, last);
        owners(t)[last - 1] &= (uint8_t)~HELD;
    }
    return was;
}

void temperature_expect(const struct temperature *t, uint32_t cpu, uint32_t stripe)
{
    __builtin_prefetch(&owners(t)[stripe], 1);
    __builtin_prefetch(&ring(t, cpu)[stripe + 1], 1);
}
