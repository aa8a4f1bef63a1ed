/* From a scenario to the shape of its world: threads, records, granularity, tables. */
#include "tests/lib/small_scenario.h"
#include "tests/lib/small_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/shape.h"

static struct shape shape_of(struct scenario *s)
{
    struct complaint why = { .line = 0 };
    struct crew crew;
    struct shape shape;

    assert_true(crew_new(&crew, s, &why));
    assert_true(shape_from(&shape, s, &crew, &why));
    crew_free(&crew);
    return shape;
}

static void who_submits_depends_on_the_engine(void **state)
{
    /* Breaks when posixaio shares a thread, or libaio gets one for each I/O. */
    static const struct {
        uint8_t engine;
        uint16_t clients, requests;
    } expect[] = { { ENGINE_POSIXAIO, 10, 10 },
                   { ENGINE_LIBAIO, 2, 10 },
                   { ENGINE_IO_URING, 2, 10 },
                   { ENGINE_PSYNC, 2, 2 } };

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        struct scenario *s = small_scenario(LEVEL_RAID5);
        struct shape shape;

        s->job[0].iodepth = 5;
        s->job[0].numjobs = 2;
        s->job[0].engine = expect[n].engine;
        shape = shape_of(s);
        assert_int_equal(shape.clients, expect[n].clients);
        assert_int_equal(shape.requests, expect[n].requests);
        free(s);
    }
}

static void every_thread_belongs_to_its_own_instance(void **state)
{
    /* Breaks when a thread asks for another job's I/O. */
    struct scenario *s = small_scenario(LEVEL_RAID5);
    struct complaint why = { .line = 0 };
    struct crew crew;
    static const uint16_t instance[] = { 0, 0, 0, 1, 1, 1, 2 };

    (void)state;
    s->job_count = 2;
    s->job[1] = s->job[0];
    s->job[0].iodepth = 3;
    s->job[0].numjobs = 2;
    s->job[1].engine = ENGINE_LIBAIO;
    s->job[1].iodepth = 9;
    assert_true(crew_new(&crew, s, &why));
    assert_int_equal(crew.clients, 7);
    assert_memory_equal(crew.instance_of, instance, sizeof instance);
    for (unsigned c = 0; c < 7; c++)
        assert_int_equal(crew.depth[c], c < 6 ? 1 : 9);
    crew_free(&crew);
    free(s);
}

static void groups_are_as_fine_as_the_jobs_and_no_finer(void **state)
{
    /* Breaks when a request cannot be told from its neighbour, or worlds are larger than need be.
     */
    static const uint32_t bytes[] = { 4096, 2048, 6144, 1024, 512, 4608, 65536 };
    static const uint8_t tags[] = { 1, 2, 2, 4, 8, 8, 1 };

    (void)state;
    for (unsigned n = 0; n < 7; n++) {
        struct scenario *s = small_scenario(LEVEL_RAID5);
        struct shape shape;

        s->job[0].split[0].bytes = bytes[n];
        shape = shape_of(s);
        assert_int_equal(shape.tags_per_page, tags[n]);
        assert_int_equal(shape.tags_per_page * shape.group_sectors, 8);
        free(s);
    }
}

static void plain_disks_have_no_cache_and_readers_no_tables(void **state)
{
    /* Breaks when memory is taken for what cannot happen. */
    (void)state;
    for (unsigned level = LEVEL_RAW; level <= LEVEL_RAID5; level++) {
        struct scenario *s = small_scenario(level);
        struct shape shape = shape_of(s);

        assert_int_equal(shape.stripes, level >= LEVEL_RAID4 ? 7 : 0);
        assert_int_equal(shape.media_entries, 0);
        assert_int_equal(shape.oracle_entries, 0);
        free(s);
    }
}

static void tables_hold_twice_what_the_jobs_can_write(void **state)
{
    /* Breaks when a table can fill up in the middle of a run, or is no power of two. */
    struct scenario *s = small_scenario(LEVEL_RAW);
    struct shape shape;

    (void)state;
    s->job[0].rw = RW_RANDWRITE;
    shape = shape_of(s);
    assert_true(shape.media_entries >= 2 * 3 * (1 << 20) / 4096);
    assert_int_equal(shape.media_entries & (shape.media_entries - 1), 0);
    assert_true(shape.oracle_entries >= shape.media_entries);
    s->job[0].size = 8192;
    assert_true(shape_of(s).media_entries < shape.media_entries);
    free(s);
}

static void too_many_threads_are_the_users_mistake(void **state)
{
    /* Breaks when a number that does not fit a world's ids is cut off. */
    struct scenario *s = small_scenario(LEVEL_RAID5);
    struct complaint why = { .line = 0 };
    struct crew crew;

    (void)state;
    s->job[0].iodepth = 40000;
    assert_false(crew_new(&crew, s, &why));
    assert_non_null(strstr(why.text, "40000"));
    s->job[0].engine = ENGINE_LIBAIO;
    s->job[0].numjobs = 2;
    assert_false(crew_new(&crew, s, &why));
    assert_non_null(strstr(why.text, "80000"));
    free(s);
}

static void records_hold_the_largest_io_wherever_it_begins(void **state)
{
    /* Breaks when an I/O has more bios or pages than its records: an assertion stops the run. */
    static const uint32_t bytes[] = { 512, 4096, 65536, 100 * 1024, 200 * 1024 + 512 };

    (void)state;
    for (unsigned level = LEVEL_RAW; level <= LEVEL_RAID5; level++)
        for (unsigned n = 0; n < 5; n++) {
            struct scenario *s = small_scenario(level);
            struct timed t;

            s->job[0].split[0].bytes = bytes[n];
            s->job[0].blockalign = 512;
            s->job[0].runtime_ns = 3000000;
            s->array.stripe_cache_size = 32;
            assert_true(timed_results(&t, s)->job[0].dir[0].ios > 0);
            assert_int_equal(t.results->findings, 0);
            assert_int_equal(simulation_stuck(&t.sim), 0);
            timed_free(&t);
        }
}

static void writes_are_deferred_where_workers_exist_and_all_members_rotate(void **state)
{
    /* Breaks when deferral (spec 8.4) is there without workers, with a member that does not rotate,
     * or not because of a member that is missing. */
    struct scenario *s = small_scenario(LEVEL_RAID5);

    (void)state;
    s->driver.generation = GENERATION_61;
    s->array.group_thread_cnt = 2;
    assert_false(shape_of(s).defer);
    for (unsigned d = 0; d < 2; d++)
        snprintf(s->disk[d].model, sizeof s->disk[d].model, "hdd");
    assert_false(shape_of(s).defer);
    s->array.failed = 1u << 2;
    assert_true(shape_of(s).defer);
    assert_int_equal(shape_of(s).workers, 2);
    s->array.failed = 0;
    snprintf(s->disk[2].model, sizeof s->disk[2].model, "hdd");
    assert_true(shape_of(s).defer);
    s->driver.deferred_writes = 0;
    assert_false(shape_of(s).defer);
    s->driver.deferred_writes = 1;
    s->array.group_thread_cnt = 0;
    assert_false(shape_of(s).defer);
    free(s);
}

static void the_preset_md_3_12_has_the_rules_the_laws_are_tried_on(void **state)
{
    /* Breaks when a switch of the preset is left out, or the walks over md-3.12 go by others. */
    struct scenario *s = calloc(1, sizeof *s);
    struct overrides none = { NULL, 0 };
    struct complaint why = { .line = 0 };
    struct shape is, rules;

    (void)state;
    assert_non_null(s);
    if (!scenario_load(s, "scenarios/run/3.12-small-writes.cfg", &none, &why))
        fail_msg("%s:%d: %s", why.file, why.line, why.text);
    s->host.max_sectors = 512;
    s->host.max_segments = 128;
    is = rules = shape_of(s);
    small_be_3_12(&rules);
    assert_memory_equal(&is, &rules, sizeof is);
    assert_int_equal(is.bypass_most, 512);
    assert_int_equal(is.bypass, 1);
    assert_int_equal(is.hash_classes, 1);
    assert_int_equal(is.handle_batch, HANDLE_BATCH_MAX);
    s->host.max_segments = 32;
    assert_int_equal(shape_of(s).bypass_most, 32 * PAGE_SECTORS);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_submits_depends_on_the_engine),
        cmocka_unit_test(every_thread_belongs_to_its_own_instance),
        cmocka_unit_test(groups_are_as_fine_as_the_jobs_and_no_finer),
        cmocka_unit_test(plain_disks_have_no_cache_and_readers_no_tables),
        cmocka_unit_test(tables_hold_twice_what_the_jobs_can_write),
        cmocka_unit_test(too_many_threads_are_the_users_mistake),
        cmocka_unit_test(records_hold_the_largest_io_wherever_it_begins),
        cmocka_unit_test(the_preset_md_3_12_has_the_rules_the_laws_are_tried_on),
        cmocka_unit_test(writes_are_deferred_where_workers_exist_and_all_members_rotate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
