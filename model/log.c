/* Which log: see log.h. */
#include "model/log.h"

#include "model/journal.h"
#include "model/ppl.h"

void log_begin(struct world *w)
{
    for (stripe_id s = 0; s < w->count[SEC_LOGGED]; s++)
        logged_at(w, s)->next = NONE16;
    if (w->shape.log == LOG_PPL)
        ppl_begin(w);
    else if (w->shape.log == LOG_JOURNAL)
        journal_begin(w);
}

bool log_takes(struct world *w, struct pass *p, struct effects *e)
{
    if (w->shape.log == LOG_JOURNAL)
        return journal_takes(w, p, e);
    return w->shape.log == LOG_PPL && ppl_takes(w, p, e);
}

void log_before_drain(struct world *w, struct pass *p, struct effects *e)
{
    if (w->shape.log == LOG_PPL)
        ppl_partial_parity(w, p, e);
}

void log_finish(struct world *w, actor_id by, stripe_id s, struct effects *e)
{
    if (w->shape.log == LOG_PPL)
        ppl_finish(w, by, s, e);
    else if (w->shape.log == LOG_JOURNAL)
        journal_finish(w, s, e);
}

void log_submit(struct world *w, actor_id by, struct effects *e)
{
    if (w->shape.log == LOG_PPL)
        ppl_submit(w, by, e);
    else if (w->shape.log == LOG_JOURNAL)
        journal_submit(w, by, e);
}

void log_ended(struct world *w, io_id io, const struct io *ended, struct effects *e)
{
    unsigned disk = io_disk(w, io);

    if (w->shape.log == LOG_JOURNAL)
        journal_ended(w, io, ended, e);
    else if (ended->kind == IO_FLUSH)
        ppl_flushed(w, disk, io_of_log(w, disk) - 1 - io, ended->failed, e);
    else
        ppl_written(w, disk_see(w, disk)->slot, ended->failed, e);
}

void log_told(struct world *w, struct effects *e)
{
    if (w->shape.log == LOG_JOURNAL)
        journal_told(w, e);
}

bool log_has_failed(const struct world *w)
{
    return w->shape.log == LOG_JOURNAL && journal_has_failed(w);
}
