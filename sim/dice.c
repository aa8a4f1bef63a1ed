/* Dice: see dice.h. The generator is Random123's Philox; nothing is kept between calls but the
 * stream itself. */
#include "sim/dice.h"

#include <Random123/philox.h>

#include "model/assert.h"

struct dice dice_new(uint64_t seed, enum dice_purpose purpose, uint32_t owner)
{
    return (struct dice){ .key = seed, .purpose = (uint32_t)purpose, .owner = owner };
}

uint64_t dice_bits(struct dice *d)
{
    philox4x32_ctr_t counter = { { (uint32_t)d->throws, (uint32_t)(d->throws >> 32), d->owner,
                                   d->purpose } };
    philox4x32_key_t key = { { (uint32_t)d->key, (uint32_t)(d->key >> 32) } };
    philox4x32_ctr_t out = philox4x32(counter, key);

    d->throws++;
    return (uint64_t)out.v[0] << 32 | out.v[1];
}

uint64_t dice_below(struct dice *d, uint64_t n)
{
    ASSERT(n >= 1);
    return (uint64_t)((unsigned __int128)dice_bits(d) * n >> 64);
}
