/* The rotating disk: service times against closed forms and data sheets, and the order in which it
 * does things. */
#include "tests/unit/disk_rig.h"

#include "disks/seek.h"

enum { LEE_AVG_US = 8900 };

/* Nanoseconds. */
static const double HALF_TURN = 60e9 / 7200 / 2, TURN = 60e9 / 7200;

static struct rig rig_with(const char *name, uint32_t depth, uint32_t write_cache)
{
    struct rig r = rig_new(name);

    r.preset.queue_depth = depth;
    r.preset.write_cache = write_cache;
    rig_restart(&r, 0, 1);
    return r;
}

/* ---- service times ------------------------------------------------------------------- */

/* Breaks if seek, rotation or overhead is counted twice, not at all, or together with another. */
static void a_random_read_takes_a_seek_half_a_turn_and_the_overhead(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct load l = { .sectors = 8, .depth = 1, .count = 20000 };
    double wanted = (LEE_AVG_US * 1e3 + HALF_TURN + r.preset.overhead_ns) / 1e6;

    rig_expect("wd4000yr: random 4 KiB read, ms", load_mean_ms(&l, rig_load(&r, &l)), wanted, 2);
    rig_free(&r);
}

/* The same for drives with a seek table. Breaks if the arm does not use it. */
static void random_reads_of_drives_with_a_seek_table_follow_it(void **state)
{
    (void)state;
    static const char *const names[] = { "hp97560", "barracuda-2g" };
    char what[80];

    for (int i = 0; i < 2; i++) {
        struct rig r = rig_new(names[i]);
        struct load l = { .sectors = 16, .depth = 1, .count = 20000 };
        struct seek_curve curve = { 0 };
        double n = r.preset.cylinders, seek = 0, turn = 60e9 / r.preset.rpm;

        seek_start(&curve, &r.preset);
        for (uint32_t d = 1; d < r.preset.cylinders; d++)
            seek += 2 * (n - d) / (n * n) * (double)seek_ns(&curve, &r.preset, d);
        double transfer = 16 * turn / r.preset.zone[r.preset.zone_count / 2].sectors_per_track;
        snprintf(what, sizeof what, "%s: random 8 KiB read, ms", names[i]);
        rig_expect(what, load_mean_ms(&l, rig_load(&r, &l)),
                   (seek + turn / 2 + transfer + r.preset.overhead_ns) / 1e6, 2);
        rig_free(&r);
    }
}

/* Breaks if a write seek does not settle longer, as the data sheet's write seek of 10.9 ms says. */
static void a_random_write_through_settles_for_longer(void **state)
{
    (void)state;
    struct rig r = rig_with("wd4000yr", 1, 0);
    struct load l = { .kind = COMMAND_WRITE, .sectors = 8, .depth = 1, .count = 20000 };
    double wanted = (10900e3 + HALF_TURN + r.preset.overhead_ns) / 1e6;

    rig_expect("wd4000yr: random 4 KiB write, no cache, ms", load_mean_ms(&l, rig_load(&r, &l)),
               wanted, 2);
    rig_free(&r);
}

/* Noise must blur times, not shift them. Breaks if it has a mean, or is not drawn at all. */
static void seek_noise_does_not_move_the_mean(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct load l = { .sectors = 8, .depth = 1, .count = 20000 };
    struct load_result plain = rig_load(&r, &l), noisy;

    r.preset.seek_noise_us = 200;
    rig_restart(&r, 0, 1);
    noisy = rig_load(&r, &l);
    assert_true(noisy.elapsed_ns != plain.elapsed_ns);
    rig_expect("wd4000yr: the same with 0.2 ms of noise, ms", load_mean_ms(&l, noisy),
               load_mean_ms(&l, plain), 1);
    rig_free(&r);
}

static void check_rate(const char *name, const char *zone, uint64_t from, uint64_t to, uint8_t kind,
                       double wanted)
{
    struct rig r = rig_new(name);
    struct load l = { .kind = kind,
                      .sequential = true,
                      .sectors = 256,
                      .depth = 1,
                      .count = 8000,
                      .from = from,
                      .to = to };
    char what[80];

    snprintf(what, sizeof what, "%s: sequential, %s, MB/s", name, zone);
    rig_expect(what, load_mb_s(&l, rig_load(&r, &l)), wanted, 2);
    rig_free(&r);
}

/* Breaks if sequential reading loses revolutions, or a zone has the wrong number of sectors a
 * track. */
static void sequential_rates_are_the_stated_ones(void **state)
{
    (void)state;
    uint64_t wd = 781422768, exos = 31251759104;

    check_rate("wd4000yr", "read, first zone", 0, wd / 20, COMMAND_READ, 65);
    check_rate("wd4000yr", "read, last zone", wd / 20 * 19 + 10000, wd, COMMAND_READ, 36);
    check_rate("wd4000yr", "write through the cache, first zone", 0, wd / 20, COMMAND_WRITE, 65);
    /* cylinder bytes over turns: heads, head switches of 8 (37) sectors, a step of 18 (44) */
    check_rate("hp97560", "read", 0, 2684016, COMMAND_READ,
               19 * 72 * 512 / (60e6 / 4002 * (19 + (18 * 8 + 18) / 72.0)));
    check_rate("barracuda-2g", "read, first zone", 0, 1138 * 5 * 186, COMMAND_READ,
               5 * 186 * 512 / (60e6 / 7200 * (5 + (4 * 37 + 44) / 186.0)));
    check_rate("exos-x16-16t", "read, first zone", 0, exos / 24, COMMAND_READ, 261);
    check_rate("exos-x16-16t", "read, last zone", exos / 24 * 23 + 10000, exos, COMMAND_READ, 125);
    check_rate("sas-6t", "read, first zone", 0, 11721045168 / 24, COMMAND_READ, 226);
    check_rate("sata-4t", "read, first zone", 0, 7814037168 / 24, COMMAND_READ, 180);
}

/* Breaks if long transfers pay for anything but the zone's rate. The zones are equal in capacity: a
 * mean of 1/rate. */
static void random_reads_of_8_mib_take_an_access_and_the_zones_rate(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct load l = { .sectors = 16384, .depth = 1, .count = 4000 };
    double transfer_ms = 0, access_ms = (LEE_AVG_US * 1e3 + HALF_TURN + r.preset.overhead_ns) / 1e6;

    for (int zone = 0; zone < 20; zone++)
        transfer_ms += 8388608 / ((65 - 29.0 * zone / 19) * 1e6) * 1e3 / 20;
    rig_expect("wd4000yr: random 8 MiB read, ms", load_mean_ms(&l, rig_load(&r, &l)),
               access_ms + transfer_ms, 2);
    rig_free(&r);
}

/* ---- the read buffer ----------------------------------------------------------------- */

/* A drive that remembers several places and does not insist on reading ahead. */
static void roomy(struct rig *r)
{
    r->preset.segments = 4;
    r->preset.read_ahead = 2 << 20;
    r->preset.read_ahead_min = 256 << 10;
    rig_restart(r, 0, 1);
}

/* Breaks if the drive does not read on by itself, or pays for the media twice. */
static void what_was_read_ahead_costs_overhead_and_link(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    roomy(&r);
    double wanted = r.preset.overhead_ns + 128 * 512e6 / r.preset.link_kb_s;

    rig_one(&r, COMMAND_READ, false, 1000000, 128);
    r.now += 20000000; /* 20 ms: more than a MB at 65 MB/s */
    rig_expect("wd4000yr: 64 KiB read ahead, us",
               (double)rig_one(&r, COMMAND_READ, false, 1000128, 128) / 1e3, wanted / 1e3, 0.1);
    rig_expect("wd4000yr: 64 KiB read again, us",
               (double)rig_one(&r, COMMAND_READ, false, 1000000, 128) / 1e3, wanted / 1e3, 0.1);
    rig_free(&r);
}

/* A reader slower than the media must never wait for it. Breaks if read-ahead goes to sleep for
 * good when it is full. */
static void a_slow_sequential_reader_finds_every_block_in_the_buffer(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct load l = {
        .sequential = true, .sectors = 128, .depth = 1, .count = 500, .think_ns = 5000000
    };

    rig_load(&r, &l);
    assert_true(rig_load(&r, &l).latency_max_ns < 1000000);
    rig_free(&r);
}

/* Breaks if a follow-up that comes at once loses a revolution, or the command overhead slows the
 * media down. */
static void a_follow_up_is_paced_by_the_media(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");

    rig_one(&r, COMMAND_READ, false, 1000, 256);
    rig_expect("wd4000yr: the next 128 KiB, ms",
               (double)rig_one(&r, COMMAND_READ, false, 1256, 256) / 1e6, 256.0 / 1224 * TURN / 1e6,
               1);
    rig_free(&r);
}

/* The minimum read-ahead holds the arm, but only for a reader who was seen to go on. Breaks if
 * either half fails. */
static void only_a_sequential_reader_raises_the_fence(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct load random = { .sectors = 8, .depth = 1, .count = 1000 };
    double with, without, fence_ms = 262144 / 65e6 * 1e3 - 0.3; /* the overhead runs alongside */

    with = load_mean_ms(&random, rig_load(&r, &random));
    r.preset.read_ahead_min = 0;
    rig_restart(&r, 0, 1);
    without = load_mean_ms(&random, rig_load(&r, &random));
    assert_true(with == without); /* nobody goes on */

    double sum[2] = { 0 };

    for (int fence = 0; fence < 2; fence++) {
        r.preset.read_ahead_min = fence ? 262144 : 0;
        rig_restart(&r, 0, 1);
        for (int i = 0; i < 2000; i++) {
            uint64_t sector = 10000 + 10000 * dice_below(&r.dice, 2000);
            rig_one(&r, COMMAND_READ, false, sector, 128);
            rig_one(&r, COMMAND_READ, false, sector + 128, 128);
            sum[fence] +=
                (double)rig_one(&r, COMMAND_READ, false, 700000000 + sector, 8) / 1e6 / 2000;
        }
    }
    rig_expect("wd4000yr: fence after sequential reads, ms", sum[1] - sum[0], fence_ms, 10);
    rig_free(&r);
}

/* Breaks if a write leaves old sectors in the buffer: the read after it must go to the media. */
static void a_written_sector_leaves_the_read_buffer(void **state)
{
    (void)state;
    struct rig r = rig_with("wd4000yr", 1, 0);

    rig_one(&r, COMMAND_READ, false, 1000, 128);
    r.now += 100000000;
    assert_true(rig_one(&r, COMMAND_READ, false, 1128, 128) < 1000000);
    rig_one(&r, COMMAND_WRITE, false, 1128, 8);
    assert_true(rig_one(&r, COMMAND_READ, false, 1128, 128) > 2000000);
    rig_free(&r);
}

/* ---- the queue ----------------------------------------------------------------------- */

static double random_iops(const char *name, uint32_t depth, uint64_t *latency_max_ns)
{
    struct rig r = rig_with(name, 32, 0);
    struct load l = { .sectors = 8, .depth = depth, .count = 20000 };
    struct load_result x = rig_load(&r, &l);

    if (latency_max_ns)
        *latency_max_ns = x.latency_max_ns;
    rig_free(&r);
    return load_iops(&l, x);
}

/* Breaks if the queue is served in order, or by seek alone, or by an oracle. */
static void a_deep_queue_doubles_random_reads_and_starves_nobody(void **state)
{
    (void)state;
    uint64_t longest = 0;
    double one = random_iops("wd4000yr", 1, NULL);

    rig_expect("wd4000yr with NCQ: gain at depth 4", random_iops("wd4000yr", 4, NULL) / one, 1.35,
               7);
    rig_expect("wd4000yr with NCQ: gain at depth 32", random_iops("wd4000yr", 32, &longest) / one,
               2.0, 10);
    print_message("wd4000yr with NCQ: longest wait at depth 32: %.0f ms\n", (double)longest / 1e6);
    assert_true(longest < 800000000);
}

/* The product manual's figure; the seek curve of the preset is fitted to it. Breaks if the choice
 * of commands changes. */
static void the_exos_reads_170_times_a_second_at_depth_16(void **state)
{
    (void)state;

    rig_expect("exos-x16-16t: random 4 KiB reads/s at depth 16",
               random_iops("exos-x16-16t", 16, NULL), 170, 3);
}

/* Breaks if two commands that touch are not read in one sweep. */
static void a_queue_of_neighbours_is_read_in_one_sweep(void **state)
{
    (void)state;
    struct rig r = rig_with("wd4000yr", 32, 0);

    roomy(&r);
    for (uint32_t i = 0; i < 32; i++)
        rig_send(&r, COMMAND_READ, false, 5000 + (i ^ 5) * 8, 8); /* not in order */
    for (uint32_t i = 0; i < 32; i++)
        rig_end(&r);
    assert_true((double)r.now < 2 * 21e6 + 2 * TURN);
    rig_free(&r);
}

/* ---- write cache, flush, fua --------------------------------------------------------- */

/* Breaks if a cached write waits for the arm while there is room. */
static void a_cached_write_costs_overhead_and_link(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    double wanted = r.preset.overhead_ns + 8 * 512e6 / r.preset.link_kb_s;

    for (uint64_t i = 0; i < 50; i++)
        assert_true(fabs((double)rig_one(&r, COMMAND_WRITE, false, i * 9999999, 8) - wanted) < 2);
    rig_free(&r);
}

/* Breaks if a full cache takes writes for nothing: in the long run every write needs the arm. */
static void a_full_cache_writes_at_the_pace_of_the_arm(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct load l = { .kind = COMMAND_WRITE, .sectors = 8, .depth = 1, .count = 10000 };
    double iops = load_iops(&l, rig_load(&r, &l));

    print_message("wd4000yr: random 4 KiB writes/s, cache full: %.0f\n", iops);
    assert_true(iops > 100);
    assert_true(iops < 250);
    rig_free(&r);
}

static double flush_ms(struct rig *r, uint64_t stride)
{
    for (uint64_t i = 0; i < 64; i++)
        rig_one(r, COMMAND_WRITE, false, 1000 + i * stride, 8);
    return (double)rig_one(r, COMMAND_FLUSH, false, 0, 0) / 1e6;
}

/* Breaks if a flush ends with sectors still in the cache, or writes what follows each other one by
 * one. */
static void a_flush_waits_for_the_media_and_runs_of_writes_go_together(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    double scattered, run;

    r.preset.flush_ns = 1000000;
    rig_restart(&r, 0, 1);
    scattered = flush_ms(&r, 12000000);
    rig_expect("an idle flush, ms", (double)rig_one(&r, COMMAND_FLUSH, false, 0, 0) / 1e6, 1.3,
               0.1);
    run = flush_ms(&r, 8);
    print_message("wd4000yr: flush of 64 writes of 4 KiB: scattered %.0f ms, a run %.1f ms\n",
                  scattered, run);
    assert_true(scattered > 64 * 2.0);
    assert_true(run < 21 + 3 * TURN / 1e6);
    rig_free(&r);
}

/* Breaks if commands slip past a flush, in either direction. */
static void a_flush_is_a_barrier(void **state)
{
    (void)state;
    struct rig r = rig_with("wd4000yr", 32, 8 << 20);
    uint32_t place[11], flush;

    for (uint32_t i = 0; i < 5; i++)
        rig_send(&r, COMMAND_READ, false, 7000000 * (i + 1), 8);
    rig_send(&r, COMMAND_FLUSH, false, 0, 0);
    for (uint32_t i = 6; i < 11; i++)
        rig_send(&r, i % 2 ? COMMAND_WRITE : COMMAND_READ, false, 7000000 * (i + 1), 8);
    for (uint32_t i = 0; i < 11; i++)
        place[rig_end(&r)] = i;
    flush = place[5];
    assert_int_equal(flush, 5);
    rig_free(&r);
}

/* Breaks if fua is ignored: such a write may not end before the platter has come round to it. */
static void a_fua_write_goes_to_the_media(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    uint64_t sum = 0;

    for (uint64_t i = 0; i < 200; i++)
        sum += rig_one(&r, COMMAND_WRITE, true, dice_below(&r.dice, 700000000), 8);
    rig_expect("wd4000yr: random fua write, ms", (double)sum / 200e6, 15.4, 10);
    assert_true(rig_one(&r, COMMAND_FLUSH, false, 0, 0) < 400000); /* nothing left behind */
    rig_free(&r);
}

/* Breaks if a read of cached sectors waits for the arm, which is busy writing others. */
static void a_read_of_cached_sectors_needs_no_media(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");

    for (uint64_t i = 0; i < 40; i++)
        rig_one(&r, COMMAND_WRITE, false, 1000 + i * 9999999, 8);
    assert_true(rig_one(&r, COMMAND_READ, false, 1000 + 39 * 9999999, 8) < 400000);
    rig_free(&r);
}

/* ---- laws ---------------------------------------------------------------------------- */

static uint64_t fingerprint_of_a_mixed_run(struct rig *r)
{
    uint64_t print = 0;

    for (uint32_t i = 0; i < 3000; i++) {
        while (r->timing->accepts(r->arm, &r->preset)) {
            uint8_t kind = (uint8_t)(dice_below(&r->dice, 20) / 10);
            if (dice_below(&r->dice, 100) == 0)
                rig_send(r, COMMAND_FLUSH, false, 0, 0);
            else
                rig_send(r, kind, dice_below(&r->dice, 10) == 0, dice_below(&r->dice, 700000000),
                         64);
        }
        print = (print * 31 + rig_end(r)) * 31 + r->now;
        if (dice_below(&r->dice, 10) == 0)
            r->now += dice_below(&r->dice, r->timing->next(r->arm, &r->preset) - r->now + 1);
    }
    return print;
}

/* Breaks if anything but preset, owner and seed decides, or if two spindles share their luck. */
static void the_same_seed_gives_the_same_times(void **state)
{
    (void)state;
    struct rig r = rig_with("wd4000yr", 8, 1 << 20);
    uint64_t first = fingerprint_of_a_mixed_run(&r);

    rig_restart(&r, 0, 1);
    assert_true(fingerprint_of_a_mixed_run(&r) == first);
    rig_restart(&r, 0, 2);
    assert_true(fingerprint_of_a_mixed_run(&r) != first);
    rig_restart(&r, 1, 1);
    r.dice = dice_new(1, DICE_JOB_OFFSET, 0); /* the same load on another spindle */
    assert_true(fingerprint_of_a_mixed_run(&r) != first);
    rig_free(&r);
}

/* Breaks if next() or accepts() writes, or if an arm holds something that a copy of its bytes does
 * not carry. */
static void a_copy_of_the_bytes_goes_on_alike_and_asking_changes_nothing(void **state)
{
    (void)state;
    struct rig r = rig_with("wd4000yr", 8, 1 << 20), copy;
    size_t bytes = r.timing->arm_bytes(&r.preset);

    fingerprint_of_a_mixed_run(&r);
    copy = r;
    copy.arm = test_calloc(1, bytes);
    memcpy(copy.arm, r.arm, bytes);
    r.timing->next(r.arm, &r.preset);
    r.timing->accepts(r.arm, &r.preset);
    assert_memory_equal(copy.arm, r.arm, bytes);
    assert_true(fingerprint_of_a_mixed_run(&r) == fingerprint_of_a_mixed_run(&copy));
    assert_memory_equal(copy.arm, r.arm, bytes);
    rig_free(&copy);
    rig_free(&r);
}

/* Contracts: breaks if the model takes what its header forbids. */
static void what_the_contract_forbids_is_caught(void **state)
{
    (void)state;
    struct rig r = rig_new("wd4000yr");
    struct disk_command c = { .sector = r.preset.sectors - 4, .sectors = 8, .kind = COMMAND_READ };

    expect_assert_failure(r.timing->accept(r.arm, &r.preset, 0, &c));
    c.sector = 0;
    r.timing->accept(r.arm, &r.preset, 1000, &c);
    assert_false(r.timing->accepts(r.arm, &r.preset));
    expect_assert_failure(r.timing->accept(r.arm, &r.preset, 1000, &c));
    expect_assert_failure(r.timing->finish(r.arm, &r.preset, 2000));
    rig_free(&r);
}

/* Breaks if a preset that the model cannot work with is let through to it. */
static void an_unsound_preset_is_named(void **state)
{
    (void)state;
    struct disk_preset sound, p;

    rig_preset(&sound, "wd4000yr");
    p = sound, p.rpm = 0;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.sectors *= 2;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.queue_depth = DEVICE_QUEUE_MAX + 1;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.seek_point_count = 0, p.seek_avg_us = 1;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.segments = 1000;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.zone[3].first_cylinder = 0;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, memcpy(p.model, "floppy", 7);
    assert_non_null(disk_preset_trouble(&p));
    assert_null(disk_timing_find("floppy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_read_takes_a_seek_half_a_turn_and_the_overhead),
        cmocka_unit_test(random_reads_of_drives_with_a_seek_table_follow_it),
        cmocka_unit_test(a_random_write_through_settles_for_longer),
        cmocka_unit_test(seek_noise_does_not_move_the_mean),
        cmocka_unit_test(sequential_rates_are_the_stated_ones),
        cmocka_unit_test(random_reads_of_8_mib_take_an_access_and_the_zones_rate),
        cmocka_unit_test(what_was_read_ahead_costs_overhead_and_link),
        cmocka_unit_test(a_slow_sequential_reader_finds_every_block_in_the_buffer),
        cmocka_unit_test(a_follow_up_is_paced_by_the_media),
        cmocka_unit_test(only_a_sequential_reader_raises_the_fence),
        cmocka_unit_test(a_written_sector_leaves_the_read_buffer),
        cmocka_unit_test(a_deep_queue_doubles_random_reads_and_starves_nobody),
        cmocka_unit_test(the_exos_reads_170_times_a_second_at_depth_16),
        cmocka_unit_test(a_queue_of_neighbours_is_read_in_one_sweep),
        cmocka_unit_test(a_cached_write_costs_overhead_and_link),
        cmocka_unit_test(a_full_cache_writes_at_the_pace_of_the_arm),
        cmocka_unit_test(a_flush_waits_for_the_media_and_runs_of_writes_go_together),
        cmocka_unit_test(a_flush_is_a_barrier),
        cmocka_unit_test(a_fua_write_goes_to_the_media),
        cmocka_unit_test(a_read_of_cached_sectors_needs_no_media),
        cmocka_unit_test(the_same_seed_gives_the_same_times),
        cmocka_unit_test(a_copy_of_the_bytes_goes_on_alike_and_asking_changes_nothing),
        cmocka_unit_test(what_the_contract_forbids_is_caught),
        cmocka_unit_test(an_unsound_preset_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
