/* The oracle's arithmetic; its table is model/table.h's. */
#include "model/oracle.h"

#include "model/table.h"

static const struct truth *see(const struct world *w, uint64_t group)
{
    uint64_t i = w->shape.oracle_entries ? table_find(w, SEC_ORACLE, group + 1) : NONE64;

    return i == NONE64 ? NULL : truth_see(w, i);
}

uint32_t oracle_oldest(const struct world *w, uint64_t group)
{
    const struct truth *t = see(w, group);

    return t ? t->oldest : 0;
}

tag oracle_issue(struct world *w, uint64_t group, uint32_t *before)
{
    bool fresh;
    struct truth *t = truth_at(w, table_place(w, SEC_ORACLE, group + 1, &fresh, NULL));

    *before = t->ended;
    t->open++;
    return tag_of(group, ++t->issued);
}

void oracle_ack(struct world *w, uint64_t group, uint32_t before)
{
    struct truth *t = truth_at(w, table_find(w, SEC_ORACLE, group + 1));

    ASSERT(t->open);
    if (!--t->open)
        t->ended = t->issued;
    if (before + 1 > t->oldest)
        t->oldest = before + 1;
}

bool oracle_accepts(const struct world *w, uint64_t group, uint32_t oldest, tag content)
{
    const struct truth *t = see(w, group);

    for (uint32_t v = t ? t->issued : 0; v > oldest; v--)
        if (tag_of(group, v) == content)
            return true;
    return content == tag_of(group, oldest);
}

/* ---- power cuts */

WORLD_SECTION(safe, uint32_t, SEC_SAFE)

uint64_t oracle_safes(const struct shape *s)
{
    if (!s->power_cuts || !s->write_cache || !s->oracle_entries)
        return 0;
    return 2 * (geometry_sectors(&s->geometry) / s->group_sectors);
}

void oracle_flush_begins(struct world *w)
{
    for (uint64_t g = 0; 2 * g < w->count[SEC_SAFE]; g++)
        *safe_at(w, 2 * g + 1) = oracle_oldest(w, g);
}

void oracle_flush_ends(struct world *w)
{
    for (uint64_t g = 0; 2 * g < w->count[SEC_SAFE]; g++)
        if (*safe_see(w, 2 * g + 1) > *safe_see(w, 2 * g))
            *safe_at(w, 2 * g) = *safe_see(w, 2 * g + 1);
}

void oracle_is_safe(struct world *w, uint64_t group)
{
    if (w->count[SEC_SAFE])
        *safe_at(w, 2 * group) = oracle_oldest(w, group);
}

void oracle_cut(struct world *w)
{
    for (uint64_t i = 0; i < w->count[SEC_ORACLE]; i++) {
        struct truth *t = truth_at(w, i);

        if (!t->key)
            continue;
        t->open = 0;
        t->ended = t->issued;
        if (w->count[SEC_SAFE])
            t->oldest = *safe_see(w, 2 * (t->key - 1));
    }
    for (uint64_t g = 0; 2 * g < w->count[SEC_SAFE]; g++)
        *safe_at(w, 2 * g + 1) = 0;
}
