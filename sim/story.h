/* A trace told to people: who moved, what it did, to which stripe, and what broke. */
#ifndef SIM_STORY_H
#define SIM_STORY_H
#include <stdio.h>

#include "sim/check.h"

enum { STORY_TEXT = 160 };
#define STORY_NO_MEMORY UINT32_MAX

/* A trace to be gone through, and whom to tell. */
struct story {
    const struct check_problem *c;
    const struct move *move;
    uint32_t count;
    /* After each move: the world before it and after it. NULL: nobody. */
    void (*step)(void *argument, const struct world *before, const struct world *after, struct move,
                 const struct effects *);
    /* At the end: the last world, and what its last move broke. NULL: nobody. */
    void (*end)(void *argument, const struct world *, unsigned property);
    void *argument;
};

/* Makes the moves from the problem's start. Returns how many could be made; STORY_NO_MEMORY. A move
 * that breaks a property is the last. */
uint32_t story_walk(const struct story *);
/* The same for a finding's trace. False: no memory. */
bool story_tell(const struct check_problem *, const struct check_result *,
                void (*step)(void *argument, const struct world *before, const struct world *after,
                             struct move, const struct effects *),
                void *argument);

/* "raid5d", "client 0 (job a)", "member 2": who that actor is. */
void story_actor(const struct check_problem *, actor_id, char text[static STORY_TEXT]);
/* What the move does to this world, which is that before it. */
void story_move(const struct check_problem *, const struct world *, struct move,
                char text[static STORY_TEXT]);
/* The whole trace, numbered, and why its end matters. Moves by one actor that only go on with the
 * same thing stand on lines of their own. False: no memory. */
bool story_print(FILE *, const struct check_problem *, const struct check_result *);

#endif
