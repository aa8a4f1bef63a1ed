/*
 * Measuring: the window begins when the ramp ends; everything booked before is forgotten. I/Os
 * count when they end, with their whole latency.
 */
#include "sim/clockwork_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/array.h"
#include "model/io.h"
#include "model/bitmap.h"
#include "model/members.h"
#include "model/request.h"
#include "model/stripe.h"

void results_reset(struct clockwork *c)
{
    struct scalars *s = c->s;

    s->window_start = s->now;
    memset(s->marks, 0, sizeof s->marks);
    memset(s->batches, 0, sizeof s->batches);
    memset(s->work, 0, sizeof s->work);
    memset(s->work_milli, 0, sizeof s->work_milli);
    memset(s->lock, 0, sizeof s->lock);
    s->wait_ns = s->blocked_ns = s->pages = 0;
    s->array_busy_ns = 0;
    s->array_since = s->now;
    s->active_max = 0;
    memset(c->job, 0, c->scenario->job_count * sizeof *c->job);
    for (uint32_t i = 0; i < c->cpus; i++)
        c->cpu[i].tally = (struct results_cpu){ 0 };
    for (unsigned i = 0; i < c->world->shape.actors; i++)
        c->thread[i].tally = (struct results_thread){ .name = "" };
    for (unsigned d = 0; d < c->members; d++) {
        member_settle(c, d);
        c->member[d].tally = (struct results_member){ 0 };
        c->member[d].base = elevator_stats(c->elevator[d]);
    }
}

void results_in_flight(struct clockwork *c, int change)
{
    struct scalars *s = c->s;

    if (s->in_flight)
        s->array_busy_ns += s->now - s->array_since;
    s->array_since = s->now;
    s->in_flight += (uint64_t)change;
}

void results_request_done(struct clockwork *c, request_id id)
{
    const struct request *r = request_see(c->world, id);
    const struct timing_of_request *t = &c->timing_of[id];
    unsigned instance = c->instance_of[r->client];
    struct results_direction *d = &c->job[workload_job(c->load, instance)].dir[r->write];
    uint64_t submitted = t->submitted < t->done ? t->submitted : t->done;

    workload_done(c->load, instance, c->s->now, r->flags & REQUEST_FLUSH);
    c->s->last_done = c->s->now;
    if (r->flags & REQUEST_FLUSH) {
        histogram_add(&c->job[workload_job(c->load, instance)].sync, c->s->now - t->begun);
        return;
    }
    d->ios++;
    d->errors += r->failed;
    d->bytes += (uint64_t)r->sectors * SECTOR_BYTES;
    histogram_add(&d->slat, submitted - t->begun);
    histogram_add(&d->clat, c->s->now - submitted);
    histogram_add(&d->lat, c->s->now - t->begun);
    c->s->pages += ((uint64_t)r->sectors + PAGE_SECTORS - 1) / PAGE_SECTORS;
}

/* ---- copying out */

/* A thread that not every array has. */
static void name_extra(const struct clockwork *c, struct results *r, actor_id who, const char *name)
{
    if (r->thread_count == RESULT_THREADS_MAX)
        return;
    r->thread[r->thread_count] = c->thread[who].tally;
    snprintf(r->thread[r->thread_count++].name, sizeof r->thread->name, "%s", name);
}

/* Has the resync thread had anything to do? */
static bool has_synced(const struct clockwork *c)
{
    return c->world->shape.sync_action != SYNC_IDLE ||
           (c->world->shape.stripes && array_see(c->world, 0)->sync_at);
}

static void name_threads(const struct clockwork *c, struct results *r)
{
    const struct shape *shape = &c->world->shape;
    char name[16];
    unsigned last = shape->stripes ? actor_timer(shape) + 1u : shape->clients;

    for (unsigned who = 0; who < last && r->thread_count < RESULT_THREADS_MAX; who++) {
        struct results_thread *t = &r->thread[r->thread_count++];

        *t = c->thread[who].tally;
        if (who < shape->clients)
            snprintf(t->name, sizeof t->name, "%.15s/%u",
                     c->scenario->job[workload_job(c->load, c->instance_of[who])].name, who);
        else
            snprintf(t->name, sizeof t->name, "%s",
                     who == actor_raid5d(shape) ? "md0_raid5" : "kblockd");
    }
    if (has_synced(c))
        name_extra(c, r, actor_resync(shape), "md0_resync");
    for (unsigned n = 0; n < shape->workers; n++) {
        snprintf(name, sizeof name, "kworker/%u", n);
        name_extra(c, r, actor_worker(shape, n), name);
    }
}

static int by_cycles(const void *a, const void *b)
{
    const struct results_symbol *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return strcmp(x->name, y->name);
}

static const char *const symbol_of[WORK_COUNT] = {
#define WORK(id, key, symbol, what) [WORK_##id] = symbol,
#include "model/work.def"
#undef WORK
};

static void sum_symbols(const struct clockwork *c, struct results *r)
{
    for (unsigned k = 0; k < WORK_COUNT; k++) {
        unsigned s = 0;

        r->work[k] = c->s->work[k];
        r->work_cycles[k] = c->s->work_milli[k] / 1000;
        while (s < r->symbol_count && strcmp(r->symbol[s].name, symbol_of[k]))
            s++;
        if (s == r->symbol_count)
            snprintf(r->symbol[r->symbol_count++].name, sizeof r->symbol[s].name, "%s",
                     symbol_of[k]);
        r->symbol[s].cycles += r->work_cycles[k];
    }
    qsort(r->symbol, r->symbol_count, sizeof r->symbol[0], by_cycles);
}

static void copy_members(const struct clockwork *c, struct results *r, uint64_t now)
{
    for (unsigned d = 0; d < c->members; d++) {
        const struct member *m = &c->member[d];
        struct results_member *to = &r->member[d];
        struct elevator_stats e = elevator_stats(c->elevator[d]);
        uint64_t dt = now - m->since, queue = m->waiting[0] + m->waiting[1];

        *to = m->tally;
        to->queue_ns += dt * queue;
        to->busy_ns += queue ? dt : 0;
        for (unsigned dir = 0; dir < 2; dir++) {
            to->ticks_ns[dir] += dt * m->waiting[dir];
            to->ios[dir] = e.requests[dir] - m->base.requests[dir];
            to->merges[dir] = e.merges[dir] - m->base.merges[dir];
        }
    }
}

static void copy_writes(const struct clockwork *c, struct results_writes *to)
{
    const uint64_t *marks = c->s->marks;

    to->full = marks[MARK_FULL_WRITE];
    to->rcw = marks[MARK_RCW];
    to->rmw = marks[MARK_RMW];
    to->partial = marks[MARK_PARTIAL_PAGE];
    memcpy(to->batches, c->s->batches, sizeof to->batches);
}

static void copy_device(const struct clockwork *c, unsigned d, struct results_device *to)
{
    const struct disk *disk = disk_see(c->world, d);
    uint64_t base = (uint64_t)d * c->world->shape.bad_blocks_max;

    to->flags = disk->flags;
    to->recovery_offset = disk->recovery_offset;
    to->corrected = disk->corrected;
    to->bad_blocks = disk->bad_blocks;
    for (uint32_t i = 0; i < disk->bad_blocks && i < RESULT_BAD_MAX; i++)
        to->bad[i] = (*bad_see(c->world, base + i) >> 1) * PAGE_SECTORS;
}

/* A page of counters is there as long as one of them counts anything. */
static void copy_bitmap(const struct world *w, struct results_md *to)
{
    to->bitmap_chunk_sectors = w->shape.bitmap_chunk_sectors;
    to->bitmap_pages = bitmap_groups(&w->shape);
    for (uint64_t g = 0; g < to->bitmap_pages; g++) {
        uint64_t end = (g + 1) * BITMAP_GROUP;
        bool used = false;

        if (end > bitmap_chunks(&w->shape))
            end = bitmap_chunks(&w->shape);
        for (uint64_t i = g * BITMAP_GROUP; i < end && !used; i++)
            used = *bitcount_see(w, i) != 0;
        to->bitmap_used += used;
    }
}

static void copy_md(const struct clockwork *c, struct results *r)
{
    const struct array *a = array_see(c->world, 0);

    r->history = *c->history;
    r->md.array_sectors = geometry_sectors(&c->world->shape.geometry);
    r->md.component_sectors = c->world->shape.geometry.component_sectors;
    r->md.metadata = c->world->shape.metadata;
    r->md.degraded = a->degraded;
    r->md.in_sync = a->in_sync;
    r->md.safemode = a->safemode;
    r->md.sb_flags = a->sb_flags;
    copy_bitmap(c->world, &r->md);
    if (c->history->running)
        r->md.now = history_progress_now(c);
    for (unsigned d = 0; d < c->members; d++)
        copy_device(c, d, &r->md.device[d]);
    for (unsigned i = 0; i < c->world->shape.geometry.disks; i++)
        r->md.seat[i] = (uint8_t)member_of(c->world, i);
}

/* Where a pass ends: at sync_max, or at the members' end. */
static uint64_t sync_end(const struct world *w)
{
    uint64_t size = w->shape.geometry.component_sectors, max = array_see(w, 0)->sync_max;

    return max < size ? max : size;
}

static void copy_cache(const struct clockwork *c, struct results *r)
{
    const struct shape *shape = &c->world->shape;
    const struct driver *d = &c->scenario->driver;
    struct results_cache *k = &r->cache;
    uint64_t head = d->stripe_head_bytes + (uint64_t)d->stripe_slot_bytes * shape->geometry.disks;

    if (!shape->stripes)
        return;
    k->lookups = c->s->work[WORK_LOOKUP];
    if (has_synced(c)) {
        k->sync_done = array_see(c->world, 0)->sync_completed;
        k->sync_end = sync_end(c->world);
        k->mismatches = array_see(c->world, 0)->mismatches;
    }
    if (c->s->pace.end_ns > c->s->pace.begin_ns)
        k->sync_speed = (uint64_t)((unsigned __int128)c->s->pace.done * 500000000 /
                                   (c->s->pace.end_ns - c->s->pace.begin_ns));
    k->hits = c->s->marks[MARK_HIT];
    k->misses = c->s->marks[MARK_MISS];
    k->waits = c->s->marks[MARK_BLOCKED];
    k->wasted_wakeups = c->s->marks[MARK_WASTED];
    k->wakeups = c->s->work[WORK_WAIT_CHECK];
    k->chain_steps = c->s->work[WORK_CHAIN] + c->s->work[WORK_FOUND];
    k->wait_ns = c->s->wait_ns;
    k->blocked_ns = c->s->blocked_ns;
    k->active_max = c->s->active_max;
    k->size = array_see(c->world, 0)->max_stripes;
    k->memory_bytes = k->size * (head + (uint64_t)PAGE_BYTES * shape->geometry.disks);
    k->handle_passes = c->s->work[WORK_HANDLE];
    k->attached_pages = c->s->work[WORK_ATTACH] - c->s->marks[MARK_OVERLAP];
}

/* A fault that has met nothing at all has missed once. */
static void copy_faults(const struct clockwork *c, struct results *r)
{
    for (unsigned i = 0; i < c->scenario->fault_count; i++) {
        const struct fault_state *f = &c->s->fault[i];

        r->fault[i] = (struct results_fault){ f->struck, f->missed };
        if (!f->struck && !f->missed)
            r->fault[i].missed = 1;
    }
}

/* The array as iostat shows an md device: ios are bios, nothing is merged or queued there. */
static void sum_array(const struct clockwork *c, struct results *r)
{
    for (unsigned j = 0; j < c->scenario->job_count; j++)
        for (unsigned dir = 0; dir < 2; dir++) {
            r->array.ios[dir] += r->job[j].dir[dir].ios;
            r->array.sectors[dir] += r->job[j].dir[dir].bytes / SECTOR_BYTES;
            r->array.ticks_ns[dir] += (uint64_t)r->job[j].dir[dir].lat.sum;
        }
    r->array.queue_ns = r->array.ticks_ns[0] + r->array.ticks_ns[1];
    r->array.busy_ns = c->s->array_busy_ns;
}

void clockwork_results(const struct clockwork *c, struct results *r)
{
    uint64_t end = c->s->last_done > c->s->window_start ? c->s->last_done : c->s->now;

    memset(r, 0, sizeof *r);
    r->scenario = c->scenario;
    r->end_ns = c->s->now;
    r->window_ns = end - c->s->window_start;
    r->moves = c->s->moves;
    r->events = c->s->events;
    r->findings = c->s->findings;
    memcpy(r->finding, c->s->finding, sizeof r->finding);
    r->pages = c->s->pages;
    memcpy(r->marks, c->s->marks, sizeof r->marks);
    r->world_bytes = c->world->bytes;
    r->cpu_count = c->cpus;
    r->job_count = c->scenario->job_count;
    r->member_count = c->members;
    for (unsigned j = 0; j < r->job_count; j++) {
        r->job[j] = c->job[j];
        r->job[j].runtime_ns = r->window_ns;
    }
    for (uint32_t i = 0; i < c->cpus; i++)
        r->cpu[i] = c->cpu[i].tally;
    if (c->world->shape.stripes) {
        r->lock_count = 2;
        memcpy(r->lock, c->s->lock, sizeof c->s->lock);
        snprintf(r->lock[0].name, sizeof r->lock[0].name, "device_lock");
        snprintf(r->lock[1].name, sizeof r->lock[1].name, "sh->lock");
    }
    name_threads(c, r);
    sum_symbols(c, r);
    copy_members(c, r, end > c->s->now ? end : c->s->now);
    copy_cache(c, r);
    copy_writes(c, &r->writes);
    copy_md(c, r);
    copy_faults(c, r);
    sum_array(c, r);
}
