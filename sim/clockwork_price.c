/*
 * What work costs: counts from the model, unit prices from the host preset, misses from the
 * temperature of stripe_heads. Sums are kept in thousandths of cycles, per kind of work.
 */
#include "sim/clockwork_internal.h"

#include <stdio.h>

#include "model/request.h"

static uint64_t book(struct clockwork *c, enum work kind, uint64_t units, uint64_t milli)
{
    c->s->work[kind] += units;
    c->s->work_milli[kind] += milli;
    return milli;
}

uint64_t price_work(struct clockwork *c, enum work kind, uint64_t units)
{
    uint64_t unit = c->scenario->host.cycles_milli[kind];

    if (__builtin_expect(kind == WORK_CHAIN, 0))
        unit = c->chain_milli;
    else if (kind == WORK_LOCK)
        unit = (uint64_t)c->scenario->host.lock_cycles * 1000;
    else if (kind == WORK_SPIN)
        unit = 1000;
    return book(c, kind, units, units * unit);
}

uint64_t price_cycles(struct clockwork *c, enum work kind, uint64_t cycles)
{
    return book(c, kind, 0, cycles * 1000);
}

/* Cycles for the lines of a stripe_head that another cache or memory holds: for some of them
 * something waits, the others come in a row and their fetches overlap. */
static uint64_t fetch_cycles(const struct clockwork *c, uint32_t amount, uint64_t waited_cycles)
{
    uint64_t lines = c->world->shape.stripe_lines, slots = c->world->shape.geometry.disks;
    uint64_t waited = amount == EFFECT_TOUCH_FILL   ? 1
                      : amount == EFFECT_TOUCH_SCAN ? slots
                                                    : amount;
    uint64_t rest = amount >= EFFECT_TOUCH_SCAN && lines > waited ? lines - waited : 0;

    return waited * waited_cycles + rest * c->scenario->host.stream_cycles;
}

/* The lines of a stripe_head a CPU must fetch. A touch of all moves it into that CPU's cache. */
static uint64_t price_touch(struct clockwork *c, uint32_t cpu, const struct effect *f)
{
    const struct host *h = &c->scenario->host;
    bool all = f->amount >= EFFECT_TOUCH_SCAN;
    enum warmth warm = all ? temperature_touch(c->temperature, cpu, f->who)
                           : temperature_of(c->temperature, cpu, f->who);

    if (warm == WARM)
        return 0;
    return price_cycles(
        c, (enum work)f->what,
        fetch_cycles(c, f->amount, warm == COLD ? h->miss_cycles : h->transfer_cycles));
}

static void note_finding(struct clockwork *c, const struct effect *f)
{
    const struct request *r = &c->s->reaped; /* the record itself is free again */

    if (!c->s->findings++)
        snprintf(c->s->finding, sizeof c->s->finding,
                 "t=%llu ns: client %u read %u sectors at array sector %llu; page %u of it does "
                 "not hold what was "
                 "last written there",
                 (unsigned long long)c->s->now, r->client, r->sectors,
                 (unsigned long long)r->sector, f->amount);
}

static void note_reply(struct clockwork *c, request_id id)
{
    c->timing_of[id].done = c->s->now;
    results_in_flight(c, -1);
    history_reply(c, id);
}

static void note_mark(struct clockwork *c, const struct effect *f)
{
    unsigned bucket = 31u - (unsigned)__builtin_clz(f->amount | 1);

    c->s->marks[f->what] += f->amount;
    if (f->what == MARK_FULL_WRITE)
        c->s->batches[bucket < BATCH_BUCKETS ? bucket : BATCH_BUCKETS - 1]++;
    else
        history_mark(c, (enum mark)f->what, f->who);
}

/* What has to be delivered when the move ends moves to the front of the list; *left counts it. */
uint64_t price_effects(struct clockwork *c, uint32_t cpu, struct effect *list, uint32_t count,
                       uint32_t *left)
{
    uint64_t milli = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct effect *f = &list[i];

        switch ((enum effect_kind)f->kind) {
        case EFFECT_WORK:
            milli += price_work(c, (enum work)f->what, f->amount);
            break;
        case EFFECT_TOUCH:
            milli += price_touch(c, cpu, f);
            break;
        case EFFECT_LOCK:
            c->s->lock[0].acquisitions++;
            milli += price_lock(c, cpu, 0, (enum work)f->what);
            break;
        case EFFECT_MARK:
            note_mark(c, f);
            break;
        case EFFECT_REPLY:
            note_reply(c, f->who);
            break;
        case EFFECT_FINDING:
            note_finding(c, f);
            break;
        default:
            list[kept++] = *f;
            break;
        }
    }
    *left = kept;
    return milli;
}
