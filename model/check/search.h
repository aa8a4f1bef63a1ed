/*
 * The breadth-first search: every move out of every state, level by level, by several threads.
 *
 * The caller owns all memory and the threads. A round is
 *
 *   every thread  search_expand(s, t)      expand the level
 *   (all have come back)
 *   every thread  search_settle(s, t)      the new level keeps its parents
 *   (all have come back)
 *   one           search_turn(s)           false: it is over
 *
 * What comes out does not depend on the number of threads nor on who was faster: a level is always
 * expanded whole, of several findings the one with the shortest trace counts and of these the one
 * with the smallest (property, key, move), and of several parents of a state the one with the
 * smallest key.
 */
#ifndef MODEL_CHECK_SEARCH_H
#define MODEL_CHECK_SEARCH_H
#include "model/check/edges.h"
#include "model/check/frontier.h"
#include "model/check/moves.h"
#include "model/check/pack.h"
#include "model/check/seen.h"

enum { SEARCH_THREADS = 64, SEARCH_MOVES = 4096 };

struct search_options {
    uint32_t threads; /* 1 to SEARCH_THREADS */
    uint32_t depth;   /* no longer paths than that; 0: any */
    bool exact;       /* keep whole states: no state can be taken for another */
    bool liveness;    /* from every state rest must be reachable */
    bool reduce;      /* follow moves that commute with all others alone (problem.is_alone) */
};

/* What has been found: the state of that key, or what happened on the way out of it by `move`. */
struct finding {
    unsigned property; /* FOUND_NOTHING: nothing */
    bool by_move;
    uint32_t length; /* moves to it */
    uint64_t key;
    struct move move;
};

struct search_counts {
    uint64_t moves;     /* fired */
    uint64_t states;    /* found to be new */
    uint64_t rest;      /* of these at rest */
    uint64_t rest_keys; /* the sum of their keys: the same set, the same sum */
};

enum search_end { SEARCH_GOES_ON, SEARCH_DONE, SEARCH_FOUND, SEARCH_NO_MEMORY, SEARCH_DEPTH };

/* A successor whose place in the table is on its way from memory. */
struct successor {
    struct world *world;
    uint64_t key;
    bool waits;
};

struct search_thread {
    struct world *before;
    struct successor after[2];
    struct moves moves;
    struct effects effects;
    struct frontier_writer writer;
    struct edge_chunk *chunk;
    struct search_counts counts;
    struct finding finding;
    bool no_memory, no_edges;
};

struct search {
    const struct problem *problem;
    struct search_options options;
    struct seen seen;
    struct frontier frontier;
    struct edges edges;
    struct search_thread thread[SEARCH_THREADS];
    struct search_counts counts; /* of all threads, up to the last turn */
    struct finding finding;
    uint64_t frontier_states; /* to be expanded next */
    uint32_t depth;           /* levels expanded */
    enum search_end end;
    bool no_edges; /* liveness was not decided: no memory for edges */
};

/* Makes a search of `bytes` zeroed bytes, 16-byte aligned; the start state is its first level.
 * False: too few bytes. */
bool search_start(struct search *, const struct problem *, const struct search_options *,
                  void *memory, uint64_t bytes);
void search_expand(struct search *, uint32_t thread);
void search_settle(struct search *, uint32_t thread);
bool search_turn(struct search *);
/* The moves from the start to the finding; they are written to list, search.finding.length of them
 * at most. Returns how many; 0 with a finding: two states have been taken for one on the way. Uses
 * the first thread's memory. */
uint32_t search_trace(struct search *, struct move *list);

#endif
