/* All faults of the catalogue, one after another: see check_mutations.h. */
#include "sim/check_mutations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/catalogue.h"
#include "sim/check_report.h"
#include "sim/command.h"
#include "sim/complaint.h"

enum { PATH_BYTES = 4096 };

/* The user's settings and the mutation. */
static bool load(struct scenario *s, const char *path, const struct overrides *overrides,
                 const char *id, struct complaint *why)
{
    const char *text[SETS_MAX + 3];
    char mutation[32];

    snprintf(mutation, sizeof mutation, "driver.mutation=%s", id);
    for (unsigned i = 0; i < overrides->count; i++)
        text[i] = overrides->text[i];
    text[overrides->count] = mutation;
    return check_load(s, path, &(struct overrides){ text, overrides->count + 1 }, why);
}

static bool check_one(const struct scenario *s, struct check_result *result, struct complaint *why)
{
    struct check_problem problem;
    bool good;

    if (!check_problem_new(&problem, s, why))
        return false;
    good = check_run(&problem, false, result, why);
    check_problem_free(&problem);
    return good;
}

static void print_row(const struct mutation_text *m, const struct check_result *r)
{
    bool found = r->verdict == VERDICT_FINDING;

    printf("%-4s %-9s %-8s %6u moves %10llu states %7.2f s  %s\n", m->id,
           found ? "found" : "not found", found ? check_verdict_word(r) : "-", r->trace_length,
           (unsigned long long)r->states, r->seconds, m->what);
    if (!found && m->unfound)
        printf("     (%s)\n", m->unfound);
    fflush(stdout);
}

/* 1: found; 0: not; -1: complained. */
static int try_one(const struct mutation_text *m, const char *folder,
                   const struct overrides *overrides, struct scenario *s)
{
    struct complaint why = { .line = 0 };
    struct check_result result;
    char path[PATH_BYTES + 16];
    int found = -1;

    snprintf(path, sizeof path, "%s/%s.cfg", folder, m->id);
    memset(s, 0, sizeof *s);
    if (load(s, path, overrides, m->id, &why) && check_one(s, &result, &why)) {
        print_row(m, &result);
        found = result.verdict == VERDICT_FINDING;
        check_result_free(&result);
    } else {
        complaint_print(stderr, &why);
    }
    return found;
}

int check_all_mutations(const struct overrides *overrides)
{
    struct scenario *s = calloc(1, sizeof *s);
    char folder[PATH_BYTES];
    unsigned found = 0, seeded = 0, missed = 0;
    int one = s && preset_folder("../check/mutations", folder, sizeof folder) ? 0 : -1;

    for (unsigned n = 0; mutation_text(n) && one >= 0; n++) {
        const struct mutation_text *m = mutation_text(n);

        if (m->unseeded)
            continue;
        one = try_one(m, folder, overrides, s);
        seeded++;
        found += one == 1;
        missed += one == 0 && !m->unfound;
    }
    free(s);
    if (one < 0)
        return EXIT_MISTAKE;
    printf("mutations: %u of %u found\n", found, seeded);
    return missed ? EXIT_FINDING : EXIT_AS_EXPECTED;
}
