/* Enumerating moves. */
#include "model/check/moves.h"

static void add_ways(const struct problem *p, const struct world *w, actor_id who, uint32_t ways,
                     struct moves *m)
{
    for (uint32_t k = 0; k < ways; k++) {
        if (m->count == m->capacity) {
            m->cut = true;
            return;
        }
        m->list[m->count++] = (struct move){ .way = p->name(p, w, who, k),
                                             .who = who,
                                             .step = actor_see(w, who)->pc };
    }
}

void moves_list(const struct problem *p, const struct world *w, bool reduce, struct moves *m)
{
    m->count = 0;
    m->cut = false;
    m->at_rest = true;
    for (actor_id who = 0; who < w->shape.actors; who++) {
        uint32_t ways = p->ways(p, w, who);

        if (!ways)
            continue;
        if (!p->is_idle(p, w, who))
            m->at_rest = false;
        if (reduce && p->is_alone && p->is_alone(p, w, who)) {
            m->count = 0;
            add_ways(p, w, who, 1, m);
            return;
        }
        add_ways(p, w, who, ways, m);
    }
}
