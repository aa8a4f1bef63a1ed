/*
 * A flash device: a controller, a link to the host, and `channels` units of flash that work side by
 * side.
 *
 * The controller takes commands one after another, `overhead` each (this bounds IOPS); `latency` is
 * the part of the way that commands share without hindering each other. Flash pages are spread over
 * the channels row by row, each row in a rotation of its own, so that no stride of addresses falls
 * on one channel. A channel does its work in order of arrival: page_read for a page read,
 * page_program for a page written. A write that covers a page in part costs a page_read more,
 * because the page is written anew as a whole, unless it begins the page or runs on from the write
 * before it (then the page is already paid for).
 *
 * Buffered writes: with buffered_write_ns > 0 a write ends after that long, if its pages find room.
 * A channel's share of the buffer is room for that much programming ahead of it; a page beyond that
 * waits until the channel has caught up. The buffer is `write_cache` bytes if that is volatile;
 * write_cache = 0 means a buffer with power-loss protection, of PROTECTED_PAGES a channel, which
 * counts as durable: a flush has nothing to wait for and fua costs nothing. With a volatile buffer
 * a flush ends `flush` after the last program, and a fua write when its own pages are programmed.
 *
 * The link is a server that commands enter when they arrive; a command ends neither before the link
 * has had time for all that came before it, nor before its own data have crossed after the flash
 * had them. One link for both directions.
 *
 * Left out: garbage collection beyond the partial-page rule, wear, reads that suspend a program,
 * reads answered by the buffer, SLC regions that fill up, temperature.
 */
#include "disks/timing.h"

#include "disks/ends.h"
#include "disks/preset.h"
#include "model/assert.h"
#include "model/ids.h"

enum { PROTECTED_PAGES = 8 };

struct ssd {
    uint64_t controller_ns; /* free from then on, as are the two below */
    uint64_t link_ns;
    uint64_t channel_ns[CHANNELS_MAX];
    uint64_t programmed_ns; /* everything written so far is in flash by then */
    uint64_t last_ns;       /* everything accepted so far has ended by then */
    uint64_t write_end;     /* sector after the last write */
    struct ends ends;
};

/* The pages of one command, and what each costs its channel. */
struct page_run {
    uint64_t first, count;
    uint64_t each_ns;
    uint64_t first_extra_ns; /* on top, for a page covered in part */
};

static size_t ssd_arm_bytes(const struct disk_preset *p)
{
    return offsetof(struct ssd, ends) + ends_bytes(p->queue_depth);
}

static void ssd_start(void *arm, const struct disk_preset *p, uint32_t owner, uint64_t seed)
{
    struct ssd *s = arm;

    (void)owner; /* nothing of this device is left to chance */
    (void)seed;
    ASSERT(p->channels >= 1);
    ASSERT(p->channels <= CHANNELS_MAX);
    s->write_end = UINT64_MAX;
    ends_start(&s->ends, p->queue_depth);
}

static bool ssd_accepts(const void *arm, const struct disk_preset *p)
{
    const struct ssd *s = arm;

    return s->ends.count < p->queue_depth;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The rotation of a row is a mix of its number: any fixed one would do that is not itself a stride.
 */
static uint32_t channel_of(const struct disk_preset *p, uint64_t page)
{
    uint64_t row = page / p->channels, mix = (row * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

    return (uint32_t)((page + mix) % p->channels);
}

/* One channel works for that long, from start_ns at the earliest. Returns when it is done. */
static uint64_t work(struct ssd *s, uint32_t channel, uint64_t start_ns, uint64_t ns)
{
    s->channel_ns[channel] = later(s->channel_ns[channel], start_ns) + ns;
    return s->channel_ns[channel];
}

/* All pages of the run: those of whole rows together, a channel at a time. Returns when the last is
 * done. */
static uint64_t work_run(struct ssd *s, const struct disk_preset *p, uint64_t start_ns,
                         const struct page_run *r)
{
    uint64_t rows = r->count / p->channels, rest = r->count % p->channels, done = start_ns;

    for (uint32_t c = 0; rows && c < p->channels; c++)
        done = later(done, work(s, c, start_ns, rows * r->each_ns));
    for (uint64_t i = 0; i < rest; i++)
        done = later(done, work(s, channel_of(p, r->first + i), start_ns, r->each_ns));
    if (r->first_extra_ns)
        done = later(done, work(s, channel_of(p, r->first), start_ns, r->first_extra_ns));
    return done;
}

static struct page_run run_of(const struct ssd *s, const struct disk_preset *p,
                              const struct disk_command *c)
{
    uint64_t page_sectors = p->flash_page / SECTOR_BYTES, end = c->sector + c->sectors;
    struct page_run r = { .first = c->sector / page_sectors, .each_ns = p->page_read_ns };

    r.count = (end - 1) / page_sectors - r.first + 1;
    if (c->kind == COMMAND_READ)
        return r;
    r.each_ns = p->page_program_ns;
    if (c->sector % page_sectors && c->sector == s->write_end) {
        r.first++; /* paid for by the write before */
        r.count--;
    } else if (c->sector % page_sectors) {
        r.first_extra_ns = p->page_read_ns;
    }
    return r;
}

static uint64_t serve_read(struct ssd *s, const struct disk_preset *p, uint64_t start_ns,
                           const struct disk_command *c)
{
    struct page_run r = run_of(s, p, c);

    return work_run(s, p, start_ns, &r);
}

/* How far a channel's programming may lag behind while the buffer still takes a page for it. */
static uint64_t buffer_lag_ns(const struct disk_preset *p)
{
    if (p->write_cache)
        return (uint64_t)p->write_cache / p->channels * p->page_program_ns / p->flash_page;
    return (uint64_t)PROTECTED_PAGES * p->page_program_ns;
}

static uint64_t serve_write(struct ssd *s, const struct disk_preset *p, uint64_t start_ns,
                            const struct disk_command *c)
{
    struct page_run r = run_of(s, p, c);
    uint64_t done = r.count ? work_run(s, p, start_ns, &r) : start_ns;
    uint64_t lag = buffer_lag_ns(p), room = done > lag ? done - lag : 0;

    s->write_end = c->sector + c->sectors;
    s->programmed_ns = later(s->programmed_ns, done);
    if (p->buffered_write_ns == 0 || (c->fua && p->write_cache))
        return done;
    return later(start_ns + p->buffered_write_ns, room);
}

static uint64_t serve_flush(const struct ssd *s, const struct disk_preset *p, uint64_t start_ns)
{
    uint64_t end = later(start_ns, s->last_ns);

    if (p->write_cache)
        end = later(end, s->programmed_ns);
    return end + p->flush_ns;
}

/* What the command takes of the link, or of the direction's own rate if that is lower. */
static uint64_t transfer_ns(const struct disk_preset *p, const struct disk_command *c)
{
    uint32_t kb_s = c->kind == COMMAND_READ ? p->read_kb_s : p->write_kb_s;

    if (p->link_kb_s && (kb_s == 0 || p->link_kb_s < kb_s))
        kb_s = p->link_kb_s;
    return kb_s ? c->sectors * (SECTOR_BYTES * UINT64_C(1000000)) / kb_s : 0;
}

static void ssd_accept(void *arm, const struct disk_preset *p, uint64_t now,
                       const struct disk_command *c)
{
    struct ssd *s = arm;
    uint64_t end;

    ASSERT(ssd_accepts(arm, p));
    ASSERT(c->kind <= COMMAND_FLUSH);
    s->controller_ns = later(s->controller_ns, now) + p->overhead_ns;

    uint64_t start = s->controller_ns + p->latency_ns;

    if (c->kind == COMMAND_FLUSH) {
        end = serve_flush(s, p, start);
    } else {
        ASSERT(c->sectors > 0);
        ASSERT(c->sector + c->sectors <= p->sectors);
        uint64_t link = transfer_ns(p, c);
        s->link_ns = later(s->link_ns, now) + link;
        end = c->kind == COMMAND_READ ? serve_read(s, p, start, c) : serve_write(s, p, start, c);
        end = later(end + link, s->link_ns);
    }
    s->last_ns = later(s->last_ns, end);
    ends_add(&s->ends, end, c->token);
}

static uint64_t ssd_next(const void *arm, const struct disk_preset *p)
{
    const struct ssd *s = arm;

    (void)p;
    return ends_next(&s->ends);
}

static uint32_t ssd_finish(void *arm, const struct disk_preset *p, uint64_t now)
{
    struct ssd *s = arm;

    ASSERT(now == ssd_next(arm, p));
    return ends_take(&s->ends).token;
}

const struct disk_timing ssd_timing = {
    .name = "ssd",
    .arm_bytes = ssd_arm_bytes,
    .start = ssd_start,
    .accepts = ssd_accepts,
    .accept = ssd_accept,
    .next = ssd_next,
    .finish = ssd_finish,
};
