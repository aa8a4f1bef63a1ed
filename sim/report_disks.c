/*
 * Array and members as `iostat -x` (sysstat 12) shows them.
 *
 * Names and order of the columns are iostat's; it reads the counters the kernel keeps per request
 * queue, and so do we: an await is queue and service time over completed requests, aqu-sz the mean
 * number of requests in queue or device, %util the share of time with at least one. kB are KiB
 * there and here.
 *
 * iostat's 22 columns do not fit a page. Reads, writes and flushes are groups: a group in which
 * nothing happened is left out (discards always are: they are not simulated), and what still does
 * not fit becomes a second table.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/figures.h"
#include "sim/report_parts.h"

struct row {
    const char *name;
    const struct results_member *m;
};

static void print_group_head(FILE *out, unsigned dir)
{
    static const char *const head[2] = {
        "     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz",
        "     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz",
    };
    fputs(head[dir], out);
}

static void print_group(FILE *out, const struct results *r, const struct results_member *m,
                        unsigned dir)
{
    uint64_t ns = r->window_ns, ios = m->ios[dir];
    fprintf(out, "%8.2f%10.2f%9.2f%7.2f%8.2f%9.2f", figures_ratio(figures_rate(ios, ns), 1000),
            figures_ratio(figures_rate(m->sectors[dir], ns), 2000),
            figures_ratio(figures_rate(m->merges[dir], ns), 1000),
            figures_percent(m->merges[dir], m->merges[dir] + ios),
            figures_ratio(m->ticks_ns[dir], ios * 1000000),
            figures_ratio(m->sectors[dir], ios * 2));
}

static void print_flushes(FILE *out, const struct results *r, const struct results_member *m)
{
    fprintf(out, "%8.2f%8.2f", figures_ratio(figures_rate(m->flushes, r->window_ns), 1000),
            figures_ratio(m->flush_ticks_ns, m->flushes * 1000000));
}

static void print_use(FILE *out, const struct results *r, const struct results_member *m)
{
    fprintf(out, "%8.2f%7.2f", figures_ratio(m->queue_ns, r->window_ns),
            figures_percent(m->busy_ns, r->window_ns));
}

/* One table: the groups of `dirs` (bit 0 reads, bit 1 writes), flushes and the use of the device as
 * wanted. */
struct table {
    unsigned dirs;
    bool flushes, use;
};

static void print_row(FILE *out, const struct results *r, const struct row *row,
                      const struct table *t)
{
    fprintf(out, "%-8s", row->name);
    for (unsigned dir = 0; dir < 2; dir++) {
        if (t->dirs & 1u << dir)
            print_group(out, r, row->m, dir);
    }
    if (t->flushes)
        print_flushes(out, r, row->m);
    if (t->use)
        print_use(out, r, row->m);
    fputc('\n', out);
}

static void print_table(FILE *out, const struct results *r, const struct table *t)
{
    fprintf(out, "\n%-8s", "Device");
    for (unsigned dir = 0; dir < 2; dir++) {
        if (t->dirs & 1u << dir)
            print_group_head(out, dir);
    }
    fprintf(out, "%s%s\n", t->flushes ? "     f/s f_await" : "", t->use ? "  aqu-sz  %util" : "");
    const char *array = figures_array_name(r);
    if (array)
        print_row(out, r, &(struct row){ array, &r->array }, t);
    for (uint32_t i = 0; i < r->member_count; i++) {
        char name[DISK_NAME_BYTES];
        figures_disk_name(i, name);
        print_row(out, r, &(struct row){ name, &r->member[i] }, t);
    }
}

void report_disks(FILE *out, const struct results *r)
{
    unsigned dirs = 0;
    uint64_t flushes = 0;
    for (uint32_t i = 0; i < r->member_count; i++) {
        const struct results_member *m = &r->member[i];
        for (unsigned dir = 0; dir < 2; dir++)
            dirs |= m->ios[dir] > 0 ? 1u << dir : 0;
        flushes += m->flushes;
    }
    if (r->member_count == 0)
        return;
    bool both = dirs == 3;
    if (both)
        print_table(out, r, &(struct table){ 1, false, false });
    print_table(out, r, &(struct table){ both ? 2 : dirs, flushes > 0, true });
}
