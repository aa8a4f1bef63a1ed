/* Message-sequence charts: see chart.h. */
#include "sim/chart.h"

#include <string.h>

#include "model/io.h"
#include "sim/story.h"

enum { COLUMNS_MAX = 64, CELL = 12, ROW = 22, WIDE = 120, HEAD = 50 };

struct chart {
    FILE *out;
    const struct check_problem *c;
    unsigned columns;
    actor_id actor[COLUMNS_MAX];
    unsigned column_of[UINT8_MAX + 1]; /* of an actor; 0: none, else 1 + column */
    unsigned row;
    bool svg;
};

static void add_column(struct chart *k, actor_id who)
{
    if (who > UINT8_MAX || k->column_of[who] || k->columns == COLUMNS_MAX)
        return;
    k->actor[k->columns++] = who;
    k->column_of[who] = k->columns;
}

/* An actor's device and its interrupts share the member's column. */
static actor_id home(const struct chart *k, actor_id who)
{
    const struct actor *a = actor_see(k->c->start, who);

    for (actor_id d = 0; a->kind == KIND_COMPLETION && d < k->c->start->shape.actors; d++)
        if (actor_see(k->c->start, d)->kind == KIND_DISK &&
            actor_see(k->c->start, d)->index == a->index)
            return d;
    return who;
}

/* Columns in the order of actors, of those who do anything. */
static void find_columns(struct chart *k, const struct check_result *r)
{
    bool moves[UINT8_MAX + 1] = { false };

    for (uint32_t i = 0; i < r->trace_length; i++)
        if (home(k, r->trace[i].who) <= UINT8_MAX)
            moves[home(k, r->trace[i].who)] = true;
    for (unsigned who = 0; who <= UINT8_MAX; who++)
        if (moves[who])
            add_column(k, (actor_id)who);
}

/* The column that an effect reaches; 0: none, or the mover's own. */
static unsigned reached(const struct chart *k, const struct effect *f, unsigned from)
{
    const struct shape *s = &k->c->start->shape;
    actor_id who = NONE16;

    if (f->kind == EFFECT_WAKE)
        who = home(k, f->who);
    else if (f->kind == EFFECT_SUBMIT)
        for (actor_id d = 0; d < s->actors; d++)
            if (actor_see(k->c->start, d)->kind == KIND_DISK &&
                actor_see(k->c->start, d)->index == f->amount / s->ios_per_disk)
                who = d;
    if (who > UINT8_MAX || k->column_of[who] == from)
        return 0;
    return k->column_of[who];
}

static void text_row(const struct chart *k, unsigned from, const struct effects *e,
                     const char *label)
{
    char line[COLUMNS_MAX * CELL + 1];
    size_t width = (size_t)k->columns * CELL;

    memset(line, ' ', width);
    line[width] = '\0';
    for (unsigned i = 0; i < k->columns; i++)
        line[i * CELL + CELL / 2] = '|';
    for (uint32_t i = 0; i < e->count; i++) {
        unsigned to = reached(k, &e->list[i], from);

        if (!to)
            continue;
        size_t a = (from - 1) * CELL + CELL / 2, b = (to - 1) * CELL + CELL / 2;

        for (size_t x = (a < b ? a : b) + 1; x < (a < b ? b : a); x++)
            line[x] = '-';
        line[a < b ? b - 1 : b + 1] = a < b ? '>' : '<';
    }
    line[(from - 1) * CELL + CELL / 2] = '*';
    fprintf(k->out, "%4u %s  %s\n", k->row, line, label);
}

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        fputs(*text == '&'   ? "&amp;"
              : *text == '<' ? "&lt;"
              : *text == '>' ? "&gt;"
                             : (char[]){ *text, '\0' },
              out);
}

static unsigned x_of(unsigned column)
{
    return WIDE / 2 + (column - 1) * WIDE;
}

static void svg_row(const struct chart *k, unsigned from, const struct effects *e,
                    const char *label)
{
    unsigned y = HEAD + k->row * ROW;

    for (uint32_t i = 0; i < e->count; i++) {
        unsigned to = reached(k, &e->list[i], from);

        if (to)
            fprintf(k->out,
                    "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" class=\"%s\" "
                    "marker-end=\"url(#tip)\"/>\n",
                    x_of(from), y, x_of(to), y, e->list[i].kind == EFFECT_WAKE ? "wake" : "io");
    }
    fprintf(k->out, "<circle cx=\"%u\" cy=\"%u\" r=\"4\"/>\n<text x=\"%u\" y=\"%u\">%u ",
            x_of(from), y, k->columns * WIDE + 10, y + 4, k->row);
    put_text(k->out, label);
    fputs("</text>\n", k->out);
}

static void row(void *argument, const struct world *before, const struct world *after,
                struct move m, const struct effects *e)
{
    struct chart *k = argument;
    unsigned from = k->column_of[home(k, m.who) & UINT8_MAX];
    char label[STORY_TEXT];

    (void)after;
    k->row++;
    story_move(k->c, before, m, label);
    if (!from)
        return;
    if (k->svg)
        svg_row(k, from, e, label);
    else
        text_row(k, from, e, label);
}

bool chart_text(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    struct chart k = { .out = out, .c = c };
    char name[STORY_TEXT];

    find_columns(&k, r);
    fputs("     ", out);
    for (unsigned i = 0; i < k.columns; i++) {
        story_actor(c, k.actor[i], name);
        fprintf(out, "%*.*s%*s", CELL - 1, CELL - 1, name, 1, "");
    }
    fputc('\n', out);
    return story_tell(c, r, row, &k) && !ferror(out);
}

bool chart_svg(FILE *out, const struct check_problem *c, const struct check_result *r)
{
    struct chart k = { .out = out, .c = c, .svg = true };
    char name[STORY_TEXT];
    unsigned height = HEAD + (r->trace_length + 2) * ROW;

    find_columns(&k, r);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>line.life{stroke:#999}line.io{stroke:#06c}line.wake{stroke:#c60;"
            "stroke-dasharray:4 3}</style>\n"
            "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" "
            "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            k.columns * WIDE + 700, height);
    for (unsigned i = 0; i < k.columns; i++) {
        story_actor(c, k.actor[i], name);
        fprintf(out,
                "<line class=\"life\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n"
                "<text x=\"%u\" y=\"20\" text-anchor=\"middle\">",
                x_of(i + 1), 30u, x_of(i + 1), height, x_of(i + 1));
        put_text(out, name);
        fputs("</text>\n", out);
    }
    if (!story_tell(c, r, row, &k))
        return false;
    fputs("</svg>\n", out);
    return !ferror(out);
}
