/*
 * A request queue on the bench: the block, its parameters with the kernel's defaults at 1000
 * jiffies a second, four threads, a hand-moved clock, and io numbers given out in order.
 */
#ifndef TESTS_UNIT_ELEVATOR_RIG_H
#define TESTS_UNIT_ELEVATOR_RIG_H
#include "disks/elevator.h"

#include <stdlib.h>
#include <string.h>

#include "model/ids.h"
#include "tests/lib/t.h"

#define MS UINT64_C(1000000)

enum { RIG_IOS = 4096, RIG_THREADS = 4, FAR = 1 << 30 };

struct rig {
    struct elevator *e;
    struct elevator_params p;
    struct issuer issuers[RIG_THREADS];
    uint64_t now;
    uint32_t io; /* the next number */
    struct disk_command last;
};

static inline struct elevator_params rig_params(uint8_t kind)
{
    return (struct elevator_params){
        .kind = kind,
        .hz = 1000,
        .nr_requests = 128,
        .max_sectors = 1024,
        .max_segments = 128,
        .unplug_requests = 4,
        .unplug_ns = 3 * MS,
        .read_expire_ns = kind == ELEVATOR_DEADLINE ? 500 * MS : 125 * MS,
        .write_expire_ns = kind == ELEVATOR_DEADLINE ? 5000 * MS : 250 * MS,
        .read_batch_ns = 500 * MS,
        .write_batch_ns = 125 * MS,
        .antic_ns = 6 * MS,
        .fifo_batch = 16,
        .writes_starved = 2,
    };
}

static inline struct elevator *rig_new_block(const struct elevator_params *p)
{
    struct elevator *e = calloc(1, elevator_bytes(p, RIG_IOS));

    assert_non_null(e);
    elevator_start(e, p, RIG_IOS);
    return e;
}

static inline struct rig rig_open(struct elevator_params p)
{
    return (struct rig){ .e = rig_new_block(&p), .p = p };
}

static inline void rig_close(struct rig *g)
{
    free(g->e);
}

static inline enum elevator_add_result rig_add(struct rig *g, uint8_t kind, uint64_t sector,
                                               uint32_t sectors, uint16_t thread)
{
    enum elevator_add_result got =
        elevator_add(g->e, &g->p, g->issuers, g->now, g->io, sector, sectors, kind, false, thread);
    if (got != ELEVATOR_FULL)
        g->io++;
    return got;
}

static inline enum elevator_add_result rig_read(struct rig *g, uint64_t sector, uint16_t thread)
{
    return rig_add(g, COMMAND_READ, sector, 8, thread);
}

static inline enum elevator_add_result rig_write(struct rig *g, uint64_t sector, uint16_t thread)
{
    return rig_add(g, COMMAND_WRITE, sector, 8, thread);
}

static inline enum elevator_add_result rig_flush(struct rig *g)
{
    return rig_add(g, COMMAND_FLUSH, 0, 0, NONE16);
}

static inline bool rig_dispatch(struct rig *g)
{
    return elevator_dispatch(g->e, &g->p, g->issuers, g->now, &g->last);
}

static inline void rig_complete(struct rig *g, uint32_t token)
{
    elevator_complete(g->e, &g->p, g->issuers, g->now, token);
}

/* The next command must be this one; it is ended at once. */
static inline void rig_expect(struct rig *g, uint8_t kind, uint64_t sector, uint32_t sectors)
{
    assert_true(rig_dispatch(g));
    assert_int_equal(g->last.kind, kind);
    assert_int_equal(g->last.sector, sector);
    assert_int_equal(g->last.sectors, sectors);
    rig_complete(g, g->last.token);
}

static inline uint64_t rig_timer(const struct rig *g)
{
    return elevator_timer(g->e, &g->p);
}

#endif
