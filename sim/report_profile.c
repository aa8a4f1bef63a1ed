/*
 * Where cycles went, and how often what was done.
 *
 * The profile is opreport's table with cycles for samples: shares are of all cycles booked, so idle
 * time is in none of them, as with a profiler that counts unhalted cycles. Per 4 KiB means per page
 * moved for users; it makes runs of different speed comparable.
 *
 * The count vector is what the cycles were computed from: exact counts of model/work.def's kinds.
 * When a profile surprises, the counts say whether more was done or the same cost more.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/figures.h"
#include "sim/report_parts.h"

enum { LABEL_WIDTH = 52 };

static void print_symbols(FILE *out, const struct results *r)
{
    uint64_t all = figures_profile_cycles(r);
    fprintf(out, "\ncycles               %%  cycles/4KiB  symbol name\n");
    for (uint32_t i = 0; i < r->symbol_count; i++) {
        const struct results_symbol *s = &r->symbol[i];
        if (s->cycles > 0)
            fprintf(out, "%-14" PRIu64 "%8.4f%13.1f  %s\n", s->cycles,
                    figures_percent(s->cycles, all), figures_ratio(s->cycles, r->pages), s->name);
    }
}

/* A label in LABEL_WIDTH columns; a longer one ends at a word and gets dots. */
static void print_label(FILE *out, const char *label)
{
    size_t length = strlen(label);
    if (length <= LABEL_WIDTH) {
        fprintf(out, "%s\n", label);
        return;
    }
    length = LABEL_WIDTH - 3;
    while (length > 1 && label[length] != ' ')
        length--;
    fprintf(out, "%.*s...\n", (int)length, label);
}

static void print_work(FILE *out, const struct results *r)
{
    fprintf(out, "\nwork                 count     per 4KiB cycles/4KiB  one unit is\n");
    for (unsigned i = 0; i < WORK_COUNT; i++) {
        if (r->work[i] == 0)
            continue;
        fprintf(out, "%-12s%14" PRIu64 "%13.3f%12.1f  ", work_key(i), r->work[i],
                figures_ratio(r->work[i], r->pages), figures_ratio(r->work_cycles[i], r->pages));
        print_label(out, work_label(i));
    }
}

void report_profile(FILE *out, const struct results *r)
{
    if (figures_profile_cycles(r) > 0)
        print_symbols(out, r);
    uint64_t units = 0;
    for (unsigned i = 0; i < WORK_COUNT; i++)
        units += r->work[i];
    if (units > 0)
        print_work(out, r);
}
