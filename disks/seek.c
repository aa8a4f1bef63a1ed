/*
 * Seek times: see seek.h.
 *
 * Lee (1993) asks of t(d) = c + a*sqrt(d-1) + b*(d-1) that it give t_min at one cylinder, t_max
 * over the full stroke of N cylinders, and t_avg as the mean over random pairs. With the triangular
 * density of distances 2(N-d)/N^2 the mean of sqrt(d/N) is 8/15 and that of d/N is 1/3, whence
 *
 *      c = t_min    a = (-10 t_min + 15 t_avg - 5 t_max) / (3 sqrt N)    b = (7 t_min - 15 t_avg +
 * 8 t_max) / (3 N)
 *
 * The square root is the exact integer root of (d-1) * 2^32, so it has 16 binary places.
 */
#include "disks/seek.h"

#include "disks/preset.h"
#include "model/assert.h"

uint32_t seek_root(uint64_t x)
{
    uint64_t root = 0, bit = (uint64_t)1 << 62;

    if (x)
        bit >>= (unsigned)__builtin_clzll(x) & ~1u;
    for (; bit; bit >>= 2) {
        /* Without a branch that the processor could only guess. */
        uint64_t fits = -(uint64_t)(x >= root + bit);
        x -= (root + bit) & fits;
        root = (root >> 1) + (bit & fits);
    }
    return (uint32_t)root;
}

static void start_from_table(struct seek_curve *s, const struct disk_preset *p)
{
    s->table = s->is_rising = 1;
    for (uint32_t i = 1; i < p->seek_point_count; i++)
        if (p->seek[i].us < p->seek[i - 1].us)
            s->is_rising = 0;
}

void seek_start(struct seek_curve *s, const struct disk_preset *p)
{
    if (p->seek_point_count) {
        start_from_table(s, p);
        return;
    }

    int64_t min = (int64_t)p->seek_min_us * 1000, avg = (int64_t)p->seek_avg_us * 1000;
    int64_t max = (int64_t)p->seek_max_us * 1000, n = p->cylinders;
    int64_t root = seek_root((uint64_t)n << 32); /* sqrt(N) * 2^16 */

    ASSERT(n >= 1);
    s->c_ns = min;
    /* The numerators stay below 2^46 for seeks of up to a second. */
    s->a = (int64_t)((__int128)(-10 * min + 15 * avg - 5 * max) * ((int64_t)1 << 32) / (3 * root));
    s->b = (7 * min - 15 * avg + 8 * max) * 65536 / (3 * n);
    s->is_rising = s->a >= 0 && s->b >= 0;
}

/* Between two measured points, or beyond the last one, along a straight line. */
static int64_t table_ns(const struct disk_preset *p, uint32_t d)
{
    uint32_t low = 0, high = p->seek_point_count - 1;

    if (high == 0 || d <= p->seek[0].cylinders)
        return (int64_t)p->seek[0].us * 1000;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (p->seek[middle].cylinders <= d)
            low = middle;
        else
            high = middle;
    }
    int64_t rise = ((int64_t)p->seek[high].us - (int64_t)p->seek[low].us) * 1000;
    int64_t run = (int64_t)p->seek[high].cylinders - (int64_t)p->seek[low].cylinders;
    int64_t step = (int64_t)d - (int64_t)p->seek[low].cylinders;

    return (int64_t)p->seek[low].us * 1000 + rise * step / run;
}

uint64_t seek_ns(const struct seek_curve *s, const struct disk_preset *p, uint32_t d)
{
    if (d == 0)
        return 0;

    int64_t ns = 0;

    if (s->table) {
        ns = table_ns(p, d);
    } else {
        int64_t root = seek_root((uint64_t)(d - 1) << 32);
        ns = s->c_ns + (int64_t)((__int128)s->a * root >> 32) + (s->b * (int64_t)(d - 1) >> 16);
    }
    return ns > 0 ? (uint64_t)ns : 0;
}
