/*
 * Temperature: which stripe_heads each CPU still has in its cache.
 *
 * Per CPU an exact least-recently-used list of stripe_heads, as many as its L2 holds. Touching a
 * whole stripe_head that is in the list costs nothing extra; one that is not costs a line from
 * memory for each of its cache lines, or a line transfer if it is still warm in the CPU that
 * touched it last. Part of the clockwork: flat, no pointers.
 */
#ifndef SIM_TEMPERATURE_H
#define SIM_TEMPERATURE_H
#include <stddef.h>
#include <stdint.h>

enum warmth { WARM, WARM_ELSEWHERE, COLD };

struct temperature {
    uint32_t cpus, stripes;
    uint32_t room; /* stripe_heads one CPU's cache holds */
    uint32_t pad;
};

size_t temperature_bytes(uint32_t cpus, uint32_t stripes);
/* t points to temperature_bytes() zeroed bytes. */
void temperature_start(struct temperature *, uint32_t cpus, uint32_t stripes, uint32_t room);
/* CPU touches the whole stripe_head: says how warm it was, and it is warm there, and nowhere else,
 * from now on. */
/* Tells the host's processor that this stripe will be asked for. */
void temperature_expect(const struct temperature *, uint32_t cpu, uint32_t stripe);
enum warmth temperature_touch(struct temperature *, uint32_t cpu, uint32_t stripe);
/* How warm it is for that CPU; nothing changes (a touch of a few lines). */
enum warmth temperature_of(const struct temperature *, uint32_t cpu, uint32_t stripe);

#endif
