/*
 * `raid5sim map [FILE.cfg] SECTOR...`: which member, row and stripe_head hold a sector of the
 * array, and back. No run, no load: only the array of the scenario counts, or, without a file, what
 * --set says of it.
 *
 * All lookups are read and checked before the first line is printed.
 *
 * Left out: data_offset (member sectors are counted from where the array's data begin), names of
 * members.
 */
#include <argp.h>
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ids.h"
#include "sim/command.h"
#include "sim/complaint.h"
#include "sim/geometry_names.h"
#include "sim/json_build.h"
#include "sim/lookup.h"
#include "sim/output.h"

enum { NO_PARITY = 0xff, NUMBER_BYTES = 24 };

struct map_arguments {
    struct common_options common; /* set and json */
    const char *file;             /* NULL: none */
    struct lookup *lookup;        /* room for as many as there are words */
    unsigned lookups;
};

static const struct argp_option options[] = {
    { "member", 'm', "DISK:SECTOR[+COUNT]", 0,
      "The way back: which sectors of the array these sectors of a member hold, or are the parity "
      "of; may be repeated",
      2 },
    { "json", 'j', "FILE", 0, "Write the pieces as JSON to FILE; - is standard output", 2 },
    { 0 },
};

static const char doc[] =
    "Say which member, row and stripe_head hold a sector of the array, and back.\v"
    "A plain number counts sectors of 512 bytes; with a unit (64k, 1M) it counts bytes, which must "
    "make whole sectors. COUNT is 1 if it is not given. FILE.cfg is the word that does not begin "
    "with a digit, or ends in .cfg, or has a slash in it; without one, --set says what is to be "
    "known of the array (--set array.raid_disks=5), and members of no known size count as the "
    "largest possible.\n\n"
    "Each line is a piece, sectors within one chunk: what was asked; the first sector of the array "
    "and how many; chunk of the array; row of chunks; stripe_head (the member sector rounded down "
    "to 4 KiB, the driver's sh->sector, of the piece's first sector); member that holds the data; "
    "sector of that member; member that holds the parity; and whether the place asked for holds "
    "these data or is their parity. A dash: this level has no such thing.\n\n"
    "Exit status: 0, or 2 for wrong usage, a bad array, or a sector or member it has not.";

/* See doc. */
static bool names_a_file(const char *word)
{
    size_t length = strlen(word);

    return !isdigit((unsigned char)*word) || strchr(word, '/') ||
           (length > 4 && !strcmp(word + length - 4, ".cfg"));
}

static void add_lookup(struct map_arguments *arguments, const char *text, bool of_member)
{
    arguments->lookup[arguments->lookups++] =
        (struct lookup){ .text = text, .of_member = of_member };
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct map_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->common;
        return 0;
    case 'm':
        add_lookup(arguments, text, true);
        return 0;
    case 'j':
        arguments->common.json = text;
        return 0;
    case ARGP_KEY_ARG:
        if (!names_a_file(text))
            add_lookup(arguments, text, false);
        else if (arguments->file)
            argp_error(state, "one scenario at a time, not also '%s'", text);
        else
            arguments->file = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->lookups == 0)
            argp_error(state, "which sector? Give a SECTOR or --member DISK:SECTOR");
        if (!arguments->file && arguments->common.set_count == 0)
            argp_error(state, "which array? Give a FILE.cfg or --set array.raid_disks=N");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- A table for people and awk --- */

/* A number, or a dash where there is none. Returns text. */
static const char *cell(char text[static NUMBER_BYTES], bool known, uint64_t number)
{
    if (known)
        snprintf(text, NUMBER_BYTES, "%" PRIu64, number);
    else
        snprintf(text, NUMBER_BYTES, "-");
    return text;
}

static uint64_t stripe_sector(const struct piece *piece)
{
    return piece->member_sector / PAGE_SECTORS * PAGE_SECTORS;
}

static const char *role(const struct piece *piece)
{
    return piece->asked_parity ? "parity" : "data";
}

static void print_piece(const struct geometry *g, const char *asked, int width,
                        const struct piece *piece)
{
    bool chunks = g->level != LEVEL_RAW, stripes = piece->parity != NO_PARITY;
    char chunk[NUMBER_BYTES], row[NUMBER_BYTES], stripe[NUMBER_BYTES], parity[NUMBER_BYTES];

    printf("%-*s %12" PRIu64 " %8" PRIu64 " %8s %8s %12s %5d %13" PRIu64 " %6s %s\n", width, asked,
           piece->sector, piece->count, cell(chunk, chunks, piece->sector >> g->chunk_shift),
           cell(row, chunks, piece->member_sector >> g->chunk_shift),
           cell(stripe, stripes, stripe_sector(piece)), piece->disk, piece->member_sector,
           cell(parity, stripes, piece->parity), role(piece));
}

static void print_table(const struct map_arguments *arguments, const struct geometry *g)
{
    int width = (int)strlen("asked");
    struct piece piece;

    for (unsigned i = 0; i < arguments->lookups; i++) {
        if ((int)strlen(arguments->lookup[i].text) > width)
            width = (int)strlen(arguments->lookup[i].text);
    }
    printf("%-*s %12s %8s %8s %8s %12s %5s %13s %6s %s\n", width, "asked", "array_sector",
           "sectors", "chunk", "row", "stripe_head", "disk", "member_sector", "parity", "role");
    for (unsigned i = 0; i < arguments->lookups; i++) {
        for (struct walk walk = walk_begin(&arguments->lookup[i], g); walk_next(&walk, &piece);)
            print_piece(g, arguments->lookup[i].text, width, &piece);
    }
}

/* --- JSON: the same, with the array; what a level has not is left out --- */

static void put_geometry(struct builder *b, json_t *array, const struct geometry *g)
{
    put_text(b, array, "level", geometry_level_name((enum level)g->level));
    if (g->level == LEVEL_RAID5)
        put_text(b, array, "layout", geometry_layout_name((enum layout)g->layout));
    put_uint(b, array, "raid_disks", g->disks);
    if (g->level != LEVEL_RAW)
        put_uint(b, array, "chunk_sectors", g->chunk_sectors);
    put_uint(b, array, "component_sectors", g->component_sectors);
    put_uint(b, array, "sectors", geometry_sectors(g));
}

static void put_piece(struct builder *b, json_t *object, const struct geometry *g,
                      const char *asked, const struct piece *piece)
{
    put_text(b, object, "asked", asked);
    put_uint(b, object, "array_sector", piece->sector);
    put_uint(b, object, "sectors", piece->count);
    if (g->level != LEVEL_RAW) {
        put_uint(b, object, "chunk", piece->sector >> g->chunk_shift);
        put_uint(b, object, "row", piece->member_sector >> g->chunk_shift);
    }
    if (piece->parity != NO_PARITY)
        put_uint(b, object, "stripe_head", stripe_sector(piece));
    put_uint(b, object, "disk", piece->disk);
    put_uint(b, object, "member_sector", piece->member_sector);
    if (piece->parity != NO_PARITY)
        put_uint(b, object, "parity", piece->parity);
    put_text(b, object, "role", role(piece));
}

static bool dump_json(FILE *out, const struct map_arguments *arguments, const struct geometry *g)
{
    struct builder b = { false };
    json_object_seed(1); /* else jansson asks the host for random numbers */
    json_t *top = json_object();
    struct piece piece;

    put_geometry(&b, put_object(&b, top, "array"), g);
    json_t *pieces = put_array(&b, top, "pieces");

    for (unsigned i = 0; i < arguments->lookups; i++) {
        for (struct walk walk = walk_begin(&arguments->lookup[i], g); walk_next(&walk, &piece);)
            put_piece(&b, append_object(&b, pieces), g, arguments->lookup[i].text, &piece);
    }
    bool written = top && !b.failed && json_dumpf(top, out, JSON_INDENT(2)) == 0;

    json_decref(top);
    return written && fputc('\n', out) != EOF && fflush(out) == 0 && !ferror(out);
}

static bool write_json(const struct map_arguments *arguments, const struct geometry *g,
                       struct complaint *complaint)
{
    struct output output;

    if (!output_open(&output, arguments->common.json, complaint))
        return false;
    if (dump_json(output.stream, arguments, g))
        return output_commit(&output, complaint);
    complain(complaint, arguments->common.json, 0, "the pieces could not be written");
    output_abandon(&output);
    return false;
}

static bool answer(struct map_arguments *arguments, struct scenario *scenario,
                   struct complaint *complaint)
{
    struct overrides overrides = common_overrides(&arguments->common);
    const char *json = arguments->common.json;
    struct geometry geometry;
    uint32_t pieces = 0;

    if (!scenario_load_array(scenario, arguments->file, &overrides, &geometry, complaint))
        return false;
    for (unsigned i = 0; i < arguments->lookups; i++) {
        struct lookup *lookup = &arguments->lookup[i];

        if (!lookup_parse(lookup, complaint) ||
            !lookup_check(lookup, &geometry, &pieces, complaint))
            return false;
    }
    if (json && !write_json(arguments, &geometry, complaint))
        return false;
    if (!json || strcmp(json, "-"))
        print_table(arguments, &geometry);
    if (fflush(stdout) || ferror(stdout))
        return complain(complaint, "standard output", 0, "cannot be written");
    return true;
}

int command_map(int argc, char **argv)
{
    static const struct argp_child children[] = { { &set_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[FILE.cfg] [SECTOR[+COUNT]...]",
        .doc = doc,
        .children = children,
    };
    struct map_arguments arguments = { .file = NULL };
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct complaint complaint = { .line = 0 };
    bool good = false;

    arguments.lookup = calloc((size_t)argc, sizeof *arguments.lookup);
    if (!scenario || !arguments.lookup)
        complain(&complaint, "raid5sim", 0, "out of memory");
    else if (!argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments))
        good = answer(&arguments, scenario, &complaint);
    if (complaint.text[0])
        complaint_print(stderr, &complaint);
    free(arguments.lookup);
    free(scenario);
    return good ? EXIT_AS_EXPECTED : EXIT_MISTAKE;
}
