/* Options that commands working on a scenario share. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "sim/command.h"
#include "sim/scenario_internal.h"

static const struct argp_option set_options[] = {
    { "set", 's', "SECTION.KEY=VALUE", 0, "Override a key of the scenario; may be repeated", 1 },
    { 0 },
};

static const struct argp_option options[] = {
    { "seed", 'S', "N", 0, "Seed of all dice", 1 },
    { "mutate", 'm', "BNN", 0, "Put a real fault of md back (raid5sim mutations lists them)", 1 },
    { "json", 'j', "FILE", 0, "Write the results as JSON to FILE; - is standard output", 1 },
    { "quiet", 'q', NULL, 0, "No report, no warnings, no progress: the exit status tells", 1 },
    { 0 },
};

static error_t parse_set(int key, char *text, struct argp_state *state)
{
    struct common_options *common = state->input;

    if (key != 's')
        return ARGP_ERR_UNKNOWN;
    if (common->set_count == SETS_MAX)
        argp_error(state, "more than %d times --set", SETS_MAX);
    common->set[common->set_count++] = text;
    return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct common_options *common = state->input;
    uint64_t seed;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = common;
        return 0;
    case 'S':
        if (!value_whole(text, &seed) || seed > INT64_MAX)
            argp_error(state, "--seed: '%s' is no whole number", text);
        snprintf(common->seed, sizeof common->seed, "scenario.seed=%llu", (unsigned long long)seed);
        return 0;
    case 'm':
        snprintf(common->mutation, sizeof common->mutation, "driver.mutation=%s", text);
        return 0;
    case 'j':
        common->json = text;
        return 0;
    case 'q':
        common->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp set_argp = { .options = set_options, .parser = parse_set };

static const struct argp_child set_child[] = { { &set_argp, 0, NULL, 0 }, { 0 } };
const struct argp common_argp = { .options = options, .parser = parse, .children = set_child };

struct overrides common_overrides(struct common_options *common)
{
    unsigned count = common->set_count;

    if (common->seed[0])
        common->set[count++] = common->seed;
    if (common->mutation[0])
        common->set[count++] = common->mutation;
    return (struct overrides){ .text = common->set, .count = count };
}
