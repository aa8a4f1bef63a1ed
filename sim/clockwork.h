/*
 * The clockwork: the discrete-event scheduler. It picks one enabled move at a time by simulated
 * time and prices what it did.
 *
 * Order of events is total: (time, order of insertion). *Fire first, pay after*: when a CPU and the
 * step's locks are granted the move is fired, its effects are read and priced, CPU and locks are
 * held until now + cost, then wakes and submissions are delivered. An actor goes on inline while
 * its next event is the earliest.
 *
 *  - CPUs: run queues first come first served; kblockd goes before all other threads; an
 * idle CPU takes from the longest queue; interrupts go before all threads at the next boundary
 * between moves (a move lasts microseconds).
 *  - Spinlocks: a CPU that finds a lock held spins, burning its time, until the holder's move ends;
 * then the lock is handed over at the host's price. Unfair locks go to a waiter by dice, ticket and
 * queued locks in order of arrival.
 *  - Members: elevator (disks/elevator.h) and device (disks/timing.h); an interrupt ends the ios of
 * a request one by one, then sends the next request to the device.
 *
 * All mutable state is one flat block without pointers (clockwork_state()): with the world's bytes
 * it is a snapshot.
 */
#ifndef SIM_CLOCKWORK_H
#define SIM_CLOCKWORK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/step.h"
#include "sim/results.h"
#include "sim/scenario.h"
#include "sim/workload.h"

struct clockwork;

/* Winds a clockwork for this scenario around a started world. Client c belongs to workload instance
 * instance_of[c]. world, system, scenario and load must outlive it. NULL: no memory. */
struct clockwork *clockwork_new(const struct scenario *, const struct system *, struct world *,
                                struct workload *load, const uint16_t *instance_of);
void clockwork_free(struct clockwork *);

/* Runs until nothing is left to do, or until the simulated time `until`. False: nothing is left. */
bool clockwork_run(struct clockwork *, uint64_t until);
uint64_t clockwork_now(const struct clockwork *);

/* Every move fired from now on is appended here until `capacity` is reached. NULL: stop recording.
 */
struct move_log {
    struct move *move;
    uint64_t count, capacity;
};
void clockwork_record(struct clockwork *, struct move_log *);

/* The flat mutable state, for snapshots: copying these bytes away and back (with the world's and
 * the workload's) rewinds. */
void *clockwork_state(struct clockwork *, size_t *bytes);

/* What was measured since the ramp ended (or the start). */
void clockwork_results(const struct clockwork *, struct results *);

#endif
