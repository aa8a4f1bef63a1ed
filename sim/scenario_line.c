/*
 * Lines into entries. libinih cuts names from values; around it stands what fio's files and ours
 * need beyond it:
 *
 *   - line numbers (the handler of the library as packaged is told none): the reader that feeds it
 * counts;
 *   - headers: the library tells of a section only when a key follows, but an empty section is a
 * mistake or a job, and both want a line number;
 *   - a header and a key on one line, `[array] level = raid5`;
 *   - bare words, fio's flags (`time_based`), in load sections only: they read as `word = 1`;
 *   - comments after a blank and '#' or ';';
 *   - indentation means nothing (the library would take it for a continuation);
 *   - lines that do not fit its buffer are refused, not cut.
 */
#include "sim/scenario_internal.h"

#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "sim/complaint.h"

enum {
    LINE_MAX_BYTES = 4095, /* with its comment */
    KEY_LINE_MAX = 196,    /* without; what fits libinih's buffer */
    NAME_MAX_BYTES = 49    /* what it holds of a name */
};

static const char *path_of(const struct source *source)
{
    const struct reading *reading = source->reading;

    return reading->file[reading->open[reading->depth - 1]].path;
}

static bool complained(const struct source *source)
{
    return source->reading->complaint->text[0] != '\0';
}

/* Cuts comment and surrounding blanks off a line; returns its first byte. */
static char *strip(char *line)
{
    for (char *at = line; *at; at++) {
        if ((*at == '#' || *at == ';') && (at == line || isspace((unsigned char)at[-1]))) {
            *at = '\0';
            break;
        }
    }
    while (isspace((unsigned char)*line))
        line++;
    size_t length = strlen(line);

    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line;
}

/* The same section twice in one file would hide one of them from the reader's eye. */
static bool check_twice(const struct source *source, const char *text)
{
    const struct reading *reading = source->reading;
    uint8_t file = reading->open[reading->depth - 1];

    for (size_t i = 0; i < reading->header_count; i++) {
        const struct header *other = &reading->header[i];

        if (other->file == file && other->section == source->section &&
            other->instance == source->instance && source->section != SECTION_GLOBAL)
            return complain(reading->complaint, path_of(source), source->line,
                            "section [%s] again; the first is on line %d", text, other->line);
    }
    return true;
}

/* A header: finds and notes the section. text is what stands between the brackets. */
static bool begin_section(struct source *source, const char *text)
{
    struct reading *reading = source->reading;
    char why[WHY_MAX] = "";

    if (!names_find_section(reading, text, &source->section, &source->instance, why))
        return complain(reading->complaint, path_of(source), source->line, "%s", why);
    if (reading->preset && source->section != reading->preset)
        return complain(reading->complaint, path_of(source), source->line,
                        "a preset of [%s] cannot have a section [%s]",
                        section_name(reading->preset), text);
    if (source->includes_only)
        return true;
    if (!check_twice(source, text))
        return false;
    return reading_add_header(reading, &(struct header){
                                           .section = (uint8_t)source->section,
                                           .file = reading->open[reading->depth - 1],
                                           .instance = (int16_t)source->instance,
                                           .line = source->line,
                                           .first = reading->entry_count,
                                       });
}

/* Takes the header off a line; returns what follows it, NULL: complained. */
static char *take_header(struct source *source, char *line)
{
    char *end = strchr(line, ']');

    if (!end) {
        complain(source->reading->complaint, path_of(source), source->line, "'[' without ']'");
        return NULL;
    }
    *end = '\0';
    if (!begin_section(source, strip(line + 1)))
        return NULL;
    return strip(end + 1);
}

/* Puts the key of a line into libinih's buffer as `name = value`. */
static void give(struct source *source, const char *line, char *buffer, size_t size)
{
    bool load = source->section == SECTION_JOB || source->section == SECTION_GLOBAL;
    const char *equals = strchr(line, '=');
    size_t name = strcspn(line, "= \t");

    source->bare = !equals;
    if (strlen(line) > KEY_LINE_MAX)
        complain(source->reading->complaint, path_of(source), source->line,
                 "line of more than %d bytes", KEY_LINE_MAX);
    else if (!equals && !(load && line[name] == '\0' && isalpha((unsigned char)*line)))
        complain(source->reading->complaint, path_of(source), source->line,
                 "neither a [section], a key = value nor a comment");
    else if (equals && equals[1 + strspn(equals + 1, " \t")] == '\0')
        complain(source->reading->complaint, path_of(source), source->line, "'%.*s' has no value",
                 (int)name, line);
    else if (name == 0)
        complain(source->reading->complaint, path_of(source), source->line, "no key before '='");
    else if (name > NAME_MAX_BYTES)
        complain(source->reading->complaint, path_of(source), source->line,
                 "unknown key '%.*s' in [%s]", (int)name, line, section_name(source->section));
    snprintf(buffer, size, source->bare ? "%s=1\n" : "%s\n", line);
}

/* Copies the next line; false: the file is over. */
static bool next_line(struct source *source, char *line)
{
    size_t length = strcspn(source->at, "\n");

    if (*source->at == '\0')
        return false;
    if (source->line++ == 0 && !strncmp(source->at, "\xef\xbb\xbf", 3)) {
        source->at += 3; /* the mark some editors put before UTF-8 */
        length -= 3;
    }
    if (length > LINE_MAX_BYTES)
        return complain(source->reading->complaint, path_of(source), source->line,
                        "line of more than %d bytes", LINE_MAX_BYTES);
    snprintf(line, LINE_MAX_BYTES + 1, "%.*s", (int)length, source->at);
    source->at += length + (source->at[length] == '\n');
    return true;
}

/* libinih asks for a line. An empty one keeps it going without effect. */
static char *reader(char *buffer, int size, void *stream)
{
    struct source *source = stream;
    char line[LINE_MAX_BYTES + 1];

    if (complained(source) || !next_line(source, line))
        return NULL;
    char *text = strip(line);

    if (*text == '[') {
        text = take_header(source, text);
        if (!text)
            return NULL;
    }
    buffer[0] = '\n';
    buffer[1] = '\0';
    if (*text)
        give(source, text, buffer, (size_t)size);
    return complained(source) ? NULL : buffer;
}

/* Reads the file an `include` names; a relative path starts at the folder of the file it stands in.
 */
static bool include(struct source *source, const char *value)
{
    struct reading *reading = source->reading;
    const char *here = path_of(source);
    const char *slash = strrchr(here, '/');
    struct complaint inner = { .line = 0 };
    struct complaint *outer = reading->complaint;
    char path[VALUE_MAX * 2];
    int line = source->line;

    if (reading->preset)
        return complain(outer, here, line, "a preset cannot include another file");
    if (*value == '/' || !slash)
        snprintf(path, sizeof path, "%s", value);
    else
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - here), here, value);
    reading->complaint = &inner;
    bool good = reading_add_file(reading, path);

    reading->complaint = outer;
    if (good)
        return true;
    if (inner.line == 0) /* about the file as a whole: belongs to the line that asked for it */
        return complain(outer, here, line, "include = %s: %s", value, inner.text);
    return complain(outer, inner.file, inner.line, "%s", inner.text);
}

/* libinih has found a key. */
static int handler(void *user, const char *section, const char *name, const char *value)
{
    struct source *source = user;
    struct reading *reading = source->reading;
    struct entry entry = { .instance = (int16_t)source->instance,
                           .section = (uint8_t)source->section,
                           .file = reading->open[reading->depth - 1],
                           .line = source->line };
    char why[WHY_MAX] = "";
    bool keep;

    (void)section; /* the source knows better: see the head of this file */
    if (complained(source))
        return 0;
    bool may_include =
        source->section == SECTION_NONE || source->section == SECTION_SCENARIO || reading->preset;

    if (may_include && !strcmp(name, "include"))
        return !source->includes_only || include(source, value);
    if (source->includes_only)
        return 1;
    snprintf(entry.name, sizeof entry.name, "%s", name);
    snprintf(entry.value, sizeof entry.value, "%s", value);
    if (names_find_key(reading, &entry, &keep, why)) {
        if (source->bare && keep && entry.key && entry.key->type != KEY_FLAG &&
            entry.key->type != KEY_DIRECT)
            return complain(reading->complaint, path_of(source), source->line, "'%s' has no value",
                            name);
        return !keep || reading_add_entry(reading, &entry);
    }
    return complain(reading->complaint, path_of(source), source->line, "%s", why);
}

bool source_read(struct source *source)
{
    ini_parse_stream(reader, source, handler, source);
    return !complained(source);
}
