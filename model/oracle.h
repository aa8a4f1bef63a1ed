/*
 * The oracle: what every block of the array must contain (spec 16.2, D3), for each sector group on
 * its own.
 *
 * Versions are numbered in the order in which their writes began. A version is stale once a write
 * that began after it had ended has ended as well; a read may return any version that was not stale
 * when the read began. Blocks never written have version 0 and cost no memory. Where several writes
 * overlap in time the oracle forgets at most that one of them is stale, never the reverse.
 */
#ifndef MODEL_ORACLE_H
#define MODEL_ORACLE_H
#include <stdbool.h>

#include "model/tag.h"
#include "model/world.h"

WORLD_STRUCTS_BEGIN
struct truth {
    uint64_t key;    /* group + 1; 0: free */
    uint32_t oldest; /* all versions below are stale */
    uint32_t issued; /* the version begun last */
    uint32_t ended;  /* all versions up to this one have ended */
    uint32_t open;   /* writes begun and not ended */
};
WORLD_STRUCTS_END
WORLD_SECTION(truth, struct truth, SEC_ORACLE)

/* The oldest version a read of this group that begins now may return. */
uint32_t oracle_oldest(const struct world *, uint64_t group);
/* A write of this group begins: the content it writes. *before: a number to be handed back when it
 * ends. */
tag oracle_issue(struct world *, uint64_t group, uint32_t *before);
/* That write ends. */
void oracle_ack(struct world *, uint64_t group, uint32_t before);
/* What a power cut leaves where members have volatile caches: a write that was acknowledged may be
 * lost until a flush has ended that began after it, or it was FUA. Kept if a cut can come. */
uint64_t oracle_safes(const struct shape *);
void oracle_flush_begins(struct world *);
void oracle_flush_ends(struct world *);
void oracle_is_safe(struct world *, uint64_t group);
/* The power has been cut: writes under way have left what they have left, and what was not safe may
 * be gone. */
void oracle_cut(struct world *);
/* Is `content` a right answer for a read at whose beginning `oldest` was the oldest version? */
bool oracle_accepts(const struct world *, uint64_t group, uint32_t oldest, tag content);

#endif
