/*
 * A scenario being drawn: its text so far, its dice, and what later sections must know of earlier
 * ones. For tests/lib/soak_*.c only.
 */
#ifndef TESTS_LIB_SOAK_DRAFT_H
#define TESTS_LIB_SOAK_DRAFT_H
#include "tests/lib/t.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/dice.h"
#include "tests/lib/soak_scenario.h"

struct draft {
    struct dice dice;
    char *text;
    size_t used;
    bool mechanical, modern, of_2013;
    bool early_pass; /* a pass or a rebuild may take the CPUs before the jobs get any */
    uint32_t disks, faults;
    uint64_t array_bytes, member_bytes; /* of each member, whole chunks */
};

static inline void say(struct draft *d, const char *format, ...)
{
    va_list arguments;
    int bytes;

    va_start(arguments, format);
    bytes = vsnprintf(d->text + d->used, SOAK_TEXT_BYTES - d->used, format, arguments);
    va_end(arguments);
    assert_true(bytes >= 0 && d->used + (size_t)bytes < SOAK_TEXT_BYTES);
    d->used += (size_t)bytes;
}

static inline bool one_in(struct draft *d, uint64_t n)
{
    return dice_below(&d->dice, n) == 0;
}

/* least .. most, evenly in the logarithm; one in eight is an end. */
static inline uint64_t spread(struct draft *d, uint64_t least, uint64_t most)
{
    uint64_t top = least, doublings = 0, value;

    assert_true(least >= 1 && least <= most);
    if (one_in(d, 8))
        return one_in(d, 2) ? least : most;
    while (top <= most / 2) {
        top *= 2;
        doublings++;
    }
    value = least << dice_below(&d->dice, doublings + 1);
    value += dice_below(&d->dice, value);
    return value < most ? value : most;
}

static inline uint64_t power(struct draft *d, unsigned least, unsigned most)
{
    return 1ull << (least + dice_below(&d->dice, most - least + 1u));
}

/* One draw a call: the order in which arguments are evaluated is the compiler's own. */
static inline void say_number(struct draft *d, const char *key, uint64_t value)
{
    say(d, "%s = %llu\n", key, (unsigned long long)value);
}

#define PICK(d, words) ((words)[dice_below(&(d)->dice, sizeof(words) / sizeof(*(words)))])

/* soak_faults.c. Keys of [array]: superblocks, spares, bitmap, speeds; decides how many faults
 * there will be. */
void draw_md(struct draft *, bool syncs, bool ppl_fits);
/* The [fault] sections. */
void draw_faults(struct draft *);

#endif
