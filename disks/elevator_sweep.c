/*
 * One way across the disk: the order of sectors in which the anticipatory scheduler serves one
 * direction.
 *
 * The next request is the nearest ahead of the head, that is of the end of the last request
 * dispatched in this direction. One behind it is taken for it only if that is a short way, at most
 * 1 Mi sectors, and half as far as the one ahead; equal prices go to the one with the higher
 * sector. When nothing is left ahead, the sweep starts again from the lowest sector. Only the two
 * neighbours of a known request are compared, so this costs no search.
 *
 * Kernel: as-iosched.c as_choose_req, as_find_next_arq (2.6.15)
 */
#include "disks/elevator_internal.h"

enum { BACK_MAX = 1024 * 1024, BACK_PENALTY = 2 }; /* sectors; factor */

/* What it costs the head to go there; false: it is too far behind, it must wait for the next sweep.
 */
static bool sweep_price(uint64_t last, uint64_t sector, uint64_t *price)
{
    if (sector >= last)
        *price = sector - last;
    else
        *price = (last - sector) * BACK_PENALTY;
    return sector >= last || last - sector <= BACK_MAX;
}

uint32_t sweep_choose(const struct elevator *e, int dir, uint32_t one, uint32_t other)
{
    if (one == NONE32 || other == NONE32 || one == other)
        return one == NONE32 ? other : one;
    uint64_t last = e->a.last_sector[dir], price_one, price_other;
    uint64_t s = request_at(e, one)->sector, t = request_at(e, other)->sector;
    bool near_one = sweep_price(last, s, &price_one);
    bool near_other = sweep_price(last, t, &price_other);

    if (near_one != near_other)
        return near_one ? one : other;
    if (!near_one)
        return s <= t ? one : other;
    if (price_one != price_other)
        return price_one < price_other ? one : other;
    return s >= t ? one : other;
}

/* The best neighbour of r; r itself is leaving. */
uint32_t sweep_after(const struct elevator *e, uint32_t r)
{
    const struct elevator_request *q = request_at(e, r);
    int dir = request_direction(q);
    uint32_t up = q->order.next != NONE32 ? q->order.next : e->first[dir];

    return sweep_choose(e, dir, up == r ? NONE32 : up, q->order.prev);
}
