/* Striking: the fault plan's decisions become fate's moves. */
#include "sim/clockwork_internal.h"

#include "faults/fate.h"
#include "model/array.h"
#include "model/flaws.h"
#include "model/io.h"

enum { SECTOR = 512 };

/* The member sector a move of fate is about; UINT64_MAX: none. */
static uint64_t place_of(const struct clockwork *c, const struct fault *f, uint64_t way)
{
    if (fault_is_of_io(f))
        return io_see(c->world, fate_sector(way))->sector;
    if (fault_has_range(f) || f->what == FAULT_SYNC_MAX)
        return fate_sector(way);
    return UINT64_MAX;
}

static bool strike(struct clockwork *c, unsigned number, uint64_t way)
{
    const struct fault *f = &c->scenario->fault[number];
    actor_id fate = actor_fate(&c->world->shape);
    struct move m = { .way = way, .who = fate, .step = 0 };

    if (!system_allows(c->system, c->world, m))
        return false;
    if (!fault_has_range(f) || fate_sector(way) == f->offset / SECTOR) /* its first move */
        history_struck(c, number, place_of(c, f, way));
    clock_strike(c, fate, way);
    c->s->fault[number].struck++;
    return true;
}

static enum fate media_fate(const struct fault *f)
{
    if (f->what == FAULT_ROT)
        return FATE_ROT;
    return f->lasts == LASTS_EVER ? FATE_WORN_READ : FATE_UNREADABLE;
}

/* A range, in as many moves as their names need. */
static bool strike_range(struct clockwork *c, unsigned number)
{
    const struct fault *f = &c->scenario->fault[number];
    uint64_t sector = f->offset / SECTOR, end = (f->offset + f->size + SECTOR - 1) / SECTOR;
    bool all = true;

    while (sector < end) {
        uint32_t most = FATE_SECTORS_MAX / PAGE_SECTORS * PAGE_SECTORS;
        uint32_t sectors = (uint32_t)(end - sector < most ? end - sector : most);

        all &= strike(c, number, fate_name(media_fate(f), f->member, sector, sectors));
        sector += sectors;
    }
    return all;
}

void fault_event(struct clockwork *c, unsigned number)
{
    static const uint8_t fate[] = { [FAULT_FAIL] = FATE_FAIL,
                                    [FAULT_DIE] = FATE_DIE,
                                    [FAULT_ADD] = FATE_ADD,
                                    [FAULT_RE_ADD] = FATE_RETURN,
                                    [FAULT_SYNC_MAX] = FATE_SYNC_MAX,
                                    [FAULT_CHECK] = FATE_SYNC_ACTION,
                                    [FAULT_REPAIR] = FATE_SYNC_ACTION,
                                    [FAULT_IDLE] = FATE_SYNC_ACTION };
    static const uint8_t action[] = {
        [FAULT_CHECK] = SYNC_CHECK, [FAULT_REPAIR] = SYNC_REPAIR, [FAULT_IDLE] = SYNC_IDLE
    };
    const struct fault *f = &c->scenario->fault[number];
    uint64_t sector = f->what == FAULT_SYNC_MAX ? f->offset / SECTOR : 0;
    bool good;

    if (f->what == FAULT_SYNC_MAX && sector >= c->world->shape.geometry.component_sectors)
        sector = FATE_SECTOR_MAX;
    if (f->what >= FAULT_CHECK)
        sector = action[f->what];
    if (fault_has_range(f))
        good = strike_range(c, number);
    else
        good = strike(c, number, fate_name(fate[f->what], f->member, sector, 0));
    c->s->fault[number].missed += !good;
}

/* What is left of an error after the I/O that met it: its first sector stays bad. */
static void strike_lasting(struct clockwork *c, const struct fault *f, const struct io *r)
{
    enum fate what = f->what == FAULT_WRITE_ERROR ? FATE_WORN_WRITE
                     : f->lasts == LASTS_EVER     ? FATE_WORN_READ
                                                  : FATE_UNREADABLE;

    if (f->lasts == LASTS_IO || (f->what == FAULT_WRITE_ERROR && f->lasts != LASTS_EVER))
        return;
    clock_strike(c, actor_fate(&c->world->shape),
                 fate_name(what, f->member, flaws_sector(c->world, r), 1));
}

void faults_meet(struct clockwork *c, io_id io)
{
    static const uint8_t fate[] = { [FAULT_READ_ERROR] = FATE_DOOM,
                                    [FAULT_WRITE_ERROR] = FATE_DOOM,
                                    [FAULT_LOST_WRITE] = FATE_LOSE,
                                    [FAULT_TORN_WRITE] = FATE_TEAR,
                                    [FAULT_MISDIRECTED_WRITE] = FATE_MISDIRECT,
                                    [FAULT_TIMEOUT] = FATE_DOOM };
    unsigned member = io_disk(c->world, io);
    const struct io *r = io_see(c->world, io);

    for (unsigned i = 0; i < c->scenario->fault_count; i++) {
        const struct fault *f = &c->scenario->fault[i];

        if (!fault_is_of_io(f) || r->kind == IO_FLUSH ||
            !fault_meets(&c->s->fault[i], f, c->s->now, member, r->kind == IO_WRITE))
            continue;
        if (f->what >= FAULT_SLOW)
            c->delay_ns[io] = f->delay_ns;
        if (f->what == FAULT_SLOW) {
            history_struck(c, i, r->sector);
            c->s->fault[i].struck++;
            continue;
        }
        if (!strike(c, i, fate_name(fate[f->what], member, io, 0))) {
            c->s->fault[i].missed++;
            continue;
        }
        if (f->what == FAULT_READ_ERROR || f->what == FAULT_WRITE_ERROR)
            strike_lasting(c, f, r);
    }
}

void faults_start(struct clockwork *c)
{
    for (unsigned i = 0; i < c->scenario->fault_count; i++) {
        fault_start(&c->s->fault[i], c->scenario, i);
        if (!fault_is_of_io(&c->scenario->fault[i]))
            clock_post(c, EVENT_FAULT, i, c->scenario->fault[i].at_ns);
    }
}
