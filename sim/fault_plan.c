/* Which I/Os a fault meets: see fault_plan.h. */
#include "sim/fault_plan.h"

#include <stdio.h>
#include <string.h>

#include "sim/keys.h"

enum { PERCENT_MILLI = 100000 };

const char *fault_word(const struct fault *f, char text[static FAULT_WORD_BYTES])
{
    const char *from = key_find(SECTION_FAULT, "what")->unit;

    for (uint32_t n = f->what; n > 0; n--)
        from += strcspn(from, "|") + 1;
    snprintf(text, FAULT_WORD_BYTES, "%.*s", (int)strcspn(from, "|"), from);
    return text;
}

void fault_start(struct fault_state *f, const struct scenario *s, unsigned number)
{
    *f = (struct fault_state){ .dice = dice_new(s->seed, DICE_FATE, number) };
}

bool fault_is_of_io(const struct fault *f)
{
    return (f->what >= FAULT_READ_ERROR && f->what <= FAULT_MISDIRECTED_WRITE) ||
           f->what == FAULT_SLOW || f->what == FAULT_TIMEOUT;
}

bool fault_has_member(const struct fault *f)
{
    return f->what != FAULT_ADD && (f->what < FAULT_SYNC_MAX || fault_is_of_io(f));
}

bool fault_has_range(const struct fault *f)
{
    return f->what == FAULT_BAD_SECTORS || f->what == FAULT_ROT;
}

bool fault_meets(struct fault_state *state, const struct fault *f, uint64_t now, unsigned member,
                 bool write)
{
    bool any = f->what == FAULT_SLOW || f->what == FAULT_TIMEOUT;

    if (f->member != member || (!any && write != (f->what != FAULT_READ_ERROR)) || now < f->at_ns ||
        (f->until_ns && now >= f->until_ns) || (f->count && state->struck == f->count))
        return false;
    state->seen++;
    if (f->nth)
        return state->seen == f->nth;
    if (f->every)
        return state->seen % f->every == 0;
    return !f->probability || dice_below(&state->dice, PERCENT_MILLI) < f->probability;
}
