/*
 * A keyed permutation: see permutation.h.
 *
 * A Feistel network over the smallest power of two that holds the size. The number is cut into a
 * high and a low part; the rounds in turn fold a keyed mix of one part into the other. Each round
 * is its own inverse, so the whole is one-to-one for any mixing function and any cut, even an
 * uneven one (so the power of two is less than twice the size, but for sizes 1 and 2).
 *
 * Cycle walking brings it down to the size: a result that is too large is sent through again until
 * one is not. Starting from a number below size that must end, because a cycle comes back to where
 * it began; and two starts cannot meet, because they walk backwards to themselves. Mean walk: less
 * than two rounds of the network.
 *
 * Eight rounds of a multiply-xorshift mix are far from cryptography and far beyond what a queue of
 * disk heads could notice; the tests look at first places, neighbours and distances.
 */
#include "sim/permutation.h"

#include "model/assert.h"

_Static_assert(sizeof(struct permutation) == 48, "no padding: it stands in a flat state");
_Static_assert(PERMUTATION_ROUNDS % 2 == 0, "rounds come in pairs, keys two to a draw");

struct permutation permutation_new(uint64_t size, struct dice *dice)
{
    struct permutation p = { .size = size };
    unsigned bits = 2; /* one for each half at least */

    ASSERT(size >= 1);
    ASSERT(size <= 1ULL << 62);
    while ((1ULL << bits) < size)
        bits++;
    p.low_bits = (uint8_t)(bits / 2);
    p.high_bits = (uint8_t)(bits - bits / 2);
    for (unsigned i = 0; i < PERMUTATION_ROUNDS; i += 2) {
        uint64_t key = dice_bits(dice);

        p.round_key[i] = (uint32_t)key;
        p.round_key[i + 1] = (uint32_t)(key >> 32);
    }
    return p;
}

static uint32_t mix(uint32_t half, uint32_t key)
{
    uint64_t x = (half ^ key) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL;
    return (uint32_t)(x >> 32);
}

/* Once through the network; 0 <= x < 2^(low + high bits), and so is the result. */
static uint64_t scramble(const struct permutation *p, uint64_t x)
{
    uint32_t low_mask = (uint32_t)((1ULL << p->low_bits) - 1);
    uint32_t high_mask = (uint32_t)((1ULL << p->high_bits) - 1);
    uint32_t low = (uint32_t)x & low_mask, high = (uint32_t)(x >> p->low_bits);

    for (unsigned i = 0; i < PERMUTATION_ROUNDS; i += 2) {
        low ^= mix(high, p->round_key[i]) & low_mask;
        high ^= mix(low, p->round_key[i + 1]) & high_mask;
    }
    return (uint64_t)high << p->low_bits | low;
}

uint64_t permutation_at(const struct permutation *p, uint64_t index)
{
    ASSERT(index < p->size);
    do {
        index = scramble(p, index);
    } while (index >= p->size);
    return index;
}
