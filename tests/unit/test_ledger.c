/* The ledger: member I/Os by reason, stripes by method, and that all of it adds up. */
#include "tests/lib/timed_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/io.h"
#include "sim/ledger.h"

static const uint64_t ms = 1000000;

static struct scenario *writer(enum generation generation, unsigned disks, uint32_t chunk)
{
    struct scenario *s = small_scenario(LEVEL_RAID5);

    s->driver.generation = generation;
    s->driver.array_plug = generation == GENERATION_2615;
    s->array.raid_disks = s->disk_count = disks;
    s->array.chunk_size = chunk;
    s->host.unplug_ns = 1000;
    s->array.stripe_cache_size = 256;
    s->array.sync_speed_max = 200000;
    s->job[0].rw = RW_RANDWRITE;
    s->job[0].engine = ENGINE_LIBAIO;
    s->job[0].iodepth = 1;
    s->job[0].norandommap = s->job[0].time_based = 0;
    s->job[0].runtime_ns = 0;
    return s;
}

/* Thirty writes of `bytes`, one after the other, each to a row of its own of four chunks. */
static struct scenario *row_writer(enum generation generation, uint32_t chunk, uint32_t bytes)
{
    struct scenario *s = writer(generation, 5, chunk);
    size_t used = 0;

    for (unsigned i = 0; i < 30; i++)
        used += (size_t)snprintf(s->job[0].ioseq + used, sizeof s->job[0].ioseq - used, "w:%u:%u ",
                                 i * 4 * chunk, (unsigned)bytes);
    return s;
}

static uint64_t sum(const struct results_member *m, unsigned kind, bool sectors)
{
    uint64_t n = 0;

    for (unsigned reason = 0; reason < RESULT_REASONS; reason++)
        n += sectors ? m->by_reason[reason][kind].sectors : m->by_reason[reason][kind].ios;
    return n;
}

static void assert_sums(const struct results *r, bool whole)
{
    for (unsigned d = 0; d < r->member_count; d++) {
        const struct results_member *m = &r->member[d];

        for (unsigned dir = 0; dir < 2; dir++) {
            assert_int_equal(sum(m, dir, true), m->sectors[dir]);
            if (whole)
                assert_int_equal(sum(m, dir, false), m->ios[dir] + m->merges[dir]);
        }
        assert_int_equal(sum(m, IO_FLUSH, false), m->flushes);
    }
}

static void reasons_add_up_to_what_iostat_counts(void **state)
{
    /* Breaks when an I/O is counted under no reason or two, or in another window than iostat's
     * figures: levels, drivers, workers, a repair, a missing member, a ramp. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct timed t;
        struct results *r = timed_results(&t, timed_case(n));
        struct ledger l = ledger_of(r);

        assert_sums(r, t.scenario->job[0].ramp_ns == 0);
        assert_true(l.all[IO_READ].ios > 0);
        timed_free(&t);
    }
}

static void faults_rebuilds_and_metadata_add_up_too(void **state)
{
    /* Breaks when an I/O that fails, one of a rebuild, a rewrite or a superblock is left out. */
    static const unsigned met[][2] = { { REASON_RESYNC, IO_READ },      { REASON_RESYNC, IO_WRITE },
                                       { REASON_REWRITE, IO_WRITE },    { REASON_VERIFY, IO_READ },
                                       { REASON_SUPERBLOCK, IO_WRITE }, { REASON_DATA, IO_WRITE },
                                       { REASON_PARITY, IO_WRITE } };
    struct scenario *s = writer(GENERATION_61, 4, 8192);
    struct timed t;
    struct results *r;
    struct ledger l;

    (void)state;
    s->job[0].iodepth = 4;
    s->job[0].rw = RW_RANDRW;
    s->job[0].time_based = s->job[0].norandommap = 1;
    s->job[0].runtime_ns = 150 * ms;
    s->array.metadata = METADATA_12;
    s->array.sync_max = UINT64_MAX;
    s->array.spares = 1;
    s->fault_count = 2;
    s->fault[0] = (struct fault){ .what = FAULT_READ_ERROR,
                                  .lasts = LASTS_REWRITE,
                                  .member = 2,
                                  .every = 3,
                                  .until_ns = 50 * ms };
    s->fault[1] = (struct fault){ .what = FAULT_FAIL, .member = 1, .at_ns = 60 * ms };
    r = timed_results(&t, s);
    l = ledger_of(r);
    assert_sums(r, true);
    for (unsigned i = 0; i < sizeof met / sizeof met[0]; i++)
        if (l.by_reason[met[i][0]][met[i][1]].ios == 0)
            fail_msg("none of kind %u was sent for reason %u", met[i][1], met[i][0]);
    timed_free(&t);
}

static void a_small_write_costs_two_reads_and_two_writes(void **state)
{
    /* Breaks when a method or a preread is booked under the other's name, on either driver. Five
     * members, nothing cached: read-modify-write needs two blocks, reconstruct-write three. */
    (void)state;
    for (unsigned generation = GENERATION_2615; generation <= GENERATION_61; generation++) {
        struct timed t;
        struct results *r = timed_results(&t, row_writer((enum generation)generation, 8192, 4096));
        struct ledger l = ledger_of(r);

        assert_int_equal(l.user_ios[1], 30);
        assert_int_equal(r->writes.rmw, 30);
        assert_int_equal(r->writes.rcw + r->writes.full + r->writes.partial, 0);
        assert_int_equal(l.by_reason[REASON_PREREAD_RMW][IO_READ].ios, 60);
        assert_int_equal(l.all[IO_READ].ios, 60);
        assert_int_equal(l.by_reason[REASON_DATA][IO_WRITE].ios, 30);
        assert_int_equal(l.by_reason[REASON_PARITY][IO_WRITE].ios, 30);
        assert_int_equal(ledger_amplification(&l, 0), 2000);
        assert_int_equal(ledger_amplification(&l, 1), 2000);
        assert_int_equal(ledger_prereads_per_write(&l), 2000);
        timed_free(&t);
    }
}

static void a_part_of_a_page_is_noticed(void **state)
{
    /* Breaks when a write that does not cover its page counts as one that does. */
    (void)state;
    for (unsigned generation = GENERATION_2615; generation <= GENERATION_61; generation++) {
        struct timed t;
        struct results *r = timed_results(&t, row_writer((enum generation)generation, 8192, 512));

        assert_int_equal(r->writes.partial, 30);
        assert_int_equal(r->writes.full + r->writes.rmw + r->writes.rcw, 30);
        timed_free(&t);
    }
}

static void three_of_four_pages_are_a_reconstruct_write(void **state)
{
    /* Breaks when rcw is told from a full-stripe write by anything but the pages written: pages of
     * three members are new, so the fourth is read. */
    (void)state;
    for (unsigned generation = GENERATION_2615; generation <= GENERATION_61; generation++) {
        struct scenario *s = row_writer((enum generation)generation, 4096, 3 * 4096);
        struct timed t;
        struct results *r;
        struct ledger l;

        r = timed_results(&t, s);
        l = ledger_of(r);
        assert_int_equal(r->writes.rcw, 30);
        assert_int_equal(r->writes.rmw + r->writes.full, 0);
        assert_int_equal(l.by_reason[REASON_PREREAD_RCW][IO_READ].ios, 30);
        assert_int_equal(l.all[IO_READ].ios, 30);
        assert_int_equal(l.all[IO_WRITE].ios, 30 * 4);
        timed_free(&t);
    }
}

/* Eight rows of 16 stripes written whole, each by one write. */
static struct results *write_rows(struct timed *t, uint32_t batches)
{
    struct scenario *s = writer(GENERATION_61, 3, 65536);

    s->driver.stripe_batches = batches;
    s->job[0].split[0].bytes = s->job[0].blockalign = 2 * 65536;
    s->job[0].io_size = 8 * 2 * 65536;
    return timed_results(t, s);
}

static void full_stripes_are_counted_one_by_one_and_by_batch(void **state)
{
    /* Breaks when a batch counts as one stripe, a member of it as a batch, or reads creep in. A
     * chunk of 64 KiB holds 16 stripes, and no batch crosses its end. */
    uint64_t least = 0, most = 0, count = 0;
    struct timed t;
    struct results *r = write_rows(&t, 1);
    struct ledger l = ledger_of(r);

    (void)state;
    assert_int_equal(r->writes.full, 8 * 16);
    assert_int_equal(r->writes.rmw + r->writes.rcw + r->writes.partial, 0);
    assert_int_equal(l.all[IO_READ].ios, 0);
    assert_int_equal(l.by_reason[REASON_PARITY][IO_WRITE].ios, r->writes.full);
    assert_int_equal(ledger_amplification(&l, 1), 1500);
    for (unsigned i = 0; i < BATCH_BUCKETS; i++) {
        least += r->writes.batches[i] << i;
        most += r->writes.batches[i] * ((2ull << i) - 1);
        count += r->writes.batches[i];
        if (i > 4)
            assert_int_equal(r->writes.batches[i], 0);
    }
    assert_true(least <= r->writes.full && r->writes.full <= most);
    assert_true(r->writes.batches[4] > 0 && count < r->writes.full / 4);
    timed_free(&t);
}

static void a_driver_without_batches_has_none_longer_than_a_stripe(void **state)
{
    /* Breaks when lengths come from anything but the chain of a batch. */
    struct timed t;
    struct results *r = write_rows(&t, 0);

    (void)state;
    assert_int_equal(r->writes.full, 8 * 16);
    assert_int_equal(r->writes.batches[0], 8 * 16);
    timed_free(&t);
}

static void every_stripe_written_writes_its_parity_once(void **state)
{
    /* Breaks when a stripe is counted and not written, or written and not counted, among many
     * writers of all sizes. */
    (void)state;
    for (unsigned generation = GENERATION_2615; generation <= GENERATION_61; generation++) {
        struct scenario *s = writer((enum generation)generation, 4, 16384);
        struct timed t;
        struct results *r;
        struct ledger l;

        s->job[0].iodepth = 6;
        s->job[0].time_based = s->job[0].norandommap = 1;
        s->job[0].runtime_ns = 60 * ms;
        s->job[0].split_count = 3;
        s->job[0].split[0] = (struct split){ 2048, 30 };
        s->job[0].split[1] = (struct split){ 12288, 40 };
        s->job[0].split[2] = (struct split){ 98304, 30 };
        s->job[0].blockalign = 2048;
        r = timed_results(&t, s);
        l = ledger_of(r);
        assert_true(r->writes.full > 0 && r->writes.rmw > 0 && r->writes.rcw > 0);
        assert_int_equal(l.stripes, l.by_reason[REASON_PARITY][IO_WRITE].ios);
        assert_sums(r, true);
        timed_free(&t);
    }
}

static void what_came_before_the_ramp_is_forgotten(void **state)
{
    /* Breaks when stripes or reasons are counted from the beginning of the run. */
    uint64_t stripes[2], reads[2], half = 0;

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct scenario *s = row_writer(GENERATION_61, 8192, 4096);
        struct timed t;
        struct ledger l;

        s->job[0].ramp_ns = half;
        l = ledger_of(timed_results(&t, s));
        half = t.results->end_ns / 2;
        stripes[n] = l.stripes;
        reads[n] = l.all[IO_READ].ios;
        timed_free(&t);
    }
    assert_int_equal(stripes[0], 30);
    assert_in_range(stripes[1], 1, 29);
    assert_in_range(reads[1], 1, reads[0] - 1);
}

static void a_check_is_nobodys_amplification(void **state)
{
    /* Breaks when what the resync thread reads is charged to users. */
    struct scenario *s = row_writer(GENERATION_61, 8192, 4096);
    struct timed t;
    struct ledger l;

    (void)state;
    s->array.sync_action = SYNC_CHECK;
    s->array.sync_max = UINT64_MAX;
    s->array.sync_delay = 1000 * ms;
    l = ledger_of(timed_results(&t, s));
    assert_true(l.by_reason[REASON_RESYNC][IO_READ].sectors * 512 > 4ull << 20);
    assert_int_equal(l.all[IO_READ].ios, 60 + l.by_reason[REASON_RESYNC][IO_READ].ios);
    assert_int_equal(ledger_amplification(&l, 0), 2000);
    timed_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_add_up_to_what_iostat_counts),
        cmocka_unit_test(faults_rebuilds_and_metadata_add_up_too),
        cmocka_unit_test(a_small_write_costs_two_reads_and_two_writes),
        cmocka_unit_test(a_part_of_a_page_is_noticed),
        cmocka_unit_test(three_of_four_pages_are_a_reconstruct_write),
        cmocka_unit_test(full_stripes_are_counted_one_by_one_and_by_batch),
        cmocka_unit_test(a_driver_without_batches_has_none_longer_than_a_stripe),
        cmocka_unit_test(every_stripe_written_writes_its_parity_once),
        cmocka_unit_test(what_came_before_the_ramp_is_forgotten),
        cmocka_unit_test(a_check_is_nobodys_amplification),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
