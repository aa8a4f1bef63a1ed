/*
 * Checks that go by depth, and walks (model/check/dive.h): a search of its own for each thread.
 *
 * The answer is that of the first thread, or walk, that has a finding, whichever was faster.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/check/dive.h"
#include "sim/check_internal.h"
#include "sim/complaint.h"

struct diver {
    struct dive dive;
    const struct scenario *scenario;
    uint32_t number, threads;
    uint32_t walk;        /* the one with the finding */
    uint32_t *first_walk; /* of all threads: no later one matters */
    pthread_t id;
};

static void *deep(void *argument)
{
    struct diver *d = argument;

    dive_deep(&d->dive);
    return NULL;
}

static void *walks(void *argument)
{
    struct diver *d = argument;

    for (d->walk = d->number; d->walk < d->scenario->checking.walks; d->walk += d->threads) {
        if (d->walk > __atomic_load_n(d->first_walk, __ATOMIC_RELAXED))
            return NULL;
        if (!dive_walk(&d->dive, d->scenario->seed * 0x9e3779b97f4a7c15u + d->walk))
            continue;
        for (uint32_t now = __atomic_load_n(d->first_walk, __ATOMIC_RELAXED);
             d->walk < now && !__atomic_compare_exchange_n(d->first_walk, &now, d->walk, false,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
            ;
        return NULL;
    }
    return NULL;
}

/* False: a thread could not be made. */
static bool dive_together(struct diver *d, uint32_t threads, void *(*what)(void *))
{
    uint32_t made = 1;

    while (made < threads && !pthread_create(&d[made].id, NULL, what, &d[made]))
        made++;
    what(&d[0]);
    for (uint32_t n = 1; n < made; n++)
        pthread_join(d[n].id, NULL);
    return made == threads;
}

/* The diver whose answer counts. */
static const struct diver *chosen(const struct diver *d, uint32_t threads, bool walking)
{
    const struct diver *best = NULL;

    for (uint32_t n = 0; n < threads; n++)
        if (d[n].dive.finding.property != FOUND_NOTHING &&
            (!best || (walking && d[n].walk < best->walk)))
            best = &d[n];
    return best ? best : &d[0];
}

static bool conclude(const struct diver *d, bool walking, struct check_result *result)
{
    const struct dive *v = &d->dive;

    result->states = v->counts.states;
    result->moves = v->counts.moves;
    result->rest = v->counts.rest;
    result->depth = (uint32_t)v->deepest;
    result->map_bits = v->bits;
    if (v->finding.property == FOUND_NOTHING) {
        result->verdict = walking || v->cut || v->no_memory ? VERDICT_UNFINISHED : VERDICT_OK;
        result->bound = walking ? "walks" : v->no_memory ? "memory" : "depth or memory of the path";
        return true;
    }
    result->verdict = VERDICT_FINDING;
    result->property = v->finding.property;
    result->trace_length = v->finding.length;
    result->trace = calloc(v->finding.length + 1, sizeof *result->trace);
    if (result->trace)
        dive_trace(v, result->trace);
    return result->trace != NULL;
}

static bool start_divers(struct diver *d, const struct check_problem *c, char *memory,
                         uint32_t *first_walk)
{
    const struct checking *k = &c->scenario->checking;
    uint64_t share = k->memory / k->threads / 4096 * 4096;

    for (uint32_t n = 0; n < k->threads; n++) {
        struct dive_options options = { .order = n,
                                        .depth = k->depth,
                                        .bits = k->mode == CHECK_BITSTATE,
                                        .reduce = k->reduce & REDUCE_PRIVATE };

        d[n].scenario = c->scenario;
        d[n].number = n;
        d[n].threads = k->threads;
        d[n].first_walk = first_walk;
        if (!dive_start(&d[n].dive, &c->problem, &options, memory + n * share, share))
            return false;
    }
    return true;
}

bool check_dive(const struct check_problem *c, bool progress, void *memory,
                struct check_result *result, struct complaint *why)
{
    const struct checking *k = &c->scenario->checking;
    struct diver *d = calloc(k->threads, sizeof *d);
    bool walking = k->order == CHECK_WALK, good = d != NULL;
    uint32_t first_walk = UINT32_MAX;
    struct timespec begin;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (progress)
        fputs("searching by depth, without news until it is over\n", stderr);
    if (!good || !start_divers(d, c, memory, &first_walk))
        good = check_too_small(c, why);
    else if (!dive_together(d, k->threads, walking ? walks : deep) ||
             !conclude(chosen(d, k->threads, walking), walking, result))
        good = complain(why, c->scenario->path, 0, "no memory for the threads of a check");
    result->seconds = check_seconds_since(&begin);
    free(d);
    return good;
}
