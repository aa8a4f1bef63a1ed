/* The bitmap's counters and pages: see bitmap.h. */
#include "model/bitmap.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/mutations.h"

enum { BITMAP_HEAD_BYTES = 256 };

static uint64_t chunk_of(const struct world *w, uint64_t sector)
{
    return sector / w->shape.bitmap_chunk_sectors;
}

static uint64_t page_of(uint64_t chunk)
{
    return (chunk + BITMAP_HEAD_BITS) / BITMAP_PAGE_BITS;
}

/* ---- the daemon's timer */

/* There is something for the daemon to look at. */
static void wake_later(struct world *w, struct effects *e)
{
    actor_id daemon = actor_daemon(&w->shape);

    if (actor_see(w, daemon)->slot)
        return;
    actor_at(w, daemon)->slot = 1;
    effect(e, EFFECT_ARM, ARM_US, daemon, BITMAP_DAEMON_SLEEP_US);
}

static void set_pending(struct world *w, uint64_t chunk, struct effects *e)
{
    *bitgroup_at(w, chunk / BITMAP_GROUP) = 1;
    wake_later(w, e);
}

static uint32_t is_armed(const struct world *w, actor_id who)
{
    return actor_see(w, who)->slot;
}

static void tick_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    actor_at(w, who)->slot = 0;
    array_at(w, 0)->bitmap_tick = 1;
    cache_wake_raid5d(w, e);
}

static const struct step daemon_steps[] = {
    { "bitmap.tick", "schedule_timeout of the md thread", is_armed, NULL, NULL, tick_fire,
      .lock = LOCK_NONE, .sleeps = 1 },
};
const struct actor_kind daemon_kind = { "bitmap", VENUE_TIMER, daemon_steps, 1 };

/* ---- the first moment */

void bitmap_begin(struct world *w)
{
    const struct array *a = array_see(w, 0);
    bool any = false;

    for (uint64_t c = 0; c < w->count[SEC_BITMAP]; c++) {
        bool needed = (c + 1) * w->shape.bitmap_chunk_sectors > a->recovery_cp;

        if (!needed && !w->shape.bitmap_fresh)
            continue;
        *bitcount_at(w, c) = (uint16_t)(2 | (needed ? BITMAP_NEEDED : 0));
        *bitgroup_at(w, c / BITMAP_GROUP) = 1;
        any = true;
    }
    for (uint64_t c = 0; c < w->count[SEC_BITDISK]; c++)
        *bitdisk_at(w, c) = *bitcount_see(w, c) ? BIT_STORED : 0;
    if (any) /* the timer runs from the first moment on: whoever schedules arms it */
        actor_at(w, actor_daemon(&w->shape))->slot = 1;
}

void bitmap_load(struct world *w)
{
    bool any = false;

    for (uint64_t c = 0; c < w->count[SEC_BITMAP]; c++) {
        *bitdisk_at(w, c) &=
            BIT_STORED; /* what was under way does not matter: nothing hung on it */
        if (!*bitdisk_see(w, c))
            continue;
        *bitcount_at(w, c) = (uint16_t)(2 | BITMAP_NEEDED);
        *bitgroup_at(w, c / BITMAP_GROUP) = 1;
        any = true;
    }
    if (any)
        actor_at(w, actor_daemon(&w->shape))->slot = 1;
}

/* ---- writes */

void bitmap_start_write(struct world *w, stripe_id s, bool delayed, struct effects *e)
{
    struct stripe *x = stripe_at(w, s);
    uint64_t chunk = chunk_of(w, x->sector);
    uint16_t *count = bitcount_at(w, chunk);

    ASSERT((*count & BITMAP_COUNT) < BITMAP_COUNT);
    if (*count == 0) {
        *bitpage_at(w, page_of(chunk)) |= BITMAP_PAGE_DIRTY;
        mark(e, MARK_BIT_SET);
    }
    if (*count < 2)
        *count = 2;
    ++*count;
    if (!delayed)
        return;
    x->bm_seq =
        MUTATED(w, B02) ? array_see(w, 0)->seq_write : (uint16_t)(array_see(w, 0)->seq_flush + 1);
    x->state |= STRIPE_BIT_DELAY;
}

void bitmap_end_write(struct world *w, stripe_id s, bool good, struct effects *e)
{
    struct array *a = array_at(w, 0);
    uint64_t chunk = chunk_of(w, stripe_see(w, s)->sector);
    uint16_t *count = bitcount_at(w, chunk);

    if (good && !a->degraded && a->events_cleared < a->events) {
        a->events_cleared = a->events;
        a->bitmap_head_old = 1;
    }
    if (!good)
        *count |= BITMAP_NEEDED;
    ASSERT(*count & BITMAP_COUNT);
    --*count;
    if (*count <= 2)
        set_pending(w, chunk, e);
}

/* ---- pages */

static uint32_t page_sectors(const struct world *w, uint64_t page)
{
    uint64_t bytes = BITMAP_HEAD_BYTES + (bitmap_chunks(&w->shape) + 7) / 8;

    if (page + 1 < w->count[SEC_BITPAGES])
        return PAGE_SECTORS;
    bytes = (bytes - 1) % PAGE_BYTES + 1;
    return (uint32_t)((bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
}

/* What the chunks of a page will say on disk. */
static void note_sent(struct world *w, uint64_t page)
{
    for (uint64_t c = 0; c < w->count[SEC_BITDISK]; c++)
        if (page_of(c) == page)
            *bitdisk_at(w, c) = (uint8_t)((*bitdisk_see(w, c) & BIT_STORED) |
                                          (*bitcount_see(w, c) ? BIT_SET_SENT : BIT_CLEAR_SENT));
}

static void write_page(struct world *w, actor_id by, uint64_t page, struct effects *e)
{
    struct array *a = array_at(w, 0);

    mark(e, MARK_BITMAP_PAGE);
    note_sent(w, page);
    for (unsigned i = shape_devices(&w->shape); i-- > 0;) {
        struct io *r = io_at(w, io_of_meta(w, i, META_BITMAP));

        if (!member_alive(w, i))
            continue;
        *r = (struct io){ .sector = w->shape.bitmap_sector + page * PAGE_SECTORS,
                          .sectors = page_sectors(w, page),
                          .page = NONE32,
                          .issuer = by,
                          .kind = IO_WRITE,
                          .reason = REASON_BITMAP,
                          .flags = IO_META };
        a->meta_pending++;
        work(e, WORK_BIO, 1);
        work(e, WORK_MEMBER_BIO, 1);
        io_queue(w, io_of_meta(w, i, META_BITMAP), e);
    }
}

void bitmap_is_down(struct world *w)
{
    for (uint64_t c = 0; c < w->count[SEC_BITDISK]; c++)
        if (*bitdisk_see(w, c) & (BIT_SET_SENT | BIT_CLEAR_SENT))
            *bitdisk_at(w, c) = *bitdisk_see(w, c) & BIT_SET_SENT ? BIT_STORED : 0;
}

bool bitmap_write_page(struct world *w, actor_id by, unsigned attributes, bool stop_at_dirty,
                       struct effects *e)
{
    struct actor *a = actor_at(w, by);

    for (uint64_t p = a->page; p < w->count[SEC_BITPAGES]; p++) {
        uint8_t *page = bitpage_at(w, p);

        if (stop_at_dirty && (*page & BITMAP_PAGE_DIRTY))
            break;
        if (!(*page & attributes))
            continue;
        *page &= (uint8_t) ~(attributes | (stop_at_dirty ? 0 : BITMAP_PAGE_PENDING));
        a->page = (uint16_t)(p + 1);
        write_page(w, by, p, e);
        return true;
    }
    a->page = 0;
    return false;
}

void bitmap_write_head(struct world *w, actor_id by, struct effects *e)
{
    write_page(w, by, 0, e);
}

void bitmap_activate(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);
    stripe_id last = a->list[LIST_BITMAP].tail, s = last;

    a->seq_write = a->seq_flush;
    while (last != NONE16 && (s = a->list[LIST_BITMAP].head) != NONE16) {
        cache_unlink(w, s);
        stripe_at(w, s)->count++;
        cache_release(w, s, e);
        if (s == last)
            break;
    }
}

/* ---- the daemon */

bool bitmap_daemon_due(const struct world *w)
{
    return array_see(w, 0)->bitmap_tick;
}

/* A counter one step down: written lately, left alone once, clean. True: now it is. */
static bool step_down(struct world *w, uint64_t chunk, struct effects *e)
{
    uint16_t *count = bitcount_at(w, chunk);
    uint8_t *page = bitpage_at(w, page_of(chunk));

    if (*count == 1) {
        *count = 0;
        if (!(*page & BITMAP_PAGE_NEEDWRITE)) {
            *page |= BITMAP_PAGE_PENDING;
            wake_later(w, e);
        }
        return true;
    }
    if (*count == 2) {
        *count = 1;
        set_pending(w, chunk, e);
    }
    return false;
}

void bitmap_daemon(struct world *w, struct effects *e)
{
    struct array *a = array_at(w, 0);
    uint32_t cleared = 0;

    a->bitmap_tick = 0;
    if (a->recovery & RECOVERY_RUNNING)
        a->sync_tick = 1; /* the resync thread forgets what it has done that often, too */
    for (uint64_t p = 0; p < w->count[SEC_BITPAGES]; p++)
        if (*bitpage_see(w, p) & BITMAP_PAGE_PENDING)
            *bitpage_at(w, p) =
                (uint8_t)((*bitpage_see(w, p) & ~BITMAP_PAGE_PENDING) | BITMAP_PAGE_NEEDWRITE);
    if (a->bitmap_head_old) {
        a->bitmap_head_old = 0;
        *bitpage_at(w, 0) |= BITMAP_PAGE_NEEDWRITE;
    }
    for (uint64_t g = 0; g < w->count[SEC_BITGROUPS]; g++) {
        uint64_t end = (g + 1) * BITMAP_GROUP;

        if (!*bitgroup_see(w, g))
            continue;
        *bitgroup_at(w, g) = 0;
        for (uint64_t c = g * BITMAP_GROUP; c < end && c < w->count[SEC_BITMAP]; c++)
            cleared += step_down(w, c, e);
    }
    if (cleared)
        effect(e, EFFECT_MARK, MARK_BIT_CLEARED, 0, cleared);
}

/* ---- the resync thread */

bool bitmap_needs_sync(const struct world *w, uint64_t sector, uint64_t *skip)
{
    uint64_t chunk = chunk_of(w, sector);

    *skip = (chunk + 1) * w->shape.bitmap_chunk_sectors - sector;
    *skip -= *skip % PAGE_SECTORS;
    return *bitcount_see(w, chunk) & (BITMAP_NEEDED | BITMAP_RESYNC);
}

void bitmap_start_sync(struct world *w, uint64_t sector, bool complete)
{
    uint16_t *count = bitcount_at(w, chunk_of(w, sector));

    if (complete && (*count & BITMAP_NEEDED))
        *count = (uint16_t)((*count & ~BITMAP_NEEDED) | BITMAP_RESYNC);
}

void bitmap_end_sync(struct world *w, uint64_t sector, bool aborted, struct effects *e)
{
    uint64_t reached = chunk_of(w, sector);

    for (uint64_t c = 0; c < w->count[SEC_BITMAP] && c <= reached; c++) {
        uint16_t *count = bitcount_at(w, c);

        if (!(*count & BITMAP_RESYNC) || (c == reached && !aborted))
            continue;
        *count &= (uint16_t)~BITMAP_RESYNC;
        if (aborted && c == reached)
            *count |= BITMAP_NEEDED;
        else if (*count <= 2)
            set_pending(w, c, e);
    }
}
