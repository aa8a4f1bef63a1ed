/*
 * Evaluates [expect] (sim/expect.h).
 *
 * Comparison is in whole thousandths of the unit, so that it is exact and the same everywhere: a
 * line is met when |got - wanted| <= tolerance, where a relative tolerance is wanted * tolerance /
 * 100 % rounded down. Both bounds belong to the interval.
 */
#include "sim/expect.h"

#include <inttypes.h>
#include <string.h>

#include "model/assert.h"
#include "sim/bottleneck.h"
#include "sim/figures.h"
#include "sim/ledger.h"
#include "sim/md_view.h"
#include "sim/numerals.h"

typedef __int128 wide;

static const char symbol_prefix[] = "symbol.";

/* Figures of the names below; thousandths. */
static uint64_t throughput(const struct results *r)
{
    return figures_rate(figures_bytes(r, 0) + figures_bytes(r, 1), r->window_ns);
}

static uint64_t read_bw(const struct results *r)
{
    return figures_rate(figures_bytes(r, 0), r->window_ns);
}

static uint64_t write_bw(const struct results *r)
{
    return figures_rate(figures_bytes(r, 1), r->window_ns);
}

static uint64_t iops(const struct results *r)
{
    return figures_rate(figures_ios(r, 0) + figures_ios(r, 1), r->window_ns);
}

static uint64_t read_iops(const struct results *r)
{
    return figures_rate(figures_ios(r, 0), r->window_ns);
}

static uint64_t write_iops(const struct results *r)
{
    return figures_rate(figures_ios(r, 1), r->window_ns);
}

static uint64_t cpu_load(const struct results *r)
{
    return figures_cpu_load(r);
}

static uint64_t disk_util(const struct results *r)
{
    return figures_disk_util(r);
}

static uint64_t clat_mean(const struct results *r)
{
    struct histogram all;
    figures_clat(r, &all);
    return histogram_mean(&all) * 1000;
}

static uint64_t clat_percentile(const struct results *r, uint32_t milli_percent)
{
    struct histogram all;
    figures_clat(r, &all);
    return histogram_percentile(&all, milli_percent) * 1000;
}

static uint64_t clat_p50(const struct results *r)
{
    return clat_percentile(r, 50000);
}

static uint64_t clat_p99(const struct results *r)
{
    return clat_percentile(r, 99000);
}

static uint64_t clat_p999(const struct results *r)
{
    return clat_percentile(r, 99900);
}

static uint64_t clat_max(const struct results *r)
{
    return clat_percentile(r, 100000);
}

static uint64_t stripe_waits(const struct results *r)
{
    return r->cache.waits * 1000;
}

static uint64_t mismatch_cnt(const struct results *r)
{
    return r->cache.mismatches * 1000;
}

static uint64_t sync_completed(const struct results *r)
{
    return r->cache.sync_done * 1000;
}

static uint64_t sync_speed(const struct results *r)
{
    return r->cache.sync_speed * 1000;
}

static uint64_t stripe_hit_rate(const struct results *r)
{
    return figures_share(r->cache.hits, r->cache.lookups);
}

static uint64_t degraded(const struct results *r)
{
    return (uint64_t)r->md.degraded * 1000;
}

static uint64_t io_errors(const struct results *r)
{
    uint64_t errors = 0;
    for (unsigned i = 0; i < r->job_count; i++)
        errors += figures_errors(r, i);
    return errors * 1000;
}

static uint64_t rebuilds(const struct results *r)
{
    return r->history.rebuilds * 1000;
}

static uint64_t corrected_errors(const struct results *r)
{
    uint64_t sectors = 0;
    for (unsigned i = 0; i < r->member_count; i++)
        sectors += r->md.device[i].corrected;
    return sectors * 1000;
}

static uint64_t bad_blocks(const struct results *r)
{
    uint64_t pages = 0;
    for (unsigned i = 0; i < r->member_count; i++)
        pages += r->md.device[i].bad_blocks;
    return pages * 1000;
}

static uint64_t read_amplification(const struct results *r)
{
    struct ledger l = ledger_of(r);
    return ledger_amplification(&l, 0);
}

static uint64_t write_amplification(const struct results *r)
{
    struct ledger l = ledger_of(r);
    return ledger_amplification(&l, 1);
}

static uint64_t prereads_per_write(const struct results *r)
{
    struct ledger l = ledger_of(r);
    return ledger_prereads_per_write(&l);
}

static uint64_t per_4k_milli(const struct results *r, uint64_t cycles)
{
    return r->pages == 0 ? 0 : (uint64_t)((unsigned __int128)cycles * 1000 / r->pages);
}

static const struct figure {
    const char *name;
    enum figure_unit unit;
    uint64_t (*milli)(const struct results *);
} figures[] = {
    { "throughput", FIGURE_BYTES_S, throughput },
    { "read_bw", FIGURE_BYTES_S, read_bw },
    { "write_bw", FIGURE_BYTES_S, write_bw },
    { "iops", FIGURE_IOPS, iops },
    { "read_iops", FIGURE_IOPS, read_iops },
    { "write_iops", FIGURE_IOPS, write_iops },
    { "cpu_load", FIGURE_PERCENT, cpu_load },
    { "disk_util", FIGURE_PERCENT, disk_util },
    { "clat_mean", FIGURE_NS, clat_mean },
    { "clat_p50", FIGURE_NS, clat_p50 },
    { "clat_p99", FIGURE_NS, clat_p99 },
    { "clat_p999", FIGURE_NS, clat_p999 },
    { "clat_max", FIGURE_NS, clat_max },
    { "stripe_waits", FIGURE_COUNT, stripe_waits },
    { "mismatch_cnt", FIGURE_COUNT, mismatch_cnt },
    { "sync_completed", FIGURE_COUNT, sync_completed },
    { "degraded", FIGURE_COUNT, degraded },
    { "io_errors", FIGURE_COUNT, io_errors },
    { "rebuilds", FIGURE_COUNT, rebuilds },
    { "rebuild_speed", FIGURE_BYTES_S, md_rebuild_speed },
    { "corrected_errors", FIGURE_COUNT, corrected_errors },
    { "bad_blocks", FIGURE_COUNT, bad_blocks },
    { "read_amplification", FIGURE_RATIO, read_amplification },
    { "write_amplification", FIGURE_RATIO, write_amplification },
    { "prereads_per_write", FIGURE_RATIO, prereads_per_write },
    { "sync_speed", FIGURE_COUNT, sync_speed },
    { "stripe_hit_rate", FIGURE_PERCENT, stripe_hit_rate },
    { "cache_hits", FIGURE_PERCENT, stripe_hit_rate },
    { "verdict", FIGURE_TEXT, NULL },
    { "bottleneck", FIGURE_TEXT, NULL },
};

static const struct figure *find_figure(const char *name)
{
    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) == 0)
            return &figures[i];
    }
    return NULL;
}

static bool is_symbol(const char *name)
{
    size_t length = sizeof symbol_prefix - 1;
    return strncmp(name, symbol_prefix, length) == 0 && name[length] != 0;
}

bool expect_knows(const char *name)
{
    return is_symbol(name) || find_figure(name) != NULL;
}

static const char *text_figure(const struct results *r, const char *name)
{
    struct bottleneck b;
    if (strcmp(name, "verdict") == 0)
        return figures_verdict(r);
    bottleneck_find(r, &b);
    return bottleneck_name(b.first.kind);
}

static bool within(const struct expect *e, int64_t got_milli)
{
    wide wanted = e->value_milli, off = (wide)got_milli - wanted, tolerance = e->tolerance_milli;
    if (e->kind == EXPECT_RELATIVE)
        tolerance = (wanted < 0 ? -wanted : wanted) * tolerance / SHARE_ALL;
    return off <= tolerance && -off <= tolerance;
}

struct outcome expect_evaluate(const struct results *r, const struct expect *e)
{
    const struct figure *figure = find_figure(e->name);
    ASSERT(figure != NULL || is_symbol(e->name));
    struct outcome o = { FIGURE_CYCLES, 0, NULL, false };
    if (figure)
        o.unit = figure->unit;
    if (o.unit == FIGURE_TEXT) {
        o.text = text_figure(r, e->name);
        o.met = e->kind == EXPECT_TEXT && strcmp(o.text, e->text) == 0;
        return o;
    }
    uint64_t milli = figure
                         ? figure->milli(r)
                         : per_4k_milli(r, figures_symbol(r, e->name + sizeof symbol_prefix - 1));
    o.got_milli = milli < INT64_MAX ? (int64_t)milli : INT64_MAX;
    o.met = e->kind != EXPECT_TEXT && within(e, o.got_milli);
    return o;
}

static void print_value(char *text, size_t bytes, enum figure_unit unit, int64_t milli)
{
    char number[NUMERAL_BYTES];
    const char *sign = milli < 0 ? "-" : "";
    uint64_t size = milli < 0 ? 0 - (uint64_t)milli : (uint64_t)milli;
    if (unit == FIGURE_BYTES_S)
        snprintf(text, bytes, "%s%s/s", sign, numeral_decimal(number, size / 1000));
    else if (unit == FIGURE_NS)
        snprintf(text, bytes, "%s%s", sign, numeral_time(number, size / 1000));
    else if (unit == FIGURE_PERCENT)
        snprintf(text, bytes, "%s%" PRIu64 ".%02" PRIu64 "%%", sign, size / 1000, size % 1000 / 10);
    else if (unit == FIGURE_RATIO)
        snprintf(text, bytes, "%s%" PRIu64 ".%03" PRIu64, sign, size / 1000, size % 1000);
    else if (unit == FIGURE_COUNT)
        snprintf(text, bytes, "%s%" PRIu64, sign, size / 1000);
    else
        snprintf(text, bytes, "%s%" PRIu64 ".%" PRIu64, sign, size / 1000, size % 1000 / 100);
}

void expect_print_wanted(const struct expect *e, enum figure_unit unit,
                         char text[static EXPECT_TEXT_BYTES])
{
    char value[40], tolerance[40];
    if (e->kind == EXPECT_TEXT) {
        snprintf(text, EXPECT_TEXT_BYTES, "%s", e->text);
        return;
    }
    print_value(value, sizeof value, unit, e->value_milli);
    print_value(tolerance, sizeof tolerance, e->kind == EXPECT_RELATIVE ? FIGURE_PERCENT : unit,
                e->tolerance_milli);
    if (e->tolerance_milli == 0)
        snprintf(text, EXPECT_TEXT_BYTES, "%s", value);
    else
        snprintf(text, EXPECT_TEXT_BYTES, "%s +-%s", value, tolerance);
}

void expect_print_got(const struct outcome *o, char text[static EXPECT_TEXT_BYTES])
{
    if (o->unit == FIGURE_TEXT)
        snprintf(text, EXPECT_TEXT_BYTES, "%s", o->text);
    else
        print_value(text, EXPECT_TEXT_BYTES, o->unit, o->got_milli);
}

const char *expect_word(const struct expect *e, const struct outcome *o)
{
    if (e->gap)
        return o->met ? "MET: no gap any more" : "missed, a known gap";
    return o->met ? "ok" : "MISSED";
}

/* True when the line came out as claimed. */
static bool check_line(const struct results *r, const struct expect *e, FILE *out)
{
    char wanted[EXPECT_TEXT_BYTES], got[EXPECT_TEXT_BYTES];
    if (!expect_knows(e->name)) {
        if (out)
            fprintf(out, "expect %-28s there is no figure of that name  MISSED\n", e->name);
        return false;
    }
    struct outcome o = expect_evaluate(r, e);
    expect_print_wanted(e, o.unit, wanted);
    expect_print_got(&o, got);
    if (out)
        fprintf(out, "expect %-28s wanted %-24s got %-14s %s\n", e->name, wanted, got,
                expect_word(e, &o));
    return o.met != (e->gap != 0);
}

unsigned expect_check(const struct results *r, FILE *out)
{
    unsigned missed = 0;
    for (uint32_t i = 0; i < r->scenario->expect_count; i++)
        missed += !check_line(r, &r->scenario->expect[i], out);
    return missed;
}
