/*
 * Lines of [expect]: `throughput = 200MB/s +-10%`, `cpu_load = 45% +-8`, `stripe_waits = 0`,
 * `verdict = ok`.
 *
 * Values are stored in thousandths of the unit the name has (sim/keys.h): rates in thousandths of a
 * byte a second, shares in thousandths of a percentage point, times in thousandths of a ns,
 * symbol.<name> in thousandths of a cycle per 4 KiB page. Rates take MB/s (10^6), MiB/s (2^20) and
 * so on, times need a unit.
 *
 * The tolerance is `+-10%` of the value (for shares too: 45% +-10% is 40.5 .. 49.5) or `+-8` in the
 * value's own unit; its number may repeat the unit (20ms +-2ms). Without one the value must be met
 * exactly. A last word `gap` says that the model is known to miss the value: the claim stays in
 * sight, and meeting it fails the run, so that the word goes when the gap is closed.
 */
#include "sim/scenario_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/complaint.h"

struct unit_word {
    const char *word;
    int64_t factor;
};

static const struct unit_word number_units[] = { { "", 1 }, { NULL, 0 } };
static const struct unit_word percent_units[] = { { "", 1 }, { "%", 1 }, { NULL, 0 } };
static const struct unit_word time_units[] = {
    { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 },
};
static const struct unit_word rate_units[] = {
    { "B/s", 1 },         { "kB/s", 1000 },       { "KB/s", 1000 },
    { "MB/s", 1000000 },  { "GB/s", 1000000000 }, { "KiB/s", 1 << 10 },
    { "MiB/s", 1 << 20 }, { "GiB/s", 1 << 30 },   { NULL, 0 },
};

static const struct unit_word *units_of(enum expect_quantity unit)
{
    switch (unit) {
    case EXPECT_IN_RATE:
        return rate_units;
    case EXPECT_IN_PERCENT:
        return percent_units;
    case EXPECT_IN_TIME:
        return time_units;
    default:
        return number_units;
    }
}

/* Reads "200MB/s" or "200 MB/s". `standard` stands for a missing unit; 0: a unit must be there. */
static bool read_quantity(const char *text, const struct unit_word *units, int64_t standard,
                          int64_t *milli)
{
    char number[VALUE_MAX];
    size_t length = strspn(text, "0123456789.");
    const char *word = text + length + strspn(text + length, " \t");
    int64_t factor = *word == '\0' ? standard : 0;

    snprintf(number, sizeof number, "%.*s", (int)length, text);
    for (; units->word && !factor; units++) {
        if (!strcmp(units->word, word))
            factor = units->factor;
    }
    return factor && units_milli(number, milli) && !__builtin_mul_overflow(*milli, factor, milli);
}

/* The factor of the unit the value was given in, so that `20ms +-2` means 2 ms. */
static int64_t factor_of(const char *text, const struct unit_word *units)
{
    const char *word = text + strspn(text, "0123456789. \t");

    for (; units->word; units++) {
        if (!strcmp(units->word, word))
            return units->factor;
    }
    return 1;
}

/* Cuts "+-..." or its one-character form off the text; NULL: there is none. */
static char *cut_tolerance(char *text)
{
    char *sign = strstr(text, "+-");
    size_t width = 2;

    if (!sign) {
        sign = strstr(text, "\xc2\xb1");
        if (!sign)
            return NULL;
    }
    char *tolerance = sign + width;

    while (sign > text && isspace((unsigned char)sign[-1]))
        sign--;
    *sign = '\0';
    return tolerance + strspn(tolerance, " \t");
}

static bool read_tolerance(struct expect *expect, const char *text, const struct unit_word *units,
                           int64_t factor)
{
    size_t length = strlen(text);
    char number[VALUE_MAX];

    if (length == 0 || text[length - 1] != '%')
        return read_quantity(text, units, factor, &expect->tolerance_milli);
    expect->kind = EXPECT_RELATIVE;
    snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
    return units_milli(number, &expect->tolerance_milli) && expect->tolerance_milli <= 1000000;
}

/* Cuts the word `gap` off the text's end; was it there? */
static bool cut_gap(char *text)
{
    size_t length = strlen(text);

    if (length < 5 || strcmp(text + length - 4, " gap"))
        return false;
    for (length -= 4; length && isspace((unsigned char)text[length - 1]); length--)
        ;
    text[length] = '\0';
    return true;
}

static bool parse_number(struct expect *expect, enum expect_quantity unit, const char *value,
                         char *why)
{
    const struct unit_word *units = units_of(unit);
    static const char *const example[] = { [EXPECT_IN_NUMBER] = "18300 +-25%",
                                           [EXPECT_IN_RATE] = "200MB/s +-10%",
                                           [EXPECT_IN_PERCENT] = "45% +-8",
                                           [EXPECT_IN_TIME] = "20ms +-10%" };
    char text[VALUE_MAX];
    bool plain = unit == EXPECT_IN_NUMBER || unit == EXPECT_IN_PERCENT;

    snprintf(text, sizeof text, "%s", value);
    expect->gap = cut_gap(text);
    char *tolerance = cut_tolerance(text);

    expect->kind = EXPECT_ABSOLUTE;
    if (!read_quantity(text, units, plain, &expect->value_milli)) {
        snprintf(why, WHY_MAX, "'%s' is no value such as %s", text, example[unit]);
        return false;
    }
    if (tolerance && !read_tolerance(expect, tolerance, units, factor_of(text, units))) {
        snprintf(why, WHY_MAX, "'%s' is no tolerance such as in %s", tolerance, example[unit]);
        return false;
    }
    return true;
}

static bool parse_text(struct expect *expect, const char *value, char *why)
{
    expect->kind = EXPECT_TEXT;
    if (strlen(value) >= sizeof expect->text) {
        snprintf(why, WHY_MAX, "more than %zu bytes", sizeof expect->text - 1);
        return false;
    }
    memcpy(expect->text, value, strlen(value));
    return true;
}

/* The expectation of that name: a later line replaces an earlier one. NULL: too many. */
static struct expect *take_place(struct scenario *scenario, const char *name)
{
    for (unsigned i = 0; i < scenario->expect_count; i++) {
        if (!strcmp(scenario->expect[i].name, name))
            return &scenario->expect[i];
    }
    if (scenario->expect_count == EXPECTS_MAX)
        return NULL;
    return &scenario->expect[scenario->expect_count++];
}

static bool fill_expect(struct reading *reading, const struct entry *entry, char *why)
{
    const struct expect_name *known = expect_name_find(entry->name);
    struct expect *expect = take_place(reading->scenario, entry->name);

    if (!expect) {
        snprintf(why, WHY_MAX, "more than %d expectations", EXPECTS_MAX);
        return false;
    }
    memset(expect, 0, sizeof *expect);
    snprintf(expect->name, sizeof expect->name, "%s", entry->name);
    expect->line = entry->line;
    if (known && known->unit == EXPECT_IN_TEXT)
        return parse_text(expect, entry->value, why);
    return parse_number(expect, known ? (enum expect_quantity)known->unit : EXPECT_IN_NUMBER,
                        entry->value, why);
}

bool scenario_fill_expects(struct reading *reading)
{
    for (size_t i = 0; i < reading->entry_count; i++) {
        const struct entry *entry = &reading->entry[i];
        char why[WHY_MAX] = "";

        if (entry->section != SECTION_EXPECT || fill_expect(reading, entry, why))
            continue;
        if (entry->command_line)
            return complain(reading->complaint, "--set", 0, "%s: %s", entry->name, why);
        return complain(reading->complaint, reading->file[entry->file].path, entry->line, "%s: %s",
                        entry->name, why);
    }
    return true;
}
