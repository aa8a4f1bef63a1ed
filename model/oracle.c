/* The oracle's table: open addressing over written groups; nothing is ever forgotten. */
#include "model/oracle.h"

static uint64_t find(const struct world *w, uint64_t group)
{
    uint64_t mask = w->shape.oracle_entries - 1;
    uint64_t i = tag_of(group, 1) & mask;
    uint64_t start = i;

    while (truth_see(w, i)->key != group + 1 && truth_see(w, i)->key) {
        i = (i + 1) & mask;
        ASSERT(i != start);
    }
    return i;
}

static const struct truth *see(const struct world *w, uint64_t group)
{
    const struct truth *t;

    if (!w->shape.oracle_entries)
        return NULL;
    t = truth_see(w, find(w, group));
    return t->key ? t : NULL;
}

uint32_t oracle_acked(const struct world *w, uint64_t group)
{
    const struct truth *t = see(w, group);

    return t ? t->acked : 0;
}

tag oracle_issue(struct world *w, uint64_t group, uint32_t *version)
{
    struct truth *t = truth_at(w, find(w, group));

    t->key = group + 1;
    *version = ++t->issued;
    return tag_of(group, t->issued);
}

/* Which version that content is; 0 if none up to `issued`. Few writes of one block are ever
 * outstanding together. */
static uint32_t version_of(uint64_t group, uint32_t low, uint32_t issued, tag content)
{
    for (uint32_t v = issued; v > low; v--)
        if (tag_of(group, v) == content)
            return v;
    return 0;
}

void oracle_ack(struct world *w, uint64_t group, tag content)
{
    struct truth *t = truth_at(w, find(w, group));
    uint32_t v = version_of(group, t->acked, t->issued, content);

    if (v)
        t->acked = v;
}

bool oracle_accepts(const struct world *w, uint64_t group, uint32_t low, tag content)
{
    const struct truth *t = see(w, group);

    return content == tag_of(group, low) || (t && version_of(group, low, t->issued, content));
}
