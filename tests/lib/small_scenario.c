/* Small timed runs (tests/lib/small_scenario.h). */
#include "tests/lib/small_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t us = 1000, ms = 1000000;

static void set_host(struct host *h)
{
    h->cpus = 2;
    h->mhz = 1000;
    h->l2_size = 4096;
    h->line_bytes = 64;
    h->miss_cycles = 100;
    h->transfer_cycles = 50;
    h->lock_kind = LOCK_TICKET;
    h->lock_cycles = 20;
    h->handover_cycles = 200;
    h->wake_ns = 1000;
    h->timeslice_ns = 1000000;
    h->irq_cpu = 0;
    h->hz = 1000;
    h->elevator = ELEVATOR_NOOP;
    h->nr_requests = 128;
    h->max_sectors = 256;
    h->max_segments = 32;
    h->unplug_requests = 4;
    h->unplug_ns = 3 * ms;
    h->fifo_batch = 16;
    h->writes_starved = 2;
    for (unsigned k = 0; k < WORK_COUNT; k++)
        h->cycles_milli[k] = 100 * 1000;
    h->cycles_milli[WORK_COPY_LINE] = h->cycles_milli[WORK_XOR_LINE] = 1000;
}

static void set_driver(struct driver *d)
{
    d->nr_hash = 4;
    d->wake_policy = 0;
    d->three_quarter_rule = 75;
    d->array_plug = 1;
    d->array_plug_ns = 3 * ms;
    d->bio_max_sectors = 255;
    d->bio_max_pages = 32;
    d->stripe_head_bytes = 144;
    d->stripe_slot_bytes = 184;
    d->io_threshold = 1;
    d->hash_classes = 1;
    d->max_stripe_batch = 8;
    d->whole_bio_attach = d->sync_reads = d->quiesce_queue = d->superblock_gate = 1;
    d->degraded_fetch = d->lost_block_delay = d->degraded_retry = d->write_error_degrades = 1;
    d->resync_yields = d->shared_flushes = d->deferred_writes = 1;
    d->rmw_levels = d->skip_copies = d->logs = 1;
}

static void set_job(struct job *j)
{
    snprintf(j->name, sizeof j->name, "a");
    j->rw = RW_RANDREAD;
    j->engine = ENGINE_POSIXAIO;
    j->direct = j->norandommap = j->time_based = 1;
    j->iodepth = 4;
    j->numjobs = j->loops = 1;
    j->split_count = 1;
    j->split[0] = (struct split){ 4096, 100 };
    j->blockalign = 4096;
    j->rwmixread = 50;
    j->runtime_ns = 10 * ms;
}

struct scenario *small_scenario(enum level level)
{
    struct scenario *s = calloc(1, sizeof *s);

    assert_non_null(s);
    snprintf(s->path, sizeof s->path, "small");
    s->seed = 1;
    set_host(&s->host);
    set_driver(&s->driver);
    s->array.rmw_level = 1;
    s->array.recovery_cp = UINT64_MAX;
    s->array.level = level;
    s->array.layout = LAYOUT_LEFT_SYMMETRIC;
    s->array.raid_disks = s->disk_count = 3;
    s->array.chunk_size = 8192;
    s->array.component_size = 1 << 20;
    s->array.stripe_cache_size = 7;
    for (unsigned d = 0; d < DISKS_MAX; d++) {
        snprintf(s->disk[d].model, sizeof s->disk[d].model, "null");
        s->disk[d].sectors = 1 << 16;
        s->disk[d].queue_depth = 4;
        s->disk[d].overhead_ns = 1000;
        s->disk[d].latency_ns = (uint32_t)(20 * us);
    }
    s->job_count = 1;
    set_job(&s->job[0]);
    return s;
}

void timed_start(struct timed *t, struct scenario *s, uint64_t log)
{
    struct complaint why = { .line = 0 };

    memset(t, 0, sizeof *t);
    t->scenario = s;
    t->results = calloc(1, sizeof *t->results);
    assert_non_null(t->results);
    if (!simulation_new(&t->sim, s, &why))
        fail_msg("%s", why.text);
    if (!log)
        return;
    t->log = (struct move_log){ calloc(log, sizeof *t->log.move), 0, log };
    assert_non_null(t->log.move);
    clockwork_record(t->sim.clock, &t->log);
}

void timed_finish(struct timed *t)
{
    clockwork_run(t->sim.clock, UINT64_MAX - 1);
    clockwork_results(t->sim.clock, t->results);
}

void timed_free(struct timed *t)
{
    simulation_free(&t->sim);
    free(t->log.move);
    free(t->results);
    free(t->scenario);
}

struct results *timed_results(struct timed *t, struct scenario *s)
{
    timed_start(t, s, 0);
    timed_finish(t);
    return t->results;
}
