/* The table of member I/O: idle -> queued -> done -> idle, found by number in any state. */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

#include "sim/dice.h"

static struct small *table(void)
{
    return small_new(
        (struct small_plan){ .level = LEVEL_RAID5, .stripes = 150, .rows = 200, .disks = 3 });
}

static void a_record_goes_round_and_leaves_no_trace(void **state)
{
    /* Breaks when a state forgets its counter, its bit, or a field of the record. */
    struct small *s = table(), *fresh = table();
    struct world *w = s->w;
    io_id io = io_of_slot(w, 70, 1);

    (void)state;
    io_at(w, io)->sector = 8;
    io_queue(w, io, &s->e);
    assert_int_equal(s->e.list[0].kind, EFFECT_SUBMIT);
    assert_int_equal(s->e.list[0].amount, io);
    assert_int_equal(disk_see(w, 1)->queued, 1);
    assert_int_equal(io_nth(w, 1, IO_QUEUED, 0), 70);
    io_serve(w, io);
    assert_int_equal(disk_see(w, 1)->queued, 0);
    assert_int_equal(disk_see(w, 1)->done, 1);
    assert_int_equal(io_nth(w, 1, IO_DONE, 0), 70);
    io_retire(w, io);
    assert_memory_equal(w, fresh->w, world_bytes(w));
    small_free(s);
    small_free(fresh);
}

static void states_cannot_be_skipped(void **state)
{
    /* Breaks when an I/O is served twice, ends before it began, or is queued over itself. */
    struct small *s = table();

    (void)state;
    expect_assert_failure(io_serve(s->w, 3));
    expect_assert_failure(io_retire(s->w, 3));
    io_queue(s->w, 3, &s->e);
    expect_assert_failure(io_queue(s->w, 3, &s->e));
    expect_assert_failure(io_retire(s->w, 3));
    io_serve(s->w, 3);
    expect_assert_failure(io_serve(s->w, 3));
    small_free(s);
}

static void the_nth_record_is_the_nth_by_place(void **state)
{
    /* Breaks at the borders of map words, or when members share a map. */
    struct small *s = table();
    struct dice dice = dice_new(9, DICE_FATE, 0);
    uint8_t queued[150] = { 0 };
    uint32_t n = 0;

    (void)state;
    for (unsigned k = 0; k < 400; k++) {
        uint32_t place = (uint32_t)dice_below(&dice, 150), seen = 0;
        io_id io = io_of_slot(s->w, (stripe_id)place, 2);

        s->e.count = 0;
        if (queued[place]) {
            io_serve(s->w, io);
            io_retire(s->w, io);
        } else {
            io_queue(s->w, io, &s->e);
        }
        n += queued[place] ? UINT32_MAX : 1;
        queued[place] ^= 1;
        assert_int_equal(disk_see(s->w, 2)->queued, n);
        for (uint32_t p = 0; p < 150; p++)
            if (queued[p])
                assert_int_equal(io_nth(s->w, 2, IO_QUEUED, seen++), p);
        assert_int_equal(disk_see(s->w, 1)->queued, 0);
    }
    expect_assert_failure(io_nth(s->w, 2, IO_QUEUED, n));
    small_free(s);
}

static void numbers_of_slots_and_bios_do_not_meet(void **state)
{
    /* Breaks when a direct bio's record and a slot's record share a place. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAW, .clients = 2 });
    io_id io = io_of_bio(s->w, 5, 2);

    (void)state;
    assert_int_equal(io_disk(s->w, io), 2);
    assert_int_equal(io_place(s->w, io), 5);
    small_free(s);
    s = table();
    for (unsigned d = 0; d < 3; d++) {
        assert_int_equal(io_disk(s->w, io_of_slot(s->w, 149, d)), d);
        assert_int_equal(io_place(s->w, io_of_slot(s->w, 149, d)), 149);
    }
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_goes_round_and_leaves_no_trace),
        cmocka_unit_test(states_cannot_be_skipped),
        cmocka_unit_test(the_nth_record_is_the_nth_by_place),
        cmocka_unit_test(numbers_of_slots_and_bios_do_not_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
