/* Scenarios for checks: see check.h. */
#include <string.h>

#include "model/shape.h"
#include "sim/check.h"
#include "sim/check_names.h"
#include "sim/complaint.h"

/* What a check cannot answer or would leave out is refused. */
static bool is_checkable(const struct scenario *s, struct complaint *why)
{
    for (uint32_t i = 0; i < s->expect_count; i++)
        if (strcmp(s->expect[i].name, "verdict"))
            return complain(why, s->path, s->expect[i].line,
                            "%s: a check knows only the expectation `verdict`", s->expect[i].name);
    if (s->checking.mode == CHECK_EXACT && s->checking.order != CHECK_BREADTH)
        return complain(why, s->path, 0, "mode = exact: only with order = breadth");
    if (s->checking.mode == CHECK_BITSTATE && s->checking.order != CHECK_DEPTH)
        return complain(why, s->path, 0, "mode = bitstate: only with order = depth");
    if (s->fault_count)
        return complain(why, s->path, 0,
                        "[fault %s]: a check tries every moment; give fate a budget in [check]",
                        s->fault[0].name);
    if (s->checking.budget[BUDGET_CUT] &&
        (s->array.journal || s->array.consistency == CONSISTENCY_PPL))
        return complain(why, s->path, 0,
                        "power_cuts: what is in a partial parity log or journal is not modelled");
    if (s->checking.budget[BUDGET_CUT] && s->array.metadata == METADATA_NONE)
        return complain(why, s->path, 0, "power_cuts: without superblocks nothing can come back");
    for (uint32_t d = 0; s->checking.budget[BUDGET_CUT] && d < s->disk_count; d++)
        if (s->disk[d].write_cache)
            return complain(why, s->path, 0,
                            "power_cuts: members with a volatile write_cache are not modelled");
    for (unsigned b = 0; b < BUDGET_COUNT; b++)
        if (s->checking.budget[b] &&
            (s->array.level < LEVEL_RAID4 || s->driver.generation != GENERATION_61))
            return complain(why, s->path, 0,
                            "%s: needs raid4 or raid5 and driver md-3.12 or md-6.1",
                            check_budget_name(b));
    return true;
}

bool check_load(struct scenario *s, const char *path, const struct overrides *overrides,
                struct complaint *why)
{
    if (!scenario_load(s, path, overrides, why) || !is_checkable(s, why))
        return false;
    s->checking.on = true;
    return true;
}
