/*
 * The anticipatory scheduler without anticipation, for nobody's requests: the order of sectors, and
 * batches of reads and writes. A jiffy is a millisecond here.
 */
#include "tests/unit/elevator_rig.h"

enum { READ = COMMAND_READ, WRITE = COMMAND_WRITE };

static struct rig open_queue(void)
{
    return rig_open(rig_params(ELEVATOR_ANTICIPATORY));
}

static void expect_writes(struct rig *g, const uint64_t *sector, int count)
{
    for (int i = 0; i < count; i++)
        rig_expect(g, WRITE, sector[i], 8);
}

/* Fails if the sweep does not go upwards, does not begin again at the lowest, or a way back costs
 * other than twice, or more than 1 Mi sectors back are gone. */
static void the_next_request_is_the_nearest_ahead_or_half_as_far_behind(void **state)
{
    (void)state;
    static const uint64_t near_behind[] = { 10000, 9959, 10107, 9859 },
                          back_too_far[] = { 2000000, 3000000, 951430, 951431 },
                          back_just[] = { 2000000, 951432, 951440 };
    struct rig g = open_queue();

    rig_write(&g, 10000, NONE16);
    assert_true(rig_dispatch(&g)); /* the head: 10008 */
    rig_complete(&g, g.last.token);
    rig_write(&g, 9959, NONE16);  /* 49 behind */
    rig_write(&g, 10107, NONE16); /* 99 ahead */
    rig_write(&g, 9859, NONE16);
    expect_writes(&g, near_behind + 1, 3);
    rig_write(&g, 9867 - 50, NONE16);  /* 50 behind the end of the last */
    rig_write(&g, 9867 + 100, NONE16); /* 100 ahead: as dear, and preferred */
    rig_expect(&g, WRITE, 9967, 8);
    rig_close(&g);

    g = open_queue();
    rig_write(&g, 2000000, NONE16);
    expect_writes(&g, back_too_far, 1); /* the head: 2000008 */
    rig_write(&g, 951431, NONE16);      /* 1048577 behind */
    rig_write(&g, 951400, NONE16);
    rig_write(&g, 9000000, NONE16);
    rig_expect(&g, WRITE, 9000000, 8);
    rig_expect(&g, WRITE, 951400, 8);
    rig_expect(&g, WRITE, 951431, 8);
    rig_close(&g);

    g = open_queue();
    rig_write(&g, 2000000, NONE16);
    expect_writes(&g, back_just, 1);
    rig_write(&g, 951432, NONE16); /* 1048576 behind */
    rig_write(&g, 9000000, NONE16);
    expect_writes(&g, back_just + 1, 1);
    rig_close(&g);
}

/* A queue with 20 reads and 20 writes of nobody waiting, far from each other. */
static struct rig open_under_load(void)
{
    struct rig g = open_queue();

    while (elevator_waiting(g.e) < 40)
        rig_add(&g, g.io % 2 ? WRITE : READ, 1000 * (uint64_t)g.io, 8, NONE16);
    return g;
}

/* Serves one command, a read in 5 ms, and replaces it by another of its kind. */
static uint8_t serve_under_load(struct rig *g, uint64_t write_ns)
{
    assert_true(rig_dispatch(g));
    uint8_t kind = g->last.kind;
    g->now += kind == READ ? 5 * MS : write_ns;
    rig_complete(g, g->last.token);
    rig_add(g, kind, 1000 * (uint64_t)g->io, 8, NONE16);
    return kind;
}

/* The length of the next batch of writes, each of which takes that long. Ends with the read after
 * it. */
static unsigned next_write_batch(struct rig *g, uint64_t write_ns)
{
    unsigned writes = 0;

    while (serve_under_load(g, write_ns) == READ)
        ;
    for (uint8_t kind = WRITE; kind == WRITE; kind = serve_under_load(g, write_ns))
        writes++;
    return writes;
}

/* Fails if a read batch does not last for its time from its first completion, a write batch not for
 * its count, the count does not learn, or the directions do not take turns. */
static void batches_of_reads_and_writes_take_turns(void **state)
{
    (void)state;
    struct rig g = open_under_load();
    uint8_t kind = serve_under_load(&g, 5 * MS), last = kind;
    unsigned length[8] = { 1 }, batch = 0;

    assert_int_equal(kind, READ);
    while (batch < 7) {
        kind = serve_under_load(&g, 5 * MS);
        batch += kind != last;
        last = kind;
        length[batch]++;
    }
    assert_int_equal(length[0], 101); /* the very first: 500 jiffies from the start */
    assert_int_equal(length[1],
                     12); /* a tenth of 125 jiffies to begin with: took 65 with the first read */
    assert_int_equal(length[2],
                     102); /* 500 jiffies from the end of its first, and one jiffy more */
    assert_int_equal(length[3], 13);
    assert_int_equal(length[4], 102);
    assert_int_equal(length[5], 14);
    rig_close(&g);
}

/* Fails if slow writes are not cut off by time, or the next batch may not have fewer. */
static void a_write_batch_ends_by_time_when_writes_are_slow(void **state)
{
    (void)state;
    struct rig g = open_under_load();

    assert_int_equal(next_write_batch(&g, 50 * MS), 3); /* at 0, 50 and 100 of 125 ms */
    assert_int_equal(next_write_batch(&g, 5 * MS), 11);
    assert_int_equal(next_write_batch(&g, 400 * MS), 1); /* over three times its time: half of 12 */
    assert_int_equal(next_write_batch(&g, 5 * MS), 6);
    assert_int_equal(next_write_batch(&g, MS), 12); /* under a third: twice as many */
    rig_close(&g);
}

/* Fails if a write batch that ran out of writes is held against the disk, or a later one is not. */
static void a_write_batch_that_idled_teaches_nothing(void **state)
{
    (void)state;
    struct rig g = open_queue();

    rig_write(&g, 0, NONE16);
    rig_expect(&g, WRITE, 0, 8);
    assert_false(rig_dispatch(&g));
    g.now = 1000 * MS;
    for (unsigned i = 1; i <= 40; i++)
        rig_add(&g, i % 2 ? WRITE : READ, 1000 * (uint64_t)g.io, 8, NONE16);
    assert_int_equal(next_write_batch(&g, 5 * MS), 12);
    assert_int_equal(next_write_batch(&g, 50 * MS), 3);
    assert_int_equal(next_write_batch(&g, 5 * MS), 12); /* 13, less one */
    rig_close(&g);
}

/* Fails if a write batch that waited for reads to leave a device of depth 2 is cut short. */
static void a_write_batch_has_its_time_whatever_the_depth_of_the_device(void **state)
{
    (void)state;
    struct rig g = open_under_load();
    unsigned length[20] = { 0 }, batch = 0, on_device = 0;
    uint32_t token[2];
    uint8_t kind[2], last = READ;

    while (batch < 4) {
        while (on_device < 2 && rig_dispatch(&g)) {
            batch += g.last.kind != last;
            last = g.last.kind;
            length[batch]++;
            token[on_device] = g.last.token;
            kind[on_device++] = last;
        }
        assert_int_not_equal(on_device, 0);
        g.now += 5 * MS;
        rig_complete(&g, token[0]);
        rig_add(&g, kind[0], 1000 * (uint64_t)g.io, 8, NONE16);
        token[0] = token[1];
        kind[0] = kind[1];
        on_device--;
    }
    assert_int_equal(length[1], 12);
    assert_int_equal(length[3], 13);
    rig_close(&g);
}

/* Fails if a flush leaves a change of batches half done. */
static void a_flush_does_not_wait_for_a_change_of_batches(void **state)
{
    (void)state;
    struct rig g = open_queue();

    rig_read(&g, 0, NONE16);
    assert_true(rig_dispatch(&g));
    rig_write(&g, 100, NONE16);
    assert_false(rig_dispatch(&g)); /* the read must leave first */
    rig_flush(&g);
    rig_read(&g, 200, NONE16);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.kind, WRITE);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.kind, COMMAND_FLUSH);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.sector, 200);
    rig_close(&g);
}

/* Fails if writes are mixed with reads that are still on the device. */
static void a_batch_starts_when_the_other_direction_has_left_the_device(void **state)
{
    (void)state;
    struct rig g = open_queue();

    rig_read(&g, 0, NONE16);
    rig_read(&g, 5000, NONE16);
    assert_true(rig_dispatch(&g));
    uint32_t first = g.last.token;
    assert_true(rig_dispatch(&g));
    uint32_t second = g.last.token;
    rig_write(&g, 100, NONE16);
    assert_false(rig_dispatch(&g));
    rig_complete(&g, first);
    assert_false(rig_dispatch(&g));
    rig_complete(&g, second);
    rig_expect(&g, WRITE, 100, 8);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_request_is_the_nearest_ahead_or_half_as_far_behind),
        cmocka_unit_test(batches_of_reads_and_writes_take_turns),
        cmocka_unit_test(a_write_batch_ends_by_time_when_writes_are_slow),
        cmocka_unit_test(a_write_batch_that_idled_teaches_nothing),
        cmocka_unit_test(a_write_batch_has_its_time_whatever_the_depth_of_the_device),
        cmocka_unit_test(a_flush_does_not_wait_for_a_change_of_batches),
        cmocka_unit_test(a_batch_starts_when_the_other_direction_has_left_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
