/*
 * Numbers as fio prints them (sim/numerals.h).
 *
 * The number is divided by the unit in one step, not digit group by digit group, so rounding
 * happens once.
 */
#include "sim/numerals.h"

#include <inttypes.h>
#include <stdio.h>

typedef unsigned __int128 wide;

static wide divide_rounded(wide a, wide b)
{
    return (a + b / 2) / b;
}

/* Value in units[k] where base^k is the smallest power that leaves at most `digits` whole digits
 * (9999: four). */
static void print_scaled(char *text, uint64_t value, unsigned base, uint64_t limit,
                         const char *const units[7])
{
    wide unit = 1;
    unsigned k = 0;
    while (value / unit > limit && units[k + 1]) {
        unit *= base;
        k++;
    }
    if (k == 0) {
        snprintf(text, NUMERAL_BYTES, "%" PRIu64 "%s", value, units[0]);
        return;
    }
    wide hundredths = divide_rounded((wide)value * 100, unit);
    wide tenths = divide_rounded((wide)value * 10, unit);
    uint64_t whole = (uint64_t)divide_rounded(value, unit);
    if (hundredths < 1000)
        snprintf(text, NUMERAL_BYTES, "%u.%02u%s", (unsigned)hundredths / 100,
                 (unsigned)hundredths % 100, units[k]);
    else if (tenths < 1000)
        snprintf(text, NUMERAL_BYTES, "%u.%u%s", (unsigned)tenths / 10, (unsigned)tenths % 10,
                 units[k]);
    else
        snprintf(text, NUMERAL_BYTES, "%" PRIu64 "%s", whole, units[k]);
}

const char *numeral_binary(char text[static NUMERAL_BYTES], uint64_t bytes)
{
    static const char *const units[7] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", NULL };
    print_scaled(text, bytes, 1024, 9999, units);
    return text;
}

const char *numeral_exact(char text[static NUMERAL_BYTES], uint64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    unsigned k = 0;
    for (; bytes > 0 && bytes % 1024 == 0 && k < 4; k++)
        bytes /= 1024;
    snprintf(text, NUMERAL_BYTES, "%" PRIu64 "%s", bytes, units[k]);
    return text;
}

const char *numeral_decimal(char text[static NUMERAL_BYTES], uint64_t bytes)
{
    static const char *const units[7] = { "B", "kB", "MB", "GB", "TB", "PB", NULL };
    print_scaled(text, bytes, 1000, 9999, units);
    return text;
}

const char *numeral_count(char text[static NUMERAL_BYTES], uint64_t count)
{
    static const char *const units[7] = { "", "k", "M", "G", "T", "P", NULL };
    print_scaled(text, count, 1000, 9999, units);
    return text;
}

const char *numeral_time(char text[static NUMERAL_BYTES], uint64_t ns)
{
    static const char *const units[7] = { "ns", "us", "ms", "s", NULL, NULL, NULL };
    print_scaled(text, ns, 1000, 999, units);
    return text;
}
