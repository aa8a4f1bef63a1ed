/*
 * Worlds in few bytes: only the words that differ from the world everything started from.
 *
 * Equal worlds are packed to equal words, and different ones to different words, so that a packed
 * world can be compared and hashed in place of the world.
 */
#ifndef MODEL_CHECK_PACK_H
#define MODEL_CHECK_PACK_H
#include <stdbool.h>

#include "model/world.h"

/* Words a packed world of this shape takes at most. */
uint64_t pack_words_max(const struct world *start);
/* Packs w's live part into out; returns how many words it took. */
uint32_t pack(const struct world *start, const struct world *w, uint64_t *out);
/* The reverse, into a world of the same shape. */
void unpack(const struct world *start, const uint64_t *in, struct world *w);
/*
 * The key of a world: 64 bits, never 0. It is a sum, modulo 2^64, of a mixture of place and content
 * of every word that differs from the start's, so that the key of a world that a move has made
 * comes out of the words that the move has changed.
 */
uint64_t pack_key(const struct world *start, const struct world *w);
/* The key of `after`, that of `before` being known. */
uint64_t pack_key_after(const struct world *start, const struct world *before, uint64_t key,
                        const struct world *after);

#endif
