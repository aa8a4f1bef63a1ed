/* Winding: one arena for all that changes, laid out once from the scenario. */
#include "sim/clockwork_internal.h"

#include <stdlib.h>
#include <string.h>

#include "faults/points.h"
#include "model/array.h"
#include "model/bitmap.h"
#include "model/stripe.h"

/* Takes `bytes` from the arena, or, while there is none yet, only adds them up. */
static void *take(struct clockwork *c, size_t bytes)
{
    void *here = c->arena ? c->arena + c->arena_bytes : NULL;

    c->arena_bytes += (bytes + 15) & ~(size_t)15;
    return here;
}

static uint32_t event_slots(const struct clockwork *c)
{
    return c->cpus + 2 * c->members + 2u * c->world->shape.actors + 2 + FAULTS_MAX + HELD_MAX;
}

static void lay_out_threads(struct clockwork *c)
{
    const struct shape *shape = &c->world->shape;
    uint32_t index_count[EVENT_COUNT] = { c->cpus,       c->members, c->members, shape->actors,
                                          shape->actors, 1,          1,          FAULTS_MAX,
                                          HELD_MAX };

    c->s = take(c, sizeof *c->s);
    c->history = take(c, sizeof *c->history);
    c->cpu = take(c, c->cpus * sizeof *c->cpu);
    c->effects = take(c, (size_t)(c->cpus + 1) * c->effects_capacity * sizeof *c->effects);
    c->irqs = take(c, (size_t)c->cpus * c->irq_capacity * sizeof *c->irqs);
    c->thread = take(c, shape->actors * sizeof *c->thread);
    c->issuer = take(c, shape->actors * sizeof *c->issuer);
    c->lock = take(c, (1u + shape->stripes) * sizeof *c->lock);
    c->timing_of = take(c, shape->requests * sizeof *c->timing_of);
    c->job = take(c, c->scenario->job_count * sizeof *c->job);
    for (unsigned k = 0; k < EVENT_COUNT; k++)
        c->due[k] = take(c, index_count[k] * sizeof(uint64_t));
    for (unsigned k = 0; k < EVENT_COUNT; k++)
        c->posted[k] = take(c, index_count[k] * sizeof(uint64_t));
    c->temperature = take(c, temperature_bytes(c->cpus, shape->stripes));
    /* Stale events stay in the wheel until their time: room for several an entity. */
    c->wheel = take(c, wheel_bytes(64 * event_slots(c) + 4096));
}

static void lay_out_members(struct clockwork *c)
{
    const struct shape *shape = &c->world->shape;

    c->member = take(c, c->members * sizeof *c->member);
    c->delay_ns = take(c, c->scenario->fault_count
                              ? (size_t)c->members * shape->ios_per_disk * sizeof *c->delay_ns
                              : 0);
    c->held = take(c, HELD_MAX * sizeof *c->held);
    c->plugged = take(c, (c->members + 63) / 64 * sizeof *c->plugged);
    c->irq_next = take(c, (size_t)c->members * shape->ios_per_disk * sizeof *c->irq_next);
    c->stalled_next = take(c, (size_t)c->members * shape->ios_per_disk * sizeof *c->stalled_next);
    for (unsigned d = 0; d < c->members; d++) {
        c->elevator[d] = take(c, elevator_bytes(&c->queue_params, shape->ios_per_disk));
        c->arm[d] = take(c, c->timing[d]->arm_bytes(&c->scenario->disk[d]));
    }
}

static void start_cpus(struct clockwork *c)
{
    for (uint32_t i = 0; i < c->cpus; i++) {
        struct cpu *p = &c->cpu[i];

        p->current = p->last = p->head = p->tail = NONE16;
        p->irq.member = NONE32;
    }
    memset(c->due[0], 0xff, (size_t)((char *)c->temperature - (char *)c->due[0]));
}

static void start_members(struct clockwork *c)
{
    for (unsigned d = 0; d < c->members; d++) {
        elevator_start(c->elevator[d], &c->queue_params, c->world->shape.ios_per_disk);
        c->timing[d]->start(c->arm[d], &c->scenario->disk[d], d, c->scenario->seed);
    }
}

/* Every client has its first turn at time 0, in order. */
static void start_threads(struct clockwork *c)
{
    for (actor_id who = 0; who < c->world->shape.actors; who++)
        thread_begin(c, who);
    for (actor_id who = 0; who < c->world->shape.clients; who++)
        clock_post(c, EVENT_THREAD, who, 0);
    if (array_see(c->world, 0)->raid5d_wanted)
        clock_post(c, EVENT_THREAD, actor_raid5d(&c->world->shape), 0);
    if (has_bitmap(&c->world->shape) && actor_see(c->world, actor_daemon(&c->world->shape))->slot)
        clock_post(c, EVENT_TIMER, actor_daemon(&c->world->shape),
                   BITMAP_DAEMON_SLEEP_US * UINT64_C(1000));
    if (c->world->shape.sync_action != SYNC_IDLE)
        clock_post(c, EVENT_THREAD, actor_resync(&c->world->shape), c->scenario->array.sync_delay);
}

/* A chain entry is a stripe_head's first line: in the CPU's cache only as far as the whole cache of
 * stripe_heads fits in there. */
static uint64_t chain_price(const struct clockwork *c)
{
    const struct host *h = &c->scenario->host;
    uint64_t line = h->line_bytes ? h->line_bytes : 64;
    uint64_t all = (uint64_t)(c->world->shape.stripes - c->world->shape.reserve) *
                   c->world->shape.stripe_lines * line;
    uint64_t cold = all > h->l2_size ? all - h->l2_size : 0;

    return h->cycles_milli[WORK_CHAIN] + (all ? (uint64_t)h->miss_cycles * 1000 * cold / all : 0);
}

static void measure_constants(struct clockwork *c)
{
    c->cpus = c->scenario->host.cpus;
    c->members = shape_devices(&c->world->shape);
    c->effects_capacity = effects_needed(&c->world->shape);
    c->irq_capacity = c->members * DEVICE_QUEUE_MAX;
    c->queue_params = scenario_elevator(c->scenario);
    for (unsigned d = 0; d < c->members; d++)
        c->timing[d] = disk_timing_find(c->scenario->disk[d].model);
    c->chain_milli = chain_price(c);
    c->sync_until = scenario_planned_end(c->scenario);
    if (!c->sync_until)
        c->sync_until = UINT64_MAX;
}

struct clockwork *clockwork_new(const struct scenario *scenario, const struct system *system,
                                struct world *world, struct workload *load,
                                const uint16_t *instance_of)
{
    struct clockwork *c = calloc(1, sizeof *c);
    const struct host *h = &scenario->host;
    uint64_t head = (uint64_t)world->shape.stripe_lines * (h->line_bytes ? h->line_bytes : 64);

    if (!c)
        return NULL;
    c->scenario = scenario;
    c->system = system;
    c->world = world;
    c->load = load;
    c->instance_of = instance_of;
    measure_constants(c);
    lay_out_threads(c);
    lay_out_members(c);
    c->arena = point_fails(POINT_CLOCK_MEMORY) ? NULL : calloc(1, c->arena_bytes);
    if (!c->arena) {
        free(c);
        return NULL;
    }
    c->arena_bytes = 0;
    lay_out_threads(c);
    lay_out_members(c);
    temperature_start(c->temperature, c->cpus, world->shape.stripes,
                      head ? (uint32_t)(h->l2_size / head) : 0);
    wheel_start(c->wheel, 64 * event_slots(c) + 4096);
    start_cpus(c);
    start_members(c);
    history_start(c);
    c->s->lock_dice = dice_new(scenario->seed, DICE_LOCK, 0);
    start_threads(c);
    faults_start(c);
    if (h->balance_ns && c->cpus > 1)
        clock_post(c, EVENT_BALANCE, 0, h->balance_ns);
    for (unsigned j = 0; j < scenario->job_count; j++)
        if (scenario->job[j].ramp_ns)
            clock_post(c, EVENT_RAMP, 0, scenario->job[j].ramp_ns);
    return c;
}

void clockwork_free(struct clockwork *c)
{
    if (c)
        free(c->arena);
    free(c);
}
