/* The first moment of a world. */
#include "model/array.h"

#include "model/bitmap.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/log.h"
#include "model/request.h"
#include "model/stored.h"

static void place_actor(struct world *w, actor_id who, enum kind kind, unsigned index)
{
    *actor_at(w, who) = (struct actor){ .kind = (uint8_t)kind, .index = (uint16_t)index };
}

static void start_client(struct world *w, actor_id who, request_id first, uint16_t depth)
{
    struct client *c = client_at(w, who);

    *c = (struct client){ .first = first,
                          .depth = depth,
                          .free = first,
                          .plug_head = NONE16,
                          .plug_tail = NONE16,
                          .done_head = NONE16,
                          .done_tail = NONE16 };
    for (request_id r = first; r < first + depth; r++)
        request_at(w, r)->next = (request_id)(r + 1 < first + depth ? r + 1 : NONE16);
    place_actor(w, who, KIND_CLIENT, who);
}

/* Slots have their members, but for those that are missing; spares are blank. */
static void start_device(struct world *w, unsigned disk)
{
    const struct shape *s = &w->shape;
    struct disk *d = disk_at(w, disk);

    d->slot = (uint8_t)(disk < s->geometry.disks ? disk : NO_DEVICE);
    if (disk >= shape_first_spare(s)) {
        bool waits = disk < shape_first_spare(s) + s->spares;

        d->device = DEVICE_NEW | DEVICE_UNBUILT | (waits ? 0 : DEVICE_TO_COME);
        d->flags = waits ? MEMBER_WAITING : 0;
        return;
    }
    if (disk < s->geometry.disks)
        seat_at(w, disk)->device = (uint8_t)disk;
    if (disk >= 64 || !(s->failed >> disk & 1))
        d->flags = MEMBER_PRESENT | MEMBER_IN_SYNC;
    else
        array_at(w, 0)->degraded++;
}

/* A clean array: the first write will have to say that it is not. */
static void start_md(struct world *w)
{
    struct array *a = array_at(w, 0);

    a->recovery_cp = w->shape.recovery_cp;
    a->sync_max = w->shape.sync_max;
    a->sync = w->shape.sync_action;
    a->recovery = w->shape.spares && a->degraded ? RECOVERY_NEEDED : 0;
    a->raid5d_wanted = a->recovery != 0;
    a->in_sync = a->clean_stored =
        w->shape.metadata != METADATA_NONE && a->recovery_cp == UINT64_MAX;
}

void array_place(struct world *w)
{
    const struct shape *s = &w->shape;

    for (unsigned c = 0; c < s->clients; c++)
        start_client(w, (actor_id)c, client_see(w, c)->first, client_see(w, c)->depth);
    place_actor(w, actor_raid5d(s), KIND_RAID5D, 0);
    place_actor(w, actor_timer(s), KIND_TIMER, 0);
    for (unsigned d = 0; d < shape_devices(s); d++) {
        place_actor(w, actor_completion(s, d), KIND_COMPLETION, d);
        place_actor(w, actor_disk(s, d), KIND_DISK, d);
    }
    if (shape_has_md(s)) {
        place_actor(w, actor_resync(s), KIND_RESYNC, 0);
        place_actor(w, actor_safemode(s), KIND_SAFEMODE, 0);
        place_actor(w, actor_fate(s), KIND_FATE, 0);
        place_actor(w, actor_daemon(s), KIND_DAEMON, 0);
    }
    for (unsigned n = 0; n < s->workers; n++)
        place_actor(w, actor_worker(s, n), KIND_WORKER, n);
    array_at(w, 0)->retry_head = array_at(w, 0)->retry_bio = NONE32;
    log_begin(w);
    cache_start(w);
}

void array_start(struct world *w, const uint16_t *depth)
{
    const struct shape *s = &w->shape;
    request_id first = 0;

    for (unsigned c = 0; c < s->clients; c++) {
        client_at(w, c)->first = first;
        client_at(w, c)->depth = depth[c];
        first = (request_id)(first + depth[c]);
    }
    ASSERT(first == s->requests);
    array_place(w);
    for (unsigned d = 0; d < shape_devices(s); d++)
        start_device(w, d);
    start_md(w);
    if (has_bitmap(s))
        bitmap_begin(w);
    stored_begin(w);
}
