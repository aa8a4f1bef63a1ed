/* The write journal: see journal.h. */
#include "model/journal.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/log.h"
#include "model/members.h"
#include "model/queue.h"

/* mdadm's meta block of an empty log, and the one it begins with. */
enum { PAGE_LINES = PAGE_BYTES / 64 };
enum { JOURNAL_BEGIN = 2 * PAGE_SECTORS, FREE_SHARE = 4 };

static unsigned device(const struct world *w)
{
    return w->shape.geometry.disks;
}

static struct journal_unit *nth(struct world *w, uint32_t n)
{
    return unit_at(w, (journal_see(w, 0)->oldest + n) % w->count[SEC_UNITS]);
}

void journal_begin(struct world *w)
{
    *journal_at(w, 0) = (struct journal){ .at = JOURNAL_BEGIN,
                                          .checkpoint = PAGE_SECTORS,
                                          .done = PAGE_SECTORS,
                                          .waiting = NONE16,
                                          .waiting_tail = NONE16 };
}

bool journal_has_failed(const struct world *w)
{
    return !member_alive(w, device(w));
}

/* ---- logging */

static void reclaim(struct world *w, struct effects *e)
{
    struct journal *j = journal_at(w, 0);

    if (j->telling || j->done == j->checkpoint || journal_has_failed(w))
        return;
    j->telling = j->done;
    array_at(w, 0)->sb_flags |= SB_DEVS | SB_PENDING;
    cache_wake_raid5d(w, e);
}

static struct journal_unit *open_unit(struct world *w, unsigned pages)
{
    struct journal *j = journal_at(w, 0);
    struct journal_unit *u = j->units ? nth(w, j->units - 1) : NULL;

    if (u && u->state == UNIT_OPEN && u->pages + pages <= JOURNAL_PAGES_MAX)
        return u;
    u = nth(w, j->units++);
    *u = (struct journal_unit){
        .from = j->at, .to = j->at + PAGE_SECTORS, .first = NONE16, .last = NONE16
    };
    j->at = u->to;
    return u;
}

static bool has_room(const struct world *w, unsigned pages)
{
    const struct journal *j = journal_see(w, 0);

    return j->at + (pages + 1) * PAGE_SECTORS - j->checkpoint < w->shape.log_sectors &&
           j->units < w->count[SEC_UNITS];
}

static void append(struct world *w, stripe_id s, unsigned pages, struct effects *e)
{
    struct journal_unit *u = open_unit(w, pages);
    struct logged *l = logged_at(w, s);

    work(e, WORK_CRC_LINE, pages * PAGE_LINES);
    l->flags = LOGGED_TRAPPED | LOGGED_IN_UNIT;
    l->unit = (uint32_t)(u - unit_at(w, 0));
    l->next = NONE16;
    if (u->first == NONE16)
        u->first = s;
    else
        logged_at(w, u->last)->next = s;
    u->last = s;
    u->unfinished++;
    u->pages = (uint16_t)(u->pages + pages);
    u->to += (uint64_t)pages * PAGE_SECTORS;
    journal_at(w, 0)->at = u->to;
}

static void wait_for_space(struct world *w, stripe_id s, struct effects *e)
{
    struct journal *j = journal_at(w, 0);

    logged_at(w, s)->flags = LOGGED_TRAPPED;
    logged_at(w, s)->next = NONE16;
    if (j->waiting == NONE16)
        j->waiting = s;
    else
        logged_at(w, j->waiting_tail)->next = s;
    j->waiting_tail = s;
    reclaim(w, e);
}

bool journal_takes(struct world *w, struct pass *p, struct effects *e)
{
    struct stripe *x = stripe_at(w, p->s);
    struct logged *l = logged_at(w, p->s);
    unsigned pages = 0;

    if ((l->flags & LOGGED_IN_UNIT) || (x->state & STRIPE_SYNCING) || journal_has_failed(w) ||
        !(slot_see(w, p->s, x->parity)->flags & SLOT_WANTWRITE)) {
        l->flags &= (uint8_t)~LOGGED_TRAPPED;
        return false;
    }
    for (unsigned i = 0; i < w->shape.geometry.disks; i++)
        pages += (slot_see(w, p->s, i)->flags & SLOT_WANTWRITE) != 0;
    x->state &= (uint16_t)~STRIPE_DELAYED;
    x->count++;
    if (has_room(w, pages))
        append(w, p->s, pages, e);
    else
        wait_for_space(w, p->s, e);
    return true;
}

/* ---- the write */

static void let_go(struct world *w, stripe_id s, struct effects *e)
{
    while (s != NONE16) {
        stripe_id next = logged_see(w, s)->next;

        logged_at(w, s)->next = NONE16;
        stripe_at(w, s)->state |= STRIPE_HANDLE;
        queue_release(w, s, e);
        s = next;
    }
}

static void send(struct world *w, actor_id by, struct journal_unit *u, uint64_t from,
                 uint32_t sectors, io_id io, struct effects *e)
{
    *io_at(w, io) = (struct io){ .sector = w->shape.log_sector + from % w->shape.log_sectors,
                                 .sectors = sectors,
                                 .page = (uint32_t)(u - unit_at(w, 0)),
                                 .issuer = by,
                                 .kind = IO_WRITE,
                                 .reason = REASON_JOURNAL,
                                 .flags = IO_META };
    u->bios++;
    work(e, WORK_LOG_PAGE, sectors / PAGE_SECTORS - 1);
    work(e, WORK_BIO, 1);
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

static void flush(struct world *w, actor_id by, struct effects *e)
{
    struct journal *j = journal_at(w, 0);
    io_id io = io_of_log(w, device(w)) - 1;
    uint32_t n = 0;

    while (n < j->units && nth(w, n)->state > UNIT_LOGGED)
        if (nth(w, n++)->state == UNIT_FLUSHING)
            return;
    if (n == j->units || nth(w, n)->state != UNIT_LOGGED)
        return;
    while (n < j->units && nth(w, n)->state == UNIT_LOGGED)
        nth(w, n++)->state = UNIT_FLUSHING;
    *io_at(w, io) =
        (struct io){ .page = NONE32, .issuer = by, .kind = IO_FLUSH, .reason = REASON_JOURNAL };
    work(e, WORK_BIO, 1);
    work(e, WORK_MEMBER_BIO, 1);
    io_queue(w, io, e);
}

void journal_submit(struct world *w, actor_id by, struct effects *e)
{
    struct journal *j = journal_at(w, 0);

    for (uint32_t n = j->units; n-- > 0;) {
        struct journal_unit *u = nth(w, n);
        uint64_t size = w->shape.log_sectors, left = size - u->from % size;
        uint64_t all = u->to - u->from;

        if (u->state != UNIT_OPEN)
            break;
        u->state = UNIT_SENT;
        work(e, WORK_CRC_LINE, PAGE_LINES);
        send(w, by, u, u->from, (uint32_t)(all < left ? all : left),
             io_of_stripe(w, u->first, device(w)), e);
        if (all > left)
            send(w, by, u, u->from + left, (uint32_t)(all - left), io_of_log(w, device(w)), e);
    }
    if (w->shape.write_cache)
        flush(w, by, e);
}

/* io_units whose turn it is, in the order of the log. */
static void run(struct world *w, unsigned from_state, struct effects *e)
{
    struct journal *j = journal_at(w, 0);

    while (j->run < j->units && nth(w, j->run)->state == from_state) {
        struct journal_unit *u = nth(w, j->run++);
        stripe_id s = u->first;

        u->state = UNIT_RUNS;
        u->first = u->last = NONE16;
        let_go(w, s, e);
    }
}

void journal_ended(struct world *w, io_id io, const struct io *ended, struct effects *e)
{
    struct journal_unit *u;

    (void)io;
    if (ended->failed)
        member_fail(w, device(w), e);
    if (ended->kind == IO_FLUSH) {
        run(w, UNIT_FLUSHING, e);
        return;
    }
    u = unit_at(w, ended->page);
    if (--u->bios)
        return;
    u->state = UNIT_LOGGED;
    if (w->shape.write_cache)
        cache_wake_raid5d(w, e);
    else
        run(w, UNIT_LOGGED, e);
}

/* ---- the end of an io_unit */

void journal_finish(struct world *w, stripe_id s, struct effects *e)
{
    struct journal *j = journal_at(w, 0);
    struct logged *l = logged_at(w, s);

    if (!(l->flags & LOGGED_IN_UNIT))
        return;
    ASSERT(unit_see(w, l->unit)->unfinished);
    unit_at(w, l->unit)->unfinished--;
    *l = (struct logged){ .next = NONE16 };
    while (j->units && nth(w, 0)->state == UNIT_RUNS && !nth(w, 0)->unfinished) {
        j->done = nth(w, 0)->to;
        *nth(w, 0) = (struct journal_unit){ 0 };
        j->oldest = (uint32_t)((j->oldest + 1) % w->count[SEC_UNITS]);
        j->units--;
        j->run--;
    }
    if (j->done - j->checkpoint > w->shape.log_sectors / FREE_SHARE || j->waiting != NONE16)
        reclaim(w, e);
}

void journal_told(struct world *w, struct effects *e)
{
    struct journal *j = journal_at(w, 0);
    stripe_id s = j->waiting;

    if (!j->telling && !journal_has_failed(w))
        return;
    if (j->telling)
        j->checkpoint = j->telling;
    j->telling = 0;
    j->waiting = j->waiting_tail = NONE16;
    let_go(w, s, e);
}
