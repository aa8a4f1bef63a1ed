/*
 * The states that have been seen: an open hash table of 14 bytes a place, shared by threads.
 *
 * A place keeps 64 bits of a state's fingerprint (its key; the place itself comes out of the key's
 * low 47 bits) and the low 47 bits of the key of the state it was first reached from: parents are
 * found again by them. Of several parents of one level the one with the smallest key is kept, so
 * that what a trace looks like does not depend on which thread came first.
 *
 * The table is cut into regions that fill up each for itself and have a lock each. A region that is
 * full is the end of the table.
 *
 * Exact tables also know where the packed state lies, and two states with one key are two.
 */
#ifndef MODEL_CHECK_SEEN_H
#define MODEL_CHECK_SEEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEEN_REGION = 4096, SEEN_PLACE_BYTES = 14 };
#define SEEN_LINK_MASK ((UINT64_C(1) << 47) - 1)

enum seen_answer { SEEN_NEW, SEEN_OLD, SEEN_FULL };

struct seen_region {
    uint32_t lock;
    uint32_t count;
};

struct seen {
    unsigned char *places;
    struct seen_region *region;
    uint64_t *record; /* exact: of each place, where its packed state lies */
    uint64_t regions;
};

/* One packed state: how many words follow, its key, its place in the table, the words. */
struct seen_record {
    uint64_t words, key, place;
    uint64_t word[];
};

/* The most memory a table of `bytes` would use, and so many places it would have. */
uint64_t seen_places(uint64_t bytes, bool exact);
/* Makes `bytes` zeroed bytes, 8-byte aligned, an empty table; they stay the caller's. False: too
 * few. */
bool seen_format(struct seen *, void *at, uint64_t bytes, bool exact);
/* The state of that key, reached from the state with key `parent`. *place: its place. Exact tables
 * compare with the record, which must stay where it is if the answer is SEEN_NEW; others need none.
 */
enum seen_answer seen_add(struct seen *, uint64_t key, const struct seen_record *, uint64_t parent,
                          uint64_t *place);
/* Asks the memory for what seen_add of that key will look at. */
void seen_expect(const struct seen *, uint64_t key);
/* From now on this state is of an earlier level and keeps its parent. One thread a state. */
void seen_settle(struct seen *, uint64_t place);
/* The place of the state whose key has these low 47 bits; UINT64_MAX: there is none. */
uint64_t seen_find(const struct seen *, uint64_t key);
uint64_t seen_key(const struct seen *, uint64_t place);
/* The low 47 bits of its parent's key. */
uint64_t seen_parent(const struct seen *, uint64_t place);
/* States in the table. */
uint64_t seen_count(const struct seen *);

#endif
