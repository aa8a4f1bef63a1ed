/*
 * raid5sim: the first word says what to do; each command has its own options.
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "sim/command.h"
#include "sim/nearest.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const struct command commands[] = {
    { "run", command_run, "simulate a scenario in time and report" },
    { "check", command_check, "explore every order of events of a small array" },
    { "replay", command_replay, "make the moves of a finding once more" },
    { "map", command_map, "say where a sector of the array lies, and back" },
    { "keys", command_keys, "list the keys of scenario files" },
    { "presets", command_presets, "list hosts, drivers and disks that scenarios can name" },
    { "mutations", command_mutations, "list real faults of md that can be put back" },
    { "help", command_help, "this text, or the help of a command" },
    { "version", command_version, "print the version" },
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    }
    return NULL;
}

static void print_usage(FILE *stream)
{
    fputs("Usage: raid5sim COMMAND [OPTION...] [ARGUMENT]\n"
          "A deterministic simulator of Linux md RAID5.\n\n",
          stream);
    for (unsigned i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("\nraid5sim COMMAND --help tells more of a command, raid5sim-scenario(5) of scenario "
          "files.\n"
          "Exit status: 0 as expected, 1 finding or missed expectation, 2 wrong usage or bad "
          "scenario,\n3 a bound was reached without an answer.\n",
          stream);
}

static int unknown_command(const char *name)
{
    struct nearest search = nearest_begin(name);

    for (unsigned i = 0; i < COMMANDS; i++)
        nearest_offer(&search, commands[i].name);
    if (search.best)
        fprintf(stderr, "raid5sim: unknown command '%s'; did you mean '%s'?\n", name, search.best);
    else
        fprintf(stderr, "raid5sim: unknown command '%s'; raid5sim help lists them\n", name);
    return EXIT_MISTAKE;
}

/* Calls a command with an argv[0] that usage texts can show. */
static int call(const struct command *command, int argc, char **argv)
{
    char name[64];

    snprintf(name, sizeof name, "raid5sim %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

static int command_help(int argc, char **argv)
{
    char help[] = "--help";
    char *words[] = { NULL, help, NULL };

    if (argc < 2 || argv[1][0] == '-') {
        print_usage(stdout);
        return EXIT_AS_EXPECTED;
    }
    const struct command *command = find_command(argv[1]);

    if (!command)
        return unknown_command(argv[1]);
    if (command->run == command_help || command->run == command_version) {
        print_usage(stdout);
        return EXIT_AS_EXPECTED;
    }
    return call(command, 2, words);
}

static int command_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("raid5sim " RAID5SIM_VERSION);
    return EXIT_AS_EXPECTED;
}

int main(int argc, char **argv)
{
    argp_err_exit_status = EXIT_MISTAKE;
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_MISTAKE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?"))
        return command_help(1, argv + 1);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
        return command_version(1, argv + 1);
    const struct command *command = find_command(argv[1]);

    return command ? call(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
