/* Traces in words: see story.h. */
#include "sim/story.h"

#include <stdlib.h>
#include <string.h>

#include "faults/fate.h"
#include "model/array.h"
#include "model/io.h"
#include "model/members.h"
#include "model/request.h"
#include "model/stripe.h"
#include "sim/io_log.h"

void story_actor(const struct check_problem *c, actor_id who, char text[static STORY_TEXT])
{
    const struct actor *a = actor_see(c->start, who);

    switch ((enum kind)a->kind) {
    case KIND_CLIENT:
        snprintf(text, STORY_TEXT, "client %u", who);
        break;
    case KIND_DISK:
        snprintf(text, STORY_TEXT, "member %u", a->index);
        break;
    case KIND_COMPLETION:
        snprintf(text, STORY_TEXT, "irq of member %u", a->index);
        break;
    case KIND_WORKER:
        snprintf(text, STORY_TEXT, "worker %u", who - actor_worker(&c->start->shape, 0));
        break;
    default:
        snprintf(text, STORY_TEXT, "%s", c->problem.system->kinds[a->kind]->name);
        break;
    }
}

static const char *direction(enum io_kind kind)
{
    return kind == IO_READ ? "read" : kind == IO_WRITE ? "write" : "flush";
}

static void io_text(const struct world *w, io_id io, char text[static STORY_TEXT])
{
    const struct io *r = io_see(w, io);

    snprintf(text, STORY_TEXT, "%s of member %u, sector %llu+%u (%s)",
             direction((enum io_kind)r->kind), io_disk(w, io), (unsigned long long)r->sector,
             r->sectors, io_reason_name((enum io_reason)r->reason));
}

static void fate_text(const struct world *w, uint64_t name, char text[static STORY_TEXT])
{
    static const char *const words[FATE_COUNT] = {
        [FATE_FAIL] = "mdadm --fail",
        [FATE_DIE] = "dies: answers with errors from now on",
        [FATE_ADD] = "mdadm --add of a blank device",
        [FATE_RETURN] = "mdadm --re-add",
        [FATE_UNREADABLE] = "sectors become unreadable until written",
        [FATE_WORN_READ] = "sectors become unreadable for good",
        [FATE_WORN_WRITE] = "sectors become unwritable for good",
        [FATE_ROT] = "contents change by themselves",
        [FATE_DOOM] = "will fail",
        [FATE_LOSE] = "will be acknowledged and not carried out",
        [FATE_TEAR] = "will be acknowledged and carried out by half",
        [FATE_MISDIRECT] = "will be acknowledged and land a page further on",
        [FATE_SYNC_MAX] = "sync_max",
        [FATE_SYNC_ACTION] = "sync_action",
        [FATE_POWER_CUT] = "the power is cut, and comes back",
    };
    char io[STORY_TEXT];
    enum fate what = fate_what(name);

    switch (what) {
    case FATE_DOOM:
    case FATE_LOSE:
    case FATE_TEAR:
    case FATE_MISDIRECT:
        io_text(w, (io_id)fate_sector(name), io);
        snprintf(text, STORY_TEXT, "the %.100s %s", io, words[what]);
        break;
    case FATE_SYNC_ACTION:
        snprintf(text, STORY_TEXT, "sync_action = %s",
                 fate_sector(name) == SYNC_CHECK ? "check" : "repair");
        break;
    case FATE_POWER_CUT:
        if (!fate_sector(name)) {
            snprintf(text, STORY_TEXT, "%s", words[what]);
            break;
        }
        io_text(w, (io_id)fate_sector(name) - 1, io);
        snprintf(text, STORY_TEXT, "the power is cut half-way through the %.80s", io);
        break;
    case FATE_ADD:
        snprintf(text, STORY_TEXT, "%s", words[what]);
        break;
    case FATE_UNREADABLE:
    case FATE_WORN_READ:
    case FATE_WORN_WRITE:
    case FATE_ROT:
        snprintf(text, STORY_TEXT, "member %u, sector %llu+%u: %s", fate_member(name),
                 (unsigned long long)fate_sector(name), fate_sectors(name), words[what]);
        break;
    default:
        snprintf(text, STORY_TEXT, "member %u: %s", fate_member(name), words[what]);
        break;
    }
}

static void client_text(const struct world *w, struct move m, const struct step *step,
                        char text[static STORY_TEXT])
{
    const struct client *c = client_see(w, m.who);
    const struct actor *a = actor_see(w, m.who);
    const struct request *r;

    if (a->pc == CLIENT_TURN && c->done_head != NONE16) {
        r = request_see(w, c->done_head);
        snprintf(text, STORY_TEXT, "takes back its %s of sector %llu+%u%s",
                 r->flags & REQUEST_FLUSH ? "flush"
                 : r->write               ? "write"
                                          : "read",
                 (unsigned long long)r->sector, r->sectors, r->failed ? ", which has failed" : "");
    } else if (a->pc == CLIENT_TURN) {
        snprintf(text, STORY_TEXT, "begins a %s of sector %llu+%u",
                 request_name_flags(m.way) & REQUEST_FLUSH   ? "flush"
                 : request_name_flags(m.way) & REQUEST_WRITE ? "write"
                                                             : "read",
                 (unsigned long long)request_name_sector(m.way), request_name_sectors(m.way));
    } else {
        r = request_see(w, a->request);
        snprintf(text, STORY_TEXT, "%s, %s of sector %llu+%u", step->kernel,
                 r->write ? "write" : "read", (unsigned long long)r->sector, r->sectors);
    }
}

void story_move(const struct check_problem *c, const struct world *w, struct move m,
                char text[static STORY_TEXT])
{
    const struct step *step = system_step(c->problem.system, w, m.who);
    const struct actor *a = actor_see(w, m.who);
    char io[STORY_TEXT];

    switch ((enum kind)a->kind) {
    case KIND_CLIENT:
        client_text(w, m, step, text);
        return;
    case KIND_DISK:
    case KIND_COMPLETION:
        if (m.way < w->count[SEC_IOS]) {
            io_text(w, (io_id)m.way, io);
            snprintf(text, STORY_TEXT, "%s the %.100s",
                     a->kind == KIND_DISK ? "carries out" : "ends", io);
            return;
        }
        break;
    case KIND_FATE:
        fate_text(w, m.way, text);
        return;
    default:
        break;
    }
    snprintf(text, STORY_TEXT, "%s%s", step->kernel, m.way ? ", the other way" : "");
}

/* Which stripe the actor is at, for steps that are about one. */
static void print_stripe(FILE *out, const struct world *w, const struct effects *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->list[i].kind == EFFECT_TOUCH && e->list[i].who < w->shape.stripes) {
            fprintf(out, " [stripe %llu]",
                    (unsigned long long)stripe_see(w, e->list[i].who)->sector);
            return;
        }
}

static void print_effects(FILE *out, const struct check_problem *c, const struct world *w,
                          const struct effects *e)
{
    static const char *const marks[MARK_COUNT] = {
#define MARK(id, what) [MARK_##id] = what,
#include "model/marks.def"
#undef MARK
    };
    char text[STORY_TEXT];

    for (uint32_t i = 0; i < e->count; i++) {
        const struct effect *f = &e->list[i];

        if (f->kind == EFFECT_SUBMIT) {
            io_text(w, f->amount, text);
            fprintf(out, "        -> %s\n", text);
        } else if (f->kind == EFFECT_WAKE) {
            story_actor(c, f->who, text);
            fprintf(out, "        wakes %s\n", text);
        } else if (f->kind == EFFECT_REPLY) {
            fprintf(out, "        an I/O has ended\n");
        } else if (f->kind == EFFECT_MARK && f->what < MARK_RELEASED) {
            fprintf(out, "        (%s)\n", marks[f->what]);
        }
    }
}

static void print_end(FILE *out, const struct check_problem *c, const struct check_result *r,
                      const struct world *w)
{
    const struct property_text *p = property_text(r->property);
    char text[STORY_TEXT], who[STORY_TEXT];
    const char *words = check_words(c, w, r->property, text, sizeof text);

    fprintf(out, "broken: %s: %s\n", p->number, p->claim);
    if (words)
        fprintf(out, "  here: %s\n", words);
    if (r->property == PROPERTY_STUCK)
        for (actor_id a = 0; a < w->shape.actors; a++)
            if (actor_see(w, a)->asleep) {
                static const char *const queues[WAIT_COUNT] = {
                    "nothing",         "a free stripe",   "a page in use (overlap)",
                    "the resync",      "the superblocks", "the array to be quiet",
                    "an earlier flush"
                };

                story_actor(c, a, who);
                fprintf(out, "  %s waits for %s, and nobody will wake it\n", who,
                        queues[actor_see(w, a)->waits_on]);
            }
    fprintf(out, "  it matters: %s\n", p->meaning);
}

/* Can this move be made now? */
static bool is_possible(const struct check_problem *c, const struct world *w, struct move m)
{
    uint32_t ways;

    if (m.who >= w->shape.actors || actor_see(w, m.who)->pc != m.step)
        return false;
    ways = c->problem.ways(&c->problem, w, m.who);
    for (uint32_t k = 0; k < ways; k++)
        if (c->problem.name(&c->problem, w, m.who, k) == m.way)
            return true;
    return false;
}

static uint32_t walk(const struct story *s, struct world *before, struct world *after,
                     struct effects *e)
{
    const struct check_problem *c = s->c;
    unsigned property = PROPERTY_HOLDS;
    uint32_t i;

    memcpy(after, c->start, world_bytes(c->start));
    for (i = 0; i < s->count && property == PROPERTY_HOLDS; i++) {
        memcpy(before, after, world_bytes(before));
        if (!is_possible(c, before, s->move[i]))
            break;
        e->count = 0;
        property = c->problem.fire(&c->problem, after, s->move[i], e);
        if (s->step)
            s->step(s->argument, before, after, s->move[i], e);
    }
    if (s->end)
        s->end(s->argument, after, property);
    return i;
}

uint32_t story_walk(const struct story *s)
{
    uint64_t bytes = world_bytes(s->c->start);
    struct world *before = aligned_alloc(16, bytes), *after = aligned_alloc(16, bytes);
    struct effects e = { .capacity = effects_needed(&s->c->start->shape) };
    uint32_t made = STORY_NO_MEMORY;

    e.list = calloc(e.capacity, sizeof *e.list);
    if (before && after && e.list) {
        memcpy(before, s->c->start, bytes);
        made = walk(s, before, after, &e);
    }
    free(before);
    free(after);
    free(e.list);
    return made;
}

bool story_tell(const struct check_problem *c, const struct check_result *r,
                void (*step)(void *argument, const struct world *before, const struct world *after,
                             struct move, const struct effects *),
                void *argument)
{
    struct story s = {
        .c = c, .move = r->trace, .count = r->trace_length, .step = step, .argument = argument
    };

    return story_walk(&s) != STORY_NO_MEMORY;
}

struct telling {
    FILE *out;
    const struct check_problem *c;
    const struct check_result *r;
    uint32_t number;
};

static void tell(void *argument, const struct world *before, const struct world *after,
                 struct move m, const struct effects *e)
{
    struct telling *t = argument;
    char who[STORY_TEXT], what[STORY_TEXT];

    story_actor(t->c, m.who, who);
    story_move(t->c, before, m, what);
    fprintf(t->out, "%5u  %-18s %s", ++t->number, who, what);
    print_stripe(t->out, after, e);
    fputc('\n', t->out);
    print_effects(t->out, t->c, after, e);
}

/* The first move of somebody who must; false: nobody. */
static bool next_move(const struct check_problem *c, const struct world *w, struct move *m)
{
    const struct problem *p = &c->problem;

    for (actor_id who = 0; who < w->shape.actors; who++)
        if (!p->is_idle(p, w, who) && p->ways(p, w, who)) {
            *m = (struct move){ .way = p->name(p, w, who, 0),
                                .who = who,
                                .step = actor_see(w, who)->pc };
            return true;
        }
    return false;
}

/* How it goes on for ever: the first who can move does, until a state comes that has been there. */
static void print_loop(const struct telling *t, const struct world *from)
{
    enum { LONGEST = 256 };
    uint64_t bytes = world_bytes(from), key[LONGEST];
    struct world *w = aligned_alloc(16, bytes);
    struct effects e = { .capacity = effects_needed(&from->shape) };
    char who[STORY_TEXT], what[STORY_TEXT];
    uint32_t n = 0, back = UINT32_MAX;
    struct move m;

    e.list = calloc(e.capacity, sizeof *e.list);
    if (w)
        memcpy(w, from, bytes);
    while (w && e.list && n < LONGEST && back == UINT32_MAX && next_move(t->c, w, &m)) {
        key[n] = pack_key(t->c->start, w);
        for (uint32_t k = 0; k < n; k++)
            back = key[k] == key[n] ? k : back;
        if (back != UINT32_MAX)
            break;
        if (!n++)
            fputs("from here on, for example:\n", t->out);
        story_actor(t->c, m.who, who);
        story_move(t->c, w, m, what);
        fprintf(t->out, "%5u  %-18s %s\n", t->number + n, who, what);
        e.count = 0;
        t->c->problem.fire(&t->c->problem, w, m, &e);
    }
    if (back != UINT32_MAX)
        fprintf(t->out, "       and again from %u on\n", t->number + back + 1);
    free(w);
    free(e.list);
}

static void tell_end(void *argument, const struct world *w, unsigned property)
{
    struct telling *t = argument;

    (void)property;
    if (t->r->property == PROPERTY_LIVELOCK)
        print_loop(t, w);
    print_end(t->out, t->c, t->r, w);
}

bool story_print(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    struct telling t = { out, c, r, 0 };
    struct story s = { .c = c,
                       .move = r->trace,
                       .count = r->trace_length,
                       .step = tell,
                       .end = tell_end,
                       .argument = &t };

    return story_walk(&s) != STORY_NO_MEMORY;
}
