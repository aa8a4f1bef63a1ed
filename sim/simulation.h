/*
 * A simulation: world, load and clockwork of one scenario, made and freed together. `run` drives it
 * to the end; tests snapshot it on the way.
 */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H
#include "sim/clockwork.h"
#include "sim/shape.h"

struct simulation {
    struct crew crew;
    struct world *world;
    struct workload *load;
    struct clockwork *clock;
};

/* False: *complaint says why and nothing is left behind. The scenario must outlive it. */
bool simulation_new(struct simulation *, const struct scenario *, struct complaint *);
void simulation_free(struct simulation *);
/* Clients that still wait for I/O though nothing is left to happen. */
unsigned simulation_stuck(const struct simulation *);

#endif
