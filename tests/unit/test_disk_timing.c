/* What every timing model owes its host, whatever the preset: the contract of disks/timing.h under
 * a wild load. */
#include "tests/unit/disk_rig.h"

enum { ROUNDS = 8000 };

struct wild {
    uint64_t sectors; /* the region: a small one makes commands overlap */
    uint64_t cursor;
    uint32_t live, ended;
    bool seen[ROUNDS * 6];
};

/* Reads, writes, fua writes and flushes, near and far, short and long, some running on from the one
 * before. */
static void send_wild(struct rig *r, struct wild *w)
{
    uint64_t dice = dice_below(&r->dice, 100), sector = w->cursor;
    uint32_t sectors = 1 + (uint32_t)dice_below(&r->dice, dice < 10 ? 4000 : 64);

    if (dice >= 40 || sector + sectors > w->sectors)
        sector = dice_below(&r->dice, w->sectors - sectors + 1);
    w->cursor = sector + sectors;
    w->live++;
    if (dice == 99)
        rig_send(r, COMMAND_FLUSH, false, 0, 0);
    else
        rig_send(r, dice % 3 ? COMMAND_READ : COMMAND_WRITE, dice % 11 == 0, sector, sectors);
}

static void end_one(struct rig *r, struct wild *w)
{
    uint32_t token = rig_end(r); /* asserts that time does not run backwards */

    assert_true(token < r->sent);
    assert_false(w->seen[token]);
    w->seen[token] = true;
    w->live--;
    w->ended++;
}

static void run_wild(struct rig *r, struct wild *w)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (uint64_t n = dice_below(&r->dice, 6); n && r->timing->accepts(r->arm, &r->preset); n--)
            send_wild(r, w);
        uint64_t next = r->timing->next(r->arm, &r->preset);
        assert_true((next == UINT64_MAX) == (w->live == 0));
        if (w->live == 0)
            r->now += dice_below(&r->dice, 60000000); /* idle */
        else if (dice_below(&r->dice, 4) == 0)
            r->now += dice_below(&r->dice, next - r->now + 1); /* more may come before it ends */
        else
            end_one(r, w);
    }
    while (w->live)
        end_one(r, w);
    assert_int_equal(w->ended, r->sent);
}

/* Breaks if a command is lost, ends twice, ends in the past, or a model asserts on a load it ought
 * to take. */
static void every_command_ends_once_and_none_in_the_past(void **state)
{
    (void)state;
    static const char *const names[] = { "wd4000yr", "exos-x16-16t", "barracuda-2g", "hp97560",
                                         "ssd-sata", "nvme-plp",     "iodrive2",     "null",
                                         "sas-6t",   "sata-4t",      "nvme-p4600" };
    struct wild *w = test_malloc(sizeof *w);

    for (uint32_t i = 0; i < 8 * 6; i++) {
        struct rig r = rig_new(names[i / 6]);
        r.preset.queue_depth = i % 3 == 0 ? 1 : i % 3 == 1 ? 4 : 32;
        r.preset.write_cache = i % 2 ? 2 << 20 : 0;
        r.preset.seek_noise_us = i % 6 > 3 ? 3000 : 0;
        r.preset.link_kb_s = i % 6 == 5 ? 5000 : r.preset.link_kb_s;
        assert_null(disk_preset_trouble(&r.preset));
        rig_restart(&r, i, i + 1);
        memset(w, 0, sizeof *w);
        w->sectors = i % 6 < 3 ? 40000 : r.preset.sectors;
        run_wild(&r, w);
        rig_free(&r);
    }
    test_free(w);
}

/* Breaks if a model is not found by the name presets give it. */
static void models_are_found_by_name(void **state)
{
    (void)state;

    assert_ptr_equal(disk_timing_find("hdd"), &hdd_timing);
    assert_ptr_equal(disk_timing_find("ssd"), &ssd_timing);
    assert_ptr_equal(disk_timing_find("null"), &null_timing);
    assert_null(disk_timing_find("floppy"));
    assert_null(disk_timing_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_ends_once_and_none_in_the_past),
        cmocka_unit_test(models_are_found_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
