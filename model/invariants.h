/*
 * The structural invariants of behaviour spec 16.1, checked over a whole world between two moves.
 *
 * I1 lists, I2 where an unused stripe is, I3 counts and owners, I4 active, I5 preread and full
 * writes, I6 hash, I7 delayed and held, I8 locked slots and member I/O, I9 bios and pieces, I11
 * idle stripes are clean, I12 batches, I14 writes under way; and for the parts the spec leaves to
 * the implementation: IO the table of member I/O, WQ wait queues, RQ requests, L6 raid5d or a
 * worker is awake while stripes wait for it, HA what they have in their hands, DE deferred writes,
 * MB members' flags, BB lists of bad blocks, SB superblocks and bitmap, RS the resync thread, RT
 * reads to be retried, FL flaws, EX what new devices have been given.
 */
#ifndef MODEL_INVARIANTS_H
#define MODEL_INVARIANTS_H
#include "model/world.h"

/* NULL: all hold. Else what does not, in words that begin with its number (a constant). */
const char *invariants_broken(const struct world *);
/* Those of md-6.1's members, superblocks and media; the above asks for them, too. */
const char *invariants_md_broken(const struct world *);
/* The same of those that hold between any two moves of md-6.1: IO, L6, HA and DE. */
const char *invariants_of_handlers(const struct world *);

#endif
