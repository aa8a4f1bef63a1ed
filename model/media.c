/*
 * Media contents: a table over written pages (model/table.h); everything else is computed.
 *
 * Places are not freed while their device is there: a written page stays written. Capacity: at
 * least twice the pages the scenario's jobs can write (sim/shape.c).
 */
#include "model/media.h"

#include "model/fill.h"
#include "model/stored.h"
#include "model/table.h"
#include "model/tag.h"

/* What rot does to the content of a sector group. */
#define SPOILED 0x5a5a5a5aa5a5a5a5u

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

/* What a slot of the array holds at first in one sector group: an array block, or the xor of its
 * row. */
static tag initial(const struct world *w, unsigned slot, uint64_t sector)
{
    const struct geometry *g = &w->shape.geometry;
    unsigned parity = geometry_parity(g, sector);
    tag sum = 0;

    if (slot != parity)
        return tag_of(geometry_unmap(g, sector, slot) / w->shape.group_sectors, 0);
    if (w->shape.stale_parity && sector >= w->shape.recovery_cp)
        sum = SPOILED;
    for (unsigned d = 0; d < g->disks; d++)
        if (d != parity)
            sum ^= tag_of(geometry_unmap(g, sector, d) / w->shape.group_sectors, 0);
    return sum;
}

/* What a page that nobody wrote holds: of a new device nothing, but for what a rebuild has given
 * it.
 */
static tag unwritten(const struct world *w, unsigned disk, uint64_t sector)
{
    if ((disk_see(w, disk)->device & DEVICE_NEW) && !fill_has(w, disk, sector / PAGE_SECTORS))
        return 0;
    return initial(w, disk_see(w, disk)->slot, sector);
}

tag media_see(const struct world *w, unsigned disk, uint64_t sector)
{
    const struct shape *s = &w->shape;
    uint64_t group = sector / s->group_sectors, i = NONE64;

    if (s->media_entries)
        i = table_find(w, SEC_MEDIA, key_of(disk, group / s->tags_per_page));
    if (i == NONE64)
        return unwritten(w, disk, group * s->group_sectors);
    return ((const tag *)(entry_see(w, i) + 1))[s->tags_per_page + group % s->tags_per_page];
}

void media_read(struct world *w, unsigned disk, uint64_t sector, uint32_t count, uint32_t page)
{
    const struct shape *s = &w->shape;
    uint64_t first = sector / s->group_sectors, last = (sector + count - 1) / s->group_sectors;
    tag *to = tags_at(w, (uint64_t)page * s->tags_per_page);
    uint64_t lead = first % s->tags_per_page;

    for (uint64_t group = first; group <= last; group++)
        to[lead + group - first] = media_see(w, disk, group * s->group_sectors);
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
            unwritten(w, disk, page * PAGE_SECTORS + g * w->shape.group_sectors);
    return i;
}

/* Does a whole page bring only what its slot began with, and nothing else has been written there?
 * Then there is nothing to remember, but for a new device that it has been given. */
static bool is_as_it_began(struct world *w, unsigned disk, uint64_t sector, uint32_t count,
                           uint32_t page)
{
    const struct shape *s = &w->shape;
    const tag *from = tags_see(w, (uint64_t)page * s->tags_per_page);
    uint64_t number = sector / PAGE_SECTORS;
    bool new_device = disk_see(w, disk)->device & DEVICE_NEW;

    if (sector % PAGE_SECTORS || count != PAGE_SECTORS)
        return false;
    for (unsigned g = 0; g < s->tags_per_page; g++)
        if (from[g] !=
            initial(w, disk_see(w, disk)->slot, sector + (uint64_t)g * s->group_sectors)) {
            if (new_device)
                fill_join(w, disk, number);
            return false;
        }
    if (s->media_entries && table_find(w, SEC_MEDIA, key_of(disk, number)) != NONE64)
        return false;
    return !new_device || fill_add(w, disk, number);
}

void media_write(struct world *w, unsigned disk, uint64_t sector, uint32_t count, uint32_t page,
                 bool durable)
{
    const struct shape *s = &w->shape;
    uint64_t first = sector / s->group_sectors, last = (sector + count - 1) / s->group_sectors;
    const tag *from = tags_see(w, (uint64_t)page * s->tags_per_page);
    uint64_t lead = first % s->tags_per_page;

    if (is_as_it_began(w, disk, sector, count, page))
        return;
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

void media_destage(struct world *w, unsigned disk, uint32_t k)
{
    uint32_t ref = disk_see(w, disk)->dirty_head;

    for (ASSERT(k < disk_see(w, disk)->dirty); k > 0; k--)
        ref = entry_see(w, ref - 1)->next;
    settle(w, disk, ref - 1);
}

void media_cut(struct world *w, unsigned disk)
{
    uint32_t ref;

    while ((ref = disk_see(w, disk)->dirty_head) != 0) {
        tag *stable = stable_of(entry_at(w, ref - 1));

        for (unsigned g = 0; g < w->shape.tags_per_page; g++)
            stable[w->shape.tags_per_page + g] = stable[g];
        dirty_unlink(w, disk, ref - 1);
    }
}

void media_replace(struct world *w, unsigned disk)
{
    while (disk_see(w, disk)->dirty_head)
        dirty_unlink(w, disk, disk_see(w, disk)->dirty_head - 1);
    for (uint64_t i = 0; i < w->shape.media_entries;) {
        const struct medium *m = entry_see(w, i);

        if (m->key && (m->key - 1) >> 40 == disk)
            table_remove(w, SEC_MEDIA, i, entry_moved);
        else
            i++;
    }
    fill_forget(w, disk);
    stored_forget(w, disk);
    disk_at(w, disk)->device = DEVICE_NEW;
}

void media_spoil(struct world *w, unsigned disk, uint64_t sector, uint32_t count)
{
    const struct shape *s = &w->shape;

    for (uint64_t group = sector / s->group_sectors;
         group <= (sector + count - 1) / s->group_sectors; group++) {
        uint64_t i = entry_for(w, disk, group / s->tags_per_page);
        unsigned g = (unsigned)(group % s->tags_per_page);

        stable_of(entry_at(w, i))[g] ^= SPOILED;
        stable_of(entry_at(w, i))[s->tags_per_page + g] ^= SPOILED;
    }
}
