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

#include "model/shape.h"
#include "sim/check_names.h"
#include "sim/check_report.h"
#include "sim/command.h"
#include "sim/complaint.h"

struct check_arguments {
    struct common_options common;
    const char *file;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct check_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->common;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->file)
            argp_error(state, "one scenario at a time, not also '%s'", text);
        arguments->file = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
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

/* What a check cannot answer or would leave out is refused. */
static bool is_checkable(const struct scenario *s, struct complaint *why)
{
    for (uint32_t i = 0; i < s->expect_count; i++)
        if (strcmp(s->expect[i].name, "verdict"))
            return complain(why, s->path, s->expect[i].line,
                            "%s: a check knows only the expectation `verdict`", s->expect[i].name);
    if (s->checking.mode == CHECK_EXACT && s->checking.order != CHECK_BREADTH)
        return complain(why, s->path, 0, "mode = exact: only with order = breadth");
    if (s->checking.mode == CHECK_BITSTATE && s->checking.order != CHECK_DEPTH)
        return complain(why, s->path, 0, "mode = bitstate: only with order = depth");
    if (s->fault_count)
        return complain(why, s->path, 0,
                        "[fault %s]: a check tries every moment; give fate a budget in [check]",
                        s->fault[0].name);
    for (unsigned b = 0; b < BUDGET_COUNT; b++)
        if (s->checking.budget[b] &&
            (s->array.level < LEVEL_RAID4 || s->driver.generation != GENERATION_61))
            return complain(why, s->path, 0,
                            "%s: needs raid4 or raid5 and driver md-3.12 or md-6.1",
                            check_budget_name(b));
    return true;
}

int command_check(int argc, char **argv)
{
    static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
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
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct overrides overrides = common_overrides(&arguments.common);

    if (!scenario)
        complain(&why, arguments.file, 0, "no memory");
    else if (scenario_load(scenario, arguments.file, &overrides, &why) &&
             is_checkable(scenario, &why)) {
        scenario->checking.on = true;
        status = check_and_report(&arguments, scenario, &why);
    }
    if (status == EXIT_MISTAKE)
        complaint_print(stderr, &why);
    free(scenario);
    return status;
}
