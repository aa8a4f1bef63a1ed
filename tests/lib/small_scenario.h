/*
 * Small timed runs: a scenario written in code, with round prices (one cycle is one nanosecond, a
 * unit of work 100 cycles), a few disks without mechanism, and a job. A test changes what its claim
 * needs and starts it.
 */
#ifndef TESTS_LIB_SMALL_SCENARIO_H
#define TESTS_LIB_SMALL_SCENARIO_H
#include "tests/lib/t.h"

#include "sim/simulation.h"

struct timed {
    struct scenario *scenario;
    struct simulation sim;
    struct results *results;
    struct move_log log; /* capacity 0: nothing is recorded */
};

/* 4 KiB random reads, depth 4, 10 ms of them, over three disks of 1 MiB in chunks of 8 KiB, seven
 * stripe_heads, two CPUs. free() it, or give it to timed_start(). */
struct scenario *small_scenario(enum level);
/* Winds the run up, recording at most `log` moves. The scenario is the run's from now on. */
void timed_start(struct timed *, struct scenario *, uint64_t log);
/* To the end; fills results. */
void timed_finish(struct timed *);
void timed_free(struct timed *);
/* start and finish at once, without a log. */
struct results *timed_results(struct timed *, struct scenario *);

#endif
