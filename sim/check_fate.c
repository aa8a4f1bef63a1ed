/* Fate's choices in a check: see check_fate.h. */
#include "sim/check_fate.h"

#include "faults/fate.h"
#include "model/array.h"
#include "model/io.h"
#include "model/members.h"
#include "model/request.h"
#include "model/stripe.h"

uint32_t check_left(const struct check_problem *c, const struct world *w, enum check_budget b)
{
    return *check_see(w, c->instances + b);
}

uint32_t check_spent(const struct check_problem *c, const struct world *w, enum check_budget b)
{
    return c->scenario->checking.budget[b] - check_left(c, w, b);
}

enum check_budget check_budget_of(const struct world *w, uint64_t fate)
{
    static const uint8_t budget[FATE_COUNT] = {
        [FATE_FAIL] = BUDGET_FAIL,
        [FATE_DIE] = BUDGET_DIE,
        [FATE_ADD] = BUDGET_ADD,
        [FATE_RETURN] = BUDGET_RETURN,
        [FATE_UNREADABLE] = BUDGET_UNREADABLE,
        [FATE_WORN_READ] = BUDGET_WORN,
        [FATE_WORN_WRITE] = BUDGET_WORN,
        [FATE_ROT] = BUDGET_ROT,
        [FATE_LOSE] = BUDGET_LOSE,
        [FATE_TEAR] = BUDGET_TEAR,
        [FATE_MISDIRECT] = BUDGET_MISDIRECT,
        [FATE_POWER_CUT] = BUDGET_CUT,
    };

    switch (fate_what(fate)) {
    case FATE_DOOM:
        return io_see(w, fate_sector(fate))->kind == IO_READ ? BUDGET_READ : BUDGET_WRITE;
    case FATE_SYNC_ACTION:
        return fate_sector(fate) == SYNC_CHECK ? BUDGET_CHECK : BUDGET_REPAIR;
    default:
        return budget[fate_what(fate)];
    }
}

/* The strikes counted so far, and the one looked for. */
struct count {
    const struct check_problem *c;
    const struct world *w;
    uint32_t n, k;
    uint64_t *name;
};

static void offer(struct count *s, uint64_t name)
{
    const struct step *step = system_step(s->c->problem.system, s->w, actor_fate(&s->w->shape));

    if (!step->allows(s->w, actor_fate(&s->w->shape), name))
        return;
    if (s->n++ == s->k)
        *s->name = name;
}

static bool left(const struct count *s, enum check_budget b)
{
    return check_left(s->c, s->w, b) != 0;
}

/* ---- members that nothing tells apart */

static bool is_quiet(const struct world *w, unsigned d)
{
    const struct disk *x = disk_see(w, d);

    return !x->queued && !x->done && !x->held && !x->dirty && !x->bad_blocks && !x->device &&
           !x->read_errors && !x->corrected;
}

static bool has_parity_only_elsewhere(const struct world *w, unsigned d)
{
    const struct geometry *g = &w->shape.geometry;

    for (uint64_t s = 0; s < g->component_sectors; s += g->chunk_sectors)
        if (geometry_parity(g, s) == d)
            return false;
    return true;
}

/* All about the member in the stripe cache is the same as about the other one. */
static bool same_slots(const struct world *w, unsigned a, unsigned b)
{
    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++) {
        const struct slot *x = slot_see(w, s, a), *y = slot_see(w, s, b);

        if (x->flags != y->flags || x->toread != NONE32 || x->towrite != NONE32 ||
            x->written != NONE32 || y->toread != NONE32 || y->towrite != NONE32 ||
            y->written != NONE32)
            return false;
    }
    return true;
}

/* Both hold data that no program asks for and nobody has touched: swapping them changes nothing but
 * names. */
static bool is_equal(const struct check_problem *c, const struct world *w, unsigned a, unsigned b)
{
    return !(c->addressed >> a & 1) && !(c->addressed >> b & 1) && is_quiet(w, a) &&
           is_quiet(w, b) && disk_see(w, a)->flags == disk_see(w, b)->flags &&
           disk_see(w, a)->recovery_offset == disk_see(w, b)->recovery_offset &&
           !array_see(w, 0)->flaws && has_parity_only_elsewhere(w, a) &&
           has_parity_only_elsewhere(w, b) && same_slots(w, a, b);
}

/* In the slot of its own number. */
static bool is_at_home(const struct world *w, unsigned d)
{
    return d < w->shape.geometry.disks && member_of(w, d) == d;
}

static bool has_equal_before(const struct count *s, unsigned d)
{
    if (!(s->c->scenario->checking.reduce & REDUCE_MEMBERS) || !is_at_home(s->w, d))
        return false;
    for (unsigned e = 0; e < d; e++)
        if (is_at_home(s->w, e) && is_equal(s->c, s->w, e, d))
            return true;
    return false;
}

/* ---- kinds of strikes */

static void strike_members(struct count *s)
{
    for (unsigned d = 0; d < shape_devices(&s->w->shape); d++) {
        if (has_equal_before(s, d))
            continue;
        if (left(s, BUDGET_FAIL) && member_alive(s->w, d))
            offer(s, fate_name(FATE_FAIL, d, 0, 0));
        if (left(s, BUDGET_DIE) && member_alive(s->w, d) &&
            !(disk_see(s->w, d)->device & DEVICE_DEAD))
            offer(s, fate_name(FATE_DIE, d, 0, 0));
        if (left(s, BUDGET_RETURN))
            offer(s, fate_name(FATE_RETURN, d, 0, 0));
    }
    if (left(s, BUDGET_ADD) && array_see(s->w, 0)->degraded)
        offer(s, fate_name(FATE_ADD, 0, 0, 0));
}

/* A page that has rotted once is not touched again: twice the same is nothing. */
static void rot_pages(struct count *s)
{
    const struct geometry *g = &s->w->shape.geometry;

    if (!left(s, BUDGET_ROT) || check_spent(s->c, s->w, BUDGET_ROT))
        return;
    for (unsigned d = 0; d < shape_devices(&s->w->shape); d++)
        for (uint64_t at = 0; at < g->component_sectors; at += PAGE_SECTORS)
            if (member_alive(s->w, d))
                offer(s, fate_name(FATE_ROT, d, at, PAGE_SECTORS));
}

static void strike_place(struct count *s, unsigned d, const struct io *r)
{
    uint32_t sectors = r->sectors < FATE_SECTORS_MAX ? r->sectors : FATE_SECTORS_MAX;

    if (r->kind == IO_FLUSH || r->flags & IO_META)
        return;
    if (r->kind == IO_READ && left(s, BUDGET_UNREADABLE))
        offer(s, fate_name(FATE_UNREADABLE, d, r->sector, sectors));
    if (left(s, BUDGET_WORN))
        offer(s, fate_name(r->kind == IO_READ ? FATE_WORN_READ : FATE_WORN_WRITE, d, r->sector,
                           sectors));
}

/* One that is struck already is left alone. */
static void strike_io(struct count *s, unsigned d, io_id io)
{
    const struct io *r = io_see(s->w, io);

    if (r->flags & (IO_DOOMED | IO_LOST | IO_TORN | IO_MISDIRECTED))
        return;
    if (left(s, r->kind == IO_READ ? BUDGET_READ : BUDGET_WRITE))
        offer(s, fate_name(FATE_DOOM, d, io, 0));
    strike_place(s, d, r);
    if (r->kind != IO_WRITE || r->flags & IO_META)
        return;
    if (left(s, BUDGET_LOSE))
        offer(s, fate_name(FATE_LOSE, d, io, 0));
    if (left(s, BUDGET_TEAR) && r->sectors > s->w->shape.group_sectors)
        offer(s, fate_name(FATE_TEAR, d, io, 0));
    if (left(s, BUDGET_MISDIRECT))
        offer(s, fate_name(FATE_MISDIRECT, d, io, 0));
}

static void cut_power(struct count *s)
{
    const struct world *w = s->w;

    if (!left(s, BUDGET_CUT) || array_see(w, 0)->down)
        return;
    offer(s, fate_name(FATE_POWER_CUT, 0, 0, 0));
    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        for (uint32_t k = 0; k < disk_see(w, d)->dirty; k++)
            offer(s, fate_name(FATE_DESTAGE, d, k, 0));
    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        for (uint32_t k = 0; k < disk_see(w, d)->queued; k++)
            offer(s, fate_name(FATE_POWER_CUT, 0,
                               1 + (uint64_t)d * w->shape.ios_per_disk + io_nth(w, d, IO_QUEUED, k),
                               0));
}

static void strike_queues(struct count *s)
{
    const struct world *w = s->w;

    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        for (uint32_t k = 0; k < disk_see(w, d)->queued; k++)
            strike_io(s, d, (io_id)d * w->shape.ios_per_disk + io_nth(w, d, IO_QUEUED, k));
}

uint32_t check_fates(const struct check_problem *c, const struct world *w, uint32_t k,
                     uint64_t *name)
{
    struct count s = { .c = c, .w = w, .k = k, .name = name };
    uint32_t all = 0;

    for (unsigned b = 0; b < BUDGET_COUNT; b++)
        all += check_left(c, w, b);
    if (!all)
        return 0;
    strike_members(&s);
    strike_queues(&s);
    rot_pages(&s);
    cut_power(&s);
    if (left(&s, BUDGET_CHECK))
        offer(&s, fate_name(FATE_SYNC_ACTION, 0, SYNC_CHECK, 0));
    if (left(&s, BUDGET_REPAIR))
        offer(&s, fate_name(FATE_SYNC_ACTION, 0, SYNC_REPAIR, 0));
    return s.n;
}
