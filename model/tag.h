/*
 * Contents are tags: 64 bits stand for one sector group of a block. Parity is the xor of tags, so
 * the algebra of RAID5 is exact. Version 0 of a block is its initial content, a function of its
 * address alone.
 */
#ifndef MODEL_TAG_H
#define MODEL_TAG_H
#include "model/ids.h"

/* The content of sector group `group` (array sector / sectors per group) after its version-th
 * write. The mixing is the finalizer of a 64-bit hash (a bijection of its input): two versions of
 * one group always differ. */
static inline tag tag_of(uint64_t group, uint32_t version)
{
    uint64_t x =
        group * 0x9e3779b97f4a7c15u + (uint64_t)version * 0xd1b54a32d192ed03u + 0x8bb84b93962eacc9u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif
