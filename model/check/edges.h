/*
 * Which state leads to which, for properties of whole graphs: from every state rest can be reached.
 *
 * An edge is two places of the table of seen states. Threads write edges into chunks of their own.
 */
#ifndef MODEL_CHECK_EDGES_H
#define MODEL_CHECK_EDGES_H
#include <stdbool.h>
#include <stdint.h>

enum { EDGES_CHUNK = 8192 };

struct edge_chunk {
    uint64_t count;
    uint32_t pair[EDGES_CHUNK][2]; /* from, to */
};
struct edges {
    struct edge_chunk *chunk; /* the caller's */
    uint64_t chunks, used;
    unsigned char *calm; /* a bit a place: rest can be reached */
};

/* Makes `bytes` zeroed bytes, 8-byte aligned, an empty store for a table of so many places. False:
 * too few. */
bool edges_format(struct edges *, void *at, uint64_t bytes, uint64_t places);
/* Adds one; *mine is the thread's chunk, NULL at first. False: no memory is left. */
bool edges_add(struct edges *, struct edge_chunk **mine, uint64_t from, uint64_t to);
/* This state is at rest. Several threads may say so at once. */
void edges_rest(struct edges *, uint64_t place);
bool edges_is_calm(const struct edges *, uint64_t place);
/* Marks every state from which a calm one can be reached. */
void edges_spread(struct edges *);

#endif
