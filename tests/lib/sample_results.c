/* The sample run (tests/lib/sample_results.h). */
#include "tests/lib/sample_results.h"

#include <stdio.h>
#include <stdlib.h>

static const uint64_t ms = 1000000, window = UINT64_C(10000000000);

static void fill_scenario(struct scenario *s)
{
    snprintf(s->path, sizeof s->path, "sample.cfg");
    snprintf(s->title, sizeof s->title, "Eight disks");
    snprintf(s->host.preset, sizeof s->host.preset, "two-cores");
    snprintf(s->driver.preset, sizeof s->driver.preset, "md-2.6.15");
    s->seed = 7;
    s->host.cpus = 2;
    s->host.mhz = 2400;
    s->array.level = LEVEL_RAID5;
    s->array.layout = LAYOUT_LEFT_SYMMETRIC;
    s->array.raid_disks = s->disk_count = 8;
    s->array.chunk_size = 1 << 20;
    s->array.stripe_cache_size = 8192;
    for (unsigned i = 0; i < 8; i++)
        snprintf(s->disk[i].name, sizeof s->disk[i].name, "sata-400");
    s->job_count = 1;
    struct job *job = &s->job[0];
    snprintf(job->name, sizeof job->name, "aio");
    job->rw = RW_RANDREAD;
    job->engine = ENGINE_POSIXAIO;
    job->iodepth = 14;
    job->numjobs = job->loops = job->direct = 1;
    job->split_count = 1;
    job->split[0] = (struct split){ 8 << 20, 100 };
    job->size = UINT64_C(60) << 30;
    job->runtime_ns = window;
}

/* 250 reads of 8 MiB: 209.7 MB/s, 25 IOPS. Latencies 301 .. 550 ms. */
static void fill_job(struct results_job *job)
{
    struct results_direction *d = &job->dir[0];
    job->runtime_ns = window;
    d->ios = 250;
    d->bytes = 250 * UINT64_C(8388608);
    for (uint64_t i = 1; i <= 250; i++) {
        histogram_add(&d->slat, 10 * ms);
        histogram_add(&d->clat, (290 + i) * ms);
        histogram_add(&d->lat, (300 + i) * ms);
    }
}

static void fill_machine(struct results *r)
{
    r->cpu_count = 2;
    r->cpu[0] = (struct results_cpu){ 6000 * ms, 1000 * ms, 100 * ms, 50 * ms };
    r->cpu[1] = (struct results_cpu){ 3000 * ms, 0, 100 * ms, 50 * ms };
    r->thread_count = 15;
    for (unsigned i = 0; i < 14; i++) {
        r->thread[i] = (struct results_thread){ "", 200 * ms, 0, 4000 * ms, 100, 50, 5 };
        snprintf(r->thread[i].name, sizeof r->thread[i].name, "aio/%u", i);
    }
    r->thread[14] = (struct results_thread){ "md0_raid5", 5000 * ms, 100 * ms, 0, 900, 900, 0 };
    r->lock_count = 1;
    r->lock[0] =
        (struct results_lock){ "device_lock", 1000000, 20000, 200 * ms, 20000, 600 * ms, 3000 };
    r->pages = 512000;
    r->symbol_count = 2;
    r->symbol[0] = (struct results_symbol){ "memcpy", UINT64_C(9216000000) };
    r->symbol[1] = (struct results_symbol){ "handle_stripe", UINT64_C(3072000000) };
    r->work[WORK_COPY_LINE] = 512000 * UINT64_C(64);
    r->work_cycles[WORK_COPY_LINE] = UINT64_C(9216000000);
    r->work[WORK_HANDLE] = 1024000;
    r->work_cycles[WORK_HANDLE] = UINT64_C(3072000000);
}

/* Each disk 71 % busy, 2000 requests of 128 KiB and 6000 merges, two in queue on the average. */
static void fill_disks(struct results *r)
{
    r->member_count = 8;
    for (unsigned i = 0; i < 8; i++) {
        struct results_member *m = &r->member[i];
        m->ios[0] = 2000;
        m->sectors[0] = 2000 * 256;
        m->merges[0] = 6000;
        m->ticks_ns[0] = 2000 * 10 * ms;
        m->busy_ns = 7100 * ms;
        m->queue_ns = 20000 * ms;
    }
    r->array.ios[0] = 250;
    r->array.sectors[0] = 250 * 16384;
    r->array.ticks_ns[0] = 250 * 430 * ms;
}

static void fill_cache(struct results_cache *c)
{
    c->lookups = 512000;
    c->hits = 448000;
    c->misses = 64000;
    c->chain_steps = 1024000;
    c->waits = 1000;
    c->wait_ns = 9000 * ms;
    c->wakeups = 4000;
    c->wasted_wakeups = 3000;
    c->blocked_ns = 4300 * ms;
    c->active_max = c->size = 8192;
    c->memory_bytes = 8192 * UINT64_C(34304);
    c->handle_passes = 1024000;
    c->attached_pages = 512000;
}

struct sample *sample_new(void)
{
    struct sample *sample = calloc(1, sizeof *sample);
    if (sample == NULL)
        abort();
    struct results *r = &sample->results;
    fill_scenario(&sample->scenario);
    r->scenario = &sample->scenario;
    r->window_ns = window;
    r->end_ns = window + 13 * ms;
    r->moves = 1234567;
    r->events = 2345678;
    r->job_count = 1;
    fill_job(&r->job[0]);
    fill_machine(r);
    fill_disks(r);
    fill_cache(&r->cache);
    return sample;
}

struct expect *sample_expect(struct sample *sample, const char *name, enum expect_kind kind,
                             int64_t value, int64_t tolerance)
{
    struct expect *e = &sample->scenario.expect[sample->scenario.expect_count++];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->kind = (uint8_t)kind;
    e->value_milli = value * 1000;
    e->tolerance_milli = tolerance * 1000;
    return e;
}
