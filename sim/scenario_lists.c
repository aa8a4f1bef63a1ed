/*
 * The small languages among the values: block size mixtures, zones, seek tables, and fio's words
 * for what a job does, who submits it and how its blocks are spread.
 */
#include "sim/scenario_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next item of a list parted by any of `stops`, trimmed; false: no more. */
static bool next_item(const char **text, const char *stops, char *item, size_t size)
{
    const char *at = *text;

    if (!at)
        return false;
    size_t length = strcspn(at, stops);

    *text = at[length] ? at + length + 1 : NULL;
    while (length > 0 && isspace((unsigned char)*at))
        at++, length--;
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    snprintf(item, size, "%.*s", (int)length, at);
    return true;
}

static bool block_bytes(const struct key *key, const char *text, uint32_t *bytes, char *why)
{
    uint64_t wide;

    if (strchr(text, ',')) {
        snprintf(why, WHY_MAX, "'%s': one size for reads and writes is modelled, not two", text);
        return false;
    }
    if (!units_bytes(text, &wide)) {
        snprintf(why, WHY_MAX, "'%s' is no size such as 4k or 8M", text);
        return false;
    }
    if (wide < key->min || wide > key->max || wide % 512 != 0) {
        snprintf(why, WHY_MAX, "%" PRIu64 " is no multiple of 512 in %" PRIu64 "..%" PRIu64, wide,
                 key->min, key->max);
        return false;
    }
    *bytes = (uint32_t)wide;
    return true;
}

static bool store_block(const struct key *key, struct job *job, const char *text, char *why)
{
    uint32_t bytes;

    if (!block_bytes(key, text, &bytes, why))
        return false;
    memset(job->split, 0, sizeof job->split);
    job->split[0] = (struct split){ .bytes = bytes, .percent = 100 };
    job->split_count = 1;
    return true;
}

/* One "4k/10" of a bssplit; *open: its percentage is left to be shared. */
static bool split_item(const struct key *key, char *item, struct split *split, bool *open,
                       char *why)
{
    char *slash = strchr(item, '/');
    uint64_t percent = 0;

    if (slash)
        *slash = '\0';
    *open = !slash || slash[1] == '\0';
    if (!block_bytes(key, item, &split->bytes, why))
        return false;
    if (!*open && (!value_whole(slash + 1, &percent) || percent > 100)) {
        snprintf(why, WHY_MAX, "'%s' is no percentage", slash + 1);
        return false;
    }
    split->percent = (uint32_t)percent;
    return true;
}

/* Entries without a percentage share what the others leave, as in fio; what does not divide goes to
 * the first of them. */
static bool share_rest(struct split *split, unsigned count, const bool *open, char *why)
{
    unsigned sum = 0, opens = 0;

    for (unsigned i = 0; i < count; i++) {
        sum += split[i].percent;
        opens += open[i];
    }
    if (sum > 100 || (opens == 0 && sum != 100) || (opens > 0 && 100 - sum < opens)) {
        snprintf(why, WHY_MAX, "percentages add up to %u%s", sum,
                 opens ? ", nothing is left for the sizes without one" : ", not 100");
        return false;
    }
    for (unsigned i = 0, given = 0; i < count; i++) {
        if (!open[i])
            continue;
        split[i].percent = (100 - sum) / opens + (given++ < (100 - sum) % opens);
    }
    return true;
}

static bool store_split(const struct key *key, struct job *job, const char *text, char *why)
{
    struct split split[BSSPLIT_MAX] = { 0 };
    bool open[BSSPLIT_MAX];
    unsigned count = 0;
    char item[VALUE_MAX];

    if (strchr(text, ',')) {
        snprintf(why, WHY_MAX, "one mixture for reads and writes is modelled, not two");
        return false;
    }
    while (next_item(&text, ":", item, sizeof item)) {
        if (count == BSSPLIT_MAX) {
            snprintf(why, WHY_MAX, "more than %d sizes", BSSPLIT_MAX);
            return false;
        }
        if (!split_item(key, item, &split[count], &open[count], why))
            return false;
        count++;
    }
    if (!share_rest(split, count, open, why))
        return false;
    memcpy(job->split, split, sizeof split);
    job->split_count = count;
    return true;
}

static bool store_blockalign(const struct key *key, struct job *job, const char *text, char *why)
{
    return *text == '\0' || block_bytes(key, text, &job->blockalign, why);
}

/* "first:second" with both numbers in 32 bits. */
static bool read_pair(char *item, uint32_t *first, uint32_t *second)
{
    char *colon = strchr(item, ':');
    uint64_t a, b;

    if (!colon)
        return false;
    *colon = '\0';
    char *right = colon + 1 + strspn(colon + 1, " ");

    for (char *end = colon; end > item && end[-1] == ' ';)
        *--end = '\0';
    if (!value_whole(item, &a) || !value_whole(right, &b) || a > UINT32_MAX || b > UINT32_MAX)
        return false;
    *first = (uint32_t)a;
    *second = (uint32_t)b;
    return true;
}

/* Adds pairs to a list in the disk; a repeated key goes on where the last one ended. Both kinds of
 * list are records of two uint32_t. */
static bool store_pairs(const struct key *key, struct disk_preset *disk, const char *text,
                        char *why)
{
    bool zones = key->type == KEY_ZONES;
    uint32_t *count = zones ? &disk->zone_count : &disk->seek_point_count;
    uint32_t max = zones ? ZONES_MAX : SEEK_POINTS_MAX;
    char item[VALUE_MAX];

    _Static_assert(sizeof disk->zone[0] == 8 && sizeof disk->seek[0] == 8, "records are pairs");
    if (*text == '\0')
        return true;
    while (next_item(&text, ",", item, sizeof item)) {
        char shown[40];
        uint32_t first, second;

        snprintf(shown, sizeof shown, "%.39s", item);
        if (*count == max) {
            snprintf(why, WHY_MAX, "more than %u entries", max);
            return false;
        }
        if (!read_pair(item, &first, &second)) {
            snprintf(why, WHY_MAX, "'%s' is no pair such as 0:1135", shown);
            return false;
        }
        if (zones)
            disk->zone[*count] = (struct disk_zone){ first, second };
        else
            disk->seek[*count] = (struct seek_point){ first, second };
        ++*count;
    }
    return true;
}

/* A word and its number; the table ends with NULL. */
struct word {
    const char *text;
    uint8_t number;
};

static bool find_word(const struct word *words, const char *text, uint8_t *number)
{
    for (; words->text; words++) {
        if (!strcmp(words->text, text)) {
            *number = words->number;
            return true;
        }
    }
    return false;
}

static bool store_rw(const struct key *key, struct job *job, const char *text, char *why)
{
    static const struct word words[] = { { "read", RW_READ },
                                         { "write", RW_WRITE },
                                         { "randread", RW_RANDREAD },
                                         { "randwrite", RW_RANDWRITE },
                                         { "rw", RW_RW },
                                         { "readwrite", RW_RW },
                                         { "randrw", RW_RANDRW },
                                         { NULL, 0 } };

    if (find_word(words, text, &job->rw))
        return true;
    if (strstr(text, "trim"))
        snprintf(why, WHY_MAX, "'%s': trims are not modelled", text);
    else if (strchr(text, ':'))
        snprintf(why, WHY_MAX, "'%s': sequential jobs that skip are not modelled", text);
    else
        snprintf(why, WHY_MAX, "'%s' is none of %s", text, key->unit);
    return false;
}

static const struct word engines[] = {
    { "libaio", ENGINE_LIBAIO }, { "io_uring", ENGINE_IO_URING }, { "posixaio", ENGINE_POSIXAIO },
    { "psync", ENGINE_PSYNC },   { "sync", ENGINE_PSYNC },        { "vsync", ENGINE_PSYNC },
    { "pvsync", ENGINE_PSYNC },  { "pvsync2", ENGINE_PSYNC },     { NULL, 0 },
};

/* An engine the model does not know works as libaio does; scenario_job.c warns of it. */
static bool store_engine(struct job *job, const char *text)
{
    if (!find_word(engines, text, &job->engine))
        job->engine = ENGINE_LIBAIO;
    return true;
}

bool value_knows_engine(const char *text)
{
    uint8_t engine;

    return find_word(engines, text, &engine);
}

/* Bytes, or a percentage that waits for the size of the array. */
static bool store_share(const struct key *key, struct job *job, const char *text, char *why)
{
    size_t length = strlen(text);
    uint64_t value;

    if (length > 0 && text[length - 1] == '%') {
        char number[VALUE_MAX];
        int64_t milli;

        snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
        if (!units_milli(number, &milli) || milli > 100000) {
            snprintf(why, WHY_MAX, "'%s' is no percentage", text);
            return false;
        }
        value = (uint64_t)milli | SHARE_FLAG;
    } else if (!units_bytes(text, &value) || value > key->max) {
        snprintf(why, WHY_MAX, "'%s' is no size such as 512M or 50%%", text);
        return false;
    }
    memcpy((char *)job + key->offset, &value, sizeof value);
    return true;
}

/* fio's defaults for the number behind the colon, in thousandths: theta 1.1, h 0.2; a normal
 * distribution needs its deviation, in percent of the region. */
static bool store_distribution(struct job *job, const char *text, char *why)
{
    static const struct {
        const char *word;
        uint8_t kind;
        int64_t standard, max;
    } known[] = { { "random", DIST_RANDOM, 0, 0 },
                  { "zipf", DIST_ZIPF, 1100, 10000 },
                  { "pareto", DIST_PARETO, 200, 999 },
                  { "normal", DIST_NORMAL, 0, 100000 } };
    size_t word = strcspn(text, ":");

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int64_t milli = known[i].standard;

        if (strlen(known[i].word) != word || strncmp(text, known[i].word, word))
            continue;
        if (text[word] && !units_milli(text + word + 1, &milli))
            milli = -1;
        if (milli < 0 || milli > known[i].max ||
            (milli == 0 && (known[i].kind == DIST_NORMAL ? !text[word] : known[i].standard != 0))) {
            snprintf(why, WHY_MAX, "'%s': the number after %s is missing or no good", text,
                     known[i].word);
            return false;
        }
        job->distribution = known[i].kind;
        job->distribution_milli = (uint32_t)milli;
        return true;
    }
    snprintf(why, WHY_MAX, "'%s' is none of random, zipf, pareto, normal", text);
    return false;
}

/* "0, 3": the numbers' bits. */
static bool store_members(const struct key *key, void *base, const char *text, char *why)
{
    uint64_t mask = 0;

    for (const char *at = text; *text; at += *at == ',') {
        char *end;
        unsigned long member = strtoul(at, &end, 10);

        if (end == at || *at == '-' || *at == '+' || member > key->max) {
            snprintf(why, WHY_MAX, "'%s' is no list of members 0 to %" PRIu64, text, key->max);
            return false;
        }
        mask |= UINT64_C(1) << member;
        at = end + strspn(end, " ");
        if (*at == '\0')
            break;
        if (*at != ',') {
            snprintf(why, WHY_MAX, "'%s': members are parted by commas", text);
            return false;
        }
    }
    memcpy((char *)base + key->offset, &mask, sizeof mask);
    return true;
}

/* Bytes as sectors; `all` is beyond any member. */
static bool store_synced(const struct key *key, void *base, const char *text, char *why)
{
    uint64_t sectors = UINT64_MAX, bytes;

    if (strcmp(text, "all")) {
        if (!units_bytes(text, &bytes) || bytes > key->max || bytes % 4096 != 0) {
            snprintf(why, WHY_MAX, "'%s' is neither `all` nor a size of whole pages of 4096", text);
            return false;
        }
        sectors = bytes / 512;
    }
    memcpy((char *)base + key->offset, &sectors, sizeof sectors);
    return true;
}

bool value_store_list(const struct key *key, void *base, const char *text, char *why)
{
    switch ((enum key_type)key->type) {
    case KEY_ZONES:
    case KEY_SEEKS:
        return store_pairs(key, base, text, why);
    case KEY_RW:
        return store_rw(key, base, text, why);
    case KEY_BLOCK:
        return store_block(key, base, text, why);
    case KEY_BLOCKALIGN:
        return store_blockalign(key, base, text, why);
    case KEY_SPLIT:
        return *text == '\0' || store_split(key, base, text, why);
    case KEY_ENGINE:
        return store_engine(base, text);
    case KEY_SHARE:
        return store_share(key, base, text, why);
    case KEY_DISTRIBUTION:
        return store_distribution(base, text, why);
    case KEY_MEMBERS:
        return store_members(key, base, text, why);
    case KEY_SYNCED:
        return store_synced(key, base, text, why);
    default:
        snprintf(why, WHY_MAX, "no conversion for %s", key->name);
        return false;
    }
}
