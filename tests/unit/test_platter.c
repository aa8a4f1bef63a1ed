/* Geometry of a rotating disk: places, reading times and their inverse agree with each other. */
#include "tests/unit/disk_rig.h"

#include "disks/platter.h"
#include "disks/seek.h"

static void platter_of(struct platter *platter, struct disk_preset *p, const char *name)
{
    struct seek_curve curve = { 0 };

    rig_preset(p, name);
    seek_start(&curve, p);
    *platter = (struct platter){ 0 };
    platter_start(platter, p, UINT64_C(60000000000) / p->rpm, 0, seek_ns(&curve, p, 1));
}

/* Published skews of the HP 97560: 8 sectors a track, 18 a cylinder. Breaks if skews are not the
 * smallest that do. */
static void skews_of_the_hp97560_are_the_published_ones(void **state)
{
    (void)state;
    struct platter platter;
    struct disk_preset p;

    platter_of(&platter, &p, "hp97560");
    assert_int_equal(platter.zone[0].track_skew, 8);
    assert_int_equal(platter.zone[0].cylinder_skew, 18);
}

/* Breaks if the last sector falls off the disk, or a zone border is off by one. */
static void zones_meet_and_the_last_sector_has_a_place(void **state)
{
    (void)state;
    struct platter platter;
    struct disk_preset p;
    static const char *const names[] = { "wd4000yr", "exos-x16-16t", "barracuda-2g", "hp97560" };

    for (int n = 0; n < 4; n++) {
        platter_of(&platter, &p, names[n]);
        assert_true(platter_find(&platter, p.sectors - 1).cylinder < p.cylinders);
        for (uint32_t i = 1; i < platter.zone_count; i++) {
            struct platter_place last = platter_find(&platter, platter.zone[i].first_sector - 1);
            struct platter_place first = platter_find(&platter, platter.zone[i].first_sector);
            assert_int_equal(first.cylinder, last.cylinder + 1);
            assert_int_equal(last.head, p.heads - 1);
            assert_int_equal(first.head, 0);
        }
    }
}

/* Time from a to c is time to b and from b. Breaks if skews are counted twice or not at all. */
static void reading_times_add_up(void **state)
{
    (void)state;
    struct platter platter;
    struct disk_preset p;
    struct dice dice = dice_new(1, DICE_FATE, 0);

    platter_of(&platter, &p, "wd4000yr");
    for (int i = 0; i < 20000; i++) {
        uint64_t a = dice_below(&dice, p.sectors - 60000), b = a + 1 + dice_below(&dice, 30000);
        uint64_t c = b + 1 + dice_below(&dice, 30000);
        uint64_t whole = platter_transfer_ns(&platter, a, c);
        uint64_t parts = platter_transfer_ns(&platter, a, b) + platter_gap_ns(&platter, b) +
                         platter_transfer_ns(&platter, b, c);
        assert_true(llabs((long long)(whole - parts)) <= 4);
    }
}

/* Breaks if asking how far the head has come disagrees with how long it takes to come so far. */
static void where_it_has_come_is_the_inverse_of_how_long_it_takes(void **state)
{
    (void)state;
    struct platter platter;
    struct disk_preset p;
    struct dice dice = dice_new(2, DICE_FATE, 0);

    platter_of(&platter, &p, "wd4000yr");
    for (int i = 0; i < 20000; i++) {
        uint64_t a = dice_below(&dice, p.sectors - 30000), b = a + 1 + dice_below(&dice, 30000);
        uint64_t ns = platter_transfer_ns(&platter, a, b);
        assert_true(platter_reached(&platter, a, ns, p.sectors) == b);
        assert_true(platter_reached(&platter, a, ns - 3000, p.sectors) < b);
        assert_true(platter_reached(&platter, a, ns + 50000, b) == b);
    }
}

/* The head meets a sector where its angle says. Breaks if times and angles drift apart. */
static void after_a_transfer_the_next_sector_comes_by_without_a_turn(void **state)
{
    (void)state;
    struct platter platter;
    struct disk_preset p;
    struct dice dice = dice_new(3, DICE_FATE, 0);

    platter_of(&platter, &p, "wd4000yr");
    for (int i = 0; i < 20000; i++) {
        uint64_t a = dice_below(&dice, p.sectors - 30001), b = a + 1 + dice_below(&dice, 30000);
        uint64_t start = platter_find(&platter, a).angle_ns; /* phase 0: then the head is there */
        uint64_t end = start + platter_transfer_ns(&platter, a, b) + platter_gap_ns(&platter, b);
        uint64_t wait = platter_wait_ns(&platter, platter_find(&platter, b).angle_ns, end);
        assert_true(wait <= 8 || wait >= platter.rev_ns - 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skews_of_the_hp97560_are_the_published_ones),
        cmocka_unit_test(zones_meet_and_the_last_sector_has_a_place),
        cmocka_unit_test(reading_times_add_up),
        cmocka_unit_test(where_it_has_come_is_the_inverse_of_how_long_it_takes),
        cmocka_unit_test(after_a_transfer_the_next_sector_comes_by_without_a_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
