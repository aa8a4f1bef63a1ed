/* A trace told to people: who moved, what it did, to which stripe, and what broke. */
#ifndef SIM_STORY_H
#define SIM_STORY_H
#include <stdio.h>

#include "sim/check.h"

enum { STORY_TEXT = 160 };

/* "raid5d", "client 0 (job a)", "member 2": who that actor is. */
void story_actor(const struct check_problem *, actor_id, char text[static STORY_TEXT]);
/* What the move does to this world, which is that before it. */
void story_move(const struct check_problem *, const struct world *, struct move,
                char text[static STORY_TEXT]);
/* The whole trace, numbered, and why its end matters. Moves by one actor that only go on with the
 * same thing stand on lines of their own. False: no memory. */
bool story_print(FILE *, const struct check_problem *, const struct check_result *);

#endif
