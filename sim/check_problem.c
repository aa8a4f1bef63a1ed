/* The problem's answers: see check_problem.h. Fate's are in check_fate.c. */
#include "sim/check_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/array.h"
#include "model/invariants.h"
#include "model/io.h"
#include "model/request.h"
#include "model/stripe.h"
#include "sim/check_fate.h"
#include "sim/complaint.h"
#include "sim/panic.h"
#include "sim/system_md.h"
#include "sim/workload.h"

static const struct check_problem *whole(const struct problem *p)
{
    return (const struct check_problem *)(const void *)p;
}

/* ---- programs */

uint32_t check_taken(const struct check_problem *c, const struct world *w, actor_id client)
{
    return *check_see(w, c->crew.instance_of[client]);
}

static uint32_t in_flight(const struct check_problem *c, const struct world *w, unsigned instance)
{
    uint32_t n = 0;

    for (actor_id k = 0; k < w->shape.clients; k++)
        if (c->crew.instance_of[k] == instance)
            n += client_see(w, k)->in_flight;
    return n;
}

/* The I/O the client may take up now; NULL: none. */
static const struct program_io *next_io(const struct check_problem *c, const struct world *w,
                                        actor_id client)
{
    unsigned instance = c->crew.instance_of[client];
    const struct program *p = &c->program[instance];
    uint32_t at = *check_see(w, instance);

    if (client_see(w, client)->free == NONE16 || at == p->count || array_see(w, 0)->down)
        return NULL;
    return in_flight(c, w, instance) <= p->io[at].others ? &p->io[at] : NULL;
}

/* Nothing tells these two clients apart but their numbers: both have begun nothing. */
static bool is_twin(const struct check_problem *c, const struct world *w, actor_id a, actor_id b)
{
    const struct program *p = &c->program[c->crew.instance_of[a]];
    const struct program *q = &c->program[c->crew.instance_of[b]];

    if (client_see(w, a)->in_flight || client_see(w, b)->in_flight || c->crew.depth[a] != 1 ||
        c->crew.depth[b] != 1 || actor_see(w, a)->pc != CLIENT_TURN ||
        actor_see(w, b)->pc != CLIENT_TURN)
        return false;
    if (p == q)
        return true;
    return p->count == q->count && !memcmp(p->io, q->io, p->count * sizeof p->io[0]) &&
           !check_taken(c, w, a) && !check_taken(c, w, b);
}

static bool has_earlier_twin(const struct check_problem *c, const struct world *w, actor_id client)
{
    for (actor_id k = 0; k < client; k++)
        if (is_twin(c, w, k, client))
            return true;
    return false;
}

/* ---- ways */

static uint32_t ways(const struct problem *problem, const struct world *w, actor_id who)
{
    const struct check_problem *c = whole(problem);
    const struct step *step;

    if (actor_see(w, who)->kind == KIND_FATE)
        return check_fates(c, w, UINT32_MAX, NULL);
    step = system_step(problem->system, w, who);
    if (!step->chosen || client_see(w, who)->done_head != NONE16)
        return step->ways(w, who);
    if (!next_io(c, w, who))
        return 0;
    return !(c->scenario->checking.reduce & REDUCE_CLIENTS) || !has_earlier_twin(c, w, who);
}

static uint64_t name(const struct problem *problem, const struct world *w, actor_id who, uint32_t k)
{
    const struct check_problem *c = whole(problem);
    const struct step *step;
    uint64_t way;

    if (actor_see(w, who)->kind == KIND_FATE) {
        check_fates(c, w, k, &way);
        return way;
    }
    step = system_step(problem->system, w, who);
    if (step->chosen && client_see(w, who)->done_head == NONE16)
        return next_io(c, w, who)->name;
    return step->name_of ? step->name_of(w, who, k) : k;
}

/* Fate, and clients that might begin something; not in the middle of a submission. */
static bool is_idle(const struct problem *problem, const struct world *w, actor_id who)
{
    return actor_see(w, who)->kind == KIND_FATE ||
           (system_step(problem->system, w, who)->chosen &&
            client_see(w, who)->done_head == NONE16 && !client_see(w, who)->plugging);
}

/* ---- firing */

static bool reaps(const struct world *w, actor_id who)
{
    return who < w->shape.clients && actor_see(w, who)->pc == CLIENT_TURN &&
           client_see(w, who)->done_head != NONE16;
}

/* What the books say of a move before it is made. */
static void pay(const struct check_problem *c, struct world *w, struct move m)
{
    if (actor_see(w, m.who)->kind == KIND_FATE)
        --*check_at(w, c->instances + check_budget_of(w, m.way));
    else if (m.who < w->shape.clients && m.step == CLIENT_TURN && !reaps(w, m.who))
        ++*check_at(w, c->crew.instance_of[m.who]);
}

static bool corrupted(const struct check_problem *c, const struct world *w)
{
    return check_spent(c, w, BUDGET_LOSE) || check_spent(c, w, BUDGET_TEAR) ||
           check_spent(c, w, BUDGET_MISDIRECT) || check_spent(c, w, BUDGET_ROT);
}

/* Members in trouble so far, at most. */
static unsigned troubles(const struct check_problem *c, const struct world *w)
{
    static const enum check_budget hurts[] = { BUDGET_FAIL,       BUDGET_DIE,  BUDGET_READ,
                                               BUDGET_UNREADABLE, BUDGET_WORN, BUDGET_WRITE };
    unsigned n = (unsigned)__builtin_popcountll(w->shape.failed);

    for (unsigned i = 0; i < sizeof hurts / sizeof hurts[0]; i++)
        n += check_spent(c, w, hurts[i]);
    return n;
}

static bool is_allowed(const struct check_problem *c, const struct world *w, unsigned property)
{
    uint32_t allow = c->scenario->checking.allow;

    if (allow & ALLOW_WRITE_HOLE && check_spent(c, w, BUDGET_CUT) && troubles(c, w) &&
        (property == PROPERTY_D1 || property == PROPERTY_D3 || property == PROPERTY_D4))
        return true;
    if (property == PROPERTY_IO_ERROR)
        return allow & ALLOW_DOUBLE_FAILURE && troubles(c, w) > 1;
    return allow & ALLOW_SILENT_CORRUPTION && corrupted(c, w);
}

/* False: a claim failed on the way. */
static bool fire_caught(const struct system *system, struct world *w, struct move m,
                        struct effects *e)
{
    struct panic_catch catch, *const outer = panic_catch(&catch);

    if (setjmp(catch.back)) {
        panic_catch(outer);
        return false;
    }
    system_fire(system, w, m, e);
    panic_catch(outer);
    return true;
}

/* A single error that does not last is no reason to rewrite a page: it is read again first. */
static unsigned judge_submitted(const struct check_problem *c, const struct world *w, io_id io)
{
    if (io_see(w, io)->reason == REASON_REWRITE && check_spent(c, w, BUDGET_READ) < 2 &&
        !check_spent(c, w, BUDGET_UNREADABLE) && !check_spent(c, w, BUDGET_WORN) &&
        !check_spent(c, w, BUDGET_WRITE) && !check_spent(c, w, BUDGET_DIE))
        return PROPERTY_REWRITE;
    return properties_reads_good(w, io) ? PROPERTY_HOLDS : PROPERTY_D11;
}

static unsigned fire(const struct problem *problem, struct world *w, struct move m,
                     struct effects *e)
{
    const struct check_problem *c = whole(problem);
    unsigned property = PROPERTY_HOLDS;

    if (reaps(w, m.who) && request_see(w, client_see(w, m.who)->done_head)->failed &&
        !is_allowed(c, w, PROPERTY_IO_ERROR))
        property = PROPERTY_IO_ERROR;
    pay(c, w, m);
    if (!fire_caught(problem->system, w, m, e))
        return PROPERTY_BUG;
    for (uint32_t i = 0; i < e->count && property == PROPERTY_HOLDS; i++)
        if (e->list[i].kind == EFFECT_FINDING && !is_allowed(c, w, e->list[i].what))
            property = e->list[i].what;
        else if (e->list[i].kind == EFFECT_SUBMIT)
            property = judge_submitted(c, w, e->list[i].amount);
    return property;
}

/* ---- states */

static bool finished(const struct problem *problem, const struct world *w)
{
    (void)problem;
    for (actor_id k = 0; k < w->shape.clients; k++)
        if (client_see(w, k)->in_flight)
            return false;
    return !w->shape.stripes || !shape_has_md(&w->shape) ||
           actor_see(w, actor_resync(&w->shape))->pc == RESYNC_START;
}

static unsigned broken(const struct problem *problem, const struct world *w, bool at_rest)
{
    const struct check_problem *c = whole(problem);
    unsigned property = PROPERTY_HOLDS;
    uint64_t sector;

    if (c->scenario->checking.structure && invariants_broken(w))
        return PROPERTY_STRUCTURE;
    if (w->shape.generation == GENERATION_61 && w->shape.stripes)
        property = properties_under_way(w);
    if (w->shape.stripes && array_see(w, 0)->down)
        return PROPERTY_HOLDS;
    if (property == PROPERTY_HOLDS && at_rest && finished(problem, w) && w->shape.stripes)
        property = properties_at_rest(w, false, &sector);
    return property != PROPERTY_HOLDS && is_allowed(c, w, property) ? PROPERTY_HOLDS : property;
}

/* ---- reductions */

/* Fate has nothing left to spend, so that what a member does with an I/O is settled when it is
 * queued, and no read goes past the stripe cache: no two queued I/Os touch the same sectors, as a
 * slot has one at a time. When a volatile cache is there, flushes tell orders apart. */
static bool serves_alone(const struct check_problem *c, const struct world *w)
{
    for (unsigned b = 0; b < BUDGET_COUNT; b++)
        if (check_left(c, w, b))
            return false;
    return w->shape.geometry.level >= LEVEL_RAID4 && !w->shape.bypass && !w->shape.write_cache &&
           w->shape.log == LOG_NONE;
}

static bool is_alone(const struct problem *problem, const struct world *w, actor_id who)
{
    const struct actor *a = actor_see(w, who);

    if (a->kind == KIND_CLIENT)
        return a->pc == CLIENT_PAGE && w->shape.generation == GENERATION_2615;
    return a->kind == KIND_DISK && serves_alone(whole(problem), w);
}

/* ---- making it */

static bool complain_of(struct complaint *why, const struct scenario *s, const struct job *j)
{
    return complain(why, s->path, j->line,
                    "[job %s]: a check takes %d I/Os of each instance at most; give it a smaller "
                    "size, loops or io_size",
                    j->name, PROGRAM_MAX);
}

/* Asks for the instance's I/Os, one ending when it must before the next may begin. */
static bool record_program(struct check_problem *c, struct workload *load, unsigned instance)
{
    struct program *p = &c->program[instance];
    uint64_t now = 0, when = 0;
    uint32_t under_way = 0;
    struct ask ask;

    for (;;) {
        enum workload_answer answer = workload_next(load, instance, now, &ask, &when);

        if (answer == WORKLOAD_OVER)
            return true;
        if (answer == WORKLOAD_LATER && when != UINT64_MAX) {
            now = when;
        } else if (answer == WORKLOAD_LATER) {
            if (!under_way--)
                return true;
            workload_done(load, instance, now, false);
        } else {
            unsigned flags = ask.flags;

            if (p->count == PROGRAM_MAX)
                return false;
            if (flags & REQUEST_WRITE && c->scenario->checking.background)
                flags |= REQUEST_NOSYNC;
            p->io[p->count++] =
                (struct program_io){ .name = request_name(ask.sector, ask.sectors, flags),
                                     .others = under_way++ };
        }
    }
}

static void note_addressed(struct check_problem *c, const struct program_io *io)
{
    const struct geometry *g = &c->start->shape.geometry;
    uint64_t from = request_name_sector(io->name), count = request_name_sectors(io->name);

    for (uint64_t s = from; s < from + count; s++)
        c->addressed |= UINT64_C(1) << geometry_map(g, s).disk % 64;
}

static bool record_programs(struct check_problem *c, struct complaint *why)
{
    const struct scenario *s = c->scenario;
    struct workload *load = workload_new(s, geometry_sectors(&c->start->shape.geometry));
    bool good = load != NULL;

    if (!good)
        return complain(why, s->path, 0, "no memory for the load");
    c->instances = workload_instances(load);
    c->program = calloc(c->instances, sizeof *c->program);
    for (unsigned i = 0; i < c->instances && good; i++) {
        good = c->program && record_program(c, load, i);
        if (!good)
            complain_of(why, s, &s->job[workload_job(load, i)]);
        for (uint32_t k = 0; good && k < c->program[i].count; k++) {
            /* With no limit but the depth, the depth is the limit. */
            if (!s->job[workload_job(load, i)].ioseq[0])
                c->program[i].io[k].others = UINT32_MAX;
            note_addressed(c, &c->program[i].io[k]);
        }
    }
    workload_free(load);
    return good;
}

/* A world of its own memory: 16-byte aligned, zeroed. */
static bool make_start(struct check_problem *c, struct complaint *why)
{
    struct shape shape;
    uint64_t bytes;

    if (!shape_from(&shape, c->scenario, &c->crew, why))
        return false;
    bytes = world_bytes_for(&shape);
    c->start = aligned_alloc(16, bytes);
    if (!c->start)
        return complain(why, c->scenario->path, 0, "no memory for a world of %llu bytes",
                        (unsigned long long)bytes);
    memset(c->start, 0, bytes);
    world_format(c->start, &shape);
    array_start(c->start, c->crew.depth);
    return true;
}

bool check_problem_new(struct check_problem *c, const struct scenario *s, struct complaint *why)
{
    memset(c, 0, sizeof *c);
    c->scenario = s;
    if (!crew_new(&c->crew, s, why))
        return false;
    if (!make_start(c, why) || !record_programs(c, why)) {
        check_problem_free(c);
        return false;
    }
    for (unsigned b = 0; b < BUDGET_COUNT; b++)
        *check_at(c->start, c->instances + b) = (uint16_t)s->checking.budget[b];
    c->problem = (struct problem){ .system = &system_md,
                                   .start = c->start,
                                   .ways = ways,
                                   .name = name,
                                   .fire = fire,
                                   .broken = broken,
                                   .finished = finished,
                                   .is_idle = is_idle,
                                   .is_alone = is_alone };
    return true;
}

void check_problem_free(struct check_problem *c)
{
    crew_free(&c->crew);
    free(c->start);
    free(c->program);
    memset(c, 0, sizeof *c);
}

const char *check_words(const struct check_problem *c, const struct world *w, unsigned property,
                        char *text, size_t size)
{
    uint64_t sector;

    (void)c;
    if (property == PROPERTY_STRUCTURE)
        return invariants_broken(w);
    if (property == PROPERTY_D1 || property == PROPERTY_D4) {
        properties_at_rest(w, false, &sector);
        snprintf(text, size, "in the row of member sector %llu", (unsigned long long)sector);
        return text;
    }
    return NULL;
}

_Static_assert((int)PROPERTY_STUCK == (int)FOUND_STUCK &&
                   (int)PROPERTY_LIVELOCK == (int)FOUND_LIVELOCK &&
                   (int)PROPERTY_LIVELOCK + 1 == (int)FOUND_OWN,
               "the explorer's own properties come first");
