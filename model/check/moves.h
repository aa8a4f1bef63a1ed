/* The moves out of a state, in the order of actors and of their ways. */
#ifndef MODEL_CHECK_MOVES_H
#define MODEL_CHECK_MOVES_H
#include "model/check/problem.h"

struct moves {
    uint32_t count, capacity;
    bool cut;     /* there were more than capacity */
    bool at_rest; /* nobody who must move can */
    struct move *list;
};

/* Fills the list, whose memory is the caller's. With `reduce` it may hold a single move where
 * problem.is_alone says so. */
void moves_list(const struct problem *, const struct world *, bool reduce, struct moves *);

#endif
