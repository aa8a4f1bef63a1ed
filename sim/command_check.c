/*
 * `raid5sim check FILE.cfg`: every order of events of a small array, and the verdict.
 *
 * Standard output says what came of it, the same on every machine; how fast it went stands on
 * standard error.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/check_mutations.h"
#include "sim/check_report.h"
#include "sim/command.h"
#include "sim/complaint.h"

struct check_arguments {
    struct common_options common;
    const char *file;
    bool all_mutations;
};

enum { OPTION_ALL_MUTATIONS = 256 };

static const struct argp_option options[] = {
    { "all-mutations", OPTION_ALL_MUTATIONS, NULL, 0,
      "Put every fault of `raid5sim mutations` back, one after another, each in its scenario", 2 },
    { 0 },
};

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
    case ARGP_KEY_ARG:
        if (arguments->file || arguments->all_mutations)
            argp_error(state, "one scenario at a time, not also '%s'", text);
        arguments->file = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (arguments->all_mutations)
            return 0;
        argp_error(state, "which scenario? Give a FILE.cfg");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int status_of(const struct scenario *s, const struct check_result *r)
{
    unsigned missed = check_expectations(s, r, NULL);

    if (s->expect_count)
        return missed ? EXIT_FINDING : EXIT_AS_EXPECTED;
    return r->verdict == VERDICT_OK        ? EXIT_AS_EXPECTED
           : r->verdict == VERDICT_FINDING ? EXIT_FINDING
                                           : EXIT_UNFINISHED;
}

static int check_and_report(const struct check_arguments *arguments, const struct scenario *s,
                            struct complaint *why)
{
    bool quiet = arguments->common.quiet;
    struct check_problem problem;
    struct check_result result;
    int status = EXIT_MISTAKE;

    if (!check_problem_new(&problem, s, why))
        return EXIT_MISTAKE;
    if (check_run(&problem, !quiet && isatty(STDERR_FILENO), &result, why)) {
        if (!quiet)
            check_print(stdout, &problem, &result);
        status = status_of(s, &result);
        if (!quiet)
            check_print_speed(stderr, &result);
        check_result_free(&result);
    }
    check_problem_free(&problem);
    return status;
}

int command_check(int argc, char **argv)
{
    static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.cfg",
        .doc = "Explore every order of events of a small array.\v"
               "Exit status: 0 as expected, 1 a finding or a missed expectation, 2 wrong usage or "
               "a bad scenario, 3 a bound was reached without an answer.",
        .children = children,
    };
    struct check_arguments arguments = { .file = NULL };
    struct complaint why = { .line = 0 };
    int status = EXIT_MISTAKE;

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments))
        return EXIT_MISTAKE;
    struct overrides overrides = common_overrides(&arguments.common);

    if (arguments.all_mutations)
        return check_all_mutations(&overrides);
    struct scenario *scenario = calloc(1, sizeof *scenario);

    if (!scenario)
        complain(&why, arguments.file, 0, "no memory");
    else if (check_load(scenario, arguments.file, &overrides, &why))
        status = check_and_report(&arguments, scenario, &why);
    if (status == EXIT_MISTAKE)
        complaint_print(stderr, &why);
    free(scenario);
    return status;
}
