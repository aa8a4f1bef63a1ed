/* Workloads of the profile: see workloads.h. */
#include "tests/costs/workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024 };

static json_t *record(json_t *params, const char *ops, const char *cmd)
{
    json_t *p = json_deep_copy(params), *r = json_object();
    const char *size = json_string_value(json_object_get(p, "size"));
    json_int_t mib = size ? atoi(size) : 8;

    json_object_set_new(p, "ops", json_string(ops));
    json_object_set_new(p, "cmd", json_string(cmd));
    json_object_set_new(p, "layout", json_string("left-symmetric"));
    json_object_set_new(p, "bitmap", json_string("none"));
    json_object_set_new(r, "component_sectors", json_integer(mib * 2048));
    json_object_set_new(r, "params", p);
    return r;
}

/* Takes key=value words off the line up to "--", or up to a command; what is left is returned. */
static char *take_settings(char *line, json_t *params)
{
    char *word;

    while ((word = strsep(&line, " ")) != NULL && strcmp(word, "--") && strncmp(word, "cmd=", 4)) {
        char *value = strchr(word, '=');

        if (!value)
            continue;
        *value++ = '\0';
        json_object_set_new(params, word, json_string(value));
    }
    return line ? line : word + strlen(word);
}

/* The operations before the last mark, and with those behind it. */
static void set_ops(struct profiled *w, json_t *params, const char *warm, const char *ops)
{
    char before[2 * LINE_BYTES + 32], whole[3 * LINE_BYTES + 64];
    const char *mark = strstr(ops, " mark:2 ");

    snprintf(before, sizeof before, "%s sleep:300%s%.*s", warm, mark ? " " : "",
             mark ? (int)(mark - ops) : 0, ops);
    snprintf(whole, sizeof whole, "%s %s%s", before, mark ? "sleep:300 " : "",
             mark ? mark + strlen(" mark:2 ") : ops);
    w->before = record(params, before, "");
    w->whole = record(params, whole, "");
}

static bool wanted(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name))
        names++;
    return *names != NULL;
}

static void read_line(char *line, const char *warm, const char *const *names, struct profiled *w,
                      unsigned *count)
{
    bool command = !strncmp(line, "x cpu-", 6);
    char *name = line + (command ? 6 : 2), *rest = strchr(name, ' ');
    json_t *params;

    if (!rest)
        return;
    *rest++ = '\0';
    if (!wanted(names, name) || *count == WORKLOADS_MAX)
        return;
    w += (*count)++;
    snprintf(w->name, sizeof w->name, "%s", name);
    params = json_object();
    rest = take_settings(rest, params);
    if (command) {
        w->before = record(params, "", "");
        w->whole = record(params, "",
                          strcmp(name, "check") ? "mdadm /dev/md0 --add /dev/nullb4; "
                                                  "usleep 20000; waitidle"
                                                : "echo check > "
                                                  "/sys/block/md0/md/sync_action; "
                                                  "waitidle");
    } else {
        set_ops(w, params, warm, rest);
    }
    json_decref(params);
}

bool workloads_read(const char *path, const char *const *names, struct profiled *w, unsigned *count)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES], warm[LINE_BYTES] = "";

    *count = 0;
    if (!file) {
        perror(path);
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "WARM=\"%1000[^\"]", warm) == 1)
            continue;
        if (!strncmp(line, "c ", 2) || !strncmp(line, "x cpu-", 6))
            read_line(line, warm, names, w, count);
    }
    fclose(file);
    return true;
}

void workloads_free(struct profiled *w, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        json_decref(w[i].before);
        json_decref(w[i].whole);
    }
}
