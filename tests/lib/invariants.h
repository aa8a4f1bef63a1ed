/*
 * The structural invariants of behaviour spec 16.1, checked over a whole world between two moves.
 *
 * I1 lists, I2 where an unused stripe is, I3 counts and owners, I4 active, I5 preread, I6 hash, I8
 * locked slots and member I/O, I9 bios and pieces, I11 idle stripes are clean; and for the parts
 * the spec leaves to the implementation: IO the table of member I/O, WQ wait queues, RQ requests,
 * L6 raid5d or a worker is awake while stripes wait for it, HA what they have in their hands, DE
 * deferred writes.
 */
#ifndef TESTS_LIB_INVARIANTS_H
#define TESTS_LIB_INVARIANTS_H
#include "model/world.h"

/* NULL: all hold. Else what does not, in words that begin with its number (a constant). */
const char *invariants_broken(const struct world *);
/* The same of those that hold between any two moves of md-6.1: IO, L6, HA and DE. */
const char *invariants_of_handlers(const struct world *);

#endif
