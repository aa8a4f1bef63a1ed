/* The pace of the resync thread: speed over a ring of marks, and members that are busy. */
#include "tests/lib/small_world.h"

#include <stdlib.h>
#include <string.h>

#include "model/resync.h"
#include "sim/clockwork_internal.h"

static const uint64_t second = 1000000000;

/* As much of a clockwork as the rule looks at. */
struct rig {
    struct small *small;
    struct scenario *scenario;
    struct scalars *scalars;
    struct member member[3];
    struct clockwork clock;
};

static struct rig *rig_new(uint32_t least, uint32_t most)
{
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    r->small = small_new((struct small_plan){ .level = LEVEL_RAID5, .later = 1, .written = 1 });
    r->scenario = calloc(1, sizeof *r->scenario);
    r->scalars = calloc(1, sizeof *r->scalars);
    assert_true(r->scenario && r->scalars);
    r->scenario->driver.resync_yields = 1;
    r->scenario->array.sync_speed_min = least;
    r->scenario->array.sync_speed_max = most;
    r->clock = (struct clockwork){ .scenario = r->scenario,
                                   .world = r->small->w,
                                   .s = r->scalars,
                                   .member = r->member,
                                   .members = 3 };
    r->scalars->now = 100 * second;
    sync_begins(&r->clock);
    return r;
}

static void rig_free(struct rig *r)
{
    small_free(r->small);
    free(r->scenario);
    free(r->scalars);
    free(r);
}

/* So much later, with so many sectors asked for and so many of them under way: what now? */
static uint64_t pace(struct rig *r, uint64_t ns, uint64_t sectors, uint32_t under_way)
{
    r->scalars->now += ns;
    array_at(r->small->w, 0)->sync_at += sectors;
    array_at(r->small->w, 0)->recovery_active = under_way;
    return sync_pace(&r->clock);
}

static void load(struct rig *r, unsigned member, uint64_t sectors)
{
    r->member[member].completed_sectors += sectors;
}

static void below_its_least_speed_a_sync_goes_on_whoever_waits(void **state)
{
    /* Breaks when a sync makes room below sync_speed_min, or the least speed itself counts as
     * above it. In the first second: KiB/s = sectors / 2 + 1. */
    struct rig *r = rig_new(1000, 200000);

    (void)state;
    load(r, 0, 10000);
    assert_int_equal(pace(r, 1000, 1998, 0), RESYNC_GO_ON);
    assert_int_equal(pace(r, 1000, 2, 0), RESYNC_MAKE_ROOM);
    rig_free(r);
}

static void above_its_greatest_speed_it_sleeps_though_nobody_waits(void **state)
{
    /* Breaks when sync_speed_max is no limit, or is one a KiB/s too low. */
    struct rig *r = rig_new(100, 1000);

    (void)state;
    assert_int_equal(pace(r, 1000, 1998, 0), RESYNC_GO_ON);
    assert_int_equal(pace(r, 1000, 2, 0), RESYNC_SLEEP);
    assert_int_equal(pace(r, second, 0, 0), RESYNC_GO_ON);
    rig_free(r);
}

static void what_is_under_way_is_not_done(void **state)
{
    /* Breaks when speed counts what was asked for. */
    struct rig *r = rig_new(100, 1000);

    (void)state;
    assert_int_equal(pace(r, 1000, 4000, 2002), RESYNC_GO_ON);
    assert_int_equal(pace(r, 1000, 0, 0), RESYNC_SLEEP);
    rig_free(r);
}

static void members_are_busy_when_others_io_has_grown_by_more_than_64_sectors(void **state)
{
    /* Breaks when sync I/O counts as a load, a trickle does, or a busy member is not looked at
     * because another was. */
    struct rig *r = rig_new(0, 200000);

    (void)state;
    load(r, 2, 64);
    assert_int_equal(pace(r, 1000, 256, 0), RESYNC_GO_ON);
    load(r, 2, 1);
    assert_int_equal(pace(r, 1000, 256, 0), RESYNC_MAKE_ROOM);
    assert_int_equal(pace(r, 1000, 256, 0), RESYNC_GO_ON);
    r->member[0].sync_sectors += 1000;
    load(r, 0, 1000);
    assert_int_equal(pace(r, 1000, 256, 0), RESYNC_GO_ON);
    for (unsigned m = 0; m < 3; m++)
        load(r, m, 65);
    assert_int_equal(pace(r, 1000, 256, 0), RESYNC_MAKE_ROOM);
    assert_int_equal(pace(r, 1000, 256, 0), RESYNC_GO_ON);
    rig_free(r);
}

static void speed_is_that_of_the_last_thirty_seconds_and_not_of_the_whole(void **state)
{
    /* Breaks when the ring of marks does not turn: a sync that was fast long ago would sleep for
     * ever. Ten marks three seconds apart, the oldest of them counts. */
    struct rig *r = rig_new(100, 1000);
    unsigned slept = 0;

    (void)state;
    assert_int_equal(pace(r, 1000, 100000, 0), RESYNC_SLEEP);
    for (unsigned n = 0; n < 60 && pace(r, second, 0, 0) == RESYNC_SLEEP; n++)
        slept++;
    assert_true(slept >= 26 && slept <= 33);
    rig_free(r);
}

static void a_sync_begins_with_its_own_marks(void **state)
{
    /* Breaks when the speed of one sync is held against the next, or what was done before. */
    struct rig *r = rig_new(100, 1000);

    (void)state;
    assert_int_equal(pace(r, 1000, 100000, 0), RESYNC_SLEEP);
    load(r, 0, 100000);
    sync_begins(&r->clock);
    assert_int_equal(pace(r, 1000, 1000, 0), RESYNC_GO_ON);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_its_least_speed_a_sync_goes_on_whoever_waits),
        cmocka_unit_test(above_its_greatest_speed_it_sleeps_though_nobody_waits),
        cmocka_unit_test(what_is_under_way_is_not_done),
        cmocka_unit_test(members_are_busy_when_others_io_has_grown_by_more_than_64_sectors),
        cmocka_unit_test(speed_is_that_of_the_last_thirty_seconds_and_not_of_the_whole),
        cmocka_unit_test(a_sync_begins_with_its_own_marks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
