/*
 * costs [OPTION...]   How often does the model do what the real driver did?
 *
 * Does the workloads of the instruction profile again and puts the calls of each function, per 4
 * KiB page of user data (per stripe for check), beside those recorded in insns.csv. What was done
 * before the measured part is run alone and taken off. A line: workload, function, recorded,
 * simulated, deviation. A cell in which both are zero is no cell. The last line is `costs: N of M
 * within 5 %`.
 *
 * Exit status: 0; 1 if with --bands a cell leaves its band; 2 on wrong usage or files that cannot
 * be read.
 */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/complaint.h"
#include "sim/simulation.h"
#include "tests/conformance/replay.h"
#include "tests/costs/functions.h"
#include "tests/costs/workloads.h"

enum { FUNCTIONS_MAX = 32, WITHIN = 5 };

static const char *const workload_names[] = {
    "read-4k",       "read-64k",     "degread-4k",      "degread-64k",
    "randw-q1",      "randw-q1-rcw", "rewrite-hit",     "full-192k-c256",
    "seqw-1m-c256",  "seqw-4k-q32",  "chunk1m-seqw-1m", "chunk32m-seqw-1m",
    "degw-randw-q1", "check",        "recover",         NULL
};

struct options {
    const char *script, *insns, *base, *bands, *only;
    bool markdown, cycles;
};

struct column {
    struct profiled *workload;
    uint64_t pages;
    int64_t recorded[FUNCTIONS_MAX], simulated[FUNCTIONS_MAX];
    double band[FUNCTIONS_MAX]; /* the largest deviation allowed, in percent */
    struct results *results;    /* of the whole run */
    uint64_t cycles[WORK_COUNT], units[WORK_COUNT];
};

/* --------------------------------------------------------------- recorded */

static int function_of(const char *name)
{
    size_t length = strcspn(name, ".");

    for (unsigned f = 0; f < function_count; f++)
        if (strlen(functions[f].name) == length && !strncmp(functions[f].name, name, length))
            return (int)f;
    return -1;
}

static struct column *column_of(struct column *c, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(c[i].workload->name, name))
            return &c[i];
    return NULL;
}

static bool read_insns(const char *path, struct column *c, unsigned count)
{
    FILE *file = fopen(path, "r");
    char line[512];

    if (!file) {
        perror(path);
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        char name[64], function[128];
        uint64_t pages, calls;
        struct column *to;
        int f;

        if (sscanf(line, "cpu-%63[^,],%" SCNu64 ",%*[^,],%127[^,],%" SCNu64, name, &pages, function,
                   &calls) != 4 ||
            !(to = column_of(c, count, name)))
            continue;
        to->pages = pages;
        f = function_of(function);
        if (f >= 0 && !strstr(function, ".cold"))
            to->recorded[f] += (int64_t)calls;
    }
    fclose(file);
    return true;
}

/* Lines `workload function percent`; what follows a # is a remark. */
static bool read_bands(const char *path, struct column *c, unsigned count)
{
    FILE *file = fopen(path, "r");
    char line[256];
    bool good = file != NULL;

    if (!file)
        perror(path);
    while (good && fgets(line, sizeof line, file)) {
        char name[64], function[64];
        struct column *to;
        double percent;
        int f;

        line[strcspn(line, "#\n")] = '\0';
        if (sscanf(line, "%63s %63s %lf", name, function, &percent) != 3)
            continue;
        to = column_of(c, count, name);
        f = function_of(function);
        good = to && f >= 0;
        if (good)
            to->band[f] = percent;
        else
            fprintf(stderr, "%s: no such workload or function: %s\n", path, line);
    }
    if (file)
        fclose(file);
    return good;
}

/* -------------------------------------------------------------- simulated */

static bool run(json_t *json, const char *base, struct results *results)
{
    struct recording r = { .name = "", .json = json };
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct complaint why = { .line = 0 };
    char trouble[TROUBLE_MAX] = "";
    struct timeline line;
    struct simulation sim;
    bool good;

    if (!scenario)
        abort();
    good =
        replay_scenario(&r, base, scenario, &line, trouble) && simulation_new(&sim, scenario, &why);
    if (good) {
        clockwork_run(sim.clock, UINT64_MAX - 1);
        clockwork_results(sim.clock, results);
        good = !results->findings && !simulation_stuck(&sim);
        simulation_free(&sim);
    }
    if (!good)
        fprintf(stderr, "%s %s%s\n", trouble, why.text, results->findings ? results->finding : "");
    free(scenario);
    return good;
}

static bool simulate(struct column *c, const char *base)
{
    struct results *before = calloc(1, sizeof *before), *whole = calloc(1, sizeof *whole);
    bool good;

    if (!before || !whole)
        abort();
    good = run(c->workload->before, base, before) && run(c->workload->whole, base, whole);
    for (unsigned f = 0; f < function_count; f++)
        c->simulated[f] = functions[f].calls(whole) - functions[f].calls(before);
    for (unsigned k = 0; k < WORK_COUNT; k++) {
        c->units[k] = whole->work[k] - before->work[k];
        c->cycles[k] = whole->work_cycles[k] - before->work_cycles[k];
    }
    free(before);
    free(whole);
    return good;
}

/* ----------------------------------------------------------------- output */

static bool is_cell(const struct column *c, unsigned f)
{
    return c->recorded[f] || c->simulated[f];
}

/* In percent of what was recorded; nothing recorded makes it infinite. */
static double deviation(const struct column *c, unsigned f)
{
    if (!c->recorded[f])
        return c->simulated[f] ? INFINITY : 0;
    return 100.0 * (double)(c->simulated[f] - c->recorded[f]) / (double)c->recorded[f];
}

static double per_page(const struct column *c, int64_t calls)
{
    return (double)calls / (double)c->pages;
}

static void print_list(const struct column *c)
{
    for (unsigned f = 0; f < function_count; f++)
        if (is_cell(c, f))
            printf("%-17s %-26s %9.3f %9.3f %+8.1f %%%s\n", c->workload->name, functions[f].name,
                   per_page(c, c->recorded[f]), per_page(c, c->simulated[f]), deviation(c, f),
                   fabs(deviation(c, f)) > WITHIN ? " <" : "");
}

/* What the model booked, by kind of work: for judging prices. */
static void print_cycles(const struct column *c)
{
    static const char *const key[] = {
#define WORK(id, name, symbol, what) [WORK_##id] = #name,
#include "model/work.def"
#undef WORK
    };
    double all = 0;

    for (unsigned k = 0; k < WORK_COUNT; k++) {
        all += (double)c->cycles[k];
        if (c->units[k])
            printf("%-17s work %-21s %9.3f %9.1f cycles\n", c->workload->name, key[k],
                   (double)c->units[k] / (double)c->pages, (double)c->cycles[k] / (double)c->pages);
    }
    printf("%-17s work %-21s %9s %9.1f cycles\n", c->workload->name, "all", "",
           all / (double)c->pages);
}

static void print_markdown(const struct column *c, unsigned count)
{
    printf("| calls a page, recorded / simulated |");
    for (unsigned i = 0; i < count; i++)
        printf(" %s |", c[i].workload->name);
    printf("\n| --- |");
    for (unsigned i = 0; i < count; i++)
        printf(" ---: |");
    for (unsigned f = 0; f < function_count; f++) {
        printf("\n| %s |", functions[f].name);
        for (unsigned i = 0; i < count; i++) {
            double recorded = per_page(&c[i], c[i].recorded[f]);
            double simulated = per_page(&c[i], c[i].simulated[f]);

            if (!is_cell(&c[i], f))
                printf(" |");
            else if (fabs(deviation(&c[i], f)) > WITHIN)
                printf(" %.3f / **%.3f** |", recorded, simulated);
            else
                printf(" %.3f / %.3f |", recorded, simulated);
        }
    }
    printf("\n");
}

/* Bands as checks: one a workload. */
static unsigned check_bands(const struct column *c, unsigned count)
{
    unsigned failed = 0;

    printf("1..%u\n", count);
    for (unsigned i = 0; i < count; i++) {
        unsigned out = 0;

        for (unsigned f = 0; f < function_count; f++)
            if (is_cell(&c[i], f) && !(fabs(deviation(&c[i], f)) <= c[i].band[f])) {
                printf("# %s %s: recorded %.3f, simulated %.3f, %+.1f %% where %.1f are allowed\n",
                       c[i].workload->name, functions[f].name, per_page(&c[i], c[i].recorded[f]),
                       per_page(&c[i], c[i].simulated[f]), deviation(&c[i], f), c[i].band[f]);
                out++;
            }
        printf("%s %u - %s: every function is called as often as recorded, within its band\n",
               out ? "not ok" : "ok", i + 1, c[i].workload->name);
        failed += out != 0;
    }
    return failed;
}

static void print_end(const struct column *c, unsigned count, bool tap)
{
    unsigned cells = 0, within = 0;

    for (unsigned i = 0; i < count; i++)
        for (unsigned f = 0; f < function_count; f++) {
            cells += is_cell(&c[i], f);
            within += is_cell(&c[i], f) && fabs(deviation(&c[i], f)) <= WITHIN;
        }
    printf("%scosts: %u of %u within %d %%\n", tap ? "# " : "", within, cells, WITHIN);
}

/* -------------------------------------------------------------------- main */

static const struct argp_option known[] = {
    { "only", 'o', "NAME", 0, "One workload only", 0 },
    { "markdown", 'd', NULL, 0, "The table as docs/COSTS.md has it", 0 },
    { "cycles", 'c', NULL, 0, "What each kind of work cost the model, too", 0 },
    { "bands", 'B', "FILE", 0, "Print checks: every cell within its band, 5 % unless listed", 0 },
    { "script", 's', "FILE", 0, "The workloads", 0 },
    { "insns", 'i', "FILE", 0, "The recorded profile", 0 },
    { "base", 'b', "FOLDER", 0, "Where base.cfg, primed.cfg and idle.cfg are", 0 },
    { 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *o = state->input;
    const char **place = key == 'o'   ? &o->only
                         : key == 'B' ? &o->bands
                         : key == 's' ? &o->script
                         : key == 'i' ? &o->insns
                         : key == 'b' ? &o->base
                                      : NULL;

    if (place)
        *place = text;
    else if (key == 'd')
        o->markdown = true;
    else if (key == 'c')
        o->cycles = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static bool fill(struct column *c, unsigned count, const struct options *o)
{
    if (!read_insns(o->insns, c, count) || (o->bands && !read_bands(o->bands, c, count)))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (!c[i].pages) {
            fprintf(stderr, "%s: nothing recorded of %s\n", o->insns, c[i].workload->name);
            return false;
        }
        if (!simulate(&c[i], o->base))
            return false;
    }
    return true;
}

static unsigned print(const struct column *c, unsigned count, const struct options *o)
{
    unsigned failed = 0;

    if (o->bands)
        failed = check_bands(c, count);
    else if (o->markdown)
        print_markdown(c, count);
    else
        for (unsigned i = 0; i < count; i++) {
            print_list(&c[i]);
            if (o->cycles)
                print_cycles(&c[i]);
        }
    print_end(c, count, o->bands != NULL);
    return failed;
}

int main(int argc, char **argv)
{
    static const struct argp argp = { .options = known, .parser = parse };
    struct options o = { .script = "tests/oracle/guest/cpu.sh",
                         .insns = "tests/golden/md-6.1/insns.csv",
                         .base = "tests/costs/quiet" };
    struct profiled *workload = calloc(WORKLOADS_MAX, sizeof *workload);
    struct column *column = calloc(WORKLOADS_MAX, sizeof *column);
    unsigned count = 0, failed;
    bool good;

    if (!workload || !column || argp_parse(&argp, argc, argv, 0, NULL, &o))
        return 2;
    good = workloads_read(o.script, o.only ? (const char *const[]){ o.only, NULL } : workload_names,
                          workload, &count);
    for (unsigned i = 0; i < count; i++) {
        column[i].workload = &workload[i];
        for (unsigned f = 0; f < function_count; f++)
            column[i].band[f] = WITHIN;
    }
    good = good && fill(column, count, &o);
    failed = good ? print(column, count, &o) : 0;
    workloads_free(workload, count);
    free(column);
    free(workload);
    return !good ? 2 : failed != 0;
}
