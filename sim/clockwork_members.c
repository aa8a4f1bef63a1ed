/*
 * Members: elevator, device, interrupt.
 *
 * An io a thread submits goes into its member's elevator at the end of the thread's move. If no
 * request is free there the io waits in line and the thread sleeps until it is in. A device's
 * completion fires the disk's moves at once (the transfer is over) and hangs the request on an
 * interrupt; the completion moves run on the interrupt's CPU, and after the last of them the queue
 * sends the next request to the device.
 */
#include "sim/clockwork_internal.h"

#include "model/array.h"
#include "model/io.h"
#include "model/stripe.h"
#include "sim/io_log.h"

static uint32_t irq_cpu(const struct clockwork *c, unsigned member)
{
    uint32_t cpu = c->scenario->host.irq_cpu;

    return cpu < c->cpus ? cpu : member % c->cpus;
}

/* Reads, writes and flushes are counted apart. */
static unsigned group_of(const struct io *r)
{
    return r->kind == IO_FLUSH ? WAITING_FLUSHES : r->kind == IO_WRITE;
}

/* Brings the integrals of queue length and busy time up to now. */
void member_settle(struct clockwork *c, unsigned member)
{
    struct member *m = &c->member[member];
    uint64_t dt = c->s->now - m->since;

    m->since = c->s->now;
    uint32_t all = m->waiting[0] + m->waiting[1] + m->waiting[WAITING_FLUSHES];

    for (unsigned dir = 0; dir < 2; dir++)
        m->tally.ticks_ns[dir] += dt * m->waiting[dir];
    m->tally.flush_ticks_ns += dt * m->waiting[WAITING_FLUSHES];
    m->tally.queue_ns += dt * all;
    if (all)
        m->tally.busy_ns += dt;
}

static void count_request(struct clockwork *c, unsigned member, unsigned dir, int change)
{
    member_settle(c, member);
    c->member[member].waiting[dir] += (uint32_t)change;
}

static void post_device(struct clockwork *c, unsigned member)
{
    clock_post(c, EVENT_DEVICE, member,
               c->timing[member]->next(c->arm[member], &c->scenario->disk[member]));
}

/* May the driver hand over one more command? One whose interrupt is not worked off still counts. */
static bool ready(const struct clockwork *c, unsigned member)
{
    const struct disk_preset *preset = &c->scenario->disk[member];

    return c->member[member].commands < preset->queue_depth &&
           c->timing[member]->accepts(c->arm[member], preset);
}

/* Sends the device what the elevator lets go, on that CPU's account. A full device asks for
 * nothing: its next completion does. */
static void send(struct clockwork *c, uint32_t cpu, unsigned member)
{
    struct disk_command command;

    while (ready(c, member)) {
        uint32_t pages;

        if (!elevator_dispatch(c->elevator[member], &c->queue_params, c->issuer, c->s->now,
                               &command)) {
            clock_post(c, EVENT_QUEUE, member,
                       elevator_timer(c->elevator[member], &c->queue_params));
            return;
        }
        pages = elevator_request_segments(c->elevator[member], command.token);
        c->member[member].commands++;
        c->timing[member]->accept(c->arm[member], &c->scenario->disk[member], c->s->now, &command);
        c->cpu[cpu].debt_milli += price_work(c, WORK_REQUEST, 1) + price_work(c, WORK_COMMAND, 1) +
                                  price_work(c, WORK_SG_PAGE, pages);
        post_device(c, member);
    }
}

/* *fresh: it became a request of its own. False: there is no room. */
static bool try_add(struct clockwork *c, io_id io, bool *fresh)
{
    unsigned member = io_disk(c->world, io);
    const struct io *r = io_see(c->world, io);
    uint8_t kind = r->kind; /* IO_* and COMMAND_* agree */
    unsigned dir = group_of(r);

    *fresh = false;
    switch (elevator_add(c->elevator[member], &c->queue_params, c->issuer, c->s->now,
                         io_place(c->world, io), r->sector, r->sectors, kind, r->fua, r->issuer)) {
    case ELEVATOR_FULL:
        return false;
    case ELEVATOR_NEW:
        c->plugged[member / 64] |= 1ull << member % 64;
        count_request(c, member, dir, 1);
        *fresh = true;
        break;
    default:
        break;
    }
    return true;
}

static void stall(struct clockwork *c, unsigned member, io_id io)
{
    struct member *m = &c->member[member];
    uint32_t ref = io_place(c->world, io) + 1;
    uint32_t *next = c->stalled_next + (size_t)member * c->world->shape.ios_per_disk;

    next[ref - 1] = 0;
    if (m->stalled_head)
        next[m->stalled_tail - 1] = ref;
    else
        m->stalled_head = ref;
    m->stalled_tail = ref;
    c->thread[io_see(c->world, io)->issuer].stalled++;
}

/* Lets in those who wait for a free request, in order. */
static void unstall(struct clockwork *c, unsigned member)
{
    struct member *m = &c->member[member];
    const uint32_t *next = c->stalled_next + (size_t)member * c->world->shape.ios_per_disk;

    while (m->stalled_head) {
        io_id io = member * c->world->shape.ios_per_disk + m->stalled_head - 1;
        actor_id issuer = io_see(c->world, io)->issuer;
        bool fresh;

        if (!try_add(c, io, &fresh))
            return;
        m->stalled_head = next[m->stalled_head - 1];
        if (--c->thread[issuer].stalled == 0)
            thread_wake(c, issuer);
    }
}

void clockwork_log_io(struct clockwork *c, struct io_log *log)
{
    c->io_log = log;
}

static void log_io(const struct clockwork *c, uint32_t cpu, io_id io)
{
    const struct io *r = io_see(c->world, io);
    struct io_entry entry = { .ns = c->s->now,
                              .sector = r->sector,
                              .sectors = r->sectors,
                              .member = (uint16_t)io_disk(c->world, io),
                              .issuer = r->issuer,
                              .kind = r->kind,
                              .fua = r->fua,
                              .issuer_kind = actor_see(c->world, r->issuer)->kind,
                              .cpu = (uint8_t)cpu,
                              .reason = r->reason };

    io_log_append(c->io_log, &entry);
}

void member_submit(struct clockwork *c, uint32_t cpu, io_id io)
{
    unsigned member = io_disk(c->world, io);
    uint32_t plug = c->scenario->host.plug_requests;
    struct thread *t = &c->thread[io_see(c->world, io)->issuer];
    bool fresh = false;

    if (c->io_log)
        log_io(c, cpu, io);
    if (c->scenario->fault_count)
        faults_meet(c, io);
    if (io_see(c->world, io)->flags & IO_SYNC)
        c->member[member].sync_sectors += io_see(c->world, io)->sectors;

    if (c->member[member].stalled_head || !try_add(c, io, &fresh)) {
        stall(c, member, io);
        elevator_unplug(c->elevator[member]);
    } else if (fresh && plug) {
        elevator_hold(c->elevator[member]);
        t->plugged++;
        if (t->plugged >= plug)
            members_flush_plug(c, cpu, io_see(c->world, io)->issuer);
    }
    send(c, cpu, member);
}

/* One flag a queue stands for the plugs of all tasks: letting one go lets all go. */
void members_flush_plug(struct clockwork *c, uint32_t cpu, actor_id who)
{
    if (!c->thread[who].plugged)
        return;
    c->thread[who].plugged = 0;
    members_unplug(c, cpu, NONE16);
}

void members_end_plug(struct clockwork *c, uint32_t cpu, actor_id who)
{
    const struct actor *a = actor_see(c->world, who);

    if ((a->kind == KIND_RAID5D && a->pc == RAID5D_SLEEP) ||
        (a->kind == KIND_CLIENT && a->pc == CLIENT_TURN && !client_see(c->world, who)->plugging))
        members_flush_plug(c, cpu, who);
}

static void unplug(struct clockwork *c, uint32_t cpu, unsigned member)
{
    c->plugged[member / 64] &= ~(1ull << member % 64);
    if (elevator_unplug(c->elevator[member]))
        send(c, cpu, member);
}

void members_unplug(struct clockwork *c, uint32_t cpu, unsigned member)
{
    if (member != NONE16) {
        unplug(c, cpu, member);
        return;
    }
    for (unsigned word = 0; word <= (c->members - 1) / 64; word++)
        while (c->plugged[word])
            unplug(c, cpu, word * 64 + (unsigned)__builtin_ctzll(c->plugged[word]));
}

void member_queue_event(struct clockwork *c, unsigned member)
{
    send(c, irq_cpu(c, member), member);
}

/* Tells the host's processor which records come next. */
static void expect_io(const struct clockwork *c, unsigned member, uint32_t place)
{
    const struct world *w = c->world;
    const struct shape *s = &w->shape;
    unsigned slot;

    if (place == NONE32)
        return;
    __builtin_prefetch(io_see(w, (uint64_t)member * s->ios_per_disk + place), 1);
    if (place >= s->stripes)
        return;
    __builtin_prefetch(stripe_see(w, place), 1);
    slot = disk_see(w, member)->slot;
    if (slot == NO_DEVICE)
        return; /* a log's device */
    __builtin_prefetch(slot_see(w, (stripe_id)place, slot), 1);
    __builtin_prefetch(
        tags_see(w, (uint64_t)slot_page(w, (stripe_id)place, slot) * s->tags_per_page), 1);
}

_Static_assert((int)REASON_COUNT <= RESULT_REASONS && (int)IO_FLUSH < RESULT_KINDS,
               "room in results");

static void count_io(struct results_member *tally, const struct io *r)
{
    struct results_io *by = &tally->by_reason[r->reason][r->kind];

    by->ios++;
    by->sectors += r->sectors;
    if (!(r->flags & IO_META))
        return;
    tally->meta_ios++;
    tally->meta_sectors += r->sectors;
}

/* A command has ended: contents move, the interrupt is raised. */
static void end_command(struct clockwork *c, unsigned member, uint32_t token)
{
    uint32_t cpu = irq_cpu(c, member);
    struct cpu *p = &c->cpu[cpu];
    actor_id disk = actor_disk(&c->world->shape, member);
    struct effect none[4];
    struct effects e = { 0, 4, none };
    uint32_t first = elevator_first_io(c->elevator[member], token);
    io_id base = (io_id)member * c->world->shape.ios_per_disk;
    struct irq irq = { .member = member,
                       .io = first,
                       .first = 1,
                       .direction = (uint8_t)group_of(io_see(c->world, base + first)) };

    c->member[member].tally.flushes += irq.direction == WAITING_FLUSHES;
    for (uint32_t io = first; io != NONE32; io = c->irq_next[base + io]) {
        const struct io *r = io_see(c->world, base + io);

        c->irq_next[base + io] = elevator_next_io(c->elevator[member], io);
        expect_io(c, member, c->irq_next[base + io]);
        if (irq.direction < WAITING_FLUSHES)
            c->member[member].tally.sectors[irq.direction] += r->sectors;
        c->member[member].completed_sectors += r->sectors;
        count_io(&c->member[member].tally, r);
        clock_fire(c, disk, base + io, &e);
    }
    /* The queue has done with the request: an io that has ended may come again before the
     * interrupt has ended the others. */
    elevator_complete(c->elevator[member], &c->queue_params, c->issuer, c->s->now, token);
    ASSERT(p->irq_count < c->irq_capacity);
    c->irqs[(size_t)cpu * c->irq_capacity + (p->irq_head + p->irq_count++) % c->irq_capacity] = irq;
    clock_kick(c, cpu, c->s->now);
}

/* Keeps a command back if a fault has slowed one of its I/Os; when all places are taken it is not.
 */
static bool is_held(struct clockwork *c, unsigned member, uint32_t token)
{
    io_id base = (io_id)member * c->world->shape.ios_per_disk;
    uint64_t delay = 0;

    if (!c->scenario->fault_count)
        return false;
    for (uint32_t io = elevator_first_io(c->elevator[member], token); io != NONE32;
         io = elevator_next_io(c->elevator[member], io)) {
        delay = c->delay_ns[base + io] > delay ? c->delay_ns[base + io] : delay;
        c->delay_ns[base + io] = 0;
    }
    for (unsigned i = 0; i < HELD_MAX && delay; i++)
        if (!c->held[i].used) {
            c->held[i] = (struct held){ .member = member, .token = token, .used = 1 };
            clock_post(c, EVENT_HELD, i, c->s->now + delay);
            return true;
        }
    return false;
}

void member_held_event(struct clockwork *c, unsigned place)
{
    struct held held = c->held[place];

    c->held[place] = (struct held){ 0 };
    end_command(c, held.member, held.token);
}

/* The device has ended commands due now. */
void member_device_event(struct clockwork *c, unsigned member)
{
    const struct disk_preset *preset = &c->scenario->disk[member];
    const struct disk_timing *timing = c->timing[member];

    while (timing->next(c->arm[member], preset) == c->s->now) {
        uint32_t token = timing->finish(c->arm[member], preset, c->s->now);

        if (!is_held(c, member, token))
            end_command(c, member, token);
    }
    post_device(c, member);
}

bool irq_choose(struct clockwork *c, uint32_t cpu, actor_id *who, uint64_t *way)
{
    struct cpu *p = &c->cpu[cpu];

    if (p->mode == CPU_SPINNING && !p->in_irq)
        return false; /* a spinning thread has interrupts off */
    if (p->irq.member == NONE32) {
        if (!p->irq_count)
            return false;
        p->irq = c->irqs[(size_t)cpu * c->irq_capacity + p->irq_head];
        p->irq_head = (p->irq_head + 1) % c->irq_capacity;
        p->irq_count--;
    }
    if (p->irq.first) {
        p->debt_milli += price_work(c, WORK_IRQ, 1);
        p->irq.first = 0;
    }
    *who = actor_completion(&c->world->shape, p->irq.member);
    *way = (uint64_t)p->irq.member * c->world->shape.ios_per_disk + p->irq.io;
    p->irq.next = c->irq_next[*way];
    return true;
}

void irq_advance(struct clockwork *c, uint32_t cpu)
{
    struct cpu *p = &c->cpu[cpu];
    unsigned member = p->irq.member;

    p->irq.io = p->irq.next;
    if (p->irq.io != NONE32) {
        expect_io(c, member, c->irq_next[(io_id)member * c->world->shape.ios_per_disk + p->irq.io]);
        return;
    }
    count_request(c, member, p->irq.direction, -1);
    c->member[member].commands--;
    p->irq.member = NONE32;
    unstall(c, member);
    send(c, cpu, member);
}
