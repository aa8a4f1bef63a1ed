/*
 * One device under a closed load: what the disk timing tests share.
 *
 * Presets come through the scenario reader, so that what is measured is what users get. A load
 * keeps `depth` commands in the device; a new one is sent in the very nanosecond in which one ends.
 * Random sectors are drawn from a stream of dice, so every figure a test sees is the same on every
 * machine.
 */
#ifndef TESTS_UNIT_DISK_RIG_H
#define TESTS_UNIT_DISK_RIG_H
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/t.h"

#include "disks/preset.h"
#include "disks/timing.h"
#include "sim/dice.h"
#include "sim/scenario.h"

struct rig {
    struct disk_preset preset;
    const struct disk_timing *timing;
    void *arm;
    struct dice dice;
    uint64_t now;
    uint64_t cursor; /* of sequential loads */
    uint32_t sent;
};

struct load {
    uint8_t kind;
    bool sequential;
    uint32_t sectors, depth, count;
    uint64_t from, to; /* region; to 0: the whole device */
    uint64_t think_ns; /* between the end of one and the next; depth 1 only */
};

struct load_result {
    uint64_t elapsed_ns, latency_sum_ns, latency_max_ns;
};

static inline void rig_preset(struct disk_preset *preset, const char *name)
{
    static const char text[] =
        "[host] preset = none\n[driver] preset = none\n"
        "[array] level = raw\nraid_disks = 1\n[disk]\npreset = %s\n[job a] rw = read\n";
    char path[] = P_tmpdir "/disk_rig_XXXXXX";
    struct scenario *s = test_calloc(1, sizeof *s);
    struct complaint complaint = { .line = 0 };
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_true(dprintf(fd, text, name) > 0);
    close(fd);
    if (!scenario_load(s, path, &(struct overrides){ NULL, 0 }, &complaint))
        print_error("%s:%d: %s\n", complaint.file, complaint.line, complaint.text);
    unlink(path);
    assert_string_equal(complaint.text, "");
    *preset = s->disk[0];
    test_free(s);
    assert_null(disk_preset_trouble(preset));
}

/* Power on with the preset as it stands in the rig. */
static inline void rig_start(struct rig *r, uint32_t owner, uint64_t seed)
{
    r->timing = disk_timing_find(r->preset.model);
    assert_non_null(r->timing);
    r->arm = test_calloc(1, r->timing->arm_bytes(&r->preset));
    r->timing->start(r->arm, &r->preset, owner, seed);
    r->dice = dice_new(seed, DICE_JOB_OFFSET, owner);
    r->now = 0;
    r->sent = 0;
}

static inline struct rig rig_new(const char *name)
{
    struct rig r = { .now = 0 };

    rig_preset(&r.preset, name);
    rig_start(&r, 0, 1);
    return r;
}

static inline void rig_free(struct rig *r)
{
    test_free(r->arm);
    r->arm = NULL;
}

/* The same figures, a fresh device. */
static inline void rig_restart(struct rig *r, uint32_t owner, uint64_t seed)
{
    rig_free(r);
    rig_start(r, owner, seed);
}

static inline void rig_send(struct rig *r, uint8_t kind, bool fua, uint64_t sector,
                            uint32_t sectors)
{
    struct disk_command c = {
        .sector = sector, .sectors = sectors, .kind = kind, .fua = fua, .token = r->sent++
    };

    assert_true(r->timing->accepts(r->arm, &r->preset));
    r->timing->accept(r->arm, &r->preset, r->now, &c);
}

/* Time moves on to the next end; returns the token of what ended. */
static inline uint32_t rig_end(struct rig *r)
{
    uint64_t next = r->timing->next(r->arm, &r->preset);

    assert_true(next != UINT64_MAX);
    assert_true(next >= r->now);
    r->now = next;
    return r->timing->finish(r->arm, &r->preset, r->now);
}

/* One command alone in the device; its time. */
static inline uint64_t rig_one(struct rig *r, uint8_t kind, bool fua, uint64_t sector,
                               uint32_t sectors)
{
    uint64_t start = r->now;

    rig_send(r, kind, fua, sector, sectors);
    rig_end(r);
    return r->now - start;
}

static inline uint64_t load_sector(struct rig *r, const struct load *l)
{
    uint64_t to = l->to ? l->to : r->preset.sectors;

    if (!l->sequential)
        return l->from +
               dice_below(&r->dice, (to - l->from - l->sectors) / l->sectors + 1) * l->sectors;
    if (r->cursor < l->from || r->cursor + l->sectors > to)
        r->cursor = l->from;
    r->cursor += l->sectors;
    return r->cursor - l->sectors;
}

static inline struct load_result rig_load(struct rig *r, const struct load *l)
{
    struct load_result result = { 0 };
    uint64_t began = r->now, *sent_ns = test_calloc(l->count, sizeof *sent_ns);
    uint32_t base = r->sent, sent = 0;

    for (uint32_t ended = 0; ended < l->count; ended++) {
        for (; sent < l->count && sent - ended < l->depth; sent++) {
            r->now += l->think_ns;
            sent_ns[sent] = r->now;
            rig_send(r, l->kind, false, load_sector(r, l), l->sectors);
        }
        uint32_t token = rig_end(r);
        uint64_t ns = r->now - sent_ns[token - base];
        result.latency_sum_ns += ns;
        if (ns > result.latency_max_ns)
            result.latency_max_ns = ns;
    }
    result.elapsed_ns = r->now - began;
    test_free(sent_ns);
    return result;
}

static inline double load_iops(const struct load *l, struct load_result x)
{
    return l->count * 1e9 / (double)x.elapsed_ns;
}

static inline double load_mb_s(const struct load *l, struct load_result x)
{
    return load_iops(l, x) * l->sectors * 512 / 1e6;
}

static inline double load_mean_ms(const struct load *l, struct load_result x)
{
    return (double)x.latency_sum_ns / l->count / 1e6;
}

/* Fails unless value is within percent of wanted; prints it in any case, for docs/DISKS.md. */
static inline void rig_expect(const char *what, double value, double wanted, double percent)
{
    print_message("%s: %.3f (wanted %.3f +-%.1f %%)\n", what, value, wanted, percent);
    assert_true(fabs(value - wanted) <= fabs(wanted) * percent / 100);
}

#endif
