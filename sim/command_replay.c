/*
 * `raid5sim replay TRACE`: the moves of a finding once more, up to where asked, and what the
 * stripes look like then.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/array.h"
#include "model/io.h"
#include "model/stripe.h"
#include "sim/check_report.h"
#include "sim/command.h"
#include "sim/complaint.h"
#include "sim/story.h"
#include "sim/trace_file.h"

struct replay_arguments {
    const char *file;
    uint64_t until; /* 0: to the end */
    bool timed;
};

enum { OPTION_TIMED = 256 };

static const struct argp_option options[] = {
    { "until", 'u', "N", 0, "Stop after the N-th move and print the stripes", 1 },
    { "timed", OPTION_TIMED, NULL, 0,
      "Print when each move would be, at the host's prices, were nothing else to wait for", 1 },
    { 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct replay_arguments *arguments = state->input;
    char *end;

    switch (key) {
    case 'u':
        errno = 0;
        arguments->until = strtoull(text, &end, 10);
        if (errno || *end || end == text || !arguments->until)
            argp_error(state, "--until: '%s' is no number of a move", text);
        return 0;
    case OPTION_TIMED:
        arguments->timed = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->file)
            argp_error(state, "one trace at a time, not also '%s'", text);
        arguments->file = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which trace? Give a file that check --trace has written");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What is told while the moves are made. */
struct replay {
    const struct replay_arguments *arguments;
    const struct check_problem *c;
    const struct trace_file *trace;
    uint64_t *free_at; /* [actors], ns: when each is through with its last move */
    uint64_t now;
    uint32_t number;
    unsigned property;
};

/* What the move keeps its actor busy for: work at the host's prices, a member's I/O for as long as
 * its preset says a command of model null takes. */
static uint64_t duration(const struct replay *r, const struct world *before, struct move m,
                         const struct effects *e)
{
    const struct scenario *s = r->c->scenario;
    uint64_t milli = 0;

    if (actor_see(before, m.who)->kind == KIND_DISK)
        return s->disk[actor_see(before, m.who)->index].latency_ns;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->list[i].kind == EFFECT_WORK)
            milli += (uint64_t)s->host.cycles_milli[e->list[i].what] * e->list[i].amount;
    return milli / (s->host.mhz ? s->host.mhz : 1);
}

/* Moves keep their order: one begins when the one before has begun and its own actor is free; an
 * interrupt when its member is through. */
static void print_time(struct replay *r, const struct world *before, struct move m,
                       const struct effects *e)
{
    if (r->free_at[m.who] > r->now)
        r->now = r->free_at[m.who];
    if (actor_see(before, m.who)->kind == KIND_COMPLETION) {
        uint64_t served = r->free_at[actor_disk(&before->shape, actor_see(before, m.who)->index)];

        r->now = served > r->now ? served : r->now;
    }
    printf("%10llu.%03llu us ", (unsigned long long)(r->now / 1000),
           (unsigned long long)(r->now % 1000));
    r->free_at[m.who] = r->now + duration(r, before, m, e);
}

static void step(void *argument, const struct world *before, const struct world *after,
                 struct move m, const struct effects *e)
{
    struct replay *r = argument;
    char who[STORY_TEXT], what[STORY_TEXT];

    (void)after;
    if (r->arguments->timed)
        print_time(r, before, m, e);
    story_actor(r->c, m.who, who);
    story_move(r->c, before, m, what);
    printf("%5u  %-18s %s\n", ++r->number, who, what);
}

static void print_flags(uint32_t flags, const char *const *names, unsigned count)
{
    bool any = false;

    for (unsigned i = 0; i < count; i++)
        if (flags >> i & 1) {
            printf("%s%s", any ? "," : " ", names[i]);
            any = true;
        }
    if (!any)
        fputs(" -", stdout);
}

static void print_stripe(const struct world *w, stripe_id s)
{
    static const char *const states[] = { "HANDLE",          "SYNCING",        "INSYNC",
                                          "PREREAD_ACTIVE",  "DELAYED",        "DEGRADED",
                                          "BIT_DELAY",       "HASHED",         "ON_UNPLUG_LIST",
                                          "ON_RELEASE_LIST", "BATCH_READY",    "FULL_WRITE",
                                          "IO_STARTED",      "SYNC_REQUESTED", "BATCH_ERR" };
    static const char *const flags[] = { "UPTODATE", "LOCKED",      "OVERWRITE",  "Insync",
                                         "Wantread", "Wantwrite",   "Overlap",    "ReadError",
                                         "ReWrite",  "Wantfill",    "Wantdrain",  "Wantcompute",
                                         "SkipCopy", "ReadNoMerge", "WriteError", "MadeGood" };
    static const char *const io[] = { "", " queued", " done", " held" };
    const struct stripe *x = stripe_see(w, s);

    printf("stripe %llu: count %u, parity on member %u,", (unsigned long long)x->sector, x->count,
           x->parity);
    print_flags(x->state, states, sizeof states / sizeof states[0]);
    putchar('\n');
    for (unsigned d = 0; d < w->shape.geometry.disks; d++) {
        const struct slot *slot = slot_see(w, s, d);

        printf("  member %u:", d);
        print_flags(slot->flags, flags, sizeof flags / sizeof flags[0]);
        printf("%s%s%s%s\n", slot->toread != NONE32 ? " toread" : "",
               slot->towrite != NONE32 ? " towrite" : "", slot->written != NONE32 ? " written" : "",
               io[io_see(w, io_of_slot(w, s, d))->state]);
    }
}

static void end(void *argument, const struct world *w, unsigned property)
{
    struct replay *r = argument;

    r->property = property;
    if (property == PROPERTY_HOLDS)
        r->property = r->c->problem.broken(&r->c->problem, w, false);
    if (r->property == PROPERTY_BUG)
        return; /* the world makes no sense any more */
    for (stripe_id s = 0; w->shape.stripes && s < array_see(w, 0)->max_stripes; s++)
        if (stripe_see(w, s)->state & STRIPE_HASHED)
            print_stripe(w, s);
}

static int replay_moves(const struct replay_arguments *arguments, const struct check_problem *c,
                        const struct trace_file *t, struct complaint *why)
{
    struct replay r = { .arguments = arguments, .c = c, .trace = t };
    struct story story = {
        .c = c, .move = t->move, .count = t->moves, .step = step, .end = end, .argument = &r
    };
    uint32_t made;

    if (arguments->until && arguments->until < t->moves)
        story.count = (uint32_t)arguments->until;
    r.free_at = calloc(c->start->shape.actors, sizeof *r.free_at);
    made = r.free_at ? story_walk(&story) : STORY_NO_MEMORY;
    free(r.free_at);
    if (made == STORY_NO_MEMORY) {
        complain(why, t->path, 0, "no memory");
        return EXIT_MISTAKE;
    }
    if (made < story.count && r.property == PROPERTY_HOLDS) {
        complain(why, t->path, 0,
                 "move %u cannot be made: the trace is of another scenario or another version",
                 made + 1);
        return EXIT_MISTAKE;
    }
    printf("%u of %u moves made; the trace ends in %s\n", made, t->moves, t->property);
    return EXIT_AS_EXPECTED;
}

/* All members of model null: the only one whose commands take a time of their own. */
static bool can_be_timed(const struct scenario *s, struct complaint *why)
{
    for (uint32_t d = 0; d < s->disk_count; d++)
        if (strcmp(s->disk[d].model, "null"))
            return complain(why, s->path, 0, "--timed: member %u is not of model null", d);
    return true;
}

static int replay_file(const struct replay_arguments *arguments, struct scenario *s,
                       struct complaint *why)
{
    const char *text[SETS_MAX];
    struct trace_file t;
    struct check_problem problem;
    int status = EXIT_MISTAKE;

    if (!trace_file_read(&t, arguments->file, why))
        return status;
    for (uint32_t i = 0; i < t.sets && i < SETS_MAX; i++)
        text[i] = t.set[i];
    if (check_load(s, t.scenario,
                   &(struct overrides){ text, t.sets < SETS_MAX ? t.sets : SETS_MAX }, why) &&
        (!arguments->timed || can_be_timed(s, why)) && check_problem_new(&problem, s, why)) {
        status = replay_moves(arguments, &problem, &t, why);
        check_problem_free(&problem);
    }
    trace_file_free(&t);
    return status;
}

int command_replay(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "TRACE",
        .doc = "Make the moves of a finding once more and print the stripes.\v"
               "Exit status: 0, or 2 when the trace cannot be read or does not fit.",
    };
    struct replay_arguments arguments = { .file = NULL };
    struct complaint why = { .line = 0 };
    struct scenario *s;
    int status = EXIT_MISTAKE;

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments))
        return EXIT_MISTAKE;
    s = calloc(1, sizeof *s);
    if (s)
        status = replay_file(&arguments, s, &why);
    else
        complain(&why, arguments.file, 0, "no memory");
    if (status == EXIT_MISTAKE)
        complaint_print(stderr, &why);
    free(s);
    return status;
}
