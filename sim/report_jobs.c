/*
 * Job lines as fio's normal output has them, and the run status group.
 *
 * What fio decides by rule is decided by the same rule here: the unit of a latency line (ms when
 * min > 2 ms, max >= 100 ms and stdev > 1 ms; us likewise), the unit of the percentile block (the
 * same without stdev) and its folding at 80 columns, rates over the job's runtime rounded down. Not
 * here: what a simulation does not have (pids, dates, page faults, short I/Os).
 */
#include <inttypes.h>
#include <string.h>

#include "sim/figures.h"
#include "sim/numerals.h"
#include "sim/report_percentiles.h"
#include "sim/report_parts.h"

static const uint64_t million = 1000000;

static void print_latency(FILE *out, const char *name, const struct histogram *h)
{
    if (h->count == 0)
        return;
    uint64_t deviation = histogram_stddev(h), unit = 1;
    const char *word = "nsec";
    if (h->min > 2 * million && h->max > 99999999 && deviation > million) {
        unit = million;
        word = "msec";
    } else if (h->min > 2000 && h->max > 99999 && deviation > 1000) {
        unit = 1000;
        word = "usec";
    }
    fprintf(out, "    %s (%s): min=%" PRIu64 ", max=%" PRIu64 ", avg=%5.2f, stdev=%5.2f\n", name,
            word, h->min / unit, h->max / unit, figures_ratio(histogram_mean(h), unit),
            figures_ratio(deviation, unit));
}

static unsigned decimal_digits(uint64_t value)
{
    unsigned digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static void print_percentiles(FILE *out, const char *name, const struct histogram *h)
{
    if (h->count == 0)
        return;
    uint64_t least = histogram_percentile(h, report_percentiles[0]);
    uint64_t most = histogram_percentile(h, report_percentiles[REPORT_PERCENTILES - 1]);
    uint64_t unit = least > 2 * million && most > 99999999 ? million
                    : least > 2000 && most > 99999         ? 1000
                                                           : 1;
    unsigned digits = decimal_digits((most + unit - 1) / unit);
    int width = digits > 5 ? (int)digits : 5;
    unsigned in_line = (unsigned)(73 / (12 + width));
    fprintf(out, "    %s percentiles (%s):", name,
            unit == million ? "msec"
            : unit == 1000  ? "usec"
                            : "nsec");
    for (unsigned i = 0; i < REPORT_PERCENTILES; i++) {
        uint32_t milli = report_percentiles[i];
        uint64_t value = (histogram_percentile(h, milli) + unit - 1) / unit;
        fprintf(out, "%s %5.2fth=[%*" PRIu64 "]", i % in_line == 0 ? "\n     |" : "",
                figures_ratio(milli, 1000), width, value);
        if (i < REPORT_PERCENTILES - 1)
            fputc(',', out);
    }
    fprintf(out, "\n");
}

static void print_direction(FILE *out, const struct results *r, unsigned job, unsigned dir)
{
    const struct results_direction *d = &r->job[job].dir[dir];
    uint64_t ns = figures_job_ns(r, job);
    char iops[NUMERAL_BYTES], bw[NUMERAL_BYTES], bw10[NUMERAL_BYTES], moved[NUMERAL_BYTES];
    if (d->ios == 0)
        return;
    uint64_t bytes_s = figures_per_second(d->bytes, ns);
    fprintf(out, "  %s: IOPS=%s, BW=%s/s (%s/s)(%s/%" PRIu64 "msec)\n", dir ? "write" : "read",
            numeral_count(iops, figures_per_second(d->ios, ns)), numeral_binary(bw, bytes_s),
            numeral_decimal(bw10, bytes_s), numeral_binary(moved, d->bytes), ns / million);
    print_latency(out, "slat", &d->slat);
    print_latency(out, "clat", &d->clat);
    print_latency(out, " lat", &d->lat);
    print_percentiles(out, "clat", &d->clat);
}

/* fio's block for flushes; their latency is all there is to them. */
static void print_syncs(FILE *out, const struct histogram *h)
{
    if (h->count == 0)
        return;
    fprintf(out, "  fsync/fdatasync/sync_file_range:\n");
    print_latency(out, "sync", h);
    print_percentiles(out, "sync", h);
}

/* "READ: bw=..." of all jobs: sum over the window; the two in between are the slowest and the
 * fastest job. */
static void print_group(FILE *out, const struct results *r, unsigned dir)
{
    uint64_t least = UINT64_MAX, most = 0, run_least = UINT64_MAX, run_most = 0;
    for (uint32_t i = 0; i < r->job_count; i++) {
        uint64_t ns = figures_job_ns(r, i);
        uint64_t bw = figures_per_second(r->job[i].dir[dir].bytes, ns);
        if (r->job[i].dir[dir].ios == 0)
            continue;
        least = bw < least ? bw : least;
        most = bw > most ? bw : most;
        run_least = ns < run_least ? ns : run_least;
        run_most = ns > run_most ? ns : run_most;
    }
    if (run_most == 0)
        return;
    uint64_t bytes = figures_bytes(r, dir), all = figures_per_second(bytes, r->window_ns);
    char text[8][NUMERAL_BYTES];
    fprintf(out,
            "%s: bw=%s/s (%s/s), %s/s-%s/s (%s/s-%s/s), io=%s (%s), run=%" PRIu64 "-%" PRIu64
            "msec\n",
            dir ? "  WRITE" : "   READ", numeral_binary(text[0], all),
            numeral_decimal(text[1], all), numeral_binary(text[2], least),
            numeral_binary(text[3], most), numeral_decimal(text[4], least),
            numeral_decimal(text[5], most), numeral_binary(text[6], bytes),
            numeral_decimal(text[7], bytes), run_least / million, run_most / million);
}

/* As fio shows a job that goes on after errors (continue_on_error): the first one behind err=, how
 * many there were below. Members' errors reach a caller as EIO, whatever they were. */
static void print_head(FILE *out, const struct job *job, uint64_t errors)
{
    fprintf(out, "%s: (groupid=0, jobs=%" PRIu32 "): err=%2d", job->name, job->numjobs,
            errors ? REPORT_EIO : 0);
    if (errors)
        fprintf(out, " (func=io_u error, error=%s)", REPORT_EIO_TEXT);
    fputc('\n', out);
}

void report_jobs(FILE *out, const struct results *r)
{
    for (uint32_t i = 0; i < r->job_count; i++) {
        const struct job *job = &r->scenario->job[i];
        uint64_t errors = figures_errors(r, i);
        print_head(out, job, errors);
        print_direction(out, r, i, 0);
        print_direction(out, r, i, 1);
        print_syncs(out, &r->job[i].sync);
        if (r->job[i].dir[0].ios + r->job[i].dir[1].ios == 0)
            fprintf(out, "  no I/O ended in the measured window\n");
        if (errors)
            fprintf(out, "     errors    : total=%" PRIu64 ", first_error=%d/<%s>\n", errors,
                    REPORT_EIO, REPORT_EIO_TEXT);
    }
    fprintf(out, "\nRun status group 0 (all jobs):\n");
    print_group(out, r, 0);
    print_group(out, r, 1);
}
