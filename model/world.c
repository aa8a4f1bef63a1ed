/*
 * Laying out the world: sections one after another, each 16-byte aligned, sized by the shape alone.
 */
#include "model/world.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/bitmap.h"
#include "model/defer.h"
#include "model/fill.h"
#include "model/flaws.h"
#include "model/io.h"
#include "model/journal.h"
#include "model/log.h"
#include "model/media.h"
#include "model/oracle.h"
#include "model/ppl.h"
#include "model/request.h"
#include "model/stored.h"
#include "model/stripe.h"
#include "model/workers.h"

static uint64_t round_up(uint64_t n)
{
    return (n + 15) & ~(uint64_t)15;
}

static void reserve(struct world *w, enum section s, uint64_t item, uint64_t count)
{
    w->item[s] = item;
    w->count[s] = count;
    w->at[s] = w->bytes;
    w->bytes = round_up(w->bytes + item * count);
}

static void lay_out(struct world *w, const struct shape *s)
{
    uint64_t disks = s->geometry.disks, devices = shape_devices(s);
    uint64_t pieces = (uint64_t)s->requests * s->pieces_per_request;
    uint64_t words = ((uint64_t)s->ios_per_disk + 63) / 64;

    w->shape = *s;
    w->bytes = round_up(sizeof *w);
    w->live_at = w->bytes;
    reserve(w, SEC_ACTORS, sizeof(struct actor), s->actors);
    reserve(w, SEC_WAITS, sizeof(struct wait_queue), WAIT_COUNT);
    reserve(w, SEC_CLIENTS, sizeof(struct client), s->clients);
    reserve(w, SEC_ARRAY, sizeof(struct array), 1);
    reserve(w, SEC_BUCKETS, sizeof(stripe_id), s->hash_buckets);
    reserve(w, SEC_LENGTHS, sizeof(uint32_t), s->hash_buckets);
    reserve(w, SEC_INDEX, sizeof(stripe_id), index_buckets(s));
    reserve(w, SEC_STRIPES, sizeof(struct stripe), s->stripes);
    reserve(w, SEC_SLOTS, sizeof(struct slot), s->stripes * disks);
    reserve(w, SEC_REQUESTS, sizeof(struct request), s->requests);
    reserve(w, SEC_BIOS, sizeof(struct bio), (uint64_t)s->requests * s->bios_per_request);
    reserve(w, SEC_PIECES, sizeof(struct piece), pieces);
    reserve(w, SEC_MEMOS, sizeof(uint32_t), s->oracle_entries ? pieces * s->tags_per_page : 0);
    reserve(w, SEC_TAGS, sizeof(tag), (s->stripes * disks + pieces) * s->tags_per_page);
    reserve(w, SEC_SEATS, sizeof(struct seat), disks);
    reserve(w, SEC_DISKS, sizeof(struct disk), devices);
    reserve(w, SEC_IOS, sizeof(struct io), devices * s->ios_per_disk);
    reserve(w, SEC_IOMAP, sizeof(uint64_t), devices * 2 * words);
    reserve(w, SEC_BITMAP, sizeof(uint16_t), bitmap_chunks(s));
    reserve(w, SEC_BITPAGES, sizeof(uint8_t), bitmap_pages(s));
    reserve(w, SEC_BITGROUPS, sizeof(uint8_t), bitmap_groups(s));
    reserve(w, SEC_BAD, sizeof(uint64_t), devices * s->bad_blocks_max);
    reserve(w, SEC_FLAWS, sizeof(struct flaw), s->flaw_entries);
    reserve(w, SEC_EXTENTS, sizeof(struct extent), devices * fill_extents(s));
    reserve(w, SEC_MEDIA, medium_bytes(s), s->media_entries);
    reserve(w, SEC_HANDLERS, sizeof(struct handler),
            s->generation == GENERATION_61 ? 1u + s->workers : 0);
    reserve(w, SEC_DEFERRED, sizeof(struct deferred), s->defer ? DEFER_MAX : 0);
    reserve(w, SEC_LINKS, sizeof(io_id), s->defer ? s->stripes * devices : 0);
    reserve(w, SEC_LOGGED, sizeof(struct logged), s->log != LOG_NONE ? s->stripes : 0);
    reserve(w, SEC_PPL, sizeof(struct ppl), s->log == LOG_PPL ? disks : 0);
    reserve(w, SEC_JOURNAL, sizeof(struct journal), s->log == LOG_JOURNAL);
    reserve(w, SEC_UNITS, sizeof(struct journal_unit), s->log == LOG_JOURNAL ? 2 * s->stripes : 0);
    reserve(w, SEC_ORACLE, sizeof(struct truth), s->oracle_entries);
    reserve(w, SEC_SAFE, sizeof(uint32_t), oracle_safes(s));
    reserve(w, SEC_STORED, sizeof(struct stored), s->power_cuts ? 2 * devices : 0);
    reserve(w, SEC_BITDISK, sizeof(uint8_t), s->check_words ? bitmap_chunks(s) : 0);
    reserve(w, SEC_CHECK, sizeof(uint16_t), s->check_words);
}

uint64_t world_bytes_for(const struct shape *s)
{
    struct world header;

    memset(&header, 0, sizeof header);
    lay_out(&header, s);
    return header.bytes;
}

void world_format(struct world *w, const struct shape *s)
{
    lay_out(w, s);
}

struct fingerprint world_fingerprint(const struct world *w)
{
    XXH128_hash_t h = XXH3_128bits((const char *)w + w->live_at, w->bytes - w->live_at);

    return (struct fingerprint){ h.low64, h.high64 };
}
