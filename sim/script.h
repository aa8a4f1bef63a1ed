/*
 * Scripts of I/Os: the load written down operation by operation, so that two drivers can be made to
 * do the very same things.
 *
 * The language is that of the recordings' own load program (tests/oracle/ioseq.c):
 *
 *     r:OFF:LEN w:OFF:LEN W:OFF:LEN    a read, a write, a write with FUA; each waits for its end
 *     b:OFF:LEN                        a write through the page cache
 *     { ... }                          all I/Os between in one io_submit, then wait for all
 *     [ ... ]                          each its own io_submit, none waits; then wait for all
 *     seq:D:OFF:TOTAL:BS:QD            a stream, D = r or w, QD outstanding
 *     rand:D:RANGE:BS:COUNT:QD:SEED    COUNT blocks at random
 *     mix:RP:RANGE:BS:COUNT:QD:SEED    the same, RP percent reads
 *     sleep:MS  flush  mark:N
 *
 * Sizes are bytes, K and M count 1024 and 1024 * 1024. Random numbers come from the LCG that
 * ioseq.c defines, so the same seed means the same offsets.
 *
 * The page cache is modelled as far as it shows: what `b` wrote goes to the array in bios of a
 * page, in ascending order, without REQ_SYNC and in one plug, by the first `sleep` that ends 100 ms
 * or more after it (the recordings' writeback interval), by `flush`, or at the end. `flush` then
 * asks the array to flush its members, and so does the end of a write with O_DSYNC (between
 * brackets: of the last). `mark` is for a profiler and does nothing.
 */
#ifndef SIM_SCRIPT_H
#define SIM_SCRIPT_H
#include <stdbool.h>
#include <stdint.h>

#include "sim/scenario.h"

struct complaint;

enum {
    SCRIPT_OUTSTANDING_MAX = 4096, /* QD, and I/Os between brackets */
    SCRIPT_ASKS_MAX = 1 << 22
};

struct script_ask {
    uint64_t sector;
    uint64_t sleep_ns; /* to pass first, counted from when it might have been issued */
    uint32_t sectors;
    uint16_t outstanding; /* issued when no more than these are under way; UINT16_MAX: at once */
    uint8_t flags;        /* enum request_flag */
    uint8_t pad;
};

struct script {
    struct script_ask *ask; /* owned */
    uint32_t count, capacity;
    uint32_t depth;      /* most outstanding */
    uint64_t first, end; /* array sectors [first, end) are touched */
    uint32_t largest;    /* I/O, in sectors */
    uint32_t align;      /* all sectors and lengths are multiples of this power of two, 8 at most */
    bool reads, writes;
};

/* Expands operations parted by blanks. False: *complaint says which is wrong, nothing is kept. The
 * file of the complaint is "ioseq". */
bool script_parse(struct script *, const char *ops, struct complaint *);
void script_free(struct script *);
/* Fills in what the rest of the program has to know of a script job in the job's own keys: depth,
 * region, sizes, direction. */
void script_settle_job(const struct script *, struct job *);

#endif
