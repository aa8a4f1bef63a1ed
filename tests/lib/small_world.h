/*
 * Small worlds: an array of a few chunks with a handful of stripe_heads and clients, without time.
 * A test moves the actors by hand, in whatever order its claim needs.
 */
#ifndef TESTS_LIB_SMALL_WORLD_H
#define TESTS_LIB_SMALL_WORLD_H
#include "tests/lib/t.h"

#include "model/array.h"
#include "model/cache.h"
#include "model/io.h"
#include "model/media.h"
#include "model/oracle.h"
#include "model/request.h"
#include "model/stripe.h"
#include "model/waits.h"
#include "sim/system_md.h"

/* What is left 0 takes the default named behind it. */
struct small_plan {
    uint8_t level;         /* enum level; 0 is raw */
    uint8_t disks;         /* 3 */
    uint8_t tags_per_page; /* 2 */
    uint8_t wake_policy;   /* enum wake_policy; 0 is gated */
    uint8_t active_limit;  /* 75 */
    uint8_t no_plug;       /* the array has no plug of its own */
    uint8_t bypass;        /* reads within a chunk go straight to the member */
    uint8_t write_cache;
    uint8_t written;   /* clients may write: room for media and oracle */
    uint8_t later;     /* the machine of md-6.1 */
    uint8_t rules_312; /* later: with the rules of md-3.12 */
    uint8_t failed;    /* 1 + the member that is missing; 0: none */
    uint8_t sync;      /* enum sync_action */
    uint8_t rmw_level; /* 0 */
    uint8_t workers;   /* group_thread_cnt */
    uint8_t defer;     /* with workers: as if all members rotated */
    uint8_t metadata;  /* enum metadata; none */
    uint8_t spares, faults;
    uint8_t bitmap;       /* pages of a member for which a bit stands; 0: no bitmap */
    uint8_t speed_limits; /* the resync thread paces itself: here at random */
    uint8_t skip_copy;
    uint8_t log;          /* enum log_kind */
    uint16_t clients;     /* 1 */
    uint16_t depth;       /* requests a client, 1 */
    uint32_t chunk_pages; /* 1 */
    uint32_t rows;        /* chunks a member, 4 */
    uint32_t stripes;     /* raid4/5 only: 4 */
    uint32_t reserve;     /* stripe_heads more that the cache may grow by */
    uint32_t buckets;     /* 2 */
    uint32_t max_pages;   /* pages a request may touch, 3 */
    uint32_t bio_sectors; /* 16 */
};

struct small {
    struct small_plan plan;
    struct world *w;
    struct effects e; /* of the last move */
    uint64_t sectors; /* of the array */
};

/* The plan with its defaults filled in, and the shape it stands for. */
struct small_plan small_defaults(struct small_plan);
struct shape small_shape(const struct small_plan *);
/* Sets the rules of the preset md-3.12. */
void small_be_3_12(struct shape *);
/* A started world; small_free() it. */
struct small *small_new(struct small_plan);
void small_free(struct small *);

/* Fires that way of the actor's step; fails the test if it is not allowed. */
void small_fire(struct small *, actor_id who, uint64_t way);
/* Fires the first way of the actor's step. */
void small_go(struct small *, actor_id who);
/* The client takes up that I/O. It must be at its turn with nothing to reap. */
void small_ask(struct small *, actor_id client, uint64_t sector, uint32_t sectors, bool write);
/* Moves the actor on by first ways until its program counter is pc. */
void small_run(struct small *, actor_id who, unsigned pc);
/* small_ask, then on until the whole I/O is submitted, or the client sleeps. */
void small_submit(struct small *, actor_id client, uint64_t sector, uint32_t sectors, bool write);
/* Can this actor move, other than by taking up a new I/O? Fate cannot. */
bool small_enabled(const struct small *, actor_id who);
/* First ways of everybody, the lowest actor first, until nobody can move. Counts findings. */
unsigned small_settle(struct small *);
/* Ends all member I/O now queued, in order of place, without letting anybody else move. */
void small_serve(struct small *);

/* What the last move reported. */
uint64_t small_units(const struct small *, enum work);
unsigned small_count(const struct small *, enum effect_kind);
unsigned small_marks(const struct small *, enum mark);
bool small_woke(const struct small *, actor_id who);

/* Length of a list, and its n-th member from the head. */
unsigned small_listed(const struct small *, enum stripe_list);
stripe_id small_nth(const struct small *, enum stripe_list, unsigned n);
/* The array sector of data page `page` (from 0) of member `disk`. */
uint64_t small_sector(const struct small *, unsigned disk, uint64_t page);
/* The stripe_head of that member page; NONE16: not in the cache. */
stripe_id small_find(const struct small *, uint64_t page);

#endif
