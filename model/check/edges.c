/* Edges and what follows from them: see edges.h. */
#include "model/check/edges.h"

bool edges_format(struct edges *e, void *at, uint64_t bytes, uint64_t places)
{
    uint64_t bits = (places / 8 + 8) / 8 * 8;

    *e = (struct edges){ .calm = at };
    if (bytes < bits + sizeof *e->chunk || places > UINT32_MAX)
        return false;
    e->chunk = (struct edge_chunk *)(void *)((char *)at + bits);
    e->chunks = (bytes - bits) / sizeof *e->chunk;
    return true;
}

bool edges_add(struct edges *e, struct edge_chunk **mine, uint64_t from, uint64_t to)
{
    struct edge_chunk *c = *mine;

    if (!c || c->count == EDGES_CHUNK) {
        uint64_t n = __atomic_fetch_add(&e->used, 1, __ATOMIC_RELAXED);

        if (n >= e->chunks)
            return false;
        c = *mine = &e->chunk[n];
    }
    c->pair[c->count][0] = (uint32_t)from;
    c->pair[c->count++][1] = (uint32_t)to;
    return true;
}

void edges_rest(struct edges *e, uint64_t place)
{
    __atomic_fetch_or(&e->calm[place / 8], (unsigned char)(1u << place % 8), __ATOMIC_RELAXED);
}

bool edges_is_calm(const struct edges *e, uint64_t place)
{
    return e->calm[place / 8] >> place % 8 & 1;
}

/* The last edges first: they were made last, and calm comes from behind, so that a few rounds do.
 */
void edges_spread(struct edges *e)
{
    uint64_t chunks = e->used < e->chunks ? e->used : e->chunks;
    bool more = true;

    while (more) {
        more = false;
        for (uint64_t n = chunks; n-- > 0;)
            for (uint64_t i = e->chunk[n].count; i-- > 0;) {
                const uint32_t *pair = e->chunk[n].pair[i];

                if (edges_is_calm(e, pair[0]) || !edges_is_calm(e, pair[1]))
                    continue;
                edges_rest(e, pair[0]);
                more = true;
            }
    }
}
