/*
 * The fault plan: when the scenario's [fault] sections strike (docs/FAULTS.md).
 *
 * Faults of members and media strike at a time. Faults of single I/Os look at each member I/O as it
 * is submitted. State is flat, as everything of the clockwork is.
 */
#ifndef SIM_FAULT_PLAN_H
#define SIM_FAULT_PLAN_H
#include "sim/dice.h"
#include "sim/scenario.h"

struct fault_state {
    struct dice dice;
    uint64_t seen;   /* I/Os it has looked at */
    uint64_t struck; /* how often it has struck */
    uint64_t missed; /* ... or would have, had there been anything to strike */
};

void fault_start(struct fault_state *, const struct scenario *, unsigned number);
enum { FAULT_WORD_BYTES = 32 };
/* "read_error" and so on: the word of the key `what`. Returns text. */
const char *fault_word(const struct fault *, char text[static FAULT_WORD_BYTES]);
/* Does it strike single I/Os? */
bool fault_is_of_io(const struct fault *);
/* Does it strike the member that it names? */
bool fault_has_member(const struct fault *);
/* Does it strike a range of a member's sectors? */
bool fault_has_range(const struct fault *);
/* An I/O of that direction goes to that member at `now`: is it struck? */
bool fault_meets(struct fault_state *, const struct fault *, uint64_t now, unsigned member,
                 bool write);

#endif
