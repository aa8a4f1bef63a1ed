/*
 * Operations on contents, and member I/O (spec 8.1, 8.2): without an offload engine they run
 * inline, and their completions come before handle_stripe returns.
 *
 * Kernel: raid5.c raid_run_ops, ops_run_biofill, _compute5, _prexor5, _biodrain, _reconstruct5,
 * ops_run_io (6.1).
 */
#include "model/bitmap.h"
#include "model/defer.h"
#include "model/io.h"
#include "model/log.h"
#include "model/machine.h"
#include "model/members.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/waits.h"

enum { PAGE_LINES = PAGE_BYTES / 64 };

static tag *page_of(struct world *w, stripe_id s, unsigned disk)
{
    return tags_at(w, (uint64_t)slot_page(w, s, disk) * w->shape.tags_per_page);
}

/* to ^= from, group by group. */
static void fold(struct world *w, tag *to, const tag *from)
{
    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        to[g] ^= from[g];
}

/* skip_copy: a whole page that is one in the caller's buffer, too, is written from there. Buffers
 * begin with a page. */
static bool skips(const struct world *w, piece_id p)
{
    uint64_t from, to;

    piece_extent(w, p, &from, &to);
    return w->shape.skip_copy && to - from == PAGE_SECTORS &&
           request_see(w, piece_request(w, p))->sector % PAGE_SECTORS == 0;
}

/* The piece's place in its bio: each copy walks there from the bio's beginning. */
static uint32_t segment_of(const struct world *w, piece_id p)
{
    uint64_t from, to;

    piece_extent(w, p, &from, &to);
    return (uint32_t)(from / PAGE_SECTORS -
                      bio_see(w, piece_see(w, p)->bio)->sector / PAGE_SECTORS);
}

/* Copies the groups a piece covers between its own page and the slot's. */
static void copy(struct world *w, piece_id p, tag *page, bool into_page, struct effects *e)
{
    tag *own = tags_at(w, (uint64_t)piece_page(w, p) * w->shape.tags_per_page);
    uint64_t from, to;

    piece_extent(w, p, &from, &to);
    for (uint64_t g = from / w->shape.group_sectors; g < to / w->shape.group_sectors; g++) {
        unsigned k = (unsigned)(g % w->shape.tags_per_page);

        if (into_page)
            page[k] = own[k];
        else
            own[k] = page[k];
    }
    work(e, WORK_COPY_CALL, 1);
    work(e, WORK_SEGMENT, segment_of(w, p) + 1);
    if (!into_page || !skips(w, p))
        work(e, WORK_COPY_LINE, (uint32_t)((to - from) * SECTOR_BYTES / 64));
}

static void wake_overlapped(struct world *w, stripe_id s, struct effects *e)
{
    bool any = false;

    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        any |= (slot_see(w, s, i)->flags & SLOT_OVERLAP) != 0;
        slot_at(w, s, i)->flags &= ~(uint32_t)SLOT_OVERLAP;
    }
    if (any)
        waits_wake_all(w, WAIT_OVERLAP, e);
}

static void fill(struct world *w, struct pass *pass, struct effects *e)
{
    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        struct slot *slot = slot_at(w, pass->s, i);
        piece_id p = slot->toread;

        if (!(slot->flags & SLOT_WANTFILL))
            continue;
        slot->flags &= ~(uint32_t)SLOT_WANTFILL;
        slot->toread = NONE32;
        while (p != NONE32) {
            piece_id next = piece_see(w, p)->next;

            copy(w, p, page_of(w, pass->s, i), false, e);
            piece_at(w, p)->next = NONE32;
            bio_drop(w, piece_see(w, p)->bio, e);
            p = next;
        }
    }
}

/* An xor reads and writes its destination, too. */
static void xor_call(struct effects *e)
{
    work(e, WORK_XOR_LINE, PAGE_LINES);
    mark(e, MARK_XORED);
}

static void compute(struct world *w, struct pass *pass, struct effects *e)
{
    struct slot *slot = slot_at(w, pass->s, pass->compute_slot);
    tag *to = page_of(w, pass->s, pass->compute_slot);

    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        to[g] = 0;
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (i != pass->compute_slot)
            fold(w, to, page_of(w, pass->s, i));
    slot->flags = (slot->flags | SLOT_UPTODATE) & ~(uint32_t)SLOT_WANTCOMPUTE;
    if (stripe_see(w, pass->s)->check == CHECK_DIFFERS)
        stripe_at(w, pass->s)->check = CHECK_COMPUTED;
    work(e, WORK_XOR_LINE, (w->shape.geometry.disks - 1u) * PAGE_LINES);
    xor_call(e);
    mark(e, MARK_COMPUTED);
}

/* Parity without the old contents of what is about to be overwritten. */
static void prexor(struct world *w, struct pass *pass, struct effects *e)
{
    tag *parity = page_of(w, pass->s, stripe_see(w, pass->s)->parity);

    xor_call(e);
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (slot_see(w, pass->s, i)->flags & SLOT_WANTDRAIN) {
            fold(w, parity, page_of(w, pass->s, i));
            work(e, WORK_XOR_LINE, PAGE_LINES);
        }
}

/* The waiting writes of a slot become written ones; their data goes into the page. */
static void drain_slot(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);

    ASSERT(slot->written == NONE32);
    slot->written = slot->towrite;
    slot->towrite = NONE32;
    for (piece_id p = slot->written; p != NONE32; p = piece_see(w, p)->next) {
        copy(w, p, page_of(w, s, disk), true, e);
        if (skips(w, p))
            slot->flags =
                (slot->flags | SLOT_SKIPCOPY) & ~(uint32_t)(SLOT_UPTODATE | SLOT_OVERWRITE);
    }
}

static void drain(struct world *w, struct pass *pass, struct effects *e)
{
    stripe_id head = pass->s;
    bool batch = stripe_see(w, head)->batch_head == head;

    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        if (!(slot_see(w, head, i)->flags & SLOT_WANTDRAIN))
            continue;
        slot_at(w, head, i)->flags &= ~(uint32_t)SLOT_WANTDRAIN;
        for (stripe_id s = head; s != NONE16; s = batch ? stripe_see(w, s)->batch_next : NONE16) {
            drain_slot(w, s, i, e);
            stripe_at(w, s)->overwrites = 0;
        }
    }
}

/* rcw: parity is the xor of all data pages; rmw: the new contents are folded into what prexor left.
 */
static void parity_of(struct world *w, stripe_id s, bool rmw, struct effects *e)
{
    unsigned pd = stripe_see(w, s)->parity;
    tag *parity = page_of(w, s, pd);

    xor_call(e);
    for (unsigned g = 0; !rmw && g < w->shape.tags_per_page; g++)
        parity[g] = 0;
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (i != pd && (!rmw || slot_see(w, s, i)->written != NONE32)) {
            fold(w, parity, page_of(w, s, i));
            work(e, WORK_XOR_LINE, PAGE_LINES);
        }
}

/* Says how the stripe, or the batch it heads, is written: every data page new (STRIPE_FULL_WRITE),
 * or by which method. Batches hold nothing but the former. */
static void mark_write(const struct world *w, const struct pass *pass, struct effects *e)
{
    const struct stripe *x = stripe_see(w, pass->s);
    unsigned written = 0, length = 1;

    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        written += slot_see(w, pass->s, i)->written != NONE32;
    if (x->batch_head == pass->s)
        for (stripe_id s = x->batch_next; s != NONE16; s = stripe_see(w, s)->batch_next)
            length++;
    if (pass->prexor)
        mark_many(e, MARK_RMW, length);
    else if (written == w->shape.geometry.data_disks)
        mark_many(e, MARK_FULL_WRITE, length);
    else
        mark_many(e, MARK_RCW, length);
    if (pass->non_overwrite)
        mark(e, MARK_PARTIAL_PAGE);
}

static void reconstruct(struct world *w, struct pass *pass, struct effects *e)
{
    struct stripe *x = stripe_at(w, pass->s);
    bool batch = x->batch_head == pass->s;

    for (stripe_id s = pass->s; s != NONE16; s = batch ? stripe_see(w, s)->batch_next : NONE16)
        parity_of(w, s, pass->prexor, e);
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if ((slot_see(w, pass->s, i)->written != NONE32 || i == x->parity) &&
            !(slot_see(w, pass->s, i)->flags & SLOT_SKIPCOPY))
            slot_at(w, pass->s, i)->flags |= SLOT_UPTODATE;
    x->reconstruct = pass->prexor ? RECONSTRUCT_PREXOR_DRAIN_RESULT : RECONSTRUCT_DRAIN_RESULT;
    mark_write(w, pass, e);
}

/* Parity's page is the xor's destination: what is left in it is zero if parity was right. */
static void check(struct world *w, struct pass *pass, struct effects *e)
{
    struct stripe *x = stripe_at(w, pass->s);
    tag *parity = page_of(w, pass->s, x->parity);

    x->check = CHECK_SAME;
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (i != x->parity)
            fold(w, parity, page_of(w, pass->s, i));
    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        if (parity[g])
            x->check = CHECK_DIFFERS;
    xor_call(e);
    work(e, WORK_XOR_LINE, (w->shape.geometry.disks - 1u) * PAGE_LINES);
}

/* What each operation's callback does: it drops the reference that the operation held. */
static void completed(struct world *w, struct pass *pass, struct effects *e)
{
    stripe_at(w, pass->s)->state |= STRIPE_HANDLE;
    if (w->shape.release_every) {
        stripe_at(w, pass->s)->count++;
        queue_release(w, pass->s, e);
        return;
    }
    work(e, WORK_RELEASE, 1);
    mark(e, MARK_RELEASED);
}

void operations_run(struct world *w, struct pass *pass, struct effects *e)
{
    if (pass->fill) {
        fill(w, pass, e);
        completed(w, pass, e);
    }
    if (pass->compute) {
        compute(w, pass, e);
        if (!pass->reconstruct) /* else the last operation of the chain tells */
            completed(w, pass, e);
    }
    if (pass->prexor)
        prexor(w, pass, e);
    if (pass->drain)
        log_before_drain(w, pass, e);
    if (pass->drain)
        drain(w, pass, e);
    if (pass->reconstruct) {
        reconstruct(w, pass, e);
        completed(w, pass, e);
    }
    if (pass->check) {
        check(w, pass, e);
        completed(w, pass, e);
    }
    if (pass->fill || pass->compute || pass->reconstruct || pass->check)
        mark(e, MARK_OPERATED);
    if ((pass->fill || pass->drain) && stripe_see(w, pass->s)->batch_head == NONE16)
        wake_overlapped(w, pass->s, e);
}

void operations_end_written(struct world *w, stripe_id s, unsigned disk, struct effects *e)
{
    struct slot *slot = slot_at(w, s, disk);
    piece_id p = slot->written;

    if (p != NONE32 && has_bitmap(&w->shape))
        bitmap_end_write(w, s, !(stripe_see(w, s)->state & STRIPE_DEGRADED), e);
    slot->written = NONE32;
    while (p != NONE32) {
        piece_id next = piece_see(w, p)->next;

        piece_at(w, p)->next = NONE32;
        bio_drop(w, piece_see(w, p)->bio, e);
        p = next;
    }
}

static enum io_reason reason_of(const struct world *w, const struct pass *pass, stripe_id s,
                                unsigned disk, bool write)
{
    uint32_t flags = slot_see(w, s, disk)->flags;

    if ((flags & (SLOT_READ_ERROR | SLOT_REWRITE)) == (SLOT_READ_ERROR | SLOT_REWRITE))
        return write ? REASON_REWRITE : REASON_VERIFY;
    if (!write)
        return pass->why;
    if (pass->syncing && slot_see(w, s, disk)->written == NONE32)
        return REASON_RESYNC;
    return stripe_see(w, s)->parity == disk ? REASON_PARITY : REASON_DATA;
}

/* May the member be sent this I/O? Not a page that a member which has failed to write lists. */
static bool may_issue(const struct world *w, stripe_id s, unsigned slot, bool write)
{
    unsigned disk = member_of(w, slot);

    return member_alive(w, disk) &&
           !(write && (disk_see(w, disk)->flags & MEMBER_WRITE_ERROR) &&
             member_badness(w, disk, stripe_see(w, s)->sector, PAGE_SECTORS) != BAD_NOT);
}

/* Forced unit access goes with data and parity alike, if any of the stripe's writes asks for it. */
static bool is_forced(const struct world *w, stripe_id s)
{
    for (unsigned i = 0; w->shape.write_cache && i < w->shape.geometry.disks; i++)
        for (piece_id p = slot_see(w, s, i)->written; p != NONE32; p = piece_see(w, p)->next)
            if (request_see(w, piece_request(w, p))->flags & REQUEST_FUA)
                return true;
    return false;
}

static void issue(struct world *w, struct pass *pass, stripe_id s, unsigned disk, bool write,
                  struct effects *e)
{
    io_id io = io_of_slot(w, s, disk);
    struct io *r = io_at(w, io);

    stripe_at(w, s)->count++;
    if (s != pass->s)
        stripe_at(w, pass->s)->count++; /* the head waits for its members' I/O as well */
    r->sector = stripe_see(w, s)->sector;
    r->sectors = PAGE_SECTORS;
    r->page = slot_page(w, s, disk);
    r->issuer = pass->by;
    r->kind = write ? IO_WRITE : IO_READ;
    r->reason = (uint8_t)reason_of(w, pass, s, disk, write);
    r->fua = (r->reason == REASON_DATA || r->reason == REASON_PARITY) && is_forced(w, s);
    r->flags = pass->syncing || pass->replacing ? IO_SYNC : 0;
    work(e, WORK_SLOT_IO, 1);
    work(e, WORK_BIO, 1);
    if (write && w->shape.defer) {
        defer_link(w, io, &pass->kept_first, &pass->kept_last);
        return;
    }
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

static void issue_slot(struct world *w, struct pass *pass, unsigned i, bool write,
                       struct effects *e)
{
    stripe_id head = pass->s;
    bool batch = write && stripe_see(w, head)->batch_head == head;

    for (stripe_id s = head; s != NONE16; s = batch ? stripe_see(w, s)->batch_next : NONE16) {
        if (may_issue(w, s, i, write)) {
            stripe_at(w, s)->state |= STRIPE_IO_STARTED;
            issue(w, pass, s, i, write, e);
            continue;
        }
        ASSERT(write || has_log(&w->shape)); /* it may have failed while the stripe was trapped */
        stripe_at(w, s)->state |= STRIPE_HANDLE | (write ? STRIPE_DEGRADED : 0);
        slot_at(w, s, i)->flags &= ~(uint32_t)SLOT_LOCKED;
    }
}

void operations_issue(struct world *w, struct pass *pass, struct effects *e)
{
    if (log_takes(w, pass, e))
        return;
    pass->kept_first = NONE32;
    mark(e, MARK_ISSUED);
    for (unsigned i = w->shape.geometry.disks; i-- > 0;) {
        struct slot *slot = slot_at(w, pass->s, i);
        bool write = slot->flags & SLOT_WANTWRITE;

        if (!(slot->flags & (SLOT_WANTWRITE | SLOT_WANTREAD)))
            continue;
        slot->flags &= ~(uint32_t)(write ? SLOT_WANTWRITE : SLOT_WANTREAD);
        issue_slot(w, pass, i, write, e);
    }
    if (pass->kept_first != NONE32)
        defer_keep(w, pass->by, stripe_see(w, pass->s)->sector, pass->kept_first, pass->kept_last,
                   e);
}
