/*
 * A device without a mechanism: RAM disk, null_blk, or anything a latency and a rate describe well
 * enough.
 *
 * Commands go one after another through a pipe that takes each for `overhead` plus its bytes at the
 * slower of the link and the direction's rate; after that they all sit out the same `latency` side
 * by side. So one command at a time sees latency plus transfer, and many see the rate. A flush ends
 * `flush` after every command that was there before it. There is no cache to model: a write that
 * has ended is as durable as the rules (disks/disk.h) say, and fua costs nothing.
 */
#include "disks/timing.h"

#include "disks/ends.h"
#include "disks/preset.h"
#include "model/assert.h"
#include "model/ids.h"

struct null_arm {
    uint64_t pipe_ns; /* the pipe is free from then on */
    uint64_t last_ns; /* everything accepted so far has ended by then */
    struct ends ends;
};

static size_t null_arm_bytes(const struct disk_preset *p)
{
    return offsetof(struct null_arm, ends) + ends_bytes(p->queue_depth);
}

static void null_start(void *arm, const struct disk_preset *p, uint32_t owner, uint64_t seed)
{
    struct null_arm *a = arm;

    (void)owner; /* nothing of this device is left to chance */
    (void)seed;
    ends_start(&a->ends, p->queue_depth);
}

static bool null_accepts(const void *arm, const struct disk_preset *p)
{
    const struct null_arm *a = arm;

    return a->ends.count < p->queue_depth;
}

static uint64_t transfer_ns(const struct disk_preset *p, const struct disk_command *c)
{
    uint32_t kb_s = c->kind == COMMAND_READ ? p->read_kb_s : p->write_kb_s;

    if (p->link_kb_s && (kb_s == 0 || p->link_kb_s < kb_s))
        kb_s = p->link_kb_s;
    return kb_s ? c->sectors * (SECTOR_BYTES * UINT64_C(1000000)) / kb_s : 0;
}

static void null_accept(void *arm, const struct disk_preset *p, uint64_t now,
                        const struct disk_command *c)
{
    struct null_arm *a = arm;
    uint64_t end;

    ASSERT(null_accepts(arm, p));
    ASSERT(c->kind <= COMMAND_FLUSH);
    if (c->kind != COMMAND_FLUSH)
        ASSERT(c->sector + c->sectors <= p->sectors);
    a->pipe_ns = (a->pipe_ns > now ? a->pipe_ns : now) + p->overhead_ns;
    if (c->kind == COMMAND_FLUSH) {
        end = (a->last_ns > a->pipe_ns ? a->last_ns : a->pipe_ns) + p->flush_ns;
    } else {
        a->pipe_ns += transfer_ns(p, c);
        end = a->pipe_ns + p->latency_ns;
    }
    if (end > a->last_ns)
        a->last_ns = end;
    ends_add(&a->ends, end, c->token);
}

static uint64_t null_next(const void *arm, const struct disk_preset *p)
{
    const struct null_arm *a = arm;

    (void)p;
    return ends_next(&a->ends);
}

static uint32_t null_finish(void *arm, const struct disk_preset *p, uint64_t now)
{
    struct null_arm *a = arm;

    ASSERT(now == null_next(arm, p));
    return ends_take(&a->ends).token;
}

const struct disk_timing null_timing = {
    .name = "null",
    .arm_bytes = null_arm_bytes,
    .start = null_start,
    .accepts = null_accepts,
    .accept = null_accept,
    .next = null_next,
    .finish = null_finish,
};
