/* The table of seen states: see seen.h. */
#include "model/check/seen.h"

#include <string.h>

/* A region is full a little before its last place, so that looking for what is not there stays
 * short. */
enum { REGION_MAX = SEEN_REGION - SEEN_REGION / 64 };
#define FRESH (UINT64_C(1) << 47) /* beside the link: of the level that is being made */

uint64_t seen_places(uint64_t bytes, bool exact)
{
    uint64_t each = sizeof(struct seen_region) +
                    (uint64_t)SEEN_REGION * (SEEN_PLACE_BYTES + (exact ? sizeof(uint64_t) : 0));

    return bytes / each * SEEN_REGION;
}

bool seen_format(struct seen *s, void *at, uint64_t bytes, bool exact)
{
    s->regions = seen_places(bytes, exact) / SEEN_REGION;
    s->region = at;
    s->record = exact ? (uint64_t *)(void *)(s->region + s->regions) : NULL;
    s->places = (unsigned char *)(s->region + s->regions) +
                (exact ? s->regions * SEEN_REGION * sizeof(uint64_t) : 0);
    return s->regions != 0;
}

static unsigned char *place_at(const struct seen *s, uint64_t place)
{
    return s->places + place * SEEN_PLACE_BYTES;
}

uint64_t seen_key(const struct seen *s, uint64_t place)
{
    uint64_t key;

    memcpy(&key, place_at(s, place), sizeof key);
    return key;
}

static uint64_t link_of(const struct seen *s, uint64_t place)
{
    uint64_t link = 0;

    memcpy(&link, place_at(s, place) + sizeof link, 6);
    return link;
}

static void set_link(struct seen *s, uint64_t place, uint64_t link)
{
    memcpy(place_at(s, place) + sizeof link, &link, 6);
}

uint64_t seen_parent(const struct seen *s, uint64_t place)
{
    return link_of(s, place) & SEEN_LINK_MASK;
}

static uint64_t region_of(const struct seen *s, uint64_t key)
{
    return (uint64_t)((unsigned __int128)(key & SEEN_LINK_MASK) * s->regions >> 47);
}

static void lock(uint32_t *l)
{
    while (__atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(l, __ATOMIC_RELAXED))
            ;
}

static void unlock(uint32_t *l)
{
    __atomic_store_n(l, 0, __ATOMIC_RELEASE);
}

static bool is_same(const struct seen *s, uint64_t place, const struct seen_record *r)
{
    const struct seen_record *other;

    if (!s->record)
        return true;
    other = (const struct seen_record *)(uintptr_t)s->record[place];
    return other->words == r->words && !memcmp(other->word, r->word, r->words * sizeof r->word[0]);
}

/* The place of this state or the free one where it belongs. */
static uint64_t probe(const struct seen *s, uint64_t wanted, const struct seen_record *r,
                      uint64_t first)
{
    uint64_t at = wanted % SEEN_REGION, key;

    while ((key = seen_key(s, first + at)) != 0 && (key != wanted || !is_same(s, first + at, r)))
        at = (at + 1) % SEEN_REGION;
    return first + at;
}

void seen_expect(const struct seen *s, uint64_t key)
{
    uint64_t number = region_of(s, key);

    __builtin_prefetch(&s->region[number], 1);
    __builtin_prefetch(place_at(s, number * SEEN_REGION + key % SEEN_REGION), 1);
}

enum seen_answer seen_add(struct seen *s, uint64_t key, const struct seen_record *r,
                          uint64_t parent, uint64_t *place)
{
    uint64_t number = region_of(s, key), link = parent & SEEN_LINK_MASK;
    struct seen_region *region = &s->region[number];
    enum seen_answer answer = SEEN_OLD;

    lock(&region->lock);
    *place = probe(s, key, r, number * SEEN_REGION);
    if (seen_key(s, *place)) {
        uint64_t old = link_of(s, *place);

        if (old & FRESH && link < (old & SEEN_LINK_MASK))
            set_link(s, *place, link | FRESH);
    } else if (region->count >= REGION_MAX) {
        answer = SEEN_FULL;
    } else {
        answer = SEEN_NEW;
        region->count++;
        memcpy(place_at(s, *place), &key, sizeof key);
        set_link(s, *place, link | FRESH);
        if (s->record)
            s->record[*place] = (uint64_t)(uintptr_t)r;
    }
    unlock(&region->lock);
    return answer;
}

void seen_settle(struct seen *s, uint64_t place)
{
    set_link(s, place, seen_parent(s, place));
}

uint64_t seen_find(const struct seen *s, uint64_t wanted)
{
    uint64_t first = region_of(s, wanted) * SEEN_REGION, at = wanted % SEEN_REGION, key;

    while ((key = seen_key(s, first + at)) != 0) {
        if (((key ^ wanted) & SEEN_LINK_MASK) == 0)
            return first + at;
        at = (at + 1) % SEEN_REGION;
    }
    return UINT64_MAX;
}

uint64_t seen_count(const struct seen *s)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < s->regions; i++)
        n += s->region[i].count;
    return n;
}
