/*
 * Read buffer and read-ahead: see buffer.h.
 *
 * The stream stops when it is a whole segment ahead of the host. It starts again, a rotation later,
 * when the host has taken half of that: otherwise a host slower than the media would find the disk
 * asleep at every second segment.
 *
 *  - B1: A segment never holds more than `capacity` sectors.
 *  - B2: At most one segment streams, and its `end` is the stream's `from`.
 *  - B3: limit <= sectors of the disk.
 */
#include "disks/buffer.h"

#include "model/assert.h"
#include "model/ids.h"

void buffer_start(struct buffer *b, uint32_t segments, uint64_t capacity)
{
    ASSERT(segments <= SEGMENTS_MAX);
    b->segment_count = capacity ? segments : 0;
    b->capacity = capacity;
    b->streaming = NONE32;
}

uint64_t buffer_reached(const struct buffer *b, const struct platter *p, uint64_t at_ns)
{
    ASSERT(b->streaming != NONE32);
    return at_ns <= b->start_ns ? b->from
                                : platter_reached(p, b->from, at_ns - b->start_ns, b->limit);
}

uint64_t buffer_time_of(const struct buffer *b, const struct platter *p, uint64_t to)
{
    ASSERT(b->streaming != NONE32);
    ASSERT(to > b->from);
    return b->start_ns + platter_transfer_ns(p, b->from, to);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* B1: the front gives way. */
static void set_end(struct buffer *b, struct segment *s, uint64_t end)
{
    s->end = end;
    if (s->end - s->first > b->capacity)
        s->first = s->end - b->capacity;
}

uint64_t buffer_holds(const struct buffer *b, const struct platter *p, uint64_t at_ns,
                      uint64_t from, uint64_t to, uint32_t *held)
{
    *held = NONE32;
    for (uint32_t i = 0; i < b->segment_count; i++) {
        const struct segment *s = &b->segment[i];
        if (s->first == s->end || from < s->first)
            continue;

        uint64_t end = s->end;
        if (i == b->streaming && from <= b->limit)
            end = buffer_reached(b, p, at_ns);
        if (from > end || end - from > b->capacity)
            continue;
        *held = i;
        if (from < end)
            return lesser(end, to);
    }
    return from;
}

static void run_on(struct buffer *b, const struct platter *p, uint64_t at_ns, uint64_t to)
{
    uint64_t limit = lesser(to + b->capacity, p->sectors);

    if (limit <= b->limit)
        return;
    if (b->from < b->limit && at_ns < buffer_time_of(b, p, b->limit)) {
        b->limit = limit; /* still moving */
        return;
    }
    if (to > b->limit || b->limit - to > b->capacity / 2)
        return;
    set_end(b, &b->segment[b->streaming], b->limit);
    b->from = b->limit;
    b->start_ns = at_ns + platter_wait_ns(p, platter_find(p, b->from).angle_ns, at_ns);
    b->limit = limit;
}

void buffer_touch(struct buffer *b, const struct platter *p, uint64_t at_ns, uint32_t segment,
                  uint64_t to)
{
    ASSERT(segment < b->segment_count);
    b->segment[segment].used = ++b->uses;
    if (segment == b->streaming)
        run_on(b, p, at_ns, to);
}

void buffer_read_on(struct buffer *b, const struct platter *p, uint64_t at_ns, uint32_t segment,
                    uint64_t from, uint64_t to)
{
    ASSERT(b->streaming == NONE32);
    ASSERT(from < to);
    if (b->segment_count == 0)
        return;
    if (segment == NONE32) {
        segment = 0;
        for (uint32_t i = 1; i < b->segment_count; i++)
            if (b->segment[i].used < b->segment[segment].used)
                segment = i;
        b->segment[segment].first = from;
    }

    struct segment *s = &b->segment[segment];

    s->used = ++b->uses;
    set_end(b, s, to);
    b->streaming = segment;
    b->from = to;
    b->limit = lesser(to + b->capacity, p->sectors);
    b->start_ns = to < p->sectors ? at_ns + platter_gap_ns(p, to) : at_ns;
}

void buffer_stop(struct buffer *b, const struct platter *p, uint64_t at_ns)
{
    if (b->streaming == NONE32)
        return;
    set_end(b, &b->segment[b->streaming], buffer_reached(b, p, at_ns));
    b->streaming = NONE32;
}

void buffer_drop(struct buffer *b, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < b->segment_count; i++) {
        struct segment *s = &b->segment[i];
        uint64_t end = i == b->streaming ? b->limit : s->end;

        if (s->first == s->end || to <= s->first || from >= end)
            continue;
        s->first = s->end = s->used = 0;
        if (i == b->streaming)
            b->streaming = NONE32;
    }
}
