/* State after an experiment: see state.h. */
#include "tests/conformance/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/io.h"
#include "model/members.h"

unsigned state_device(const struct timeline *line, const struct shape *shape, unsigned device)
{
    unsigned first = shape_first_spare(shape);

    return device >= first && device - first < line->added_count ? line->added[device - first]
                                                                 : device;
}

/* Pages that touch are one range, as badblocks keeps them. */
static void bad_text(const struct world *w, unsigned disk, char *text)
{
    const struct disk *d = disk_see(w, disk);
    size_t at = 0;

    *text = '\0';
    for (uint32_t i = 0; i < d->bad_blocks && at < BAD_TEXT - 64;) {
        uint64_t base = (uint64_t)disk * w->shape.bad_blocks_max;
        uint64_t first = *bad_see(w, base + i) >> 1, count = 1;

        while (++i < d->bad_blocks && *bad_see(w, base + i) >> 1 == first + count)
            count++;
        at += (size_t)snprintf(text + at, BAD_TEXT - at, "%" PRIu64 "+%" PRIu64 ",",
                               first * PAGE_SECTORS, count * PAGE_SECTORS);
    }
}

void state_take(struct state_seen *s, const struct simulation *sim, const struct results *r,
                const struct io_log *log, const struct timeline *line)
{
    const struct world *w = sim->world;

    memset(s, 0, sizeof *s);
    s->degraded = array_see(w, 0)->degraded;
    s->mismatches = array_see(w, 0)->mismatches;
    for (unsigned j = 0; j < r->job_count; j++)
        s->io_errors += (unsigned)(r->job[j].dir[0].errors + r->job[j].dir[1].errors);
    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        struct device_seen *seen = &s->device[state_device(line, &w->shape, d)];

        if (!shape_is_member(&w->shape, d))
            continue;
        seen->in_sync = member_in_sync(w, d);
        seen->corrected = disk_see(w, d)->corrected;
        bad_text(w, d, seen->bad_blocks);
    }
    for (size_t i = 0; i < log->count; i++) {
        const struct io_entry *e = &log->entry[i];

        struct device_seen *seen = &s->device[state_device(line, &w->shape, e->member)];

        if (e->ns < line->recording_ns || e->ns >= line->end_ns)
            continue;
        if (e->member == w->shape.geometry.disks && e->kind == IO_WRITE) {
            s->journal_bios++;
            s->journal_sectors += e->sectors;
        }
        seen->flushes += e->kind == IO_FLUSH;
        seen->metadata += e->kind != IO_FLUSH &&
                          (e->reason == REASON_SUPERBLOCK || e->reason == REASON_BAD_BLOCKS ||
                           e->reason == REASON_BITMAP || e->reason == REASON_PPL);
    }
}

/* ---- comparing */

static bool same(struct comparison *c, const char *what, uint64_t recorded, uint64_t simulated)
{
    if (recorded == simulated)
        return true;
    if (c->equal)
        snprintf(c->difference, DIFFERENCE_MAX, "%s: %" PRIu64 " recorded, %" PRIu64 " simulated",
                 what, recorded, simulated);
    c->equal = c->in_order = false;
    return false;
}

static uint64_t number_after(const struct recording *r, const char *key)
{
    const char *after = json_string_value(json_object_get(json_object_get(r->json, "after"), key));
    const char *before =
        json_string_value(json_object_get(json_object_get(r->json, "before"), key));
    const char *text = after ? after : before;
    uint64_t value = 0;

    if (text)
        sscanf(text, "%" SCNu64, &value);
    return value;
}

/* What the program that did the I/O said at its end, each time it ran: "ioseq: N errors". */
static unsigned errors_logged(const struct recording *r)
{
    json_t *line;
    unsigned count = 0;
    size_t i;

    json_array_foreach(json_object_get(r->json, "log"), i, line)
    {
        const char *text = json_string_value(line);
        unsigned errors;

        if (text && sscanf(text, "ioseq: %u errors", &errors) == 1)
            count += errors;
    }
    return count;
}

static const char *text_of(json_t *member, const char *key)
{
    const char *text = json_string_value(json_object_get(member, key));

    return text ? text : "";
}

/* The list as sysfs shows it counts from the beginning of the device; here from that of its data.
 */
static void bad_blocks_of(const struct recording *r, unsigned device, json_t *member, char *text)
{
    const char *list = text_of(member, "bad_blocks");
    uint64_t first, count, offset;
    char name[16];
    size_t at = 0;
    int used;

    snprintf(name, sizeof name, "m%u", device);
    offset = (uint64_t)json_integer_value(
        json_object_get(json_object_get(r->json, "data_offset"), name));
    *text = '\0';
    for (; sscanf(list, "%" SCNu64 "+%" SCNu64 ",%n", &first, &count, &used) == 2 &&
           at < BAD_TEXT - 64;
         list += used)
        at += (size_t)snprintf(text + at, BAD_TEXT - at, "%" PRIu64 "+%" PRIu64 ",", first - offset,
                               count);
}

static void compare_device(struct comparison *c, const struct recording *r, const char *name,
                           json_t *member, const struct state_seen *s)
{
    unsigned device = (unsigned)recording_number(r, "under", 0);
    const struct device_seen *seen;
    unsigned corrected = 0;
    char what[64], bad[BAD_TEXT];

    if (sscanf(name, "nullb%u", &device) == 1 && device >= MEMBERS_MAX)
        return;
    seen = &s->device[device];
    snprintf(what, sizeof what, "m%u in sync", device);
    same(c, what, strstr(text_of(member, "state"), "in_sync") != NULL, seen->in_sync);
    if (!strcmp(text_of(member, "slot"), "none"))
        return; /* what md remembers of it goes with it */
    sscanf(text_of(member, "errors"), "%u", &corrected);
    snprintf(what, sizeof what, "m%u errors", device);
    same(c, what, corrected, seen->corrected);
    bad_blocks_of(r, device, member, bad);
    if (!strcmp(bad, seen->bad_blocks) || !c->equal)
        return;
    c->equal = c->in_order = false;
    snprintf(c->difference, DIFFERENCE_MAX, "m%u bad blocks: '%.50s' recorded, '%.50s' simulated",
             device, bad, seen->bad_blocks);
}

/* How many stripes share a write of the partial parity log depends on when they meet: the runs of
 * one recording differ, and the model may be between them. */
static bool within_runs(const struct recording *r, unsigned device, uint64_t seen)
{
    uint64_t low, high;

    if (!*recording_text(r, "cons") || r->stability == STABLE_EXACT)
        return false;
    recording_range(r, device, "meta_w", &low, &high);
    return seen >= low && seen <= high;
}

/* Totals of the reference run. */
static void compare_metadata(struct comparison *c, const struct recording *r,
                             const struct state_seen *s)
{
    json_t *totals = json_object_get(r->json, "totals"), *total;
    const char *name;

    json_object_foreach(totals, name, total)
    {
        unsigned device;
        char what[64], rest;

        if (sscanf(name, "m%u%c", &device, &rest) != 1 || device >= MEMBERS_MAX ||
            !json_object_get(total, "meta_w"))
            continue;
        snprintf(what, sizeof what, "m%u metadata writes", device);
        if (!within_runs(r, device, s->device[device].metadata))
            same(c, what, (uint64_t)json_integer_value(json_object_get(total, "meta_w")),
                 s->device[device].metadata);
        snprintf(what, sizeof what, "m%u flushes", device);
        same(c, what, (uint64_t)json_integer_value(json_object_get(total, "flush")),
             s->device[device].flushes);
    }
}

/* A journal's writes: how many stripes share one depends on when they meet, but for exact
 * recordings.
 */
static void compare_journal(struct comparison *c, const struct recording *r,
                            const struct state_seen *s)
{
    json_t *range = json_object_get(json_object_get(r->json, "range"), "journal");
    json_t *bios = json_object_get(range, "w_bios"), *sectors = json_object_get(range, "w_sectors");
    const uint64_t seen[2] = { s->journal_bios, s->journal_sectors };
    json_t *const recorded[2] = { bios, sectors };
    static const char *const what[2] = { "journal writes", "journal sectors" };

    for (unsigned i = 0; i < 2 && range; i++) {
        uint64_t low = (uint64_t)json_integer_value(json_array_get(recorded[i], 0));
        uint64_t high = (uint64_t)json_integer_value(json_array_get(recorded[i], 1));

        if (seen[i] < low || seen[i] > high)
            same(c, what[i], seen[i] < low ? low : high, seen[i]);
    }
}

void compare_state(struct comparison *c, const struct recording *r, const struct state_seen *s)
{
    json_t *members = json_object_get(r->json, "after_members"), *member;
    json_t *mismatches = json_object_get(r->json, "mismatch_cnt");
    const char *name;

    if (!json_object_get(r->json, "before"))
        return;
    same(c, "degraded", number_after(r, "degraded"), s->degraded);
    same(c, "failed I/Os", errors_logged(r), s->io_errors);
    if (json_is_integer(mismatches))
        same(c, "mismatch_cnt", (uint64_t)json_integer_value(mismatches), s->mismatches);
    json_object_foreach(members, name, member) compare_device(c, r, name, member, s);
    compare_metadata(c, r, s);
    compare_journal(c, r, s);
}
