/*
 * The arm: see arm.h.
 *
 * A transfer that follows the arm's last sector at once costs the skew of the media and nothing
 * else. Any other begins with a seek, or a head switch inside the cylinder, and waits for its first
 * sector to come round. A write settles for longer after a seek. Noise on the seek time is drawn
 * when the seek is made, so the search for the soonest target works with expected times, as a
 * drive's firmware does.
 *
 * The search leaves a margin: a target that comes by right after the seek would often be missed, so
 * it is taken for one turn later. A command's age counts in its favour, a thirty-second part of it:
 * no command can be passed over once it has waited 32 times the longest access, under a second. A
 * fixed bound instead would, once a deep queue reaches it, serve everything in order of arrival and
 * never recover.
 *
 * Left out: acceleration limits after aborted seeks, thermal recalibration, retries.
 */
#include "disks/arm.h"

#include "disks/preset.h"
#include "model/assert.h"
#include "model/ids.h"

enum {
    US = 1000,
    MARGIN_NS =
        300 * US, /* a target that would come by sooner after the seek than this counts as missed */
    AGE_DIVISOR = 32 /* this part of its age is credited to a waiting command */
};

#define NOWHERE UINT64_MAX

void arm_start(struct arm *a, const struct disk_preset *p, uint32_t owner, uint64_t seed)
{
    struct dice spindle = dice_new(seed, DICE_SPINDLE, owner);
    uint64_t nominal_ns = (UINT64_C(60000000000) + p->rpm / 2) / p->rpm;
    uint64_t error = p->rpm_error_ppm * UINT64_C(1000); /* in 1e-9 */
    uint64_t scale = UINT64_C(1000000000) - error + dice_below(&spindle, 2 * error + 1);
    uint64_t rev_ns = nominal_ns * scale / 1000000000;

    seek_start(&a->curve, p);
    platter_start(&a->platter, p, rev_ns, dice_below(&spindle, rev_ns), seek_ns(&a->curve, p, 1));
    buffer_start(&a->buffer, p->segments, p->read_ahead / SECTOR_BYTES);
    a->noise = dice_new(seed, DICE_SEEK_NOISE, owner);
    a->next_sector = NOWHERE;
}

/* Where the head is once it has passed everything before that sector. */
static struct platter_place place_before(const struct arm *a, uint64_t sector)
{
    return platter_find(&a->platter, sector < a->platter.sectors ? sector : sector - 1);
}

/* Where the arm is at that time: while a stream runs, wherever that has come to. */
static struct platter_place place_at(const struct arm *a, uint64_t at_ns)
{
    if (!buffer_is_streaming(&a->buffer))
        return (struct platter_place){ 0, a->cylinder, a->head };
    return place_before(a, buffer_reached(&a->buffer, &a->platter, at_ns));
}

static uint32_t distance(const struct platter_place *a, const struct platter_place *b)
{
    return a->cylinder > b->cylinder ? a->cylinder - b->cylinder : b->cylinder - a->cylinder;
}

static uint64_t move_ns(const struct arm *a, const struct disk_preset *p,
                        const struct platter_place *from, const struct arm_target *t)
{
    uint32_t cylinders = distance(from, &t->place);

    if (cylinders == 0)
        return from->head == t->place.head ? 0 : (uint64_t)p->head_switch_us * US;
    return seek_ns(&a->curve, p, cylinders) + (t->write ? (uint64_t)p->write_settle_us * US : 0);
}

/* ---- searching ----------------------------------------------------------------------- */

struct arm_search arm_search(const struct arm *a, bool cached)
{
    return (struct arm_search){ .from = place_at(a, a->fence_ns),
                                .best_ns = INT64_MAX,
                                .best = NONE32,
                                .far = UINT32_MAX,
                                .cached = cached };
}

void arm_offer(const struct arm *a, const struct disk_preset *p, struct arm_search *search,
               uint32_t index, const struct arm_target *t)
{
    uint32_t cylinders = distance(&search->from, &t->place);
    uint64_t start = t->ready_ns > a->fence_ns ? t->ready_ns : a->fence_ns, move = 0, begin = start;
    uint64_t credit = search->cached ? 0 : (start - t->ready_ns) / AGE_DIVISOR;

    if (cylinders >= search->far)
        return;
    if (credit > search->credit_max)
        search->credit_max = credit; /* the oldest comes first, so later ones have less */
    if (t->sector != a->next_sector || start != a->busy_ns) {
        move = move_ns(a, p, &search->from, t);
        begin += move + MARGIN_NS;
        begin += platter_wait_ns(&a->platter, t->place.angle_ns, begin);
    }
    if ((int64_t)(begin - credit) < search->best_ns) {
        search->best_ns = (int64_t)(begin - credit);
        search->best = index;
        return;
    }
    if (t->write && cylinders && !search->cached) /* a read there would come sooner */
        move -= (uint64_t)p->write_settle_us * US;
    /* What is this far away cannot do better than the best so far, nor can anything farther. */
    if (a->curve.is_rising && cylinders &&
        (int64_t)(a->fence_ns + move + MARGIN_NS - search->credit_max) >= search->best_ns)
        search->far = cylinders;
}

/* ---- moving -------------------------------------------------------------------------- */

/* A normal deviate of the preset's standard deviation: the sum of four uniform ones, bounded at 3.5
 * sigma. */
static int64_t noise_ns(struct arm *a, const struct disk_preset *p)
{
    uint64_t bits = dice_bits(&a->noise);
    int64_t sum =
        (int64_t)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));

    /* 4 * 65535 / 2 is the mean, 65536 / sqrt(3) the deviation. */
    return (sum - 131070) * (int64_t)p->seek_noise_us * US / 37837;
}

/* The arm leaves whatever it reads on at that time, and knows where it is. */
static void leave_stream(struct arm *a, uint64_t at_ns)
{
    if (!buffer_is_streaming(&a->buffer))
        return;

    uint64_t sector = buffer_reached(&a->buffer, &a->platter, at_ns);
    struct platter_place place = place_before(a, sector);

    if (sector != a->next_sector)
        a->next_sector = NOWHERE;
    a->cylinder = place.cylinder;
    a->head = place.head;
    buffer_stop(&a->buffer, &a->platter, at_ns);
}

/* When the target's first sector begins to pass, after a seek from rest at start_ns. */
static uint64_t seek_to(struct arm *a, const struct disk_preset *p, uint64_t start_ns,
                        const struct arm_target *t)
{
    struct platter_place from = { 0, a->cylinder, a->head };
    int64_t move = (int64_t)move_ns(a, p, &from, t);

    if (p->seek_noise_us && distance(&from, &t->place))
        move += noise_ns(a, p);

    uint64_t there = start_ns + (move > 0 ? (uint64_t)move : 0);

    return there + platter_wait_ns(&a->platter, t->place.angle_ns, there);
}

uint64_t arm_transfer(struct arm *a, const struct disk_preset *p, uint64_t start_ns,
                      const struct arm_target *t, uint64_t to)
{
    uint64_t begin;

    ASSERT(start_ns >= a->busy_ns);
    ASSERT(t->sector < to);
    leave_stream(a, start_ns);
    if (t->sector == a->next_sector && start_ns == a->busy_ns)
        begin = start_ns + platter_gap_ns(&a->platter, t->sector);
    else
        begin = seek_to(a, p, start_ns, t);

    struct platter_place last = platter_find(&a->platter, to - 1);

    a->cylinder = last.cylinder;
    a->head = last.head;
    a->next_sector = to;
    a->busy_ns = a->fence_ns = begin + platter_transfer_ns(&a->platter, t->sector, to);
    return begin;
}

void arm_raise_fence(struct arm *a, const struct disk_preset *p, uint64_t to)
{
    const struct buffer *b = &a->buffer;
    uint64_t until = to + p->read_ahead_min / SECTOR_BYTES, read_ns = 0;

    if (buffer_is_streaming(b)) {
        if (until > b->limit)
            until = b->limit;
        if (until > b->from)
            read_ns = buffer_time_of(b, &a->platter, until);
    }
    a->fence_ns = read_ns > a->busy_ns ? read_ns : a->busy_ns;
}
