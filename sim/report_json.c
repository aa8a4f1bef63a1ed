/*
 * The JSON report: fio's --output-format=json, so that whatever plots fio's files plots ours, plus
 * one key of our own at the end.
 *
 * Every time stamp is simulated time counted from the epoch: the run ends some seconds into 1970,
 * and the same run gives the same bytes tomorrow. Reals are printed with 12 significant digits.
 */
#include "sim/report.h"

#include <jansson.h>
#include <time.h>

#include "sim/report_json_parts.h"

static void put_time(struct builder *b, json_t *top, uint64_t end_ns)
{
    char text[64] = "";
    time_t seconds = (time_t)(end_ns / 1000000000);
    struct tm parts;
    if (gmtime_r(&seconds, &parts))
        strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts); /* ctime's format, UTC */
    put_uint(b, top, "timestamp", end_ns / 1000000000);
    put_uint(b, top, "timestamp_ms", end_ns / 1000000);
    put_text(b, top, "time", text);
}

bool report_json(FILE *out, const struct results *r)
{
    struct builder b = { false };
    json_object_seed(1); /* else jansson asks the host for random numbers */
    json_t *top = json_object();
    put_text(&b, top, "fio version", "fio-3.33 (raid5sim)");
    put_time(&b, top, r->end_ns);
    put_object(&b, top, "global options");
    json_t *jobs = put_array(&b, top, "jobs");
    for (uint32_t i = 0; i < r->job_count; i++)
        json_job(&b, jobs, r, i);
    json_disk_util(&b, put_array(&b, top, "disk_util"), r);
    json_own(&b, put_object(&b, top, "raid5sim"), r);
    bool written = top != NULL && !b.failed &&
                   json_dumpf(top, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(top);
    return written && fputc('\n', out) != EOF && fflush(out) == 0 && !ferror(out);
}
