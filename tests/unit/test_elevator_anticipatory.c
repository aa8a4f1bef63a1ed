/*
 * Anticipation by example: when the scheduler waits, how long, each of the things that end a wait,
 * and what it learns of threads. A jiffy is a millisecond here, anticipation lasts six.
 */
#include "tests/unit/elevator_rig.h"

enum { READ = COMMAND_READ, WRITE = COMMAND_WRITE };
enum { READER, OTHER, THIRD }; /* threads */
enum { HEAD = 1 << 20 };       /* where READER's read ends */

static struct rig open_queue(void)
{
    return rig_open(rig_params(ELEVATOR_ANTICIPATORY));
}

/* READER reads up to HEAD, its read goes out at `now` and has not ended. */
static uint32_t start_read(struct rig *g)
{
    rig_read(g, HEAD - 8, READER);
    assert_true(rig_dispatch(g));
    assert_int_equal(g->last.sector, HEAD - 8);
    return g->last.token;
}

/* As above; the read ended at `end`, a read of OTHER far away waits. */
static void read_and_end(struct rig *g, uint64_t end)
{
    uint32_t token = start_read(g);

    g->now = end;
    rig_complete(g, token);
    rig_read(g, FAR, OTHER);
}

static struct rig open_waiting(void)
{
    struct rig g = open_queue();

    read_and_end(&g, 10 * MS);
    assert_false(rig_dispatch(&g));
    return g;
}

/* Fails if the wait is not begun, or does not end at the beginning of the sixth jiffy after the
 * read's last. */
static void a_far_read_waits_until_six_jiffies_after_the_end_of_the_last(void **state)
{
    (void)state;
    static const uint64_t end[] = { 10 * MS, 10 * MS + 1, 11 * MS - 1 };

    for (int i = 0; i < 3; i++) {
        struct rig g = open_queue();
        read_and_end(&g, end[i]);
        assert_false(rig_dispatch(&g));
        assert_int_equal(rig_timer(&g), 16 * MS);
        g.now = 16 * MS - 1;
        assert_false(rig_dispatch(&g));
        g.now = 16 * MS;
        rig_expect(&g, READ, FAR, 8);
        rig_close(&g);
    }
}

/* Fails if at 250 jiffies a second the wait is not one jiffy. */
static void the_wait_is_at_least_a_jiffy(void **state)
{
    (void)state;
    struct elevator_params p = rig_params(ELEVATOR_ANTICIPATORY);
    p.hz = 250;
    p.antic_ns = 1;
    struct rig g = rig_open(p);

    read_and_end(&g, 11 * MS);
    assert_false(rig_dispatch(&g));
    assert_int_equal(rig_timer(&g), 12 * MS);
    rig_close(&g);
}

/* Fails if the awaited read does not end the wait, or loses to the far one. */
static void the_next_read_of_the_thread_ends_the_wait_at_once(void **state)
{
    (void)state;
    struct rig g = open_waiting();

    rig_read(&g, HEAD, READER);
    rig_expect(&g, READ, HEAD, 8);
    rig_close(&g);
}

/* Fails if only a near request of the thread ends the wait, or a write of it does not. */
static void any_request_of_the_thread_ends_the_wait(void **state)
{
    (void)state;
    for (uint8_t kind = READ; kind <= WRITE; kind++) {
        struct rig g = open_waiting();
        rig_add(&g, kind, (uint64_t)FAR * 2, 8, READER);
        rig_expect(&g, READ, FAR, 8);
        rig_close(&g);
    }
}

/* Fails if writes of others, or reads of others far away, end the wait. */
static void nothing_else_far_away_ends_the_wait(void **state)
{
    (void)state;
    struct rig g = open_waiting();

    rig_read(&g, (uint64_t)FAR * 2, THIRD);
    rig_write(&g, HEAD, OTHER);
    rig_write(&g, HEAD + 8, NONE16);
    assert_false(rig_dispatch(&g));
    assert_int_equal(rig_timer(&g), 16 * MS);
    rig_close(&g);
}

/* Fails if near is not 8192 sectors forwards, half of that backwards, doubled each millisecond
 * waited. */
static void a_near_read_of_another_thread_ends_the_wait(void **state)
{
    (void)state;
    for (unsigned ms = 0; ms < 6; ms++) {
        uint64_t near = (uint64_t)8192 << ms;
        const struct {
            uint64_t sector;
            bool ends;
        } row[] = { { HEAD + near, true },
                    { HEAD + near + 1, false },
                    { HEAD - near / 2, true },
                    { HEAD - near / 2 - 1, false } };
        for (int i = 0; i < 4; i++) {
            struct rig g = open_waiting();
            g.now += ms * MS;
            rig_read(&g, row[i].sector, THIRD);
            assert_int_equal(rig_dispatch(&g), row[i].ends);
            if (row[i].ends)
                assert_int_equal(g.last.sector, row[i].sector);
            /* Threads that work side by side: it counts as a read of the one waited for. */
            assert_int_equal(g.issuers[READER].last_sector, row[i].ends ? row[i].sector + 8 : HEAD);
            rig_close(&g);
        }
    }
}

/* Fails if a read nearer than the thread's mean seek is not good enough, or one as far as it is. */
static void a_read_nearer_than_the_threads_own_seeks_ends_the_wait(void **state)
{
    (void)state;
    for (int nearer = 0; nearer < 2; nearer++) {
        struct rig g = open_waiting();
        g.issuers[READER].seek_samples = 256;
        g.issuers[READER].seek_mean = 20000000;
        rig_read(&g, HEAD + 20000000 - (unsigned)nearer, THIRD);
        assert_int_equal(rig_dispatch(&g), nearer);
        rig_close(&g);
    }
}

/* Fails if a thread that usually thinks longer than we would wait is waited for. */
static void a_thread_that_thinks_long_is_not_waited_for(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct rig g = open_queue();
        g.issuers[READER].think_samples = 256;
        g.issuers[READER].think_mean = slow ? 7 : 6;
        /* its next read re-weighs the mean: keep it there */
        g.issuers[READER].think_total = 256 * g.issuers[READER].think_mean;
        read_and_end(&g, 10 * MS);
        assert_int_equal(rig_dispatch(&g), slow);
        rig_close(&g);
    }
}

/* Fails if the record of a thread is not shared by the queues: busy elsewhere means no wait here;
 * but what it has on devices does not count. */
static void a_thread_with_requests_waiting_in_another_queue_is_not_waited_for(void **state)
{
    (void)state;
    for (int queued = 0; queued < 2; queued++) {
        struct rig g = open_queue();
        struct elevator *second = rig_new_block(&g.p);
        struct disk_command command;

        read_and_end(&g, 10 * MS);
        elevator_add(second, &g.p, g.issuers, g.now, 0, 77, 8, WRITE, false, READER);
        assert_int_equal(g.issuers[READER].queued, 1);
        if (!queued)
            assert_true(elevator_dispatch(second, &g.p, g.issuers, g.now, &command));
        assert_int_equal(g.issuers[READER].dispatched, !queued);
        assert_int_equal(rig_dispatch(&g), queued);
        free(second);
        rig_close(&g);
    }
}

/* Fails if the wait is not begun while the read is still on the device, or its time starts before
 * the read ends. */
static void the_wait_begins_while_the_read_is_on_the_device(void **state)
{
    (void)state;
    struct rig g = open_queue();
    uint32_t token = start_read(&g);

    rig_read(&g, FAR, OTHER);
    assert_false(rig_dispatch(&g));
    assert_int_equal(rig_timer(&g), UINT64_MAX);
    g.now = 50 * MS;
    assert_false(rig_dispatch(&g));
    rig_complete(&g, token);
    assert_int_equal(rig_timer(&g), 56 * MS);
    g.now = 56 * MS;
    rig_expect(&g, READ, FAR, 8);
    rig_close(&g);
}

/* Fails if a good read cannot end the wait before the awaited read has ended. */
static void a_near_read_ends_the_wait_for_the_end_too(void **state)
{
    (void)state;
    struct rig g = open_queue();

    start_read(&g);
    rig_read(&g, FAR, OTHER);
    assert_false(rig_dispatch(&g));
    rig_read(&g, HEAD + 100, THIRD);
    assert_true(rig_dispatch(&g));
    assert_int_equal(g.last.sector, HEAD + 100);
    rig_close(&g);
}

/* Fails if a wait that found its end is begun again for the same read. */
static void after_a_wait_the_next_request_goes_without_another(void **state)
{
    (void)state;
    struct rig g = open_waiting();

    g.now = 16 * MS;
    rig_expect(&g, READ, FAR, 8); /* now OTHER's was the last */
    rig_read(&g, HEAD, READER);
    assert_false(rig_dispatch(&g));
    assert_int_equal(rig_timer(&g), 22 * MS);
    rig_close(&g);
}

/* Fails if a wait is begun though a read's deadline has passed, or a deadline passes early. */
static void an_expired_read_goes_before_any_wait(void **state)
{
    (void)state;
    for (int expired = 0; expired < 2; expired++) {
        struct rig g = open_queue();
        uint32_t token = start_read(&g);
        rig_read(&g, FAR, OTHER);
        g.now = 126 * MS - !expired;
        rig_complete(&g, token);
        assert_int_equal(rig_dispatch(&g), expired);
        rig_close(&g);
    }
}

/* Fails if reads past their deadline are all served in order of age: a storm of seeks. */
static void expired_reads_are_looked_for_once_an_expiry(void **state)
{
    (void)state;
    struct rig g = open_queue();
    const uint64_t apart = 4 << 20;

    for (uint64_t i = 4; i > 0; i--)
        rig_read(&g, i * apart, NONE16);
    g.now = 126 * MS;
    rig_expect(&g, READ, 4 * apart, 8);
    for (uint64_t i = 1; i < 4; i++) /* from there the sweep begins again */
        rig_expect(&g, READ, i * apart, 8);
    rig_close(&g);
}

/* Fails if a wait is begun when its time is over already. */
static void a_read_that_comes_after_the_time_of_the_wait_goes_at_once(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct rig g = open_queue();
        uint32_t token = start_read(&g);
        g.now = 10 * MS;
        rig_complete(&g, token);
        g.now = 16 * MS - !late;
        rig_read(&g, FAR, OTHER);
        assert_int_equal(rig_dispatch(&g), late);
        rig_close(&g);
    }
}

/* Fails if the end of an earlier read is taken for that of the last one. */
static void the_wait_is_for_the_last_read(void **state)
{
    (void)state;
    struct rig g = open_queue();

    rig_complete(&g, start_read(&g));
    start_read(&g);
    rig_read(&g, FAR, OTHER);
    assert_false(rig_dispatch(&g));
    assert_int_equal(rig_timer(&g), UINT64_MAX);
    rig_close(&g);
}

/* Fails if after a wait of more milliseconds than the whole wait has jiffies a read is not always
 * near enough: the kernel compares the two as they are. */
static void with_long_jiffies_any_read_soon_ends_the_wait(void **state)
{
    (void)state;
    for (unsigned jiffies = 0; jiffies < 2; jiffies++) {
        struct elevator_params p = rig_params(ELEVATOR_ANTICIPATORY);
        p.hz = 100;
        p.antic_ns = 50 * MS;
        struct rig g = rig_open(p);
        read_and_end(&g, 10 * MS);
        assert_false(rig_dispatch(&g));
        g.now += jiffies * 10 * MS;
        rig_read(&g, (uint64_t)FAR * 2, THIRD);
        assert_int_equal(rig_dispatch(&g), jiffies == 1);
        rig_close(&g);
    }
}

/* One read, its end, and `think` later one far off, which ends too. */
static void read_twice(struct rig *g, uint16_t thread, uint64_t think, uint64_t seek)
{
    for (uint64_t i = 0; i < 2; i++) {
        rig_read(g, i * seek, thread);
        while (!rig_dispatch(g)) /* another thread is being waited for */
            g->now = rig_timer(g);
        rig_complete(g, g->last.token);
        g->now += think;
    }
}

/* Fails if what other threads did at their second read is not expected of a new one. */
static void of_a_new_thread_is_expected_what_new_threads_did(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct elevator_params p = rig_params(ELEVATOR_ANTICIPATORY);
        p.antic_ns = 3 * MS;
        struct rig g = rig_open(p);
        g.now = MS;
        read_twice(&g, OTHER, slow ? 19 * MS : MS, 20000000);
        read_twice(&g, THIRD, slow ? 19 * MS : MS, 20000000); /* means: 4 jiffies, 4.7 M sectors */
        g.now += 50 * MS;
        read_and_end(&g, g.now + MS);
        assert_int_equal(rig_dispatch(&g), slow);
        if (!slow) {
            rig_read(&g, HEAD + 5000000, THIRD);
            assert_false(rig_dispatch(&g));
            rig_read(&g, HEAD + 4600000, THIRD);
            assert_true(rig_dispatch(&g));
        }
        rig_close(&g);
    }
}

/* Fails if somebody is waited for after a write, or after a read of nobody, or with anticipation
 * off. */
static void there_is_no_wait_without_a_thread_to_wait_for(void **state)
{
    (void)state;
    struct rig g = open_queue();
    rig_write(&g, HEAD - 8, READER);
    rig_expect(&g, WRITE, HEAD - 8, 8);
    rig_read(&g, FAR, OTHER);
    assert_true(rig_dispatch(&g));
    rig_close(&g);

    g = open_queue();
    rig_read(&g, HEAD - 8, NONE16);
    rig_expect(&g, READ, HEAD - 8, 8);
    rig_read(&g, FAR, OTHER);
    assert_true(rig_dispatch(&g));
    rig_close(&g);

    struct elevator_params p = rig_params(ELEVATOR_ANTICIPATORY);
    p.antic_ns = 0;
    g = rig_open(p);
    read_and_end(&g, 10 * MS);
    assert_true(rig_dispatch(&g));
    rig_close(&g);
}

/* Fails if requests before a flush are kept waiting, which would keep the flush waiting. */
static void a_flush_ends_the_wait(void **state)
{
    (void)state;
    struct rig g = open_waiting();

    rig_flush(&g);
    rig_expect(&g, READ, FAR, 8);
    rig_expect(&g, COMMAND_FLUSH, 0, 0);
    rig_close(&g);
}

/* Fails if think time is not the jiffies from an end to the next read, at weight 1/8 and capped
 * below 20. */
static void think_time_is_a_decaying_mean(void **state)
{
    (void)state;
    struct rig g = open_queue();
    struct issuer *t = &g.issuers[READER];
    static const unsigned think[] = { 4, 4, 100 }, mean[] = { 8, 6, 11 };

    rig_read(&g, 0, READER);
    assert_int_equal(t->think_samples, 0);
    for (int i = 0; i < 3; i++) {
        assert_true(rig_dispatch(&g));
        g.now += 7 * MS;
        rig_complete(&g, g.last.token);
        g.now += think[i] * MS;
        rig_read(&g, 0, READER);
        assert_int_equal(t->think_mean, mean[i]);
    }
    rig_read(&g, 1000, READER); /* more at once: no thinking */
    assert_int_equal(t->think_mean, 8);
    rig_close(&g);
}

/* Fails if a seek is not measured from the end of the last read, or a huge one is not cut for a
 * beginner. */
static void seeks_are_a_decaying_mean(void **state)
{
    (void)state;
    struct rig g = open_queue();
    struct issuer *t = &g.issuers[READER];

    rig_read(&g, 0, READER);
    assert_int_equal(t->seek_samples, 0);
    rig_read(&g, 1008, READER);
    assert_int_equal(t->seek_samples, 32);
    assert_int_equal(t->seek_mean, 1000);
    rig_read(&g, 16, READER); /* back over 1000 sectors */
    assert_int_equal(t->seek_mean, 1000);
    rig_read(&g, FAR, READER); /* counts as 4 * 1000 + 2 Mi */
    assert_int_equal(t->seek_total, (7 * 60000ull + 256 * (4000 + (2ull << 20))) / 8);
    uint64_t total = t->seek_total, mean = t->seek_mean;
    rig_read(&g, (uint64_t)FAR * 5, READER); /* no beginner any more: 4 means + 128 Ki */
    assert_int_equal(t->seek_total, (7 * total + 256 * (4 * mean + (128 << 10))) / 8);
    rig_close(&g);
}

/* Fails if a merged io is taken for a request of its thread, or the count of waiting ones is not
 * kept by a join. */
static void a_threads_count_of_waiting_requests_follows_merges(void **state)
{
    (void)state;
    struct rig g = open_queue();

    rig_read(&g, 0, READER);
    rig_read(&g, 16, OTHER);
    assert_int_equal(rig_read(&g, 8, THIRD), ELEVATOR_BACK_MERGED);
    assert_int_equal(g.issuers[READER].queued, 1);
    assert_int_equal(g.issuers[OTHER].queued, 0);
    assert_int_equal(g.issuers[THIRD].queued, 0);
    rig_expect(&g, READ, 0, 24);
    assert_int_equal(g.issuers[READER].queued + g.issuers[READER].dispatched, 0);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_far_read_waits_until_six_jiffies_after_the_end_of_the_last),
        cmocka_unit_test(the_wait_is_at_least_a_jiffy),
        cmocka_unit_test(the_next_read_of_the_thread_ends_the_wait_at_once),
        cmocka_unit_test(any_request_of_the_thread_ends_the_wait),
        cmocka_unit_test(nothing_else_far_away_ends_the_wait),
        cmocka_unit_test(a_near_read_of_another_thread_ends_the_wait),
        cmocka_unit_test(a_read_nearer_than_the_threads_own_seeks_ends_the_wait),
        cmocka_unit_test(a_thread_that_thinks_long_is_not_waited_for),
        cmocka_unit_test(a_thread_with_requests_waiting_in_another_queue_is_not_waited_for),
        cmocka_unit_test(the_wait_begins_while_the_read_is_on_the_device),
        cmocka_unit_test(a_near_read_ends_the_wait_for_the_end_too),
        cmocka_unit_test(after_a_wait_the_next_request_goes_without_another),
        cmocka_unit_test(an_expired_read_goes_before_any_wait),
        cmocka_unit_test(expired_reads_are_looked_for_once_an_expiry),
        cmocka_unit_test(a_read_that_comes_after_the_time_of_the_wait_goes_at_once),
        cmocka_unit_test(the_wait_is_for_the_last_read),
        cmocka_unit_test(with_long_jiffies_any_read_soon_ends_the_wait),
        cmocka_unit_test(of_a_new_thread_is_expected_what_new_threads_did),
        cmocka_unit_test(there_is_no_wait_without_a_thread_to_wait_for),
        cmocka_unit_test(a_flush_ends_the_wait),
        cmocka_unit_test(think_time_is_a_decaying_mean),
        cmocka_unit_test(seeks_are_a_decaying_mean),
        cmocka_unit_test(a_threads_count_of_waiting_requests_follows_merges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
