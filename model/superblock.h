/*
 * What raid5d does for the array as a whole before it looks at stripes (md_check_recovery), and
 * what it keeps writers waiting for: superblocks, members that leave and come, the resync thread's
 * beginning and end (spec 8.3, 11.2, 12.1; recordings log-clean, err-*, sync-*).
 *
 *   SLEEP -> CHECK -> SUPERBLOCK -> CHECK ... -> LOOP        superblocks of all members at once
 *              +----> GRACE -> CHECK                         a faulty member leaves its slot
 *
 * Kernel: md.c md_check_recovery, md_update_sb, md_write_start, md_write_end, md_safemode_timeout,
 * remove_and_add_spares, md_reap_sync_thread (6.1).
 */
#ifndef MODEL_SUPERBLOCK_H
#define MODEL_SUPERBLOCK_H
#include "model/step.h"

/* Is there anything for CHECK to do? */
bool superblock_due(const struct world *);
/* The steps of raid5d. */
void superblock_check(struct world *, actor_id who, uint64_t way, struct effects *);
uint32_t superblock_is_down(const struct world *, actor_id who);
void superblock_written(struct world *, actor_id who, uint64_t way, struct effects *);
void superblock_grace(struct world *, actor_id who, uint64_t way, struct effects *);
/* A superblock or bitmap I/O has ended. */
void superblock_ended(struct world *, unsigned disk, bool failed, struct effects *);

/* A bio is about to write: the superblocks must say so first. False: they do not yet, and the
 * caller waits on WAIT_SUPERBLOCK. */
bool superblock_write_start(struct world *, struct effects *);
/* It has ended. */
void superblock_write_end(struct world *, struct effects *);

/* The timer of safe_mode_delay. */
extern const struct actor_kind safemode_kind;

#endif
