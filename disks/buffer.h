/*
 * The read buffer of a rotating disk: segments of sectors read before, one of which may be
 * *streaming*, that is, still growing because the head reads on after the last request.
 *
 * Nothing happens while the disk reads on: how far it has come is worked out from the clock when
 * somebody asks. The owner (disks/hdd.c) stops the stream when the arm leaves. Sizes are sectors,
 * times nanoseconds.
 */
#ifndef DISKS_BUFFER_H
#define DISKS_BUFFER_H
#include <stdbool.h>
#include <stdint.h>

#include "disks/platter.h"

enum { SEGMENTS_MAX = 64 };

/* Holds [first, end). Empty when first == end. */
struct segment {
    uint64_t first, end;
    uint64_t used; /* when it was last useful, in requests */
};

struct buffer {
    uint64_t uses;
    uint64_t from, limit; /* the stream reads [from, limit) */
    uint64_t start_ns;    /* when it began with `from` */
    uint32_t streaming;   /* the segment that grows, or NONE32 */
    uint32_t segment_count;
    uint64_t capacity; /* sectors a segment holds; also how far ahead of a request the disk reads */
    struct segment segment[SEGMENTS_MAX];
};

/* Without segments or capacity the buffer never holds anything. */
void buffer_start(struct buffer *, uint32_t segments, uint64_t capacity);
static inline bool buffer_is_streaming(const struct buffer *b)
{
    return b->streaming != UINT32_MAX;
}
/* The first sector the stream has not read at that time. Precondition: streaming. */
uint64_t buffer_reached(const struct buffer *, const struct platter *, uint64_t at_ns);
/* When the stream has read everything before `to`. Precondition: streaming, to > from; limit is not
 * looked at. */
uint64_t buffer_time_of(const struct buffer *, const struct platter *, uint64_t to);
/* How much of [from, to) the buffer holds at that time, from the front: the first sector that is
 * missing. `*held` is the segment that holds `from` or ends right before it; NONE32 if none does.
 */
uint64_t buffer_holds(const struct buffer *, const struct platter *, uint64_t at_ns, uint64_t from,
                      uint64_t to, uint32_t *held);
/* The host has read up to `to` from that segment: it is used again, and a stream in it may run on.
 */
void buffer_touch(struct buffer *, const struct platter *, uint64_t at_ns, uint32_t segment,
                  uint64_t to);
/* The disk has just read [from, to) by at_ns into `segment` (as buffer_holds() gave it; NONE32: the
 * least recently used one) and reads on. Precondition: no stream. */
void buffer_read_on(struct buffer *, const struct platter *, uint64_t at_ns, uint32_t segment,
                    uint64_t from, uint64_t to);
/* The arm leaves at that time. */
void buffer_stop(struct buffer *, const struct platter *, uint64_t at_ns);
/* [from, to) is written: no segment may give it any more. */
void buffer_drop(struct buffer *, uint64_t from, uint64_t to);

#endif
