/*
 * What the members' media hold. Initial contents are a function of the address and of the array's
 * layout (parity is the xor of its row), so that memory is taken only where something was written.
 * A written page keeps two contents: `stable`, which survives a power cut, and `now`, which a read
 * returns; they differ while the page sits in the member's volatile write cache.
 */
#ifndef MODEL_MEDIA_H
#define MODEL_MEDIA_H
#include "model/io.h"

WORLD_STRUCTS_BEGIN
/* Followed by tags_per_page stable tags, then as many current ones. */
struct medium {
    uint64_t key;        /* device << 40 | page, plus 1; 0: free */
    uint32_t next, prev; /* in the disk's list of dirty pages, as entry + 1; 0: none */
    uint32_t dirty;
    uint32_t pad;
};
WORLD_STRUCTS_END

static inline uint64_t medium_bytes(const struct shape *s)
{
    return sizeof(struct medium) + 2 * sizeof(tag) * s->tags_per_page;
}

/* Copies the current contents of `count` sectors from member sector `sector` on into the buffer
 * page `page` of SEC_TAGS (the buffer is laid out by array page: sector s of the run stands in
 * group (s - s0) / group_sectors after the group of its first sector). */
void media_read(struct world *, unsigned disk, uint64_t sector, uint32_t count, uint32_t page);
/* What a read of the sector group that begins at this member sector would find. */
tag media_see(const struct world *, unsigned disk, uint64_t sector);
/* The reverse. durable: written through the volatile cache (FUA, or no cache). */
void media_write(struct world *, unsigned disk, uint64_t sector, uint32_t count, uint32_t page,
                 bool durable);
/* FLUSH CACHE: everything the member holds in its volatile cache becomes stable. */
void media_flush(struct world *, unsigned disk);
/* A page leaves the volatile cache by itself: the k-th oldest. How many there are: disk.dirty. */
void media_destage(struct world *, unsigned disk, uint32_t k);
/* The power is cut: the volatile cache is lost. */
void media_cut(struct world *, unsigned disk);
/* It is another device now: a blank one. */
void media_replace(struct world *, unsigned disk);
/* Rot: the contents of these sectors (by whole sector groups) change. Twice the same sectors: they
 * are as before. */
void media_spoil(struct world *, unsigned disk, uint64_t sector, uint32_t count);

#endif
