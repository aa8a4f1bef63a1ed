/* The device without a mechanism, and the heap of endings that all timing models share. */
#include "tests/unit/disk_rig.h"

#include "disks/ends.h"

static struct rig piped(void)
{
    struct rig r = rig_new("null");

    r.preset.latency_ns = 10000;
    r.preset.overhead_ns = 100;
    r.preset.read_kb_s = 1000000; /* 1 ns a byte */
    r.preset.write_kb_s = 500000;
    r.preset.flush_ns = 7000;
    rig_restart(&r, 0, 1);
    return r;
}

/* Breaks if latency and transfer are not both paid, or by the wrong direction's rate. */
static void one_command_takes_latency_and_transfer(void **state)
{
    (void)state;
    struct rig r = piped();

    assert_int_equal(rig_one(&r, COMMAND_READ, false, 0, 8), 100 + 4096 + 10000);
    assert_int_equal(rig_one(&r, COMMAND_WRITE, false, 0, 8), 100 + 2 * 4096 + 10000);
    assert_int_equal(rig_one(&r, COMMAND_WRITE, true, 0, 8), 100 + 2 * 4096 + 10000);
    r.preset.link_kb_s = 250000;
    assert_int_equal(rig_one(&r, COMMAND_READ, false, 0, 8), 100 + 4 * 4096 + 10000);
    rig_free(&r);
}

/* Breaks if latencies add up, or transfers overlap. */
static void latencies_overlap_and_transfers_do_not(void **state)
{
    (void)state;
    struct rig r = piped();

    for (uint32_t i = 0; i < 20; i++)
        rig_send(&r, COMMAND_READ, false, i * 8, 8);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(rig_end(&r), i);
        assert_int_equal(r.now, (i + 1) * (100 + 4096) + 10000);
    }
    rig_free(&r);
}

/* Breaks if a flush overtakes a write that was there before it. */
static void a_flush_ends_after_every_command_before_it(void **state)
{
    (void)state;
    struct rig r = piped();

    rig_send(&r, COMMAND_WRITE, false, 0, 256);
    rig_send(&r, COMMAND_FLUSH, false, 0, 0);
    rig_send(&r, COMMAND_READ, false, 0, 8); /* need not wait for it */
    assert_int_equal(rig_end(&r), 0);
    assert_int_equal(r.now, 100 + 262144 + 10000);
    assert_int_equal(rig_end(&r), 2);
    assert_int_equal(rig_end(&r), 1);
    assert_int_equal(r.now, 100 + 262144 + 10000 + 7000);
    assert_int_equal(rig_one(&r, COMMAND_FLUSH, false, 0, 0), 100 + 7000);
    rig_free(&r);
}

/* Breaks if the queue is deeper or shallower than the preset says. */
static void the_queue_holds_queue_depth_commands(void **state)
{
    (void)state;
    struct rig r = rig_new("null");

    for (uint32_t i = 0; i < r.preset.queue_depth; i++)
        rig_send(&r, COMMAND_READ, false, i * 8, 8);
    assert_false(r.timing->accepts(r.arm, &r.preset));
    rig_end(&r);
    assert_true(r.timing->accepts(r.arm, &r.preset));
    rig_free(&r);
}

/* null_blk completes after 10 us; the preset must not be slower than the hosts it is to measure
 * (2-4 million IOPS). */
static void the_preset_costs_next_to_nothing(void **state)
{
    (void)state;
    struct rig r = rig_new("null");
    struct load l = { .sectors = 8, .depth = 64, .count = 100000 };

    assert_int_equal(rig_one(&r, COMMAND_READ, false, 0, 8), 10000);
    rig_expect("null: random 4 KiB reads, 1000/s", load_iops(&l, rig_load(&r, &l)) / 1e3, 6400, 1);
    rig_free(&r);
}

/* Breaks if asking writes, or a power-on draws on chance. */
static void asking_changes_nothing_and_no_luck_is_involved(void **state)
{
    (void)state;
    struct rig r = piped();
    size_t bytes = r.timing->arm_bytes(&r.preset);
    void *copy = test_malloc(bytes);

    memcpy(copy, r.arm, bytes);
    rig_restart(&r, 7, 99);
    assert_memory_equal(copy, r.arm, bytes);
    rig_send(&r, COMMAND_READ, false, 0, 8);
    memcpy(copy, r.arm, bytes);
    assert_true(r.timing->accepts(r.arm, &r.preset));
    assert_int_equal(r.timing->next(r.arm, &r.preset), 14196);
    assert_memory_equal(copy, r.arm, bytes);
    expect_assert_failure(r.timing->finish(r.arm, &r.preset, 14195));
    test_free(copy);
    rig_free(&r);
}

/* Against a plain search for the smallest. Breaks if the heap loses its order, or equal times
 * change places. */
static void endings_come_by_time_and_then_by_arrival(void **state)
{
    (void)state;
    enum { MAX = 100, ROUNDS = 3000 };
    struct ends *e = test_calloc(1, ends_bytes(MAX));
    struct dice dice = dice_new(1, DICE_FATE, 0);
    static uint64_t end_ns[ROUNDS];
    bool here[ROUNDS] = { false };

    ends_start(e, MAX);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        while (e->count == MAX || (e->count && dice_below(&dice, 2) == 0)) {
            uint32_t best = ROUNDS;
            for (uint32_t j = 0; j < i; j++)
                if (here[j] && (best == ROUNDS || end_ns[j] < end_ns[best]))
                    best = j;
            assert_true(ends_next(e) == end_ns[best]);
            assert_int_equal(ends_take(e).token, best);
            here[best] = false;
        }
        end_ns[i] = dice_below(&dice, 50);
        here[i] = true;
        ends_add(e, end_ns[i], i);
    }
    while (e->count)
        ends_take(e);
    assert_true(ends_next(e) == UINT64_MAX);
    expect_assert_failure(ends_take(e));
    test_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_command_takes_latency_and_transfer),
        cmocka_unit_test(latencies_overlap_and_transfers_do_not),
        cmocka_unit_test(a_flush_ends_after_every_command_before_it),
        cmocka_unit_test(the_queue_holds_queue_depth_commands),
        cmocka_unit_test(the_preset_costs_next_to_nothing),
        cmocka_unit_test(asking_changes_nothing_and_no_luck_is_involved),
        cmocka_unit_test(endings_come_by_time_and_then_by_arrival),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
