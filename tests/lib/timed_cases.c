/* Cases of timed runs (tests/lib/timed_cases.h). */
#include "tests/lib/timed_cases.h"

#include <stdio.h>

static void write_too(struct scenario *s)
{
    s->job[0].rw = RW_RANDRW;
    s->job[0].iodepth = 1; /* overlapping writes at once are no oracle's business */
    s->job[0].numjobs = 1;
}

static void crowd(struct scenario *s)
{
    s->array.stripe_cache_size = 4;
    s->job[0].iodepth = 12;
    s->job[0].split[0].bytes = 32768;
    s->host.cpus = 3;
    s->host.lock_kind = LOCK_UNFAIR;
}

static void soak(struct scenario *s)
{
    s->host.soaker = 1;
    s->host.soak_ns = 50000;
    s->host.timeslice_ns = 100000;
    s->host.balance_ns = 200000;
    s->job[0].iodepth = 8;
    s->job[0].split[0].bytes = 65536;
}

static void rotate(struct scenario *s)
{
    for (unsigned d = 0; d < s->disk_count; d++) {
        struct disk_preset *p = &s->disk[d];

        snprintf(p->model, sizeof p->model, "ssd");
        p->channels = 3;
        p->flash_page = 4096;
        p->page_read_ns = 40000;
        p->page_program_ns = 200000;
        p->buffered_write_ns = 20000;
    }
    s->host.elevator = ELEVATOR_DEADLINE;
    s->host.read_expire_ns = 500000;
    s->host.write_expire_ns = 5000000;
}

/* Writes of md-2.6.15: parts of pages, many at once, beside a repair or with a member missing. */
static void rewrite(struct scenario *s, bool degraded)
{
    s->job[0].rw = RW_RANDRW;
    s->job[0].iodepth = 6;
    s->job[0].split[0].bytes = s->job[0].blockalign = degraded ? 4096 : 6144;
    s->array.failed = degraded ? 2 : 0;
    s->array.sync_action = degraded ? SYNC_IDLE : SYNC_REPAIR;
    s->array.sync_max = UINT64_MAX;
    s->array.sync_delay = 1000000;
}

static void employ(struct scenario *s)
{
    s->driver.generation = GENERATION_61;
    s->driver.wake_policy = WAKE_ALL;
    s->driver.array_plug = 0;
    s->driver.max_stripe_batch = 2;
    s->array.group_thread_cnt = 3;
    s->array.stripe_cache_size = 24;
    s->host.cpus = 4;
    s->job[0].rw = RW_RANDRW;
    s->job[0].iodepth = 12;
}

struct scenario *timed_case(unsigned n)
{
    static const enum level levels[TIMED_CASES] = {
        LEVEL_RAW,   LEVEL_RAID0, LEVEL_RAID5, LEVEL_RAID5, LEVEL_RAID5, LEVEL_RAID4, LEVEL_RAW,
        LEVEL_RAID0, LEVEL_RAID5, LEVEL_RAID5, LEVEL_RAID5, LEVEL_RAID5, LEVEL_RAID5
    };
    struct scenario *s = small_scenario(levels[n]);

    if (n == 3)
        crowd(s);
    if (n == 4)
        soak(s);
    if (n == 5) {
        s->host.cpus = 1;
        s->job[0].split[0].bytes = s->job[0].blockalign = 512;
    }
    if (n == 6 || n == 7)
        write_too(s);
    if (n == 8) {
        rotate(s);
        s->job[0].engine = ENGINE_LIBAIO;
        s->job[0].numjobs = 3;
        s->job[0].ramp_ns = 500000;
    }
    if (n == 9) {
        s->driver.aligned_read_bypass = 1;
        s->job[0].split[0].bytes = 6144;
        s->job[0].blockalign = 2048;
    }
    if (n == 10)
        employ(s);
    if (n >= 11)
        rewrite(s, n == 12);
    return s;
}
