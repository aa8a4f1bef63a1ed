/* Finding an actor's step. */
#include "model/step.h"

const struct step *system_step(const struct system *sys, const struct world *w, actor_id who)
{
    const struct actor *a = actor_see(w, who);
    const struct actor_kind *k = sys->kinds[a->kind];

    ASSERT(a->pc < k->step_count);
    return &k->steps[a->pc];
}

uint32_t system_ways(const struct system *sys, const struct world *w, actor_id who)
{
    return system_step(sys, w, who)->ways(w, who);
}

bool system_allows(const struct system *sys, const struct world *w, struct move m)
{
    const struct step *s = system_step(sys, w, m.who);
    uint32_t ways = s->ways(w, m.who);

    if (actor_see(w, m.who)->pc != m.step || !ways)
        return false;
    return s->allows ? s->allows(w, m.who, m.way) : m.way < ways;
}

void system_fire(const struct system *sys, struct world *w, struct move m, struct effects *e)
{
    e->count = 0;
    system_step(sys, w, m.who)->fire(w, m.who, m.way, e);
}

bool system_at_rest(const struct system *sys, const struct world *w)
{
    for (actor_id who = 0; who < w->shape.actors; who++)
        if (sys->kinds[actor_see(w, who)->kind]->venue != VENUE_FATE && system_ways(sys, w, who))
            return false;
    return true;
}

uint32_t effects_needed(const struct shape *s)
{
    /* Waking everybody costs two effects each; a slot has at most eight pieces in each of its three
     * lists, each of which may end a bio and a request: bio, reply and wake, four in all. One pass
     * of md-2.6.15 may serve all readers (with copy and lock seven a piece), end all written bios,
     * take as many again into the page, fold it into parity twice and submit it: 114 a slot; or
     * serve the readers and fail the rest: 122. */
    uint32_t chunk_pages = s->geometry.chunk_sectors / PAGE_SECTORS;
    uint32_t batch =
        s->generation == GENERATION_61 ? (chunk_pages < s->stripes ? chunk_pages : s->stripes) : 1;

    /* All stripes may be on the list of released ones, or on a plug list, and be filed at once: a
     * release each, and raid5d poked or woken. */
    uint32_t filed = s->generation == GENERATION_61 ? 6 * s->stripes : 0;

    /* Each worker is woken or asked once at most; a flush sends whatever has been kept. */
    uint32_t workers = 4u * s->workers + (s->defer ? s->stripes * s->geometry.disks + 1024 : 0);

    /* A batch's head does the work of all its members: contents, parity, member I/O, ends of bios.
     */
    return filed + workers + batch * 36 * (uint32_t)s->geometry.disks + 64 +
           4 * (uint32_t)s->clients + 110 * (uint32_t)s->geometry.disks;
}
