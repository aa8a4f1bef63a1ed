/* Handing out one block of memory from its front. */
#ifndef MODEL_CHECK_PURSE_H
#define MODEL_CHECK_PURSE_H
#include <string.h>

#include "model/world.h"

struct purse {
    char *at; /* 16-byte aligned */
    uint64_t left;
};

/* So many bytes, 16-byte aligned; NULL: there are not as many left. */
static inline void *purse_take(struct purse *p, uint64_t bytes)
{
    char *at = p->at;

    bytes = (bytes + 15) / 16 * 16;
    if (bytes > p->left)
        return NULL;
    p->at += bytes;
    p->left -= bytes;
    return at;
}

/* A copy of a world. */
static inline struct world *purse_copy(struct purse *p, const struct world *w)
{
    struct world *copy = purse_take(p, world_bytes(w));

    return copy ? memcpy(copy, w, world_bytes(w)) : NULL;
}

#endif
