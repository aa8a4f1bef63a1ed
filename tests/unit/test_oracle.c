/* The oracle: which contents a read may return, and that a wrong one is found out. */
#include "tests/lib/small_world.h"

#include "model/tag.h"

static struct small *array(uint16_t clients)
{
    return small_new((struct small_plan){ .level = LEVEL_RAW, .clients = clients, .written = 1 });
}

static void serve_everything(struct small *s)
{
    small_serve(s);
    assert_int_equal(small_settle(s), 0);
}

/* Reads and says how many findings that gave. */
static unsigned read_back(struct small *s, actor_id client, uint64_t sector, uint32_t sectors)
{
    small_submit(s, client, sector, sectors, false);
    return small_settle(s);
}

static void a_block_never_written_holds_its_first_version_only(void **state)
{
    /* Breaks when any content passes for an unwritten block. */
    struct small *s = array(1);

    (void)state;
    assert_int_equal(oracle_oldest(s->w, 3), 0);
    assert_true(oracle_accepts(s->w, 3, 0, tag_of(3, 0)));
    assert_false(oracle_accepts(s->w, 3, 0, tag_of(3, 1)));
    assert_false(oracle_accepts(s->w, 3, 0, tag_of(4, 0)));
    assert_false(oracle_accepts(s->w, 3, 0, 0));
    small_free(s);
}

static void a_read_may_return_what_is_not_stale(void **state)
{
    /* Breaks when an outstanding write may not be seen yet, or when a version still passes though a
     * write that began after its end has ended. */
    struct small *s = array(1);
    uint32_t before[6];

    (void)state;
    for (uint32_t v = 1; v <= 4; v++) /* four at once */
        assert_true(oracle_issue(s->w, 5, &before[v]) == tag_of(5, v));
    assert_int_equal(oracle_oldest(s->w, 5), 0);
    oracle_ack(s->w, 5, before[2]);
    assert_int_equal(oracle_oldest(s->w, 5), 1);
    for (uint32_t v = 0; v <= 5; v++)
        assert_int_equal(oracle_accepts(s->w, 5, 1, tag_of(5, v)), v >= 1 && v <= 4);
    assert_true(oracle_accepts(s->w, 5, 0, tag_of(5, 0))); /* a read that began before */
    for (uint32_t v = 1; v <= 4; v++)
        if (v != 2)
            oracle_ack(s->w, 5, before[v]);
    assert_true(oracle_accepts(s->w, 5, oracle_oldest(s->w, 5), tag_of(5, 1)));
    oracle_issue(s->w, 5, &before[5]);
    assert_true(oracle_accepts(s->w, 5, oracle_oldest(s->w, 5), tag_of(5, 1)));
    oracle_ack(s->w, 5, before[5]);
    for (uint32_t v = 0; v <= 5; v++)
        assert_int_equal(oracle_accepts(s->w, 5, oracle_oldest(s->w, 5), tag_of(5, v)), v == 5);
    small_free(s);
}

static void an_acknowledged_write_is_read_back(void **state)
{
    /* Breaks when a write reaches another place, or the oracle another verdict. */
    struct small *s = array(1);

    (void)state;
    small_submit(s, 0, 8, 16, true);
    serve_everything(s);
    assert_int_equal(oracle_oldest(s->w, 2), 1);
    assert_int_equal(read_back(s, 0, 0, 24), 0);
    small_free(s);
}

static void a_flipped_page_is_found_out(void **state)
{
    /* Breaks when the truth check cannot fail: a caller's page changed on its way, bit by bit. */
    (void)state;
    for (unsigned bit = 0; bit < 64; bit += 7) {
        struct small *s = array(1);

        small_submit(s, 0, 8, 8, false);
        small_serve(s);
        *tags_at(s->w, (uint64_t)piece_page(s->w, request_piece(s->w, 0, 1)) * 2 + bit % 2) ^=
            1ull << bit;
        small_go(s, 0);
        assert_int_equal(small_count(s, EFFECT_FINDING), 1);
        small_free(s);
    }
}

static void a_lost_write_is_found_out(void **state)
{
    /* Breaks when the old content passes after the new one was acknowledged. */
    struct small *s = array(1);

    (void)state;
    small_submit(s, 0, 8, 8, true);
    io_serve(s->w, io_of_bio(s->w, 0, 0)); /* the disk says done, and does nothing */
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(read_back(s, 0, 8, 8), 1);
    small_free(s);
}

static void a_stripes_page_changed_in_the_cache_is_found_out(void **state)
{
    /* Breaks when reads through the cache are not compared. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5 });

    (void)state;
    small_submit(s, 0, 0, 8, false);
    assert_int_equal(small_settle(s), 0);
    *tags_at(s->w, (uint64_t)slot_page(s->w, small_find(s, 0), 0) * 2 + 1) ^= 1;
    assert_int_equal(read_back(s, 0, 0, 4), 0); /* the other half of the page */
    assert_int_equal(read_back(s, 0, 0, 8), 1);
    small_free(s);
}

static void a_stale_group_beside_an_unwritten_one_is_found_out(void **state)
{
    /* Breaks when a page is judged by its oldest group: the first half of this page has been
     * overwritten and acknowledged, the second never. */
    struct small *s = array(1);

    (void)state;
    small_submit(s, 0, 0, 4, true);
    io_serve(s->w, io_of_bio(s->w, 0, 0));
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(read_back(s, 0, 0, 8), 1);
    small_free(s);
}

static void writes_of_one_block_at_once_may_land_in_either_order(void **state)
{
    /* Breaks when a right answer is called a finding. Two writes overlap in time; the device does
     * the later one first, both are acknowledged, and the earlier one's content stays. */
    struct small *s = array(2);
    actor_id disk = actor_disk(&s->w->shape, 0), end = actor_completion(&s->w->shape, 0);
    io_id first, second;

    (void)state;
    small_submit(s, 0, 0, 8, true);
    small_submit(s, 1, 0, 8, true);
    first = io_of_bio(s->w, request_bio(s->w, 0, 0), 0);
    second = io_of_bio(s->w, request_bio(s->w, 1, 0), 0);
    small_fire(s, disk, second);
    small_fire(s, disk, first);
    small_fire(s, end, second);
    small_fire(s, end, first);
    assert_int_equal(small_settle(s), 0);
    assert_int_equal(read_back(s, 0, 0, 8), 0);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_never_written_holds_its_first_version_only),
        cmocka_unit_test(a_read_may_return_what_is_not_stale),
        cmocka_unit_test(an_acknowledged_write_is_read_back),
        cmocka_unit_test(a_flipped_page_is_found_out),
        cmocka_unit_test(a_lost_write_is_found_out),
        cmocka_unit_test(a_stripes_page_changed_in_the_cache_is_found_out),
        cmocka_unit_test(a_stale_group_beside_an_unwritten_one_is_found_out),
        cmocka_unit_test(writes_of_one_block_at_once_may_land_in_either_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
