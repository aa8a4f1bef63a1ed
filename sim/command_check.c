/*
 * `raid5sim check FILE.cfg...`: every order of events of small arrays, and the verdicts.
 *
 * Standard output says what came of it, the same on every machine; how fast it went stands on
 * standard error. Files are written whole or not at all (sim/output.h).
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/chart.h"
#include "sim/check_json.h"
#include "sim/check_mutations.h"
#include "sim/check_report.h"
#include "sim/command.h"
#include "sim/complaint.h"
#include "sim/output.h"
#include "sim/trace_file.h"

enum { CHECKS_MAX = 1024 };
enum file_kind { FILE_JSON, FILE_JUNIT, FILE_TRACE, FILE_CHART, FILE_SVG, FILE_KINDS };

struct check_arguments {
    struct common_options common;
    struct overrides overrides;
    const char *file[CHECKS_MAX];
    unsigned files;
    const char *write[FILE_KINDS]; /* "-": standard output; NULL: not */
    bool all_mutations, tap;
};

enum {
    OPTION_ALL_MUTATIONS = 256,
    OPTION_TAP,
    OPTION_JUNIT,
    OPTION_TRACE,
    OPTION_CHART,
    OPTION_SVG
};

static const struct argp_option options[] = {
    { "all-mutations", OPTION_ALL_MUTATIONS, NULL, 0,
      "Put every fault of `raid5sim mutations` back, one after another, each in its scenario", 2 },
    { "tap", OPTION_TAP, NULL, 0, "One line a scenario, as the Test Anything Protocol has it", 2 },
    { "junit", OPTION_JUNIT, "FILE", 0, "Write the verdict as JUnit's XML", 2 },
    { "trace", OPTION_TRACE, "FILE", 0, "Write a finding's moves, for raid5sim replay", 2 },
    { "chart", OPTION_CHART, "FILE", 0, "Write a finding as a message-sequence chart", 2 },
    { "svg", OPTION_SVG, "FILE", 0, "The same as a picture", 2 },
    { 0 },
};

static error_t add_file(struct check_arguments *arguments, char *text, struct argp_state *state)
{
    if (arguments->all_mutations)
        argp_error(state, "--all-mutations has scenarios of its own: not also '%s'", text);
    if (arguments->files == CHECKS_MAX)
        argp_error(state, "more than %d scenarios", CHECKS_MAX);
    arguments->file[arguments->files++] = text;
    return 0;
}

/* What cannot go together. */
static void look_over(const struct check_arguments *arguments, struct argp_state *state)
{
    unsigned to_stdout = 0;

    for (unsigned k = 0; k < FILE_KINDS; k++) {
        if (arguments->write[k] && (arguments->files > 1 || arguments->all_mutations))
            argp_error(state, "files are written of one scenario at a time");
        to_stdout += arguments->write[k] && !strcmp(arguments->write[k], "-");
    }
    if (to_stdout > 1)
        argp_error(state, "only one of the files can go to standard output");
    if (!arguments->files && !arguments->all_mutations)
        argp_error(state, "which scenario? Give a FILE.cfg");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct check_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->common;
        return 0;
    case OPTION_ALL_MUTATIONS:
        arguments->all_mutations = true;
        return 0;
    case OPTION_TAP:
        arguments->tap = true;
        return 0;
    case OPTION_JUNIT:
    case OPTION_TRACE:
    case OPTION_CHART:
    case OPTION_SVG:
        arguments->write[FILE_JUNIT + key - OPTION_JUNIT] = text;
        return 0;
    case ARGP_KEY_ARG:
        return add_file(arguments, text, state);
    case ARGP_KEY_END:
        arguments->write[FILE_JSON] = arguments->common.json;
        look_over(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool write_one(const struct check_arguments *arguments, enum file_kind kind, FILE *out,
                      const struct check_problem *c, const struct check_result *r)
{
    switch (kind) {
    case FILE_JSON:
        return check_json(out, c, r);
    case FILE_JUNIT:
        return check_junit(out, c, r);
    case FILE_TRACE:
        return trace_file_write(out, c->scenario->path, &arguments->overrides, r);
    case FILE_CHART:
        return chart_text(out, c, r);
    default:
        return chart_svg(out, c, r);
    }
}

/* Traces and charts are of findings only. */
static bool write_files(const struct check_arguments *arguments, const struct check_problem *c,
                        const struct check_result *r, struct complaint *why)
{
    struct output output;

    for (unsigned k = 0; k < FILE_KINDS; k++) {
        const char *path = arguments->write[k];

        if (!path || (k >= FILE_TRACE && r->verdict != VERDICT_FINDING))
            continue;
        if (!output_open(&output, path, why))
            return false;
        if (!write_one(arguments, (enum file_kind)k, output.stream, c, r)) {
            complain(why, path, 0, "cannot be written");
            output_abandon(&output);
            return false;
        }
        if (!output_commit(&output, why))
            return false;
    }
    return true;
}

static bool writes_to_stdout(const struct check_arguments *arguments)
{
    for (unsigned k = 0; k < FILE_KINDS; k++)
        if (arguments->write[k] && !strcmp(arguments->write[k], "-"))
            return true;
    return false;
}

static int status_of(const struct scenario *s, const struct check_result *r)
{
    if (s->expect_count)
        return check_failed(s, r) ? EXIT_FINDING : EXIT_AS_EXPECTED;
    return r->verdict == VERDICT_OK        ? EXIT_AS_EXPECTED
           : r->verdict == VERDICT_FINDING ? EXIT_FINDING
                                           : EXIT_UNFINISHED;
}

static void report(const struct check_arguments *arguments, unsigned number,
                   const struct check_problem *c, const struct check_result *r)
{
    bool silent = arguments->common.quiet || writes_to_stdout(arguments);

    if (arguments->tap)
        printf("%sok %u - %s: %s # %llu states, depth %u\n",
               check_failed(c->scenario, r) ? "not " : "", number, c->scenario->path,
               check_verdict_word(r), (unsigned long long)r->states, r->depth);
    else if (!silent)
        check_print(stdout, c, r);
    if (!arguments->common.quiet)
        check_print_speed(stderr, r);
}

/* Of one scenario. */
static int check_file(const struct check_arguments *arguments, unsigned number,
                      struct scenario *scenario, struct complaint *why)
{
    struct check_problem problem;
    struct check_result result;
    int status = EXIT_MISTAKE;

    memset(scenario, 0, sizeof *scenario);
    if (!check_load(scenario, arguments->file[number], &arguments->overrides, why) ||
        !check_problem_new(&problem, scenario, why))
        return EXIT_MISTAKE;
    if (check_run(&problem, !arguments->common.quiet && isatty(STDERR_FILENO), &result, why)) {
        report(arguments, number + 1, &problem, &result);
        if (write_files(arguments, &problem, &result, why))
            status = status_of(scenario, &result);
        check_result_free(&result);
    }
    check_problem_free(&problem);
    return status;
}

/* A mistake ends everything; else a finding weighs more than a bound that was reached. */
static int check_files(const struct check_arguments *arguments, struct scenario *scenario)
{
    struct complaint why = { .line = 0 };
    int status = EXIT_AS_EXPECTED;

    if (arguments->tap)
        printf("1..%u\n", arguments->files);
    for (unsigned i = 0; i < arguments->files; i++) {
        int one = check_file(arguments, i, scenario, &why);

        if (one == EXIT_MISTAKE) {
            complaint_print(stderr, &why);
            return one;
        }
        if (status == EXIT_AS_EXPECTED || one == EXIT_FINDING)
            status = one;
    }
    if (fflush(stdout) || ferror(stdout)) {
        complain(&why, "standard output", 0, "cannot be written: %s", strerror(errno));
        complaint_print(stderr, &why);
        return EXIT_MISTAKE;
    }
    return status;
}

int command_check(int argc, char **argv)
{
    static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.cfg...",
        .doc = "Explore every order of events of a small array.\v"
               "Exit status: 0 as expected, 1 a finding or a missed expectation, 2 wrong usage or "
               "a bad scenario, 3 a bound was reached without an answer.",
        .children = children,
    };
    struct check_arguments arguments = { .files = 0 };
    int status = EXIT_MISTAKE;

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments))
        return EXIT_MISTAKE;
    arguments.overrides = common_overrides(&arguments.common);
    if (arguments.all_mutations)
        return check_all_mutations(&arguments.overrides);
    struct scenario *scenario = calloc(1, sizeof *scenario);

    if (scenario)
        status = check_files(&arguments, scenario);
    else
        fputs("raid5sim: out of memory\n", stderr);
    free(scenario);
    return status;
}
