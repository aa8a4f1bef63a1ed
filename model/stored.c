/* Superblocks on the members: see stored.h. */
#include "model/stored.h"

#include <stddef.h>

#include "model/io.h"
#include "model/stripe.h"

static struct stored now(const struct world *w, unsigned disk)
{
    const struct array *a = array_see(w, 0);
    struct stored s = { .events = a->events + 1,
                        .resync_offset = a->in_sync ? a->recovery_cp : 0,
                        .recovery_offset = disk_see(w, disk)->recovery_offset,
                        .slot = disk_see(w, disk)->flags & MEMBER_PRESENT ? disk_see(w, disk)->slot
                                                                          : NO_DEVICE };

    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        if (member_alive(w, d))
            s.present |= UINT64_C(1) << d;
        if (member_in_sync(w, d))
            s.in_sync |= UINT64_C(1) << d;
    }
    return s;
}

static bool is_kept(const struct world *w, unsigned disk)
{
    return w->count[SEC_STORED] && disk < shape_devices(&w->shape);
}

void stored_begin(struct world *w)
{
    for (unsigned d = 0; is_kept(w, d); d++)
        if (disk_see(w, d)->flags)
            stored_make(w, d);
}

void stored_make(struct world *w, unsigned disk)
{
    if (is_kept(w, disk))
        *stored_at(w, 2 * disk) = now(w, disk);
}

void stored_note(struct world *w, unsigned disk)
{
    if (is_kept(w, disk))
        *stored_at(w, 2 * disk + 1) = now(w, disk);
}

void stored_arrive(struct world *w, unsigned disk)
{
    if (!is_kept(w, disk))
        return;
    *stored_at(w, 2 * disk) = *stored_see(w, 2 * disk + 1);
    *stored_at(w, 2 * disk + 1) = (struct stored){ 0 };
}

void stored_forget(struct world *w, unsigned disk)
{
    if (is_kept(w, disk))
        *stored_at(w, 2 * disk) = *stored_at(w, 2 * disk + 1) = (struct stored){ 0 };
}

static bool answers(const struct world *w, unsigned disk)
{
    return stored_see(w, 2 * disk)->events && !(disk_see(w, disk)->device & DEVICE_DEAD);
}

const struct stored *stored_freshest(const struct world *w)
{
    const struct stored *best = NULL;

    for (unsigned d = 0; d < shape_devices(&w->shape); d++)
        if (answers(w, d) && (!best || stored_see(w, 2 * d)->events > best->events))
            best = stored_see(w, 2 * d);
    return best;
}

bool stored_counts(const struct world *w, unsigned disk, const struct stored *freshest)
{
    return answers(w, disk) && stored_see(w, 2 * disk)->events + 1 >= freshest->events;
}
