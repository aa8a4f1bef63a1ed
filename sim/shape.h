/* From a checked scenario to the shape of its world. */
#ifndef SIM_SHAPE_H
#define SIM_SHAPE_H
#include <stdbool.h>

#include "model/shape.h"
#include "sim/scenario.h"

/* The submitting threads of a scenario: which workload instance each serves and how many I/Os it
 * may have outstanding. posixaio has one thread per outstanding I/O, libaio and io_uring one per
 * instance, psync one per instance with one I/O. */
struct crew {
    uint32_t clients;
    uint16_t *instance_of; /* [clients], owned by the crew */
    uint16_t *depth;       /* [clients] */
};

/* False, with one line in *complaint: more threads, requests or written blocks than a world can
 * hold, or no memory. */
bool crew_new(struct crew *, const struct scenario *, struct complaint *);
void crew_free(struct crew *);
bool shape_from(struct shape *, const struct scenario *, const struct crew *, struct complaint *);

#endif
