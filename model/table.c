/* Ordered linear probing (Amble and Knuth 1974). */
#include "model/table.h"

#include <string.h>

enum { RECORD_MAX = 256 };

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

/* Puts a record that had to leave `from` down where it belongs further on, which may make another
 * leave its place. */
static void push_on(struct world *w, enum section s, uint64_t from, const char *record,
                    void (*moved)(struct world *, uint64_t, uint64_t))
{
    char carried[RECORD_MAX], resident[RECORD_MAX];
    uint64_t size = w->item[s], i = from, origin = from;

    memcpy(carried, record, size);
    for (;;) {
        uint64_t key, at;

        memcpy(&key, carried, sizeof key);
        do {
            i = (i + 1) & (w->count[s] - 1);
            ASSERT(i != from);
            at = key_at(w, s, i);
        } while (at > key);
        memcpy(resident, world_see(w, s, i), size);
        memcpy(world_at(w, s, i), carried, size);
        if (moved)
            moved(w, origin, i);
        if (!at)
            return;
        memcpy(carried, resident, size);
        origin = i;
    }
}

uint64_t table_place(struct world *w, enum section s, uint64_t key, bool *fresh,
                     void (*moved)(struct world *, uint64_t from, uint64_t to))
{
    uint64_t i = first_place(w, s, key), at;
    char evicted[RECORD_MAX];

    ASSERT(key && w->item[s] <= RECORD_MAX);
    while ((at = key_at(w, s, i)) > key)
        i = (i + 1) & (w->count[s] - 1);
    *fresh = at != key;
    if (!*fresh)
        return i;
    memcpy(evicted, world_see(w, s, i), w->item[s]);
    memset(world_at(w, s, i), 0, w->item[s]);
    memcpy(world_at(w, s, i), &key, sizeof key);
    if (at)
        push_on(w, s, i, evicted, moved);
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
