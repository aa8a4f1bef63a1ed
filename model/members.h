/*
 * Members as md sees them: failing, lists of bad blocks, spares, who counts (spec 2.3, 8.3, 11.2).
 *
 * A list of bad blocks holds whole pages (md-6.1 records what a stripe could not do, and a stripe
 * is one page high), in ascending order, with the bit UNACKNOWLEDGED set until the superblocks of
 * all members have been written. Kernel: md.c md_error, rdev_set_badblocks, remove_and_add_spares;
 * raid5.c raid5_error, raid5_spare_active; badblocks.c (6.1).
 */
#ifndef MODEL_MEMBERS_H
#define MODEL_MEMBERS_H
#include "model/io.h"
#include "model/stripe.h"

WORLD_SECTION(bad, uint64_t, SEC_BAD)

enum badness { BAD_NOT, BAD_ACKNOWLEDGED, BAD_UNACKNOWLEDGED };

/* Does the list of that member name a page of these sectors? The worst that is found. */
enum badness member_badness(const struct world *, unsigned disk, uint64_t sector, uint32_t sectors);
/* Records the page of that sector; md writes the superblocks soon. False: the member has no list,
 * or no room in it. */
bool member_set_bad(struct world *, unsigned disk, uint64_t sector, struct effects *);
/* Strikes it off. */
void member_clear_bad(struct world *, unsigned disk, uint64_t sector);
/* The superblocks are about to be written: all lists count as acknowledged. */
void members_acknowledge(struct world *);

/* Part of the array, in a slot or not, and not faulty. */
bool member_is_bound(const struct world *, unsigned disk);
/* md_error: the member is faulty from now on. */
void member_fail(struct world *, unsigned disk, struct effects *);
/* Is there a number for one device more? That of one that has left is taken at last. */
bool members_may_add(const struct world *);
/* A blank device comes: it waits as a spare until raid5d gives it a slot. */
void members_add_spare(struct world *, struct effects *);
/* A device that has left comes back, as it was, and to the slot it was in if that is empty. Only
 * what its superblock and the bitmap do not cover has to be rebuilt; without a bitmap all of it. */
void member_return(struct world *, unsigned disk, struct effects *);
/* Is there a faulty member nobody uses any more? */
bool members_removable(const struct world *);
/* Empties the slots of those. */
void members_remove(struct world *);
/* Puts spares into empty slots. Returns how many members there are to be rebuilt. */
unsigned members_seat_spares(struct world *);
/* Members whose rebuild is complete are in sync. */
void members_activate(struct world *);
/* Works array.degraded out anew. */
void members_count_degraded(struct world *);
/* More members missing than parity makes up for. */
bool members_too_few(const struct world *);

#endif
