/*
 * Requests of clients, the bios they are split into, and the pieces of bios that fall into single
 * pages.
 *
 * A client (submitting thread) owns a fixed run of request records. It takes a free one, builds the
 * bios as direct I/O of its kernel does, sends them through the array's submit steps, and finds the
 * request on its list of finished ones when the last bio has been completed by whatever context
 * that happened in.
 */
#ifndef MODEL_REQUEST_H
#define MODEL_REQUEST_H
#include "model/step.h"

enum request_state { REQUEST_FREE, REQUEST_SUBMITTING, REQUEST_SUBMITTED, REQUEST_DONE };

/* What has to be told that the bio has ended. */
enum bio_counted { BIO_COUNTS_NOWHERE, BIO_IS_PENDING_WRITE, BIO_IS_FLUSH };

WORLD_STRUCTS_BEGIN
struct request {
    uint64_t sector;
    uint32_t sectors;
    uint16_t bios;      /* how many it was split into */
    uint16_t bios_left; /* not completed yet */
    request_id next;    /* in the client's free or finished list */
    actor_id client;
    uint8_t state; /* enum request_state */
    uint8_t write;
    uint8_t flags;  /* enum request_flag */
    uint8_t failed; /* some part of it met an error */
};

struct bio {
    uint64_t sector;
    uint32_t sectors;
    uint32_t left;    /* attachments not completed, and the submitter's bias */
    bio_id next;      /* in the list of bypassed reads to be retried */
    uint32_t counted; /* enum bio_counted */
};

struct piece {
    piece_id next; /* in the list of its slot */
    bio_id bio;
    uint32_t todo; /* not attached to its stripe yet */
};

/* A submitting thread: its request records are first .. first + depth - 1. */
struct client {
    request_id first, depth;
    request_id free, done_head, done_tail;
    uint16_t in_flight;
    stripe_id plug_head, plug_tail;
    uint16_t plugging; /* several I/Os of one submission: stripes wait on the plug list */
};
WORLD_STRUCTS_END

WORLD_SECTION(request, struct request, SEC_REQUESTS)
WORLD_SECTION(bio, struct bio, SEC_BIOS)
WORLD_SECTION(piece, struct piece, SEC_PIECES)
WORLD_SECTION(client, struct client, SEC_CLIENTS)
/* Per piece and sector group what the oracle said when its I/O began: the oldest version a read may
 * return, or the number to hand back when a write ends. Empty while nothing can be written. */
WORLD_SECTION(memo, uint32_t, SEC_MEMOS)

/* A client's next I/O as a name of a way: sector in bits 0-39, sectors in 40-56, the flags below in
 * 57-63. */
enum request_flag {
    REQUEST_WRITE = 1u << 0,
    REQUEST_MORE = 1u << 1,   /* another I/O of the same submission follows: the plug stays */
    REQUEST_NOSYNC = 1u << 2, /* background writeback: the bios have no REQ_SYNC */
    REQUEST_FUA = 1u << 3,
    REQUEST_FLUSH = 1u << 4, /* no data: everything written before must be on the members' media */
    REQUEST_WAITED = 1u << 5 /* a read(2) that blocks: its bio, if it is one, has REQ_SYNC */
};
enum { REQUEST_SECTORS_MAX = (1 << 17) - 1 };

static inline uint64_t request_name(uint64_t sector, uint32_t sectors, unsigned flags)
{
    return sector | (uint64_t)sectors << 40 | (uint64_t)flags << 57;
}
static inline uint64_t request_name_sector(uint64_t name)
{
    return name & (ARRAY_SECTORS_MAX - 1);
}
static inline uint32_t request_name_sectors(uint64_t name)
{
    return (uint32_t)(name >> 40) & REQUEST_SECTORS_MAX;
}
static inline unsigned request_name_flags(uint64_t name)
{
    return (unsigned)(name >> 57);
}

static inline bio_id request_bio(const struct world *w, request_id r, unsigned n)
{
    return (bio_id)r * w->shape.bios_per_request + n;
}
static inline request_id bio_request(const struct world *w, bio_id b)
{
    return (request_id)(b / w->shape.bios_per_request);
}
/* The piece of request r that lies in array page `page` (array sector / 8). */
static inline piece_id request_piece(const struct world *w, request_id r, uint64_t page)
{
    return (piece_id)(r * w->shape.pieces_per_request +
                      (page - request_see(w, r)->sector / PAGE_SECTORS));
}
static inline request_id piece_request(const struct world *w, piece_id p)
{
    return (request_id)(p / w->shape.pieces_per_request);
}
/* Array sectors [*from, *to) a piece covers. */
void piece_extent(const struct world *, piece_id, uint64_t *from, uint64_t *to);
/* Where a piece's page of the caller's buffer begins, in pages of SEC_TAGS. */
uint32_t piece_page(const struct world *, piece_id);
/* Do the pieces of a slot's sorted list cover its whole page? */
bool pieces_cover_page(const struct world *, piece_id head);

/* May this client take up the I/O of that name: inside the array, no longer than a record holds,
 * aligned to sector groups. */
bool request_fits(const struct world *, uint64_t name);
/* Takes a free record of the client, fills it, splits it into bios. Returns it. */
request_id request_begin(struct world *, actor_id client, uint64_t name, struct effects *);
/* One attachment of bio b is finished, or the submitter's bias is dropped. At zero the bio ends;
 * with the last bio the request joins its client's finished list, the client is woken and
 * EFFECT_REPLY reported. */
void bio_drop(struct world *, bio_id, struct effects *);
/* The client takes its oldest finished request: compares what was read with the oracle
 * (EFFECT_FINDING), acknowledges what was written, frees the record. */
void request_reap(struct world *, actor_id client, struct effects *);

#endif
