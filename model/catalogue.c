/* The catalogue as a table. */
#include "model/catalogue.h"

#include <stddef.h>

const struct mutation_text *mutation_text(unsigned number)
{
    static const struct mutation_text texts[] = {
#define MUTATION(n, w, v, f)                                                                       \
    { .id = #n, .what = w, .versions = v, .fix = f, .mutation = MUTATION_##n },
#define UNFOUND(n, w, v, f, u)                                                                     \
    { .id = #n, .what = w, .versions = v, .fix = f, .unfound = u, .mutation = MUTATION_##n },
#define UNSEEDED(n, w, v, f, u) { .id = #n, .what = w, .versions = v, .fix = f, .unseeded = u },
#include "model/mutations.def"
#undef MUTATION
#undef UNFOUND
#undef UNSEEDED
    };

    return number < sizeof texts / sizeof texts[0] ? &texts[number] : NULL;
}
