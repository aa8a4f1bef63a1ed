/*
 * Lookups: where an array sector lies, and what a member sector holds, as a list of pieces.
 *
 * A lookup is a range of sectors, of the array or of one member. It is answered piece by piece; a
 * piece lies within one chunk (raw: one member) and therefore on one member. All arithmetic is
 * model/geometry.h's; here is only the walk over a range, and the text a range is written in.
 */
#ifndef SIM_LOOKUP_H
#define SIM_LOOKUP_H
#include <stdbool.h>
#include <stdint.h>

#include "model/geometry.h"

struct complaint;

struct lookup {
    const char *text; /* as written: SECTOR[+COUNT] or DISK:SECTOR[+COUNT] */
    bool of_member;   /* the range is one of a member's sectors */
    uint64_t disk;    /* that member */
    uint64_t sector, count;
};

/* Sectors that follow each other on the array and on one member. */
struct piece {
    uint64_t sector;        /* of the array */
    uint64_t member_sector; /* where they lie on disk */
    uint64_t count;
    uint8_t disk;
    uint8_t parity;    /* member with the parity of the row; 0xff: none */
    bool asked_parity; /* the member sectors asked for hold not these data but their parity */
};

enum { PIECES_MAX = 65536 }; /* that the lookups of one command may come to */

/* Fills in the numbers from text and of_member. Numbers are sectors of 512 bytes, or, with a unit
 * (64k, 1.5M), bytes that make whole sectors. False: complained. */
bool lookup_parse(struct lookup *, struct complaint *);
/* Is the range within the array, or the member? Adds its pieces to *pieces and complains when they
 * become more than PIECES_MAX. False: complained. */
bool lookup_check(const struct lookup *, const struct geometry *, uint32_t *pieces,
                  struct complaint *);

/* How far a lookup has been answered. */
struct walk {
    const struct lookup *lookup;
    const struct geometry *geometry;
    uint64_t done;  /* sectors of the range behind us */
    uint32_t index; /* data chunks of the row behind us, where the range is parity */
};

/* The beginning of a lookup that has passed lookup_check. */
struct walk walk_begin(const struct lookup *, const struct geometry *);
/* The next piece; false: there is none. Where a member's sectors are parity, the pieces are the
 * data of the row in the array's order. */
bool walk_next(struct walk *, struct piece *);

#endif
