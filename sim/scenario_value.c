/*
 * The text of one value into its field, by the type the table of keys gives.
 *
 * Every conversion refuses what it does not understand and what lies outside the key's range, and
 * says in `why` what would be right. Lists and other small languages are in scenario_lists.c.
 */
#include "sim/scenario_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/geometry_names.h"
#include "sim/nearest.h"

bool value_whole(const char *text, uint64_t *value)
{
    *value = 0;
    if (*text == '\0')
        return false;
    for (; isdigit((unsigned char)*text); text++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
            return false;
    }
    return *text == '\0';
}

static bool store_text(const struct key *key, char *field, const char *text, char *why)
{
    size_t length = key->type == KEY_PROSE ? strlen(field) : 0;

    if (length + (length > 0) + strlen(text) >= key->size) {
        snprintf(why, WHY_MAX, "more than %d bytes", key->size - 1);
        return false;
    }
    if (length > 0)
        field[length++] = ' ';
    memset(field + length, 0, key->size - length);
    memcpy(field + length, text, strlen(text));
    return true;
}

/* Words stand in key->unit, parted by '|'. Stores their text or their place. */
static bool store_choice(const struct key *key, void *field, const char *text, char *why)
{
    const char *word = key->unit;

    for (uint32_t place = 0; *word; place++) {
        size_t length = strcspn(word, "|");

        if (strlen(text) == length && !strncmp(word, text, length)) {
            if (key->type == KEY_CHOICE_TEXT)
                return store_text(key, field, text, why);
            memcpy(field, &place, sizeof place);
            return true;
        }
        word += length + (word[length] == '|');
    }
    snprintf(why, WHY_MAX, "'%s' is none of %s", text, key->unit);
    return false;
}

/* Every word once; none at all is good, too. */
static bool store_words(const struct key *key, void *field, const char *text, char *why)
{
    uint32_t bits = 0, place;
    char word[64];

    for (text += strspn(text, ", \t"); *text; text += strspn(text, ", \t")) {
        size_t length = strcspn(text, ", \t");

        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (!store_choice(key, &place, word, why))
            return false;
        bits |= 1u << place;
        text += length;
    }
    memcpy(field, &bits, sizeof bits);
    return true;
}

static bool store_number(const struct key *key, void *field, uint64_t number, char *why)
{
    if (number < key->min || number > key->max) {
        snprintf(why, WHY_MAX, "%" PRIu64 " is outside %" PRIu64 "..%" PRIu64 " (%s)", number,
                 key->min, key->max, key->unit);
        return false;
    }
    if (key->size == sizeof(uint8_t)) {
        uint8_t narrow = (uint8_t)number;

        memcpy(field, &narrow, sizeof narrow);
    } else if (key->size == sizeof(uint32_t)) {
        uint32_t narrow = (uint32_t)number;

        memcpy(field, &narrow, sizeof narrow);
    } else {
        memcpy(field, &number, sizeof number);
    }
    return true;
}

static bool is_power_of_two(uint64_t number)
{
    return number && !(number & (number - 1));
}

static bool store_bytes(const struct key *key, void *field, const char *text, char *why)
{
    uint64_t bytes;

    if (!units_bytes(text, &bytes)) {
        snprintf(why, WHY_MAX, "'%s' is no size such as 4096, 64k or 10G", text);
        return false;
    }
    if (key->type == KEY_CHUNK && bytes >= key->min && !is_power_of_two(bytes)) {
        snprintf(why, WHY_MAX, "%" PRIu64 " is no power of two", bytes);
        return false;
    }
    if (key->type == KEY_CAPACITY) {
        if (bytes % 512 != 0) {
            snprintf(why, WHY_MAX, "%" PRIu64 " bytes are no whole sectors of 512", bytes);
            return false;
        }
        bytes /= 512;
    }
    return store_number(key, field, bytes, why);
}

/* Times: a plain number counts in the key's own unit. */
static bool store_time(const struct key *key, void *field, const char *text, char *why)
{
    uint64_t plain_ns = key->type == KEY_SECONDS                                 ? 1000000000
                        : key->type == KEY_MICROSECONDS || key->type == KEY_US32 ? 1000
                                                                                 : 1;
    uint64_t number, ns;

    if (value_whole(text, &number)) {
        if (__builtin_mul_overflow(number, plain_ns, &ns)) {
            snprintf(why, WHY_MAX, "'%s' is too long a time", text);
            return false;
        }
    } else if (!units_time(text, &ns)) {
        snprintf(why, WHY_MAX, "'%s' is no time such as 250us, 3ms or 10s", text);
        return false;
    }
    if (key->type == KEY_US32) {
        if (ns % 1000 != 0) {
            snprintf(why, WHY_MAX, "'%s' is no whole number of microseconds", text);
            return false;
        }
        ns /= 1000;
    }
    return store_number(key, field, ns, why);
}

static bool store_whole(const struct key *key, void *field, const char *text, char *why)
{
    uint64_t number;

    if (!value_whole(text, &number)) {
        snprintf(why, WHY_MAX, "'%s' is no whole number", text);
        return false;
    }
    if (key->type == KEY_REST_PERCENT && number <= 100)
        number = 100 - number;
    if (key->type == KEY_POWER32 && !is_power_of_two(number)) {
        snprintf(why, WHY_MAX, "%" PRIu64 " is no power of two", number);
        return false;
    }
    return store_number(key, field, number, why);
}

static bool store_milli(const struct key *key, void *field, const char *text, char *why)
{
    int64_t milli;

    if (!units_milli(text, &milli)) {
        snprintf(why, WHY_MAX, "'%s' is no number with at most three decimals", text);
        return false;
    }
    return store_number(key, field, (uint64_t)milli, why);
}

static bool store_switch(const struct key *key, void *field, const char *text, char *why)
{
    static const char *const word[][2] = {
        { "0", "1" }, { "no", "yes" }, { "off", "on" }, { "false", "true" }
    };

    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        for (unsigned on = 0; on < 2; on++) {
            if (strcmp(text, word[i][on]))
                continue;
            if (key->type == KEY_DIRECT && !on) {
                snprintf(why, WHY_MAX, "the page cache is not modelled, only direct I/O is");
                return false;
            }
            return store_number(key, field, on, why);
        }
    }
    snprintf(why, WHY_MAX, "'%s' is neither 0 nor 1", text);
    return false;
}

/* Level and layout have names of mdadm's. */
static bool store_name(const struct key *key, void *field, const char *text, char *why)
{
    int number = key->type == KEY_LEVEL ? geometry_level_parse(text) : geometry_layout_parse(text);

    if (number < 0) {
        snprintf(why, WHY_MAX, "unknown %s '%s' (%s)", key->name, text,
                 key->type == KEY_LEVEL ? key->unit
                                        : "left-symmetric, left-asymmetric, right-symmetric, "
                                          "right-asymmetric, parity-first, parity-last");
        return false;
    }
    uint32_t stored = (uint32_t)number;

    memcpy(field, &stored, sizeof stored);
    return true;
}

static bool store_irq_cpu(const struct key *key, void *field, const char *text, char *why)
{
    uint32_t spread = IRQ_SPREAD;

    if (strcmp(text, "spread"))
        return store_whole(key, field, text, why);
    memcpy(field, &spread, sizeof spread);
    return true;
}

bool value_store(const struct key *key, void *base, const char *text, char *why)
{
    void *field = (char *)base + key->offset;

    switch ((enum key_type)key->type) {
    case KEY_TEXT:
    case KEY_PROSE:
        return store_text(key, field, text, why);
    case KEY_U8:
    case KEY_U32:
    case KEY_U64:
    case KEY_POWER32:
    case KEY_REST_PERCENT:
        return store_whole(key, field, text, why);
    case KEY_FLAG:
    case KEY_SWITCH:
    case KEY_DIRECT:
        return store_switch(key, field, text, why);
    case KEY_BYTES32:
    case KEY_BYTES64:
    case KEY_CHUNK:
    case KEY_CAPACITY:
        return store_bytes(key, field, text, why);
    case KEY_NS32:
    case KEY_NS64:
    case KEY_US32:
    case KEY_SECONDS:
    case KEY_MICROSECONDS:
        return store_time(key, field, text, why);
    case KEY_MILLI:
        return store_milli(key, field, text, why);
    case KEY_CHOICE32:
    case KEY_CHOICE_TEXT:
        return store_choice(key, field, text, why);
    case KEY_WORDS32:
        return store_words(key, field, text, why);
    case KEY_IRQ_CPU:
        return store_irq_cpu(key, field, text, why);
    case KEY_LEVEL:
    case KEY_LAYOUT:
        return store_name(key, field, text, why);
    case KEY_ZONES:
    case KEY_SEEKS:
    case KEY_RW:
    case KEY_BLOCK:
    case KEY_BLOCKALIGN:
    case KEY_SPLIT:
    case KEY_ENGINE:
    case KEY_SHARE:
    case KEY_DISTRIBUTION:
    case KEY_MEMBERS:
    case KEY_SYNCED:
        break;
    }
    return value_store_list(key, base, text, why);
}
