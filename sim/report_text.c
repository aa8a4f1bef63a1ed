/*
 * The text report: title, warnings, and the blocks of sim/report_parts.h in a fixed order.
 *
 * Long before short: what was asked first, what came out next, why last. The closing line names the
 * bottleneck, so that whoever reads only one line reads that one.
 */
#include "sim/report.h"

#include <inttypes.h>
#include <string.h>

#include "sim/bottleneck.h"
#include "sim/figures.h"
#include "sim/geometry_names.h"
#include "sim/numerals.h"
#include "sim/report_parts.h"

enum { PAGE_COLUMNS = 100 };

static const char *or_none(const char *name)
{
    return name[0] ? name : "-";
}

static void print_array(FILE *out, const struct scenario *s)
{
    char text[NUMERAL_BYTES];
    fprintf(out, "array: %s of %" PRIu32 " disks", geometry_level_name(s->array.level),
            s->array.raid_disks);
    if (s->array.level != LEVEL_RAW)
        fprintf(out, ", chunk %s", numeral_exact(text, s->array.chunk_size));
    if (s->array.level == LEVEL_RAID5)
        fprintf(out, ", %s", geometry_layout_name(s->array.layout));
    if (s->array.component_size > 0)
        fprintf(out, ", %s of each disk", numeral_exact(text, s->array.component_size));
    if (s->array.level == LEVEL_RAID4 || s->array.level == LEVEL_RAID5)
        fprintf(out, ", stripe_cache_size %" PRIu32, s->array.stripe_cache_size);
    fprintf(out, "\n");
}

/* The presets in use; disks that differ from disk 0 are counted. */
static void print_head(FILE *out, const struct results *r)
{
    const struct scenario *s = r->scenario;
    unsigned others = 0;
    for (uint32_t i = 1; i < s->disk_count; i++)
        others += strcmp(s->disk[i].name, s->disk[0].name) != 0;
    fprintf(out, "%s\n", s->title[0] ? s->title : s->path);
    fprintf(out, "seed %" PRIu64 ", driver %s, host %s, disks %s", s->seed,
            or_none(s->driver.preset), or_none(s->host.preset), or_none(s->disk[0].name));
    if (others > 0)
        fprintf(out, " (%u others)", others);
    fprintf(out, "\n");
    print_array(out, s);
    char window[NUMERAL_BYTES], moves[NUMERAL_BYTES], events[NUMERAL_BYTES];
    fprintf(out, "measured %s of simulated time; %s moves, %s events\n",
            numeral_time(window, r->window_ns), numeral_count(moves, r->moves),
            numeral_count(events, r->events));
}

/* Foreign keys in as few lines as they fit. */
static void print_warnings(FILE *out, const struct scenario *s)
{
    size_t column = 0;
    for (uint32_t i = 0; i < s->warning_count; i++) {
        size_t length = strlen(s->warning[i]) + 2;
        if (column == 0 || column + length > PAGE_COLUMNS)
            column =
                (size_t)fprintf(out, "%s%s", i ? "\n" : "", "warning: not simulated, left out:");
        column += (size_t)fprintf(out, " %s%s", s->warning[i], i + 1 < s->warning_count ? "," : "");
    }
    if (s->warning_count > 0)
        fprintf(out, "\n");
}

/* Faults that found nothing to strike, in one line. */
static void print_missed(FILE *out, const struct results *r)
{
    const char *between = "warning: nothing to strike for";

    for (uint32_t i = 0; i < r->scenario->fault_count; i++) {
        if (!r->fault[i].missed)
            continue;
        fprintf(out, "%s [fault %s]", between, r->scenario->fault[i].name);
        if (r->fault[i].missed > 1)
            fprintf(out, " (%" PRIu64 " times)", r->fault[i].missed);
        between = ",";
    }
    if (*between == ',')
        fprintf(out, "\n");
}

static void print_findings(FILE *out, const struct results *r)
{
    if (r->findings == 0)
        return;
    fprintf(out, "\nFINDING (the first of %" PRIu64 "): %s\n", r->findings, r->finding);
}

void report_text(FILE *out, const struct results *r)
{
    char words[256];
    print_head(out, r);
    print_warnings(out, r->scenario);
    print_missed(out, r);
    fprintf(out, "\n");
    report_jobs(out, r);
    report_disks(out, r);
    report_cpu(out, r);
    report_profile(out, r);
    report_cache(out, r);
    report_ledger(out, r);
    report_locks(out, r);
    if (report_is_eventful(r)) {
        report_timeline(out, r);
        report_mdstat(out, r);
        report_detail(out, r);
    }
    print_findings(out, r);
    fprintf(out, "\nbottleneck: %s\n", report_bottleneck(r, words, sizeof words));
}

const char *report_bottleneck(const struct results *r, char *text, size_t bytes)
{
    struct bottleneck b;
    bottleneck_find(r, &b);
    int length = snprintf(text, bytes, "%s (%s)", bottleneck_name(b.first.kind), b.first.words);
    if (b.second.words[0] && length > 0 && (size_t)length < bytes)
        snprintf(text + length, bytes - (size_t)length, "\nrunner-up:  %s (%s)",
                 bottleneck_name(b.second.kind), b.second.words);
    return text;
}
