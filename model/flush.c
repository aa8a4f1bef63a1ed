/* Flushes: see flush.h. How far a waiting caller has come stands in its register `page`. */
#include "model/flush.h"

#include "model/io.h"
#include "model/oracle.h"
#include "model/stripe.h"
#include "model/waits.h"

enum { CAME_JUST_NOW, WAITS, WAITS_FOR_THIS_ONE, IS_SERVED };

static void flush_members(struct world *w, actor_id who, bio_id b, struct effects *e)
{
    for (unsigned d = shape_devices(&w->shape); d-- > 0 && w->shape.write_cache;) {
        io_id io = io_of_bio(w, b, d);

        if (!member_alive(w, d))
            continue;
        *io_at(w, io) = (struct io){ .page = NONE32, .issuer = who, .kind = IO_FLUSH };
        bio_at(w, b)->left++;
        work(e, WORK_BIO, 1);
        work(e, WORK_MEMBER_BIO, 1);
        io_queue(w, io, e);
    }
}

/* All who wait move from one stage on to the next. */
static void move_waiters(struct world *w, unsigned from, unsigned to)
{
    const struct wait_queue *q = waits_see(w, WAIT_FLUSH);

    for (actor_id who = q->waiters ? q->head : NONE16; who != NONE16; who = actor_see(w, who)->next)
        if (actor_see(w, who)->page == from)
            actor_at(w, who)->page = (uint16_t)to;
}

bool flush_begin(struct world *w, actor_id who, bio_id b, struct effects *e)
{
    struct array *a = array_at(w, 0);
    struct actor *x = actor_at(w, who);
    bool served = x->page == IS_SERVED;

    if (a->flushing && !served) {
        if (x->page == CAME_JUST_NOW)
            x->page = WAITS;
        waits_sleep(w, who, WAIT_FLUSH);
        return false;
    }
    waits_leave(w, who);
    if (w->shape.log != LOG_NONE)
        return true; /* what has ended is safe: the log has seen to it */
    x->page = CAME_JUST_NOW;
    if (served)
        return true;
    if (w->shape.geometry.level != LEVEL_RAW) {
        a->flushing = 1;
        bio_at(w, b)->counted = BIO_IS_FLUSH;
        move_waiters(w, WAITS, WAITS_FOR_THIS_ONE);
        oracle_flush_begins(w);
    }
    flush_members(w, who, b, e);
    return true;
}

void flush_end(struct world *w, struct effects *e)
{
    array_at(w, 0)->flushing = 0;
    oracle_flush_ends(w);
    if (!w->shape.flushes_apart)
        move_waiters(w, WAITS_FOR_THIS_ONE, IS_SERVED);
    waits_wake_all(w, WAIT_FLUSH, e);
}
