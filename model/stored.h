/*
 * What the superblocks on the members say (spec 12.1), for what comes after a power cut. Kept only
 * if one can come (shape.power_cuts).
 *
 * A superblock is noted when its write is queued, and is on its member once that has carried it
 * out: a cut between leaves members that say different things.
 */
#ifndef MODEL_STORED_H
#define MODEL_STORED_H
#include "model/world.h"

WORLD_STRUCTS_BEGIN
struct stored {
    uint64_t events;          /* 0: there is no superblock */
    uint64_t resync_offset;   /* 0: the array was dirty; UINT64_MAX: clean, and all in sync */
    uint64_t recovery_offset; /* of this member, if it is being rebuilt */
    uint64_t in_sync;         /* bit d: device d holds all it should */
    uint64_t present;         /* bit d: device d is in a slot, and not faulty */
    uint8_t slot;             /* of this device; NO_DEVICE: a spare */
    uint8_t pad[7];
};
WORLD_STRUCTS_END
/* Two a device: the one on it, and the one under way. */
WORLD_SECTION(stored, struct stored, SEC_STORED)

/* The first moment: all devices say what is true. */
void stored_begin(struct world *);
/* mdadm has written one to a device that it adds. */
void stored_make(struct world *, unsigned disk);
/* A superblock goes out to that device; it has arrived; it is another device now. */
void stored_note(struct world *, unsigned disk);
void stored_arrive(struct world *, unsigned disk);
void stored_forget(struct world *, unsigned disk);
/* The freshest superblock of those on devices that answer; NULL: there is none. */
const struct stored *stored_freshest(const struct world *);
/* Does that member's superblock count beside the freshest? By one event it may be behind: a cut
 * came between the two. Kernel: super_1_validate (6.1). */
bool stored_counts(const struct world *, unsigned disk, const struct stored *freshest);

#endif
