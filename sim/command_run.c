/*
 * `raid5sim run FILE.cfg`: one timed run, its report, and the verdict of its [expect] lines.
 *
 * Order matters: nothing is written, and no file is created, before the scenario is known to be
 * good; the files to be written are tried before the run, because a run may take long, and written
 * after it.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults/points.h"
#include "sim/command.h"
#include "sim/complaint.h"
#include "sim/expect.h"
#include "sim/io_log.h"
#include "sim/output.h"
#include "sim/report.h"
#include "sim/run.h"

struct run_arguments {
    struct common_options common;
    const char *file;
    const char *io_log;    /* "-": standard output; NULL: none */
    uint8_t io_log_format; /* enum io_log_format */
    bool format_given;
};

enum { OPTION_IO_LOG = 256, OPTION_IO_LOG_FORMAT };

static const struct argp_option options[] = {
    { "io-log", OPTION_IO_LOG, "FILE", 0,
      "Write every member I/O, in order of submission, to FILE; - is standard output", 2 },
    { "io-log-format", OPTION_IO_LOG_FORMAT, "plain|blkparse", 0,
      "How --io-log writes a line; plain is the default", 2 },
    { 0 },
};

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct run_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->common;
        return 0;
    case OPTION_IO_LOG:
        arguments->io_log = text;
        return 0;
    case OPTION_IO_LOG_FORMAT:
        if (strcmp(text, "plain") && strcmp(text, "blkparse"))
            argp_error(state, "--io-log-format: '%s' is neither plain nor blkparse", text);
        arguments->io_log_format = *text == 'p' ? IO_LOG_PLAIN : IO_LOG_BLKPARSE;
        arguments->format_given = true;
        return 0;
    case ARGP_KEY_END:
        if (arguments->format_given && !arguments->io_log)
            argp_error(state, "--io-log-format: nothing without --io-log");
        if (is_stdout(arguments->io_log) && is_stdout(arguments->common.json))
            argp_error(state, "--io-log and --json cannot both go to standard output");
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

static void print_warnings(const struct scenario *scenario)
{
    if (scenario->warning_count == 0)
        return;
    fprintf(stderr, "%s: warning: not modelled, left out:", scenario->path);
    for (uint32_t i = 0; i < scenario->warning_count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", scenario->warning[i]);
    fputc('\n', stderr);
}

static bool try_file(const char *path, struct complaint *complaint)
{
    struct output output;

    if (!path || is_stdout(path))
        return true;
    if (!output_open(&output, path, complaint))
        return false;
    output_abandon(&output);
    return true;
}

static bool write_json(const char *path, const struct results *results, struct complaint *complaint)
{
    struct output output;

    if (!output_open(&output, path, complaint))
        return false;
    if (report_json(output.stream, results))
        return output_commit(&output, complaint);
    complain(complaint, path, 0, "the report could not be written");
    output_abandon(&output);
    return false;
}

static bool write_io_log(const struct run_arguments *arguments, const struct io_log *log,
                         struct complaint *complaint)
{
    struct output output;

    if (!output_open(&output, arguments->io_log, complaint))
        return false;
    if (io_log_write(log, (enum io_log_format)arguments->io_log_format, output.stream))
        return output_commit(&output, complaint);
    complain(complaint, arguments->io_log, 0, "the log of I/O could not be written%s",
             log->lost ? ": no memory" : "");
    output_abandon(&output);
    return false;
}

/* Reports a finished run. False: complained. */
static bool report(const struct run_arguments *arguments, const struct results *results,
                   unsigned *missed, struct complaint *complaint)
{
    const char *json = arguments->common.json;
    bool silent = arguments->common.quiet || is_stdout(json) || is_stdout(arguments->io_log);

    if (!silent)
        report_text(stdout, results);
    *missed = expect_check(results, silent ? NULL : stdout);
    if (json && !write_json(json, results, complaint))
        return false;
    if (point_fails(POINT_STDOUT_WRITE) || fflush(stdout) || ferror(stdout))
        return complain(complaint, "standard output", 0, "cannot be written: %s", strerror(errno));
    return true;
}

static int run_and_report(const struct run_arguments *arguments, const struct scenario *scenario,
                          struct results *results, struct complaint *complaint)
{
    struct io_log log = { .count = 0 };
    struct run_options run = { .progress = !arguments->common.quiet && isatty(STDERR_FILENO),
                               .io_log = arguments->io_log ? &log : NULL };
    unsigned missed;
    bool good;

    good = try_file(arguments->common.json, complaint) && try_file(arguments->io_log, complaint) &&
           run_scenario(scenario, &run, results, complaint) &&
           (!arguments->io_log || write_io_log(arguments, &log, complaint)) &&
           report(arguments, results, &missed, complaint);
    io_log_free(&log);
    if (!good) {
        complaint_print(stderr, complaint);
        return EXIT_MISTAKE;
    }
    if (results->findings)
        fprintf(stderr, "%s: finding: %s\n", scenario->path, results->finding);
    return results->findings || missed ? EXIT_FINDING : EXIT_AS_EXPECTED;
}

static int run_file(struct run_arguments *arguments, struct scenario *scenario,
                    struct results *results)
{
    struct complaint complaint = { .line = 0 };
    struct overrides overrides = common_overrides(&arguments->common);

    if (!scenario_load(scenario, arguments->file, &overrides, &complaint)) {
        complaint_print(stderr, &complaint);
        return EXIT_MISTAKE;
    }
    if (!arguments->common.quiet)
        print_warnings(scenario);
    return run_and_report(arguments, scenario, results, &complaint);
}

int command_run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.cfg",
        .doc = "Simulate a scenario in time and report what it did.\v"
               "Exit status: 0 as expected, 1 a finding or a missed expectation, 2 wrong usage or "
               "a bad "
               "scenario.",
        .children = children,
    };
    struct run_arguments arguments = { .io_log_format = IO_LOG_PLAIN };

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments))
        return EXIT_MISTAKE;
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct results *results = point_fails(POINT_RUN_MEMORY) ? NULL : calloc(1, sizeof *results);
    int status = EXIT_MISTAKE;

    if (scenario && results)
        status = run_file(&arguments, scenario, results);
    else
        fputs("raid5sim: out of memory\n", stderr);
    free(results);
    free(scenario);
    return status;
}
