/*
 * The submitting thread: takes up I/O, sends its bios through the array, waits for the answers.
 *
 * On raw disks and raid0 a bio becomes one member I/O at once. On raid5 make_request of md-2.6.15
 * walks the bio's pages (spec 4.1): lookup, attach, *handle_stripe in this very context*, release;
 * at the bio's end its bias is dropped. When all bios of an I/O are in, the thread unplugs the
 * queues (direct I/O does so before it waits).
 *
 *   TURN -> DIRECT ... -> UNPLUG -> TURN                        raw, raid0, bypass: once per bio
 *   TURN -> PAGE -> LOOKUP -> ATTACH -> PLUG -> HANDLE -> RELEASE -> PAGE ...  raid5: once per page
 *                   |  ^       +-> OVERLAP (sleeps) -> LOOKUP
 *                   v  |                              RELEASE -> BIAS after the last page of a bio
 *                  RETRY (sleeps for a stripe)
 *
 * Kernel: raid5.c make_request, add_stripe_bio; raid0.c; fs/direct-io.c (2.6.15).
 */
#include "model/array.h"
#include "model/cache.h"
#include "model/flush.h"
#include "model/geometry.h"
#include "model/io.h"
#include "model/members.h"
#include "model/mutations.h"
#include "model/oracle.h"
#include "model/request.h"
#include "model/queue.h"
#include "model/stripe.h"
#include "model/submit.h"
#include "model/superblock.h"
#include "model/waits.h"

static bio_id current_bio(const struct world *w, const struct actor *a)
{
    return request_bio(w, a->request, a->bio);
}

/* The first array sector of the page the actor is at. */
static uint64_t current_sector(const struct world *w, const struct actor *a)
{
    return (bio_see(w, current_bio(w, a))->sector / PAGE_SECTORS + a->page) * PAGE_SECTORS;
}

static uint32_t bio_pages(const struct bio *b)
{
    return (uint32_t)((b->sector + b->sectors + PAGE_SECTORS - 1) / PAGE_SECTORS -
                      b->sector / PAGE_SECTORS);
}

enum { DATA_OFFSET = PAGE_SECTORS }; /* B42: added once more than it should be */

/* Is the member there, and does it hold these sectors? */
static bool is_readable(const struct world *w, const struct place *place, uint32_t sectors)
{
    unsigned disk = member_of(w, place->disk);

    return member_alive(w, disk) &&
           (member_in_sync(w, disk) ||
            place->sector + sectors <= disk_see(w, disk)->recovery_offset) &&
           member_badness(w, disk, place->sector + (MUTATED(w, B42) ? DATA_OFFSET : 0), sectors) ==
               BAD_NOT;
}

/* A read that lies inside one chunk may go straight to its member, past the stripe cache (2.6.20
 * on; spec 4.4): where no bad block is known, and with md-6.1 in an array that is not degraded. */
static bool may_bypass(const struct world *w, const struct request *r, const struct bio *b)
{
    const struct shape *s = &w->shape;
    uint32_t chunk = s->geometry.chunk_sectors;
    struct place place;

    if (!s->bypass || r->write || (array_see(w, 0)->degraded && !s->bypass_degraded) ||
        b->sector / chunk != (b->sector + b->sectors - 1) / chunk ||
        (s->bypass_most && b->sectors > s->bypass_most))
        return false;
    place = geometry_map(&s->geometry, b->sector);
    return is_readable(w, &place, b->sectors);
}

/* The first submit step of the bio the actor is at. */
static uint8_t entry_step(const struct world *w, const struct actor *a)
{
    const struct bio *b = bio_see(w, current_bio(w, a));

    if (request_see(w, a->request)->flags & REQUEST_FLUSH)
        return CLIENT_FLUSH;
    if (w->shape.geometry.level < LEVEL_RAID4 || may_bypass(w, request_see(w, a->request), b))
        return CLIENT_DIRECT;
    return CLIENT_PAGE;
}

/* What direct I/O does for each bio: pin the caller's pages, build the bio, submit it. */
static void report_bio(const struct world *w, const struct bio *b, struct effects *e)
{
    uint32_t pages = bio_pages(b);

    work(e, WORK_USER_PAGE, pages);
    work(e, WORK_DIO_PAGE, pages);
    if (w->shape.fresh_buffers)
        work(e, WORK_FRESH_PAGE, pages);
    work(e, WORK_BIO, 1);
}

/* ---- TURN: reap a finished request, or take up the next */

static uint32_t turn_ways(const struct world *w, actor_id who)
{
    const struct client *c = client_see(w, who);

    return c->done_head != NONE16 || c->free != NONE16;
}

static bool turn_allows(const struct world *w, actor_id who, uint64_t way)
{
    const struct client *c = client_see(w, who);

    return c->done_head != NONE16 ? way == 0 : c->free != NONE16 && request_fits(w, way);
}

/* Kernel: blkdev_write_iter and, for more than one bio, __blkdev_direct_IO plug (6.1), as io_submit
 * does for several I/Os. */
static bool plugs(const struct world *w, const struct request *r)
{
    return r->flags & REQUEST_MORE ||
           (w->shape.generation == GENERATION_61 && (r->write || r->bios > 1 || w->shape.plug_all));
}

static void turn_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);

    if (client_see(w, who)->done_head != NONE16) {
        request_reap(w, who, e);
        return;
    }
    a->request = request_begin(w, who, way, e);
    a->bio = a->page = 0;
    if (plugs(w, request_see(w, a->request)))
        client_at(w, who)->plugging = 1;
    a->pc = entry_step(w, a);
}

/* ---- DIRECT: one bio, one member I/O */

static uint32_t always(const struct world *w, actor_id who)
{
    (void)w;
    (void)who;
    return 1;
}

static void next_bio(const struct world *w, struct actor *a)
{
    a->page = 0;
    if (++a->bio < request_see(w, a->request)->bios)
        a->pc = entry_step(w, a);
    else
        a->pc = CLIENT_UNPLUG;
}

static void direct_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    bio_id b = current_bio(w, a);
    const struct bio *bio = bio_see(w, b);
    struct place place = geometry_map(&w->shape.geometry, bio->sector);
    io_id io = io_of_bio(w, b, member_of(w, place.disk));
    struct io *r = io_at(w, io);

    (void)way;
    if (entry_step(w, a) != CLIENT_DIRECT) { /* a member has failed since */
        a->pc = CLIENT_PAGE;
        return;
    }
    r->sector = place.sector;
    r->sectors = bio->sectors;
    r->page = piece_page(w, request_piece(w, a->request, bio->sector / PAGE_SECTORS));
    r->issuer = who;
    r->kind = request_see(w, a->request)->write ? IO_WRITE : IO_READ;
    report_bio(w, bio, e);
    work(e, WORK_MEMBER_BIO, 1);
    if (w->shape.geometry.level >= LEVEL_RAID4 && w->shape.generation == GENERATION_61)
        work(e, WORK_MAP, 1);
    if (w->shape.lookup_locked)
        effect(e, EFFECT_LOCK, WORK_MAP, 0, 0); /* chunk_aligned_read looks whether it may */
    mark(e, MARK_BYPASSED);
    io_queue(w, io, e); /* bio.left = 1: the member I/O takes over the submitter's bias */
    next_bio(w, a);
}

/* ---- WRITE_START: md_write_start */

static uint32_t awake(const struct world *w, actor_id who)
{
    return !actor_see(w, who)->asleep;
}

/* Counts the bio as one that writes; false: the superblocks have to be written before it. */
static bool may_write(struct world *w, const struct actor *a, struct effects *e)
{
    bio_at(w, current_bio(w, a))->counted = BIO_IS_PENDING_WRITE;
    array_at(w, 0)->writes_pending++;
    return superblock_write_start(w, e);
}

static void wait_for_superblocks(struct world *w, actor_id who, struct effects *e)
{
    queue_unplug(w, who, e); /* whoever sleeps gives up what it has plugged */
    waits_sleep(w, who, WAIT_SUPERBLOCK);
    actor_at(w, who)->pc = CLIENT_WRITE_START;
}

static void write_start_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    if (array_see(w, 0)->sb_flags & SB_PENDING) {
        waits_sleep(w, who, WAIT_SUPERBLOCK);
        return;
    }
    waits_leave(w, who);
    submit_start(w, who, e);
}

/* ---- FLUSH: md_flush_request */

static void flush_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    bio_id b = current_bio(w, a);

    (void)way;
    if (!flush_begin(w, who, b, e))
        return; /* another one is under way */
    next_bio(w, a);
    bio_drop(w, b, e);
}

/* ---- PAGE: the private work before a page's lookup */

static void page_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);

    (void)way;
    if (MUTATED(w, B54) && array_see(w, 0)->in_sync && request_see(w, a->request)->write) {
        superblock_write_start(w, e); /* changed; that it is pending comes next */
        return;
    }
    if (a->page == 0)
        report_bio(w, bio_see(w, current_bio(w, a)), e);
    if (w->shape.generation == GENERATION_61) {
        if (!request_see(w, a->request)->write || may_write(w, a, e))
            submit_start(w, who, e);
        else
            wait_for_superblocks(w, who, e);
        return;
    }
    work(e, WORK_PAGE_LOOP, 1);
    work(e, WORK_MAP, 1);
    a->pc = CLIENT_LOOKUP;
}

/* ---- LOOKUP, RETRY: get_active_stripe */

/* Before every sleep the thread lets the members start what they have been given. */
static void unplug_and_sleep(struct world *w, actor_id who, struct effects *e)
{
    work(e, WORK_UNPLUG_DISK, w->shape.geometry.disks);
    effect(e, EFFECT_UNPLUG, 0, NONE16, 0);
    waits_sleep(w, who, WAIT_STRIPE);
}

static void look_up(struct world *w, actor_id who, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    struct place place = geometry_map(&w->shape.geometry, current_sector(w, a));

    a->slot = place.disk;
    if (cache_lookup(w, place.sector, place.parity, &a->stripe, e) == LOOKUP_BLOCKED) {
        unplug_and_sleep(w, who, e);
        a->pc = CLIENT_RETRY;
        return;
    }
    __builtin_prefetch(io_see(w, io_of_slot(w, a->stripe, a->slot)), 1);
    a->pc = CLIENT_ATTACH;
}

static void lookup_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    waits_leave(w, who); /* of the queue for overlaps, if one was met */
    look_up(w, who, e);
}

static void retry_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct place place = geometry_map(&w->shape.geometry, current_sector(w, actor_see(w, who)));

    (void)way;
    work(e, WORK_WAIT_CHECK, 1);
    if (cache_may_retry(w, place.sector)) {
        waits_leave(w, who);
        look_up(w, who, e);
        return;
    }
    mark(e, MARK_WASTED);
    unplug_and_sleep(w, who, e);
}

/* ---- ATTACH, OVERLAP: add_stripe_bio */

/* Links the piece into the list sorted by sector; false if it overlaps a pending neighbour
 * (spec 4.5). */
static bool link_sorted(struct world *w, piece_id *head, piece_id p)
{
    uint64_t from, to, other_from, other_to;
    piece_id before = NONE32, at = *head;

    piece_extent(w, p, &from, &to);
    for (; at != NONE32; before = at, at = piece_see(w, at)->next) {
        piece_extent(w, at, &other_from, &other_to);
        if (other_from >= to)
            break;
        if (other_to > from)
            return false;
    }
    piece_at(w, p)->next = at;
    if (before == NONE32)
        *head = p;
    else
        piece_at(w, before)->next = p;
    return true;
}

static void attach_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    struct slot *slot = slot_at(w, a->stripe, a->slot);
    bool write = request_see(w, a->request)->write;
    bio_id b = current_bio(w, a);
    piece_id p = request_piece(w, a->request, current_sector(w, a) / PAGE_SECTORS);

    (void)way;
    work(e, WORK_ATTACH, 1);
    effect(e, EFFECT_TOUCH, WORK_ATTACH, a->stripe, 2);
    if (!link_sorted(w, write ? &slot->towrite : &slot->toread, p)) {
        slot->flags |= SLOT_OVERLAP;
        mark(e, MARK_OVERLAP);
        a->pc = CLIENT_OVERLAP;
        return;
    }
    bio_at(w, b)->left++;
    if (write && pieces_cover_page(w, slot->towrite))
        slot->flags |= SLOT_OVERWRITE;
    a->pc = w->shape.array_plug ? CLIENT_PLUG : CLIENT_HANDLE;
}

/* raid5_plug_device: the first page of a burst arms the timer; every page takes the lock to see
 * whether it is the first. */
static void plug_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct array *array = array_at(w, 0);

    (void)way;
    work(e, WORK_PLUG, 1);
    if (!array->plugged)
        effect(e, EFFECT_ARM, 0, actor_timer(&w->shape), w->shape.unplug_ns);
    array->plugged = 1;
    actor_at(w, who)->pc = CLIENT_HANDLE;
}

/* Unplugs so that whoever is in the way gets on, releases the stripe, and sleeps until the pending
 * bio has been taken. */
static void overlap_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    bool still = slot_see(w, a->stripe, a->slot)->flags & SLOT_OVERLAP;

    (void)way;
    cache_unplug(w, e);
    cache_release(w, a->stripe, e);
    a->stripe = 0;
    a->pc = CLIENT_LOOKUP;
    if (still)
        waits_sleep(w, who, WAIT_OVERLAP);
}

/* ---- HANDLE, RELEASE, BIAS */

static void handle_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    handle_stripe(w, who, actor_see(w, who)->stripe, e);
    actor_at(w, who)->pc = CLIENT_RELEASE;
}

static void release_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);

    (void)way;
    cache_release(w, a->stripe, e);
    a->stripe = 0;
    a->slot = 0;
    a->page++;
    a->pc = a->page < bio_pages(bio_see(w, current_bio(w, a))) ? CLIENT_PAGE : CLIENT_BIAS;
}

/* B04: what the block layer has kept of this thread's member I/O until its make_request returns. */
static void send_held(struct world *w, actor_id who, struct effects *e)
{
    for (io_id io = 0; io < w->count[SEC_IOS]; io++)
        if (io_see(w, io)->state == IO_HELD && io_see(w, io)->issuer == who)
            io_queue(w, io, e);
}

static void bias_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    bio_id b = current_bio(w, a);

    (void)way;
    if (MUTATED(w, B04))
        send_held(w, who, e);
    next_bio(w, a);
    bio_drop(w, b, e);
}

/* ---- UNPLUG: the I/O is in; let the members start */

static void finish_plug(struct world *w, actor_id who, struct effects *e)
{
    client_at(w, who)->plugging = 0;
    queue_unplug(w, who, e);
}

static void unplug_fire(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    struct request *r = request_at(w, a->request);

    (void)way;
    if (queue_announces(w, who))
        return;
    if (r->state == REQUEST_SUBMITTING)
        r->state = REQUEST_SUBMITTED;
    if (w->shape.generation == GENERATION_61) {
        if (!(r->flags & REQUEST_MORE))
            finish_plug(w, who, e);
    } else if (w->shape.stripes) {
        cache_unplug(w, e);
    } else {
        work(e, WORK_UNPLUG_DISK, w->shape.geometry.disks);
        effect(e, EFFECT_UNPLUG, 0, NONE16, 0);
    }
    a->request = a->bio = a->page = 0;
    a->pc = CLIENT_TURN;
}

static const struct step client_steps[CLIENT_PC_COUNT] = {
    [CLIENT_TURN] = { "client.turn", "read(2), aio thread", turn_ways, NULL, turn_allows, turn_fire,
                      .chosen = 1 },
    [CLIENT_DIRECT] = { "submit.direct", "generic_make_request", always, NULL, NULL, direct_fire,
                        .lock = LOCK_NONE },
    [CLIENT_PAGE] = { "make_request.page", "make_request, per page", always, NULL, NULL, page_fire,
                      .lock = LOCK_NONE },
    [CLIENT_LOOKUP] = { "make_request.lookup", "get_active_stripe", awake, NULL, NULL, lookup_fire,
                        .lock = LOCK_DEVICE, .books = WORK_LOOKUP },
    [CLIENT_RETRY] = { "make_request.retry", "get_active_stripe, after a sleep", awake, NULL, NULL,
                       retry_fire, .lock = LOCK_DEVICE, .books = WORK_LOOKUP },
    [CLIENT_ATTACH] = { "make_request.attach", "add_stripe_bio", always, NULL, NULL, attach_fire,
                        .lock = LOCK_STRIPE_DEVICE, .books = WORK_ATTACH },
    [CLIENT_OVERLAP] = { "make_request.overlap", "raid5_unplug_device, release_stripe", always,
                         NULL, NULL, overlap_fire, .lock = LOCK_DEVICE, .books = WORK_RELEASE },
    [CLIENT_PLUG] = { "make_request.plug", "raid5_plug_device", always, NULL, NULL, plug_fire,
                      .lock = LOCK_DEVICE, .books = WORK_PAGE_LOOP },
    [CLIENT_HANDLE] = { "make_request.handle", "handle_stripe", always, NULL, NULL, handle_fire,
                        .lock = LOCK_STRIPE, .books = WORK_HANDLE },
    [CLIENT_RELEASE] = { "make_request.release", "release_stripe", always, NULL, NULL, release_fire,
                         .lock = LOCK_DEVICE, .books = WORK_RELEASE },
    [CLIENT_BIAS] = { "make_request.end", "make_request, last part", always, NULL, NULL, bias_fire,
                      .lock = LOCK_DEVICE, .books = WORK_PAGE_LOOP, .hashed = HASHED_FREE },
    [CLIENT_UNPLUG] = { "client.unplug", "blk_run_address_space", always, NULL, NULL, unplug_fire,
                        .lock = LOCK_DEVICE, .books = WORK_PLUG },
    [CLIENT_STRIPE] = { "make_stripe_request.lookup", "raid5_get_active_stripe", awake, NULL, NULL,
                        submit_stripe, .lock = LOCK_DEVICE, .books = WORK_LOOKUP,
                        .hashed = HASHED_LOOKUP },
    [CLIENT_AGAIN] = { "make_stripe_request.retry", "raid5_get_active_stripe, after a sleep", awake,
                       NULL, NULL, submit_again, .lock = LOCK_DEVICE, .books = WORK_LOOKUP,
                       .hashed = HASHED_LOOKUP },
    [CLIENT_ADD] = { "make_stripe_request.add", "add_all_stripe_bios, stripe_add_to_batch_list",
                     always, NULL, NULL, submit_add, .lock = LOCK_STRIPE, .books = WORK_ATTACH },
    [CLIENT_CLASH] = { "make_stripe_request.clash", "make_stripe_request, schedule and retry",
                       always, NULL, NULL, submit_clash, .lock = LOCK_DEVICE, .books = WORK_RELEASE,
                       .hashed = HASHED_FREE },
    [CLIENT_HAND_OVER] = { "make_stripe_request.release", "release_stripe_plug", always, NULL, NULL,
                           submit_hand_over, .lock = LOCK_NONE },
    [CLIENT_FLUSH] = { "submit.flush", "md_flush_request", awake, NULL, NULL, flush_fire,
                       .lock = LOCK_NONE },
    [CLIENT_WRITE_START] = { "make_request.write_start", "md_write_start", awake, NULL, NULL,
                             write_start_fire, .lock = LOCK_NONE },
};
const struct actor_kind client_kind = { "client", VENUE_CPU, client_steps, CLIENT_PC_COUNT };
