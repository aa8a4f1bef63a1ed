/*
 * Random walks: a small world whose clients ask at random and whose actors move at random, one
 * enabled move at a time, until nobody can move any more. Every walk is a function of its seed;
 * SEED= in the environment chooses another family of walks, and a failing test prints the seed.
 *
 * Each walk weighs the actors differently, so that now the disks are slow, now raid5d, now one
 * client. On raw disks and raid0 writes of one client never overlap writes of anybody that are
 * still under way: what such writes leave behind is anybody's guess, and no oracle's business.
 */
#ifndef TESTS_LIB_WALK_H
#define TESTS_LIB_WALK_H
#include "sim/dice.h"
#include "tests/lib/small_world.h"

enum { WALK_ACTORS_MAX = 128 };

struct walk {
    struct small *s;
    struct dice dice;
    uint64_t seed;
    uint32_t left[WALK_ACTORS_MAX];   /* I/Os a client has still to ask for */
    uint32_t weight[WALK_ACTORS_MAX]; /* how eager an actor is */
    uint64_t moves, findings, replies;
    uint64_t marks[MARK_COUNT], work[WORK_COUNT];
};

/* The base of all seeds: SEED= or 1. */
uint64_t walk_seed(void);
/* Each client will ask for that many I/Os. */
void walk_start(struct walk *, struct small *, uint64_t seed, uint32_t requests);
/* The next move; false: the walk is over. The world is left alone. */
bool walk_choose(struct walk *, struct move *);
/* Fires it and counts what it reported. */
void walk_fire(struct walk *, struct move);
/* To the end. Calls watch (if any) after every move. */
void walk_run(struct walk *, void (*watch)(const struct walk *, struct move));
/* At the end of a walk all I/Os must have been asked for and answered; fails the test otherwise. */
void walk_must_be_done(const struct walk *);

#endif
