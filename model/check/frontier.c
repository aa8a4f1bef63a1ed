/* Segments and their lists: see frontier.h. */
#include "model/check/frontier.h"

struct segment {
    uint64_t used; /* bytes, this header included */
    uint32_t next, pad;
};

static struct segment *segment_at(const struct frontier *f, uint32_t n)
{
    return (struct segment *)(void *)(f->arena + n * f->segment_bytes);
}

static uint64_t record_bytes(const struct seen_record *r)
{
    return sizeof *r + r->words * sizeof r->word[0];
}

bool frontier_format(struct frontier *f, void *at, uint64_t bytes, uint64_t record_words, bool keep)
{
    uint64_t longest = sizeof(struct seen_record) + record_words * sizeof(uint64_t);
    uint64_t least = sizeof(struct segment) + 2 * longest;
    uint64_t size = (least > FRONTIER_SEGMENT ? least : FRONTIER_SEGMENT) / 8 * 8;
    uint64_t segments = bytes / size;

    *f = (struct frontier){ .arena = at,

                            .segment_bytes = size,
                            .longest = longest,
                            .segments =
                                segments < FRONTIER_NONE ? (uint32_t)segments : FRONTIER_NONE - 1,
                            .free = FRONTIER_NONE,
                            .now = FRONTIER_NONE,
                            .keep = keep };
    return segments >= 4;
}

static void lock(struct frontier *f)
{
    while (__atomic_exchange_n(&f->lock, 1, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(struct frontier *f)
{
    __atomic_store_n(&f->lock, 0, __ATOMIC_RELEASE);
}

static uint32_t new_segment(struct frontier *f)
{
    uint32_t n = FRONTIER_NONE;

    lock(f);
    if (f->free != FRONTIER_NONE) {
        n = f->free;
        f->free = segment_at(f, n)->next;
    } else if (f->fresh < f->segments) {
        n = f->fresh++;
    }
    f->in_use += n != FRONTIER_NONE;
    unlock(f);
    if (n != FRONTIER_NONE)
        *segment_at(f, n) = (struct segment){ sizeof(struct segment), FRONTIER_NONE, 0 };
    return n;
}

static bool has_room(const struct frontier *f, uint32_t n)
{
    return segment_at(f, n)->used + f->longest <= f->segment_bytes;
}

struct seen_record *frontier_room(struct frontier *f, struct frontier_writer *w)
{
    if (w->tail == FRONTIER_NONE || !has_room(f, w->tail)) {
        uint32_t n = new_segment(f);

        if (n == FRONTIER_NONE)
            return NULL;
        if (w->tail == FRONTIER_NONE)
            w->head = n;
        else
            segment_at(f, w->tail)->next = n;
        w->tail = n;
    }
    return (struct seen_record *)(void *)(f->arena + w->tail * f->segment_bytes +
                                          segment_at(f, w->tail)->used);
}

void frontier_keep(struct frontier *f, struct frontier_writer *w, const struct seen_record *r)
{
    segment_at(f, w->tail)->used += record_bytes(r);
}

uint32_t frontier_take(struct frontier *f)
{
    uint32_t n;

    lock(f);
    n = f->now;
    if (n != FRONTIER_NONE)
        f->now = segment_at(f, n)->next;
    unlock(f);
    return n;
}

void frontier_give_back(struct frontier *f, uint32_t n)
{
    if (f->keep)
        return;
    lock(f);
    segment_at(f, n)->next = f->free;
    f->free = n;
    f->in_use--;
    unlock(f);
}

const struct seen_record *frontier_first(const struct frontier *f, uint32_t n)
{
    const struct segment *s = segment_at(f, n);

    return s->used > sizeof *s ? (const struct seen_record *)(const void *)(s + 1) : NULL;
}

const struct seen_record *frontier_next(const struct frontier *f, uint32_t n,
                                        const struct seen_record *r)
{
    const char *end = (const char *)segment_at(f, n) + segment_at(f, n)->used;
    const char *next = (const char *)r + record_bytes(r);

    return next < end ? (const struct seen_record *)(const void *)next : NULL;
}

uint32_t frontier_behind(const struct frontier *f, uint32_t n)
{
    return segment_at(f, n)->next;
}

void frontier_hand_over(struct frontier *f, struct frontier_writer *w)
{
    if (w->tail != FRONTIER_NONE) {
        segment_at(f, w->tail)->next = f->now;
        f->now = w->head;
    }
    *w = (struct frontier_writer){ FRONTIER_NONE, FRONTIER_NONE };
}
