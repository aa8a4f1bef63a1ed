/*
 * The ledger: what users asked, what the array made of it, what its members had to do.
 *
 * Sums over all members, made once for the text report, the JSON report and [expect]. Amplification
 * is bytes at the members for each byte that users moved; what the resync thread reads and writes
 * is nobody's request and left out of it.
 */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H
#include "sim/results.h"

struct ledger {
    uint64_t user_ios[2], user_bytes[2]; /* 0 reads, 1 writes */
    struct results_io by_reason[RESULT_REASONS][RESULT_KINDS];
    struct results_io all[RESULT_KINDS]; /* over all reasons */
    uint64_t stripes;                    /* written; a stripe that is written again counts again */
    uint64_t prereads;                   /* member reads before a write: rmw and rcw */
    uint64_t load_bytes[2];              /* at the members, without resync */
};

struct ledger ledger_of(const struct results *);
/* Both in thousandths: of a member byte for each user byte; of a read for each user write. Without
 * user bytes, or writes, 0. */
uint64_t ledger_amplification(const struct ledger *, unsigned dir);
uint64_t ledger_prereads_per_write(const struct ledger *);

#endif
