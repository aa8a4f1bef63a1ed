/* Extents in ascending order, none touching the next. */
#include "model/fill.h"

#include <string.h>

#include "model/io.h"

static struct extent *at_of(struct world *w, unsigned disk, uint32_t i)
{
    return extent_at(w, disk * fill_extents(&w->shape) + i);
}

static const struct extent *see_of(const struct world *w, unsigned disk, uint32_t i)
{
    return extent_see(w, disk * fill_extents(&w->shape) + i);
}

/* The first extent that ends at the page or behind it. */
static uint32_t find(const struct world *w, unsigned disk, uint64_t page)
{
    uint32_t from = 0, to = disk_see(w, disk)->extents;

    while (from < to) {
        uint32_t middle = (from + to) / 2;

        if (see_of(w, disk, middle)->end < page)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool fill_has(const struct world *w, unsigned disk, uint64_t page)
{
    uint32_t i = find(w, disk, page);

    for (; i < disk_see(w, disk)->extents && see_of(w, disk, i)->first <= page; i++)
        if (page < see_of(w, disk, i)->end)
            return true;
    return false;
}

static void drop(struct world *w, unsigned disk, uint32_t i)
{
    struct disk *d = disk_at(w, disk);

    d->extents--;
    memmove(at_of(w, disk, i), at_of(w, disk, i) + 1, (d->extents - i) * sizeof(struct extent));
    *at_of(w, disk, d->extents) = (struct extent){ 0 };
}

/* Lengthens a neighbour by the page; false: it has none. */
static bool join(struct world *w, unsigned disk, uint64_t page)
{
    uint32_t i = find(w, disk, page);
    struct extent *x;

    if (i == disk_see(w, disk)->extents)
        return false;
    x = at_of(w, disk, i);
    if (x->first <= page && page < x->end)
        return true;
    if (x->end == page) {
        x->end++;
        if (i + 1 < disk_see(w, disk)->extents && see_of(w, disk, i + 1)->first == x->end) {
            x->end = see_of(w, disk, i + 1)->end;
            drop(w, disk, i + 1);
        }
        return true;
    }
    if (x->first != page + 1)
        return false;
    x->first--;
    return true;
}

bool fill_add(struct world *w, unsigned disk, uint64_t page)
{
    struct disk *d = disk_at(w, disk);
    uint32_t i;

    if (join(w, disk, page))
        return true;
    if (d->extents == fill_extents(&w->shape))
        return false;
    i = find(w, disk, page);
    if (i < d->extents)
        memmove(at_of(w, disk, i) + 1, at_of(w, disk, i), (d->extents - i) * sizeof(struct extent));
    d->extents++;
    *at_of(w, disk, i) = (struct extent){ .first = page, .end = page + 1 };
    return true;
}

void fill_join(struct world *w, unsigned disk, uint64_t page)
{
    join(w, disk, page);
}

void fill_forget(struct world *w, unsigned disk)
{
    struct disk *d = disk_at(w, disk);

    if (d->extents)
        memset(at_of(w, disk, 0), 0, d->extents * sizeof(struct extent));
    d->extents = 0;
}
