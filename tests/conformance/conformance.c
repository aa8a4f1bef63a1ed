/*
 * conformance [OPTION...] [GOLDEN]   Does the model do the member I/O that the real driver did?
 *
 * Every experiment of every *.json in GOLDEN is done again and compared. One line each: name, how
 * stable the recording is (and so how strict the comparison), I/Os recorded and simulated, verdict,
 * first difference.
 *
 *     equal      within the recording's stability; `equal*` in the very order recorded as well
 *     differs    it ran, but did something else
 *     fails      it did not get that far: assertion, lost data, I/O without end
 *     not yet    the model lacks what the experiment is about
 *
 * The last line is `conformance: N of M equal (K not yet)`. A file of names (the floor) lists what
 * has been equal once and has to stay so.
 *
 * Exit status: 0; 1 if anything of the floor is not equal, and with --strict if anything differs or
 * fails; 2 on wrong usage or files that cannot be read.
 */
#include <argp.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/compare.h"
#include "tests/conformance/recording.h"
#include "tests/conformance/replay.h"

enum { FLOOR_MAX = 1024, NAME_BYTES = 64 };

struct options {
    const char *golden, *base, *floor, *only;
    bool strict, tap, show, names, times;
};

struct tally {
    unsigned equal, tried, not_yet, in_order;
};

struct floor {
    char name[FLOOR_MAX][NAME_BYTES];
    bool met[FLOOR_MAX];
    unsigned count;
};

struct session {
    const struct options *options;
    struct tally tally;
    struct floor floor;
};

/* ------------------------------------------------------------- one of them */

/* Both lists side by side; a mark where they part. */
static void show_lists(const struct bio_list *want, const struct bio_list *got)
{
    for (size_t i = 0; i < want->count || i < got->count; i++) {
        char wanted[48] = "-", seen[48] = "-";

        if (i < want->count)
            bio_text(&want->bio[i], wanted, sizeof wanted);
        if (i < got->count)
            bio_text(&got->bio[i], seen, sizeof seen);
        printf("  %5zu  %-22s %-22s%s\n", i, wanted, seen, strcmp(wanted, seen) ? " <" : "");
    }
}

static void meet_floor(struct floor *floor, const char *name)
{
    for (unsigned i = 0; i < floor->count; i++)
        if (!strcmp(floor->name[i], name))
            floor->met[i] = true;
}

static void print_line(const struct options *o, const struct recording *r, size_t simulated,
                       const char *verdict, const char *why)
{
    if (!o->tap && !o->names)
        printf("%-24s %-10s %6zu %6zu  %-8s %s\n", r->name, stability_text(r->stability),
               r->bios.count, simulated, verdict, why);
}

/* Microseconds from the first I/O to the last: what a host preset's prices are judged by. */
static void print_times(const struct bio_list *want, const struct bio_list *got)
{
    uint64_t wanted = want->bio[want->count - 1].ns - want->bio[0].ns;
    uint64_t seen = got->bio[got->count - 1].ns - got->bio[0].ns;

    printf("  recorded %llu us, simulated %llu us\n", (unsigned long long)wanted / 1000,
           (unsigned long long)seen / 1000);
}

static void try_recording(struct session *s, const struct recording *r)
{
    const struct options *o = s->options;
    const char *lacks = replay_lacks(r);
    struct comparison comparison = { .equal = false };
    struct bio_list bios;
    struct state_seen state;
    char trouble[TROUBLE_MAX];

    if (lacks) {
        s->tally.not_yet++;
        print_line(o, r, 0, "not yet", lacks);
        return;
    }
    s->tally.tried++;
    if (replay_run(r, o->base, &bios, &state, trouble)) {
        compare_bios(&comparison, r, &bios);
        compare_state(&comparison, r, &state);
        print_line(o, r, bios.count,
                   !comparison.equal     ? "differs"
                   : comparison.in_order ? "equal*"
                                         : "equal",
                   comparison.difference);
    } else {
        print_line(o, r, bios.count, "fails", trouble);
    }
    if (comparison.equal) {
        s->tally.equal++;
        s->tally.in_order += comparison.in_order;
        meet_floor(&s->floor, r->name);
        if (o->names)
            puts(r->name);
    }
    if (o->times && comparison.equal && bios.count > 1 && r->bios.bio[1].ns)
        print_times(&r->bios, &bios);
    if (o->show)
        show_lists(&r->bios, &bios);
    bio_list_free(&bios);
}

/* ------------------------------------------------------------------ files */

static bool try_file(struct session *s, const char *path)
{
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error), *record;
    const char *name;
    bool good = file != NULL;

    if (!good)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    json_object_foreach(file, name, record)
    {
        struct recording r;
        char why[128];

        if (s->options->only && strncmp(name, s->options->only, strlen(s->options->only)))
            continue;
        if (recording_read(&r, name, record, why)) {
            try_recording(s, &r);
        } else {
            fprintf(stderr, "%s: %s: %s\n", path, name, why);
            good = false;
        }
        bio_list_free(&r.bios);
    }
    json_decref(file);
    return good;
}

static int is_json(const struct dirent *item)
{
    size_t length = strlen(item->d_name);

    return length > 5 && !strcmp(item->d_name + length - 5, ".json");
}

static bool try_folder(struct session *s)
{
    struct dirent **item;
    int count = scandir(s->options->golden, &item, is_json, alphasort);
    bool good = count > 0;

    if (!good)
        fprintf(stderr, "%s: no recordings here\n", s->options->golden);
    for (int i = 0; i < count; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", s->options->golden, item[i]->d_name);
        good = try_file(s, path) && good;
        free(item[i]);
    }
    if (count >= 0)
        free(item);
    return good;
}

/* Names one a line; what follows a # is a remark. */
static bool read_floor(struct floor *floor, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];

    if (!file) {
        perror(path);
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        char name[NAME_BYTES];

        line[strcspn(line, "#\n")] = '\0';
        if (sscanf(line, "%63s", name) == 1 && floor->count < FLOOR_MAX)
            memcpy(floor->name[floor->count++], name, sizeof name);
    }
    fclose(file);
    return true;
}

/* ---------------------------------------------------------------- the end */

/* Names that fell through the floor, or all of them as checks. */
static unsigned report_floor(const struct floor *floor, const struct options *o)
{
    unsigned fallen = 0;

    if (o->tap)
        printf("1..%u\n", floor->count);
    for (unsigned i = 0; i < floor->count; i++) {
        bool chosen = !o->only || !strncmp(floor->name[i], o->only, strlen(o->only));

        fallen += chosen && !floor->met[i];
        if (o->tap)
            printf("%s %u - %s is as the real driver's\n",
                   floor->met[i] ? "ok"
                   : chosen      ? "not ok"
                                 : "ok # SKIP",
                   i + 1, floor->name[i]);
        else if (chosen && !floor->met[i])
            printf("below the floor: %s\n", floor->name[i]);
    }
    return fallen;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 's':
        o->strict = true;
        return 0;
    case 't':
        o->tap = true;
        return 0;
    case 'v':
        o->show = true;
        return 0;
    case 'e':
        o->names = true;
        return 0;
    case 'm':
        o->times = true;
        return 0;
    case 'f':
        o->floor = text;
        return 0;
    case 'b':
        o->base = text;
        return 0;
    case 'o':
        o->only = text;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            argp_error(state, "one folder of recordings at a time, not also '%s'", text);
        o->golden = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    { "only", 'o', "PREFIX", 0, "Only experiments whose names begin so", 0 },
    { "show", 'v', NULL, 0, "Print both lists side by side", 0 },
    { "times", 'm', NULL, 0, "Print how long equal experiments took, where that was recorded", 0 },
    { "strict", 's', NULL, 0, "A difference is a failure", 0 },
    { "equal", 'e', NULL, 0, "Print the names of equal experiments only, as for a floor", 0 },
    { "tap", 't', NULL, 0, "Print the floor as checks, and no table", 0 },
    { "floor", 'f', "FILE", 0, "Experiments that must be equal", 0 },
    { "base", 'b', "FOLDER", 0, "Where base.cfg and primed.cfg are", 0 },
    { 0 },
};

int main(int argc, char **argv)
{
    static const struct argp argp = { .options = known, .parser = parse, .args_doc = "[GOLDEN]" };
    struct options o = { .golden = "tests/golden/md-6.1",
                         .base = "tests/conformance",
                         .floor = "tests/conformance/floor" };
    struct session *s = calloc(1, sizeof *s);
    unsigned fallen;
    bool good;

    if (!s || argp_parse(&argp, argc, argv, 0, NULL, &o))
        return 2;
    s->options = &o;
    good = read_floor(&s->floor, o.floor) && try_folder(s);
    fallen = report_floor(&s->floor, &o);
    if (!o.names)
        printf("%sconformance: %u of %u equal (%u not yet)\n", o.tap ? "# " : "", s->tally.equal,
               s->tally.tried, s->tally.not_yet);
    fallen += o.strict ? s->tally.tried - s->tally.equal : 0;
    free(s);
    return !good ? 2 : fallen != 0;
}
