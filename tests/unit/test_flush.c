/* Flushes of the array (model/flush.h): what they reach, and who shares one. */
#include "tests/lib/small_world.h"

static struct small *flushing_world(unsigned clients)
{
    return small_new((struct small_plan){ .level = LEVEL_RAID5,
                                          .clients = (uint16_t)clients,
                                          .disks = 3,
                                          .later = 1,
                                          .bypass = 1,
                                          .written = 1,
                                          .write_cache = 1 });
}

static void ask_for_flush(struct small *s, actor_id client)
{
    small_fire(s, client, request_name(0, 0, REQUEST_FLUSH));
    assert_int_equal(actor_see(s->w, client)->pc, CLIENT_FLUSH);
}

/* Every member answers what it has been asked. */
static unsigned serve_all(struct small *s)
{
    const struct shape *shape = &s->w->shape;
    unsigned flushes = 0;

    for (unsigned d = 0; d < shape->geometry.disks; d++)
        while (disk_see(s->w, d)->queued) {
            flushes +=
                io_see(s->w, (uint64_t)d * shape->ios_per_disk + io_nth(s->w, d, IO_QUEUED, 0))
                    ->kind == IO_FLUSH;
            small_go(s, actor_disk(shape, d));
            small_go(s, actor_completion(shape, d));
        }
    return flushes;
}

static void a_flush_empties_every_cache(void **state)
{
    /* Breaks when a member is left out, or the caller hears of it too soon. */
    struct small *s = flushing_world(1);

    (void)state;
    small_submit(s, 0, 0, PAGE_SECTORS, true);
    assert_int_equal(small_settle(s), 0);
    assert_true(disk_see(s->w, 0)->dirty + disk_see(s->w, 1)->dirty + disk_see(s->w, 2)->dirty > 0);
    ask_for_flush(s, 0);
    small_go(s, 0);
    assert_int_equal(client_see(s->w, 0)->done_head, NONE16);
    assert_int_equal(serve_all(s), 3);
    for (unsigned d = 0; d < 3; d++)
        assert_int_equal(disk_see(s->w, d)->dirty, 0);
    assert_int_not_equal(client_see(s->w, 0)->done_head, NONE16);
    small_free(s);
}

static void those_who_come_during_a_flush_share_the_next(void **state)
{
    /* Breaks when a caller is served by a flush that began before it came, when two flushes of one
     * array are under way, or when those who waited flush one after the other. */
    struct small *s = flushing_world(3);

    (void)state;
    for (actor_id client = 0; client < 3; client++)
        ask_for_flush(s, client);
    small_go(s, 0);
    small_go(s, 1);
    small_go(s, 2);
    assert_false(small_enabled(s, 1) || small_enabled(s, 2));
    assert_int_equal(serve_all(s), 3);
    small_go(s, 1);
    small_go(s, 2);
    assert_int_equal(client_see(s->w, 1)->done_head, NONE16);
    assert_int_equal(client_see(s->w, 2)->done_head, NONE16);
    assert_int_equal(serve_all(s), 3);
    assert_int_not_equal(client_see(s->w, 1)->done_head, NONE16);
    small_go(s, 2);
    assert_int_equal(serve_all(s), 0);
    assert_int_not_equal(client_see(s->w, 2)->done_head, NONE16);
    small_free(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flush_empties_every_cache),
        cmocka_unit_test(those_who_come_during_a_flush_share_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
