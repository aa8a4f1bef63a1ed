/*
 * The log of member I/O (sim/io_log.h): complete, in order, and without influence.
 */
#include "tests/lib/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/io.h"
#include "model/step.h"
#include "sim/io_log.h"
#include "tests/lib/small_scenario.h"

static void every_member_io_is_logged_in_order_of_time(void **state)
{
    /* Breaks when an I/O goes past the log, is logged twice, or out of order: sectors logged are
     * the sectors the members moved. */
    struct timed t;
    struct io_log log = { .count = 0 };
    uint64_t logged = 0, moved = 0;

    (void)state;
    timed_start(&t, small_scenario(LEVEL_RAID5), 0);
    clockwork_log_io(t.sim.clock, &log);
    timed_finish(&t);
    assert_true(log.count > 100);
    for (size_t i = 0; i < log.count; i++) {
        assert_true(log.entry[i].member < 3);
        assert_int_equal(log.entry[i].kind, IO_READ);
        if (i)
            assert_true(log.entry[i].ns >= log.entry[i - 1].ns);
        logged += log.entry[i].sectors;
    }
    for (unsigned d = 0; d < 3; d++)
        moved += t.results->member[d].sectors[0];
    assert_int_equal(logged, moved);
    assert_false(log.lost);
    io_log_free(&log);
    timed_free(&t);
}

static void the_log_changes_nothing(void **state)
{
    /* Breaks when logging takes simulated time or draws dice: the state's bytes would differ. */
    struct timed with, without;
    struct io_log log = { .count = 0 };
    size_t bytes, same;
    void *a, *b;

    (void)state;
    timed_start(&with, small_scenario(LEVEL_RAID5), 0);
    clockwork_log_io(with.sim.clock, &log);
    timed_finish(&with);
    timed_start(&without, small_scenario(LEVEL_RAID5), 0);
    timed_finish(&without);
    a = clockwork_state(with.sim.clock, &bytes);
    b = clockwork_state(without.sim.clock, &same);
    assert_int_equal(bytes, same);
    assert_memory_equal(a, b, bytes);
    io_log_free(&log);
    timed_free(&with);
    timed_free(&without);
}

static void lines_have_both_formats(void **state)
{
    /* Breaks when a field changes its place, flushes look like reads, or FUA is lost. */
    static const char plain[] = "# time_ns member kind sector sectors submitter reason\n"
                                "1500000007 2 W 128 8 raid5d parity\n"
                                "1500000009 0 WF 0 1 client direct\n"
                                "1500000010 1 F 0 0 client direct\n";
    static const char parsed[] =
        "  8,32   1        1     1.500000007     3  Q   W 128 + 8 [raid5d]\n"
        "  8,0    0        2     1.500000009     0  Q  WF 0 + 1 [client]\n"
        "  8,16   0        3     1.500000010     0  Q   F 0 + 0 [client]\n";
    const struct io_entry entry[] = {
        { 1500000007, 128, 8, 2, 3, IO_WRITE, 0, KIND_RAID5D, 1, REASON_PARITY, { 0 } },
        { 1500000009, 0, 1, 0, 0, IO_WRITE, 1, KIND_CLIENT, 0, REASON_DIRECT, { 0 } },
        { 1500000010, 0, 0, 1, 0, IO_FLUSH, 0, KIND_CLIENT, 0, REASON_DIRECT, { 0 } },
    };
    struct io_log log = { .count = 0 };
    char text[512] = "";

    (void)state;
    for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++)
        io_log_append(&log, &entry[i]);
    for (int format = IO_LOG_PLAIN; format <= IO_LOG_BLKPARSE; format++) {
        FILE *out = fmemopen(text, sizeof text, "w");

        assert_non_null(out);
        assert_true(io_log_write(&log, (enum io_log_format)format, out));
        fclose(out);
        assert_string_equal(text, format == IO_LOG_PLAIN ? plain : parsed);
    }
    io_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_io_is_logged_in_order_of_time),
        cmocka_unit_test(the_log_changes_nothing),
        cmocka_unit_test(lines_have_both_formats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
