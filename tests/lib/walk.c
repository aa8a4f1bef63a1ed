/* Random walks (tests/lib/walk.h). */
#include "tests/lib/walk.h"

#include <stdlib.h>
#include <string.h>

enum { MOVES_MAX = 1000000 };

uint64_t walk_seed(void)
{
    const char *seed = getenv("SEED");

    return seed ? strtoull(seed, NULL, 10) : 1;
}

void walk_start(struct walk *k, struct small *s, uint64_t seed, uint32_t requests)
{
    static const uint32_t eager[] = { 1, 1, 2, 4, 8, 64 };

    assert_true(s->w->shape.actors <= WALK_ACTORS_MAX);
    memset(k, 0, sizeof *k);
    k->s = s;
    k->seed = seed;
    k->dice = dice_new(walk_seed(), DICE_FATE, (uint32_t)seed);
    for (unsigned i = 0; i < s->w->shape.actors; i++)
        k->weight[i] = eager[dice_below(&k->dice, 6)];
    for (unsigned c = 0; c < s->plan.clients; c++)
        k->left[c] = requests;
}

void walk_tempt(struct walk *k, uint32_t strikes, uint64_t (*fate)(struct walk *))
{
    k->strikes = strikes;
    k->fate = fate;
}

static bool is_fate(const struct walk *k, actor_id who)
{
    return actor_see(k->s->w, who)->kind == KIND_FATE;
}

static bool writes_now(const struct small *s, actor_id client)
{
    const struct client *c = client_see(s->w, client);

    for (request_id r = c->first; r < c->first + c->depth; r++)
        if (request_see(s->w, r)->state != REQUEST_FREE && request_see(s->w, r)->write)
            return true;
    return false;
}

/* Somewhere in [from, to), in whole sector groups, at most as long as a record holds. */
static uint64_t somewhere(struct walk *k, uint64_t from, uint64_t to, bool write)
{
    uint32_t unit = k->s->w->shape.group_sectors;
    uint64_t places = (to - from) / unit;
    uint64_t sector = from + dice_below(&k->dice, places) * unit;
    uint64_t room = (to - sector) / unit;
    uint64_t most = ((uint64_t)k->s->plan.max_pages * PAGE_SECTORS - sector % PAGE_SECTORS) / unit;

    if (room < most)
        most = room;
    return request_name(sector, (uint32_t)(unit * (1 + dice_below(&k->dice, most))), write);
}

static uint64_t next_io(struct walk *k, actor_id client)
{
    const struct small *s = k->s;
    uint64_t share = s->sectors / s->plan.clients / PAGE_SECTORS * PAGE_SECTORS;

    if (s->plan.level >= LEVEL_RAID4 && s->plan.written)
        return somewhere(k, 0, s->sectors, dice_below(&k->dice, 4) < 3);
    if (s->plan.written && !writes_now(s, client) && dice_below(&k->dice, 2))
        return somewhere(k, client * share, (client + 1) * share, true);
    return somewhere(k, 0, s->sectors, false);
}

/* A client at its turn may also start something new; fate strikes as long as it may. */
static bool can_move(const struct walk *k, actor_id who)
{
    const struct small *s = k->s;

    if (is_fate(k, who))
        return k->strikes != 0;
    if (small_enabled(s, who))
        return true;
    return who < s->plan.clients && k->left[who] && actor_see(s->w, who)->pc == CLIENT_TURN &&
           client_see(s->w, who)->free != NONE16;
}

static bool pick(struct walk *k, actor_id *who)
{
    uint64_t sum = 0, at;
    actor_id actors = k->s->w->shape.actors;

    for (actor_id i = 0; i < actors; i++)
        sum += can_move(k, i) ? k->weight[i] : 0;
    if (!sum)
        return false;
    at = dice_below(&k->dice, sum);
    for (*who = 0;; (*who)++) {
        uint64_t weight = can_move(k, *who) ? k->weight[*who] : 0;

        if (at < weight)
            return true;
        at -= weight;
    }
}

bool walk_choose(struct walk *k, struct move *m)
{
    const struct world *w = k->s->w;
    const struct step *step;
    actor_id who;
    uint32_t way;

    if (!pick(k, &who))
        return false;
    step = system_step(&system_md, w, who);
    *m = (struct move){ .who = who, .step = actor_see(w, who)->pc };
    if (step->chosen && client_see(w, who)->done_head == NONE16) {
        m->way = next_io(k, who);
        return true;
    }
    if (is_fate(k, who)) {
        m->way = k->fate(k);
        return true;
    }
    way = (uint32_t)dice_below(&k->dice, step->ways(w, who));
    m->way = step->name_of ? step->name_of(w, who, way) : way;
    return true;
}

void walk_fire(struct walk *k, struct move m)
{
    struct small *s = k->s;
    uint8_t kind = actor_see(s->w, m.who)->kind;

    if (m.who < s->plan.clients && m.step == CLIENT_TURN &&
        client_see(s->w, m.who)->done_head == NONE16)
        k->left[m.who]--;
    k->strikes -= is_fate(k, m.who);
    small_fire(s, m.who, m.way);
    k->moves++;
    for (uint32_t i = 0; i < s->e.count; i++) {
        const struct effect *f = &s->e.list[i];

        if (f->kind == EFFECT_MARK)
            k->marks[f->what] += f->amount;
        else if (f->kind == EFFECT_WORK)
            k->work[f->what] += f->amount;
        /* A thread's plug is emptied by itself alone: who queues an I/O must be named in it. */
        if (f->kind == EFFECT_SUBMIT && kind != KIND_COMPLETION &&
            io_see(s->w, f->amount)->issuer != m.who)
            fail_msg("SEED=%llu, walk %llu: actor %u queues an I/O in the name of %u",
                     (unsigned long long)walk_seed(), (unsigned long long)k->seed, m.who,
                     io_see(s->w, f->amount)->issuer);
        k->findings += f->kind == EFFECT_FINDING;
        k->replies += f->kind == EFFECT_REPLY;
    }
}

void walk_run(struct walk *k, void (*watch)(const struct walk *, struct move))
{
    struct move m;

    while (walk_choose(k, &m)) {
        walk_fire(k, m);
        if (watch)
            watch(k, m);
        if (k->moves > MOVES_MAX)
            fail_msg("seed %llu: the walk does not end", (unsigned long long)k->seed);
    }
}

void walk_must_be_done(const struct walk *k)
{
    for (actor_id c = 0; c < k->s->plan.clients; c++)
        if (k->left[c] || client_see(k->s->w, c)->in_flight)
            fail_msg("SEED=%llu, walk %llu: at rest after %llu moves, but client %u has %u I/Os in "
                     "flight and %u to go (sleeps on %u)",
                     (unsigned long long)walk_seed(), (unsigned long long)k->seed,
                     (unsigned long long)k->moves, c, client_see(k->s->w, c)->in_flight, k->left[c],
                     actor_see(k->s->w, c)->asleep ? actor_see(k->s->w, c)->waits_on : 0);
}
