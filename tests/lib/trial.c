/* Trials (tests/lib/trial.h). */
#include "tests/lib/trial.h"

#include <stdlib.h>
#include <string.h>

#include "faults/fate.h"
#include "model/flaws.h"
#include "model/members.h"

enum { TRIES = 16, HEALINGS = 12, MOVES_MAX = 200000 };

static unsigned slots_of(const struct world *w)
{
    return w->shape.geometry.disks;
}

/* ---- what is wrong */

static bool row_is_bad(const struct world *w, unsigned disk, uint64_t sector)
{
    return disk_see(w, disk)->bad_blocks &&
           member_badness(w, disk, sector, PAGE_SECTORS) != BAD_NOT;
}

static bool has_flaw(const struct world *w, unsigned disk, uint64_t sector)
{
    for (uint32_t i = 0; i < array_see(w, 0)->flaws; i++) {
        const struct flaw *f = flaw_see(w, i);

        if (f->member == disk && f->sector < sector + PAGE_SECTORS &&
            f->sector + f->sectors > sector)
            return true;
    }
    return false;
}

/* What the stripe in the cache and its I/O know. */
static bool slot_is_troubled(const struct world *w, unsigned slot, uint64_t sector)
{
    enum { TROUBLED = SLOT_READ_ERROR | SLOT_REWRITE | SLOT_READ_NO_MERGE | SLOT_WRITE_ERROR };
    stripe_id s = cache_find(w, sector);

    if (s == NONE16)
        return false;
    return (slot_see(w, s, slot)->flags & TROUBLED) || io_see(w, io_of_slot(w, s, slot))->failed ||
           (io_see(w, io_of_slot(w, s, slot))->flags & IO_DOOMED);
}

static bool is_rebuilt(const struct world *w, unsigned disk, uint64_t sector)
{
    return member_in_sync(w, disk) || sector + PAGE_SECTORS <= disk_see(w, disk)->recovery_offset;
}

unsigned trial_troubles(const struct world *w, uint64_t sector)
{
    unsigned n = 0;

    for (unsigned i = 0; i < slots_of(w); i++) {
        unsigned d = member_of(w, i);

        n += !member_alive(w, d) || !is_rebuilt(w, d, sector) ||
             (disk_see(w, d)->device & DEVICE_DEAD) || row_is_bad(w, d, sector) ||
             has_flaw(w, d, sector) || slot_is_troubled(w, i, sector);
    }
    return n;
}

bool trial_as_new(const struct world *w)
{
    if (array_see(w, 0)->degraded || array_see(w, 0)->flaws)
        return false;
    for (uint64_t io = 0; io < w->count[SEC_IOS]; io++)
        if (io_see(w, io)->failed || (io_see(w, io)->flags & IO_DOOMED))
            return false;
    if (array_see(w, 0)->retry_head != NONE32 || array_see(w, 0)->retry_bio != NONE32)
        return false;
    for (uint64_t sector = 0; sector < w->shape.geometry.component_sectors; sector += PAGE_SECTORS)
        if (trial_troubles(w, sector))
            return false;
    return true;
}

/* ---- what happens */

/* A few sectors of one page, or some pages. */
static uint64_t range(struct trial *t, enum fate what, unsigned member)
{
    const struct world *w = t->k.s->w;
    uint64_t size = w->shape.geometry.component_sectors, sector = dice_below(&t->k.dice, size);
    uint64_t sectors = 1 + dice_below(&t->k.dice, dice_below(&t->k.dice, 3) ? 3 : 40);

    if (sector + sectors > size)
        sectors = size - sector;
    return fate_name(what, member, sector, (uint32_t)sectors);
}

/* One of the I/Os that are queued at the member; none: the first record, which will not do. */
static uint64_t doom(struct trial *t, unsigned member)
{
    const struct world *w = t->k.s->w;
    uint32_t queued = disk_see(w, member)->queued;
    uint64_t io = (uint64_t)member * w->shape.ios_per_disk;

    if (queued)
        io += io_nth(w, member, IO_QUEUED, (uint32_t)dice_below(&t->k.dice, queued));
    return fate_name(FATE_DOOM, member, io, 0);
}

static uint64_t draw(struct trial *t, unsigned member)
{
    static const uint8_t kinds[] = { FATE_FAIL,       FATE_DIE,        FATE_ADD,
                                     FATE_ADD,        FATE_RETURN,     FATE_RETURN,
                                     FATE_UNREADABLE, FATE_UNREADABLE, FATE_UNREADABLE,
                                     FATE_WORN_READ,  FATE_WORN_WRITE, FATE_DOOM,
                                     FATE_DOOM,       FATE_DOOM,       FATE_SYNC_ACTION,
                                     FATE_SYNC_MAX };
    static const uint8_t actions[] = { SYNC_IDLE, SYNC_CHECK, SYNC_REPAIR };
    uint64_t size = t->k.s->w->shape.geometry.component_sectors;
    enum fate what = kinds[dice_below(&t->k.dice, sizeof kinds)];

    switch (what) {
    case FATE_UNREADABLE:
    case FATE_WORN_READ:
    case FATE_WORN_WRITE:
        return range(t, what, member);
    case FATE_DOOM:
        return doom(t, member);
    case FATE_SYNC_ACTION:
        return fate_name(what, 0, actions[dice_below(&t->k.dice, 3)], 0);
    case FATE_SYNC_MAX:
        return fate_name(what, 0, dice_below(&t->k.dice, size / 8 + 1) * 8, 0);
    default:
        return fate_name(what, member, 0, 0);
    }
}

/* The first that is possible; at worst something that changes nothing. */
static uint64_t strike(struct walk *k)
{
    struct trial *t = (struct trial *)k;
    const struct world *w = k->s->w;
    actor_id fate = actor_fate(&w->shape);

    if (trial_as_new(w))
        t->victim = (unsigned)dice_below(&k->dice, slots_of(w));
    for (unsigned n = 0; n < TRIES; n++) {
        unsigned member = t->careful ? member_of(w, t->victim)
                                     : (unsigned)dice_below(&k->dice, shape_devices(&w->shape));
        struct move m = { .way = draw(t, member), .who = fate };

        if (system_allows(&system_md, w, m))
            return m.way;
    }
    return fate_name(FATE_SYNC_MAX, 0, FATE_SECTOR_MAX, 0);
}

void trial_start(struct trial *t, struct small *s, uint64_t seed, uint32_t requests, bool careful)
{
    memset(t, 0, sizeof *t);
    walk_start(&t->k, s, seed, requests);
    t->careful = careful;
    t->victim =
        s->plan.failed ? s->plan.failed - 1u : (unsigned)dice_below(&t->k.dice, slots_of(s->w));
    walk_tempt(&t->k, 1 + (uint32_t)dice_below(&t->k.dice, 12), strike);
}

/* ---- books */

static void note_doubles(struct trial *t)
{
    const struct world *w = t->k.s->w;

    for (uint64_t page = 0; page < w->shape.geometry.component_sectors / PAGE_SECTORS; page++)
        t->doubled[page] |= trial_troubles(w, page * PAGE_SECTORS) > 1;
}

/* Have two members been in trouble in a row of that request? */
static bool was_doubled(const struct trial *t, request_id r)
{
    const struct world *w = t->k.s->w;
    uint64_t from = request_see(w, r)->sector / PAGE_SECTORS * PAGE_SECTORS;
    uint64_t to = request_see(w, r)->sector + request_see(w, r)->sectors;

    for (uint64_t at = from; at < to; at += PAGE_SECTORS)
        if (t->doubled[geometry_map(&w->shape.geometry, at).sector / PAGE_SECTORS])
            return true;
    return false;
}

static void complain(const struct trial *t, const char *what)
{
    fail_msg("SEED=%llu, walk %llu, after move %llu: %s", (unsigned long long)walk_seed(),
             (unsigned long long)t->k.seed, (unsigned long long)t->k.moves, what);
}

static void watch_failures(struct trial *t)
{
    const struct world *w = t->k.s->w;

    for (request_id r = 0; r < w->shape.requests; r++) {
        bool failed = request_see(w, r)->failed;

        if (failed && !t->seen_failed[r]) {
            t->failed++;
            if (t->careful || !was_doubled(t, r))
                complain(t, "an I/O has failed, and no two members were in trouble");
        }
        t->seen_failed[r] = failed;
    }
}

/* A page more has been corrected: a reading back of that member has ended well. */
static void watch_corrections(struct trial *t, struct move m, const struct io *ended)
{
    const struct world *w = t->k.s->w;

    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        uint32_t now = disk_see(w, d)->corrected;

        if (now > t->corrected[d]) {
            assert_int_equal(now, t->corrected[d] + PAGE_SECTORS);
            assert_int_equal(actor_see(w, m.who)->kind, KIND_COMPLETION);
            assert_int_equal(actor_see(w, m.who)->index, d);
            assert_int_equal(ended->reason, REASON_VERIFY);
            assert_false(ended->failed);
        }
        t->corrected[d] = now;
    }
}

static void fire(struct trial *t, struct move m)
{
    const struct world *w = t->k.s->w;
    bool reaps = m.who < w->shape.clients && m.step == CLIENT_TURN &&
                 client_see(w, m.who)->done_head != NONE16;
    bool excused = reaps && !t->careful && was_doubled(t, client_see(w, m.who)->done_head);
    bool ends = actor_see(w, m.who)->kind == KIND_COMPLETION;
    struct io ended = ends ? *io_see(w, m.way) : (struct io){ 0 };
    uint64_t findings = t->k.findings;

    walk_fire(&t->k, m);
    if (t->k.findings != findings && !excused)
        complain(t, "a wrong read");
    note_doubles(t);
    watch_failures(t);
    watch_corrections(t, m, &ended);
}

bool trial_move(struct trial *t, struct move *m)
{
    if (!walk_choose(&t->k, m))
        return false;
    fire(t, *m);
    if (t->k.moves > MOVES_MAX)
        complain(t, "the walk does not end");
    return true;
}

/* ---- by hand */

void trial_strike(struct trial *t, uint64_t name)
{
    struct move m = { .way = name, .who = actor_fate(&t->k.s->w->shape) };

    t->k.strikes++;
    fire(t, m);
}

void trial_heal(struct trial *t)
{
    struct world *w = t->k.s->w;
    struct move m;

    trial_strike(t, fate_name(FATE_SYNC_MAX, 0, FATE_SECTOR_MAX, 0));
    for (unsigned n = 0; n < HEALINGS; n++) {
        while (trial_move(t, &m))
            continue;
        if (array_see(w, 0)->degraded != 1)
            return;
        trial_strike(t, fate_name(FATE_ADD, 0, 0, 0));
    }
}
