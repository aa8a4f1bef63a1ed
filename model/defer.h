/*
 * Deferred member writes (spec 8.4): where worker groups exist and all members rotate, the writes
 * of a pass are kept and sent later, in the order of their sectors.
 *
 * One record a pass that writes: its sector and its member I/Os, chained in the order in which they
 * were made. Records lie sorted by sector, equal ones in order of arrival: md sorts at each
 * dispatch, which comes to the same. A dispatch begins at the record that was next when the last
 * one ended, and wraps round.
 */
#ifndef MODEL_DEFER_H
#define MODEL_DEFER_H
#include "model/step.h"

enum { DEFER_MAX = 512, DEFER_SOME = 128 };

WORLD_STRUCTS_BEGIN
struct deferred {
    uint64_t sector; /* of the stripe */
    io_id first, last;
};
WORLD_STRUCTS_END

WORLD_SECTION(deferred, struct deferred, SEC_DEFERRED)
WORLD_SECTION(link, io_id, SEC_LINKS)

/* Puts an idle member write, filled in, at the end of a chain; *first NONE32: it is the first. */
void defer_link(struct world *, io_id, io_id *first, io_id *last);
/* Keeps a chain of a stripe at that sector; when there is no room for more, a part of what is kept
 * goes to the members. */
void defer_keep(struct world *, actor_id by, uint64_t sector, io_id first, io_id last,
                struct effects *);
/* Is anything kept? */
bool defer_any(const struct world *);
/* All of it goes to the members. */
void defer_flush(struct world *, actor_id by, struct effects *);

#endif
