/*
 * Identities: everything in the world is named by a small integer, never by a pointer.
 *
 * An id is an index into the section that holds the record (model/world.h). NONE of each width
 * means "nobody"; it is the all-ones value, so that 0 stays an ordinary index.
 */
#ifndef MODEL_IDS_H
#define MODEL_IDS_H
#include <stdint.h>

typedef uint16_t actor_id; /* an actor: client thread, raid5d, completion path, disk, timer, fate */
typedef uint16_t stripe_id;  /* a stripe_head */
typedef uint16_t request_id; /* one I/O of a client, as fio counts them */
typedef uint32_t bio_id;     /* one bio: what the array is asked in one submission */
typedef uint32_t piece_id;   /* the part of one bio that falls into one page */
typedef uint32_t io_id;      /* a member I/O record: disk * ios_per_disk + place */
typedef uint8_t disk_id;     /* a member device, by its slot in the array */
typedef uint64_t tag;        /* the content of one sector group; xor of tags is parity */

enum { NONE16 = 0xffff };
#define NONE32            UINT32_MAX
#define ARRAY_SECTORS_MAX (1ull << 40) /* names of I/Os reach so far (model/request.h) */

enum {
    SECTOR_BYTES = 512,
    PAGE_BYTES = 4096,
    PAGE_SECTORS =
        PAGE_BYTES / SECTOR_BYTES /* also STRIPE_SECTORS: a stripe_head is one page high */
};

#endif
