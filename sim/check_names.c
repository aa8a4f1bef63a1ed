/* Names of budgets, out of the table of keys. */
#include "sim/check_names.h"

#include "sim/keys.h"
#include "sim/scenario.h"

const char *check_budget_name(unsigned budget)
{
    uint32_t offset = offsetof(struct scenario, checking.budget);

    offset += budget * (uint32_t)sizeof((struct checking *)0)->budget[0];
    for (unsigned i = 0; key_at(i); i++)
        if (key_at(i)->section == SECTION_CHECK && key_at(i)->offset == offset)
            return key_at(i)->name;
    return "";
}
