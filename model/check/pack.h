/*
 * Worlds in few bytes: only the words that differ from the world everything started from.
 *
 * Equal worlds are packed to equal words, and different ones to different words, so that a packed
 * world can be compared and hashed in place of the world.
 */
#ifndef MODEL_CHECK_PACK_H
#define MODEL_CHECK_PACK_H
#include "model/world.h"

/* Words a packed world of this shape takes at most. */
uint64_t pack_words_max(const struct world *start);
/* Packs w's live part into out; returns how many words it took. */
uint32_t pack(const struct world *start, const struct world *w, uint64_t *out);
/* The reverse, into a world of the same shape. */
void unpack(const struct world *start, const uint64_t *in, struct world *w);
/* XXH3-128 of a packed world; `low` is never 0. */
struct fingerprint pack_print(const uint64_t *packed, uint32_t words);

#endif
