/*
 * Trials: random walks of md-6.1 in which fate may strike at any move (tests/lib/walk.h).
 *
 * A careful trial strikes one member at a time, its victim (a slot): another takes its place only
 * when the array is as good as new. Then md owes everybody a right answer. A wild one strikes
 * anybody.
 */
#ifndef TESTS_LIB_TRIAL_H
#define TESTS_LIB_TRIAL_H
#include "tests/lib/walk.h"

struct trial {
    struct walk k; /* first: the walk's functions get the trial back */
    bool careful;
    unsigned victim;
    bool doubled[64];      /* rows in which two members have been in trouble at once */
    bool seen_failed[64];  /* requests that have failed, by record */
    uint32_t corrected[8]; /* by device */
    uint64_t failed;       /* I/Os that have met an error */
};

/* Begins a walk; it frees no world. */
void trial_start(struct trial *, struct small *, uint64_t seed, uint32_t requests, bool careful);
/* One more strike by hand. */
void trial_strike(struct trial *, uint64_t name);
/* Whatever is missing is replaced, whatever waits may go on, until nothing is left to do. */
void trial_heal(struct trial *);
/* The next move; false: the walk is over. Keeps books of what has failed, been corrected and been
 * read, and fails the test when one does not add up. */
bool trial_move(struct trial *, struct move *);

/* How many members of that row cannot be asked, or are known to fail there. */
unsigned trial_troubles(const struct world *, uint64_t sector);
/* Nothing is wrong anywhere, and nothing under way will turn out to be. */
bool trial_as_new(const struct world *);

#endif
