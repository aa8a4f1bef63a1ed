/* Ordered linear probing (Amble and Knuth 1974). */
#include "model/table.h"

#include <string.h>

static uint64_t key_at(const struct world *w, enum section s, uint64_t i)
{
    return *(const uint64_t *)world_see(w, s, i);
}

static uint64_t first_place(const struct world *w, enum section s, uint64_t key)
{
    enum {
        NEIGHBOURS = 16
    }; /* keys that follow one another lie together: memory is touched once */
    uint64_t x = key / NEIGHBOURS * 0x9e3779b97f4a7c15u;

    return ((x ^ x >> 32) * NEIGHBOURS + key % NEIGHBOURS) & (w->count[s] - 1);
}

uint64_t table_find(const struct world *w, enum section s, uint64_t key)
{
    uint64_t i = first_place(w, s, key), at;

    while ((at = key_at(w, s, i)) > key)
        i = (i + 1) & (w->count[s] - 1);
    return at == key ? i : NONE64;
}

/* Moves the record of a place on to where it belongs behind it, after the one that lies there has
 * been moved on: every record is in the table whenever `moved` looks. */
static void make_room(struct world *w, enum section s, uint64_t from,
                      void (*moved)(struct world *, uint64_t, uint64_t))
{
    uint64_t key = key_at(w, s, from), i = from, at;

    do {
        i = (i + 1) & (w->count[s] - 1);
        ASSERT(i != from);
        at = key_at(w, s, i);
    } while (at > key);
    if (at)
        make_room(w, s, i, moved);
    memcpy(world_at(w, s, i), world_see(w, s, from), w->item[s]);
    if (moved)
        moved(w, from, i);
}

uint64_t table_place(struct world *w, enum section s, uint64_t key, bool *fresh,
                     void (*moved)(struct world *, uint64_t from, uint64_t to))
{
    uint64_t i = first_place(w, s, key), at;

    ASSERT(key);
    while ((at = key_at(w, s, i)) > key)
        i = (i + 1) & (w->count[s] - 1);
    *fresh = at != key;
    if (!*fresh)
        return i;
    if (at)
        make_room(w, s, i, moved);
    memset(world_at(w, s, i), 0, w->item[s]);
    memcpy(world_at(w, s, i), &key, sizeof key);
    return i;
}

/* Does a key that belongs at `home` and lies at `at` probe past `gap`? */
static bool passes(uint64_t home, uint64_t gap, uint64_t at)
{
    return gap <= at ? home <= gap || home > at : home <= gap && home > at;
}

/* The first record behind a gap that would have lain there is the largest of those that would: so
 * it fills the gap, and leaves one. */
void table_remove(struct world *w, enum section s, uint64_t place,
                  void (*moved)(struct world *, uint64_t from, uint64_t to))
{
    uint64_t gap = place, mask = w->count[s] - 1, at, key;

    for (at = (gap + 1) & mask; (key = key_at(w, s, at)) != 0; at = (at + 1) & mask) {
        if (!passes(first_place(w, s, key), gap, at))
            continue;
        memcpy(world_at(w, s, gap), world_see(w, s, at), w->item[s]);
        if (moved)
            moved(w, at, gap);
        gap = at;
    }
    memset(world_at(w, s, gap), 0, w->item[s]);
}
