/* Flaws in a sorted list, with the length of the longest: what begins further ahead of an I/O than
 * that cannot reach it. */
#include "model/flaws.h"

#include <string.h>

#include "model/stripe.h"

static bool is_before(const struct flaw *f, unsigned member, uint64_t sector)
{
    return f->member != member ? f->member < member : f->sector < sector;
}

/* The first one that does not begin before that sector. */
static uint32_t lower_bound(const struct world *w, unsigned member, uint64_t sector)
{
    uint32_t from = 0, to = array_see(w, 0)->flaws;

    while (from < to) {
        uint32_t middle = (from + to) / 2;

        if (is_before(flaw_see(w, middle), member, sector))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void move_tail(struct world *w, uint32_t from, uint32_t to)
{
    uint32_t count = array_see(w, 0)->flaws - from;

    if (count)
        memmove(flaw_at(w, to), flaw_at(w, from), count * sizeof(struct flaw));
}

static void drop(struct world *w, uint32_t at)
{
    struct array *a = array_at(w, 0);

    move_tail(w, at + 1, at);
    *flaw_at(w, --a->flaws) = (struct flaw){ 0 };
}

bool flaws_add(struct world *w, unsigned member, uint64_t sector, uint32_t sectors,
               enum flaw_kind kind)
{
    struct array *a = array_at(w, 0);
    uint32_t at = lower_bound(w, member, sector);

    for (uint32_t i = at; i < a->flaws; i++) {
        const struct flaw *f = flaw_see(w, i);

        if (f->member != member || f->sector != sector)
            break;
        if (f->kind == kind && f->sectors >= sectors)
            return true;
    }
    if (a->flaws == w->shape.flaw_entries)
        return false;
    if (at < a->flaws)
        memmove(flaw_at(w, at) + 1, flaw_at(w, at), (a->flaws - at) * sizeof(struct flaw));
    a->flaws++;
    *flaw_at(w, at) = (struct flaw){
        .sector = sector, .sectors = sectors, .member = (uint8_t)member, .kind = (uint8_t)kind
    };
    if (sectors > a->flaw_longest)
        a->flaw_longest = sectors;
    return true;
}

/* Takes the sectors [from, to) out of a flaw: nothing, one end or two ends of it are left. Returns
 * how many records stand where it stood. */
static uint32_t heal(struct world *w, uint32_t at, uint64_t from, uint64_t to)
{
    struct flaw *f = flaw_at(w, at);
    uint64_t end = f->sector + f->sectors;
    struct flaw rest = *f;

    if (f->sector >= from && end <= to) {
        drop(w, at);
        return 0;
    }
    if (f->sector < from) {
        f->sectors = (uint32_t)(from - f->sector);
        if (end > to)
            flaws_add(w, rest.member, to, (uint32_t)(end - to), rest.kind);
        return 1;
    }
    drop(w, at);
    flaws_add(w, rest.member, to, (uint32_t)(end - to), rest.kind);
    return 0;
}

bool flaws_meet(struct world *w, unsigned member, uint64_t sector, uint32_t sectors, bool write)
{
    const struct array *a = array_see(w, 0);
    uint64_t end = sector + sectors, reach = a->flaw_longest;
    bool failed = false;

    for (uint32_t i = lower_bound(w, member, sector > reach ? sector - reach : 0); i < a->flaws;
         i++) {
        const struct flaw *f = flaw_see(w, i);

        if (f->member != member || f->sector >= end)
            break;
        if (f->sector + f->sectors > sector)
            failed |= write ? f->kind == FLAW_WRITE : f->kind != FLAW_WRITE;
    }
    if (!write || failed)
        return failed;
    for (uint32_t i = lower_bound(w, member, sector > reach ? sector - reach : 0);
         i < array_see(w, 0)->flaws;) {
        const struct flaw *f = flaw_see(w, i);

        if (f->member != member || f->sector >= end)
            break;
        if (f->kind != FLAW_READ_UNTIL_WRITTEN || f->sector + f->sectors <= sector)
            i++;
        else
            i += heal(w, i, sector, end);
    }
    return false;
}

void flaws_forget(struct world *w, unsigned member)
{
    uint32_t at = lower_bound(w, member, 0);

    while (at < array_see(w, 0)->flaws && flaw_see(w, at)->member == member)
        drop(w, at);
}
