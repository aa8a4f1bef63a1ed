/*
 * Keeping the history: see history.h.
 *
 * Members are watched by their flags: where they may have changed (a fault, a member that failed, a
 * look of raid5d after the members) all slots are compared with what they were. Which device sits
 * in a slot is nobody's business but the reports': the model has slots only. A spare takes a slot
 * last come, first served, as md walks its list of devices.
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

static void add_member(struct clockwork *c, enum history_what what, unsigned slot, uint64_t sector,
                       unsigned detail)
{
    struct history_event *e = add(c, what, false);

    if (!e)
        return;
    e->slot = (uint16_t)slot;
    e->device = c->history->seat[slot];
    e->sector = sector;
    e->detail = (uint16_t)detail;
}

/* ---- devices */

static unsigned new_device(struct history *h, enum device_state state, unsigned slot)
{
    ASSERT(h->device_count < HISTORY_DEVICES_MAX);
    h->device[h->device_count] =
        (struct history_device){ .slot = (uint16_t)slot, .state = (uint8_t)state };
    return h->device_count++;
}

void history_start(struct clockwork *c)
{
    struct history *h = c->history;

    for (unsigned d = 0; d < c->members; d++) {
        h->seen[d] = disk_see(c->world, d)->flags;
        h->seat[d] = (uint16_t)new_device(h, h->seen[d] ? DEVICE_SEATED : DEVICE_GONE, d);
    }
    for (uint32_t i = 0; i < c->world->shape.spares; i++)
        new_device(h, DEVICE_SPARE, 0);
}

/* The device that takes an empty slot: the one that was here, if it has come back, else the one
 * that came last of those that wait. */
static void seat(struct clockwork *c, unsigned slot)
{
    struct history *h = c->history;
    bool back = h->device[h->seat[slot]].state == DEVICE_SPARE;

    for (unsigned i = h->device_count; !back && i-- > 0;)
        if (h->device[i].state == DEVICE_SPARE) {
            h->seat[slot] = (uint16_t)i;
            break;
        }
    h->device[h->seat[slot]] =
        (struct history_device){ .slot = (uint16_t)slot, .state = DEVICE_SEATED };
    add_member(c, HISTORY_ADDED, slot, NOWHERE, 0);
}

static void look_at(struct clockwork *c, unsigned slot)
{
    struct history *h = c->history;
    uint32_t was = h->seen[slot], is = disk_see(c->world, slot)->flags;
    unsigned degraded = array_see(c->world, 0)->degraded;

    h->seen[slot] = is;
    if ((is & MEMBER_FAULTY) && !(was & MEMBER_FAULTY))
        add_member(c, HISTORY_FAILED, slot, NOWHERE, degraded);
    if ((was & MEMBER_FAULTY) && !(is & MEMBER_FAULTY)) {
        add_member(c, HISTORY_REMOVED, slot, NOWHERE, 0);
        h->device[h->seat[slot]].state = DEVICE_FAULTY;
    }
    if ((is & MEMBER_PRESENT) && (!(was & MEMBER_PRESENT) || ((was & ~is) & MEMBER_FAULTY)))
        seat(c, slot);
    if ((is & MEMBER_IN_SYNC) && !(was & MEMBER_IN_SYNC))
        add_member(c, HISTORY_IN_SYNC, slot, NOWHERE, degraded);
}

void history_look(struct clockwork *c)
{
    for (unsigned slot = 0; slot < c->members; slot++)
        if (disk_see(c->world, slot)->flags != c->history->seen[slot])
            look_at(c, slot);
}

/* ---- faults */

void history_struck(struct clockwork *c, unsigned number, uint64_t sector)
{
    const struct fault *f = &c->scenario->fault[number];
    struct history *h = c->history;
    struct history_event *e = add(c, HISTORY_FAULT, !h->struck[number]++);

    if (e) {
        e->slot = (uint16_t)f->member;
        e->device = h->seat[f->member < c->members ? f->member : 0];
        e->sector = sector;
        e->detail = (uint16_t)number;
    }
    if (f->what == FAULT_ADD)
        new_device(h, DEVICE_SPARE, 0);
    if (f->what == FAULT_RE_ADD)
        h->device[h->seat[f->member]].state = DEVICE_SPARE;
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
