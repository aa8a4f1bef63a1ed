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

bool story_print(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    uint64_t bytes = world_bytes(c->start);
    struct world *w = aligned_alloc(16, bytes);
    struct effects e = { .capacity = effects_needed(&c->start->shape) };
    char who[STORY_TEXT], what[STORY_TEXT];
    unsigned property = PROPERTY_HOLDS;

    e.list = calloc(e.capacity, sizeof *e.list);
    if (!w || !e.list) {
        free(w);
        free(e.list);
        return false;
    }
    memcpy(w, c->start, bytes);
    for (uint32_t i = 0; i < r->trace_length && property == PROPERTY_HOLDS; i++) {
        story_actor(c, r->trace[i].who, who);
        story_move(c, w, r->trace[i], what);
        fprintf(out, "%5u  %-18s %s", i + 1, who, what);
        e.count = 0;
        property = c->problem.fire(&c->problem, w, r->trace[i], &e);
        print_stripe(out, w, &e);
        fputc('\n', out);
        print_effects(out, c, w, &e);
    }
    print_end(out, c, r, w);
    free(w);
    free(e.list);
    return true;
}
