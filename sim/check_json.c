/* Checks as JSON and JUnit: see check_json.h. */
#include "sim/check_json.h"

#include "sim/check_names.h"
#include "sim/check_report.h"
#include "sim/json_build.h"
#include "sim/story.h"

struct telling {
    struct builder *b;
    json_t *trace;
    const struct check_problem *c;
    uint32_t number;
};

static void tell(void *argument, const struct world *before, const struct world *after,
                 struct move m, const struct effects *e)
{
    struct telling *t = argument;
    json_t *o = append_object(t->b, t->trace);
    char text[STORY_TEXT];

    (void)after;
    (void)e;
    put_uint(t->b, o, "number", ++t->number);
    put_uint(t->b, o, "actor_id", m.who);
    story_actor(t->c, m.who, text);
    put_text(t->b, o, "actor", text);
    put_text(t->b, o, "step", system_step(t->c->problem.system, before, m.who)->name);
    snprintf(text, sizeof text, "%llx", (unsigned long long)m.way);
    put_text(t->b, o, "way", text);
    story_move(t->c, before, m, text);
    put_text(t->b, o, "text", text);
}

static void put_bounds(struct builder *b, json_t *root, const struct check_problem *c)
{
    const struct shape *s = &c->start->shape;
    json_t *o = put_object(b, root, "bounds");

    put_uint(b, o, "raid_disks", s->geometry.disks);
    put_uint(b, o, "component_sectors", s->geometry.component_sectors);
    put_uint(b, o, "stripe_cache_size", s->stripes);
    put_uint(b, o, "clients", s->clients);
    put_uint(b, o, "workers", s->workers);
    put_text(b, o, "driver", c->scenario->driver.preset);
    put_text(b, o, "mutation", c->scenario->driver.mutation);
    for (unsigned k = 0; k < BUDGET_COUNT; k++)
        if (c->scenario->checking.budget[k])
            put_uint(b, o, check_budget_name(k), c->scenario->checking.budget[k]);
}

static void put_finding(struct builder *b, json_t *root, const struct check_problem *c,
                        const struct check_result *r)
{
    const struct property_text *p = property_text(r->property);
    json_t *o = put_object(b, root, "finding");
    struct telling t = { b, NULL, c, 0 };

    put_text(b, o, "property", p->number);
    put_text(b, o, "claim", p->claim);
    put_text(b, o, "meaning", p->meaning);
    put_uint(b, o, "trace_length", r->trace_length);
    t.trace = put_array(b, o, "trace");
    if (!story_tell(c, r, tell, &t))
        b->failed = true;
}

bool check_json(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    static const char *const modes[] = { "fingerprint", "exact", "bitstate" };
    static const char *const orders[] = { "breadth", "depth", "walk" };
    struct builder b = { false };
    json_t *root = json_object();

    put_text(&b, root, "scenario", c->scenario->path);
    put_text(&b, root, "title", c->scenario->title);
    put_text(&b, root, "verdict", check_verdict_word(r));
    put_uint(&b, root, "states", r->states);
    put_uint(&b, root, "moves", r->moves);
    put_uint(&b, root, "depth", r->depth);
    put_uint(&b, root, "states_at_rest", r->rest);
    put_text(&b, root, "mode", modes[c->scenario->checking.mode]);
    put_text(&b, root, "order", orders[c->scenario->checking.order]);
    put_uint(&b, root, "omission_bound_e15", check_omission(r));
    put_bounds(&b, root, c);
    if (r->verdict == VERDICT_FINDING)
        put_finding(&b, root, c, r);
    else if (r->verdict == VERDICT_UNFINISHED)
        put_text(&b, root, "bound_reached", r->bound);
    b.failed |= !root || json_dumpf(root, out, JSON_INDENT(2)) || fputc('\n', out) == EOF;
    json_decref(root);
    return !b.failed && !ferror(out);
}

/* Text inside an attribute. */
static void put_xml(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

bool check_junit(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    bool failed = check_failed(c->scenario, r);

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"raid5sim check\" tests=\"1\" failures=\"%d\">\n"
            "  <testcase classname=\"raid5sim.check\" name=\"",
            failed);
    put_xml(out, c->scenario->path);
    fputs("\">\n", out);
    if (failed) {
        fprintf(out, "    <failure message=\"verdict %s\" type=\"%s\"/>\n", check_verdict_word(r),
                r->verdict == VERDICT_FINDING ? "finding" : "unfinished");
    }
    fprintf(out, "    <system-out>%llu states, %llu moves, depth %u</system-out>\n",
            (unsigned long long)r->states, (unsigned long long)r->moves, r->depth);
    fputs("  </testcase>\n</testsuite>\n", out);
    return !ferror(out);
}
