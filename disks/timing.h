/*
 * How long a device takes and which of its queued commands it serves first; never what may happen
 * (that is disks/disk.h).
 *
 * A timing model sees *commands*: what the host adapter sends to the device after the block layer
 * has merged bios into requests (disks/elevator.h). Its private state, the "arm", is flat and
 * pointer-free so that it can be snapshot with the rest of the clockwork. All times are nanoseconds
 * of simulated time, all positions and lengths sectors of 512 bytes, all arithmetic on integers.
 *
 * The life of a command: accept() -> it waits inside the device -> next() tells when the earliest
 * command ends
 * -> at exactly that time the host calls finish(), which names it.
 */
#ifndef DISKS_TIMING_H
#define DISKS_TIMING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMMAND_READ, COMMAND_WRITE, COMMAND_FLUSH };

struct disk_command {
    uint64_t sector;  /* first sector on the device */
    uint32_t sectors; /* length; 0 for a flush */
    uint8_t kind;     /* COMMAND_* */
    uint8_t fua;      /* write through the volatile cache */
    uint16_t pad;
    uint32_t token; /* the host's name for it, given back by finish() */
    uint32_t pad2;
};

struct disk_preset; /* disks/preset.h: the figures of one kind of device, constant during a run */

struct disk_timing {
    const char *name; /* "hdd", "ssd", "null": the value of the preset key `model` */
    /* Bytes of private state one device needs under this preset. */
    size_t (*arm_bytes)(const struct disk_preset *);
    /* Power on. arm is arm_bytes() zeroed bytes, 16-byte aligned; owner numbers the device; seed is
     * the run's: spindle phase and speed error are drawn here, from streams of that device alone.
     */
    void (*start)(void *arm, const struct disk_preset *, uint32_t owner, uint64_t seed);
    /* May the host send one more command now? False when the device's queue (queue_depth) is full.
     */
    bool (*accepts)(const void *arm, const struct disk_preset *);
    /* The host sends a command at `now`. Precondition: accepts(). now never runs backwards. */
    void (*accept)(void *arm, const struct disk_preset *, uint64_t now,
                   const struct disk_command *);
    /* When the next command ends; UINT64_MAX when the device is empty. Constant time. */
    uint64_t (*next)(const void *arm, const struct disk_preset *);
    /* Ends the command due now. Precondition: now == next(). Returns its token. */
    uint32_t (*finish)(void *arm, const struct disk_preset *, uint64_t now);
};

extern const struct disk_timing hdd_timing, ssd_timing, null_timing;

/* The model of that name, or NULL. */
const struct disk_timing *disk_timing_find(const char *name);

#endif
