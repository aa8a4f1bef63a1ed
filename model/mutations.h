/*
 * Mutations: real faults of md that can be put back (model/mutations.def), one at a time, so that
 * what finds faults can be tried. shape.mutation says which; 0: none.
 */
#ifndef MODEL_MUTATIONS_H
#define MODEL_MUTATIONS_H
#include "model/catalogue.h"
#include "model/world.h"

/* Is that fault in the model? */
#define MUTATED(w, id) ((w)->shape.mutation == MUTATION_##id)

#endif
