/*
 * What the explorer is asked: a system, where it starts, and what must never be.
 *
 * The explorer (model/check/) knows worlds and moves and nothing else. Whatever it has to know of
 * RAID5 it asks through these functions; they are pure, may be called by several threads at once,
 * and get `context`, which they own.
 */
#ifndef MODEL_CHECK_PROBLEM_H
#define MODEL_CHECK_PROBLEM_H
#include "model/step.h"

/* Findings of the explorer itself; those of the problem are numbered from FOUND_OWN on
 * (model/properties.h). */
enum { FOUND_NOTHING, FOUND_STUCK, FOUND_LIVELOCK, FOUND_OWN };

struct problem {
    const struct system *system;
    const struct world *start;
    void *context;
    /* How many ways this actor has now, the scheduler's own choices among them, and the name of the
     * k-th. Precondition of name: k < ways. */
    uint32_t (*ways)(const struct problem *, const struct world *, actor_id);
    uint64_t (*name)(const struct problem *, const struct world *, actor_id, uint32_t k);
    /* Fires one of them. The property that this move broke, or FOUND_NOTHING; after BUG the world
     * is not to be used any more. */
    unsigned (*fire)(const struct problem *, struct world *, struct move, struct effects *);
    /* The property that this state breaks. at_rest: only what the explorer may be unable to move
     * could still move. */
    unsigned (*broken)(const struct problem *, const struct world *, bool at_rest);
    /* May everything be left like this? Asked of states in which nobody moves by himself. */
    bool (*finished)(const struct problem *, const struct world *);
    /* Does this actor move only if it wants to (fate)? A state in which nobody else can is one of
     * rest. */
    bool (*is_idle)(const struct problem *, const struct world *, actor_id);
    /* Reduction: does the actor's one move commute with every move anybody else can make until it
     * is made, and does no property see it? Then it alone is followed. NULL: no reduction. */
    bool (*is_alone)(const struct problem *, const struct world *, actor_id);
    /* What has been fired, for whoever counts. NULL: nobody does. */
    void (*fired)(const struct problem *, unsigned thread, const struct world *before,
                  const struct world *after, struct move, const struct effects *);
};

#endif
