/*
 * The stripe cache: how it was used, and whether anybody waited for it.
 *
 * A lookup is one pass of get_active_stripe that looked the stripe up, a hit one that found it
 * cached. Waits count submitters that found no free stripe_head; a wasted wake-up is a waiter that
 * was woken and had to sleep again. "Somebody waiting" is the share of the window with at least one
 * waiter: that, not the sum of waits, is what the bottleneck rules look at.
 */
#include <inttypes.h>

#include "sim/figures.h"
#include "sim/numerals.h"
#include "sim/report_parts.h"

static void print_lookups(FILE *out, const struct results_cache *c)
{
    fprintf(out,
            "  lookups %" PRIu64 ": hits %" PRIu64 " (%.2f %%), misses %" PRIu64
            "; %.2f chain steps a lookup\n",
            c->lookups, c->hits, figures_percent(c->hits, c->lookups), c->misses,
            figures_ratio(c->chain_steps, c->lookups));
}

static void print_waits(FILE *out, const struct results *r)
{
    const struct results_cache *c = &r->cache;
    char waited[NUMERAL_BYTES], blocked[NUMERAL_BYTES], mean[NUMERAL_BYTES];
    fprintf(out,
            "  waits %" PRIu64 ": %s in all, %s each; somebody waiting %s = %.1f %% of the time\n",
            c->waits, numeral_time(waited, c->wait_ns),
            numeral_time(mean, c->waits ? c->wait_ns / c->waits : 0),
            numeral_time(blocked, c->blocked_ns), figures_percent(c->blocked_ns, r->window_ns));
    fprintf(out, "  wake-ups %" PRIu64 ", wasted %" PRIu64 " (%.2f %%)\n", c->wakeups,
            c->wasted_wakeups, figures_percent(c->wasted_wakeups, c->wakeups));
}

static void print_sync(FILE *out, const struct results_cache *c)
{
    if (c->sync_end)
        fprintf(out,
                "  sync_completed %" PRIu64 " / %" PRIu64 " sectors, mismatch_cnt %" PRIu64 "\n",
                c->sync_done, c->sync_end, c->mismatches);
}

void report_cache(FILE *out, const struct results *r)
{
    const struct results_cache *c = &r->cache;
    if (c->size == 0)
        return;
    fprintf(out,
            "\nstripe cache: %" PRIu32 " of %" PRIu32
            " stripes active at most, %.1f MiB of memory\n",
            c->active_max, c->size, figures_ratio(c->memory_bytes, 1024 * 1024));
    print_lookups(out, c);
    print_waits(out, r);
    print_sync(out, c);
    fprintf(out, "  handle_stripe passes %" PRIu64 ": %.3f a page; pages attached %" PRIu64 "\n",
            c->handle_passes, figures_ratio(c->handle_passes, r->pages), c->attached_pages);
}
