/*
 * Spinlocks, in the columns of /proc/lock_stat that a simulation can fill: times in microseconds.
 * Bounces and minima are left out; the share of acquisitions that found the lock taken is added,
 * because it is what people work out first.
 */
#include <inttypes.h>

#include "sim/figures.h"
#include "sim/report_parts.h"

void report_locks(FILE *out, const struct results *r)
{
    if (r->lock_count == 0)
        return;
    fprintf(out, "\n%-14s%12s%8s%10s%12s%9s%13s%9s%12s\n", "class name", "contentions", "%",
            "wait-max", "wait-total", "wait-avg", "acquisitions", "hold-max", "hold-total");
    for (uint32_t i = 0; i < r->lock_count; i++) {
        const struct results_lock *l = &r->lock[i];
        fprintf(out, "%-14s%12" PRIu64 "%8.2f%10.2f%12.2f%9.2f%13" PRIu64 "%9.2f%12.2f\n", l->name,
                l->contended, figures_percent(l->contended, l->acquisitions),
                figures_ratio(l->wait_max_ns, 1000), figures_ratio(l->wait_ns, 1000),
                figures_ratio(l->wait_ns, l->contended * 1000), l->acquisitions,
                figures_ratio(l->hold_max_ns, 1000), figures_ratio(l->hold_ns, 1000));
    }
}
