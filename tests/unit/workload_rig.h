/*
 * Playing a load without an array: a scenario of one job, and a tape of what an instance asked and
 * when.
 */
#ifndef TESTS_UNIT_WORKLOAD_RIG_H
#define TESTS_UNIT_WORKLOAD_RIG_H
#include "tests/lib/t.h"

#include <stdlib.h>

#include "sim/workload.h"

enum { KIB = 1024, MIB = 1024 * 1024, SECTOR = 512, MAX_ASKS = 200000 };

/* A scenario of one job: 4 KiB random reads over 1 MiB. */
static inline struct scenario *scenario_new(void)
{
    struct scenario *s = calloc(1, sizeof(*s));
    struct job *job;

    assert_non_null(s);
    s->seed = 42;
    s->job_count = 1;
    job = &s->job[0];
    job->rw = RW_RANDREAD;
    job->iodepth = job->numjobs = job->loops = 1;
    job->rwmixread = 50;
    job->split_count = 1;
    job->split[0] = (struct split){ 4 * KIB, 100 };
    job->size = MIB;
    return s;
}

static inline struct workload *start(struct scenario *s, uint64_t array_bytes)
{
    struct workload *w = workload_new(s, array_bytes / SECTOR);

    assert_non_null(w);
    return w;
}

struct tape {
    struct ask ask[MAX_ASKS];
    uint64_t at[MAX_ASKS]; /* time of issue */
    unsigned count;
    uint64_t end; /* time when the instance was over */
    int ended;
};

/* Plays an instance, each I/O taking service ns, until it is over or `max` I/Os are out. Waits
 * exactly as told. */
static inline struct tape *play(struct workload *w, unsigned instance, unsigned max,
                                uint64_t service)
{
    struct tape *t = calloc(1, sizeof(*t));
    uint64_t now = 0;

    assert_non_null(t);
    assert_true(max <= MAX_ASKS);
    while (t->count < max) {
        uint64_t when = 0;

        switch (workload_next(w, instance, now, &t->ask[t->count], &when)) {
        case WORKLOAD_OVER:
            t->end = now;
            t->ended = 1;
            return t;
        case WORKLOAD_LATER:
            assert_true(when > now);
            now = when;
            break;
        case WORKLOAD_ASK:
            t->at[t->count++] = now;
            now += service;
            workload_done(w, instance, now, false);
            break;
        }
    }
    return t;
}

static inline struct tape *play_once(struct scenario *s, unsigned max, uint64_t service)
{
    struct workload *w = start(s, 1024ULL * MIB);
    struct tape *t = play(w, 0, max, service);

    workload_free(w);
    return t;
}

#endif
