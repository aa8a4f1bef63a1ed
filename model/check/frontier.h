/*
 * The states that are still to be expanded, level by level: packed records in segments of one block
 * of memory. Every thread writes into segments of its own; taking segments and giving them back is
 * locked.
 */
#ifndef MODEL_CHECK_FRONTIER_H
#define MODEL_CHECK_FRONTIER_H
#include "model/check/seen.h"

enum { FRONTIER_SEGMENT = 1 << 16 };
#define FRONTIER_NONE UINT32_MAX

struct frontier {
    char *arena;                     /* the caller's */
    uint64_t segment_bytes, longest; /* of a record */
    uint32_t segments, fresh;        /* there are; of these never used yet, from here on */
    uint32_t free, now;              /* lists: given back; to be expanded */
    uint32_t in_use, lock;
    bool keep; /* exact: what has been expanded stays */
};
/* A thread's list of segments for the next level. */
struct frontier_writer {
    uint32_t head, tail;
};

/* Records take record_words words at most. False: `bytes` is too few for a segment a thread. */
bool frontier_format(struct frontier *, void *at, uint64_t bytes, uint64_t record_words, bool keep);
/* Where this thread may write a record of the longest kind; NULL: no memory is left. */
struct seen_record *frontier_room(struct frontier *, struct frontier_writer *);
/* The record just written stays. */
void frontier_keep(struct frontier *, struct frontier_writer *, const struct seen_record *);
/* A segment to be expanded, taken off the list; FRONTIER_NONE: there are no more. */
uint32_t frontier_take(struct frontier *);
void frontier_give_back(struct frontier *, uint32_t segment);
/* The records of a segment: the first, and the one after; NULL at its end. */
const struct seen_record *frontier_first(const struct frontier *, uint32_t segment);
const struct seen_record *frontier_next(const struct frontier *, uint32_t segment,
                                        const struct seen_record *);
/* The segment behind this one in its list. */
uint32_t frontier_behind(const struct frontier *, uint32_t segment);
/* What a thread has written is to be expanded; its list is empty then. */
void frontier_hand_over(struct frontier *, struct frontier_writer *);

#endif
