/*
 * Flaws of the members' media: sectors whose reading or writing fails, as fate has it.
 *
 * Kept in order of (member, first sector), so that the ones in the way of an I/O are found by
 * halving. A world holds shape.flaw_entries of them; what does not fit is not remembered.
 */
#ifndef MODEL_FLAWS_H
#define MODEL_FLAWS_H
#include <stdbool.h>

#include "model/io.h"

enum flaw_kind {
    FLAW_READ_UNTIL_WRITTEN = 1u << 0, /* an unreadable sector: writing it heals it */
    FLAW_READ = 1u << 1,               /* never readable again */
    FLAW_WRITE = 1u << 2               /* never writable again */
};

WORLD_STRUCTS_BEGIN
struct flaw {
    uint64_t sector;      /* of the member */
    uint32_t sectors;     /* at least 1 */
    uint8_t member, kind; /* enum flaw_kind, one */
    uint16_t pad;
};
WORLD_STRUCTS_END
WORLD_SECTION(flaw, struct flaw, SEC_FLAWS)

/* Where a member I/O begins, as flaws count sectors: superblock, list of bad blocks and bitmap of
 * version 1.2 stand in front of the data, which have the sectors from 0 on; here they come behind
 * them. */
static inline uint64_t flaws_sector(const struct world *w, const struct io *r)
{
    bool in_front = (r->flags & IO_META) && w->shape.metadata == METADATA_12;

    return r->sector + (in_front ? w->shape.geometry.component_sectors : 0);
}
/* Adds one; a flaw that is known already is not added again. False: no place is left. */
bool flaws_add(struct world *, unsigned member, uint64_t sector, uint32_t sectors,
               enum flaw_kind kind);
/* Does an I/O of that extent meet a flaw that makes it fail? A write that does not fail heals what
 * it covers of the flaws that writing heals. */
bool flaws_meet(struct world *, unsigned member, uint64_t sector, uint32_t sectors, bool write);
/* The device is another one now: forgets its flaws. */
void flaws_forget(struct world *, unsigned member);

#endif
