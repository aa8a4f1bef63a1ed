/*
 * The load generator: where and how large requests are, in fio's terms (docs/WORKLOADS.md). Shares
 * are judged at six standard deviations with fixed seeds.
 */
#include "tests/lib/t.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/workload_rig.h"

/* A share of n trials lies within six deviations of p. */
static int is_share(unsigned hits, unsigned n, double p)
{
    return fabs(hits - n * p) < 6 * sqrt(n * p * (1 - p)) + 1;
}

/* ------------------------------------------------------------------ place */

static void the_random_map_visits_each_block_once_a_loop(void **state)
{
    /* Breaks W3: a block twice in a loop, a block missed, or two loops in the same order. */
    struct scenario *s = scenario_new();
    unsigned blocks = 1000, same = 0;
    struct tape *t;

    (void)state;
    s->job[0].size = blocks * 4 * KIB;
    s->job[0].offset = 12 * KIB;
    s->job[0].loops = 3;
    t = play_once(s, MAX_ASKS, 0);
    assert_true(t->ended);
    assert_int_equal(t->count, 3 * blocks);
    for (unsigned loop = 0; loop < 3; loop++) {
        uint8_t seen[1000] = { 0 };

        for (unsigned i = 0; i < blocks; i++) {
            const struct ask *a = &t->ask[loop * blocks + i];

            assert_int_equal(a->sectors, 8);
            assert_int_equal((a->sector - 24) % 8, 0);
            assert_true(a->sector >= 24 && (a->sector - 24) / 8 < blocks);
            assert_int_equal(seen[(a->sector - 24) / 8]++, 0);
            same += a->sector == t->ask[i].sector;
        }
    }
    assert_true(same < blocks + 20);
    free(t);
    free(s);
}

static void without_the_map_draws_are_even_and_repeat(void **state)
{
    /* Breaks when norandommap still remembers blocks, or prefers some: chi-square, 255 +- 22.6. */
    struct scenario *s = scenario_new();
    unsigned seen[256] = { 0 }, repeats = 0;
    double chi = 0;
    struct tape *t;

    (void)state;
    s->job[0].norandommap = 1;
    s->job[0].time_based = 1;
    t = play_once(s, 256 * 400, 0);
    for (unsigned i = 0; i < t->count; i++) {
        repeats += i < 256 && seen[t->ask[i].sector / 8] > 0;
        seen[t->ask[i].sector / 8]++;
    }
    for (unsigned i = 0; i < 256; i++)
        chi += (seen[i] - 400.0) * (seen[i] - 400.0) / 400;
    assert_true(fabs(chi - 255) < 6 * 22.6);
    assert_in_range(repeats, 60, 130); /* 256/e = 94 of the first 256 draws */
    free(t);
    free(s);
}

static void zipf_hot_blocks_have_their_share_and_lie_scattered(void **state)
{
    /* Breaks when theta is lost on the way, or the hot blocks are neighbours at the start of the
     * region. */
    enum { BLOCKS = 10000, ASKS = 200000 };
    static unsigned seen[BLOCKS];
    struct scenario *s = scenario_new();
    double all = 0;
    unsigned first = 0, second_best = 0;
    struct tape *t;

    (void)state;
    s->job[0].size = BLOCKS * 4 * KIB;
    s->job[0].time_based = 1;
    s->job[0].distribution = DIST_ZIPF;
    s->job[0].distribution_milli = 1200;
    t = play_once(s, ASKS, 0);
    for (unsigned i = 0; i < ASKS; i++)
        seen[t->ask[i].sector / 8]++;
    for (unsigned k = BLOCKS; k >= 1; k--)
        all += pow(k, -1.2);
    for (unsigned b = 1; b < BLOCKS; b++)
        first = seen[b] > seen[first] ? b : first;
    second_best = first == 0;
    for (unsigned b = 0; b < BLOCKS; b++)
        second_best = b != first && seen[b] > seen[second_best] ? b : second_best;
    assert_true(is_share(seen[first], ASKS, 1 / all));
    assert_true(is_share(seen[second_best], ASKS, pow(2, -1.2) / all));
    assert_true(abs((int)first - (int)second_best) > 10);
    assert_true(first > 10);
    free(t);
    free(s);
}

static void sequential_jobs_go_up_and_end_with_the_region(void **state)
{
    /* Breaks when a sequential job skips, repeats, leaves its region or sends a tail shorter than a
     * block. */
    struct scenario *s = scenario_new();
    struct tape *t;

    (void)state;
    s->job[0].rw = RW_WRITE;
    s->job[0].offset = 64 * KIB;
    s->job[0].size = 42 * KIB;
    t = play_once(s, MAX_ASKS, 0);
    assert_true(t->ended);
    assert_int_equal(t->count, 10);
    for (unsigned i = 0; i < t->count; i++) {
        assert_int_equal(t->ask[i].sector, 128 + 8 * i);
        assert_int_equal(t->ask[i].sectors, 8);
        assert_int_equal(t->ask[i].flags, 1);
    }
    free(t);
    free(s);
}

static void sequential_jobs_wrap_when_there_is_more_to_move(void **state)
{
    /* Breaks when time_based, or an io_size above the size, does not start again at the region's
     * start. */
    struct scenario *s = scenario_new();
    struct tape *t;

    (void)state;
    s->job[0].rw = RW_READ;
    s->job[0].offset = 8 * KIB;
    s->job[0].size = 18 * KIB;
    s->job[0].io_size = 40 * KIB;
    t = play_once(s, MAX_ASKS, 0);
    assert_int_equal(t->count, 10);
    for (unsigned i = 0; i < t->count; i++)
        assert_int_equal(t->ask[i].sector, 16 + 8 * (i % 4));
    free(t);

    s->job[0].io_size = 0;
    s->job[0].time_based = 1;
    s->job[0].runtime_ns = 100000000;
    t = play_once(s, MAX_ASKS, 1000000);
    assert_int_equal(t->count, 100);
    for (unsigned i = 0; i < t->count; i++)
        assert_int_equal(t->ask[i].sector, 16 + 8 * (i % 4));
    free(t);
    free(s);
}

static void mixed_sequential_jobs_keep_a_position_for_each_direction(void **state)
{
    /* Breaks when reads and writes share a position: fio keeps two, so both streams are gapless. */
    struct scenario *s = scenario_new();
    uint64_t next[2] = { 0, 0 };
    struct tape *t;

    (void)state;
    s->job[0].rw = RW_RW;
    t = play_once(s, MAX_ASKS, 0);
    assert_int_equal(t->count, 256);
    for (unsigned i = 0; i < t->count; i++) {
        assert_int_equal(t->ask[i].sector, next[t->ask[i].flags]);
        next[t->ask[i].flags] += 8;
    }
    assert_true(next[0] > 0 && next[1] > 0);
    free(t);
    free(s);
}

static void blockalign_spaces_the_offsets_and_turns_the_map_off(void **state)
{
    /* Breaks when offsets leave the grid, or the last block sticks out of the region. */
    struct scenario *s = scenario_new();
    unsigned seen[64] = { 0 }, most = 0;
    struct tape *t;

    (void)state;
    s->job[0].blockalign = 64 * KIB;
    t = play_once(s, MAX_ASKS, 0);
    assert_int_equal(t->count, 256); /* the loop still moves the size */
    for (unsigned i = 0; i < t->count; i++) {
        assert_int_equal(t->ask[i].sector % 128, 0);
        assert_true(t->ask[i].sector / 128 < 16);
        most = ++seen[t->ask[i].sector / 128] > most ? seen[t->ask[i].sector / 128] : most;
    }
    assert_true(most > 17); /* a map would visit each of the 16 blocks 16 times */
    free(t);

    s->job[0].blockalign = 512;
    s->job[0].time_based = 1;
    t = play_once(s, MAX_ASKS, 0);
    for (unsigned i = 0; i < t->count; i++)
        assert_true(t->ask[i].sector + 8 <= MIB / SECTOR);
    free(t);
    free(s);
}

static void a_size_of_zero_reaches_to_the_end_of_the_array(void **state)
{
    /* Breaks when the default region is not the whole array from offset on. */
    struct scenario *s = scenario_new();
    uint64_t lowest = UINT64_MAX, highest = 0;
    struct workload *w;
    struct tape *t;

    (void)state;
    s->job[0].size = 0;
    s->job[0].offset = MIB;
    w = start(s, 3 * MIB + 1536);
    t = play(w, 0, MAX_ASKS, 0);
    assert_int_equal(t->count, 512);
    for (unsigned i = 0; i < t->count; i++) {
        lowest = t->ask[i].sector < lowest ? t->ask[i].sector : lowest;
        highest = t->ask[i].sector > highest ? t->ask[i].sector : highest;
    }
    assert_int_equal(lowest, 2048);
    assert_int_equal(highest, 3 * 2048 - 8);
    workload_free(w);
    free(t);
    free(s);
}

/* --------------------------------------------------------- size, direction */

static void bssplit_gives_each_size_its_share(void **state)
{
    /* Breaks when a percentage is not honoured; the region is so large that its end does not
     * matter. */
    struct scenario *s = scenario_new();
    unsigned seen[4] = { 0 };
    struct tape *t;

    (void)state;
    s->job[0].size = 1024ULL * MIB;
    s->job[0].time_based = 1;
    s->job[0].split_count = 4;
    s->job[0].split[0] = (struct split){ 4 * KIB, 60 };
    s->job[0].split[1] = (struct split){ 64 * KIB, 30 };
    s->job[0].split[2] = (struct split){ 512, 0 };
    s->job[0].split[3] = (struct split){ 16 * KIB, 10 };
    t = play_once(s, 100000, 0);
    for (unsigned i = 0; i < t->count; i++) {
        unsigned which = 0;

        while (t->ask[i].sectors * SECTOR != s->job[0].split[which].bytes)
            which++;
        seen[which]++;
        assert_int_equal(t->ask[i].sector % 8, 0); /* the smallest size that occurs is the grid */
    }
    assert_true(is_share(seen[0], t->count, 0.6));
    assert_true(is_share(seen[1], t->count, 0.3));
    assert_int_equal(seen[2], 0);
    assert_true(is_share(seen[3], t->count, 0.1));
    free(t);
    free(s);
}

static void no_request_crosses_the_end_of_the_region(void **state)
{
    /* Breaks W1: near the end only sizes that fit may be drawn, and each of them must be. */
    for (int rw = RW_READ; rw <= RW_RANDRW; rw++) {
        struct scenario *s = scenario_new();
        uint64_t end = (40 * KIB + 10 * KIB) / SECTOR;
        unsigned touching = 0;
        struct tape *t;

        s->job[0].rw = (uint8_t)rw;
        s->job[0].offset = 40 * KIB;
        s->job[0].size = 10 * KIB;
        s->job[0].time_based = 1;
        s->job[0].split_count = 3;
        s->job[0].split[0] = (struct split){ 8 * KIB, 50 };
        s->job[0].split[1] = (struct split){ 2 * KIB, 30 };
        s->job[0].split[2] = (struct split){ 6 * KIB, 20 };
        t = play_once(s, 20000, 0);
        for (unsigned i = 0; i < t->count; i++) {
            assert_true(t->ask[i].sector >= 80);
            assert_true(t->ask[i].sector + t->ask[i].sectors <= end);
            touching += t->ask[i].sector + t->ask[i].sectors == end;
        }
        assert_true(touching > 1000);
        free(t);
        free(s);
    }
    (void)state;
}

static void rwmixread_is_the_share_of_reads(void **state)
{
    /* Breaks when the mix is turned round, or pure jobs are mixed. */
    static const uint8_t mix[] = { 0, 1, 30, 70, 99, 100 };

    (void)state;
    for (unsigned m = 0; m < sizeof(mix); m++) {
        struct scenario *s = scenario_new();
        unsigned writes = 0;
        struct tape *t;

        s->job[0].rw = RW_RANDRW;
        s->job[0].rwmixread = mix[m];
        s->job[0].time_based = 1;
        t = play_once(s, 50000, 0);
        for (unsigned i = 0; i < t->count; i++)
            writes += t->ask[i].flags;
        assert_true(is_share(t->count - writes, t->count, mix[m] / 100.0));
        if (mix[m] == 0 || mix[m] == 100)
            assert_int_equal(writes, mix[m] == 0 ? t->count : 0);
        free(t);
        free(s);
    }
}

/* -------------------------------------------------------------- instances */

static void instances_are_numbered_over_all_jobs_in_order(void **state)
{
    /* Breaks when a completion would be counted for another job. */
    struct scenario *s = scenario_new();
    struct workload *w;

    (void)state;
    s->job_count = 3;
    s->job[1] = s->job[2] = s->job[0];
    s->job[0].numjobs = 2;
    s->job[2].numjobs = 3;
    w = start(s, MIB);
    assert_int_equal(workload_instances(w), 6);
    assert_int_equal(workload_job(w, 0), 0);
    assert_int_equal(workload_job(w, 1), 0);
    assert_int_equal(workload_job(w, 2), 1);
    assert_int_equal(workload_job(w, 3), 2);
    assert_int_equal(workload_job(w, 5), 2);
    expect_assert_failure(workload_job(w, 6));
    expect_assert_failure(workload_done(w, 0, 0, false)); /* nothing is out */
    workload_free(w);
    free(s);
}

static void what_the_scenario_reader_refuses_is_our_own_bug(void **state)
{
    /* Breaks when a job beyond the array or smaller than its block is run in some made-up way. */
    struct scenario *s = scenario_new();

    (void)state;
    expect_assert_failure(workload_new(s, MIB / SECTOR - 1));
    s->job[0].size = 2 * KIB;
    expect_assert_failure(workload_new(s, MIB));
    s->job[0].size = 0;
    s->job[0].offset = MIB;
    expect_assert_failure(workload_new(s, MIB / SECTOR));
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_random_map_visits_each_block_once_a_loop),
        cmocka_unit_test(without_the_map_draws_are_even_and_repeat),
        cmocka_unit_test(zipf_hot_blocks_have_their_share_and_lie_scattered),
        cmocka_unit_test(sequential_jobs_go_up_and_end_with_the_region),
        cmocka_unit_test(sequential_jobs_wrap_when_there_is_more_to_move),
        cmocka_unit_test(mixed_sequential_jobs_keep_a_position_for_each_direction),
        cmocka_unit_test(blockalign_spaces_the_offsets_and_turns_the_map_off),
        cmocka_unit_test(a_size_of_zero_reaches_to_the_end_of_the_array),
        cmocka_unit_test(bssplit_gives_each_size_its_share),
        cmocka_unit_test(no_request_crosses_the_end_of_the_region),
        cmocka_unit_test(rwmixread_is_the_share_of_reads),
        cmocka_unit_test(instances_are_numbered_over_all_jobs_in_order),
        cmocka_unit_test(what_the_scenario_reader_refuses_is_our_own_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
