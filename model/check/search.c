/* Breadth first: see search.h. */
#include "model/check/search.h"

#include <string.h>

#include "model/check/purse.h"

static bool start_thread(struct search_thread *t, const struct world *start, struct purse *p)
{
    uint32_t effects = effects_needed(&start->shape);

    *t = (struct search_thread){ .writer = { FRONTIER_NONE, FRONTIER_NONE } };
    t->before = purse_copy(p, start);
    t->after[0].world = purse_copy(p, start);
    t->after[1].world = purse_copy(p, start);
    t->moves.capacity = SEARCH_MOVES;
    t->moves.list = purse_take(p, SEARCH_MOVES * sizeof *t->moves.list);
    t->effects.capacity = effects;
    t->effects.list = purse_take(p, effects * sizeof *t->effects.list);
    return t->before && t->after[0].world && t->after[1].world && t->moves.list && t->effects.list;
}

/* How the memory is shared out, in parts of 16. */
static bool share_out(struct search *s, struct purse *p)
{
    const struct search_options *o = &s->options;
    uint64_t table = o->exact ? 2 : 5, edges = o->liveness ? (o->exact ? 2 : 4) : 0;
    uint64_t part = p->left / 16, words = pack_words_max(s->problem->start), places;
    void *at = purse_take(p, table * part);

    if (!at || !seen_format(&s->seen, at, table * part, o->exact))
        return false;
    places = s->seen.regions * SEEN_REGION;
    at = purse_take(p, edges * part);
    if (o->liveness && (!at || !edges_format(&s->edges, at, edges * part, places)))
        return false;
    return frontier_format(&s->frontier, p->at, p->left, words, o->exact) &&
           s->frontier.segments >= 2 * o->threads + 2;
}

/* Packs the state behind what the thread has written. NULL: no memory is left. */
static struct seen_record *record_of(struct search *s, struct search_thread *t,
                                     const struct world *w, uint64_t key)
{
    struct seen_record *r = frontier_room(&s->frontier, &t->writer);

    if (!r)
        return NULL;
    r->words = pack(s->problem->start, w, r->word);
    r->key = key;
    return r;
}

bool search_start(struct search *s, const struct problem *p, const struct search_options *o,
                  void *memory, uint64_t bytes)
{
    struct purse purse = { memory, bytes };
    struct seen_record *r;

    memset(s, 0, sizeof *s);
    s->problem = p;
    s->options = *o;
    for (uint32_t n = 0; n < o->threads; n++)
        if (!start_thread(&s->thread[n], p->start, &purse))
            return false;
    if (!share_out(s, &purse))
        return false;
    r = record_of(s, &s->thread[0], p->start, pack_key(p->start, p->start));
    seen_add(&s->seen, r->key, r, r->key, &r->place);
    seen_settle(&s->seen, r->place);
    frontier_keep(&s->frontier, &s->thread[0].writer, r);
    frontier_hand_over(&s->frontier, &s->thread[0].writer);
    s->counts.states = s->frontier_states = 1;
    return true;
}

/* ---- findings */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Below 0: a is to be preferred. */
static int order(const struct finding *a, const struct finding *b)
{
    const uint64_t left[] = { a->length,   a->property, a->key,      a->by_move,
                              a->move.who, a->move.way, a->move.step };
    const uint64_t right[] = { b->length,   b->property, b->key,      b->by_move,
                               b->move.who, b->move.way, b->move.step };
    int c = 0;

    for (unsigned i = 0; !c && i < sizeof left / sizeof left[0]; i++)
        c = compare(left[i], right[i]);
    return c;
}

static void found(struct finding *best, struct finding f)
{
    if (best->property == FOUND_NOTHING || order(&f, best) < 0)
        *best = f;
}

/* ---- expanding */

/* Is the successor new, and if so, is it right? */
static void resolve(struct search *s, struct search_thread *t, const struct seen_record *from,
                    struct successor *x)
{
    const struct problem *p = s->problem;
    struct finding f = { .length = s->depth + 1, .key = x->key };
    struct seen_record *r = NULL;
    enum seen_answer answer;
    uint64_t place;

    if (!x->waits)
        return;
    x->waits = false;
    if (s->options.exact)
        r = record_of(s, t, x->world, x->key);
    answer = s->options.exact && !r ? SEEN_FULL : seen_add(&s->seen, x->key, r, from->key, &place);
    if (answer == SEEN_FULL) {
        t->no_memory = true;
        return;
    }
    if (s->options.liveness && !edges_add(&s->edges, &t->chunk, from->place, place))
        t->no_edges = true;
    if (answer == SEEN_OLD)
        return;
    r = r ? r : record_of(s, t, x->world, x->key);
    if (!r) {
        t->no_memory = true;
        return;
    }
    r->place = place;
    frontier_keep(&s->frontier, &t->writer, r);
    t->counts.states++;
    f.property = p->broken(p, x->world, false);
    if (f.property != FOUND_NOTHING)
        found(&t->finding, f);
}

/* One move out of t->before. */
static void follow(struct search *s, struct search_thread *t, const struct seen_record *from,
                   struct move m, struct successor *x)
{
    const struct problem *p = s->problem;
    struct finding f = { .length = s->depth + 1, .key = from->key, .by_move = true, .move = m };

    memcpy((char *)x->world + x->world->live_at, (const char *)t->before + t->before->live_at,
           t->before->bytes - t->before->live_at);
    t->counts.moves++;
    f.property = p->fire(p, x->world, m, &t->effects);
    if (f.property != FOUND_NOTHING) {
        found(&t->finding, f);
        return;
    }
    if (p->fired)
        p->fired(p, (uint32_t)(t - s->thread), t->before, x->world, m, &t->effects);
    x->key = pack_key_after(p->start, t->before, from->key, x->world);
    x->waits = true;
    seen_expect(&s->seen, x->key);
}

/* A state in which nobody who must move can. */
static void rest(struct search *s, struct search_thread *t, const struct seen_record *r)
{
    const struct problem *p = s->problem;
    struct finding f = { .length = s->depth, .key = r->key };

    t->counts.rest++;
    t->counts.rest_keys += r->key;
    if (s->options.liveness)
        edges_rest(&s->edges, r->place);
    f.property = p->broken(p, t->before, true);
    if (f.property == FOUND_NOTHING && !p->finished(p, t->before))
        f.property = FOUND_STUCK;
    if (f.property != FOUND_NOTHING)
        found(&t->finding, f);
}

static void expand(struct search *s, struct search_thread *t, const struct seen_record *r)
{
    unpack(s->problem->start, r->word, t->before);
    moves_list(s->problem, t->before, s->options.reduce, &t->moves);
    ASSERT(!t->moves.cut);
    if (t->moves.at_rest)
        rest(s, t, r);
    for (uint32_t i = 0; i < t->moves.count && !t->no_memory; i++) {
        follow(s, t, r, t->moves.list[i], &t->after[i % 2]);
        resolve(s, t, r, &t->after[(i + 1) % 2]);
    }
    resolve(s, t, r, &t->after[(t->moves.count + 1) % 2]);
}

void search_expand(struct search *s, uint32_t thread)
{
    struct search_thread *t = &s->thread[thread];
    uint32_t segment;

    while ((segment = frontier_take(&s->frontier)) != FRONTIER_NONE) {
        const struct seen_record *r = frontier_first(&s->frontier, segment);

        for (; r && !t->no_memory; r = frontier_next(&s->frontier, segment, r))
            expand(s, t, r);
        frontier_give_back(&s->frontier, segment);
    }
}

void search_settle(struct search *s, uint32_t thread)
{
    uint32_t segment = s->thread[thread].writer.head;

    for (; segment != FRONTIER_NONE; segment = frontier_behind(&s->frontier, segment))
        for (const struct seen_record *r = frontier_first(&s->frontier, segment); r;
             r = frontier_next(&s->frontier, segment, r))
            seen_settle(&s->seen, r->place);
}

/* ---- the end of a level */

/* How many moves lead to that state; the start's parent is itself. */
static uint32_t length_of(const struct seen *s, uint64_t place)
{
    uint32_t n = 0;

    while (seen_parent(s, place) != (seen_key(s, place) & SEEN_LINK_MASK)) {
        place = seen_find(s, seen_parent(s, place));
        n++;
    }
    return n;
}

/* The first state from which rest cannot be reached any more, one whose parent still could. */
static void judge_liveness(struct search *s)
{
    edges_spread(&s->edges);
    for (uint64_t place = 0; place < s->seen.regions * SEEN_REGION; place++) {
        struct finding f = { .property = FOUND_LIVELOCK, .key = seen_key(&s->seen, place) };
        uint64_t parent;

        if (!f.key || edges_is_calm(&s->edges, place))
            continue;
        parent = seen_find(&s->seen, seen_parent(&s->seen, place));
        if (parent != place && !edges_is_calm(&s->edges, parent))
            continue;
        f.length = length_of(&s->seen, place);
        found(&s->finding, f);
    }
}

static enum search_end end_of(struct search *s, bool no_memory)
{
    if (s->finding.property != FOUND_NOTHING)
        return SEARCH_FOUND;
    if (no_memory)
        return SEARCH_NO_MEMORY;
    if (s->frontier_states)
        return s->options.depth && s->depth >= s->options.depth ? SEARCH_DEPTH : SEARCH_GOES_ON;
    if (s->options.liveness && !s->no_edges)
        judge_liveness(s);
    return s->finding.property != FOUND_NOTHING ? SEARCH_FOUND : SEARCH_DONE;
}

bool search_turn(struct search *s)
{
    struct search_counts sum = { .states = 1 };
    bool no_memory = false;

    for (uint32_t n = 0; n < s->options.threads; n++) {
        struct search_thread *t = &s->thread[n];

        sum.moves += t->counts.moves;
        sum.states += t->counts.states;
        sum.rest += t->counts.rest;
        sum.rest_keys += t->counts.rest_keys;
        no_memory |= t->no_memory;
        s->no_edges |= t->no_edges;
        if (t->finding.property != FOUND_NOTHING)
            found(&s->finding, t->finding);
        frontier_hand_over(&s->frontier, &t->writer);
    }
    s->frontier_states = sum.states - s->counts.states;
    s->counts = sum;
    s->depth++;
    s->end = end_of(s, no_memory);
    return s->end == SEARCH_GOES_ON;
}

/* ---- the trace */

/* Which of the state's moves leads to the state whose key has these low bits; false: none. */
static bool find_move(struct search *s, uint64_t key, struct move *move)
{
    const struct problem *p = s->problem;
    struct search_thread *t = &s->thread[0];
    struct world *after = t->after[0].world;

    moves_list(p, t->before, s->options.reduce, &t->moves);
    for (uint32_t i = 0; i < t->moves.count; i++) {
        memcpy(after, t->before, world_bytes(t->before));
        if (p->fire(p, after, t->moves.list[i], &t->effects) != FOUND_NOTHING ||
            (pack_key(p->start, after) ^ key) & SEEN_LINK_MASK)
            continue;
        memcpy(t->before, after, world_bytes(t->before));
        *move = t->moves.list[i];
        return true;
    }
    return false;
}

uint32_t search_trace(struct search *s, struct move *list)
{
    uint32_t states = s->finding.length - s->finding.by_move, n;
    struct move at = { 0 };

    /* The keys of the states on the way, in the places of the moves that lead there. */
    for (uint64_t key = s->finding.key, k = states; k > 0; k--) {
        uint64_t place = seen_find(&s->seen, key);

        if (place == UINT64_MAX)
            return 0;
        list[k - 1].way = key;
        key = seen_parent(&s->seen, place);
    }
    memcpy(s->thread[0].before, s->problem->start, world_bytes(s->problem->start));
    for (n = 0; n < states; n++) {
        if (!find_move(s, list[n].way, &at))
            return 0;
        list[n] = at;
    }
    if (s->finding.by_move)
        list[n++] = s->finding.move;
    return n;
}
