/*
 * Tables of written blocks: open addressing in one section of the world, canonical whatever the
 * order of insertion.
 *
 * Every record begins with its 64-bit key, 0 being a free place. A run of
 * occupied places is kept such that a key that probes past another is the smaller one (ordered
 * hashing), so the same set of keys lies in the same places. The section's record count is a power
 * of two, at least twice the keys that can come.
 */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H
#include <stdbool.h>

#include "model/world.h"

/* The place of that key; NONE64 if it is not there. */
#define NONE64 UINT64_MAX
uint64_t table_find(const struct world *, enum section, uint64_t key);
/* The place of that key, put in if it was not there (*fresh; the rest of the record is zero).
 * Records that have to make room are moved, and `moved`, if given, is told about each once it lies
 * at its new place. */
uint64_t table_place(struct world *, enum section, uint64_t key, bool *fresh,
                     void (*moved)(struct world *, uint64_t from, uint64_t to));
/* Takes the record of that place out; others may move into the gap. */
void table_remove(struct world *, enum section, uint64_t place,
                  void (*moved)(struct world *, uint64_t from, uint64_t to));

#endif
