/*
 * Threads: who runs where, who sleeps.
 *
 * A thread blocks when its next step has no way, when ios of its own found no free request, or when
 * its job has no I/O for it yet. A wake-up makes it runnable on an idle CPU if there is one (its
 * last first), else at the end of its last CPU's queue. Nobody is preempted inside the kernel
 * (CONFIG_PREEMPT_NONE, the server's choice) but for kblockd, whose threads have nice -5: a thread
 * runs until it blocks or its timeslice ends. The O(1) scheduler's bonus for sleepers is left out
 * (docs/LIMITS.md). With scheduler = cfs, run queues are in order of vruntime and a sleeper that
 * wakes up may preempt.
 *
 * Kernel: kernel/sched.c (2.6.15) and kernel/sched/fair.c (6.1), much simplified.
 */
#include "sim/clockwork_internal.h"

#include "model/array.h"
#include "model/request.h"
#include "model/workers.h"

static bool is_kernel(const struct clockwork *c, actor_id who)
{
    return actor_see(c->world, who)->kind == KIND_TIMER;
}

/* ---- CFS: whoever has run least runs next. A sleeper comes back at most half a period behind the
 * others, and preempts whom it is more than the granularity behind. */

enum { SCHED_LATENCY_NS = 6000000, WAKEUP_GRANULARITY_NS = 1000000 };

static bool is_cfs(const struct clockwork *c)
{
    return c->scenario->host.scheduler == SCHEDULER_CFS;
}

/* The kernel stretches both times with the number of CPUs, up to eight. */
static uint64_t stretched(const struct clockwork *c, uint64_t ns)
{
    return ns * (c->cpus >= 8 ? 4 : c->cpus >= 4 ? 3 : c->cpus >= 2 ? 2 : 1);
}

/* min_vruntime never goes back. */
static void settle_min(struct clockwork *c, struct cpu *p)
{
    uint64_t least = UINT64_MAX;

    if (p->current != NONE16)
        least = c->thread[p->current].vruntime;
    if (p->head != NONE16 && c->thread[p->head].vruntime < least)
        least = c->thread[p->head].vruntime;
    if (least != UINT64_MAX && least > p->min_vruntime)
        p->min_vruntime = least;
}

/* vruntime only compares within a CPU. */
static void migrate(struct clockwork *c, struct thread *t, uint32_t cpu)
{
    uint64_t from = c->cpu[t->cpu].min_vruntime, to = c->cpu[cpu].min_vruntime;

    t->vruntime = t->vruntime + to > from ? t->vruntime + to - from : 0;
    t->cpu = (uint8_t)cpu;
}

static void place_sleeper(struct clockwork *c, struct cpu *p, struct thread *t)
{
    uint64_t credit = stretched(c, SCHED_LATENCY_NS) / 2;

    settle_min(c, p);
    if (p->min_vruntime > credit && t->vruntime < p->min_vruntime - credit)
        t->vruntime = p->min_vruntime - credit;
    if (p->current != NONE16 &&
        c->thread[p->current].vruntime > t->vruntime + stretched(c, WAKEUP_GRANULARITY_NS))
        p->resched = 1;
}

/* Where a kernel that preempts voluntarily looks: on return from a system call, where raid5d
 * or a worker submits member I/O, and when a batch has been handled. */
static bool at_resched_point(const struct clockwork *c, actor_id who)
{
    const struct actor *a = actor_see(c->world, who);

    if (a->kind == KIND_CLIENT)
        return a->pc == CLIENT_TURN && !client_see(c->world, who)->plugging;
    if (a->kind == KIND_WORKER)
        return a->pc == WORKER_WORK || a->pc == WORKER_LOOP || a->pc == WORKER_IDLE;
    return a->kind != KIND_RAID5D || a->pc == RAID5D_WORK || a->pc == RAID5D_DONE;
}

static bool preempted_by_cfs(struct clockwork *c, struct cpu *p)
{
    struct thread *t = &c->thread[p->current];

    if (p->head != NONE16 && t->used >= c->scenario->host.timeslice_ns)
        p->resched = 1;
    if (!p->resched || p->head == NONE16 || !at_resched_point(c, p->current))
        return false;
    t->used = 0;
    return true;
}

/* ---- run queues */

/* The thread after which this one belongs; NONE16: it comes first. */
static actor_id predecessor(const struct clockwork *c, const struct cpu *p, actor_id who)
{
    actor_id before = NONE16;

    if (!is_cfs(c))
        return is_kernel(c, who) && p->head != NONE16 && !is_kernel(c, p->head) ? NONE16 : p->tail;
    for (actor_id x = p->head; x != NONE16 && c->thread[x].vruntime <= c->thread[who].vruntime;
         x = c->thread[x].next)
        before = x;
    return before;
}

static void enqueue(struct clockwork *c, uint32_t cpu, actor_id who)
{
    struct cpu *p = &c->cpu[cpu];
    struct thread *t = &c->thread[who];
    actor_id before;

    if (t->cpu != cpu)
        migrate(c, t, cpu);
    before = predecessor(c, p, who);
    t->state = THREAD_RUNNABLE;
    t->next = before == NONE16 ? p->head : c->thread[before].next;
    if (before == NONE16)
        p->head = who;
    else
        c->thread[before].next = who;
    if (t->next == NONE16)
        p->tail = who;
    p->waiting++;
}

static actor_id dequeue(struct clockwork *c, uint32_t cpu)
{
    struct cpu *p = &c->cpu[cpu];
    actor_id who = p->head;

    if (who == NONE16)
        return who;
    p->head = c->thread[who].next;
    if (p->head == NONE16)
        p->tail = NONE16;
    p->waiting--;
    return who;
}

/* Takes a thread from the longest queue of another CPU. */
static actor_id steal(struct clockwork *c, uint32_t cpu)
{
    uint32_t victim = cpu;

    for (uint32_t i = 0; i < c->cpus; i++)
        if (i != cpu && c->cpu[i].mode != CPU_WAKING &&
            c->cpu[i].waiting > (victim == cpu ? 0 : c->cpu[victim].waiting))
            victim = i;
    return victim == cpu ? NONE16 : dequeue(c, victim);
}

/* Threads a CPU has to run, the current one included. */
static uint32_t load_of(const struct clockwork *c, uint32_t cpu)
{
    return c->cpu[cpu].waiting + (uint32_t)(c->cpu[cpu].current != NONE16);
}

void thread_balance(struct clockwork *c)
{
    uint32_t most = 0, least = 0;

    for (uint32_t i = 1; i < c->cpus; i++) {
        if (load_of(c, i) > load_of(c, most))
            most = i;
        if (load_of(c, i) < load_of(c, least))
            least = i;
    }
    for (uint32_t n = (load_of(c, most) - load_of(c, least)) / 2; n && c->cpu[most].waiting; n--)
        enqueue(c, least, dequeue(c, most));
    if (c->cpu[least].waiting)
        clock_kick(c, least, c->s->now);
}

static void end_block(struct clockwork *c, struct thread *t)
{
    uint64_t since = t->since > c->s->window_start ? t->since : c->s->window_start;

    t->tally.blocked_ns += c->s->now - since;
    t->tally.wakeups++;
    t->since = c->s->now;
    t->woken = 1;
}

void thread_wake(struct clockwork *c, actor_id who)
{
    struct thread *t = &c->thread[who];
    uint32_t cpu = t->cpu;

    if (t->state != THREAD_BLOCKED || t->stalled)
        return;
    end_block(c, t);
    if (!c->scenario->host.soaker && c->cpu[cpu].mode != CPU_IDLE)
        for (uint32_t i = 0; i < c->cpus; i++)
            if (c->cpu[i].mode == CPU_IDLE) {
                cpu = i;
                break;
            }
    if (t->cpu != cpu)
        migrate(c, t, cpu);
    if (is_cfs(c))
        place_sleeper(c, &c->cpu[cpu], t);
    enqueue(c, cpu, who);
    clock_kick(c, cpu, c->s->now + c->scenario->host.wake_ns);
}

/* Clients have just been started, the kernel's threads have slept for long. */
void thread_begin(struct clockwork *c, actor_id who)
{
    struct thread *t = &c->thread[who];
    uint64_t credit = stretched(c, SCHED_LATENCY_NS) / 2;

    t->state = THREAD_BLOCKED;
    t->cpu = (uint8_t)(who % c->cpus);
    t->vruntime = actor_see(c->world, who)->kind == KIND_CLIENT ? credit : 0;
    c->cpu[t->cpu].min_vruntime = credit;
}

void thread_block(struct clockwork *c, actor_id who)
{
    struct thread *t = &c->thread[who];

    if (t->woken)
        t->tally.wasted_wakeups++;
    t->woken = 0;
    t->state = THREAD_BLOCKED;
    t->since = c->s->now;
    members_flush_plug(c, t->cpu, who);
}

/* Asks the job for the client's next I/O; false: none now. */
static bool ask_load(struct clockwork *c, actor_id who, uint64_t *way)
{
    struct ask ask;
    uint64_t when;

    switch (workload_next(c->load, c->instance_of[who], c->s->now, &ask, &when)) {
    case WORKLOAD_ASK:
        *way = request_name(ask.sector, ask.sectors, ask.flags);
        return true;
    case WORKLOAD_LATER:
        clock_post(c, EVENT_THREAD, who, when);
        return false;
    default:
        return false;
    }
}

/* A thread sleeps until its timer has run out; the resync thread, when it has no stripe in its
 * hands, for good once the run's jobs have had their time. */
static bool rests(const struct clockwork *c, actor_id who, const struct step *step)
{
    const struct actor *a = actor_see(c->world, who);

    if (step->sleeps && c->due[EVENT_TIMER][who] != UINT64_MAX)
        return true;
    return a->kind == KIND_RESYNC && a->pc != RESYNC_REQUEST && a->pc < RESYNC_WORK &&
           c->s->now >= c->sync_until;
}

/* Can this thread go on now? */
static bool ready(struct clockwork *c, actor_id who, uint64_t *way, const struct step **found)
{
    const struct step *step = system_step(c->system, c->world, who);

    *way = 0;
    *found = step;
    if (c->thread[who].stalled || !step->ways(c->world, who) || rests(c, who, step))
        return false;
    if (actor_see(c->world, who)->kind == KIND_RESYNC &&
        actor_see(c->world, who)->pc == RESYNC_PACE)
        *way = sync_pace(c);
    if (step->chosen && client_see(c->world, who)->done_head == NONE16)
        return ask_load(c, who, way);
    return true;
}

static bool kernel_waits(const struct clockwork *c, uint32_t cpu)
{
    actor_id head = c->cpu[cpu].head;

    return head != NONE16 && is_kernel(c, head);
}

/* Must the current thread make room? A kernel thread goes first; a user thread's timeslice ends
 * when others wait for the CPU, the load meter being always one of them. */
static bool preempted(struct clockwork *c, uint32_t cpu)
{
    const struct host *h = &c->scenario->host;
    struct cpu *p = &c->cpu[cpu];
    struct thread *t = &c->thread[p->current];

    if (is_cfs(c))
        return preempted_by_cfs(c, p);
    if (is_kernel(c, p->current))
        return false;
    if (kernel_waits(c, cpu))
        return true;
    if (t->used < h->timeslice_ns || (p->head == NONE16 && !h->soaker))
        return false;
    t->used = 0;
    if (h->soaker)
        p->soak_until = c->s->now + h->soak_ns;
    return true;
}

/* The load meter runs: nothing else but kernel threads until it is done. */
static bool soaking(struct clockwork *c, uint32_t cpu)
{
    struct cpu *p = &c->cpu[cpu];

    if (p->soak_until <= c->s->now || kernel_waits(c, cpu))
        return false;
    p->mode = CPU_IDLE;
    clock_kick(c, cpu, p->soak_until);
    return true;
}

static void put_on(struct clockwork *c, uint32_t cpu, actor_id who)
{
    struct cpu *p = &c->cpu[cpu];
    struct thread *t = &c->thread[who];

    p->current = who;
    p->resched = 0;
    t->state = THREAD_RUNNING;
    if (t->cpu != cpu)
        migrate(c, t, cpu);
    if (p->last != who) {
        uint64_t milli = price_work(c, WORK_SWITCH, 1);

        p->debt_milli += milli;
        p->tally.switch_ns += price_ns(c, milli);
        t->tally.switches++;
        p->last = who;
    }
}

bool thread_choose(struct clockwork *c, uint32_t cpu, actor_id *who, uint64_t *way,
                   const struct step **step)
{
    struct cpu *p = &c->cpu[cpu];

    if (p->mode == CPU_SPINNING &&
        p->current != NONE16) { /* it has chosen already and waits for a lock */
        *who = p->current;
        *way = 0;
        *step = system_step(c->system, c->world, *who);
        return true;
    }
    for (;;) {
        if (p->current != NONE16 && preempted(c, cpu)) {
            enqueue(c, cpu, p->current);
            p->current = NONE16;
        }
        if (p->current == NONE16) {
            actor_id next;

            if (soaking(c, cpu))
                return false;
            next = dequeue(c, cpu);

            if (next == NONE16 && !c->scenario->host.soaker)
                next = steal(c, cpu);
            if (next == NONE16)
                return false;
            put_on(c, cpu, next);
        }
        *who = p->current;
        if (ready(c, *who, way, step)) {
            if (c->thread[*who].woken)
                c->thread[*who].woken = actor_see(c->world, *who)->pc == CLIENT_RETRY;
            return true;
        }
        thread_block(c, *who);
        p->current = NONE16;
    }
}
