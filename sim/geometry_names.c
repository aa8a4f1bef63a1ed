/* The names of levels and layouts: see geometry_names.h. */
#include "sim/geometry_names.h"

#include <stddef.h>
#include <string.h>

#include "model/assert.h"

struct word {
    const char *text;
    int value;
};

/* The first word of a value is its name; the rest are only understood. */
static const struct word level_words[] = {
    { "raw", LEVEL_RAW },     { "raid0", LEVEL_RAID0 }, { "raid4", LEVEL_RAID4 },
    { "raid5", LEVEL_RAID5 }, { "0", LEVEL_RAID0 },     { "4", LEVEL_RAID4 },
    { "5", LEVEL_RAID5 },
};

static const struct word layout_words[] = {
    { "left-asymmetric", LAYOUT_LEFT_ASYMMETRIC },
    { "right-asymmetric", LAYOUT_RIGHT_ASYMMETRIC },
    { "left-symmetric", LAYOUT_LEFT_SYMMETRIC },
    { "right-symmetric", LAYOUT_RIGHT_SYMMETRIC },
    { "parity-first", LAYOUT_PARITY_0 },
    { "parity-last", LAYOUT_PARITY_N },
    { "la", LAYOUT_LEFT_ASYMMETRIC },
    { "ra", LAYOUT_RIGHT_ASYMMETRIC },
    { "ls", LAYOUT_LEFT_SYMMETRIC },
    { "rs", LAYOUT_RIGHT_SYMMETRIC },
    { "parity-0", LAYOUT_PARITY_0 },
    { "parity-n", LAYOUT_PARITY_N },
    { "0", LAYOUT_LEFT_ASYMMETRIC },
    { "1", LAYOUT_RIGHT_ASYMMETRIC },
    { "2", LAYOUT_LEFT_SYMMETRIC },
    { "3", LAYOUT_RIGHT_SYMMETRIC },
    { "4", LAYOUT_PARITY_0 },
    { "5", LAYOUT_PARITY_N },
};

static const char *name_of(const struct word *words, size_t count, int value)
{
    size_t i = 0;

    while (i < count && words[i].value != value)
        i++;
    ASSERT(i < count);
    return words[i].text;
}

static int value_of(const struct word *words, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i].text, text) == 0)
            return words[i].value;
    }
    return -1;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *geometry_level_name(enum level level)
{
    return name_of(level_words, COUNT(level_words), (int)level);
}

const char *geometry_layout_name(enum layout layout)
{
    return name_of(layout_words, COUNT(layout_words), (int)layout);
}

int geometry_level_parse(const char *text)
{
    return value_of(level_words, COUNT(level_words), text);
}

int geometry_layout_parse(const char *text)
{
    return value_of(layout_words, COUNT(layout_words), text);
}
