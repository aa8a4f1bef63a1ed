/*
 * Flushes of the array: each member with a volatile write cache is told to empty it, all at once.
 *
 * One flush of an array goes on at a time. Who comes meanwhile waits, and needs none of its own if
 * one that began after it came has ended (md-6.1; 12.4). Plain disks know no such order.
 * Kernel: md.c md_flush_request, submit_flushes (6.1).
 */
#ifndef MODEL_FLUSH_H
#define MODEL_FLUSH_H
#include "model/request.h"

/* The bio asks for a flush; its member I/Os count in bio.left beside the submitter's bias. False:
 * the submitter sleeps on WAIT_FLUSH and asks again. */
bool flush_begin(struct world *, actor_id who, bio_id, struct effects *);
/* All members have answered. */
void flush_end(struct world *, struct effects *);

#endif
