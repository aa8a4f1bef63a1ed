/* Ordered linear probing (Amble and Knuth 1974). */
#include "model/table.h"

#include <string.h>

static uint64_t key_at(const struct world *w, enum section s, uint64_t i)
{
    return *(const uint64_t *)world_see(w, s, i);
}

static uint64_t first_place(const struct world *w, enum section s, uint64_t key)
{
    uint64_t x = key * 0x9e3779b97f4a7c15u;

    return (x ^ x >> 32) & (w->count[s] - 1);
}

uint64_t table_find(const struct world *w, enum section s, uint64_t key)
{
    uint64_t i = first_place(w, s, key), at;

    while ((at = key_at(w, s, i)) > key)
        i = (i + 1) & (w->count[s] - 1);
    return at == key ? i : NONE64;
}

/* Where the record at `from` goes when it has to make room: behind all that are larger. */
static uint64_t next_place(const struct world *w, enum section s, uint64_t from)
{
    uint64_t key = key_at(w, s, from), i = from;

    do {
        i = (i + 1) & (w->count[s] - 1);
        ASSERT(i != from);
    } while (key_at(w, s, i) > key);
    return i;
}

/* Makes room at `from`: its record goes further on, which may make another leave its place. The
 * last to move goes first, so that whoever is told of a move finds all the others in a place. */
static void push_on(struct world *w, enum section s, uint64_t from,
                    void (*moved)(struct world *, uint64_t, uint64_t))
{
    uint64_t gap = from;

    while (key_at(w, s, gap))
        gap = next_place(w, s, gap);
    while (gap != from) {
        uint64_t last = from, to;

        while ((to = next_place(w, s, last)) != gap)
            last = to;
        memcpy(world_at(w, s, gap), world_see(w, s, last), w->item[s]);
        if (moved)
            moved(w, last, gap);
        gap = last;
    }
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
        push_on(w, s, i, moved);
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
