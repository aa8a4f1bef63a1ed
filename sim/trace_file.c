/* Traces as text: see trace_file.h. */
#include "sim/trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check_report.h"
#include "sim/complaint.h"

enum { LINE_BYTES = 512, MOVES_MAX = 100000000 };

bool trace_file_write(FILE *out, const char *scenario, const struct overrides *overrides,
                      const struct check_result *r)
{
    fprintf(out, "raid5sim trace 1\nscenario %s\n", scenario);
    for (unsigned i = 0; i < overrides->count; i++)
        fprintf(out, "set %s\n", overrides->text[i]);
    fprintf(out, "property %s\n", check_verdict_word(r));
    for (uint32_t i = 0; i < r->trace_length; i++)
        fprintf(out, "move %u %u %" PRIx64 "\n", r->trace[i].who, r->trace[i].step,
                r->trace[i].way);
    fputs("end\n", out);
    return !ferror(out);
}

static bool add_set(struct trace_file *t, const char *text)
{
    void *more = realloc(t->set, (t->sets + 1) * sizeof *t->set);

    if (!more)
        return false;
    t->set = more;
    snprintf(t->set[t->sets++], sizeof *t->set, "%s", text);
    return true;
}

static bool add_move(struct trace_file *t, const char *text)
{
    unsigned who, step;
    uint64_t way;
    int end = 0;

    if (sscanf(text, "%5u %5u %16" SCNx64 "%n", &who, &step, &way, &end) != 3 || text[end] ||
        who >= NONE16 || step > UINT8_MAX || t->moves == MOVES_MAX)
        return false;
    if ((t->moves & (t->moves + 1)) == 0) { /* room for twice as many */
        void *more = realloc(t->move, 2 * (t->moves + 1) * sizeof *t->move);

        if (!more)
            return false;
        t->move = more;
    }
    t->move[t->moves++] = (struct move){ .way = way, .who = (actor_id)who, .step = (uint16_t)step };
    return true;
}

/* One line; *over: it was the last. */
static bool read_line(struct trace_file *t, int number, char *line, bool *over)
{
    char *rest = strchr(line, ' ');

    *over = !strcmp(line, "end");
    if (number == 1)
        return !strcmp(line, "raid5sim trace 1");
    if (*over)
        return true;
    if (!rest)
        return false;
    *rest++ = '\0';
    if (!strcmp(line, "scenario") && strlen(rest) < sizeof t->scenario) {
        snprintf(t->scenario, sizeof t->scenario, "%s", rest);
        return true;
    }
    if (!strcmp(line, "property") && strlen(rest) < sizeof t->property) {
        snprintf(t->property, sizeof t->property, "%s", rest);
        return true;
    }
    if (!strcmp(line, "set") && strlen(rest) < sizeof *t->set)
        return add_set(t, rest);
    return !strcmp(line, "move") && add_move(t, rest);
}

bool trace_file_read(struct trace_file *t, const char *path, struct complaint *why)
{
    FILE *in = fopen(path, "r");
    char line[LINE_BYTES];
    bool over = false, good = true;
    int number = 0;

    memset(t, 0, sizeof *t);
    snprintf(t->path, sizeof t->path, "%s", path);
    if (!in)
        return complain(why, path, 0, "%s", strerror(errno));
    while (good && !over && fgets(line, sizeof line, in)) {
        size_t length = strcspn(line, "\n");

        good = line[length] == '\n';
        line[length] = '\0';
        good = good && read_line(t, ++number, line, &over);
        if (!good)
            complain(why, path, number, "no line of a trace: '%.60s'", line);
    }
    if (good && !over)
        good = complain(why, path, number, "the trace is cut off: it does not say `end`");
    if (good && !t->scenario[0])
        good = complain(why, path, 1, "the trace does not say of which scenario it is");
    fclose(in);
    if (!good)
        trace_file_free(t);
    return good;
}

void trace_file_free(struct trace_file *t)
{
    free(t->set);
    free(t->move);
    t->set = NULL;
    t->move = NULL;
}
