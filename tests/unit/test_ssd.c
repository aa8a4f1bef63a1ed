/* The flash device: latencies and rates of every preset against its data sheet, and what the buffer
 * promises. */
#include "tests/unit/disk_rig.h"

/* A data sheet: microseconds at depth 1 (0: not stated), thousands of IOPS at full depth, MB/s. */
struct sheet {
    const char *name;
    double read_us, write_us, read_kiops, write_kiops, read_mb_s, write_mb_s;
};

static const struct sheet sheets[] = {
    { "ssd-sata", 77.5, 0, 98, 30, 550, 520 },
    { "nvme-plp", 80, 22.5, 1000, 180, 6800, 4000 },
    { "iodrive2", 68, 15, 215, 230, 1500, 1100 },
    { "nvme-p4600", 85, 15, 610, 196, 3200, 1575 },
};

enum { SHEETS = sizeof sheets / sizeof sheets[0] };

static double measure(const char *name, uint8_t kind, bool sequential, uint32_t sectors, bool deep,
                      struct load_result *result)
{
    struct rig r = rig_new(name);
    struct load l = { .kind = kind,
                      .sequential = sequential,
                      .sectors = sectors,
                      .depth = deep ? r.preset.queue_depth : 1,
                      .count = deep ? 100000 : 2000 };

    *result = rig_load(&r, &l);
    rig_free(&r);
    return load_iops(&l, *result);
}

/* Breaks if a part of a command's way is lost or counted twice: controller, flash, link. */
static void one_command_at_a_time_has_the_latency_of_the_data_sheet(void **state)
{
    (void)state;
    struct load_result x;
    char what[80];

    for (int i = 0; i < SHEETS; i++) {
        measure(sheets[i].name, COMMAND_READ, false, 8, false, &x);
        snprintf(what, sizeof what, "%s: random 4 KiB read alone, us", sheets[i].name);
        rig_expect(what, (double)x.latency_sum_ns / 2000e3, sheets[i].read_us, 5);
        measure(sheets[i].name, COMMAND_WRITE, false, 8, false, &x);
        snprintf(what, sizeof what, "%s: random 4 KiB write alone, us", sheets[i].name);
        if (sheets[i].write_us > 0)
            rig_expect(what, (double)x.latency_sum_ns / 2000e3, sheets[i].write_us, 15);
    }
}

/* Breaks if channels do not work side by side, or one is busier than the others. */
static void a_full_queue_reaches_the_iops_of_the_data_sheet(void **state)
{
    (void)state;
    struct load_result x;
    char what[80];

    for (int i = 0; i < SHEETS; i++) {
        snprintf(what, sizeof what, "%s: random 4 KiB reads, 1000/s", sheets[i].name);
        rig_expect(what, measure(sheets[i].name, COMMAND_READ, false, 8, true, &x) / 1e3,
                   sheets[i].read_kiops, 5);
        snprintf(what, sizeof what, "%s: random 4 KiB writes, 1000/s", sheets[i].name);
        rig_expect(what, measure(sheets[i].name, COMMAND_WRITE, false, 8, true, &x) / 1e3,
                   sheets[i].write_kiops, 8);
    }
}

/* Breaks if the link does not limit, or limits twice. */
static void sequential_rates_are_those_of_the_data_sheet(void **state)
{
    (void)state;
    struct load_result x;
    char what[80];

    for (int i = 0; i < SHEETS; i++) {
        double read = measure(sheets[i].name, COMMAND_READ, true, 256, true, &x) * 131072 / 1e6;
        double write = measure(sheets[i].name, COMMAND_WRITE, true, 256, true, &x) * 131072 / 1e6;
        snprintf(what, sizeof what, "%s: sequential read, MB/s", sheets[i].name);
        rig_expect(what, read, sheets[i].read_mb_s, 3);
        snprintf(what, sizeof what, "%s: sequential write, MB/s", sheets[i].name);
        rig_expect(what, write, sheets[i].write_mb_s, 6);
    }
}

/* Breaks if addresses are dealt to channels so that a stride hits few of them: RAID makes such
 * strides. */
static void no_stride_falls_on_one_channel(void **state)
{
    (void)state;
    struct rig r = rig_new("nvme-plp");
    double flat = 0;

    for (uint64_t stride = 32; stride <= 65536; stride *= 2) {
        rig_restart(&r, 0, 1);
        for (uint32_t i = 0; i < 256; i++)
            rig_send(&r, COMMAND_READ, false, i * stride, 8);
        for (uint32_t i = 0; i < 256; i++)
            rig_end(&r);
        if (stride == 32)
            flat = (double)r.now;
        assert_true((double)r.now < 3.5 * flat); /* one channel would take 64 times as long */
    }
    rig_free(&r);
}

/* Small writes that follow each other fill pages; scattered ones rewrite them. Breaks if both cost
 * the same. */
static void small_writes_in_a_row_cost_less_flash_than_scattered_ones(void **state)
{
    (void)state;
    struct load_result x;
    double row = measure("nvme-plp", COMMAND_WRITE, true, 8, true, &x);
    double scattered = measure("nvme-plp", COMMAND_WRITE, false, 8, true, &x);

    assert_true(row > 4 * scattered);
}

static struct rig volatile_rig(void)
{
    struct rig r = rig_new("ssd-sata");

    r.preset.write_cache = 4 << 20;
    rig_restart(&r, 0, 1);
    return r;
}

/* Breaks if a flush does not wait for a volatile buffer, or waits for a protected one. */
static void a_flush_waits_for_a_volatile_buffer_only(void **state)
{
    (void)state;
    struct rig r = rig_new("ssd-sata");
    struct load l = { .kind = COMMAND_WRITE, .sectors = 8, .depth = 1, .count = 64 };
    double fixed = r.preset.overhead_ns + r.preset.flush_ns;

    rig_load(&r, &l);
    assert_true((double)rig_one(&r, COMMAND_FLUSH, false, 0, 0) == fixed);
    rig_free(&r);
    r = volatile_rig();
    rig_load(&r, &l);
    assert_true((double)rig_one(&r, COMMAND_FLUSH, false, 0, 0) > r.preset.page_program_ns / 2);
    assert_true((double)rig_one(&r, COMMAND_FLUSH, false, 0, 0) == fixed);
    rig_free(&r);
}

/* Breaks if fua is ignored on a volatile buffer, or slows a protected one down. */
static void fua_waits_for_flash_on_a_volatile_buffer_only(void **state)
{
    (void)state;
    struct rig r = rig_new("ssd-sata");
    uint64_t plain = rig_one(&r, COMMAND_WRITE, false, 0, 32);

    assert_true(rig_one(&r, COMMAND_WRITE, true, 3200, 32) == plain);
    rig_free(&r);
    r = volatile_rig();
    assert_true(rig_one(&r, COMMAND_WRITE, false, 0, 32) == plain);
    assert_true(rig_one(&r, COMMAND_WRITE, true, 3200, 32) > r.preset.page_program_ns);
    rig_free(&r);
}

/* Breaks if the buffer has no end: a burst beyond its size must run into the pace of the flash. */
static void a_burst_fills_the_buffer_and_then_waits_for_flash(void **state)
{
    (void)state;
    struct rig r = rig_new("nvme-plp");
    uint64_t first = rig_one(&r, COMMAND_WRITE, false, 0, 8), last = 0;
    struct load l = { .kind = COMMAND_WRITE, .sectors = 8, .depth = 256, .count = 20000 };

    rig_load(&r, &l);
    for (uint32_t i = 0; i < 256; i++)
        rig_send(&r, COMMAND_WRITE, false, dice_below(&r.dice, 1000000) * 8, 8);
    uint64_t start = r.now;
    for (uint32_t i = 0; i < 256; i++)
        rig_end(&r);
    last = r.now - start;
    assert_true(first < 30000);
    assert_true(last > 256 * first / 10);
    rig_free(&r);
}

/* Breaks if anything but preset and commands decides, or asking writes. */
static void the_same_commands_take_the_same_times_and_asking_changes_nothing(void **state)
{
    (void)state;
    struct rig r = volatile_rig();
    struct load l = { .kind = COMMAND_WRITE, .sectors = 24, .depth = 17, .count = 3000 };
    struct load_result first = rig_load(&r, &l), second;
    size_t bytes = r.timing->arm_bytes(&r.preset);
    void *copy = test_malloc(bytes);

    rig_send(&r, COMMAND_READ, false, 0, 8);
    memcpy(copy, r.arm, bytes);
    assert_true(r.timing->next(r.arm, &r.preset) != UINT64_MAX);
    assert_true(r.timing->accepts(r.arm, &r.preset));
    assert_memory_equal(copy, r.arm, bytes);
    test_free(copy);
    rig_restart(&r, 0, 1);
    second = rig_load(&r, &l);
    assert_memory_equal(&first, &second, sizeof first);
    rig_free(&r);
}

/* Breaks if a preset that the model cannot work with is let through to it. */
static void an_unsound_preset_is_named(void **state)
{
    (void)state;
    struct disk_preset sound, p;

    rig_preset(&sound, "ssd-sata");
    p = sound, p.channels = 0;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.channels = CHANNELS_MAX + 1;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.flash_page = 1000;
    assert_non_null(disk_preset_trouble(&p));
    p = sound, p.write_cache = 4096;
    assert_non_null(disk_preset_trouble(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_command_at_a_time_has_the_latency_of_the_data_sheet),
        cmocka_unit_test(a_full_queue_reaches_the_iops_of_the_data_sheet),
        cmocka_unit_test(sequential_rates_are_those_of_the_data_sheet),
        cmocka_unit_test(no_stride_falls_on_one_channel),
        cmocka_unit_test(small_writes_in_a_row_cost_less_flash_than_scattered_ones),
        cmocka_unit_test(a_flush_waits_for_a_volatile_buffer_only),
        cmocka_unit_test(fua_waits_for_flash_on_a_volatile_buffer_only),
        cmocka_unit_test(a_burst_fills_the_buffer_and_then_waits_for_flash),
        cmocka_unit_test(the_same_commands_take_the_same_times_and_asking_changes_nothing),
        cmocka_unit_test(an_unsound_preset_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
