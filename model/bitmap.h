/*
 * The write-intent bitmap (spec 12.2, md-6.1): which chunks of the members may differ from what the
 * array promises.
 *
 * One 16-bit counter a chunk: bit 15 NEEDED (to be synced), bit 14 RESYNC (being synced), the rest
 * counts writes under way, plus 2 while it was written lately; 1: once more left alone, 0: clean,
 * and the bit on disk is, or will soon be, clear. A stripe that is about to be written must wait
 * until the page with its bit is on disk (STRIPE_BIT_DELAY); raid5d writes such pages in batches.
 * Bits are cleared by a daemon, which is raid5d woken every daemon_sleep.
 *
 * Kernel: md-bitmap.c md_bitmap_startwrite, md_bitmap_endwrite, md_bitmap_daemon_work,
 * md_bitmap_unplug, md_bitmap_update_sb, md_bitmap_start_sync, md_bitmap_close_sync (6.1).
 */
#ifndef MODEL_BITMAP_H
#define MODEL_BITMAP_H
#include "model/io.h"
#include "model/stripe.h"

WORLD_SECTION(bitcount, uint16_t, SEC_BITMAP)
WORLD_SECTION(bitpage, uint8_t, SEC_BITPAGES)
WORLD_SECTION(bitgroup, uint8_t, SEC_BITGROUPS)

/* Counters of one chunk. */
enum { BITMAP_NEEDED = 1 << 15, BITMAP_RESYNC = 1 << 14, BITMAP_COUNT = BITMAP_RESYNC - 1 };
/* Pages of the bitmap on disk. */
enum bitmap_page {
    BITMAP_PAGE_DIRTY = 1 << 0,    /* a bit was set: the page must be on disk before the write is */
    BITMAP_PAGE_PENDING = 1 << 1,  /* a bit was cleared */
    BITMAP_PAGE_NEEDWRITE = 1 << 2 /* ... a while ago: to be written when it suits */
};
enum {
    BITMAP_DAEMON_SLEEP_US = 5000000,
    BITMAP_GROUP = 2048,     /* counters looked at together (a page of them) */
    BITMAP_HEAD_BITS = 2048, /* the bitmap's own superblock comes first in page 0 */
    BITMAP_PAGE_BITS = PAGE_BYTES * 8
};

static inline bool has_bitmap(const struct shape *s)
{
    return s->bitmap_chunk_sectors != 0;
}
static inline uint64_t bitmap_chunks(const struct shape *s)
{
    return has_bitmap(s) ? (s->geometry.component_sectors + s->bitmap_chunk_sectors - 1) /
                               s->bitmap_chunk_sectors
                         : 0;
}
static inline uint64_t bitmap_pages(const struct shape *s)
{
    return has_bitmap(s)
               ? (bitmap_chunks(s) + BITMAP_HEAD_BITS + BITMAP_PAGE_BITS - 1) / BITMAP_PAGE_BITS
               : 0;
}
static inline uint64_t bitmap_groups(const struct shape *s)
{
    return (bitmap_chunks(s) + BITMAP_GROUP - 1) / BITMAP_GROUP;
}

/* The first moment: what is not in sync is NEEDED; all bits set if the array has just been made. */
void bitmap_begin(struct world *);

/* A slot of that stripe takes its first write; the stripe has to wait for its bit's page if
 * `delayed`. And the end of such a write: good if no member was left out. */
void bitmap_start_write(struct world *, stripe_id, bool delayed, struct effects *);
void bitmap_end_write(struct world *, stripe_id, bool good, struct effects *);

/* Begins to write the first page that has any of these attributes, to all members in the array;
 * `stop_at_dirty`: pages behind a dirty one wait. False: there is none. The caller waits for
 * array.meta_pending. Goes over the pages once:
 * register `page` of the actor says how far it is. */
bool bitmap_write_page(struct world *, actor_id by, unsigned attributes, bool stop_at_dirty,
                       struct effects *);
/* Writes page 0, where the bitmap's own superblock is, as before every superblock. */
void bitmap_write_head(struct world *, actor_id by, struct effects *);
/* Stripes whose pages are on disk may be handled. */
void bitmap_activate(struct world *, struct effects *);

/* The daemon's turn has come (its timer has run out). */
bool bitmap_daemon_due(const struct world *);
/* Takes bits one step down; pages are then to be written. */
void bitmap_daemon(struct world *, struct effects *);

/* Must the sync look at this member sector? If not, *skip is how many sectors it may pass. */
bool bitmap_needs_sync(const struct world *, uint64_t sector, uint64_t *skip);
/* It does; `complete`: the array will have all its members afterwards. */
void bitmap_start_sync(struct world *, uint64_t sector, bool complete);
/* The sync has come to `sector` and ends, or has all that is below behind it. */
void bitmap_end_sync(struct world *, uint64_t sector, bool aborted, struct effects *);

/* The timer of the daemon. */
extern const struct actor_kind daemon_kind;

/* What the bitmap on disk says of a chunk, and what a write under way will make it say. Kept for
 * properties of a check (D10); md knows nothing of it. */
enum bit_on_disk { BIT_STORED = 1u << 0, BIT_SET_SENT = 1u << 1, BIT_CLEAR_SENT = 1u << 2 };
WORLD_SECTION(bitdisk, uint8_t, SEC_BITDISK)
/* The machine comes back: memory is made from the bitmap on disk, where every bit that is set
 * stands for stripes to be resynced. */
void bitmap_load(struct world *);
/* All writes of metadata that were under way have ended. */
void bitmap_is_down(struct world *);

#endif
