/*
 * A rotating disk: one arm, a spindle that never stops, a read buffer, perhaps a write cache and a
 * command queue.
 *
 * What a command costs: `overhead` from its arrival on; then the arm, when it is free: seek or head
 * switch, rotation, transfer at the pace of the media with the link running alongside (disks/arm.h,
 * disks/platter.h, disks/seek.h). Reads the buffer can answer cost overhead and link alone
 * (disks/buffer.h); writes the volatile cache can take do too, and go to the media later
 * (disks/writeback.h).
 *
 * What the arm does next, when it is free: a read that follows its stream; else the oldest command,
 * if that is a flush or a write the full cache cannot take; else the command it can begin soonest,
 * where waiting counts in a command's favour (disks/arm.c); else, with no command waiting, the
 * cached extent it can begin soonest; else it reads on.
 *
 *  - H1: Lazy. Nothing runs between calls: accept() and finish() first bring the arm up to now
 *    (advance), deciding what it would have decided at each moment it was free, with the commands
 *    that were there by then.
 *  - H2: next() must always know. If commands wait, at least one is under way. So a drive with
 *    nothing under way decides at once, even if its arm is still busy with the cache or the fence.
 *  - H3: busy_ns <= fence_ns. Up to busy_ns the arm works for a command or the cache; up to
 *    fence_ns it finishes the least read-ahead of a sequential reader. Random reads raise no fence,
 *    or they would all pay for it.
 *  - H4: A flush is a barrier. Later commands wait for it, it waits for earlier ones and for every
 *    cached sector.
 *
 * Left out: contention for the link between a media transfer and a buffer hit; a write to the media
 * that the link cannot feed.
 */
#include "disks/timing.h"

#include "disks/arm.h"
#include "disks/ends.h"
#include "disks/preset.h"
#include "disks/writeback.h"
#include "model/assert.h"
#include "model/ids.h"

enum { DESTAGE_SECTORS = 2048 }; /* the arm asks again for commands after 1 MiB of cached writes */

struct hdd_slot {
    struct arm_target target; /* ready_ns: arrival + overhead */
    uint32_t sectors, token;
    uint8_t kind, cached; /* cached: a write that the volatile cache is to take */
    uint8_t pad[6];
};

struct hdd {
    struct arm arm;
    uint64_t now_ns;
    uint64_t link_ns;  /* the link is free for buffer and cache traffic from here on */
    uint32_t waiting;  /* slots in use, oldest first */
    uint32_t barriers; /* of these: flushes, and writes for which the cache had no room */
    struct hdd_slot slot[];
};

static struct ends *ends_of(const struct hdd *h, const struct disk_preset *p)
{
    return (struct ends *)((uintptr_t)h + sizeof *h + p->queue_depth * sizeof(struct hdd_slot));
}

static struct writeback *cache_of(const struct hdd *h, const struct disk_preset *p)
{
    return (struct writeback *)((uintptr_t)ends_of(h, p) + ends_bytes(p->queue_depth));
}

static size_t hdd_arm_bytes(const struct disk_preset *p)
{
    return sizeof(struct hdd) + p->queue_depth * sizeof(struct hdd_slot) +
           ends_bytes(p->queue_depth) + writeback_bytes(p->write_cache);
}

static void hdd_start(void *arm, const struct disk_preset *p, uint32_t owner, uint64_t seed)
{
    struct hdd *h = arm;

    arm_start(&h->arm, p, owner, seed);
    ends_start(ends_of(h, p), p->queue_depth);
    writeback_start(cache_of(h, p), p->write_cache);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t link_time(const struct disk_preset *p, uint64_t sectors)
{
    return p->link_kb_s ? sectors * (SECTOR_BYTES * UINT64_C(1000000)) / p->link_kb_s : 0;
}

/* ---- the write cache ----------------------------------------------------------------- */

static struct arm_target extent_target(const struct extent *e)
{
    return (struct arm_target){
        .sector = e->sector, .ready_ns = e->ready_ns, .place = e->place, .write = true
    };
}

/* Up to 1 MiB of the extent that the arm can begin soonest goes to the media, if the arm sets out
 * before `before_ns`. */
static bool destage(struct hdd *h, const struct disk_preset *p, uint64_t before_ns)
{
    struct writeback *w = cache_of(h, p);
    struct arm_search search = arm_search(&h->arm, true);

    for (uint32_t i = 0; i < w->count; i++) {
        const struct extent *e = &w->extent[i];
        struct arm_target t = extent_target(e);

        arm_offer(&h->arm, p, &search, i, &t);
    }
    ASSERT(search.best < w->count);

    const struct extent *e = &w->extent[search.best];
    struct arm_target t = extent_target(e);
    uint64_t start = later(h->arm.fence_ns, e->ready_ns), to;

    if (start >= before_ns)
        return false;
    to = writeback_give(w, &h->arm.platter, search.best, DESTAGE_SECTORS);
    arm_transfer(&h->arm, p, start, &t, to);
    writeback_gone(w, h->arm.busy_ns, to - t.sector);
    return true;
}

/* ---- commands ------------------------------------------------------------------------ */

/* Overhead and link only. */
static uint64_t serve_by_link(struct hdd *h, const struct disk_preset *p, uint64_t ready_ns,
                              uint32_t sectors)
{
    h->link_ns = later(ready_ns, h->link_ns) + link_time(p, sectors);
    return h->link_ns;
}

/* A read that goes on where the arm is reading: it takes what is there and gets the rest as it
 * comes. Returns its end, or 0 if the stream had stopped before all of it came by. */
static uint64_t serve_from_stream(struct hdd *h, const struct disk_preset *p,
                                  const struct hdd_slot *s)
{
    struct arm *a = &h->arm;
    struct buffer *b = &a->buffer;
    uint64_t to = s->target.sector + s->sectors, ready = s->target.ready_ns;
    uint64_t done = later(ready, a->busy_ns);

    buffer_touch(b, &a->platter, ready, b->streaming, to);
    if (to > b->limit)
        return 0;
    if (to > b->from) {
        uint64_t read_ns = buffer_time_of(b, &a->platter, to);
        if (read_ns > a->busy_ns) {
            a->busy_ns = read_ns;
            a->next_sector = to;
        }
        done = later(ready, read_ns);
    }
    arm_raise_fence(a, p, to);
    return later(done, serve_by_link(h, p, ready, s->sectors));
}

static uint64_t serve_read(struct hdd *h, const struct disk_preset *p, const struct hdd_slot *s)
{
    struct arm *a = &h->arm;
    struct arm_target t = s->target;
    uint64_t start = later(t.ready_ns, a->fence_ns), to = t.sector + s->sectors, end = 0;
    uint32_t held = NONE32;
    uint64_t from = buffer_holds(&a->buffer, &a->platter, start, t.sector, to, &held);

    if (held != NONE32 && held == a->buffer.streaming)
        end = serve_from_stream(h, p, s);
    if (end)
        return end;
    if (from == to)
        return serve_by_link(h, p, t.ready_ns, s->sectors);
    if (from != t.sector) {
        t.sector = from;
        t.place = platter_find(&a->platter, from);
    }

    uint64_t begin = arm_transfer(a, p, start, &t, to);

    buffer_read_on(&a->buffer, &a->platter, a->busy_ns, held, from, to);
    if (held != NONE32)
        arm_raise_fence(a, p, to);
    return later(later(a->busy_ns, begin + link_time(p, to - from)),
                 t.ready_ns + link_time(p, s->sectors));
}

static uint64_t serve_write(struct hdd *h, const struct disk_preset *p, const struct hdd_slot *s)
{
    uint64_t start = later(s->target.ready_ns, h->arm.fence_ns);

    arm_transfer(&h->arm, p, start, &s->target, s->target.sector + s->sectors);
    return later(h->arm.busy_ns, s->target.ready_ns + link_time(p, s->sectors));
}

static uint64_t serve_flush(struct hdd *h, const struct disk_preset *p, const struct hdd_slot *s)
{
    struct arm *a = &h->arm;

    while (cache_of(h, p)->count)
        destage(h, p, UINT64_MAX);
    a->busy_ns = later(later(a->busy_ns, h->link_ns), s->target.ready_ns) + p->flush_ns;
    a->fence_ns = later(a->fence_ns, a->busy_ns);
    return a->busy_ns;
}

/* A write for the cache: room is made if there is none. */
static uint64_t serve_cached(struct hdd *h, const struct disk_preset *p, const struct hdd_slot *s)
{
    struct writeback *w = cache_of(h, p);
    uint64_t sector = s->target.sector, ready = s->target.ready_ns;

    if (!writeback_has_room(w, h->now_ns, sector, s->sectors)) {
        while (!writeback_has_room(w, h->arm.busy_ns, sector, s->sectors))
            destage(h, p, UINT64_MAX);
        ready = later(ready, h->arm.busy_ns);
    }
    writeback_take(w, &h->arm.platter, ready, sector, s->sectors);
    return serve_by_link(h, p, ready, s->sectors);
}

/* ---- the choice ---------------------------------------------------------------------- */

static void slot_remove(struct hdd *h, uint32_t i)
{
    h->barriers -= h->slot[i].cached || h->slot[i].kind == COMMAND_FLUSH;
    h->waiting--;
    for (; i < h->waiting; i++)
        h->slot[i] = h->slot[i + 1];
    h->slot[h->waiting] = (struct hdd_slot){ 0 };
}

/* How many commands, oldest first, stand before the first flush. */
static uint32_t before_flush(const struct hdd *h)
{
    uint32_t n = 0;

    if (h->barriers == 0)
        return h->waiting;
    while (n < h->waiting && h->slot[n].kind != COMMAND_FLUSH)
        n++;
    return n;
}

/* The first read among n that goes on where the arm reads, or NONE32. */
static uint32_t find_follower(const struct hdd *h, uint32_t n)
{
    const struct buffer *b = &h->arm.buffer;
    uint32_t held = NONE32;

    if (!buffer_is_streaming(b))
        return NONE32;
    for (uint32_t i = 0; i < n; i++) {
        const struct hdd_slot *s = &h->slot[i];
        uint64_t at = later(s->target.ready_ns, h->arm.fence_ns), sector = s->target.sector;

        if (s->kind != COMMAND_READ || sector > b->limit || sector < b->segment[b->streaming].first)
            continue;
        buffer_holds(b, &h->arm.platter, at, sector, sector + s->sectors, &held);
        if (held == b->streaming)
            return i;
    }
    return NONE32;
}

/* Which of the n commands before the first flush the arm takes when it is free; the flush itself if
 * n is 0. */
static uint32_t pick_command(const struct hdd *h, const struct disk_preset *p, uint32_t n)
{
    if (n <= 1 || h->slot[0].cached)
        return 0;

    struct arm_search search = arm_search(&h->arm, false);

    for (uint32_t i = 0; i < n; i++)
        if (!h->slot[i].cached) /* those wait for room in the cache, not for the arm */
            arm_offer(&h->arm, p, &search, i, &h->slot[i].target);
    return search.best;
}

static uint64_t serve(struct hdd *h, const struct disk_preset *p, const struct hdd_slot *s)
{
    if (s->cached)
        return serve_cached(h, p, s);
    if (s->kind == COMMAND_READ)
        return serve_read(h, p, s);
    return s->kind == COMMAND_WRITE ? serve_write(h, p, s) : serve_flush(h, p, s);
}

/* Serves one waiting command if the arm is, or was, free for it by now, or if nothing is under way
 * (H2). */
static bool serve_next(struct hdd *h, const struct disk_preset *p)
{
    struct ends *ends = ends_of(h, p);
    uint32_t n = before_flush(h), i = NONE32;

    if (h->waiting == 0)
        return false;
    if (n > 1 || ends->count)
        i = find_follower(h, n);
    if ((i == NONE32 ? h->arm.fence_ns : h->arm.busy_ns) > h->now_ns && ends->count)
        return false;
    if (i == NONE32)
        i = pick_command(h, p, n);

    const struct hdd_slot slot = h->slot[i];

    slot_remove(h, i);
    /* What was decided late cannot have ended before now: the host has not heard of it. */
    ends_add(ends, later(serve(h, p, &slot), h->now_ns), slot.token);
    return true;
}

static bool destage_when_idle(struct hdd *h, const struct disk_preset *p)
{
    return h->waiting == 0 && cache_of(h, p)->count && h->arm.fence_ns < h->now_ns &&
           destage(h, p, h->now_ns);
}

/* H1 */
static void advance(struct hdd *h, const struct disk_preset *p, uint64_t now)
{
    ASSERT(now >= h->now_ns);
    h->now_ns = now;
    while (serve_next(h, p) || destage_when_idle(h, p))
        ASSERT(h->arm.busy_ns <= h->arm.fence_ns); /* H3 */
    if (h->waiting)
        ASSERT(ends_of(h, p)->count > 0); /* H2 */
}

/* ---- the interface ------------------------------------------------------------------- */

static bool hdd_accepts(const void *arm, const struct disk_preset *p)
{
    const struct hdd *h = arm;

    return h->waiting + ends_of(h, p)->count < p->queue_depth;
}

/* A command that needs no arm is served on arrival, unless it would overtake a barrier. True if it
 * was. */
static bool serve_on_arrival(struct hdd *h, const struct disk_preset *p, const struct hdd_slot *s)
{
    struct buffer *b = &h->arm.buffer;
    const struct platter *platter = &h->arm.platter;
    struct writeback *w = cache_of(h, p);
    uint64_t from = s->target.sector, to = from + s->sectors, now = h->now_ns, end;
    uint32_t held = NONE32;

    if (h->barriers)
        return false;
    if (s->cached && writeback_has_room(w, now, from, s->sectors)) {
        end = serve_cached(h, p, s);
    } else if (s->kind == COMMAND_READ && writeback_holds(w, from, s->sectors)) {
        end = serve_by_link(h, p, s->target.ready_ns, s->sectors);
    } else if (s->kind == COMMAND_READ && buffer_holds(b, platter, now, from, to, &held) == to &&
               (held != b->streaming || now >= h->arm.busy_ns)) {
        buffer_touch(b, platter, now, held, to);
        end = serve_by_link(h, p, s->target.ready_ns, s->sectors);
    } else {
        return false;
    }
    ends_add(ends_of(h, p), end, s->token);
    return true;
}

static void hdd_accept(void *arm, const struct disk_preset *p, uint64_t now,
                       const struct disk_command *c)
{
    struct hdd *h = arm;
    struct hdd_slot s = { .sectors = c->sectors, .token = c->token, .kind = c->kind };

    ASSERT(hdd_accepts(arm, p));
    ASSERT(c->kind <= COMMAND_FLUSH);
    advance(h, p, now);
    s.target.ready_ns = now + p->overhead_ns;
    if (c->kind != COMMAND_FLUSH) {
        ASSERT(c->sectors > 0);
        ASSERT(c->sector + c->sectors <= p->sectors);
        s.target.sector = c->sector;
        s.target.place = platter_find(&h->arm.platter, c->sector);
    }
    if (c->kind == COMMAND_WRITE) {
        s.target.write = true;
        s.cached = !c->fua && c->sectors <= p->write_cache / SECTOR_BYTES;
        buffer_drop(&h->arm.buffer, c->sector, c->sector + c->sectors);
    }
    if (serve_on_arrival(h, p, &s))
        return;
    h->barriers += s.cached || s.kind == COMMAND_FLUSH;
    h->slot[h->waiting++] = s;
    advance(h, p, now);
}

static uint64_t hdd_next(const void *arm, const struct disk_preset *p)
{
    return ends_next(ends_of(arm, p));
}

static uint32_t hdd_finish(void *arm, const struct disk_preset *p, uint64_t now)
{
    struct hdd *h = arm;

    ASSERT(now == hdd_next(arm, p));

    uint32_t token = ends_take(ends_of(h, p)).token;

    advance(h, p, now);
    return token;
}

const struct disk_timing hdd_timing = {
    .name = "hdd",
    .arm_bytes = hdd_arm_bytes,
    .start = hdd_start,
    .accepts = hdd_accepts,
    .accept = hdd_accept,
    .next = hdd_next,
    .finish = hdd_finish,
};
