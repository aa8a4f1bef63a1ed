/*
 * The oracle: what every block of the array must contain. A read may return any version from the
 * last one acknowledged when it began to the last one issued when it ended (spec 16.2, D3). Blocks
 * never written have version 0 and cost no memory.
 */
#ifndef MODEL_ORACLE_H
#define MODEL_ORACLE_H
#include "model/tag.h"
#include "model/world.h"

WORLD_STRUCTS_BEGIN
struct truth {
    uint64_t key; /* group + 1; 0: free */
    uint32_t acked, issued;
};
WORLD_STRUCTS_END
WORLD_SECTION(truth, struct truth, SEC_ORACLE)

/* The version acknowledged last; 0 if never written. group: array sector / sectors per group. */
uint32_t oracle_acked(const struct world *, uint64_t group);
/* A write of this group begins: the tag it writes. */
tag oracle_issue(struct world *, uint64_t group, uint32_t *version);
/* Everything issued for this group up to now by the write that carried `content` is acknowledged.
 */
void oracle_ack(struct world *, uint64_t group, tag content);
/* Is `content` a right answer for a read that began when version `low` was acknowledged? */
bool oracle_accepts(const struct world *, uint64_t group, uint32_t low, tag content);

#endif
