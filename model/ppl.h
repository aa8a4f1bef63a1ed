/*
 * The partial parity log (spec 13.4; recordings log-ppl-*). Each member has one, for the stripes
 * whose parity it holds. Before a stripe's members are written, what the stripe's other pages add
 * up to goes there: after a crash parity can be made again though a member is missing.
 *
 * Stripes are gathered in io_units: a header of one page, and a page of partial parity for each
 * stripe that is not overwritten as a whole. One io_unit of a log is under way at a time, from its
 * write until all its stripes are on their members, and flushed if members have volatile caches;
 * those logged meanwhile wait in order.
 *
 * Kernel: raid5-ppl.c ppl_write_stripe, ppl_log_stripe, ppl_submit_iounit, ppl_log_endio,
 * ppl_stripe_write_finished, ops_run_partial_parity (6.1).
 */
#ifndef MODEL_PPL_H
#define MODEL_PPL_H
#include "model/machine.h"

enum {
    PPL_ENTRIES_MAX = 148,  /* what a header holds */
    PPL_UNIT_SECTORS = 256, /* the largest io_unit, its header included */
    PPL_HEADER_SECTORS = PAGE_SECTORS
};

WORLD_STRUCTS_BEGIN
/* Of every member. */
struct ppl {
    uint64_t entry_sector;   /* the open io_unit's last entry: its lowest array sector */
    uint32_t entry_sectors;  /* and its data */
    uint32_t at;             /* sectors into the log: where the next io_unit goes */
    uint64_t written;        /* bit d: the io_unit under way writes to member d */
    stripe_id head, tail;    /* logged and not sent, in order */
    stripe_id writing;       /* the first stripe of the io_unit whose write is under way */
    uint16_t unfinished;     /* stripes of the io_unit under way; 0: there is none */
    uint16_t flushes;        /* of members, at its end, under way */
    uint16_t pages, entries; /* of the open io_unit, the last in the queue */
    uint8_t open;
    uint8_t pad;
};
WORLD_STRUCTS_END

WORLD_SECTION(ppl, struct ppl, SEC_PPL)

void ppl_begin(struct world *);
bool ppl_takes(struct world *, struct pass *, struct effects *);
void ppl_partial_parity(struct world *, struct pass *, struct effects *);
void ppl_finish(struct world *, actor_id by, stripe_id, struct effects *);
void ppl_submit(struct world *, actor_id by, struct effects *);
void ppl_written(struct world *, unsigned slot, bool failed, struct effects *);
/* A flush of that device has ended; `log`: whose io_unit asked for it. */
void ppl_flushed(struct world *, unsigned disk, unsigned log, bool failed, struct effects *);
/* A log entry describes one range: would a write to that slot leave a hole between those of a
 * stripe? */
bool ppl_clashes(const struct world *, stripe_id, unsigned disk);

#endif
