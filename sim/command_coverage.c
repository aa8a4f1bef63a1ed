/* `raid5sim coverage FILE.cfg...`: what the checks of these scenarios reach together, and what none
 * does. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command.h"
#include "sim/complaint.h"
#include "sim/coverage.h"

enum { FILES_LIMIT = 1024 };

struct coverage_arguments {
    struct common_options common; /* --set alone */
    const char *file[FILES_LIMIT];
    unsigned files;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct coverage_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->common;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->files == FILES_LIMIT)
            argp_error(state, "more than %d scenarios", FILES_LIMIT);
        arguments->file[arguments->files++] = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which scenarios? Give FILE.cfg...");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool check_one(const char *file, const struct overrides *overrides, struct scenario *s,
                      struct coverage *sum, struct complaint *why)
{
    struct check_problem problem;
    struct check_result result;
    struct coverage *threads;
    bool good;

    memset(s, 0, sizeof *s);
    if (!check_load(s, file, overrides, why) || !check_problem_new(&problem, s, why))
        return false;
    threads = calloc(s->checking.threads, sizeof *threads);
    good = threads != NULL || complain(why, file, 0, "no memory");
    if (good) {
        coverage_watch(&problem, threads);
        good = check_run(&problem, false, &result, why);
    }
    if (good) {
        for (uint32_t t = 0; t < s->checking.threads; t++)
            coverage_add(sum, &threads[t]);
        sum->checks++;
        sum->states += result.states;
        check_result_free(&result);
    }
    free(threads);
    check_problem_free(&problem);
    return good;
}

static int check_all(struct coverage_arguments *arguments, struct scenario *s, struct coverage *sum)
{
    struct overrides overrides = common_overrides(&arguments->common);
    struct complaint why = { .line = 0 };

    for (unsigned i = 0; i < arguments->files; i++)
        if (!check_one(arguments->file[i], &overrides, s, sum, &why)) {
            complaint_print(stderr, &why);
            return EXIT_MISTAKE;
        }
    coverage_print(stdout, sum);
    return EXIT_AS_EXPECTED;
}

int command_coverage(int argc, char **argv)
{
    static const struct argp_child children[] = { { &set_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "FILE.cfg...",
        .doc = "Check scenarios and list the steps, marks and flags that none of them reaches.\v"
               "Verdicts do not matter. Exit status: 0, or 2 for a bad scenario.",
        .children = children,
    };
    struct coverage_arguments arguments = { .files = 0 };
    int status = EXIT_MISTAKE;

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments))
        return EXIT_MISTAKE;
    struct scenario *s = calloc(1, sizeof *s);
    struct coverage *sum = calloc(1, sizeof *sum);

    if (s && sum)
        status = check_all(&arguments, s, sum);
    else
        fputs("raid5sim: out of memory\n", stderr);
    free(sum);
    free(s);
    return status;
}
