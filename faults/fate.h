/*
 * Fate: the actor whose moves are what goes wrong, and what an administrator does.
 *
 * One step, many ways: a way's name says what happens to which device. The timed run strikes when
 * the scenario's [fault] sections say so (sim/fault_plan.h).
 */
#ifndef FAULTS_FATE_H
#define FAULTS_FATE_H
#include "model/step.h"

enum fate {
    FATE_FAIL,        /* mdadm --fail */
    FATE_DIE,         /* the device answers every command with an error from now on */
    FATE_ADD,         /* mdadm --add: a blank device; no number is given */
    FATE_RETURN,      /* a device that has left is added again, unchanged */
    FATE_UNREADABLE,  /* sectors that cannot be read until they have been written */
    FATE_WORN_READ,   /* sectors that can never be read again */
    FATE_WORN_WRITE,  /* sectors that can never be written again */
    FATE_ROT,         /* contents change */
    FATE_DOOM,        /* a queued I/O will fail; the sector is the io_id */
    FATE_LOSE,        /* a queued write will be acknowledged and not carried out */
    FATE_TEAR,        /* ... and its first half carried out */
    FATE_MISDIRECT,   /* ... and written a page further on */
    FATE_SYNC_MAX,    /* sync_max: a member sector; FATE_SECTOR_MAX: max */
    FATE_SYNC_ACTION, /* sync_action: enum sync_action in place of the sector */
    FATE_POWER_CUT, /* the power is cut, and comes back; the sector is 1 + the io_id of a write that
                       is carried out by half, or 0 */
    FATE_DESTAGE, /* a page leaves the volatile cache by itself: the sector is its place, the oldest
                     0 */
    FATE_COUNT
};
#define FATE_SECTOR_MAX ((1ull << 40) - 1)
enum { FATE_SECTORS_MAX = 4095 };

static inline uint64_t fate_name(enum fate what, unsigned member, uint64_t sector, uint32_t sectors)
{
    return (uint64_t)what << 60 | (uint64_t)member << 52 | (uint64_t)sectors << 40 | sector;
}
static inline enum fate fate_what(uint64_t name)
{
    return (enum fate)(name >> 60);
}
static inline unsigned fate_member(uint64_t name)
{
    return (unsigned)(name >> 52) & 0xff;
}
static inline uint64_t fate_sector(uint64_t name)
{
    return name & FATE_SECTOR_MAX;
}
static inline uint32_t fate_sectors(uint64_t name)
{
    return (uint32_t)(name >> 40) & FATE_SECTORS_MAX;
}

extern const struct actor_kind fate_kind;

#endif
