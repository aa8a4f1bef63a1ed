/*
 * What a new device has been given: a spare is blank, and a rebuild fills it
 * page by page with what its slot began with, which costs no memory elsewhere
 * (model/media.h). So do the pages rebuilt here: they are remembered as extents.
 *
 * A rebuild goes upwards with a few stripes out of turn, so there are hardly more extents than
 * stripes in the cache; when there is no room for one more, a page takes its place among the
 * written ones.
 */
#ifndef MODEL_FILL_H
#define MODEL_FILL_H
#include <stdbool.h>

#include "model/world.h"

WORLD_STRUCTS_BEGIN
struct extent {
    uint64_t first, end; /* pages of the member; end: the one behind the last */
};
WORLD_STRUCTS_END
WORLD_SECTION(extent, struct extent, SEC_EXTENTS)

/* Extents a member of this shape can have. */
static inline uint64_t fill_extents(const struct shape *s)
{
    uint64_t pages = s->geometry.component_sectors / PAGE_SECTORS, most = s->stripes + 64u;

    if (!s->faults && !s->spares && !s->additions)
        return 0;
    return pages < most ? pages : most;
}

/* Has that page of a new device been given? */
bool fill_has(const struct world *, unsigned disk, uint64_t page);
/* Gives it. False: no room. */
bool fill_add(struct world *, unsigned disk, uint64_t page);
/* Gives it if that needs no extent more. */
void fill_join(struct world *, unsigned disk, uint64_t page);
/* Blank again. */
void fill_forget(struct world *, unsigned disk);

#endif
