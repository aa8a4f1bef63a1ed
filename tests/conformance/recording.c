/* Recordings: see recording.h. */
#include "tests/conformance/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const stabilities[] = { "exact", "permember", "set", "sectors", "ranges" };

const char *stability_text(enum stability s)
{
    return stabilities[s];
}

void bio_list_free(struct bio_list *list)
{
    free(list->bio);
    memset(list, 0, sizeof *list);
}

const char *recording_text(const struct recording *r, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(r->json, "params"), key));

    return text ? text : "";
}

uint64_t recording_number(const struct recording *r, const char *key, uint64_t dflt)
{
    const char *text = recording_text(r, key);

    return *text ? strtoull(text, NULL, 10) : dflt;
}

/* "m0" to "m63"; -1: no member (the array, a disk under a member, the journal). */
static int member_of(const char *device)
{
    char *end;
    long member;

    if (!device || device[0] != 'm' || device[1] < '0' || device[1] > '9')
        return -1;
    member = strtol(device + 1, &end, 10);
    return *end || member >= MEMBERS_MAX ? -1 : (int)member;
}

/* [device, flags, sector, sectors] from place `first` of an array; false: it is none of ours. */
static bool read_bio(json_t *item, size_t device, size_t first, struct bio_seen *bio)
{
    const char *flags = json_string_value(json_array_get(item, first));
    int member = member_of(json_string_value(json_array_get(item, device)));
    json_int_t sectors = json_integer_value(json_array_get(item, first + 2));

    if (member < 0 || !flags || sectors <= 0)
        return false;
    *bio = (struct bio_seen){
        .sector = (uint64_t)json_integer_value(json_array_get(item, first + 1)),
        .sectors = (uint32_t)sectors,
        .member = (uint16_t)member,
        .write = strchr(flags, 'W') != NULL,
    };
    return true;
}

/* Events begin with their time in microseconds. */
static uint64_t time_of(json_t *event)
{
    return (uint64_t)json_integer_value(json_array_get(event, 0)) * 1000;
}

static bool read_list(struct recording *r, json_t *items, bool events)
{
    json_t *item;
    size_t i;

    r->bios.bio = calloc(json_array_size(items) + 1, sizeof *r->bios.bio);
    if (!r->bios.bio)
        return false;
    json_array_foreach(items, i, item)
    {
        const char *what = json_string_value(json_array_get(item, 1));

        if (events && (!what || strcmp(what, "bio_queue")))
            continue;
        if (!read_bio(item, events ? 2 : 0, events ? 3 : 1, &r->bios.bio[r->bios.count]))
            continue;
        if (events)
            r->bios.bio[r->bios.count].ns = time_of(item);
        r->bios.count++;
    }
    return true;
}

bool recording_read(struct recording *r, const char *name, json_t *record, char *why)
{
    const char *stability = json_string_value(json_object_get(record, "stability"));
    json_t *events = json_object_get(record, "events"), *bios = json_object_get(record, "bios");
    unsigned s = 0;

    memset(r, 0, sizeof *r);
    r->name = name;
    r->json = record;
    while (stability && s <= STABLE_RANGES && strcmp(stability, stabilities[s]))
        s++;
    r->stability = (enum stability)s;
    if (!stability || s > STABLE_RANGES || !json_object_get(record, "params") ||
        (!events && !bios)) {
        snprintf(why, 128, "no stability, params, events or bios");
        return false;
    }
    if (read_list(r, events ? events : bios, events != NULL))
        return true;
    snprintf(why, 128, "no memory");
    return false;
}

void recording_range(const struct recording *r, unsigned member, const char *total, uint64_t *low,
                     uint64_t *high)
{
    char name[16];
    json_t *range;

    snprintf(name, sizeof name, "m%u", member);
    range = json_object_get(json_object_get(json_object_get(r->json, "range"), name), total);
    *low = (uint64_t)json_integer_value(json_array_get(range, 0));
    *high = (uint64_t)json_integer_value(json_array_get(range, 1));
}
