/*
 * What must never be, by the numbers of behaviour spec section 16 (16.2 data, 16.3 liveness; F1 and
 * BUG are ours). docs/CHECKER.md explains them for users.
 */
#ifndef MODEL_PROPERTIES_H
#define MODEL_PROPERTIES_H
#include <stdbool.h>

#include "model/world.h"

enum property {
    PROPERTY_HOLDS,
#define PROPERTY(id, number, claim, meaning) PROPERTY_##id,
#include "model/properties.def"
#undef PROPERTY
    PROPERTY_COUNT
};

struct property_text {
    const char *id, *number, *claim, *meaning;
};
/* Texts of a property; constant. */
const struct property_text *property_text(unsigned property);

/* D1 and D4 of an array at rest: what the members hold against the oracle. Rows with trouble of
 * more than one member are left out (16.4 E5), and, with `no_parity`, whatever parity would have to
 * make up for. Returns the property that is broken or PROPERTY_HOLDS; *sector, if it is broken:
 * where on the members. The array must have no write under way. */
enum property properties_at_rest(const struct world *, bool no_parity, uint64_t *sector);

/* D10 of the member I/O under way. */
enum property properties_under_way(const struct world *);
/* D11 of a member I/O that has just been queued: it does not read what is known to be bad. */
bool properties_reads_good(const struct world *, io_id);

#endif
