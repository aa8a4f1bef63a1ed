/*
 * What befell the array, in order: faults that struck, and what md did.
 *
 * One line an event, at most a dozen of a kind and the first strike of each fault; how many more
 * there were stands below.
 */
#include <inttypes.h>
#include <string.h>

#include "model/shape.h"
#include "sim/fault_plan.h"
#include "sim/figures.h"
#include "sim/md_view.h"
#include "sim/numerals.h"
#include "sim/report_parts.h"

enum { NS_A_US = 1000, US_A_SECOND = 1000000, SECTOR = 512 };

bool report_is_eventful(const struct results *r)
{
    const struct scenario *s = r->scenario;
    return r->cache.size > 0 && (s->fault_count > 0 || s->array.failed != 0 ||
                                 s->array.spares > 0 || r->history.sync_count > 0);
}

static const char *sync_name(unsigned action)
{
    return action == SYNC_RECOVER ? "recovery" : md_sync_action(action);
}

static void print_sector(FILE *out, uint64_t sector)
{
    if (sector != UINT64_MAX)
        fprintf(out, ", sector %" PRIu64, sector);
}

static void print_fault(FILE *out, const struct results *r, const struct history_event *e,
                        const char *disk)
{
    const struct fault *f = &r->scenario->fault[e->detail];
    char word[FAULT_WORD_BYTES];
    bool of_a_member = fault_has_member(f);
    fprintf(out, "fault %s: %s%s%s", f->name, fault_word(f, word), of_a_member ? " " : "",
            of_a_member ? disk : "");
    print_sector(out, e->sector);
}

/* The pass that ended then; NULL: it is none of those that were kept. */
static const struct history_sync *sync_that_ended(const struct results *r, uint64_t ns)
{
    for (uint32_t i = 0; i < r->history.sync_count; i++)
        if (r->history.sync[i].ended_ns == ns)
            return &r->history.sync[i];
    return NULL;
}

static void print_sync(FILE *out, const struct results *r, const struct history_event *e)
{
    const struct history_sync *sync =
        e->what == HISTORY_SYNC_BEGAN ? NULL : sync_that_ended(r, e->ns);
    char time[NUMERAL_BYTES], speed[NUMERAL_BYTES];
    fprintf(out, "%s %s at %" PRIu64 " KiB", sync_name(e->detail),
            e->what == HISTORY_SYNC_BEGAN   ? "began"
            : e->what == HISTORY_SYNC_ENDED ? "finished"
                                            : "interrupted",
            e->sector / 2);
    if (!sync)
        return;
    uint64_t sectors = sync->reached - sync->from, ns = sync->ended_ns - sync->began_ns;
    fprintf(out, ": %" PRIu64 " KiB in %s, %s/s", sectors / 2, numeral_time(time, ns),
            numeral_binary(speed, figures_per_second(sectors * SECTOR, ns)));
}

static void print_superblocks(FILE *out, unsigned what_for)
{
    static const char *const causes[HISTORY_KINDS] = {
        [HISTORY_FAILED] = "member failed",         [HISTORY_REMOVED] = "member removed",
        [HISTORY_ADDED] = "member added",           [HISTORY_IN_SYNC] = "member in sync",
        [HISTORY_SYNC_ENDED] = "sync finished",     [HISTORY_SYNC_STOPPED] = "sync interrupted",
        [HISTORY_BAD_BLOCK] = "bad block recorded",
    };
    const char *sign = ": ";
    fputs("superblocks written", out);
    for (unsigned i = 0; i < HISTORY_KINDS; i++) {
        if (!(what_for >> i & 1) || !causes[i])
            continue;
        fprintf(out, "%s%s", sign, causes[i]);
        sign = ", ";
    }
}

static void print_member(FILE *out, const struct results *r, const struct history_event *e,
                         const char *disk)
{
    switch ((enum history_what)e->what) {
    case HISTORY_FAILED:
        fprintf(out, "%s failed: %u of %" PRIu32 " members missing", disk, (unsigned)e->detail,
                r->scenario->array.raid_disks);
        break;
    case HISTORY_REMOVED:
        fprintf(out, "%s removed from slot %u", disk, (unsigned)e->slot);
        break;
    case HISTORY_ADDED:
        fprintf(out, "%s takes slot %u", disk, (unsigned)e->slot);
        break;
    case HISTORY_IN_SYNC:
        fprintf(out, "%s in sync: %u of %" PRIu32 " members missing", disk, (unsigned)e->detail,
                r->scenario->array.raid_disks);
        break;
    case HISTORY_BAD_BLOCK:
        fprintf(out, "bad block recorded on %s", disk);
        break;
    case HISTORY_CORRECTED:
        fprintf(out, "read error corrected on %s", disk);
        break;
    default:
        fprintf(out, "write error on %s", disk);
        break;
    }
    print_sector(out, e->sector);
}

static void print_event(FILE *out, const struct results *r, const struct history_event *e)
{
    char disk[DISK_NAME_BYTES];
    uint64_t us = e->ns / NS_A_US;
    figures_disk_name(e->device, disk);
    fprintf(out, "%5" PRIu64 ".%06" PRIu64 "s  ", us / US_A_SECOND, us % US_A_SECOND);
    if (e->what == HISTORY_FAULT)
        print_fault(out, r, e, disk);
    else if (e->what >= HISTORY_SYNC_BEGAN && e->what <= HISTORY_SYNC_STOPPED)
        print_sync(out, r, e);
    else if (e->what == HISTORY_SUPERBLOCKS || e->what == HISTORY_LISTS)
        print_superblocks(out, e->detail);
    else if (e->what == HISTORY_IO_ERROR)
        fprintf(out, "I/O error returned: %s of md0, sector %" PRIu64, e->detail ? "write" : "read",
                e->sector);
    else
        print_member(out, r, e, disk);
    fputc('\n', out);
}

static void print_left_out(FILE *out, const struct history *h)
{
    const char *sign = "left out: ";
    for (unsigned i = 0; i < HISTORY_KINDS; i++) {
        if (h->left_out[i] == 0)
            continue;
        fprintf(out, "%s%s x%" PRIu64, sign, md_event_name(i), h->left_out[i]);
        sign = ", ";
    }
    if (*sign == ',')
        fputc('\n', out);
}

void report_timeline(FILE *out, const struct results *r)
{
    const struct history *h = &r->history;
    if (h->event_count > 0)
        fprintf(out, "\ntimeline, whole run\n");
    for (uint32_t i = 0; i < h->event_count; i++)
        print_event(out, r, &h->event[i]);
    print_left_out(out, h);
}
