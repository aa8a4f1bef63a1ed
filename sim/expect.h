/*
 * [expect]: what a scenario claims will come out, compared with what did.
 *
 * Values are thousandths: of bytes/s (throughput, read_bw, write_bw), of I/Os per second (iops,
 * read_iops, write_iops), of a percent (cpu_load, disk_util, stripe_hit_rate alias cache_hits), of
 * ns (clat_mean, clat_p50, clat_p99, clat_p999, clat_max), of cycles per 4 KiB (symbol.NAME), of a
 * count (stripe_waits, mismatch_cnt, sync_completed, degraded, io_errors, rebuilds,
 * corrected_errors, bad_blocks) or a ratio (read_amplification, write_amplification,
 * prereads_per_write); rebuild_speed is in bytes/s. verdict and bottleneck are texts.
 * docs/REPORTS.md explains the names.
 */
#ifndef SIM_EXPECT_H
#define SIM_EXPECT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/results.h"

enum figure_unit {
    FIGURE_BYTES_S,
    FIGURE_IOPS,
    FIGURE_PERCENT,
    FIGURE_NS,
    FIGURE_CYCLES,
    FIGURE_COUNT,
    FIGURE_RATIO,
    FIGURE_TEXT
};

struct outcome {
    enum figure_unit unit;
    int64_t got_milli; /* of the unit; 0 for a text */
    const char *text;  /* what came out, for FIGURE_TEXT; lives as long as the program */
    bool met;
};

/* Is there a figure of that name? For the scenario reader; symbol.ANYTHING is one. */
bool expect_knows(const char *name);
/* Compares one line. Precondition: expect_knows(e->name). A number compared with a text is never
 * met. */
struct outcome expect_evaluate(const struct results *, const struct expect *);
/* "ok", "MISSED", and for a line marked `gap` "missed, a known gap" or "MET: no gap any more". */
const char *expect_word(const struct expect *, const struct outcome *);
/* Every line of [expect], one line of output each: name, wanted, got, and expect_word(). Returns
 * how many did not come out as claimed: missed without being a known gap, or met in spite of it.
 * out may be NULL. A name that is not known counts as missed. */
unsigned expect_check(const struct results *, FILE *out);
/* "200MB/s +-10%", "203MB/s": as printed by expect_check. */
enum { EXPECT_TEXT_BYTES = 96 };
void expect_print_wanted(const struct expect *, enum figure_unit,
                         char text[static EXPECT_TEXT_BYTES]);
void expect_print_got(const struct outcome *, char text[static EXPECT_TEXT_BYTES]);

#endif
