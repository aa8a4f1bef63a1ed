/*
 * Numbers with units, as fio and people write them.
 *
 * A number is digits with an optional decimal fraction; a sign, an exponent, hexadecimal and
 * leftovers are refused. The value in base units must be whole (1.5k is 1536 bytes, 1.3 bytes is
 * nothing) and fit the result; nothing is rounded and nothing wraps.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sim/scenario.h"

struct unit {
    const char *suffix;
    uint64_t factor;
};

#define KIB UINT64_C(1024)

static const struct unit byte_units[] = {
    { "", 1 },
    { "b", 1 },
    { "k", KIB },
    { "kb", KIB },
    { "kib", KIB },
    { "m", KIB *KIB },
    { "mb", KIB *KIB },
    { "mib", KIB *KIB },
    { "g", KIB *KIB *KIB },
    { "gb", KIB *KIB *KIB },
    { "gib", KIB *KIB *KIB },
    { "t", KIB *KIB *KIB *KIB },
    { "tb", KIB *KIB *KIB *KIB },
    { "tib", KIB *KIB *KIB *KIB },
    { "p", KIB *KIB *KIB *KIB *KIB },
    { NULL, 0 },
};

#define SECOND UINT64_C(1000000000)

static const struct unit time_units[] = {
    { "", SECOND },          { "ns", 1 },          { "nsec", 1 },          { "us", 1000 },
    { "usec", 1000 },        { "ms", 1000000 },    { "msec", 1000000 },    { "s", SECOND },
    { "sec", SECOND },       { "m", SECOND * 60 }, { "min", SECOND * 60 }, { "h", SECOND * 3600 },
    { "d", SECOND * 86400 }, { NULL, 0 },
};

static const struct unit milli_units[] = { { "", 1000 }, { NULL, 0 } };

/* A decimal number: whole + fraction / divisor, with divisor a power of ten. */
struct decimal {
    uint64_t whole, fraction, divisor;
};

static bool add_digit(uint64_t *value, char digit)
{
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

/* Reads the number and leaves *text behind it. */
static bool read_decimal(const char **text, struct decimal *number)
{
    const char *at = *text;

    *number = (struct decimal){ .divisor = 1 };
    if (!isdigit((unsigned char)*at))
        return false;
    for (; isdigit((unsigned char)*at); at++) {
        if (!add_digit(&number->whole, *at))
            return false;
    }
    if (*at == '.') {
        if (!isdigit((unsigned char)*++at))
            return false;
        for (; isdigit((unsigned char)*at); at++) {
            if (number->divisor >= UINT64_C(1000000000000) || !add_digit(&number->fraction, *at))
                return false;
            number->divisor *= 10;
        }
    }
    *text = at;
    return true;
}

static bool scale(const struct decimal *number, uint64_t factor, uint64_t *result)
{
    unsigned __int128 part = (unsigned __int128)number->fraction * factor;
    uint64_t whole;

    if (part % number->divisor != 0 || __builtin_mul_overflow(number->whole, factor, &whole))
        return false;
    return !__builtin_add_overflow(whole, (uint64_t)(part / number->divisor), result);
}

static bool read_with_unit(const char *text, const struct unit *units, uint64_t *result)
{
    struct decimal number;

    if (!read_decimal(&text, &number))
        return false;
    while (*text == ' ')
        text++;
    for (const struct unit *unit = units; unit->suffix; unit++) {
        if (!strcasecmp(text, unit->suffix))
            return scale(&number, unit->factor, result);
    }
    return false;
}

bool units_bytes(const char *text, uint64_t *bytes)
{
    return read_with_unit(text, byte_units, bytes);
}

bool units_time(const char *text, uint64_t *ns)
{
    return read_with_unit(text, time_units, ns);
}

bool units_milli(const char *text, int64_t *milli)
{
    uint64_t value;

    if (!read_with_unit(text, milli_units, &value) || value > INT64_MAX)
        return false;
    *milli = (int64_t)value;
    return true;
}
