/* Fate's one step: see fate.h. */
#include "faults/fate.h"

#include "model/flaws.h"
#include "model/io.h"
#include "model/media.h"
#include "model/members.h"
#include "model/reboot.h"
#include "model/resync.h"

static uint32_t strike_ways(const struct world *w, actor_id who)
{
    (void)who;
    return w->shape.faults;
}

static bool is_queued(const struct world *w, uint64_t name, bool write_only)
{
    uint64_t io = fate_sector(name);

    return io < w->count[SEC_IOS] && io_see(w, io)->state == IO_QUEUED &&
           (!write_only || io_see(w, io)->kind == IO_WRITE);
}

static bool is_range(const struct world *w, uint64_t name)
{
    uint64_t end = fate_sector(name) + fate_sectors(name);

    return fate_sectors(name) && end <= w->shape.geometry.component_sectors;
}

/* Can this write stop half-way? */
static bool can_tear(const struct world *w, uint64_t io)
{
    return io < w->count[SEC_IOS] && io_see(w, io)->state == IO_QUEUED &&
           io_see(w, io)->kind == IO_WRITE && !(io_see(w, io)->flags & IO_META) &&
           io_see(w, io)->sectors > w->shape.group_sectors;
}

static void tear(struct world *w, io_id io)
{
    const struct io *r = io_see(w, io);
    uint32_t sectors = r->sectors / 2 / w->shape.group_sectors * w->shape.group_sectors;

    media_write(w, io_disk(w, io), r->sector, sectors, r->page, true);
}

static bool strike_allows(const struct world *w, actor_id who, uint64_t name)
{
    unsigned member = fate_member(name);

    (void)who;
    if (member >= shape_devices(&w->shape) || !shape_is_member(&w->shape, member))
        return false;
    switch (fate_what(name)) {
    case FATE_FAIL:
        return member_is_bound(w, member);
    case FATE_ADD:
        return members_may_add(w);
    case FATE_RETURN:
        return !disk_see(w, member)->flags;
    case FATE_UNREADABLE:
    case FATE_WORN_READ:
    case FATE_WORN_WRITE:
        return is_range(w, name);
    case FATE_ROT:
        return is_range(w, name) && w->shape.media_entries;
    case FATE_DOOM:
        return is_queued(w, name, false);
    case FATE_LOSE:
    case FATE_TEAR:
    case FATE_MISDIRECT:
        return is_queued(w, name, true);
    case FATE_POWER_CUT:
        return w->shape.power_cuts && (!fate_sector(name) || can_tear(w, fate_sector(name) - 1));
    case FATE_DESTAGE:
        return fate_sector(name) < disk_see(w, member)->dirty;
    case FATE_SYNC_ACTION:
        return resync_may_begin(w, (enum sync_action)fate_sector(name));
    default:
        return fate_what(name) < FATE_COUNT;
    }
}

static void strike_io(struct world *w, uint64_t name)
{
    static const uint8_t flag[FATE_COUNT] = { [FATE_DOOM] = IO_DOOMED,
                                              [FATE_LOSE] = IO_LOST,
                                              [FATE_TEAR] = IO_TORN,
                                              [FATE_MISDIRECT] = IO_MISDIRECTED };

    io_at(w, fate_sector(name))->flags |= flag[fate_what(name)];
}

static void strike_media(struct world *w, uint64_t name)
{
    static const uint8_t kind[FATE_COUNT] = { [FATE_UNREADABLE] = FLAW_READ_UNTIL_WRITTEN,
                                              [FATE_WORN_READ] = FLAW_READ,
                                              [FATE_WORN_WRITE] = FLAW_WRITE };
    uint64_t sector = fate_sector(name);

    if (fate_what(name) == FATE_ROT)
        media_spoil(w, fate_member(name), sector, fate_sectors(name));
    else
        flaws_add(w, fate_member(name), sector, fate_sectors(name), kind[fate_what(name)]);
}

static void strike_fire(struct world *w, actor_id who, uint64_t name, struct effects *e)
{
    unsigned member = fate_member(name);
    uint64_t sector = fate_sector(name);

    (void)who;
    mark(e, MARK_FATE);
    switch (fate_what(name)) {
    case FATE_FAIL:
        member_fail(w, member, e);
        break;
    case FATE_DIE:
        disk_at(w, member)->device |= DEVICE_DEAD;
        break;
    case FATE_ADD:
        members_add_spare(w, e);
        break;
    case FATE_RETURN:
        disk_at(w, member)->device &= ~(uint32_t)DEVICE_DEAD;
        member_return(w, member, e);
        break;
    case FATE_SYNC_MAX:
        resync_set_max(w, sector == FATE_SECTOR_MAX ? UINT64_MAX : sector, e);
        break;
    case FATE_SYNC_ACTION:
        if (sector == SYNC_IDLE)
            resync_interrupt(w, e);
        else
            resync_begin(w, (enum sync_action)sector, e);
        break;
    case FATE_DESTAGE:
        media_destage(w, member, (uint32_t)sector);
        break;
    case FATE_POWER_CUT:
        if (sector)
            tear(w, (io_id)sector - 1);
        reboot(w, e);
        break;
    case FATE_DOOM:
    case FATE_LOSE:
    case FATE_TEAR:
    case FATE_MISDIRECT:
        strike_io(w, name);
        break;
    default:
        strike_media(w, name);
        break;
    }
}

static const struct step fate_steps[] = {
    { "fate.strike", "what goes wrong", strike_ways, NULL, strike_allows, strike_fire,
      .lock = LOCK_NONE },
};
const struct actor_kind fate_kind = { "fate", VENUE_FATE, fate_steps, 1 };
