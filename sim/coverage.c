/* Counting what checks reach: see coverage.h. */
#include "sim/coverage.h"

#include "model/array.h"
#include "model/stripe.h"
#include "sim/flag_names.h"
#include "sim/system_md.h"

static void count_flags(struct coverage *c, const struct actor *a, uint32_t before, uint32_t after,
                        unsigned offset)
{
    uint32_t changed = before ^ after;

    for (; changed; changed &= changed - 1) {
        unsigned bit = (unsigned)__builtin_ctz(changed);

        c->edge[a->kind][a->pc][!(after >> bit & 1)][offset + bit]++;
    }
}

static void fired(const struct problem *p, unsigned thread, const struct world *before,
                  const struct world *after, struct move m, const struct effects *e)
{
    struct coverage *c = (struct coverage *)p->context + thread;
    const struct actor *a = actor_see(before, m.who);

    c->step[a->kind][a->pc]++;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->list[i].kind == EFFECT_MARK)
            c->mark[e->list[i].what]++;
    for (stripe_id s = 0; s < before->shape.stripes; s++) {
        if (stripe_see(before, s)->sector != stripe_see(after, s)->sector)
            continue; /* another stripe now */
        count_flags(c, a, stripe_see(before, s)->state, stripe_see(after, s)->state, 0);
        for (unsigned d = 0; d < before->shape.geometry.disks; d++)
            count_flags(c, a, slot_see(before, s, d)->flags, slot_see(after, s, d)->flags, 16);
    }
}

void coverage_watch(struct check_problem *problem, struct coverage *threads)
{
    problem->problem.context = threads;
    problem->problem.fired = fired;
}

void coverage_add(struct coverage *sum, const struct coverage *c)
{
    const uint64_t *from = (const uint64_t *)(const void *)c;
    uint64_t *to = (uint64_t *)(void *)sum;

    for (size_t i = 0; i < sizeof *c / sizeof *from; i++)
        to[i] += from[i];
}

static unsigned print_steps(FILE *out, const struct coverage *c, unsigned *all)
{
    unsigned missing = 0;

    for (unsigned k = 0; k < KIND_COUNT; k++)
        for (unsigned pc = 0; pc < system_md.kinds[k]->step_count; pc++, ++*all)
            if (!c->step[k][pc]) {
                fprintf(out, "no check takes the step   %s (%s)\n",
                        system_md.kinds[k]->steps[pc].name, system_md.kinds[k]->steps[pc].kernel);
                missing++;
            }
    return missing;
}

static unsigned print_marks(FILE *out, const struct coverage *c, unsigned *all)
{
    static const char *const text[MARK_COUNT] = {
#define MARK(id, what) [MARK_##id] = what,
#include "model/marks.def"
#undef MARK
    };
    unsigned missing = 0;

    for (unsigned m = 0; m < MARK_COUNT; m++, ++*all)
        if (!c->mark[m]) {
            fprintf(out, "in no check it happens that %s\n", text[m]);
            missing++;
        }
    return missing;
}

/* Flags that exist, whether any step has set and cleared them, and how many edges there are. */
static unsigned print_flags(FILE *out, const struct coverage *c, unsigned *all, unsigned *edges)
{
    unsigned missing = 0;

    for (unsigned f = 0; f < COVERAGE_FLAGS; f++) {
        const char *name = f < 16 ? flag_of_stripe(f) : flag_of_slot(f - 16);
        bool seen[2] = { false, false };

        for (unsigned k = 0; k < KIND_COUNT; k++)
            for (unsigned pc = 0; pc < COVERAGE_STEPS; pc++)
                for (unsigned way = 0; way < 2; way++) {
                    seen[way] |= c->edge[k][pc][way][f] != 0;
                    *edges += c->edge[k][pc][way][f] != 0;
                }
        for (unsigned way = 0; name && way < 2; way++, ++*all)
            if (!seen[way]) {
                fprintf(out, "no step of a check %s    %s of a %s\n", way ? "clears" : "sets", name,
                        f < 16 ? "stripe" : "slot");
                missing++;
            }
    }
    return missing;
}

unsigned coverage_print(FILE *out, const struct coverage *c)
{
    unsigned steps = 0, marks = 0, flags = 0, edges = 0;
    unsigned no_step = print_steps(out, c, &steps), no_mark = print_marks(out, c, &marks);
    unsigned no_flag = print_flags(out, c, &flags, &edges);

    fprintf(out,
            "%llu checks, %llu states: %u of %u steps, %u of %u marks, %u of %u flags set and "
            "cleared, %u edges (a step sets or clears a flag)\n",
            (unsigned long long)c->checks, (unsigned long long)c->states, steps - no_step, steps,
            marks - no_mark, marks, flags - no_flag, flags, edges);
    return no_step + no_mark + no_flag;
}
