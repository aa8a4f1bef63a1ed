/*
 * make_request of md-6.1: a bio is attached to a stripe for all its data members in one go, and
 * raid5d does the handling (spec 4.7).
 *
 *   START -> STRIPE -> ADD -> HAND_OVER -> STRIPE ... once per stripe of the bio
 *              |  ^     +-> CLASH (sleeps until the page in the way is taken) -> STRIPE
 *              v  |                        HAND_OVER -> END after the last stripe of the bio
 *            AGAIN (sleeps for a stripe)
 *
 * The walk begins at the bio's first page, or, if the bio runs from its first chunk into the next
 * data disk of the same row, at that next chunk; it wraps round until nothing is left to do. A
 * stripe that can be batched is held until the next one has tried to join it. Reads of a healthy
 * array do not come here: they bypass the cache (spec 4.4).
 *
 * Kernel: raid5.c raid5_make_request, make_stripe_request, add_all_stripe_bios, __add_stripe_bio
 * (6.1).
 */
#include "model/submit.h"

#include "model/array.h"
#include "model/batch.h"
#include "model/bitmap.h"
#include "model/cache.h"
#include "model/mutations.h"
#include "model/ppl.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/waits.h"

static bio_id current_bio(const struct world *w, const struct actor *a)
{
    return request_bio(w, a->request, a->bio);
}

static uint64_t first_page(const struct bio *b)
{
    return b->sector / PAGE_SECTORS;
}

static uint32_t page_count(const struct bio *b)
{
    return (uint32_t)((b->sector + b->sectors + PAGE_SECTORS - 1) / PAGE_SECTORS - first_page(b));
}

static piece_id piece_of(const struct world *w, const struct actor *a, uint64_t page)
{
    return request_piece(w, a->request, page);
}

/* ---- START */

/* Where the walk begins, in pages from the bio's first: at the next chunk, if the bio, counted from
 * its rounded start, runs over the end of its first one and a data slot of higher index follows in
 * the first page's row. */
static uint16_t starting_page(const struct world *w, const struct bio *b)
{
    const struct geometry *g = &w->shape.geometry;
    uint64_t first = first_page(b) * PAGE_SECTORS;
    uint64_t next = (first / g->chunk_sectors + 1) * g->chunk_sectors;
    struct place place = geometry_map(g, first);
    unsigned slot = place.disk + 1u;

    if (slot == place.parity)
        slot++;
    if (first + b->sectors <= next || slot >= g->disks)
        return 0;
    return (uint16_t)((next - first) / PAGE_SECTORS);
}

void submit_start(struct world *w, actor_id who, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    const struct bio *b = bio_see(w, current_bio(w, a));

    work(e, WORK_PAGE_LOOP, 1);
    if (!w->shape.page_attach)
        work(e, WORK_MAP, 1); /* for where to begin */
    for (uint64_t p = first_page(b); p < first_page(b) + page_count(b); p++)
        piece_at(w, piece_of(w, a, p))->todo = 1;
    a->page = w->shape.page_attach ? 0 : starting_page(w, b);
    a->batch_last = NONE16;
    a->pc = CLIENT_STRIPE;
}

/* ---- STRIPE, AGAIN */

static struct place current_place(const struct world *w, const struct actor *a)
{
    const struct bio *b = bio_see(w, current_bio(w, a));

    return geometry_map(&w->shape.geometry, (first_page(b) + a->page) * PAGE_SECTORS);
}

static void drop_batch_last(struct world *w, struct actor *a, struct effects *e)
{
    stripe_id s = a->batch_last;

    a->batch_last = NONE16;
    if (s != NONE16)
        queue_release(w, s, e);
}

static void look_up(struct world *w, actor_id who, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    struct place place = current_place(w, a);

    work(e, WORK_MAP, 1);
    if (array_see(w, 0)->quiesce) {
        drop_batch_last(w, a, e);
        queue_unplug(w, who, e);
        waits_sleep(w, who, waits_for_quiet(&w->shape));
        a->stripe = 0;
        a->pc = CLIENT_STRIPE;
        return;
    }
    if (cache_glance(w, who, place.sector, &a->spare))
        return;
    if (cache_lookup_glanced(w, place.sector, place.parity, a->spare, &a->stripe, e) ==
        LOOKUP_BLOCKED) {
        a->slot = MUTATED(w, B07) ? (uint8_t)cache_class(w, place.sector) : 0;
        drop_batch_last(w, a, e);
        queue_unplug(w, who, e); /* whoever sleeps gives up what it has plugged */
        waits_sleep(w, who, WAIT_STRIPE);
        a->stripe = 0;
        a->pc = CLIENT_AGAIN;
        return;
    }
    a->spare = a->slot = 0;
    a->pc = CLIENT_ADD;
}

void submit_stripe(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    waits_leave(w, who);
    look_up(w, who, e);
}

void submit_again(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    (void)way;
    work(e, WORK_WAIT_CHECK, 1);
    if (cache_may_retry(w, current_place(w, actor_see(w, who)).sector)) {
        waits_leave(w, who);
        look_up(w, who, e);
        return;
    }
    mark(e, MARK_WASTED);
    waits_sleep(w, who, WAIT_STRIPE);
}

/* ---- ADD, CLASH */

/* The piece of the current bio that falls into a data slot of the stripe; NONE32: none that is
 * to be attached now: it is done, or md-3.12 is at another page. */
static piece_id piece_for(const struct world *w, const struct actor *a, unsigned disk)
{
    const struct bio *b = bio_see(w, current_bio(w, a));
    uint64_t page =
        geometry_unmap(&w->shape.geometry, stripe_see(w, a->stripe)->sector, disk) / PAGE_SECTORS;
    piece_id p;

    if (page < first_page(b) || page >= first_page(b) + page_count(b) ||
        (w->shape.page_attach && page != first_page(b) + a->page))
        return NONE32;
    p = piece_of(w, a, page);
    return piece_see(w, p)->todo ? p : NONE32;
}

/* Where a piece belongs in a list sorted by sector: *after is its predecessor, NONE32 for the
 * front. False: it overlaps a neighbour. */
static bool find_gap(const struct world *w, piece_id head, piece_id p, piece_id *after)
{
    uint64_t from, to, other_from, other_to;

    piece_extent(w, p, &from, &to);
    *after = NONE32;
    for (piece_id at = head; at != NONE32; *after = at, at = piece_see(w, at)->next) {
        piece_extent(w, at, &other_from, &other_to);
        if (other_from >= to)
            break;
        if (other_to > from)
            return false;
    }
    return true;
}

static bool clashes(struct world *w, const struct actor *a, bool write)
{
    bool clash = false;

    for (unsigned d = 0; d < w->shape.geometry.disks; d++) {
        struct slot *slot = slot_at(w, a->stripe, d);
        piece_id p, after;

        if (d == stripe_see(w, a->stripe)->parity || (p = piece_for(w, a, d)) == NONE32)
            continue;
        if (stripe_see(w, a->stripe)->batch_head != NONE16 ||
            !find_gap(w, write ? slot->towrite : slot->toread, p, &after) ||
            (write && w->shape.log == LOG_PPL && ppl_clashes(w, a->stripe, d))) {
            slot->flags |= SLOT_OVERLAP;
            clash = true;
        }
    }
    return clash;
}

static void attach(struct world *w, stripe_id s, unsigned disk, piece_id p, bool write,
                   struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);
    struct stripe *x = stripe_at(w, s);
    piece_id *head = write ? &slot->towrite : &slot->toread, after;

    if (write && *head == NONE32 && has_bitmap(&w->shape))
        bitmap_start_write(w, s, x->batch_head == NONE16, e);
    ASSERT(find_gap(w, *head, p, &after));
    piece_at(w, p)->next = after == NONE32 ? *head : piece_see(w, after)->next;
    if (after == NONE32)
        *head = p;
    else
        piece_at(w, after)->next = p;
    piece_at(w, p)->todo = 0;
    bio_at(w, piece_see(w, p)->bio)->left++;
    work(e, WORK_ATTACH, 1);
    if (!write) {
        x->state &= (uint16_t)~STRIPE_BATCH_READY;
    } else if (!(slot->flags & SLOT_OVERWRITE) && pieces_cover_page(w, slot->towrite)) {
        slot->flags |= SLOT_OVERWRITE;
        x->overwrites++;
    }
}

bool submit_attach_read(struct world *w, stripe_id s, unsigned disk, piece_id p, struct effects *e)
{
    piece_id after;

    if (stripe_see(w, s)->batch_head != NONE16 ||
        !find_gap(w, slot_see(w, s, disk)->toread, p, &after)) {
        slot_at(w, s, disk)->flags |= SLOT_OVERLAP;
        return false;
    }
    attach(w, s, disk, p, false, e);
    return true;
}

/* Have its bios REQ_SYNC? */
static bool is_sync(const struct world *w, const struct request *r)
{
    if (r->write)
        return !(r->flags & REQUEST_NOSYNC);
    return r->flags & REQUEST_WAITED && r->bios == 1 && !w->shape.no_sync_reads;
}

void submit_add(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    struct stripe *x = stripe_at(w, a->stripe);
    const struct request *r = request_see(w, a->request);

    (void)way;
    if (clashes(w, a, r->write)) {
        work(e, WORK_ATTACH, 1);
        mark(e, MARK_OVERLAP);
        a->pc = CLIENT_CLASH;
        return;
    }
    for (unsigned d = 0; d < w->shape.geometry.disks; d++) {
        piece_id p = d == x->parity ? NONE32 : piece_for(w, a, d);

        if (p != NONE32)
            attach(w, a->stripe, d, p, r->write, e);
    }
    if (batch_possible(w, a->stripe)) {
        batch_join(w, a->stripe, a->batch_last, e);
        drop_batch_last(w, a, e);
        x->count++;
        a->batch_last = a->stripe;
    }
    x->state = (uint16_t)((x->state | STRIPE_HANDLE) & ~STRIPE_DELAYED);
    /* Permission to preread is given a moment after it was asked whether the stripe leads itself:
     * it may have joined a batch meanwhile. */
    a->spare = is_sync(w, r) && (x->batch_head == NONE16 || x->batch_head == a->stripe);
    a->pc = CLIENT_HAND_OVER;
}

void submit_clash(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    stripe_id s = a->stripe;
    bool still = false;

    (void)way;
    for (unsigned d = 0; d < w->shape.geometry.disks; d++)
        still |= (slot_see(w, s, d)->flags & SLOT_OVERLAP) != 0;
    cache_wake_raid5d(w, e);
    queue_release(w, s, e);
    drop_batch_last(w, a, e);
    queue_unplug(w, who, e); /* whoever sleeps gives up what it has plugged */
    a->stripe = 0;
    a->pc = CLIENT_STRIPE;
    if (still)
        waits_sleep(w, who, WAIT_OVERLAP);
}

/* ---- HAND_OVER, END */

/* The next page of the bio that is still to do, from the current one on, round the end; false:
 * none. */
static bool next_page(const struct world *w, struct actor *a)
{
    const struct bio *b = bio_see(w, current_bio(w, a));
    uint32_t n = page_count(b);

    for (uint32_t k = 1; k <= n; k++) {
        uint32_t page = (a->page + k) % n;

        if (piece_see(w, piece_of(w, a, first_page(b) + page))->todo) {
            a->page = (uint16_t)page;
            return true;
        }
    }
    return false;
}

void submit_hand_over(struct world *w, actor_id who, uint64_t way, struct effects *e)
{
    struct actor *a = actor_at(w, who);
    struct stripe *x = stripe_at(w, a->stripe);

    (void)way;
    if (a->spare && !(x->state & STRIPE_PREREAD_ACTIVE)) {
        x->state |= STRIPE_PREREAD_ACTIVE;
        array_at(w, 0)->preread_active++;
    }
    a->spare = 0;
    queue_hand_over(w, who, a->stripe, e);
    a->stripe = 0;
    a->pc = next_page(w, a) ? CLIENT_STRIPE : CLIENT_BIAS;
    if (a->pc == CLIENT_BIAS)
        drop_batch_last(w, a, e);
}
