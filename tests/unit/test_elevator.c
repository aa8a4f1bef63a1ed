/*
 * The request queue by example: merging, the plug, flushes, limits, noop and deadline. The
 * anticipatory scheduler and the laws that hold for all have programs of their own.
 */
#include "tests/unit/elevator_rig.h"

enum { READ = COMMAND_READ, WRITE = COMMAND_WRITE };

/* Fails if a request stops growing at either end, or its ios leave the order of sectors. */
static void adjacent_ios_become_one_command_in_order_of_sectors(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_NOOP));
    uint32_t io;

    assert_int_equal(rig_read(&g, 108, 0), ELEVATOR_NEW);
    assert_int_equal(rig_read(&g, 116, 0), ELEVATOR_BACK_MERGED);
    assert_int_equal(rig_read(&g, 100, 0), ELEVATOR_FRONT_MERGED);
    assert_int_equal(elevator_waiting(g.e), 1);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.sector, 100);
    assert_int_equal(g.last.sectors, 24);
    assert_int_equal(elevator_request_segments(g.e, g.last.token), 3);
    assert_int_equal(io = elevator_first_io(g.e, g.last.token), 2);
    assert_int_equal(io = elevator_next_io(g.e, io), 0);
    assert_int_equal(io = elevator_next_io(g.e, io), 1);
    assert_int_equal(elevator_next_io(g.e, io), NONE32);
    rig_complete(&g, g.last.token);
    assert_int_equal(elevator_stats(g.e).requests[0], 1);
    assert_int_equal(elevator_stats(g.e).merges[0], 2);
    rig_close(&g);
}

/* Fails if the gap between two requests is filled and they stay two commands, or the place of the
 * absorbed one is not given back. */
static void two_requests_that_have_met_are_joined(void **state)
{
    (void)state;
    for (uint8_t kind = ELEVATOR_NOOP; kind <= ELEVATOR_ANTICIPATORY; kind++) {
        struct elevator_params p = rig_params(kind);
        p.nr_requests = 2;
        struct rig g = rig_open(p);

        rig_read(&g, 0, 0);
        rig_read(&g, 16, 1);
        assert_false(elevator_has_room(g.e, &p, READ));
        assert_int_equal(rig_read(&g, 8, 0), ELEVATOR_BACK_MERGED);
        assert_true(elevator_has_room(g.e, &p, READ));
        assert_int_equal(elevator_waiting(g.e), 1);
        rig_expect(&g, READ, 0, 24);
        assert_false(rig_dispatch(&g));
        assert_int_equal(elevator_stats(g.e).merges[0], 2);
        rig_close(&g);
    }
}

/* Fails if max_sectors or max_segments may be passed by a back merge, a front merge or a join; or
 * is not reached. */
static void no_merge_passes_the_limits_of_a_request(void **state)
{
    (void)state;
    for (int by_segments = 0; by_segments < 2; by_segments++) {
        struct elevator_params p = rig_params(ELEVATOR_NOOP);
        if (by_segments)
            p.max_segments = 3;
        else
            p.max_sectors = 24;
        struct rig g = rig_open(p);

        rig_read(&g, 100, 0);
        assert_int_equal(rig_read(&g, 108, 0), ELEVATOR_BACK_MERGED);
        assert_int_equal(rig_read(&g, 116, 0), ELEVATOR_BACK_MERGED);
        assert_int_equal(rig_read(&g, 124, 0), ELEVATOR_NEW);
        assert_int_equal(rig_read(&g, 92, 0), ELEVATOR_NEW);
        assert_int_equal(rig_read(&g, 140, 0), ELEVATOR_NEW);
        assert_int_equal(rig_read(&g, 148, 0), ELEVATOR_BACK_MERGED);
        assert_int_equal(rig_read(&g, 132, 0), ELEVATOR_BACK_MERGED); /* 124..140 meets 140..156 */
        rig_expect(&g, READ, 100, 24);
        rig_expect(&g, READ, 124, 16);
        rig_expect(&g, READ, 92, 8);
        rig_expect(&g, READ, 140, 16);
        rig_close(&g);
    }
}

/* Fails if a part of a page is not counted as a segment. */
static void a_segment_is_a_page_or_part_of_one(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_NOOP));

    rig_add(&g, READ, 0, 1, 0);
    rig_add(&g, READ, 1, 9, 0);
    assert_true(rig_dispatch(&g));
    assert_int_equal(elevator_request_segments(g.e, g.last.token), 3);
    rig_close(&g);
}

/* Fails if reads join writes, forced writes join anything, a command on the device grows, or
 * nomerges is ignored. */
static void what_must_not_be_merged_is_not(void **state)
{
    (void)state;
    struct elevator_params p = rig_params(ELEVATOR_DEADLINE);
    struct rig g = rig_open(p);

    rig_read(&g, 0, 0);
    assert_int_equal(rig_write(&g, 8, 0), ELEVATOR_NEW);
    assert_int_equal(elevator_add(g.e, &p, g.issuers, 0, 100, 16, 8, WRITE, true, 0), ELEVATOR_NEW);
    assert_int_equal(rig_write(&g, 24, 0), ELEVATOR_NEW);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.sector, 0);
    assert_int_equal(rig_read(&g, 8, 0), ELEVATOR_NEW);
    rig_close(&g);

    p.nomerges = 1;
    g = rig_open(p);
    rig_read(&g, 0, 0);
    assert_int_equal(rig_read(&g, 8, 0), ELEVATOR_NEW);
    rig_close(&g);
}

/* Fails if a forced write loses its mark on the way to the device. */
static void a_forced_write_arrives_as_one(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_NOOP));

    elevator_add(g.e, &g.p, g.issuers, 0, 0, 16, 8, WRITE, true, NONE16);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.fua, 1);
    rig_close(&g);
}

/* Fails if a request overtakes an earlier flush or a flush an earlier request; if ios merge across
 * it; or if those behind one flush no longer merge with each other. */
static void a_flush_keeps_its_place_among_all_requests(void **state)
{
    (void)state;
    for (uint8_t kind = ELEVATOR_NOOP; kind <= ELEVATOR_ANTICIPATORY; kind++) {
        struct rig g = rig_open(rig_params(kind));

        rig_write(&g, 500, 0);
        rig_read(&g, 1000, 1);
        rig_flush(&g);
        assert_int_equal(rig_write(&g, 508, 0), ELEVATOR_NEW);
        assert_int_equal(rig_write(&g, 492, 0), ELEVATOR_NEW);
        assert_int_equal(rig_write(&g, 500, 0), ELEVATOR_BACK_MERGED);
        rig_flush(&g);
        rig_read(&g, 0, 2);
        assert_true(rig_dispatch(&g) && rig_dispatch(&g));
        rig_expect(&g, COMMAND_FLUSH, 0, 0);
        rig_expect(&g, WRITE, 492, 24);
        rig_expect(&g, COMMAND_FLUSH, 0, 0);
        rig_expect(&g, READ, 0, 8);
        assert_false(rig_dispatch(&g));
        rig_close(&g);
    }
}

/* Fails if a queue lets go before somebody waits for it, or keeps hold after that. */
static void the_first_io_plugs_an_empty_queue_until_somebody_waits(void **state)
{
    (void)state;
    struct elevator_params p = rig_params(ELEVATOR_DEADLINE);
    p.plugs = 1;
    struct rig g = rig_open(p);

    assert_false(elevator_unplug(g.e));
    rig_read(&g, 0, 0);
    assert_false(rig_dispatch(&g));
    assert_true(elevator_unplug(g.e));
    assert_int_equal(rig_timer(&g), UINT64_MAX);
    assert_true(rig_dispatch(&g));
    rig_read(&g, 100, 0); /* empty again, though the device is not */
    assert_false(rig_dispatch(&g));
    rig_close(&g);
}

/* Fails if the plug's timer is not of whole jiffies, or the rounding lets it be none. */
static void the_plug_opens_at_the_beginning_of_a_jiffy(void **state)
{
    (void)state;
    static const struct {
        uint32_t hz;
        uint64_t plugged, opens;
    } row[] = { { 1000, 10 * MS + 1, 13 * MS }, { 1000, 10 * MS, 13 * MS }, { 250, 7 * MS, 8 * MS },
                { 100, 10 * MS, 20 * MS },      { 300, 3333333, 3333334 },  { 1024, 1, 2929688 } };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct elevator_params p = rig_params(ELEVATOR_ANTICIPATORY);
        p.plugs = 1;
        p.hz = row[i].hz;
        struct rig g = rig_open(p);

        g.now = row[i].plugged;
        rig_read(&g, 0, 0);
        assert_int_equal(rig_timer(&g), row[i].opens);
        g.now = row[i].opens - 1;
        assert_false(rig_dispatch(&g));
        g.now++;
        assert_true(rig_dispatch(&g));
        rig_close(&g);
    }
}

/* Fails if merged ios count towards the threshold of the plug, the threshold is missed, or a flush
 * waits for it. */
static void the_plug_opens_when_enough_requests_wait(void **state)
{
    (void)state;
    struct elevator_params p = rig_params(ELEVATOR_NOOP);
    p.plugs = 1;
    struct rig g = rig_open(p);

    rig_read(&g, 0, 0);
    rig_read(&g, 8, 0);
    rig_read(&g, 100, 0);
    rig_read(&g, 200, 0);
    assert_false(rig_dispatch(&g));
    rig_read(&g, 300, 0);
    for (int i = 0; i < 4; i++)
        assert_true(rig_dispatch(&g));
    rig_read(&g, 400, 0);
    assert_false(rig_dispatch(&g));
    rig_flush(&g);
    assert_true(rig_dispatch(&g));
    rig_close(&g);
}

/* Fails if a queue without the old plug makes anybody wait. */
static void without_plugs_a_queue_is_never_plugged(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_NOOP));

    rig_read(&g, 0, 0);
    assert_int_equal(rig_timer(&g), UINT64_MAX);
    rig_expect(&g, READ, 0, 8);
    rig_close(&g);
}

/* Fails if one direction takes the other's requests, a full queue changes anything or refuses a
 * merge, or a request is given back before its end. */
static void a_direction_has_nr_requests_until_they_end(void **state)
{
    (void)state;
    struct elevator_params p = rig_params(ELEVATOR_NOOP);
    p.nr_requests = 2;
    size_t bytes = elevator_bytes(&p, RIG_IOS);
    struct rig g = rig_open(p);
    void *before = malloc(bytes);

    assert_non_null(before);
    rig_read(&g, 0, 0);
    rig_read(&g, 100, 0);
    memcpy(before, g.e, bytes);
    assert_int_equal(rig_read(&g, 200, 0), ELEVATOR_FULL);
    assert_memory_equal(before, g.e, bytes);
    assert_int_equal(rig_read(&g, 108, 0), ELEVATOR_BACK_MERGED);
    assert_int_equal(rig_write(&g, 200, 0), ELEVATOR_NEW);
    assert_true(rig_dispatch(&g));
    assert_int_equal(rig_read(&g, 200, 0), ELEVATOR_FULL);
    rig_complete(&g, g.last.token);
    assert_int_equal(rig_read(&g, 200, 0), ELEVATOR_NEW);
    free(before);
    rig_close(&g);
}

/* Fails if the queue takes an io it has, or ends what is not on the device. */
static void a_caller_that_breaks_the_contract_is_caught(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_NOOP));

    rig_read(&g, 0, 0);
    expect_assert_failure(elevator_add(g.e, &g.p, NULL, 0, 0, 50, 8, READ, false, NONE16));
    expect_assert_failure(elevator_add(g.e, &g.p, NULL, 0, RIG_IOS, 50, 8, READ, false, NONE16));
    expect_assert_failure(elevator_add(g.e, &g.p, NULL, 0, 9, 50, 0, READ, false, NONE16));
    expect_assert_failure(rig_complete(&g, 0));
    expect_assert_failure(rig_complete(&g, 5));
    rig_close(&g);
}

/* Fails if noop sorts. */
static void noop_keeps_the_order_of_arrival(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_NOOP));

    rig_read(&g, 900, 0);
    rig_write(&g, 100, 0);
    rig_read(&g, 500, 0);
    rig_expect(&g, READ, 900, 8);
    rig_expect(&g, WRITE, 100, 8);
    rig_expect(&g, READ, 500, 8);
    rig_close(&g);
}

/* Fails if a batch does not go upwards, is longer than fifo_batch, or does not go on where it
 * ended. */
static void deadline_goes_upwards_and_starts_again_at_the_oldest(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_DEADLINE));

    rig_read(&g, 500, 0);
    rig_read(&g, 100, 0);
    rig_read(&g, 900, 0);
    rig_read(&g, 700, 0);
    rig_read(&g, 50, 0);
    rig_expect(&g, READ, 500, 8); /* the oldest begins */
    rig_expect(&g, READ, 700, 8);
    rig_expect(&g, READ, 900, 8);
    rig_expect(&g, READ, 100, 8); /* nothing above: the oldest again */
    rig_expect(&g, READ, 50, 8);
    rig_close(&g);
}

/* Fails if writes get their turn too early, too late, or not for a batch. */
static void deadline_passes_writes_by_no_more_often_than_writes_starved(void **state)
{
    (void)state;
    struct elevator_params p = rig_params(ELEVATOR_DEADLINE);
    p.fifo_batch = 2;
    struct rig g = rig_open(p);

    for (uint64_t i = 0; i < 10; i++) {
        rig_read(&g, 1000 + 100 * i, 0);
        rig_write(&g, 5000 + 100 * i, 0);
    }
    for (uint64_t round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 4; i++)
            rig_expect(&g, READ, 1000 + 100 * (4 * round + i), 8);
        for (uint64_t i = 0; i < 2; i++)
            rig_expect(&g, WRITE, 5000 + 100 * (2 * round + i), 8);
    }
    rig_close(&g);
}

/* Fails if a deadline passes before its jiffy is over, or is not heeded at the end of a batch. */
static void deadline_serves_an_expired_request_at_the_next_batch(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct elevator_params p = rig_params(ELEVATOR_DEADLINE);
        p.fifo_batch = 1;
        struct rig g = rig_open(p);

        rig_read(&g, 500, 0);
        rig_expect(&g, READ, 500, 8);
        rig_read(&g, 600, 0);
        rig_expect(&g, READ, 600, 8); /* so that a batch could go on above */
        rig_read(&g, 100, 0);
        rig_read(&g, 700, 0);
        rig_expect(&g, READ, 100, 8);
        rig_read(&g, 50, 0);
        rig_read(&g, 800, 0);
        g.now = 501 * MS - !late;
        rig_read(&g, 900, 0);
        rig_expect(&g, READ, 700, 8);
        rig_expect(&g, READ, late ? 50 : 800, 8);
        rig_close(&g);
    }
}

/* Fails if a joined request forgets the older of its two deadlines, or the batch goes on at the one
 * that is gone. */
static void a_joined_request_has_the_older_deadline(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct elevator_params p = rig_params(ELEVATOR_DEADLINE);
        p.fifo_batch = 1;
        struct rig g = rig_open(p);

        rig_read(&g, 50, 0);
        rig_read(&g, 116, 0); /* the old one, behind */
        rig_expect(&g, READ, 50, 8);
        g.now = 400 * MS;
        rig_read(&g, 1000, 0);
        rig_read(&g, 100, 0);
        rig_read(&g, 108, 0); /* joins 100 and 116 */
        g.now = 501 * MS - !late;
        rig_expect(&g, READ, late ? 100 : 1000, late ? 24 : 8);
        rig_close(&g);
    }
}

/* Fails if a front merge over an overlapping neighbour leaves the order of sectors wrong. */
static void a_request_that_grew_past_its_neighbour_goes_before_it(void **state)
{
    (void)state;
    struct rig g = rig_open(rig_params(ELEVATOR_DEADLINE));

    rig_read(&g, 50, 0);
    rig_read(&g, 100, 0);
    rig_read(&g, 96, 0);
    assert_int_equal(rig_read(&g, 92, 0), ELEVATOR_FRONT_MERGED);
    rig_expect(&g, READ, 50, 8);
    rig_expect(&g, READ, 92, 16);
    rig_expect(&g, READ, 96, 8);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjacent_ios_become_one_command_in_order_of_sectors),
        cmocka_unit_test(two_requests_that_have_met_are_joined),
        cmocka_unit_test(no_merge_passes_the_limits_of_a_request),
        cmocka_unit_test(a_segment_is_a_page_or_part_of_one),
        cmocka_unit_test(what_must_not_be_merged_is_not),
        cmocka_unit_test(a_forced_write_arrives_as_one),
        cmocka_unit_test(a_flush_keeps_its_place_among_all_requests),
        cmocka_unit_test(the_first_io_plugs_an_empty_queue_until_somebody_waits),
        cmocka_unit_test(the_plug_opens_at_the_beginning_of_a_jiffy),
        cmocka_unit_test(the_plug_opens_when_enough_requests_wait),
        cmocka_unit_test(without_plugs_a_queue_is_never_plugged),
        cmocka_unit_test(a_direction_has_nr_requests_until_they_end),
        cmocka_unit_test(a_caller_that_breaks_the_contract_is_caught),
        cmocka_unit_test(noop_keeps_the_order_of_arrival),
        cmocka_unit_test(deadline_goes_upwards_and_starts_again_at_the_oldest),
        cmocka_unit_test(deadline_passes_writes_by_no_more_often_than_writes_starved),
        cmocka_unit_test(deadline_serves_an_expired_request_at_the_next_batch),
        cmocka_unit_test(a_joined_request_has_the_older_deadline),
        cmocka_unit_test(a_request_that_grew_past_its_neighbour_goes_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
