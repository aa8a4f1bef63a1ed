/* The breadth-first check with its threads (model/check/search.h), and what all checks share: see
 * check.h. */
#include "sim/check.h"
#include "sim/check_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "sim/complaint.h"

struct run {
    struct search search;
    pthread_barrier_t gate;
    bool goes_on, progress;
    struct timespec begin, shown;
};

struct helper {
    struct run *run;
    uint32_t number;
};

double check_seconds_since(const struct timespec *t)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) + 1e-9 * (double)(now.tv_nsec - t->tv_nsec);
}

static void show(struct run *r, bool last)
{
    const struct search *s = &r->search;
    double seconds = check_seconds_since(&r->begin);
    const struct frontier *f = &s->frontier;

    if (!r->progress || (!last && check_seconds_since(&r->shown) < 0.2))
        return;
    clock_gettime(CLOCK_MONOTONIC, &r->shown);
    fprintf(
        stderr,
        "\r%llu states, %.0f/s, depth %u, frontier %llu, %llu MiB of it, missed < %.0e \033[K%s",
        (unsigned long long)s->counts.states, (double)s->counts.states / (seconds + 1e-9), s->depth,
        (unsigned long long)s->frontier_states,
        (unsigned long long)(f->in_use * f->segment_bytes >> 20),
        (double)s->counts.states * (double)s->counts.states / 36893488147419103232.0,
        last ? "\n" : "");
}

static void *explore(void *argument)
{
    const struct helper *h = argument;
    struct run *r = h->run;

    do {
        search_expand(&r->search, h->number);
        pthread_barrier_wait(&r->gate);
        search_settle(&r->search, h->number);
        pthread_barrier_wait(&r->gate);
        if (h->number == 0) {
            r->goes_on = search_turn(&r->search);
            show(r, !r->goes_on);
        }
        pthread_barrier_wait(&r->gate);
    } while (r->goes_on);
    return NULL;
}

/* The calling thread is the first. False: a thread could not be made. */
static bool explore_together(struct run *r, uint32_t threads)
{
    struct helper helper[SEARCH_THREADS];
    pthread_t id[SEARCH_THREADS];
    uint32_t made = 1;

    /* Who is not there must not be waited for: the gate is as wide as there are threads. */
    if (pthread_barrier_init(&r->gate, NULL, threads))
        return false;
    for (uint32_t n = 0; n < threads; n++)
        helper[n] = (struct helper){ r, n };
    while (made < threads && !pthread_create(&id[made], NULL, explore, &helper[made]))
        made++;
    if (made < threads) {
        for (uint32_t n = 1; n < made; n++)
            pthread_cancel(id[n]);
    } else {
        explore(&helper[0]);
    }
    for (uint32_t n = 1; n < made; n++)
        pthread_join(id[n], NULL);
    pthread_barrier_destroy(&r->gate);
    return made == threads;
}

static bool take_trace(struct search *s, struct check_result *result)
{
    result->trace = calloc(s->finding.length + 1, sizeof *result->trace);
    if (!result->trace)
        return false;
    result->trace_length = search_trace(s, result->trace);
    return true;
}

static bool conclude(struct run *r, struct check_result *result)
{
    struct search *s = &r->search;

    result->states = s->counts.states;
    result->moves = s->counts.moves;
    result->rest = s->counts.rest;
    result->rest_keys = s->counts.rest_keys;
    result->depth = s->depth;
    result->liveness = s->options.liveness;
    result->exact = s->options.exact;
    result->shortest = true;
    result->seconds = check_seconds_since(&r->begin);
    if (s->end == SEARCH_FOUND) {
        result->verdict = VERDICT_FINDING;
        result->property = s->finding.property;
        return take_trace(s, result);
    }
    if (s->end == SEARCH_DONE && !s->no_edges) {
        result->verdict = VERDICT_OK;
        return true;
    }
    result->verdict = VERDICT_UNFINISHED;
    result->bound = s->end == SEARCH_DEPTH  ? "depth"
                    : s->end == SEARCH_DONE ? "memory for liveness"
                                            : "memory";
    return true;
}

static bool search_all(struct run *r, const struct check_problem *c, void *memory,
                       struct check_result *result, struct complaint *why)
{
    const struct checking *k = &c->scenario->checking;
    struct search_options options = { .threads = k->threads,
                                      .depth = k->depth,
                                      .exact = k->mode == CHECK_EXACT,
                                      .liveness = k->liveness,
                                      .reduce = k->reduce & REDUCE_PRIVATE };

    clock_gettime(CLOCK_MONOTONIC, &r->begin);
    if (!search_start(&r->search, &c->problem, &options, memory, k->memory))
        return check_too_small(c, why);
    return (explore_together(r, k->threads) && conclude(r, result)) ||
           complain(why, c->scenario->path, 0, "no memory for the threads of a check");
}

bool check_too_small(const struct check_problem *c, struct complaint *why)
{
    return complain(why, c->scenario->path, 0, "[check] memory: %llu MiB are too few to begin with",
                    (unsigned long long)(c->scenario->checking.memory >> 20));
}

static bool breadth_first(const struct check_problem *c, bool progress, void *memory,
                          struct check_result *result, struct complaint *why)
{
    struct run *r = calloc(1, sizeof *r);
    bool good;

    if (!r)
        return complain(why, c->scenario->path, 0, "no memory for a check");
    r->progress = progress;
    good = search_all(r, c, memory, result, why);
    free(r);
    return good;
}

bool check_run(const struct check_problem *c, bool progress, struct check_result *result,
               struct complaint *why)
{
    uint64_t bytes = c->scenario->checking.memory;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool good;

    memset(result, 0, sizeof *result);
    if (memory == MAP_FAILED)
        return complain(why, c->scenario->path, 0, "[check] memory: %llu MiB cannot be had",
                        (unsigned long long)(bytes >> 20));
    madvise(memory, bytes, MADV_HUGEPAGE); /* the table is visited all over: spare the TLB */
    good = c->scenario->checking.order == CHECK_BREADTH
               ? breadth_first(c, progress, memory, result, why)
               : check_dive(c, progress, memory, result, why);
    munmap(memory, bytes);
    return good;
}

void check_result_free(struct check_result *result)
{
    free(result->trace);
    memset(result, 0, sizeof *result);
}

uint64_t check_omission(const struct check_result *result)
{
    unsigned __int128 pairs = (unsigned __int128)result->states * result->states / 2;

    return result->exact ? 0 : (uint64_t)(pairs * 1000000000000000u >> 64) + 1;
}
