/*
 * Law: what an instance asks depends on the seed, its number and its job, and on nothing else.
 */
#include "tests/lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "sim/workload.h"

enum { KIB = 1024, MIB = 1024 * 1024, ASKS = 3000, ARRAY = 1 << 21, KINDS = 7 };

/* Seven jobs that use every stream of dice. */
static void set_job(struct job *job, int kind)
{
    static const uint8_t rw[KINDS] = { RW_RANDREAD, RW_RANDRW, RW_RW,      RW_RANDWRITE,
                                       RW_RANDREAD, RW_RANDRW, RW_RANDREAD };

    memset(job, 0, sizeof(*job));
    job->rw = rw[kind];
    job->iodepth = job->numjobs = job->loops = 1;
    job->rwmixread = 70;
    job->size = 64 * MIB;
    job->time_based = 1;
    job->split_count = 1;
    job->split[0] = (struct split){ 4 * KIB, 100 };
    job->norandommap = kind == 1;
    if (kind >= 4) {
        job->distribution = (uint8_t)(DIST_ZIPF + kind - 4);
        job->distribution_milli = kind == 4 ? 1200 : kind == 5 ? 200 : 10000;
    }
    if (kind == 3) {
        job->split_count = 2;
        job->split[0] = (struct split){ 16 * KIB, 25 };
        job->split[1] = (struct split){ 8 * KIB, 75 };
    }
}

static struct scenario *scenario_new(uint64_t seed, int kind)
{
    struct scenario *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    s->seed = seed;
    s->job_count = 1;
    set_job(&s->job[0], kind);
    return s;
}

static struct workload *start(const struct scenario *s)
{
    struct workload *w = workload_new(s, ARRAY);

    assert_non_null(w);
    return w;
}

/* The next `count` I/Os of an instance, each done `service` later. */
static void record(struct workload *w, unsigned instance, unsigned count, uint64_t service,
                   struct ask *out)
{
    uint64_t now = 0, when = 0;

    for (unsigned i = 0; i < count;) {
        enum workload_answer answer = workload_next(w, instance, now, &out[i], &when);

        assert_int_not_equal(answer, WORKLOAD_OVER);
        if (answer == WORKLOAD_LATER) {
            now = when;
            continue;
        }
        i++;
        now += service;
        workload_done(w, instance, now, false);
    }
}

static struct ask *record_scenario(const struct scenario *s, unsigned instance, uint64_t service)
{
    struct ask *out = calloc(ASKS, sizeof(*out));
    struct workload *w = start(s);

    assert_non_null(out);
    record(w, instance, ASKS, service, out);
    workload_free(w);
    return out;
}

static unsigned count_equal(const struct ask *a, const struct ask *b)
{
    unsigned equal = 0;

    for (unsigned i = 0; i < ASKS; i++)
        equal += memcmp(&a[i], &b[i], sizeof(*a)) == 0;
    return equal;
}

static void the_same_seed_gives_the_same_requests(void **state)
{
    /* Breaks when anything outside the state decides: the host's clock or dice, an address, stale
     * memory. */
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind);
        struct ask *one = record_scenario(s, 0, 0), *two = record_scenario(s, 0, 0);

        assert_memory_equal(one, two, ASKS * sizeof(*one));
        free(one);
        free(two);
        free(s);
    }
}

static void another_seed_gives_other_requests(void **state)
{
    /* Breaks when the seed is not used. */
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind), *other = scenario_new(12, kind);
        struct ask *one = record_scenario(s, 0, 0), *two = record_scenario(other, 0, 0);

        assert_true(count_equal(one, two) < ASKS * 9 / 10);
        free(one);
        free(two);
        free(s);
        free(other);
    }
}

static void another_instance_has_luck_of_its_own(void **state)
{
    /* Breaks when clones of a job march in step: their requests would meet at the same blocks. */
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind);
        struct ask *one, *two;

        s->job[0].numjobs = 2;
        one = record_scenario(s, 0, 0);
        two = record_scenario(s, 1, 0);
        assert_true(count_equal(one, two) < ASKS * 9 / 10);
        free(one);
        free(two);
        free(s);
    }
}

static void a_second_job_leaves_the_first_ones_requests_alone(void **state)
{
    /* Breaks when instances share dice, or a job's numbers depend on how many there are. */
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind);
        struct ask *alone = record_scenario(s, 0, 0), *both, other;
        struct workload *w;

        s->job_count = 2;
        set_job(&s->job[1], (kind + 3) % KINDS);
        both = calloc(ASKS, sizeof(*both));
        assert_non_null(both);
        w = start(s);
        for (unsigned i = 0; i < ASKS; i++) { /* in turn, so that shared state would show */
            record(w, 1, 1, 0, &other);
            record(w, 0, 1, 0, &both[i]);
        }
        assert_memory_equal(alone, both, ASKS * sizeof(*alone));
        workload_free(w);
        free(alone);
        free(both);
        free(s);
    }
}

static void time_does_not_change_what_is_asked(void **state)
{
    /* Breaks when waiting consumes dice: a faster disk would get other requests, and no two runs
     * compare. */
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind);
        struct ask *fast = record_scenario(s, 0, 0), *slow;

        s->job[0].rate_iops = 977;
        s->job[0].thinktime_ns = 12345;
        s->job[0].startdelay_ns = 1000000;
        slow = record_scenario(s, 0, 5000000);
        assert_memory_equal(fast, slow, ASKS * sizeof(*fast));
        free(fast);
        free(slow);
        free(s);
    }
}

static void the_mix_does_not_change_the_offsets(void **state)
{
    /* Breaks when purposes share a stream: a what-if with another rwmixread would move every
     * request. */
    struct scenario *s = scenario_new(11, 1);
    struct ask *one = record_scenario(s, 0, 0), *two;

    (void)state;
    s->job[0].rwmixread = 30;
    two = record_scenario(s, 0, 0);
    for (unsigned i = 0; i < ASKS; i++) {
        assert_int_equal(one[i].sector, two[i].sector);
        assert_true(one[i].flags <= two[i].flags);
    }
    free(one);
    free(two);
    free(s);
}

static void a_copy_of_the_block_is_a_snapshot(void **state)
{
    /* Breaks when state lives outside the block or the block holds pointers into itself. */
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind);
        struct workload *w = start(s), *copy = malloc(workload_bytes(w));
        struct ask one[100], two[100];

        assert_non_null(copy);
        record(w, 0, 50, 0, one);
        memcpy(copy, w, workload_bytes(w));
        record(w, 0, 100, 0, one);
        memset(w, 0xaa, workload_bytes(w));
        record(copy, 0, 100, 0, two);
        assert_memory_equal(one, two, sizeof(one));
        free(w);
        free(copy);
        free(s);
    }
}

static void the_meaning_of_seeds_is_what_it_was(void **state)
{
    /* Breaks when a change gives recorded seeds another meaning. That must be meant, and said in
     * the change log: then take the new numbers over. Sectors of the first eight requests under
     * seed 11. */
    static const uint64_t golden[KINDS][8] = {
        { 16128, 5576, 80320, 61456, 13104, 65648, 73088, 448 },
        { 20264, 87336, 16392, 81520, 129648, 77432, 48184, 8136 },
        { 0, 0, 8, 16, 8, 24, 32, 40 },
        { 20256, 87328, 16384, 81520, 129648, 77424, 48176, 8128 },
        { 16128, 16128, 68528, 61456, 80320, 42448, 16128, 88856 },
        { 16128, 16128, 27480, 95264, 80320, 73648, 16128, 57984 },
        { 98168, 19456, 110392, 23320, 119696, 65200, 63464, 14392 },
    };

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct scenario *s = scenario_new(11, kind);
        struct ask *asks = record_scenario(s, 0, 0);

        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(asks[i].sector, golden[kind][i]);
        free(asks);
        free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_requests),
        cmocka_unit_test(another_seed_gives_other_requests),
        cmocka_unit_test(another_instance_has_luck_of_its_own),
        cmocka_unit_test(a_second_job_leaves_the_first_ones_requests_alone),
        cmocka_unit_test(time_does_not_change_what_is_asked),
        cmocka_unit_test(the_mix_does_not_change_the_offsets),
        cmocka_unit_test(a_copy_of_the_block_is_a_snapshot),
        cmocka_unit_test(the_meaning_of_seeds_is_what_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
