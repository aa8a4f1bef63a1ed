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
