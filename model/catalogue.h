/* The catalogue of real faults of md (model/mutations.def): which there are, and what is told of
 * them.
 */
#ifndef MODEL_CATALOGUE_H
#define MODEL_CATALOGUE_H
#include <stdint.h>

enum mutation {
    MUTATION_NONE,
#define MUTATION(id, ...) MUTATION_##id,
#define UNFOUND(id, ...)  MUTATION_##id,
#define UNSEEDED(id, ...)
#include "model/mutations.def"
#undef MUTATION
#undef UNFOUND
#undef UNSEEDED
    MUTATION_COUNT
};

struct mutation_text {
    const char *id, *what, *versions, *fix;
    const char *unseeded; /* why it cannot be put back; NULL: it can */
    const char *unfound;  /* why no check finds it; NULL: one does */
    uint8_t mutation;     /* enum mutation; 0 if it cannot */
};
/* All of the catalogue, numbered from 0, in its order; NULL after the last. Constants. */
const struct mutation_text *mutation_text(unsigned number);

#endif
