/*
 * The commands of raid5sim, and the options they share. Each takes what follows its name on the
 * command line (argv[0] is "raid5sim NAME", for usage texts) and returns the exit status.
 */
#ifndef SIM_COMMAND_H
#define SIM_COMMAND_H
#include <stdbool.h>

#include "sim/scenario.h"

#define RAID5SIM_VERSION "0.1.0"

enum exit_status {
    EXIT_AS_EXPECTED = 0,
    EXIT_FINDING = 1,   /* a property is broken or an expectation missed */
    EXIT_MISTAKE = 2,   /* wrong usage, a bad scenario, a file that cannot be written */
    EXIT_UNFINISHED = 3 /* a bound was reached without an answer */
};

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_map(int argc, char **argv);
int command_keys(int argc, char **argv);
int command_mutations(int argc, char **argv);
int command_presets(int argc, char **argv);

enum { SETS_MAX = 256 };

/* --set, --seed, --mutate, --json, --quiet. Texts belong to argv. */
struct common_options {
    const char *set[SETS_MAX + 2];
    unsigned set_count;
    char mutation[32]; /* likewise "driver.mutation=BNN" */
    char seed[48];     /* "scenario.seed=N", the last of the overrides; "": not given */
    const char *json;  /* "-": standard output; NULL: none */
    bool quiet;
};

/* The argp children that fill them in: all of them, or --set alone. Their input is a struct
 * common_options. */
struct argp;
extern const struct argp common_argp;
extern const struct argp set_argp;
/* What scenario_load wants. */
struct overrides common_overrides(struct common_options *);

#endif
