/* The disks' one step: any queued record may be served next; contents move at that moment. */
#include "tests/lib/small_world.h"

#include "model/tag.h"

static struct small *disks(bool cache)
{
    return small_new((struct small_plan){
        .level = LEVEL_RAW, .clients = 3, .written = 1, .write_cache = cache });
}

static void any_queued_record_may_be_served_next(void **state)
{
    /* Breaks when a device promises an order it does not keep. */
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct small *s = disks(false);
        actor_id disk = actor_disk(&s->w->shape, 0);
        const struct step *step;

        for (actor_id c = 0; c < 3; c++)
            small_submit(s, c, c * 8u, 8, false);
        step = system_step(&system_md, s->w, disk);
        assert_int_equal(step->ways(s->w, disk), 3);
        small_fire(s, disk, step->name_of(s->w, disk, k));
        assert_int_equal(step->ways(s->w, disk), 2);
        assert_int_equal(system_ways(&system_md, s->w, actor_completion(&s->w->shape, 0)), 1);
        small_free(s);
    }
}

static void a_read_returns_what_the_disk_holds_when_it_is_served(void **state)
{
    /* Breaks when contents move at submission or completion: a write served between would be lost
     * or seen too early. */
    struct small *s = disks(false);
    actor_id disk = actor_disk(&s->w->shape, 0);
    uint64_t page;

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_submit(s, 1, 0, 8, true);
    page = piece_page(s->w, request_piece(s->w, 0, 0));
    small_fire(s, disk, io_of_bio(s->w, request_bio(s->w, 1, 0), 0));
    small_fire(s, disk, io_of_bio(s->w, request_bio(s->w, 0, 0), 0));
    assert_true(*tags_see(s->w, page * 2) == tag_of(0, 1));
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void a_disk_of_its_own_is_not_asked_for_others_records(void **state)
{
    /* Breaks when a member serves its neighbour's queue. */
    struct small *s = disks(false);

    (void)state;
    small_submit(s, 0, 4 * 8, 8, false); /* the second disk's first page */
    assert_int_equal(system_ways(&system_md, s->w, actor_disk(&s->w->shape, 0)), 0);
    assert_int_equal(system_ways(&system_md, s->w, actor_disk(&s->w->shape, 1)), 1);
    small_free(s);
}

static void a_write_stays_volatile_only_where_there_is_a_cache(void **state)
{
    /* Breaks when write-through disks lose writes, or cached ones and FUA do not differ. */
    (void)state;
    for (unsigned cache = 0; cache < 2; cache++)
        for (uint8_t fua = 0; fua < 2; fua++) {
            struct small *s = disks(cache);

            small_submit(s, 0, 0, 8, true);
            io_at(s->w, io_of_bio(s->w, 0, 0))->fua = fua;
            small_go(s, actor_disk(&s->w->shape, 0));
            assert_int_equal(disk_see(s->w, 0)->dirty, cache && !fua);
            small_free(s);
        }
}

static void a_flush_makes_the_members_cache_durable(void **state)
{
    /* Breaks when a flush record does nothing. */
    struct small *s = disks(true);
    io_id io = io_of_bio(s->w, request_bio(s->w, 2, 0), 0);

    (void)state;
    small_submit(s, 0, 0, 8, true);
    small_go(s, actor_disk(&s->w->shape, 0));
    assert_int_equal(disk_see(s->w, 0)->dirty, 1);
    io_at(s->w, io)->kind = IO_FLUSH;
    io_queue(s->w, io, &s->e);
    small_fire(s, actor_disk(&s->w->shape, 0), io);
    assert_int_equal(disk_see(s->w, 0)->dirty, 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_queued_record_may_be_served_next),
        cmocka_unit_test(a_read_returns_what_the_disk_holds_when_it_is_served),
        cmocka_unit_test(a_disk_of_its_own_is_not_asked_for_others_records),
        cmocka_unit_test(a_write_stays_volatile_only_where_there_is_a_cache),
        cmocka_unit_test(a_flush_makes_the_members_cache_durable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
