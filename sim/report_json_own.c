/*
 * Everything fio has no word for, under the top-level key "raid5sim". Field names are those of
 * struct results; _ns are simulated nanoseconds of the measured window, _percent percent.
 */
#include "sim/report_json_parts.h"

#include <inttypes.h>
#include <string.h>

#include "sim/bottleneck.h"
#include "sim/expect.h"
#include "sim/figures.h"

static void put_scenario(struct builder *b, json_t *own, const struct scenario *s)
{
    json_t *o = put_object(b, own, "scenario");
    put_text(b, o, "path", s->path);
    put_text(b, o, "title", s->title);
    put_text(b, o, "host", s->host.preset);
    put_text(b, o, "driver", s->driver.preset);
    put_text(b, o, "disk", s->disk_count > 0 ? s->disk[0].name : "");
    put_uint(b, o, "raid_disks", s->array.raid_disks);
    put_uint(b, o, "chunk_size", s->array.chunk_size);
    put_uint(b, o, "component_size", s->array.component_size);
    put_uint(b, o, "stripe_cache_size", s->array.stripe_cache_size);
    json_t *warnings = put_array(b, o, "warnings");
    for (uint32_t i = 0; i < s->warning_count; i++)
        put_text(b, append_object(b, warnings), "key", s->warning[i]);
}

static void put_cpu(struct builder *b, json_t *own, const struct results *r)
{
    json_t *o = put_object(b, own, "cpu");
    put_real(b, o, "load_percent", figures_ratio(figures_cpu_load(r), 1000));
    json_t *cpus = put_array(b, o, "per_cpu");
    for (uint32_t i = 0; i < r->cpu_count; i++) {
        const struct results_cpu *cpu = &r->cpu[i];
        json_t *c = append_object(b, cpus);
        put_real(b, c, "busy_percent", figures_percent(cpu->busy_ns, r->window_ns));
        put_uint(b, c, "busy_ns", cpu->busy_ns);
        put_uint(b, c, "irq_ns", cpu->irq_ns);
        put_uint(b, c, "spin_ns", cpu->spin_ns);
        put_uint(b, c, "switch_ns", cpu->switch_ns);
    }
    json_t *threads = put_array(b, o, "threads");
    for (uint32_t i = 0; i < r->thread_count; i++) {
        const struct results_thread *thread = &r->thread[i];
        json_t *t = append_object(b, threads);
        put_text(b, t, "name", thread->name);
        put_real(b, t, "busy_percent", figures_percent(thread->busy_ns, r->window_ns));
        put_uint(b, t, "busy_ns", thread->busy_ns);
        put_uint(b, t, "spin_ns", thread->spin_ns);
        put_uint(b, t, "blocked_ns", thread->blocked_ns);
        put_uint(b, t, "switches", thread->switches);
        put_uint(b, t, "wakeups", thread->wakeups);
        put_uint(b, t, "wasted_wakeups", thread->wasted_wakeups);
    }
}

static void put_profile(struct builder *b, json_t *own, const struct results *r)
{
    uint64_t all = figures_profile_cycles(r);
    json_t *list = put_array(b, own, "profile");
    for (uint32_t i = 0; i < r->symbol_count; i++) {
        json_t *o = append_object(b, list);
        put_text(b, o, "symbol", r->symbol[i].name);
        put_uint(b, o, "cycles", r->symbol[i].cycles);
        put_real(b, o, "percent", figures_percent(r->symbol[i].cycles, all));
        put_real(b, o, "cycles_per_4k", figures_ratio(r->symbol[i].cycles, r->pages));
    }
}

static void put_work(struct builder *b, json_t *own, const struct results *r)
{
    json_t *list = put_array(b, own, "work");
    for (unsigned i = 0; i < WORK_COUNT; i++) {
        if (i >= WORK_SEGMENT && !r->work[i])
            continue;
        json_t *o = append_object(b, list);
        put_text(b, o, "kind", work_key(i));
        put_uint(b, o, "count", r->work[i]);
        put_real(b, o, "per_4k", figures_ratio(r->work[i], r->pages));
        put_uint(b, o, "cycles", r->work_cycles[i]);
    }
}

static void put_cache(struct builder *b, json_t *own, const struct results *r)
{
    const struct results_cache *c = &r->cache;
    json_t *o = put_object(b, own, "stripe_cache");
    put_uint(b, o, "size", c->size);
    put_uint(b, o, "active_max", c->active_max);
    put_uint(b, o, "memory_bytes", c->memory_bytes);
    if (c->sync_end) {
        put_uint(b, o, "sync_completed_sectors", c->sync_done);
        put_uint(b, o, "sync_end_sectors", c->sync_end);
        put_uint(b, o, "mismatch_cnt", c->mismatches);
    }
    put_uint(b, o, "lookups", c->lookups);
    put_uint(b, o, "hits", c->hits);
    put_uint(b, o, "misses", c->misses);
    put_real(b, o, "hit_percent", figures_percent(c->hits, c->lookups));
    put_uint(b, o, "chain_steps", c->chain_steps);
    put_real(b, o, "chain_steps_per_lookup", figures_ratio(c->chain_steps, c->lookups));
    put_uint(b, o, "waits", c->waits);
    put_uint(b, o, "wait_ns", c->wait_ns);
    put_uint(b, o, "blocked_ns", c->blocked_ns);
    put_real(b, o, "blocked_percent", figures_percent(c->blocked_ns, r->window_ns));
    put_uint(b, o, "wakeups", c->wakeups);
    put_uint(b, o, "wasted_wakeups", c->wasted_wakeups);
    put_uint(b, o, "handle_passes", c->handle_passes);
    put_real(b, o, "handle_passes_per_4k", figures_ratio(c->handle_passes, r->pages));
    put_uint(b, o, "attached_pages", c->attached_pages);
}

static void put_locks(struct builder *b, json_t *own, const struct results *r)
{
    json_t *list = put_array(b, own, "locks");
    for (uint32_t i = 0; i < r->lock_count; i++) {
        const struct results_lock *lock = &r->lock[i];
        json_t *o = append_object(b, list);
        put_text(b, o, "name", lock->name);
        put_uint(b, o, "acquisitions", lock->acquisitions);
        put_uint(b, o, "contended", lock->contended);
        put_real(b, o, "contended_percent", figures_percent(lock->contended, lock->acquisitions));
        put_uint(b, o, "wait_ns", lock->wait_ns);
        put_uint(b, o, "wait_max_ns", lock->wait_max_ns);
        put_uint(b, o, "hold_ns", lock->hold_ns);
        put_uint(b, o, "hold_max_ns", lock->hold_max_ns);
    }
}

static void put_device(struct builder *b, json_t *o, const struct results_member *m,
                       uint64_t window_ns)
{
    static const char *const prefix[2] = { "read", "write" };
    for (unsigned dir = 0; dir < 2; dir++) {
        json_t *d = put_object(b, o, prefix[dir]);
        put_uint(b, d, "ios", m->ios[dir]);
        put_uint(b, d, "sectors", m->sectors[dir]);
        put_uint(b, d, "merges", m->merges[dir]);
        put_uint(b, d, "ticks_ns", m->ticks_ns[dir]);
    }
    put_uint(b, o, "flushes", m->flushes);
    put_uint(b, o, "flush_ticks_ns", m->flush_ticks_ns);
    put_uint(b, o, "busy_ns", m->busy_ns);
    put_uint(b, o, "queue_ns", m->queue_ns);
    put_real(b, o, "util_percent", figures_percent(m->busy_ns, window_ns));
    put_real(b, o, "aqu_sz", figures_ratio(m->queue_ns, window_ns));
}

static void put_devices(struct builder *b, json_t *own, const struct results *r)
{
    json_t *list = put_array(b, own, "members");
    for (uint32_t i = 0; i < r->member_count; i++) {
        char name[DISK_NAME_BYTES];
        json_t *o = append_object(b, list);
        figures_disk_name(i, name);
        put_text(b, o, "name", name);
        put_device(b, o, &r->member[i], r->window_ns);
        json_member(b, o, r, i);
    }
    put_device(b, put_object(b, own, "array"), &r->array, r->window_ns);
}

static void put_bottleneck(struct builder *b, json_t *own, const struct results *r)
{
    struct bottleneck found;
    bottleneck_find(r, &found);
    put_text(b, own, "bottleneck", bottleneck_name(found.first.kind));
    put_text(b, own, "bottleneck_evidence", found.first.words);
    put_real(b, own, "bottleneck_percent", figures_ratio(found.first.share_milli, 1000));
    put_text(b, own, "runner_up", bottleneck_name(found.second.kind));
    put_text(b, own, "runner_up_evidence", found.second.words);
    put_real(b, own, "runner_up_percent", figures_ratio(found.second.share_milli, 1000));
}

/* A run without faults says nothing of them. */
static void put_faults(struct builder *b, json_t *own, const struct results *r)
{
    uint64_t missed = 0;
    json_t *list;

    if (!r->scenario->fault_count)
        return;
    list = put_array(b, own, "faults");
    for (uint32_t i = 0; i < r->scenario->fault_count; i++) {
        json_t *o = append_object(b, list);
        put_text(b, o, "name", r->scenario->fault[i].name);
        put_uint(b, o, "struck", r->fault[i].struck);
        put_uint(b, o, "missed", r->fault[i].missed);
        missed += r->fault[i].missed;
    }
    put_uint(b, own, "faults_missed", missed);
}

static void put_expect(struct builder *b, json_t *own, const struct results *r)
{
    json_t *list = put_array(b, own, "expect");
    for (uint32_t i = 0; i < r->scenario->expect_count; i++) {
        const struct expect *e = &r->scenario->expect[i];
        char wanted[EXPECT_TEXT_BYTES], got[EXPECT_TEXT_BYTES];
        json_t *o = append_object(b, list);
        put_text(b, o, "name", e->name);
        if (!expect_knows(e->name)) {
            put_text(b, o, "result", "unknown");
            continue;
        }
        struct outcome outcome = expect_evaluate(r, e);
        expect_print_wanted(e, outcome.unit, wanted);
        expect_print_got(&outcome, got);
        put_text(b, o, "wanted", wanted);
        put_text(b, o, "got", got);
        put_text(b, o, "result", outcome.met ? "ok" : "missed");
        put_uint(b, o, "known_gap", e->gap);
    }
}

void json_own(struct builder *b, json_t *own, const struct results *r)
{
    put_scenario(b, own, r->scenario);
    put_uint(b, own, "seed", r->scenario->seed);
    put_uint(b, own, "window_ns", r->window_ns);
    put_uint(b, own, "end_ns", r->end_ns);
    put_uint(b, own, "moves", r->moves);
    put_uint(b, own, "events", r->events);
    put_uint(b, own, "world_bytes", r->world_bytes);
    put_uint(b, own, "pages", r->pages);
    put_text(b, own, "verdict", figures_verdict(r));
    put_uint(b, own, "findings", r->findings);
    if (r->findings > 0)
        put_text(b, own, "finding", r->finding);
    put_bottleneck(b, own, r);
    put_cpu(b, own, r);
    put_profile(b, own, r);
    put_work(b, own, r);
    put_cache(b, own, r);
    put_locks(b, own, r);
    put_devices(b, own, r);
    put_faults(b, own, r);
    if (r->cache.size > 0) {
        json_ledger(b, put_object(b, own, "ledger"), r);
        json_md(b, put_object(b, own, "md"), r);
        json_timeline(b, own, r);
    }
    put_expect(b, own, r);
}
