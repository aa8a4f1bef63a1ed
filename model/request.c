/*
 * Requests: splitting into bios as direct I/O does, counting down to completion, comparing with the
 * oracle.
 *
 * A bio ends at a page boundary at the latest when it is bio_max_sectors long; in raid0 also at a
 * chunk boundary (that personality lets no bio cross one, spec 0.5 and raid0's merge rule), on
 * plain disks at the end of a disk. md-2.6.15's raid5 takes bios of any extent and walks their
 * pages itself (spec 4.1). Kernel: fs/direct-io.c, drivers/md/raid0.c (2.6.15).
 */
#include "model/request.h"

#include "model/array.h"
#include "model/flush.h"
#include "model/oracle.h"
#include "model/properties.h"
#include "model/stripe.h"
#include "model/superblock.h"
#include "model/tag.h"

void piece_extent(const struct world *w, piece_id p, uint64_t *from, uint64_t *to)
{
    const struct request *r = request_see(w, piece_request(w, p));
    uint64_t page = r->sector / PAGE_SECTORS + p % w->shape.pieces_per_request;
    uint64_t end = r->sector + r->sectors;

    *from = page * PAGE_SECTORS > r->sector ? page * PAGE_SECTORS : r->sector;
    *to = (page + 1) * PAGE_SECTORS < end ? (page + 1) * PAGE_SECTORS : end;
}

uint32_t piece_page(const struct world *w, piece_id p)
{
    return w->shape.stripes * w->shape.geometry.disks + p;
}

bool pieces_cover_page(const struct world *w, piece_id head)
{
    uint64_t from, to, reached;

    if (head == NONE32)
        return false;
    piece_extent(w, head, &from, &to);
    if (from % PAGE_SECTORS)
        return false;
    reached = to;
    for (piece_id p = piece_see(w, head)->next; p != NONE32; p = piece_see(w, p)->next) {
        piece_extent(w, p, &from, &to);
        if (from > reached)
            return false;
        reached = to > reached ? to : reached;
    }
    return reached % PAGE_SECTORS == 0;
}

bool request_fits(const struct world *w, uint64_t name)
{
    uint64_t sector = request_name_sector(name), sectors = request_name_sectors(name);
    uint64_t size = geometry_sectors(&w->shape.geometry);
    uint64_t pages = (sector + sectors + PAGE_SECTORS - 1) / PAGE_SECTORS - sector / PAGE_SECTORS;

    if (request_name_flags(name) & REQUEST_FLUSH)
        return request_name_flags(name) == REQUEST_FLUSH && !sector && !sectors;
    return sectors && sector < size && sectors <= size - sector &&
           pages <= w->shape.pieces_per_request && sector % w->shape.group_sectors == 0 &&
           sectors % w->shape.group_sectors == 0;
}

/* md-6.1 cuts a read that may bypass the cache. For md-3.12 the queue's merge rule asks the block
 * layer to let no read cross an edge, and that does not know yet which bios are reads. */
static bool ends_at_chunks(const struct world *w, const struct request *r)
{
    const struct shape *s = &w->shape;

    if (s->generation != GENERATION_61 || s->bio_cut == CUT_NONE)
        return false;
    return s->bio_cut == CUT_ALL || (!r->write && !array_see(w, 0)->degraded);
}

/* Where a bio that begins at `sector` must end at the latest. */
static uint64_t bio_limit(const struct world *w, const struct request *r, uint64_t sector)
{
    const struct shape *s = &w->shape;
    const struct geometry *g = &s->geometry;
    uint64_t limit = (sector + s->bio_max_sectors) / PAGE_SECTORS * PAGE_SECTORS, unit = 0;

    if (g->level == LEVEL_RAW)
        unit = g->component_sectors;
    else if (g->level == LEVEL_RAID0 || ends_at_chunks(w, r))
        unit = g->chunk_sectors;
    if (unit && (sector / unit + 1) * unit < limit)
        limit = (sector / unit + 1) * unit;
    return limit;
}

static void split(struct world *w, request_id id)
{
    struct request *r = request_at(w, id);
    uint64_t at = r->sector, end = r->sector + r->sectors;

    if (r->flags & REQUEST_FLUSH)
        *bio_at(w, request_bio(w, id, r->bios++)) = (struct bio){ .left = 1 };
    while (at < end) {
        uint64_t limit = bio_limit(w, r, at);
        uint64_t to = limit < end ? limit : end;
        bio_id b = request_bio(w, id, r->bios++);

        ASSERT(r->bios <= w->shape.bios_per_request);
        *bio_at(w, b) = (struct bio){ .sector = at, .sectors = (uint32_t)(to - at), .left = 1 };
        for (uint64_t page = at / PAGE_SECTORS; page * PAGE_SECTORS < to; page++)
            *piece_at(w, request_piece(w, id, page)) = (struct piece){ .next = NONE32, .bio = b };
        at = to;
    }
    r->bios_left = r->bios;
}

static uint64_t groups_from(const struct world *w, uint64_t sector)
{
    return sector / w->shape.group_sectors;
}

static tag *group_tag(struct world *w, piece_id p, uint64_t group)
{
    return tags_at(w, (uint64_t)piece_page(w, p) * w->shape.tags_per_page +
                          group % w->shape.tags_per_page);
}

static uint32_t *memo_of(struct world *w, piece_id p, uint64_t group)
{
    return memo_at(w, (uint64_t)p * w->shape.tags_per_page + group % w->shape.tags_per_page);
}

/* A read notes the oldest version it may return; a write draws the contents it carries. */
static void consult_oracle(struct world *w, request_id id)
{
    const struct request *r = request_see(w, id);
    piece_id last;

    if (!w->shape.oracle_entries || !r->sectors)
        return;
    last = request_piece(w, id, (r->sector + r->sectors - 1) / PAGE_SECTORS);
    for (piece_id p = request_piece(w, id, r->sector / PAGE_SECTORS); p <= last; p++) {
        uint64_t from, to;

        piece_extent(w, p, &from, &to);
        for (uint64_t g = groups_from(w, from); g < groups_from(w, to); g++)
            if (r->write)
                *group_tag(w, p, g) = oracle_issue(w, g, memo_of(w, p, g));
            else
                *memo_of(w, p, g) = oracle_oldest(w, g);
    }
}

request_id request_begin(struct world *w, actor_id client, uint64_t name, struct effects *e)
{
    struct client *c = client_at(w, client);
    request_id id = c->free;
    struct request *r = request_at(w, id);

    ASSERT(id != NONE16);
    c->free = r->next;
    c->in_flight++;
    *r = (struct request){ .sector = request_name_sector(name),
                           .sectors = request_name_sectors(name),
                           .next = NONE16,
                           .client = client,
                           .state = REQUEST_SUBMITTING,
                           .write = request_name_flags(name) & REQUEST_WRITE,
                           .flags = (uint8_t)request_name_flags(name) };
    split(w, id);
    consult_oracle(w, id);
    work(e, WORK_IO_SETUP, 1);
    return id;
}

void bio_drop(struct world *w, bio_id b, struct effects *e)
{
    request_id id = bio_request(w, b);
    struct request *r = request_at(w, id);
    struct client *c = client_at(w, r->client);

    ASSERT(bio_see(w, b)->left);
    if (--bio_at(w, b)->left)
        return;
    if (bio_see(w, b)->counted == BIO_IS_PENDING_WRITE)
        superblock_write_end(w, e);
    else if (bio_see(w, b)->counted == BIO_IS_FLUSH)
        flush_end(w, e);
    work(e, WORK_BIO_END, 1);
    ASSERT(r->bios_left);
    if (--r->bios_left)
        return;
    r->state = REQUEST_DONE;
    if (c->done_head == NONE16)
        c->done_head = id;
    else
        request_at(w, c->done_tail)->next = id;
    c->done_tail = id;
    effect(e, EFFECT_REPLY, 0, id, 0);
    effect(e, EFFECT_WAKE, 0, r->client, 0);
    work(e, WORK_WAKE, 1);
}

/* Returns false at the first group that is wrong. */
static bool piece_check(struct world *w, piece_id p, bool write)
{
    bool written = w->shape.oracle_entries;
    uint64_t from, to;

    piece_extent(w, p, &from, &to);
    for (uint64_t g = groups_from(w, from); g < groups_from(w, to); g++) {
        if (write) {
            oracle_ack(w, g, *memo_of(w, p, g));
            if (request_see(w, piece_request(w, p))->flags & REQUEST_FUA)
                oracle_is_safe(w, g);
        } else if (!oracle_accepts(w, g, written ? *memo_of(w, p, g) : 0, *group_tag(w, p, g)))
            return false;
    }
    return true;
}

/* Leaves nothing behind in a piece's records. */
static void piece_clear(struct world *w, piece_id p)
{
    for (unsigned g = 0; g < w->shape.tags_per_page; g++) {
        *group_tag(w, p, g) = 0;
        if (w->shape.oracle_entries)
            *memo_of(w, p, g) = 0;
    }
    *piece_at(w, p) = (struct piece){ 0 };
}

/* Compares or acknowledges what it has moved, and clears its pieces. */
static void settle_pieces(struct world *w, request_id id, struct effects *e)
{
    const struct request *r = request_see(w, id);
    piece_id first = request_piece(w, id, r->sector / PAGE_SECTORS);
    piece_id last = request_piece(w, id, (r->sector + r->sectors - 1) / PAGE_SECTORS);

    for (piece_id p = first; p <= last && !r->failed; p++) {
        if (!piece_check(w, p, r->write))
            effect(e, EFFECT_FINDING, PROPERTY_D3, id, p - first);
        if (e->count + 8 > e->capacity)
            break; /* enough findings for one request */
    }
    for (piece_id p = first; p <= last; p++)
        piece_clear(w, p);
}

void request_reap(struct world *w, actor_id client, struct effects *e)
{
    struct client *c = client_at(w, client);
    request_id id = c->done_head;
    struct request *r = request_at(w, id);

    ASSERT(r->state == REQUEST_DONE);
    if (r->sectors)
        settle_pieces(w, id, e);
    for (unsigned n = 0; n < r->bios; n++)
        *bio_at(w, request_bio(w, id, n)) = (struct bio){ 0 };
    c->done_head = r->next;
    if (c->done_head == NONE16)
        c->done_tail = NONE16;
    *r = (struct request){ .next = c->free };
    c->free = id;
    c->in_flight--;
    work(e, WORK_IO_SETUP, 1);
}
