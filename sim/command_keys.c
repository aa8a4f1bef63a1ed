/* `raid5sim keys` and `raid5sim presets`: what a scenario may say. */
#include <argp.h>
#include <stdio.h>

#include "model/catalogue.h"
#include "sim/command.h"
#include "sim/scenario.h"
#include "sim/scenario_print.h"

struct keys_arguments {
    const char *pattern;
    bool names, man;
};

static error_t parse_keys(int key, char *text, struct argp_state *state)
{
    struct keys_arguments *arguments = state->input;

    switch (key) {
    case 'n':
        arguments->names = true;
        return 0;
    case 'm':
        arguments->man = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->pattern)
            argp_error(state, "one pattern at a time, not also '%s'", text);
        arguments->pattern = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->names + arguments->man + (arguments->pattern != NULL) > 1)
            argp_error(state, "--names, --man and a pattern exclude each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* 2 if what was printed did not arrive. */
static int printed(int status)
{
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    fputs("standard output: cannot be written\n", stderr);
    return EXIT_MISTAKE;
}

int command_keys(int argc, char **argv)
{
    static const struct argp_option options[] = {
        { "names", 'n', NULL, 0, "Only SECTION.KEY, one a line", 0 },
        { "man", 'm', NULL, 0, "As source of a manual page", 0 },
        { 0 },
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse_keys,
        .args_doc = "[PATTERN]",
        .doc =
            "List the keys of scenario files: type, default, range, unit and meaning.\v"
            "PATTERN is a part of SECTION.KEY or of the meaning. Exit status: 0, or 1 when no key "
            "matches.",
    };
    struct keys_arguments arguments = { .pattern = NULL };
    int status = EXIT_AS_EXPECTED;

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments))
        return EXIT_MISTAKE;
    if (arguments.names)
        scenario_print_key_names();
    else if (arguments.man)
        scenario_print_keys_man();
    else
        status = scenario_print_keys(arguments.pattern);
    return printed(status);
}

int command_presets(int argc, char **argv)
{
    static const struct argp argp = {
        .doc = "List the presets of hosts, drivers and disks with the source of their figures.\v"
               "The data folder is $RAID5SIM_DATA, that of the source tree, or the installed one.",
    };

    if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
        return EXIT_MISTAKE;
    return printed(scenario_print_presets());
}

static void print_mutation(const struct mutation_text *m)
{
    printf("%s  %s\n     affected: %s; fixed by: %s\n", m->id, m->what, m->versions, m->fix);
    if (m->unseeded)
        printf("     cannot be put back here: %s\n", m->unseeded);
    if (m->unfound)
        printf("     no check finds it: %s\n", m->unfound);
}

int command_mutations(int argc, char **argv)
{
    static const struct argp argp = {
        .doc = "List real faults of md's raid5 with versions affected and source.\v"
               "--mutate BNN puts one back; raid5sim check --all-mutations tries them all.",
    };

    if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
        return EXIT_MISTAKE;
    for (unsigned n = 0; mutation_text(n); n++)
        print_mutation(mutation_text(n));
    return printed(EXIT_AS_EXPECTED);
}
