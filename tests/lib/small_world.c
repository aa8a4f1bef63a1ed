/* Small worlds (tests/lib/small_world.h). */
#include "tests/lib/small_world.h"

#include "model/fill.h"
#include "model/log.h"

#include <stdlib.h>

enum { PATIENCE = 100000 };

static bool cached(const struct small_plan *p)
{
    return p->level >= LEVEL_RAID4;
}

struct small_plan small_defaults(struct small_plan p)
{
#define DEFAULT(field, value) p.field = p.field ? p.field : (value)
    DEFAULT(disks, 3);
    DEFAULT(tags_per_page, 2);
    DEFAULT(active_limit, 75);
    DEFAULT(clients, 1);
    DEFAULT(depth, 1);
    DEFAULT(chunk_pages, 1);
    DEFAULT(rows, 4);
    DEFAULT(stripes, 4);
    DEFAULT(buckets, 2);
    DEFAULT(max_pages, 3);
    DEFAULT(bio_sectors, 16);
#undef DEFAULT
    if (!cached(&p))
        p.stripes = 0;
    return p;
}

static uint64_t table_for(uint64_t entries)
{
    uint64_t n = 2;

    while (n < 2 * entries)
        n *= 2;
    return n;
}

void small_be_3_12(struct shape *s)
{
    s->no_batches = s->page_attach = s->bypass_degraded = s->plug_all = s->no_sync_reads = 1;
    s->bio_cut = CUT_ALL;
    s->lookup_locked = s->release_every = s->one_wait_queue = s->no_superblock_gate = 1;
    s->early_fetch = s->no_lost_delay = s->stale_counts = 1;
    s->no_degraded_retry = s->quiet_write_error = s->sync_handles = s->flushes_apart = 1;
    s->rmw_level = 1;
    s->wake_policy = WAKE_ALL;
    s->hash_classes = 1;
    s->defer = 0;
}

struct shape small_shape(const struct small_plan *p)
{
    struct shape s = { .stripes = p->stripes + p->reserve,
                       .reserve = p->reserve,
                       .hash_buckets = cached(p) ? p->buckets : 0,
                       .requests = (uint32_t)p->clients * p->depth,
                       .bios_per_request = p->max_pages + 1,
                       .pieces_per_request = p->max_pages,
                       .bio_max_sectors = p->bio_sectors,
                       .stripe_lines = 8,
                       .unplug_ns = 3000000,
                       .clients = p->clients,
                       .tags_per_page = p->tags_per_page,
                       .group_sectors = (uint8_t)(PAGE_SECTORS / p->tags_per_page),
                       .wake_policy = p->wake_policy,
                       .active_limit = p->active_limit,
                       .io_threshold = 1,
                       .hash_classes = 1,
                       .handle_batch = p->later ? 2 : HANDLE_BATCH_MAX,
                       .generation = p->later ? GENERATION_61 : GENERATION_2615,
                       .rmw_level = p->rmw_level,
                       .failed = p->failed ? 1ull << (p->failed - 1) : 0,
                       .recovery_cp = p->sync == SYNC_RESYNC ? 0 : UINT64_MAX,
                       .sync_action = p->sync,
                       .workers = p->workers,
                       .defer = p->defer,
                       .sync_max = UINT64_MAX,
                       .array_plug = cached(p) && !p->no_plug && !p->later,
                       .bypass = p->bypass,
                       .write_cache = p->write_cache,
                       .metadata = p->metadata,
                       .safe_mode_us = p->metadata ? 1000 : 0,
                       .bad_blocks_max = p->metadata == METADATA_12 ? 16 : 0,
                       .flaw_entries = p->faults ? 16 : 0,
                       .spares = p->spares,
                       .faults = p->faults,
                       .speed_limits = p->speed_limits,
                       .bitmap_chunk_sectors = (uint64_t)p->bitmap * PAGE_SECTORS,
                       .grace_us = 8000,
                       .skip_copy = p->skip_copy };
    uint64_t pages = (uint64_t)p->rows * p->chunk_pages;

    assert_true(geometry_set(&s.geometry, p->level, LAYOUT_LEFT_SYMMETRIC, p->disks,
                             pages * PAGE_SECTORS, p->chunk_pages * PAGE_SECTORS));
    s.meta_sector = p->metadata == METADATA_12 ? 8 : s.geometry.component_sectors + 64;
    s.bitmap_sector = s.meta_sector + 16;
    if (p->rules_312)
        small_be_3_12(&s);
    s.log = p->log;
    s.actors = actor_count(&s);
    s.log_sectors = p->log == LOG_JOURNAL ? 256 : 512;
    s.ios_per_disk = META_PLACES + log_ios(&s) + s.stripes +
                     (cached(p) && !p->bypass ? 0 : s.requests * s.bios_per_request);
    if (p->written) {
        s.media_entries = table_for(pages * (p->disks + p->spares) + fill_extents(&s));
        s.oracle_entries = table_for(pages * p->disks * p->tags_per_page);
    }
    return s;
}

struct small *small_new(struct small_plan plan)
{
    struct small *s = calloc(1, sizeof *s);
    struct shape shape;
    uint16_t *depth;

    assert_non_null(s);
    s->plan = small_defaults(plan);
    shape = small_shape(&s->plan);
    s->w = calloc(1, world_bytes_for(&shape));
    s->e.capacity = effects_needed(&shape);
    s->e.list = calloc(s->e.capacity, sizeof *s->e.list);
    depth = calloc(shape.clients, sizeof *depth);
    assert_true(s->w && s->e.list && depth);
    for (unsigned c = 0; c < shape.clients; c++)
        depth[c] = s->plan.depth;
    world_format(s->w, &shape);
    array_start(s->w, depth);
    s->sectors = geometry_sectors(&shape.geometry);
    free(depth);
    return s;
}

void small_free(struct small *s)
{
    free(s->w);
    free(s->e.list);
    free(s);
}

void small_fire(struct small *s, actor_id who, uint64_t way)
{
    struct move m = { .way = way, .who = who, .step = actor_see(s->w, who)->pc };

    if (!system_allows(&system_md, s->w, m))
        fail_msg("%s of actor %u is not allowed to go way %llu",
                 system_step(&system_md, s->w, who)->name, who, (unsigned long long)way);
    system_fire(&system_md, s->w, m, &s->e);
}

void small_go(struct small *s, actor_id who)
{
    const struct step *step = system_step(&system_md, s->w, who);

    if (!step->ways(s->w, who))
        fail_msg("%s of actor %u is blocked", step->name, who);
    small_fire(s, who, step->name_of ? step->name_of(s->w, who, 0) : 0);
}

void small_ask(struct small *s, actor_id client, uint64_t sector, uint32_t sectors, bool write)
{
    assert_int_equal(actor_see(s->w, client)->pc, CLIENT_TURN);
    assert_int_equal(client_see(s->w, client)->done_head, NONE16);
    small_fire(s, client, request_name(sector, sectors, write));
}

void small_run(struct small *s, actor_id who, unsigned pc)
{
    for (unsigned n = 0; actor_see(s->w, who)->pc != pc; n++) {
        assert_true(n < PATIENCE);
        small_go(s, who);
    }
}

void small_submit(struct small *s, actor_id client, uint64_t sector, uint32_t sectors, bool write)
{
    small_ask(s, client, sector, sectors, write);
    while (actor_see(s->w, client)->pc != CLIENT_TURN && small_enabled(s, client))
        small_go(s, client);
}

bool small_enabled(const struct small *s, actor_id who)
{
    const struct step *step = system_step(&system_md, s->w, who);

    if (actor_see(s->w, who)->kind == KIND_FATE)
        return false;
    if (step->chosen)
        return client_see(s->w, who)->done_head != NONE16;
    return step->ways(s->w, who) != 0;
}

static bool anybody(const struct small *s, actor_id *who)
{
    for (*who = 0; *who < s->w->shape.actors; (*who)++)
        if (small_enabled(s, *who))
            return true;
    return false;
}

unsigned small_settle(struct small *s)
{
    unsigned findings = 0;
    actor_id who;

    for (unsigned n = 0; anybody(s, &who); n++) {
        assert_true(n < PATIENCE);
        small_go(s, who);
        findings += small_count(s, EFFECT_FINDING);
    }
    return findings;
}

void small_serve(struct small *s)
{
    for (unsigned d = 0; d < s->plan.disks; d++)
        while (disk_see(s->w, d)->queued) {
            small_go(s, actor_disk(&s->w->shape, d));
            small_go(s, actor_completion(&s->w->shape, d));
        }
}

uint64_t small_units(const struct small *s, enum work kind)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < s->e.count; i++)
        if (s->e.list[i].kind == EFFECT_WORK && s->e.list[i].what == kind)
            units += s->e.list[i].amount;
    return units;
}

unsigned small_count(const struct small *s, enum effect_kind kind)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < s->e.count; i++)
        n += s->e.list[i].kind == kind;
    return n;
}

unsigned small_marks(const struct small *s, enum mark mark)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < s->e.count; i++)
        if (s->e.list[i].kind == EFFECT_MARK && s->e.list[i].what == mark)
            n += s->e.list[i].amount;
    return n;
}

bool small_woke(const struct small *s, actor_id who)
{
    for (uint32_t i = 0; i < s->e.count; i++)
        if (s->e.list[i].kind == EFFECT_WAKE && s->e.list[i].who == who)
            return true;
    return false;
}

unsigned small_listed(const struct small *s, enum stripe_list l)
{
    unsigned n = 0;

    for (stripe_id at = array_see(s->w, 0)->list[l].head; at != NONE16; n++)
        at = stripe_see(s->w, at)->lru_next;
    return n;
}

stripe_id small_nth(const struct small *s, enum stripe_list l, unsigned n)
{
    stripe_id at = array_see(s->w, 0)->list[l].head;

    while (n-- && at != NONE16)
        at = stripe_see(s->w, at)->lru_next;
    return at;
}

uint64_t small_sector(const struct small *s, unsigned disk, uint64_t page)
{
    return geometry_unmap(&s->w->shape.geometry, page * PAGE_SECTORS, disk);
}

stripe_id small_find(const struct small *s, uint64_t page)
{
    for (stripe_id i = 0; i < s->plan.stripes; i++) {
        const struct stripe *x = stripe_see(s->w, i);

        if ((x->state & STRIPE_HASHED) && x->sector == page * PAGE_SECTORS)
            return i;
    }
    return NONE16;
}
