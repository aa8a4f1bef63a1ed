/* The partial parity log: see ppl.h. */
#include "model/ppl.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/log.h"
#include "model/members.h"
#include "model/queue.h"

enum { PAGE_LINES = PAGE_BYTES / 64 };

void ppl_begin(struct world *w)
{
    for (unsigned d = 0; d < w->shape.geometry.disks; d++)
        *ppl_at(w, d) = (struct ppl){ .head = NONE16, .tail = NONE16, .writing = NONE16 };
}

/* ---- logging */

static uint64_t array_sector(const struct world *w, stripe_id s, unsigned disk)
{
    return geometry_unmap(&w->shape.geometry, stripe_see(w, s)->sector, disk);
}

/* The data that is about to be written: where it begins in the array, and on how many members. */
static unsigned data_of(const struct world *w, stripe_id s, uint64_t *first)
{
    unsigned count = 0;

    *first = 0;
    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        uint64_t sector;

        if (i == stripe_see(w, s)->parity || !(slot_see(w, s, i)->flags & SLOT_WANTWRITE))
            continue;
        sector = array_sector(w, s, i);
        if (!count++ || sector < *first)
            *first = sector;
    }
    return count;
}

/* Does the stripe continue the last entry: the next page of the same members? */
static bool continues(const struct world *w, const struct ppl *log, stripe_id s, uint64_t first,
                      unsigned count)
{
    uint32_t chunk = w->shape.geometry.chunk_sectors;

    return log->entries &&
           stripe_see(w, s)->sector == stripe_see(w, log->tail)->sector + PAGE_SECTORS &&
           first / chunk == log->entry_sector / chunk &&
           (first - log->entry_sector) * count == log->entry_sectors;
}

static void append(struct world *w, struct ppl *log, stripe_id s, struct effects *e)
{
    struct logged *l = logged_at(w, s);
    uint64_t first;
    unsigned count = data_of(w, s, &first);

    if ((log->pages + 1) * PAGE_SECTORS >= PPL_UNIT_SECTORS || log->entries == PPL_ENTRIES_MAX)
        log->open = 0;
    l->flags = LOGGED_TRAPPED | LOGGED_IN_UNIT;
    l->next = NONE16;
    if (!log->open) {
        l->flags |= LOGGED_FIRST;
        log->open = 1;
        log->pages = log->entries = 0;
    }
    if (continues(w, log, s, first, count)) {
        log->entry_sectors += count * PAGE_SECTORS;
    } else {
        log->entry_sector = first;
        log->entry_sectors = count * PAGE_SECTORS;
        log->entries++;
    }
    if (!(stripe_see(w, s)->state & STRIPE_FULL_WRITE)) {
        work(e, WORK_CRC_LINE, PAGE_LINES);
        l->flags |= LOGGED_PARTIAL;
        log->pages++;
    }
    if (log->head == NONE16)
        log->head = s;
    else
        logged_at(w, log->tail)->next = s;
    log->tail = s;
}

bool ppl_takes(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);
    const struct slot *parity = slot_see(w, p->s, x->parity);
    struct logged *l = logged_at(w, p->s);

    if ((l->flags & LOGGED_IN_UNIT) || (x->state & STRIPE_SYNCING) ||
        !(parity->flags & SLOT_WANTWRITE) || !(parity->flags & SLOT_INSYNC)) {
        l->flags &= (uint8_t)~LOGGED_TRAPPED;
        return false;
    }
    if (!member_alive(w, member_of(w, x->parity)))
        return false;
    x->state &= (uint16_t)~STRIPE_DELAYED;
    x->count++;
    append(w, ppl_at(w, x->parity), p->s, e);
    return true;
}

/* rmw: parity as prexor has left it; rcw: the pages that stay. */
void ppl_partial_parity(struct world *w, struct pass *p, struct effects *e)
{
    unsigned parity = stripe_see(w, p->s)->parity;

    if ((stripe_see(w, p->s)->state & STRIPE_FULL_WRITE) ||
        !(slot_see(w, p->s, parity)->flags & SLOT_INSYNC))
        return;
    if (p->prexor) {
        work(e, WORK_COPY_LINE, PAGE_LINES);
        return;
    }
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        if (i != parity && !(slot_see(w, p->s, i)->flags & SLOT_WANTDRAIN))
            work(e, WORK_XOR_LINE, PAGE_LINES);
}

/* ---- the write */

/* The stripes of an io_unit may go on; in the order in which they came. */
static void let_go(struct world *w, stripe_id s, struct effects *e)
{
    while (s != NONE16) {
        struct logged *l = logged_at(w, s);
        stripe_id next = l->next;

        l->next = NONE16;
        l->flags &= (uint8_t)~LOGGED_FIRST;
        stripe_at(w, s)->state |= STRIPE_HANDLE;
        queue_release(w, s, e);
        s = next;
    }
}

static void send(struct world *w, actor_id by, unsigned slot, uint32_t sectors, struct effects *e)
{
    struct ppl *log = ppl_at(w, slot);
    io_id io = io_of_log(w, member_of(w, slot));

    if (w->shape.log_sectors < 2 * (uint64_t)PPL_UNIT_SECTORS ||
        w->shape.log_sectors - log->at < sectors)
        log->at = 0;
    *io_at(w, io) = (struct io){ .sector = w->shape.log_sector + log->at,
                                 .sectors = sectors,
                                 .page = NONE32,
                                 .issuer = by,
                                 .kind = IO_WRITE,
                                 .fua = w->shape.write_cache,
                                 .reason = REASON_PPL,
                                 .flags = IO_META };
    log->at += sectors;
    work(e, WORK_CRC_LINE, PAGE_LINES);
    work(e, WORK_LOG_PAGE, sectors / PAGE_SECTORS - 1);
    work(e, WORK_BIO, 1);
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

static void note_members(struct world *w, struct ppl *log, stripe_id s)
{
    for (unsigned i = 0; i < w->shape.geometry.disks && w->shape.write_cache; i++)
        if (slot_see(w, s, i)->flags & SLOT_WANTWRITE)
            log->written |= UINT64_C(1) << i;
}

/* Takes the first io_unit off the queue. */
static void submit_unit(struct world *w, actor_id by, unsigned slot, struct effects *e)
{
    struct ppl *log = ppl_at(w, slot);
    stripe_id s = log->head, last = s;
    uint32_t sectors = PPL_HEADER_SECTORS;

    log->writing = s;
    do {
        last = s;
        sectors += logged_see(w, s)->flags & LOGGED_PARTIAL ? PAGE_SECTORS : 0;
        log->unfinished++;
        note_members(w, log, s);
        s = logged_see(w, s)->next;
    } while (s != NONE16 && !(logged_see(w, s)->flags & LOGGED_FIRST));
    logged_at(w, last)->next = NONE16;
    log->head = s;
    if (s == NONE16) {
        log->tail = NONE16;
        log->open = 0;
        log->entry_sector = log->entry_sectors = 0;
        log->pages = log->entries = 0;
    }
    if (disk_see(w, member_of(w, slot))->flags & MEMBER_PRESENT)
        send(w, by, slot, sectors, e);
    else
        ppl_written(w, slot, false, e);
}

void ppl_submit(struct world *w, actor_id by, struct effects *e)
{
    for (unsigned d = 0; d < w->shape.geometry.disks; d++)
        if (ppl_see(w, d)->head != NONE16 && !ppl_see(w, d)->unfinished && !ppl_see(w, d)->flushes)
            submit_unit(w, by, d, e);
}

void ppl_written(struct world *w, unsigned slot, bool failed, struct effects *e)
{
    struct ppl *log = ppl_at(w, slot);
    stripe_id first = log->writing;

    if (failed)
        member_fail(w, member_of(w, slot), e);
    log->writing = NONE16;
    let_go(w, first, e);
}

/* ---- the end of an io_unit */

static void flush_members(struct world *w, actor_id by, unsigned slot, struct effects *e)
{
    struct ppl *log = ppl_at(w, slot);

    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        io_id io = io_of_log(w, member_of(w, i)) - 1 - slot;

        if (!(log->written >> i & 1) || !member_alive(w, member_of(w, i)))
            continue;
        *io_at(w, io) =
            (struct io){ .page = NONE32, .issuer = by, .kind = IO_FLUSH, .reason = REASON_PPL };
        log->flushes++;
        work(e, WORK_BIO, 1);
        work(e, WORK_MEMBER_BIO, 1);
        io_queue(w, io, e);
    }
    log->written = 0;
}

void ppl_flushed(struct world *w, unsigned disk, unsigned log, bool failed, struct effects *e)
{
    if (failed)
        member_fail(w, disk, e);
    ASSERT(ppl_see(w, log)->flushes);
    if (--ppl_at(w, log)->flushes == 0)
        cache_wake_raid5d(w, e);
}

void ppl_finish(struct world *w, actor_id by, stripe_id s, struct effects *e)
{
    struct ppl *log = ppl_at(w, stripe_see(w, s)->parity);
    struct logged *l = logged_at(w, s);

    if (!(l->flags & LOGGED_IN_UNIT))
        return;
    ASSERT(log->unfinished && log->writing == NONE16);
    *l = (struct logged){ .next = NONE16 };
    if (--log->unfinished == 0)
        flush_members(w, by, stripe_see(w, s)->parity, e);
}

/* ---- what may be in one stripe */

bool ppl_clashes(const struct world *w, stripe_id s, unsigned disk)
{
    uint64_t lowest = 0, highest = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < w->shape.geometry.disks; i++) {
        uint64_t sector;

        if (i == stripe_see(w, s)->parity || (i != disk && slot_see(w, s, i)->towrite == NONE32))
            continue;
        sector = array_sector(w, s, i);
        if (!count++ || sector < lowest)
            lowest = sector;
        highest = sector > highest ? sector : highest;
    }
    return lowest + (uint64_t)w->shape.geometry.chunk_sectors * (count - 1) != highest;
}
