/*
 * Keeping the history: see history.h.
 *
 * Devices are watched by their flags: where they may have changed (a fault, a member that failed, a
 * look of raid5d after the members) all are compared with what they were.
 */
#include "sim/clockwork_internal.h"

#include "model/array.h"
#include "model/io.h"
#include "model/request.h"
#include "model/stripe.h"
#include "model/workers.h"

#define NOWHERE UINT64_MAX
enum {
    TENTHS = 10,
    /* what md writes superblocks for */
    TO_BE_WRITTEN = 1u << HISTORY_FAILED | 1u << HISTORY_REMOVED | 1u << HISTORY_ADDED |
                    1u << HISTORY_IN_SYNC | 1u << HISTORY_SYNC_ENDED | 1u << HISTORY_SYNC_STOPPED |
                    1u << HISTORY_BAD_BLOCK
};

static struct history_event *add(struct clockwork *c, enum history_what what, bool always)
{
    struct history *h = c->history;
    struct history_event *e;

    h->superblocks_for |= 1u << what & TO_BE_WRITTEN;
    if (!always && h->kept[what] >= HISTORY_OF_A_KIND) {
        h->left_out[what]++;
        return NULL;
    }
    ASSERT(h->event_count < HISTORY_EVENTS_MAX);
    h->kept[what]++;
    e = &h->event[h->event_count++];
    *e = (struct history_event){ .ns = c->s->now, .sector = NOWHERE, .what = (uint16_t)what };
    return e;
}

static void add_member(struct clockwork *c, enum history_what what, unsigned device,
                       uint64_t sector, unsigned detail)
{
    struct history_event *e = add(c, what, false);

    if (!e)
        return;
    e->slot = disk_see(c->world, device)->slot;
    e->device = (uint16_t)device;
    e->sector = sector;
    e->detail = (uint16_t)detail;
}

/* ---- devices */

static void look_at(struct clockwork *c, unsigned device)
{
    struct history *h = c->history;
    uint32_t was = h->seen[device], is = disk_see(c->world, device)->flags;
    bool seated = is & MEMBER_PRESENT;
    unsigned degraded = array_see(c->world, 0)->degraded;

    h->seen[device] = is;
    if ((is & MEMBER_FAULTY) && !(was & MEMBER_FAULTY))
        add_member(c, HISTORY_FAILED, device, NOWHERE, degraded);
    if ((was & MEMBER_FAULTY) && !(is & MEMBER_FAULTY))
        add_member(c, HISTORY_REMOVED, device, NOWHERE, 0);
    if (seated && (!(was & MEMBER_PRESENT) || ((was & ~is) & MEMBER_FAULTY)))
        add_member(c, HISTORY_ADDED, device, NOWHERE, 0);
    if ((is & MEMBER_IN_SYNC) && !(was & MEMBER_IN_SYNC))
        add_member(c, HISTORY_IN_SYNC, device, NOWHERE, degraded);
    h->device[device].slot = disk_see(c->world, device)->slot;
    if (seated || is & MEMBER_WAITING)
        h->device[device].state = seated ? DEVICE_SEATED : DEVICE_SPARE;
    else if (was)
        h->device[device].state = DEVICE_FAULTY;
}

void history_look(struct clockwork *c)
{
    for (unsigned d = 0; d < c->members; d++)
        if (disk_see(c->world, d)->flags != c->history->seen[d])
            look_at(c, d);
}

void history_start(struct clockwork *c)
{
    struct history *h = c->history;

    h->device_count = c->members;
    for (unsigned d = 0; d < c->members; d++) {
        uint32_t flags = disk_see(c->world, d)->flags;

        h->seen[d] = flags;
        h->device[d] = (struct history_device){ .slot = disk_see(c->world, d)->slot,
                                                .state = flags & MEMBER_PRESENT   ? DEVICE_SEATED
                                                         : flags & MEMBER_WAITING ? DEVICE_SPARE
                                                                                  : DEVICE_GONE };
    }
}

/* ---- faults */

void history_struck(struct clockwork *c, unsigned number, uint64_t sector)
{
    const struct fault *f = &c->scenario->fault[number];
    struct history *h = c->history;
    struct history_event *e = add(c, HISTORY_FAULT, !h->struck[number]++);

    if (e) {
        e->slot = disk_see(c->world, f->member)->slot;
        e->device = (uint16_t)f->member;
        e->sector = sector;
        e->detail = (uint16_t)number;
    }
}

/* ---- marks and replies */

void history_about(struct clockwork *c, actor_id who, uint64_t way)
{
    const struct actor *a = actor_see(c->world, who);
    bool works = (a->kind == KIND_RAID5D && a->pc == RAID5D_WORK) ||
                 (a->kind == KIND_WORKER && a->pc == WORKER_WORK);
    const struct handler *h =
        works ? handler_see(c->world, a->kind == KIND_WORKER ? a->index + 1u : 0) : NULL;

    if (a->kind == KIND_COMPLETION)
        c->history->about = io_see(c->world, way)->sector;
    else if (works)
        c->history->about = stripe_see(c->world, h->batch[h->at])->sector;
    else
        c->history->about = NOWHERE;
}

static void note_superblocks(struct clockwork *c)
{
    struct history *h = c->history;
    struct history_event *e;

    if (!h->superblocks_for)
        return; /* a checkpoint, or clean to dirty and back */
    e = add(c, h->superblocks_for == 1u << HISTORY_BAD_BLOCK ? HISTORY_LISTS : HISTORY_SUPERBLOCKS,
            false);
    if (e)
        e->detail = (uint16_t)h->superblocks_for;
    h->superblocks_for = 0;
}

void history_mark(struct clockwork *c, enum mark what, unsigned member)
{
    switch (what) {
    case MARK_MEMBER_FAILED:
        history_look(c);
        break;
    case MARK_BAD_BLOCK:
        add_member(c, HISTORY_BAD_BLOCK, member, c->history->about, 0);
        break;
    case MARK_CORRECTED:
        add_member(c, HISTORY_CORRECTED, member, c->history->about, 0);
        break;
    case MARK_WRITE_ERROR:
        add_member(c, HISTORY_WRITE_ERROR, member, c->history->about, 0);
        break;
    case MARK_SUPERBLOCKS:
        note_superblocks(c);
        break;
    default:
        break;
    }
}

void history_reply(struct clockwork *c, request_id id)
{
    const struct request *r = request_see(c->world, id);
    struct history_event *e;

    if (!r->failed)
        return;
    e = add(c, HISTORY_IO_ERROR, false);
    if (e) {
        e->sector = r->sector;
        e->detail = r->write != 0;
    }
}

/* ---- the resync thread */

static void add_sync(struct clockwork *c, enum history_what what, const struct history_sync *sync)
{
    struct history_event *e = add(c, what, false);

    if (e) {
        e->sector = sync->reached;
        e->detail = (uint16_t)sync->action;
    }
}

/* Once there are too many, the last place serves those that are left out. */
static struct history_sync *current(struct history *h)
{
    return &h->sync[h->sync_count - 1];
}

static void sync_began(struct clockwork *c, enum sync_action action)
{
    struct history *h = c->history;
    const struct array *a = array_see(c->world, 0);
    uint64_t size = c->world->shape.geometry.component_sectors;
    uint64_t end = a->sync_max < size ? a->sync_max : size;

    if (h->sync_count == HISTORY_SYNCS_MAX)
        h->syncs_left_out++;
    else
        h->sync_count++;
    *current(h) = (struct history_sync){
        .began_ns = c->s->now, .from = a->sync_at, .reached = a->sync_at, .action = action
    };
    h->running = 1;
    h->progress_step = end > a->sync_at ? (end - a->sync_at) / TENTHS : 0;
    h->progress_step -= h->progress_step % PAGE_SECTORS;
    if (!h->progress_step)
        h->progress_step = PAGE_SECTORS;
    h->progress_next = a->sync_at + h->progress_step;
    add_sync(c, HISTORY_SYNC_BEGAN, current(h));
}

static void sync_ended(struct clockwork *c)
{
    struct history *h = c->history;
    struct history_sync *sync = current(h);
    uint64_t size = c->world->shape.geometry.component_sectors;

    sync->ended_ns = c->s->now;
    sync->reached = array_see(c->world, 0)->sync_completed;
    sync->whole = sync->reached >= size && !(array_see(c->world, 0)->recovery & RECOVERY_INTR);
    h->running = 0;
    add_sync(c, sync->whole ? HISTORY_SYNC_ENDED : HISTORY_SYNC_STOPPED, sync);
    if (sync->action != SYNC_RECOVER)
        return;
    h->rebuilds += sync->whole;
    h->rebuilt_sectors += sync->reached - sync->from;
    h->rebuilding_ns += sync->ended_ns - sync->began_ns;
}

struct history_progress history_progress_now(const struct clockwork *c)
{
    const struct history *h = c->history;
    const struct array *a = array_see(c->world, 0);
    const struct pace *p = &c->s->pace;
    uint64_t at = a->sync_at - a->recovery_active;
    uint64_t done = at > p->start_sector ? at - p->start_sector : 0;
    uint64_t since = p->since_ns ? p->since_ns : p->mark_ns[0];

    return (struct history_progress){ .ns = c->s->now,
                                      .at = at,
                                      .since_ns = since,
                                      .since_sectors =
                                          done > p->since_sectors ? done - p->since_sectors : 0,
                                      .sync = h->sync_count - 1,
                                      .action = h->sync[h->sync_count - 1].action };
}

static void look_at_progress(struct clockwork *c)
{
    struct history *h = c->history;
    const struct array *a = array_see(c->world, 0);
    uint64_t at = a->sync_at - a->recovery_active;

    if (at < h->progress_next)
        return;
    h->progress_next += ((at - h->progress_next) / h->progress_step + 1) * h->progress_step;
    if (h->progress_count == HISTORY_PROGRESS_MAX) {
        h->progress_left_out++;
        return;
    }
    h->progress[h->progress_count++] = history_progress_now(c);
}

void history_sync_step(struct clockwork *c, unsigned pc, enum sync_action action)
{
    const struct actor *a = actor_see(c->world, actor_resync(&c->world->shape));

    if (pc == RESYNC_START)
        sync_began(c, action);
    look_at_progress(c);
    if (pc == RESYNC_END && a->pc == RESYNC_START)
        sync_ended(c);
}
