/*
 * Events and the turns of CPUs. See clockwork.h for the rules, clockwork_internal.h for who does
 * what.
 *
 * An event in the wheel is only a hint: due[kind][index] says when that entity really wants to be
 * called, and an event that comes at another time is stale. So nothing is ever removed from the
 * wheel.
 */
#include "sim/clockwork_internal.h"

#include "model/array.h"
#include "model/io.h"
#include "model/request.h"
#include "model/stripe.h"
#include "model/waits.h"

#ifdef DEEP_CHECKS
enum { DEEP = 1 };
#else
enum { DEEP = 0 };
#endif

void clock_post(struct clockwork *c, enum event kind, uint32_t index, uint64_t when)
{
    c->due[kind][index] = when;
    if (when >= c->posted[kind][index])
        return; /* its event in the wheel comes first and will look again */
    c->posted[kind][index] = when;
    wheel_push(c->wheel, when, (uint32_t)kind << 24 | index);
}

void clock_kick(struct clockwork *c, uint32_t cpu, uint64_t when)
{
    struct cpu *p = &c->cpu[cpu];

    if (p->mode != CPU_IDLE && !(p->mode == CPU_WAKING && p->end > when))
        return;
    p->mode = CPU_WAKING;
    p->end = when;
    clock_post(c, EVENT_CPU, cpu, when);
}

static void log_move(struct clockwork *c, actor_id who, uint64_t way)
{
    struct move m = { .way = way, .who = who, .step = actor_see(c->world, who)->pc };

    ASSERT_DEEP(system_allows(c->system, c->world, m));
    if (c->log && c->log->count < c->log->capacity)
        c->log->move[c->log->count++] = m;
}

static inline void fire_step(struct clockwork *c, const struct step *step, actor_id who,
                             uint64_t way, struct effects *e)
{
    if (DEEP || c->log)
        log_move(c, who, way);
    c->s->moves++;
    e->count = 0;
    step->fire(c->world, who, way, e);
}

void clock_fire(struct clockwork *c, actor_id who, uint64_t way, struct effects *e)
{
    fire_step(c, system_step(c->system, c->world, who), who, way, e);
}

/* ---- locks */

/* Does raid5d's machine do this step without device_lock? */
static bool is_free(const struct shape *s, const struct step *step)
{
    return s->generation == GENERATION_61 &&
           (step->hashed == HASHED_FREE || (step->hashed == HASHED_LOOKUP && !s->lookup_locked));
}

/* Which locks a step needs: indices into c->lock. */
static unsigned locks_of(const struct clockwork *c, const struct step *step, actor_id who,
                         uint32_t id[2])
{
    stripe_id s = actor_see(c->world, who)->stripe;
    unsigned n = 0;

    if (!c->world->shape.stripes || is_free(&c->world->shape, step))
        return 0;
    if (step->lock == LOCK_STRIPE || step->lock == LOCK_STRIPE_DEVICE)
        id[n++] = 1u + s;
    if (step->lock == LOCK_DEVICE || step->lock == LOCK_STRIPE_DEVICE)
        id[n++] = 0;
    return n;
}

/* Spins until the holder's move ends. Ticket and queued locks are then had in order of arrival,
 * which is the order of the wheel; a test-and-set lock by whoever polls first, which a few ns of
 * luck decide among several. */
static void spin(struct clockwork *c, uint32_t cpu, uint32_t id)
{
    struct cpu *p = &c->cpu[cpu];
    struct spinlock *l = &c->lock[id];

    if (p->mode != CPU_SPINNING) {
        p->spin_since = c->s->now;
        c->s->lock[id != 0].contended++;
    } else {
        c->lock[p->lock].waiters--;
    }
    p->mode = CPU_SPINNING;
    p->lock = id;
    l->waiters++;
    p->end = l->free_at > c->s->now ? l->free_at : c->s->now;
    if (c->scenario->host.lock_kind == LOCK_UNFAIR && l->waiters > 1)
        p->end += dice_below(&c->s->lock_dice, 8);
    clock_post(c, EVENT_CPU, cpu, p->end);
}

/* A lock that is free at this very moment, but for which another CPU has waited: a ticket or queued
 * lock is the waiter's; a test-and-set lock goes to either, since the CPU that comes along has its
 * line no sooner. */
static bool is_promised(struct clockwork *c, uint32_t cpu, uint32_t id)
{
    const struct cpu *p = &c->cpu[cpu];
    const struct spinlock *l = &c->lock[id];

    if (!l->waiters || l->free_at < c->s->now || (p->mode == CPU_SPINNING && p->lock == id))
        return false;
    return c->scenario->host.lock_kind != LOCK_UNFAIR || dice_below(&c->s->lock_dice, 2);
}

/* True when all are free now; otherwise the CPU spins for the first that is not. */
static bool locks_free(struct clockwork *c, uint32_t cpu, const uint32_t *id, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (c->lock[id[i]].free_at > c->s->now || is_promised(c, cpu, id[i])) {
            spin(c, cpu, id[i]);
            return false;
        }
    return true;
}

/* Taking a free lock: its cache line, and what it guards, come from the CPU that had it last. */
uint64_t price_lock(struct clockwork *c, uint32_t cpu, uint32_t id, enum work books)
{
    struct spinlock *l = &c->lock[id];
    uint64_t milli = price_work(c, WORK_LOCK, 1);

    if (l->holder != cpu + 1) {
        uint64_t lines = id ? 1 : c->scenario->driver.lock_lines;

        milli += price_cycles(c, books, lines * c->scenario->host.transfer_cycles);
    }
    l->holder = (uint16_t)(cpu + 1);
    return milli;
}

static void locks_hold(struct clockwork *c, uint32_t cpu, const uint32_t *id, unsigned n)
{
    const struct cpu *p = &c->cpu[cpu];

    for (unsigned i = 0; i < n; i++) {
        struct results_lock *t = &c->s->lock[id[i] != 0];

        c->lock[id[i]].free_at = c->s->now + p->move_ns;
        t->acquisitions++;
        t->hold_ns += p->move_ns;
        if (p->move_ns > t->hold_max_ns)
            t->hold_max_ns = p->move_ns;
    }
}

/* The wait is over: what it cost. Returns the hand-over's price: waiters that all poll one line
 * delay it, those of a queued lock wait each on their own. */
static uint64_t end_spin(struct clockwork *c, uint32_t cpu, actor_id who)
{
    const struct host *h = &c->scenario->host;
    struct cpu *p = &c->cpu[cpu];
    struct spinlock *l = &c->lock[p->lock];
    struct results_lock *t = &c->s->lock[p->lock != 0];
    uint64_t waited = c->s->now - p->spin_since;
    uint64_t handover =
        (uint64_t)h->handover_cycles * (h->lock_kind == LOCK_QUEUED ? 1 : l->waiters);

    l->waiters--;
    t->wait_ns += waited;
    if (waited > t->wait_max_ns)
        t->wait_max_ns = waited;
    p->tally.spin_ns += waited;
    p->tally.busy_ns += waited;
    if (p->in_irq) {
        p->tally.irq_ns += waited;
    } else {
        c->thread[who].tally.busy_ns += waited;
        c->thread[who].tally.spin_ns += waited;
        c->thread[who].used += waited;
        c->thread[who].vruntime += waited;
    }
    price_work(c, WORK_SPIN, waited * h->mhz / 1000);
    return price_cycles(c, WORK_SPIN, handover);
}

/* ---- a CPU's turn */

/* When a sleeping actor's timer runs out. */
static uint64_t arm_end(const struct clockwork *c, const struct effect *f)
{
    uint64_t us = f->amount;

    switch ((enum arm)f->what) {
    case ARM_NS:
        return c->s->now + f->amount;
    case ARM_US:
        return c->s->now + us * 1000;
    default:
        return ((c->s->now + us * 1000 - 1) / (us * 1000) + 1) * us * 1000;
    }
}

static void deliver(struct clockwork *c, uint32_t cpu, const struct effect *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct effect *f = &list[i];

        switch ((enum effect_kind)f->kind) {
        case EFFECT_SUBMIT:
            member_submit(c, cpu, f->amount);
            break;
        case EFFECT_UNPLUG:
            members_unplug(c, cpu, f->who);
            break;
        case EFFECT_WAKE:
            thread_wake(c, f->who);
            break;
        case EFFECT_ARM:
            clock_post(c, EVENT_TIMER, f->who, arm_end(c, f));
            break;
        default:
            break; /* work, touches, marks and findings were booked when the move was priced */
        }
    }
}

/* Finds the CPU's next move: interrupts first. False: nothing to do. */
static bool choose(struct clockwork *c, uint32_t cpu, actor_id *who, uint64_t *way,
                   const struct step **step)
{
    struct cpu *p = &c->cpu[cpu];

    p->in_irq = (p->irq_count || p->irq.member != NONE32) && irq_choose(c, cpu, who, way);
    if (!p->in_irq)
        return thread_choose(c, cpu, who, way, step);
    *step = system_step(c->system, c->world, *who);
    return true;
}

/* The move holds its locks for its own price; what was done on this CPU's account meanwhile is paid
 * after it. */
static void pay(struct clockwork *c, uint32_t cpu, actor_id who, uint64_t milli)
{
    struct cpu *p = &c->cpu[cpu];

    uint64_t total = price_ns(c, milli + p->debt_milli);

    p->debt_milli = 0;
    p->move_ns = price_ns(c, milli);
    p->end = c->s->now + total;
    p->tally.busy_ns += total;
    if (p->in_irq)
        p->tally.irq_ns += total;
    else {
        c->thread[who].tally.busy_ns += total;
        c->thread[who].used += total;
        c->thread[who].vruntime += total;
    }
}

/* Waiters for a stripe and stripes in use, as integrals and maximum. */
static void watch_cache(struct clockwork *c)
{
    struct scalars *s = c->s;
    const struct array *a = array_see(c->world, 0);
    uint32_t sleepers = waits_see(c->world, WAIT_STRIPE)->sleepers;

    if (a->active > s->active_max)
        s->active_max = a->active;
    if (sleepers == s->sleepers)
        return;
    if (s->blocked_since < s->window_start)
        s->blocked_since = s->window_start;
    s->wait_ns += s->sleepers * (s->now - s->blocked_since);
    if (s->sleepers)
        s->blocked_ns += s->now - s->blocked_since;
    s->blocked_since = s->now;
    s->sleepers = sleepers;
}

static uint64_t fire_and_price(struct clockwork *c, uint32_t cpu, const struct step *step,
                               actor_id who, uint64_t way)
{
    struct cpu *p = &c->cpu[cpu];
    struct effects e = { 0, c->effects_capacity, c->effects + (size_t)cpu * c->effects_capacity };
    const struct actor *a = actor_see(c->world, who);
    bool client = a->kind == KIND_CLIENT;
    uint8_t pc = a->pc;
    request_id done = client ? client_see(c->world, who)->done_head : NONE16;
    request_id unplugged = a->request;
    enum sync_action action = (enum sync_action)array_see(c->world, 0)->sync;

    if (client && pc == CLIENT_TURN && done != NONE16) {
        c->s->reaped = *request_see(c->world, done);
        results_request_done(c, done);
    }
    if (c->scenario->fault_count)
        history_about(c, who, way);
    fire_step(c, step, who, way, &e);
    if (a->kind == KIND_RESYNC && pc == RESYNC_START)
        sync_begins(c);
    if (a->kind == KIND_RESYNC) {
        sync_goes_on(c);
        c->s->last_done = c->s->now; /* the window lasts as long as there is something to do */
        history_sync_step(c, pc, action);
    } else if (a->kind == KIND_RAID5D && pc >= RAID5D_CHECK) {
        history_look(c);
    }
    watch_cache(c);
    if (c->world->shape.stripes) { /* tell the host's processor what comes next */
        const struct array *array = array_see(c->world, 0);

        __builtin_prefetch(&c->lock[1u + a->stripe], 1);
        if (pc == CLIENT_ATTACH && array->list[LIST_INACTIVE].head != NONE16)
            temperature_expect(c->temperature, cpu, array->list[LIST_INACTIVE].head);
    }
    if (client && pc == CLIENT_TURN && done == NONE16) {
        c->timing_of[a->request].begun = c->s->now;
        results_in_flight(c, 1);
    }
    if (client && pc == CLIENT_UNPLUG)
        c->timing_of[unplugged].submitted = c->s->now;
    return price_effects(c, cpu, e.list, e.count, &p->effects);
}

/* Starts the CPU's next move. False: it went idle, or spins. */
static bool start_move(struct clockwork *c, uint32_t cpu)
{
    struct cpu *p = &c->cpu[cpu];
    const struct step *step;
    uint32_t id[2];
    unsigned locks;
    uint64_t milli = 0, way;
    actor_id who;

    if (!choose(c, cpu, &who, &way, &step)) {
        if (c->due[EVENT_CPU][cpu] == UINT64_MAX)
            p->mode = CPU_IDLE;
        return false;
    }
    locks = locks_of(c, step, who, id);
    if (!locks_free(c, cpu, id, locks))
        return false;
    if (p->mode == CPU_SPINNING)
        milli += end_spin(c, cpu, who);
    p->mode = CPU_MOVING;
    for (unsigned i = 0; i < locks; i++)
        milli += price_lock(c, cpu, id[i], (enum work)step->books);
    milli += fire_and_price(c, cpu, step, who, way);
    pay(c, cpu, who, milli);
    locks_hold(c, cpu, id, locks);
    return true;
}

static void end_move(struct clockwork *c, uint32_t cpu)
{
    uint32_t count = c->cpu[cpu].effects;

    c->cpu[cpu].effects = 0;
    deliver(c, cpu, c->effects + (size_t)cpu * c->effects_capacity, count);
    if (c->cpu[cpu].in_irq)
        irq_advance(c, cpu);
    else
        members_end_plug(c, cpu, c->cpu[cpu].current);
}

/* Runs the CPU from now on, inline as long as its next event is the earliest. */
static void cpu_event(struct clockwork *c, uint32_t cpu)
{
    struct cpu *p = &c->cpu[cpu];
    uint64_t next;

    if (p->mode == CPU_MOVING)
        end_move(c, cpu);
    while (start_move(c, cpu)) {
        if (p->end > c->s->until || (wheel_peek(c->wheel, &next) && next <= p->end)) {
            clock_post(c, EVENT_CPU, cpu, p->end);
            return;
        }
        c->s->now = p->end;
        end_move(c, cpu);
    }
}

/* ---- events */

/* A move that no CPU makes: its work is on the account of the CPU that takes interrupts. */
void clock_strike(struct clockwork *c, actor_id who, uint64_t way)
{
    struct effects e = { 0, c->effects_capacity,
                         c->effects + (size_t)c->cpus * c->effects_capacity };
    uint32_t cpu = c->scenario->host.irq_cpu < c->cpus ? c->scenario->host.irq_cpu : 0, left;

    clock_fire(c, who, way, &e);
    c->cpu[cpu].debt_milli += price_effects(c, cpu, e.list, e.count, &left);
    deliver(c, cpu, e.list, left);
}

static void timer_event(struct clockwork *c, actor_id who)
{
    enum kind kind = (enum kind)actor_see(c->world, who)->kind;

    if (c->system->kinds[kind]->venue == VENUE_TIMER)
        clock_strike(c, who, 0);
    else
        thread_wake(c, who);
}

static void dispatch(struct clockwork *c, enum event kind, uint32_t index)
{
    switch (kind) {
    case EVENT_CPU:
        cpu_event(c, index);
        break;
    case EVENT_DEVICE:
        member_device_event(c, index);
        break;
    case EVENT_QUEUE:
        member_queue_event(c, index);
        break;
    case EVENT_THREAD:
        thread_wake(c, (actor_id)index);
        break;
    case EVENT_TIMER:
        timer_event(c, (actor_id)index);
        break;
    case EVENT_FAULT:
        fault_event(c, index);
        break;
    case EVENT_HELD:
        member_held_event(c, index);
        break;
    case EVENT_BALANCE:
        thread_balance(c);
        if (wheel_count(c->wheel))
            clock_post(c, EVENT_BALANCE, 0, c->s->now + c->scenario->host.balance_ns);
        break;
    default:
        results_reset(c);
        break;
    }
}

bool clockwork_run(struct clockwork *c, uint64_t until)
{
    uint64_t when;
    uint32_t what;

    c->s->until = until;
    while (wheel_peek(c->wheel, &when) && when <= until) {
        enum event kind;
        uint32_t index;

        wheel_pop(c->wheel, &when, &what);
        kind = (enum event)(what >> 24);
        index = what & 0xffffff;
        if (c->posted[kind][index] != when)
            continue;
        c->posted[kind][index] = UINT64_MAX;
        if (c->due[kind][index] != when) {
            clock_post(c, kind, index, c->due[kind][index]);
            continue;
        }
        c->due[kind][index] = UINT64_MAX;
        ASSERT(when >= c->s->now);
        c->s->now = when;
        c->s->events++;
        dispatch(c, kind, index);
    }
    return wheel_count(c->wheel) != 0;
}

uint64_t clockwork_now(const struct clockwork *c)
{
    return c->s->now;
}

void clockwork_record(struct clockwork *c, struct move_log *log)
{
    c->log = log;
}

void *clockwork_state(struct clockwork *c, size_t *bytes)
{
    *bytes = c->arena_bytes;
    return c->arena;
}
