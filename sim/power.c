/*
 * Fixed-point log2 and exp2: see power.h.
 *
 * Logarithm: normalise to [1, 2), then square; each squaring doubles the logarithm, so a result of
 * 2 or more yields a binary place 1 and is halved. Exponential: the product of 2^(1/2), 2^(1/4),
 * ... for the places set; these roots come from repeated square roots of 2. Errors: each of the 56
 * steps drops less than one unit of 2^-63, relative.
 */
#include "sim/power.h"

#include "model/assert.h"

typedef unsigned __int128 wide;

/* The whole square root of x < 2^127, digit by digit. */
static uint64_t square_root(wide x)
{
    wide root = 0;

    for (int place = 63; place >= 0; place--) {
        wide candidate = root | (wide)1 << place;

        if (candidate * candidate <= x)
            root = candidate;
    }
    return (uint64_t)root;
}

void power_set(struct power *p)
{
    wide previous = (wide)1 << 64; /* 2, with 63 places */

    for (unsigned k = 0; k < POWER_PLACES; k++) {
        p->root[k] = square_root(previous << 63);
        previous = p->root[k];
    }
}

int64_t power_log2(uint64_t x)
{
    uint64_t mantissa;
    int64_t log;

    ASSERT(x >= 1);
    log = 63 - __builtin_clzll(x);
    mantissa = x << (63 - log);
    for (unsigned k = 0; k < POWER_PLACES; k++) {
        wide square = (wide)mantissa * mantissa; /* 126 places */
        int64_t place = (int64_t)(square >> 127);

        mantissa = (uint64_t)(square >> (63 + place));
        log = log * 2 + place;
    }
    return log;
}

unsigned __int128 power_exp2(const struct power *p, int64_t q)
{
    int64_t whole = q >> POWER_PLACES; /* towards minus infinity, so that the rest is in [0, 1) */
    uint64_t rest = (uint64_t)q & ((1ULL << POWER_PLACES) - 1);
    uint64_t mantissa = 1ULL << 63;

    ASSERT(whole < 63);
    for (unsigned k = 0; k < POWER_PLACES; k++) {
        if (rest >> (POWER_PLACES - 1 - k) & 1)
            mantissa = (uint64_t)((wide)mantissa * p->root[k] >> 63);
    }
    if (whole < -64)
        return 0;
    if (whole < -1)
        return mantissa >> (-1 - whole);
    return (wide)mantissa << (whole + 1);
}
