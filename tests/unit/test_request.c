/* Requests: split into bios and pieces, counted down, given back clean. */
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static struct small *array(uint8_t level)
{
    return small_new((struct small_plan){
        .level = level, .max_pages = 8, .bio_sectors = 20, .chunk_pages = 2, .rows = 4 });
}

static const struct bio *bio(const struct small *s, unsigned n)
{
    return bio_see(s->w, request_bio(s->w, 0, n));
}

static unsigned split(struct small *s, uint64_t sector, uint32_t sectors)
{
    small_ask(s, 0, sector, sectors, false);
    return request_see(s->w, 0)->bios;
}

static void bios_cover_a_request_without_gap_or_overlap(void **state)
{
    /* Breaks when a sector is asked for twice, or never. */
    (void)state;
    for (uint8_t level = LEVEL_RAW; level <= LEVEL_RAID5; level++)
        for (uint64_t from = 0; from < 40; from += 4)
            for (uint32_t n = 4; from % 8 + n <= 64 && n < 64; n += 12) {
                struct small *s = array(level);
                uint64_t at = from;
                unsigned bios = split(s, from, n);

                for (unsigned b = 0; b < bios; b++) {
                    assert_int_equal(bio(s, b)->sector, at);
                    assert_int_equal(bio(s, b)->left, 1);
                    assert_true(bio(s, b)->sectors && bio(s, b)->sectors <= 20);
                    at += bio(s, b)->sectors;
                    if (b + 1 < bios)
                        assert_int_equal(at % 8, 0);
                }
                assert_int_equal(at, from + n);
                assert_null(invariants_broken(s->w));
                small_free(s);
            }
}

static void no_bio_crosses_a_chunk_of_raid0_or_the_end_of_a_disk(void **state)
{
    /* Breaks when one member I/O would have to go to two members. */
    static const unsigned unit[] = { [LEVEL_RAW] = 64, [LEVEL_RAID0] = 16 };

    (void)state;
    for (uint8_t level = LEVEL_RAW; level <= LEVEL_RAID0; level++) {
        struct small *s = array(level);
        unsigned bios = split(s, 40, 48);

        assert_true(bios >= 3);
        for (unsigned b = 0; b < bios; b++)
            assert_int_equal(bio(s, b)->sector / unit[level],
                             (bio(s, b)->sector + bio(s, b)->sectors - 1) / unit[level]);
        small_free(s);
    }
}

static void raid5_takes_bios_across_chunks(void **state)
{
    /* Breaks when md-2.6.15's raid5 is given smaller bios than it was: 16 sectors a bio, whatever
     * the chunk. */
    struct small *s = array(LEVEL_RAID5);

    (void)state;
    assert_int_equal(split(s, 8, 48), 3);
    assert_int_equal(bio(s, 0)->sectors, 16);
    small_free(s);
}

static void pieces_share_the_pages_of_a_request(void **state)
{
    /* Breaks when the part of a page a bio covers is taken for the whole page. */
    struct small *s = array(LEVEL_RAID5);
    uint64_t from, to, at = 4;

    (void)state;
    split(s, 4, 24); /* half a page, two pages, half a page */
    for (unsigned page = 0; page < 4; page++) {
        piece_extent(s->w, request_piece(s->w, 0, page), &from, &to);
        assert_int_equal(from, at);
        assert_int_equal(to, page == 3 ? 28 : (page + 1) * 8);
        at = to;
    }
    assert_int_equal(at, 28);
    small_free(s);
}

static void a_request_is_done_when_its_last_bio_is(void **state)
{
    /* Breaks when a request ends early, twice or never. */
    struct small *s = array(LEVEL_RAW);

    (void)state;
    assert_int_equal(split(s, 0, 40), 3);
    for (unsigned b = 3; b-- > 0;) {
        s->e.count = 0;
        assert_int_equal(request_see(s->w, 0)->state, REQUEST_SUBMITTING);
        bio_drop(s->w, request_bio(s->w, 0, b), &s->e);
        assert_int_equal(small_count(s, EFFECT_REPLY), b == 0);
        assert_int_equal(small_woke(s, 0), b == 0);
    }
    assert_int_equal(request_see(s->w, 0)->state, REQUEST_DONE);
    assert_int_equal(client_see(s->w, 0)->done_head, 0);
    expect_assert_failure(bio_drop(s->w, request_bio(s->w, 0, 0), &s->e));
    small_free(s);
}

static void finished_requests_are_taken_in_the_order_they_finished(void **state)
{
    /* Breaks when the finished list loses or turns its order. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAW, .depth = 3 });
    static const request_id order[] = { 1, 2, 0 };
    actor_id disk = actor_disk(&s->w->shape, 0), end = actor_completion(&s->w->shape, 0);

    (void)state;
    for (unsigned n = 0; n < 3; n++)
        small_submit(s, 0, n * 8, 8, false);
    for (unsigned n = 0; n < 3; n++) {
        io_id io = io_of_bio(s->w, request_bio(s->w, order[n], 0), 0);

        small_fire(s, disk, io);
        small_fire(s, end, io);
    }
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(client_see(s->w, 0)->done_head, order[n]);
        small_go(s, 0);
        assert_null(invariants_broken(s->w));
    }
    assert_int_equal(client_see(s->w, 0)->in_flight, 0);
    small_free(s);
}

static void a_client_has_no_more_than_its_depth_in_flight(void **state)
{
    /* Breaks when a client takes a record of its neighbour. */
    struct small *s =
        small_new((struct small_plan){ .level = LEVEL_RAW, .clients = 2, .depth = 2 });

    (void)state;
    small_submit(s, 0, 0, 8, false);
    small_submit(s, 0, 8, 8, false);
    assert_int_equal(system_ways(&system_md, s->w, 0), 0);
    assert_int_equal(system_ways(&system_md, s->w, 1), 1);
    small_submit(s, 1, 16, 8, false);
    assert_int_equal(client_see(s->w, 0)->in_flight, 2);
    assert_int_equal(client_see(s->w, 1)->in_flight, 1);
    assert_null(invariants_broken(s->w));
    assert_int_equal(small_settle(s), 0);
    small_free(s);
}

static void names_of_ios_carry_what_was_put_in(void **state)
{
    /* Breaks when sector, length and direction run into each other. */
    uint64_t far = (1ull << 40) - 8;
    uint64_t name = request_name(far, REQUEST_SECTORS_MAX - 7, REQUEST_WRITE | REQUEST_FUA);

    (void)state;
    assert_int_equal(request_name_sector(name), far);
    assert_int_equal(request_name_sectors(name), REQUEST_SECTORS_MAX - 7);
    assert_int_equal(request_name_flags(name), REQUEST_WRITE | REQUEST_FUA);
    assert_int_equal(request_name_flags(request_name(far, REQUEST_SECTORS_MAX - 7, 0)), 0);
}

static void reads_across_the_ends_of_disks_are_right(void **state)
{
    /* Breaks on plain disks whose last sectors are no whole page: the next disk's would stand askew
     * in the pages of the array. geometry_set() leaves them out. */
    struct small_plan plan =
        small_defaults((struct small_plan){ .level = LEVEL_RAW, .tags_per_page = 8, .rows = 2 });
    struct small *s = small_new(plan);
    struct geometry *g = &s->w->shape.geometry;

    (void)state;
    assert_true(geometry_set(g, LEVEL_RAW, 0, g->disks, 15, 8));
    for (uint64_t sector = 0; sector + 8 <= geometry_sectors(g); sector++) {
        small_submit(s, 0, sector, 8, false);
        assert_int_equal(small_settle(s), 0);
    }
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bios_cover_a_request_without_gap_or_overlap),
        cmocka_unit_test(no_bio_crosses_a_chunk_of_raid0_or_the_end_of_a_disk),
        cmocka_unit_test(raid5_takes_bios_across_chunks),
        cmocka_unit_test(pieces_share_the_pages_of_a_request),
        cmocka_unit_test(a_request_is_done_when_its_last_bio_is),
        cmocka_unit_test(finished_requests_are_taken_in_the_order_they_finished),
        cmocka_unit_test(a_client_has_no_more_than_its_depth_in_flight),
        cmocka_unit_test(names_of_ios_carry_what_was_put_in),
        cmocka_unit_test(reads_across_the_ends_of_disks_are_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
