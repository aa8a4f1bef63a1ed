/*
 * The JSON report's part about md: ledger, state of array and members, syncs, timeline. It says
 * what the text report shows as ledger, timeline, mdstat and mdadm --detail, in plain figures:
 * sectors of 512 bytes, KiB where md's files have KiB, simulated ns from the beginning of the run.
 */
#include <inttypes.h>
#include <stdio.h>

#include "model/io.h"
#include "sim/fault_plan.h"
#include "sim/figures.h"
#include "sim/io_log.h"
#include "sim/ledger.h"
#include "sim/md_view.h"
#include "sim/report_json_parts.h"

enum { SECTOR = 512 };

/* Only reasons for which there was an I/O. */
static void put_reasons(struct builder *b, json_t *parent,
                        const struct results_io io[RESULT_REASONS][RESULT_KINDS])
{
    static const char *const kinds[RESULT_KINDS] = { "reads", "writes", "flushes" };
    for (unsigned kind = 0; kind < RESULT_KINDS; kind++) {
        json_t *o = put_object(b, parent, kinds[kind]);
        for (unsigned reason = 0; reason < REASON_COUNT; reason++) {
            if (io[reason][kind].ios == 0)
                continue;
            json_t *one = put_object(b, o, io_reason_name(reason));
            put_uint(b, one, "ios", io[reason][kind].ios);
            put_uint(b, one, "sectors", io[reason][kind].sectors);
        }
    }
}

void json_member(struct builder *b, json_t *o, const struct results *r, unsigned index)
{
    const struct results_device *device = &r->md.device[index];
    const struct results_member *m = &r->member[index];
    char state[MD_STATE_BYTES];
    if (r->cache.size == 0)
        return;
    if (r->history.device[index].slot != NO_SLOT)
        put_uint(b, o, "slot", r->history.device[index].slot);
    put_text(b, o, "state", md_device_state(device, state));
    put_uint(b, o, "errors", device->corrected);
    put_uint(b, o, "bad_blocks", device->bad_blocks);
    json_t *bad = put_array(b, o, "first_bad_blocks");
    for (uint32_t i = 0; i < device->bad_blocks && i < RESULT_BAD_MAX; i++) {
        json_t *one = append_object(b, bad);
        put_uint(b, one, "sector", device->bad[i]);
        put_uint(b, one, "sectors", PAGE_SECTORS);
    }
    put_uint(b, o, "superblock_writes", m->by_reason[REASON_SUPERBLOCK][IO_WRITE].ios);
    put_reasons(b, put_object(b, o, "by_reason"), m->by_reason);
}

static void put_stripes(struct builder *b, json_t *ledger, const struct results_writes *w)
{
    json_t *o = put_object(b, ledger, "stripes_written");
    put_uint(b, o, "full", w->full);
    put_uint(b, o, "rmw", w->rmw);
    put_uint(b, o, "rcw", w->rcw);
    put_uint(b, o, "partial_page", w->partial);
    json_t *list = put_array(b, ledger, "batches");
    for (unsigned i = 0; i < BATCH_BUCKETS; i++) {
        if (w->batches[i] == 0)
            continue;
        json_t *one = append_object(b, list);
        put_uint(b, one, "stripes_min", 1u << i);
        put_uint(b, one, "stripes_max", (2u << i) - 1);
        put_uint(b, one, "count", w->batches[i]);
    }
}

void json_ledger(struct builder *b, json_t *o, const struct results *r)
{
    static const char *const users[2] = { "user_reads", "user_writes" };
    struct ledger l = ledger_of(r);
    for (unsigned dir = 0; dir < 2; dir++) {
        json_t *one = put_object(b, o, users[dir]);
        put_uint(b, one, "ios", l.user_ios[dir]);
        put_uint(b, one, "bytes", l.user_bytes[dir]);
    }
    put_stripes(b, o, &r->writes);
    put_reasons(b, put_object(b, o, "members"), l.by_reason);
    put_real(b, o, "read_amplification",
             figures_ratio(l.load_bytes[0], l.user_bytes[0] + l.user_bytes[1]));
    put_real(b, o, "write_amplification",
             figures_ratio(l.load_bytes[1], l.user_bytes[0] + l.user_bytes[1]));
    put_real(b, o, "prereads_per_write", figures_ratio(l.prereads, l.user_ios[1]));
}

static void put_devices(struct builder *b, json_t *md, const struct results *r)
{
    json_t *list = put_array(b, md, "devices");
    for (uint32_t i = 0; i < r->history.device_count; i++) {
        const struct history_device *d = &r->history.device[i];
        char name[DISK_NAME_BYTES], state[MD_STATE_BYTES];
        if (d->state == DEVICE_GONE)
            continue;
        json_t *o = append_object(b, list);
        figures_disk_name(i, name);
        put_text(b, o, "name", name);
        put_uint(b, o, "number", i);
        if (d->state == DEVICE_SEATED && d->slot != NO_SLOT)
            put_uint(b, o, "slot", d->slot);
        put_text(b, o, "state",
                 d->state == DEVICE_FAULTY ? "faulty" : md_device_state(&r->md.device[i], state));
    }
}

static void put_syncs(struct builder *b, json_t *md, const struct history *h)
{
    json_t *list = put_array(b, md, "syncs");
    for (uint32_t i = 0; i < h->sync_count; i++) {
        const struct history_sync *s = &h->sync[i];
        json_t *o = append_object(b, list);
        put_text(b, o, "action", md_sync_action(s->action));
        put_uint(b, o, "start_ns", s->began_ns);
        put_uint(b, o, "from_sector", s->from);
        if (s->ended_ns == 0)
            continue;
        put_uint(b, o, "end_ns", s->ended_ns);
        put_uint(b, o, "to_sector", s->reached);
        put_text(b, o, "result", s->whole ? "done" : "interrupted");
        put_uint(b, o, "sync_speed_average",
                 figures_per_second((s->reached - s->from) / 2, s->ended_ns - s->began_ns));
    }
    put_uint(b, md, "syncs_left_out", h->syncs_left_out);
}

static void put_progress(struct builder *b, json_t *o, const struct results *r,
                         const struct history_progress *p)
{
    struct md_progress m = md_progress_of(r, p);
    put_uint(b, o, "ns", p->ns);
    put_text(b, o, "action", md_sync_word(p->action));
    put_real(b, o, "percent", figures_ratio(m.per_mille, 10));
    put_uint(b, o, "done_kib", m.done_kib);
    put_uint(b, o, "all_kib", m.all_kib);
    put_uint(b, o, "finish_s", m.left_s);
    put_uint(b, o, "speed_kib", m.speed_kib);
}

void json_md(struct builder *b, json_t *o, const struct results *r)
{
    const struct history *h = &r->history;
    struct md_counts n = md_counts(r);
    put_text(b, o, "array_state", md_array_state(r));
    put_uint(b, o, "degraded", r->md.degraded);
    put_text(b, o, "sync_action", md_sync_action(h->running ? r->md.now.action : SYNC_IDLE));
    put_uint(b, o, "array_sectors", r->md.array_sectors);
    put_uint(b, o, "component_sectors", r->md.component_sectors);
    put_text(b, o, "consistency_policy", r->md.bitmap_chunk_sectors > 0 ? "bitmap" : "resync");
    put_uint(b, o, "total_devices", n.total);
    put_uint(b, o, "active_devices", n.active);
    put_uint(b, o, "working_devices", n.working);
    put_uint(b, o, "failed_devices", n.failed);
    put_uint(b, o, "spare_devices", n.spare);
    put_devices(b, o, r);
    put_syncs(b, o, h);
    json_t *list = put_array(b, o, "progress");
    for (uint32_t i = 0; i < h->progress_count; i++)
        put_progress(b, append_object(b, list), r, &h->progress[i]);
    if (h->running)
        put_progress(b, append_object(b, list), r, &r->md.now);
    put_uint(b, o, "progress_left_out", h->progress_left_out);
}

static bool has_member(const struct results *r, const struct history_event *e)
{
    if (e->what == HISTORY_FAULT)
        return fault_has_member(&r->scenario->fault[e->detail]);
    return e->what < HISTORY_SYNC_BEGAN ||
           (e->what >= HISTORY_BAD_BLOCK && e->what <= HISTORY_WRITE_ERROR);
}

static void put_causes(struct builder *b, json_t *o, unsigned causes)
{
    json_t *list = put_array(b, o, "for");
    for (unsigned i = 0; i < HISTORY_KINDS; i++)
        if (causes >> i & 1)
            put_text(b, append_object(b, list), "what", md_event_name(i));
}

static void put_event(struct builder *b, json_t *o, const struct results *r,
                      const struct history_event *e)
{
    char disk[DISK_NAME_BYTES];
    put_uint(b, o, "ns", e->ns);
    put_text(b, o, "what", md_event_name(e->what));
    if (e->what == HISTORY_FAULT)
        put_text(b, o, "fault", r->scenario->fault[e->detail].name);
    if (has_member(r, e)) {
        figures_disk_name(e->device, disk);
        put_text(b, o, "device", disk);
        put_uint(b, o, "slot", e->slot);
    }
    if (e->sector != UINT64_MAX)
        put_uint(b, o, "sector", e->sector);
    if (e->what >= HISTORY_SYNC_BEGAN && e->what <= HISTORY_SYNC_STOPPED)
        put_text(b, o, "action", md_sync_action(e->detail));
    if (e->what == HISTORY_IO_ERROR)
        put_text(b, o, "direction", e->detail ? "write" : "read");
    if (e->what == HISTORY_FAILED || e->what == HISTORY_IN_SYNC)
        put_uint(b, o, "degraded", e->detail);
    if (e->what == HISTORY_SUPERBLOCKS || e->what == HISTORY_LISTS)
        put_causes(b, o, e->detail);
}

void json_timeline(struct builder *b, json_t *own, const struct results *r)
{
    const struct history *h = &r->history;
    json_t *list = put_array(b, own, "timeline");
    for (uint32_t i = 0; i < h->event_count; i++)
        put_event(b, append_object(b, list), r, &h->event[i]);
    json_t *left = put_object(b, own, "timeline_left_out");
    for (unsigned i = 0; i < HISTORY_KINDS; i++)
        if (h->left_out[i] > 0)
            put_uint(b, left, md_event_name(i), h->left_out[i]);
}
