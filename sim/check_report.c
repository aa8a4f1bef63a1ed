/* Reports of checks: see check_report.h. */
#include "sim/check_report.h"

#include <string.h>

#include "sim/check_names.h"
#include "sim/story.h"

const char *check_verdict_word(const struct check_result *r)
{
    switch (r->verdict) {
    case VERDICT_OK:
        return "ok";
    case VERDICT_UNFINISHED:
        return "unfinished";
    default:
        return property_text(r->property)->number;
    }
}

static bool meets(const struct expect *e, const char *got, const struct check_result *r)
{
    return !strcmp(e->text, got) || (r->verdict == VERDICT_FINDING && !strcmp(e->text, "finding"));
}

unsigned check_expectations(const struct scenario *s, const struct check_result *r, FILE *out)
{
    const char *got = check_verdict_word(r);
    unsigned missed = 0;

    for (uint32_t i = 0; i < s->expect_count; i++) {
        const struct expect *e = &s->expect[i];

        missed += !meets(e, got, r);
        if (out)
            fprintf(out, "expected %s %s: %s, %s\n", e->name, e->text, got,
                    meets(e, got, r) ? "ok" : "MISSED");
    }
    return missed;
}

bool check_failed(const struct scenario *s, const struct check_result *r)
{
    return s->expect_count ? check_expectations(s, r, NULL) != 0 : r->verdict != VERDICT_OK;
}

static void print_budgets(FILE *out, const struct checking *k)
{
    unsigned any = 0;

    for (unsigned b = 0; b < BUDGET_COUNT; b++)
        if (k->budget[b])
            fprintf(out, "%s%u %s", any++ ? ", " : "fate: ", k->budget[b], check_budget_name(b));
    fputs(any ? "\n" : "fate: does nothing\n", out);
}

static void print_bounds(FILE *out, const struct check_problem *c)
{
    const struct scenario *s = c->scenario;
    const struct shape *shape = &c->start->shape;
    unsigned ios = 0;

    for (unsigned i = 0; i < c->instances; i++)
        ios += c->program[i].count;
    fprintf(out, "%s\n", s->title[0] ? s->title : s->path);
    fprintf(out,
            "bounds: %u members of %llu KiB, %u stripe heads, %u clients with %u I/Os in all, "
            "driver %s, %u workers\n",
            shape->geometry.disks, (unsigned long long)shape->geometry.component_sectors / 2,
            shape->stripes, shape->clients, ios, s->driver.preset, shape->workers);
    print_budgets(out, &s->checking);
}

/* Three bits that are all set by others: at the end, when the map is fullest. */
static double map_share(const struct check_result *r)
{
    double full = 3.0 * (double)r->states / (double)r->map_bits;

    return full < 1 ? full * full * full : 1;
}

void check_print(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    static const char *const modes[] = { "fingerprint", "exact", "bitstate" };
    uint64_t missed = check_omission(r);

    print_bounds(out, c);
    if (r->verdict == VERDICT_FINDING && !story_print(out, c, r))
        fputs("the story cannot be told: no memory\n", out);
    fprintf(out, "verdict: %s", check_verdict_word(r));
    if (r->verdict == VERDICT_FINDING)
        fprintf(out, " after %u moves%s", r->trace_length,
                r->shortest ? ", the fewest there are" : "");
    else if (r->verdict == VERDICT_UNFINISHED)
        fprintf(out, ": no finding up to the bound (%s)", r->bound);
    fprintf(out, "\n%llu states, %llu moves, depth %u, %llu states at rest, mode %s",
            (unsigned long long)r->states, (unsigned long long)r->moves, r->depth,
            (unsigned long long)r->rest, modes[c->scenario->checking.mode]);
    if (c->scenario->checking.order == CHECK_WALK)
        fputs(", random walks\n", out);
    else if (r->exact)
        fputs(", no state missed\n", out);
    else if (r->map_bits)
        fprintf(out,
                ", a map of 2^%u bits: a state is taken for another with a chance below %.1e\n",
                (unsigned)__builtin_ctzll(r->map_bits), map_share(r));
    else
        fprintf(out, ", chance of a missed state below %llu.%03llue-12\n",
                (unsigned long long)(missed / 1000), (unsigned long long)(missed % 1000));
    check_expectations(c->scenario, r, out);
}

void check_print_speed(FILE *out, const struct check_result *r)
{
    fprintf(out, "%.2f s, %.0f states/s, %.0f moves/s\n", r->seconds,
            (double)r->states / (r->seconds + 1e-9), (double)r->moves / (r->seconds + 1e-9));
}
