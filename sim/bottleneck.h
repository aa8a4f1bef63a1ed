/*
 * What limits a run, named by evidence.
 *
 * Every candidate makes a *claim*: the share of the measured window in which it was in demand. The
 * rules that rank claims are in sim/bottleneck.c and docs/REPORTS.md; they read nothing but struct
 * results.
 */
#ifndef SIM_BOTTLENECK_H
#define SIM_BOTTLENECK_H
#include <stdint.h>

#include "sim/results.h"

enum bottleneck_kind {
    BOTTLENECK_DISKS,   /* the members, or the busiest one of them */
    BOTTLENECK_CPU,     /* all CPUs together, or the one that takes the interrupts */
    BOTTLENECK_THREAD,  /* one thread that cannot run on two CPUs at once */
    BOTTLENECK_STRIPES, /* waiting for a free stripe_head */
    BOTTLENECK_LOCK,    /* spinning for a lock */
    BOTTLENECK_LOAD,    /* nobody asks for more: rate limit, or too little in flight */
    BOTTLENECK_COUNT
};

struct claim {
    uint8_t kind; /* enum bottleneck_kind */
    uint8_t rank; /* how strong the claim is; private to bottleneck.c */
    uint8_t pad[2];
    uint32_t share_milli; /* thousandths of a percent */
    char words[96];       /* the evidence: "disks 71 % busy (busiest sdc 74 %)" */
};

struct bottleneck {
    struct claim first, second;
};

void bottleneck_find(const struct results *, struct bottleneck *);
/* "disks", "cpu", "thread", "stripe_cache", "lock", "load": what [expect] compares and JSON prints.
 */
const char *bottleneck_name(unsigned kind);

#endif
