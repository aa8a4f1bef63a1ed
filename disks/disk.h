/*
 * What a member device may do: serve any of its queued records next (a device with a queue promises
 * no order), keep writes in a volatile cache, make them durable on FLUSH or FUA. How long that
 * takes and which record first is disks/timing.h.
 */
#ifndef DISKS_DISK_H
#define DISKS_DISK_H
#include "model/step.h"

/* One actor a member; a way is the io record it serves. A flush is served only as the oldest of ...
 * its own: the block layer sends it when the writes it must cover have ended. */
extern const struct actor_kind disk_kind;

#endif
