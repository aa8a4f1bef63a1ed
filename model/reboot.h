/*
 * A power cut, and the machine's coming back: what is in memory is gone, what is on the members
 * stays; the array is assembled from the superblocks there (spec 12).
 *
 * Writes that were under way have reached their members or not: whoever decides when members carry
 * out I/O has decided that before. The freshest superblock says who is a member; one that is behind
 * by more than an event is left out. A dirty array is resynced, with a bitmap where bits are set; a
 * dirty and degraded one is not started unless shape.start_dirty_degraded says so.
 *
 * Not modelled: what is in partial parity logs and journals, and volatile caches of members.
 */
#ifndef MODEL_REBOOT_H
#define MODEL_REBOOT_H
#include "model/step.h"

/* Precondition: shape.power_cuts. */
void reboot(struct world *, struct effects *);

#endif
