/* Which log: see log.h. */
#include "model/log.h"

#include "model/ppl.h"

void log_begin(struct world *w)
{
    for (stripe_id s = 0; s < w->count[SEC_LOGGED]; s++)
        logged_at(w, s)->next = NONE16;
    if (w->shape.log == LOG_PPL)
        ppl_begin(w);
}

bool log_takes(struct world *w, struct pass *p, struct effects *e)
{
    return w->shape.log == LOG_PPL && ppl_takes(w, p, e);
}

void log_before_drain(struct world *w, struct pass *p, struct effects *e)
{
    if (w->shape.log == LOG_PPL)
        ppl_partial_parity(w, p, e);
}

void log_finish(struct world *w, stripe_id s, struct effects *e)
{
    if (w->shape.log == LOG_PPL)
        ppl_finish(w, s, e);
}

void log_submit(struct world *w, actor_id by, struct effects *e)
{
    if (w->shape.log == LOG_PPL)
        ppl_submit(w, by, e);
}

void log_ended(struct world *w, io_id io, const struct io *ended, struct effects *e)
{
    unsigned disk = io_disk(w, io);

    if (ended->kind == IO_FLUSH)
        ppl_flushed(w, disk, io_of_log(w, disk) - 1 - io, ended->failed, e);
    else
        ppl_written(w, disk, ended->failed, e);
}
