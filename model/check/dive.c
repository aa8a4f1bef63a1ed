/* Depth first and random walks: see dive.h. */
#include "model/check/dive.h"

#include <string.h>

#include "model/check/purse.h"

struct dive_frame {
    uint64_t word; /* where its packed state begins; of a walk: none */
    uint64_t move; /* where its moves begin */
    uint64_t key;
    uint32_t count, next;
};

enum { FRAME_MOVES = 8, WALK_DEPTH = 1 << 20, BITS_A_STATE = 3 };

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* ---- memory */

/* A sixteenth for the path's moves, three for its states; the rest is the table or map. */
static bool share_out(struct dive *d, struct purse *p)
{
    uint64_t part = p->left / 16, table;
    void *at;

    d->frames = part / (sizeof *d->frame + FRAME_MOVES * sizeof *d->move);
    d->frame = purse_take(p, d->frames * sizeof *d->frame);
    d->move_room = d->frames * FRAME_MOVES;
    d->move = purse_take(p, d->move_room * sizeof *d->move);
    d->word_room = 3 * part / sizeof *d->word;
    d->word = purse_take(p, d->word_room * sizeof *d->word);
    if (!d->frames || !d->frame || !d->move || !d->word)
        return false;
    table = p->left / 16 * 16;
    at = purse_take(p, table);
    if (!d->options.bits)
        return at && seen_format(&d->seen, at, table, false);
    d->bit = at;
    for (d->bits = 64; d->bits * 2 <= table * 8;)
        d->bits *= 2;
    return at && table >= 8;
}

bool dive_start(struct dive *d, const struct problem *p, const struct dive_options *o, void *memory,
                uint64_t bytes)
{
    struct purse purse = { memory, bytes };

    memset(d, 0, sizeof *d);
    d->problem = p;
    d->options = *o;
    d->before = purse_copy(&purse, p->start);
    d->after = purse_copy(&purse, p->start);
    d->effects.capacity = effects_needed(&p->start->shape);
    d->effects.list = purse_take(&purse, d->effects.capacity * sizeof *d->effects.list);
    d->moves.capacity = SEARCH_MOVES;
    d->moves.list = purse_take(&purse, SEARCH_MOVES * sizeof *d->moves.list);
    return d->before && d->after && d->effects.list && d->moves.list && share_out(d, &purse);
}

/* ---- what has been seen */

/* True: it is new. */
static bool mark_bits(struct dive *d, uint64_t key)
{
    bool is_new = false;

    for (unsigned i = 0; i < BITS_A_STATE; i++) {
        uint64_t at = mix(key + i * 0x9e3779b97f4a7c15u) & (d->bits - 1);
        uint64_t bit = UINT64_C(1) << at % 64;

        is_new |= !(d->bit[at / 64] & bit);
        d->bit[at / 64] |= bit;
    }
    return is_new;
}

static bool is_new(struct dive *d, uint64_t key)
{
    uint64_t place;

    if (d->options.bits)
        return mark_bits(d, key);
    switch (seen_add(&d->seen, key, NULL, key, &place)) {
    case SEEN_NEW:
        return true;
    case SEEN_FULL:
        d->no_memory = true;
        return false;
    default:
        return false;
    }
}

/* ---- the path */

static void swap(struct move *list, uint32_t a, uint32_t b)
{
    struct move other = list[a];

    list[a] = list[b];
    list[b] = other;
}

static void put_in_order(const struct dive *d, struct move *list, uint32_t count, uint64_t key)
{
    uint32_t order = d->options.order;

    if (order == 1)
        for (uint32_t i = 0; i < count / 2; i++)
            swap(list, i, count - 1 - i);
    for (uint32_t i = count; order > 1 && i > 1; i--)
        swap(list, i - 1, (uint32_t)(mix(key + (uint64_t)i * order) % i));
}

/* The state in d->before joins the path. False: there is no room for it. */
static bool push(struct dive *d, uint64_t key)
{
    struct dive_frame *f = &d->frame[d->top];

    moves_list(d->problem, d->before, d->options.reduce, &d->moves);
    ASSERT(!d->moves.cut);
    if (d->top == d->frames || d->move_room - d->move_count < d->moves.count ||
        d->word_room - d->word_count < pack_words_max(d->problem->start))
        return false;
    *f = (struct dive_frame){ d->word_count, d->move_count, key, d->moves.count, 0 };
    memcpy(d->move + d->move_count, d->moves.list, d->moves.count * sizeof *d->move);
    put_in_order(d, d->move + d->move_count, d->moves.count, key);
    d->move_count += d->moves.count;
    d->word_count += pack(d->problem->start, d->before, d->word + d->word_count);
    d->top++;
    if (d->top > d->deepest)
        d->deepest = d->top;
    return true;
}

/* The last state leaves it; the one before is in d->before again. */
static void pop(struct dive *d)
{
    const struct dive_frame *f = &d->frame[--d->top];

    d->move_count = f->move;
    d->word_count = f->word;
    if (d->top)
        unpack(d->problem->start, d->word + d->frame[d->top - 1].word, d->before);
}

static void note(struct dive *d, unsigned property, uint64_t length)
{
    d->finding = (struct finding){ .property = property, .length = (uint32_t)length };
}

/* Is the state in d->before right? d->moves are its moves. */
static bool is_right(struct dive *d, uint64_t length)
{
    const struct problem *p = d->problem;
    unsigned property = p->broken(p, d->before, d->moves.at_rest);

    d->counts.rest += d->moves.at_rest;
    if (property == FOUND_NOTHING && d->moves.at_rest && !p->finished(p, d->before))
        property = FOUND_STUCK;
    if (property != FOUND_NOTHING)
        note(d, property, length);
    return property == FOUND_NOTHING;
}

/* The next move of the last state on the path. */
static void advance(struct dive *d)
{
    const struct problem *p = d->problem;
    struct dive_frame *f = &d->frame[d->top - 1];
    struct move m = d->move[f->move + f->next++];
    struct world *other = d->before;
    unsigned property;
    uint64_t key;

    memcpy(d->after, d->before, world_bytes(d->before));
    d->counts.moves++;
    property = p->fire(p, d->after, m, &d->effects);
    if (property != FOUND_NOTHING) {
        note(d, property, d->top);
        return;
    }
    if (p->fired)
        p->fired(p, d->options.order, d->before, d->after, m, &d->effects);
    key = pack_key_after(p->start, d->before, f->key, d->after);
    if (!is_new(d, key))
        return;
    d->counts.states++;
    d->before = d->after;
    d->after = other;
    if ((d->options.depth && d->top >= d->options.depth) || !push(d, key)) {
        d->cut = true;
        moves_list(p, d->before, d->options.reduce, &d->moves);
        if (is_right(d, d->top))
            unpack(p->start, d->word + f->word, d->before);
        return;
    }
    is_right(d, d->top - 1);
}

void dive_deep(struct dive *d)
{
    uint64_t key = pack_key(d->problem->start, d->problem->start);

    is_new(d, key);
    d->counts.states = 1;
    if (!push(d, key)) {
        d->no_memory = true;
        return;
    }
    is_right(d, 0);
    while (d->top && d->finding.property == FOUND_NOTHING && !d->no_memory)
        if (d->frame[d->top - 1].next == d->frame[d->top - 1].count)
            pop(d);
        else
            advance(d);
}

/* ---- walks */

/* How eager an actor is in this walk: 1 to 64. */
static uint64_t weight(uint64_t seed, actor_id who)
{
    return UINT64_C(1) << mix(seed + who) % 7;
}

static uint32_t draw(const struct dive *d, uint64_t seed, uint64_t number)
{
    const struct moves *m = &d->moves;
    uint64_t sum = 0, at;
    uint32_t i;

    for (i = 0; i < m->count; i++)
        sum += weight(seed, m->list[i].who);
    at = mix(seed ^ number * 0xd1b54a32d192ed03u) % sum;
    for (i = 0; at >= weight(seed, m->list[i].who); i++)
        at -= weight(seed, m->list[i].who);
    return i;
}

bool dive_walk(struct dive *d, uint64_t seed)
{
    const struct problem *p = d->problem;
    uint64_t depth = d->options.depth ? d->options.depth : WALK_DEPTH, n;
    unsigned property;

    seed = mix(seed + 1);
    memcpy(d->before, p->start, world_bytes(p->start));
    for (n = 0;; n++) {
        moves_list(p, d->before, d->options.reduce, &d->moves);
        if (!is_right(d, n))
            return true;
        if (!d->moves.count)
            return false;
        if (n == depth || n == d->move_room) {
            d->cut = true;
            return false;
        }
        d->move[n] = d->moves.list[draw(d, seed, n)];
        d->top = n + 1;
        d->deepest = d->top > d->deepest ? d->top : d->deepest;
        d->counts.moves++;
        d->counts.states++;
        memcpy(d->after, d->before, world_bytes(d->before));
        property = p->fire(p, d->before, d->move[n], &d->effects);
        if (property != FOUND_NOTHING) {
            note(d, property, n + 1);
            return true;
        }
        if (p->fired)
            p->fired(p, d->options.order, d->after, d->before, d->move[n], &d->effects);
    }
}

void dive_trace(const struct dive *d, struct move *list)
{
    for (uint32_t i = 0; i < d->finding.length; i++)
        list[i] = d->word_count ? d->move[d->frame[i].move + d->frame[i].next - 1] : d->move[i];
}
