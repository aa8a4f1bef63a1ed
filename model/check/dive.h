/*
 * Searches that follow one path at a time: depth first with a table or a bit map of seen states,
 * and random walks. One thread each; several with different `order` or walks share the work without
 * knowing of one another, so that what comes out does not depend on who was faster.
 *
 * Paths found this way are seldom the shortest.
 */
#ifndef MODEL_CHECK_DIVE_H
#define MODEL_CHECK_DIVE_H
#include "model/check/search.h"

struct dive_options {
    uint32_t order; /* 0: moves as they are listed; 1: backwards; else shuffled by it */
    uint32_t depth; /* no longer paths than that; 0: as long as memory is */
    bool bits; /* three bits a state in a map of all the memory, instead of its key in a table */
    bool reduce;
};

struct dive {
    const struct problem *problem;
    struct dive_options options;
    struct world *before, *after;
    struct effects effects;
    struct moves moves; /* of one state, for listing */
    struct seen seen;
    uint64_t *bit;
    uint64_t bits; /* in the map; a power of two */
    struct dive_frame *frame;
    uint64_t frames, top; /* there are; in use */
    struct move *move;    /* of all frames, one after another */
    uint64_t move_room, move_count;
    uint64_t *word; /* packed states of all frames */
    uint64_t word_room, word_count;
    struct search_counts counts;
    uint64_t deepest;
    struct finding finding;
    bool cut;       /* some path was not followed to its end, for depth or memory */
    bool no_memory; /* the table is full */
};

/* Makes a search of `bytes` zeroed bytes, 16-byte aligned, the caller's. False: too few. */
bool dive_start(struct dive *, const struct problem *, const struct dive_options *, void *memory,
                uint64_t bytes);
/* Depth first, to the end or to a finding. */
void dive_deep(struct dive *);
/* One random walk from the start, to a state without moves or `depth` moves. True: a finding; the
 * path is in the frames as after dive_deep. */
bool dive_walk(struct dive *, uint64_t seed);
/* The moves to the finding, finding.length of them, written to list. */
void dive_trace(const struct dive *, struct move *list);

#endif
