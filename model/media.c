/*
 * Media contents: a table over written pages (model/table.h); everything else is computed.
 *
 * Places are never freed: a written page stays written. Capacity: at least twice the pages the
 * scenario's jobs can write (sim/shape.c).
 */
#include "model/media.h"

#include "model/table.h"
#include "model/tag.h"

static struct medium *entry_at(struct world *w, uint64_t i)
{
    return world_at(w, SEC_MEDIA, i);
}

static const struct medium *entry_see(const struct world *w, uint64_t i)
{
    return world_see(w, SEC_MEDIA, i);
}

static tag *stable_of(struct medium *m)
{
    return (tag *)(m + 1);
}

static uint64_t key_of(unsigned disk, uint64_t page)
{
    return ((uint64_t)disk << 40 | page) + 1;
}

/* The initial content of one sector group of a member: the array block it holds, or the xor of its
 * row. */
static tag initial(const struct world *w, unsigned disk, uint64_t sector)
{
    const struct geometry *g = &w->shape.geometry;
    unsigned parity = geometry_parity(g, sector);
    tag sum = 0;

    if (disk != parity)
        return tag_of(geometry_unmap(g, sector, disk) / w->shape.group_sectors, 0);
    for (unsigned d = 0; d < g->disks; d++)
        if (d != parity)
            sum ^= tag_of(geometry_unmap(g, sector, d) / w->shape.group_sectors, 0);
    return sum;
}

void media_read(struct world *w, unsigned disk, uint64_t sector, uint32_t count, uint32_t page)
{
    const struct shape *s = &w->shape;
    uint64_t first = sector / s->group_sectors, last = (sector + count - 1) / s->group_sectors;
    tag *to = tags_at(w, (uint64_t)page * s->tags_per_page);
    uint64_t lead = first % s->tags_per_page;

    for (uint64_t group = first; group <= last; group++) {
        const struct medium *m = NULL;

        if (s->media_entries) {
            uint64_t i = table_find(w, SEC_MEDIA, key_of(disk, group / s->tags_per_page));

            m = i == NONE64 ? NULL : entry_see(w, i);
        }
        to[lead + group - first] =
            m ? ((const tag *)(m + 1))[s->tags_per_page + group % s->tags_per_page]
              : initial(w, disk, group * s->group_sectors);
    }
}

static void dirty_link(struct world *w, unsigned disk, uint64_t i)
{
    struct disk *d = disk_at(w, disk);
    struct medium *m = entry_at(w, i);
    uint32_t ref = (uint32_t)i + 1;

    m->dirty = 1;
    m->prev = d->dirty_tail;
    if (d->dirty_tail)
        entry_at(w, d->dirty_tail - 1)->next = ref;
    else
        d->dirty_head = ref;
    d->dirty_tail = ref;
    d->dirty++;
}

static void dirty_unlink(struct world *w, unsigned disk, uint64_t i)
{
    struct disk *d = disk_at(w, disk);
    struct medium *m = entry_at(w, i);

    if (m->prev)
        entry_at(w, m->prev - 1)->next = m->next;
    else
        d->dirty_head = m->next;
    if (m->next)
        entry_at(w, m->next - 1)->prev = m->prev;
    else
        d->dirty_tail = m->prev;
    m->next = m->prev = m->dirty = 0;
    d->dirty--;
}

static void settle(struct world *w, unsigned disk, uint64_t i)
{
    tag *stable = stable_of(entry_at(w, i));

    for (unsigned g = 0; g < w->shape.tags_per_page; g++)
        stable[g] = stable[w->shape.tags_per_page + g];
    if (entry_at(w, i)->dirty)
        dirty_unlink(w, disk, i);
}

/* A record lies elsewhere: its neighbours in the list of dirty pages must know. */
static void entry_moved(struct world *w, uint64_t from, uint64_t to)
{
    const struct medium *m = entry_see(w, to);
    struct disk *d = disk_at(w, (m->key - 1) >> 40);
    uint32_t ref = (uint32_t)to + 1;

    (void)from;
    if (!m->dirty)
        return;
    if (m->prev)
        entry_at(w, m->prev - 1)->next = ref;
    else
        d->dirty_head = ref;
    if (m->next)
        entry_at(w, m->next - 1)->prev = ref;
    else
        d->dirty_tail = ref;
}

static uint64_t entry_for(struct world *w, unsigned disk, uint64_t page)
{
    bool fresh;
    uint64_t i = table_place(w, SEC_MEDIA, key_of(disk, page), &fresh, entry_moved);
    unsigned n = w->shape.tags_per_page;

    for (unsigned g = 0; fresh && g < n; g++)
        stable_of(entry_at(w, i))[g] = stable_of(entry_at(w, i))[n + g] =
            initial(w, disk, page * PAGE_SECTORS + g * w->shape.group_sectors);
    return i;
}

void media_write(struct world *w, unsigned disk, uint64_t sector, uint32_t count, uint32_t page,
                 bool durable)
{
    const struct shape *s = &w->shape;
    uint64_t first = sector / s->group_sectors, last = (sector + count - 1) / s->group_sectors;
    const tag *from = tags_see(w, (uint64_t)page * s->tags_per_page);
    uint64_t lead = first % s->tags_per_page;

    for (uint64_t group = first; group <= last; group++) {
        uint64_t i = entry_for(w, disk, group / s->tags_per_page);

        stable_of(entry_at(w, i))[s->tags_per_page + group % s->tags_per_page] =
            from[lead + group - first];
        if (durable)
            settle(w, disk, i);
        else if (!entry_at(w, i)->dirty)
            dirty_link(w, disk, i);
    }
}

void media_flush(struct world *w, unsigned disk)
{
    while (disk_see(w, disk)->dirty_head)
        settle(w, disk, disk_see(w, disk)->dirty_head - 1);
}
