/*
 * The ledger in the text report: from what users asked to what the members did.
 *
 * Member I/Os are counted before the members' queues merge them, each under the reason it was sent
 * for: the names are those of the log of member I/O. "A user I/O" and "a user byte" are ratios to
 * all I/Os and bytes of users, reads and writes together.
 */
#include <inttypes.h>
#include <string.h>

#include "model/io.h"
#include "sim/io_log.h"
#include "sim/ledger.h"
#include "sim/figures.h"
#include "sim/numerals.h"
#include "sim/report_parts.h"

enum { SECTOR = 512, PAGE_COLUMNS = 100 };

static void print_users(FILE *out, const struct ledger *l)
{
    static const char *const names[2] = { "user reads", "user writes" };
    char bytes[NUMERAL_BYTES];
    for (unsigned dir = 0; dir < 2; dir++)
        if (l->user_ios[dir] > 0)
            fprintf(out, "%-18s%12" PRIu64 "%12s\n", names[dir], l->user_ios[dir],
                    numeral_binary(bytes, l->user_bytes[dir]));
}

static void print_stripes(FILE *out, const struct results *r, const struct ledger *l)
{
    const struct results_writes *w = &r->writes;
    if (l->stripes == 0)
        return;
    fprintf(out,
            "stripes written   %12" PRIu64 "  full %" PRIu64 ", rmw %" PRIu64 ", rcw %" PRIu64
            "; with a part of a page %" PRIu64 "\n",
            l->stripes, w->full, w->rmw, w->rcw, w->partial);
}

static void print_ios(FILE *out, const char *name, const struct results_io *io,
                      const struct ledger *l)
{
    char bytes[NUMERAL_BYTES];
    fprintf(out, "%-18s%12" PRIu64 "%12s%12.3f%12.3f\n", name, io->ios,
            numeral_binary(bytes, io->sectors * SECTOR),
            figures_ratio(io->ios, l->user_ios[0] + l->user_ios[1]),
            figures_ratio(io->sectors * SECTOR, l->user_bytes[0] + l->user_bytes[1]));
}

/* One kind of member I/O and the reasons it was sent for. */
static void print_kind(FILE *out, const struct ledger *l, unsigned kind)
{
    static const char *const names[IO_FLUSH + 1] = { "member reads", "member writes", "flushes" };
    char name[32];
    if (l->all[kind].ios == 0)
        return;
    print_ios(out, names[kind], &l->all[kind], l);
    for (unsigned reason = 0; reason < REASON_COUNT; reason++) {
        if (l->by_reason[reason][kind].ios == 0)
            continue;
        snprintf(name, sizeof name, "  %s", io_reason_name(reason));
        print_ios(out, name, &l->by_reason[reason][kind], l);
    }
}

static void print_ratios(FILE *out, const struct ledger *l)
{
    uint64_t users = l->user_bytes[0] + l->user_bytes[1];
    if (users == 0)
        return;
    fprintf(out,
            "amplification: %.3f bytes read and %.3f written at the members for each user byte",
            figures_ratio(l->load_bytes[0], users), figures_ratio(l->load_bytes[1], users));
    fprintf(out, "%s\n",
            l->by_reason[REASON_RESYNC][0].ios + l->by_reason[REASON_RESYNC][1].ios > 0
                ? ", without resync"
                : "");
    if (l->user_ios[1] > 0)
        fprintf(out, "prereads: %.3f a user write\n", figures_ratio(l->prereads, l->user_ios[1]));
}

/* "stripes in a batch: 1 x12 2-3 x4 ...": how many full-stripe writes were of that length. */
static void print_batches(FILE *out, const struct results_writes *w)
{
    int column = 0;
    for (unsigned i = 0; i < BATCH_BUCKETS; i++) {
        char length[24], piece[64];
        if (w->batches[i] == 0)
            continue;
        snprintf(length, sizeof length, i > 0 ? "%u-%u" : "%u", 1u << i, (2u << i) - 1);
        snprintf(piece, sizeof piece, " %s x%" PRIu64, length, w->batches[i]);
        if (column > 0 && column + (int)strlen(piece) >= PAGE_COLUMNS)
            column = fprintf(out, "\n ") - 1;
        if (column == 0)
            column = fprintf(out, "full-stripe writes, stripes in a batch:");
        column += fprintf(out, "%s", piece);
    }
    if (column > 0)
        fprintf(out, "\n");
}

void report_ledger(FILE *out, const struct results *r)
{
    if (r->cache.size == 0)
        return;
    struct ledger l = ledger_of(r);
    if (l.all[IO_READ].ios + l.all[IO_WRITE].ios + l.all[IO_FLUSH].ios == 0)
        return;
    fprintf(out, "\nledger                   count       bytes  a user I/O a user byte\n");
    print_users(out, &l);
    print_stripes(out, r, &l);
    for (unsigned kind = 0; kind <= IO_FLUSH; kind++)
        print_kind(out, &l, kind);
    print_ratios(out, &l);
    print_batches(out, &r->writes);
}
