/*
 * Sizes of the world, from the scenario alone: what the jobs can have in flight, and what they can
 * ever write.
 */
#include "sim/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/points.h"
#include "model/array.h"
#include "model/fill.h"
#include "model/io.h"
#include "model/log.h"
#include "model/catalogue.h"
#include "model/ppl.h"
#include "model/stripe.h"

enum { CLIENTS_LIMIT = 32768, REQUESTS_LIMIT = 65535 };

static bool too_many(struct complaint *why, const struct scenario *s, const char *what, uint64_t n,
                     uint64_t limit)
{
    snprintf(why->file, sizeof why->file, "%s", s->path);
    why->line = s->job_count ? s->job[0].line : 0;
    snprintf(why->text, sizeof why->text, "%s: %llu, but a world holds at most %llu", what,
             (unsigned long long)n, (unsigned long long)limit);
    return false;
}

static uint32_t threads_of(const struct job *j)
{
    return j->engine == ENGINE_POSIXAIO ? j->iodepth : 1;
}

static uint32_t depth_of(const struct job *j)
{
    return j->engine == ENGINE_LIBAIO || j->engine == ENGINE_IO_URING ? j->iodepth : 1;
}

bool crew_new(struct crew *crew, const struct scenario *s, struct complaint *why)
{
    uint64_t threads = 0, requests = 0;
    uint32_t c = 0, instance = 0;

    for (uint32_t j = 0; j < s->job_count; j++) {
        threads += (uint64_t)s->job[j].numjobs * threads_of(&s->job[j]);
        requests += (uint64_t)s->job[j].numjobs * threads_of(&s->job[j]) * depth_of(&s->job[j]);
    }
    memset(crew, 0, sizeof *crew);
    if (threads > CLIENTS_LIMIT)
        return too_many(why, s, "submitting threads (numjobs, iodepth)", threads, CLIENTS_LIMIT);
    if (requests > REQUESTS_LIMIT)
        return too_many(why, s, "outstanding I/Os (numjobs x iodepth)", requests, REQUESTS_LIMIT);
    crew->clients = (uint32_t)threads;
    if (!point_fails(POINT_CREW_MEMORY))
        crew->instance_of = calloc(threads, sizeof *crew->instance_of);
    crew->depth = calloc(threads, sizeof *crew->depth);
    if (!crew->instance_of || !crew->depth) {
        crew_free(crew);
        return too_many(why, s, "no memory for submitting threads", threads, 0);
    }
    for (uint32_t j = 0; j < s->job_count; j++)
        for (uint32_t n = 0; n < s->job[j].numjobs; n++, instance++)
            for (uint32_t t = 0; t < threads_of(&s->job[j]); t++, c++) {
                crew->instance_of[c] = (uint16_t)instance;
                crew->depth[c] = (uint16_t)depth_of(&s->job[j]);
            }
    return true;
}

void crew_free(struct crew *crew)
{
    free(crew->instance_of);
    free(crew->depth);
    crew->instance_of = crew->depth = NULL;
}

static uint32_t largest_io(const struct scenario *s)
{
    uint32_t max = 0;

    for (uint32_t j = 0; j < s->job_count; j++)
        for (uint32_t i = 0; i < s->job[j].split_count; i++)
            if (s->job[j].split[i].bytes > max)
                max = s->job[j].split[i].bytes;
    return max / SECTOR_BYTES;
}

/* Sector groups as fine as the jobs' own granularity asks for. */
static unsigned tags_per_page(const struct scenario *s)
{
    uint32_t all = PAGE_BYTES;

    for (uint32_t j = 0; j < s->job_count; j++) {
        const struct job *job = &s->job[j];

        all |= job->blockalign | (uint32_t)job->offset;
        for (uint32_t i = 0; i < job->split_count; i++)
            all |= job->split[i].bytes;
    }
    all |= (uint32_t)(s->array.component_size & (PAGE_BYTES - 1));
    return (unsigned)(PAGE_BYTES / (all & -all));
}

static uint64_t written_pages(const struct scenario *s, uint64_t array_bytes)
{
    uint64_t pages = 0;

    for (uint32_t j = 0; j < s->job_count; j++) {
        const struct job *job = &s->job[j];

        if (job->rw != RW_READ && job->rw != RW_RANDREAD)
            pages += ((job->size ? job->size : array_bytes - job->offset) + PAGE_BYTES - 1) /
                         PAGE_BYTES +
                     1;
    }
    return pages;
}

static uint64_t table_for(uint64_t entries)
{
    uint64_t n = 2;

    if (!entries)
        return 0;
    while (n < 2 * entries)
        n *= 2;
    return n;
}

static void size_requests(struct shape *shape, const struct scenario *s)
{
    uint32_t sectors = largest_io(s), pages = sectors / PAGE_SECTORS + 2;
    uint32_t bio_sectors = s->array.level == LEVEL_RAW ? s->driver.bio_max_pages * PAGE_SECTORS
                                                       : s->driver.bio_max_sectors;
    uint32_t whole = bio_sectors / PAGE_SECTORS * PAGE_SECTORS;

    shape->bio_max_sectors = bio_sectors;
    if (s->checking.on) /* no page more than can be touched */
        pages = (sectors + (shape->tags_per_page == 1 ? 7 : 14)) / PAGE_SECTORS;
    shape->pieces_per_request = pages;
    shape->bios_per_request = sectors / whole + 3;
    if (shape->geometry.chunk_sectors &&
        (s->array.level == LEVEL_RAID0 || s->driver.generation == GENERATION_61))
        shape->bios_per_request += sectors / shape->geometry.chunk_sectors + 1;
    if (s->array.level == LEVEL_RAW)
        shape->bios_per_request += (uint32_t)(sectors / shape->geometry.component_sectors) + 1;
    if (s->checking.on && shape->bios_per_request > pages)
        shape->bios_per_request = pages; /* a bio is a page at least, or all there is of one */
}

/* What ids can number: 16 bits for the bios of one I/O, 32 for bios, pages and member I/O of all.
 */
static bool ids_suffice(const struct shape *shape, const struct scenario *s, struct complaint *why)
{
    uint64_t pages = (uint64_t)shape->requests * shape->pieces_per_request +
                     (uint64_t)shape->stripes * shape->geometry.disks;
    uint64_t ios = shape_devices(shape) *
                   (shape->stripes + (uint64_t)shape->requests * shape->bios_per_request);

    if (shape->bios_per_request > UINT16_MAX)
        return too_many(why, s, "bios of one I/O (bs, chunk_size, bio_max_sectors)",
                        shape->bios_per_request, UINT16_MAX);
    if (pages >= UINT32_MAX)
        return too_many(why, s, "pages in flight (bs, iodepth, numjobs)", pages, UINT32_MAX - 1);
    if (ios >= UINT32_MAX)
        return too_many(why, s, "member I/Os in flight (bs, iodepth, numjobs, raid_disks)", ios,
                        UINT32_MAX - 1);
    return true;
}

/* Only of devices with an arm; neither a missing member counts nor one that comes later. */
static bool all_rotate(const struct scenario *s)
{
    for (uint32_t d = 0; d < scenario_devices(s) - scenario_additions(s); d++)
        if (!(d < 64 && s->array.failed >> d & 1) && strcmp(s->disk[d].model, "hdd"))
            return false;
    return true;
}

/* Counted as md's recordings do it: 1.0 and 0.90 from the end of the device, 1.2 from its
 * beginning, in front of the data. */
static uint64_t superblock_sector(const struct scenario *s)
{
    uint64_t smallest = UINT64_MAX;

    for (uint32_t d = 0; d < s->disk_count; d++)
        if (s->disk[d].sectors < smallest)
            smallest = s->disk[d].sectors;
    switch ((enum metadata)s->array.metadata) {
    case METADATA_090:
        return smallest / 128 * 128 - 128;
    case METADATA_10:
        return (smallest - 16) / 8 * 8;
    default:
        return 8;
    }
}

/* Eight KiB in front of a superblock at the end of the device, 4 KiB behind one at its beginning:
 * where mdadm puts it. */
static uint64_t bitmap_sector(const struct scenario *s, const struct shape *shape)
{
    return s->array.metadata == METADATA_12 ? shape->meta_sector + 8 : shape->meta_sector - 16;
}

/* Behind a superblock at the beginning; in front of one at the end and of its list of bad blocks.
 */
static uint64_t ppl_sector(const struct scenario *s, const struct shape *shape)
{
    return s->array.metadata == METADATA_10 ? shape->meta_sector - 8 - PPL_SECTORS
                                            : shape->meta_sector + 8;
}

/* Two keys say so. */
static bool has_intent_bitmap(const struct scenario *s)
{
    return s->array.bitmap || s->array.consistency == CONSISTENCY_BITMAP;
}

/* What fate may do in a check. */
static uint32_t fates_of(const struct scenario *s)
{
    uint32_t n = 0;

    for (unsigned b = 0; s->checking.on && b < BUDGET_COUNT; b++)
        n += s->checking.budget[b];
    return n;
}

/* What md does beside stripes. */
static void size_md(struct shape *shape, const struct scenario *s)
{
    enum { BAD_BLOCKS_MAX = 512, FLAWS_MAX = 4096, TICKS_OF_GRACE = 2, FEW = 8 };
    uint32_t faults = s->fault_count + fates_of(s);
    bool small = s->checking.on;

    shape->metadata = (uint8_t)s->array.metadata;
    shape->safe_mode_us = (uint32_t)(s->array.safe_mode_ns / 1000);
    shape->grace_us = TICKS_OF_GRACE * 1000000 / (s->host.hz ? s->host.hz : 250);
    shape->faults = (uint16_t)faults;
    shape->spares = (uint16_t)s->array.spares;
    shape->additions = (uint16_t)scenario_additions(s);
    shape->speed_limits = !small; /* time alone would decide */
    if (shape->metadata == METADATA_10 || shape->metadata == METADATA_12)
        shape->bad_blocks_max = !faults ? 0 : small ? FEW : BAD_BLOCKS_MAX;
    shape->flaw_entries = !faults ? 0 : small ? FEW : FLAWS_MAX;
    shape->meta_sector = superblock_sector(s);
    if (s->array.consistency == CONSISTENCY_PPL) {
        shape->log = LOG_PPL;
        shape->log_sector = ppl_sector(s, shape);
        shape->log_sectors = PPL_SECTORS;
    }
    if (s->array.journal) {
        shape->log = LOG_JOURNAL;
        shape->log_sector = JOURNAL_OFFSET;
        shape->log_sectors =
            (s->disk[s->array.raid_disks].sectors - JOURNAL_OFFSET) / PAGE_SECTORS * PAGE_SECTORS;
    }
    shape->bitmap_chunk_sectors = has_intent_bitmap(s) ? s->array.bitmap_chunk / SECTOR_BYTES : 0;
    shape->bitmap_fresh = (uint8_t)s->array.bitmap_fresh;
    shape->bitmap_sector = bitmap_sector(s, shape);
}

/* Room for the cache to grow by itself: md knows no limit but memory. */
static uint32_t reserve_of(const struct scenario *s)
{
    enum { RESERVE_MIN = 1024, HEADS_MAX = 32768 };
    uint32_t size = s->array.stripe_cache_size;

    if (s->checking.on)
        return s->checking.growth;
    uint32_t reserve = size > RESERVE_MIN ? size : RESERVE_MIN;

    return size + reserve > HEADS_MAX ? HEADS_MAX - size : reserve;
}

/* The largest read that a member's queue takes in one request, its pages each for itself. */
static uint32_t queue_limit(const struct host *h)
{
    uint32_t by_pages =
        h->max_segments < UINT32_MAX / PAGE_SECTORS ? h->max_segments * PAGE_SECTORS : UINT32_MAX;

    return by_pages < h->max_sectors ? by_pages : h->max_sectors;
}

/* Where md-3.12 and md-6.1 differ. */
static uint8_t mutation_of(const struct scenario *s)
{
    for (unsigned n = 0; mutation_text(n); n++)
        if (!strcmp(mutation_text(n)->id, s->driver.mutation))
            return mutation_text(n)->mutation;
    return MUTATION_NONE;
}

static void set_rules(struct shape *shape, const struct scenario *s)
{
    const struct driver *d = &s->driver;

    shape->page_attach = !d->whole_bio_attach;
    shape->bio_cut = (uint8_t)d->bio_chunks;
    shape->bypass_degraded = (uint8_t)d->bypass_degraded;
    shape->bypass_most = d->bypass_queue_limits ? queue_limit(&s->host) : 0;
    shape->plug_all = (uint8_t)d->plug_every_io;
    shape->no_sync_reads = !d->sync_reads;
    shape->lookup_locked = (uint8_t)d->lookup_lock;
    shape->release_every = (uint8_t)d->release_list;
    shape->one_wait_queue = !d->quiesce_queue;
    shape->no_superblock_gate = !d->superblock_gate;
    shape->early_fetch = !d->degraded_fetch;
    shape->forced_rcw_degraded = (uint8_t)d->forced_rcw_degraded;
    shape->no_lost_delay = !d->lost_block_delay;
    shape->stale_counts = (uint8_t)d->failed_counts_stay;
    shape->no_degraded_retry = !d->degraded_retry;
    shape->quiet_write_error = !d->write_error_degrades;
    shape->sync_handles = (uint8_t)d->resync_handles;
    shape->flushes_apart = !d->shared_flushes;
}

static void size_cache(struct shape *shape, const struct scenario *s)
{
    const struct driver *d = &s->driver;
    uint32_t head = d->stripe_head_bytes + d->stripe_slot_bytes * s->array.raid_disks;
    uint32_t line = s->host.line_bytes ? s->host.line_bytes : 64;

    if (s->array.level < LEVEL_RAID4)
        return;
    shape->reserve = d->generation == GENERATION_61 && d->cache_grows ? reserve_of(s) : 0;
    shape->stripes =
        (s->checking.on ? s->checking.stripes : s->array.stripe_cache_size) + shape->reserve;
    shape->generation = (uint8_t)d->generation;
    shape->hash_classes = (uint8_t)d->hash_classes;
    while (s->checking.on && shape->hash_classes > s->checking.stripes / 2)
        shape->hash_classes /= 2; /* two heads a class at least */
    shape->no_batches = !d->stripe_batches;
    shape->handle_batch = (uint8_t)d->max_stripe_batch;
    shape->rmw_level = (uint8_t)s->array.rmw_level;
    shape->skip_copy = (uint8_t)s->array.skip_copy;
    shape->bypass_threshold = s->array.bypass_threshold;
    shape->recovery_cp = s->array.recovery_cp;
    shape->failed = s->array.failed;
    shape->sync_action = (uint8_t)s->array.sync_action;
    shape->sync_min = s->array.sync_min;
    shape->sync_max = s->array.sync_max;
    shape->workers = (uint16_t)s->array.group_thread_cnt;
    shape->defer = shape->workers && d->deferred_writes && all_rotate(s);
    if (d->generation == GENERATION_61) {
        size_md(shape, s);
        set_rules(shape, s);
    }
    shape->hash_buckets = s->checking.on && d->nr_hash > 2 ? 2 : d->nr_hash;
    shape->stripe_lines = (head + line - 1) / line;
    shape->unplug_ns = (uint32_t)d->array_plug_ns;
    shape->wake_policy = (uint8_t)d->wake_policy;
    shape->active_limit = (uint8_t)d->three_quarter_rule;
    shape->io_threshold = (uint8_t)d->io_threshold;
    shape->array_plug = (uint8_t)d->array_plug;
    shape->bypass = (uint8_t)d->aligned_read_bypass;
}

static uint64_t component_sectors(const struct scenario *s)
{
    uint64_t smallest = UINT64_MAX;

    if (s->array.component_size)
        return s->array.component_size / SECTOR_BYTES;
    for (uint32_t d = 0; d < s->disk_count; d++)
        if (s->disk[d].sectors < smallest)
            smallest = s->disk[d].sectors;
    return smallest / PAGE_SECTORS * PAGE_SECTORS;
}

/* Pages that faults may change, and those a rebuild out of turn may leave in the table. */
static uint64_t fault_pages(const struct shape *shape, const struct scenario *s)
{
    uint64_t pages = fill_extents(shape);

    for (uint32_t i = 0; i < s->fault_count; i++)
        if (s->fault[i].what == FAULT_ROT)
            pages += s->fault[i].size / PAGE_BYTES + 2;
        else if (s->fault[i].what >= FAULT_LOST_WRITE &&
                 s->fault[i].what <= FAULT_MISDIRECTED_WRITE)
            pages += shape->stripes; /* a misdirected write lands where nobody wrote */
    return pages;
}

/* A spare gets what was written to its slot, and the device that was there before keeps it. */
static uint64_t spare_pages(const struct shape *shape, uint64_t written)
{
    uint64_t all = shape->geometry.component_sectors / PAGE_SECTORS;

    return (shape->spares + shape->additions) * (written < all ? written : all);
}

static bool asks_for_flushes(const struct scenario *s)
{
    bool any = false;

    for (uint32_t j = 0; j < s->job_count; j++)
        any |= s->job[j].fsync || strstr(s->job[j].ioseq, "flush");
    return any;
}

bool shape_from(struct shape *shape, const struct scenario *s, const struct crew *crew,
                struct complaint *why)
{
    uint64_t pages;

    memset(shape, 0, sizeof *shape);
    if (!geometry_set(&shape->geometry, s->array.level, s->array.layout, s->array.raid_disks,
                      component_sectors(s), s->array.chunk_size / SECTOR_BYTES))
        return too_many(why, s, "this array has no shape; members", s->array.raid_disks, DISKS_MAX);
    shape->clients = (uint16_t)crew->clients;
    for (uint32_t c = 0; c < crew->clients; c++)
        shape->requests += crew->depth[c];
    for (uint32_t j = 0; j < s->job_count; j++)
        shape->fresh_buffers |= s->job[j].fresh_buffers;
    for (uint32_t d = 0; d < scenario_devices(s); d++)
        if (!s->array.journal || d != s->disk_count)
            shape->write_cache |= s->disk[d].write_cache != 0;
    shape->tags_per_page = (uint8_t)tags_per_page(s);
    shape->group_sectors = (uint8_t)(PAGE_SECTORS / shape->tags_per_page);
    shape->mutation = mutation_of(s);
    if (shape->mutation == MUTATION_B12)
        shape->geometry.chunk_bits = 1; /* 31 in md, for which no disks are large enough here */
    size_requests(shape, s);
    size_cache(shape, s);
    shape->actors = actor_count(shape);
    if (!ids_suffice(shape, s, why))
        return false;
    shape->ios_per_disk = shape->stripes + META_PLACES + log_ios(shape);
    if (s->array.level < LEVEL_RAID4 || shape->bypass || asks_for_flushes(s))
        shape->ios_per_disk += shape->requests * shape->bios_per_request;
    pages = written_pages(s, geometry_sectors(&shape->geometry) * SECTOR_BYTES);
    if (pages > 1u << 28)
        return too_many(why, s, "pages the jobs may write (give them a smaller size)", pages,
                        1u << 28);
    /* A page of data brings a page of parity along; one that rots, what a repair makes of it. */
    shape->media_entries = table_for((s->array.level >= LEVEL_RAID4 ? 2 * pages : pages) +
                                     2 * fault_pages(shape, s) + spare_pages(shape, pages));
    shape->oracle_entries = table_for(pages * shape->tags_per_page);
    if (s->checking.on) {
        pages = shape->geometry.component_sectors / PAGE_SECTORS * shape_devices(shape);
        shape->media_entries = table_for(pages);
        shape->power_cuts = s->checking.budget[BUDGET_CUT] != 0;
        shape->start_dirty_degraded = (uint8_t)s->checking.start_dirty_degraded;
        shape->stale_parity = (uint8_t)s->checking.stale_parity;
        shape->check_words = (shape->clients + BUDGET_COUNT + 3u) / 4 * 4;
    }
    return true;
}
