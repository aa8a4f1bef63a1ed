/*
 * Scenario files into entries: opening, includes, growth of the list, and the way back from a key
 * to the line it was written on.
 *
 * A file is read into memory first and looked at as a whole: a directory, a file of a megabyte or
 * one with NUL bytes is no scenario, and saying so at once beats a complaint about its first line.
 * Then its text is walked twice: includes first, because their keys count before the file's own
 * wherever the include stands, then everything else.
 */
#include "sim/scenario_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/points.h"
#include "model/assert.h"
#include "sim/complaint.h"

enum { FILE_BYTES_MAX = 1 << 20 };

struct reading *reading_new(struct scenario *scenario, struct complaint *complaint)
{
    struct reading *reading =
        point_fails(POINT_SCENARIO_MEMORY) ? NULL : calloc(1, sizeof *reading);

    if (!reading) {
        complain(complaint, "raid5sim", 0, "out of memory");
        return NULL;
    }
    reading->scenario = scenario;
    reading->complaint = complaint;
    return reading;
}

void reading_free(struct reading *reading)
{
    if (!reading)
        return;
    free(reading->entry);
    free(reading->header);
    free(reading);
}

/* The text of an open file, NUL-terminated; NULL: complained. Complaints about a file as a whole
 * have line 0: whoever wanted the file says where that was. */
static char *slurp(const struct reading *reading, int fd, const char *path)
{
    char *text = malloc(FILE_BYTES_MAX + 1);
    size_t length = 0;

    if (!text) {
        complain(reading->complaint, path, 0, "out of memory");
        return NULL;
    }
    for (;;) {
        ssize_t got = point_fails(POINT_SCENARIO_READ)
                          ? -1
                          : read(fd, text + length, FILE_BYTES_MAX - length);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            complain(reading->complaint, path, 0, "cannot be read: %s", strerror(errno));
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = '\0';
    if (length == FILE_BYTES_MAX)
        complain(reading->complaint, path, 0, "too long for a scenario file (a megabyte or more)");
    if (reading->complaint->text[0]) {
        free(text);
        return NULL;
    }
    for (size_t i = 0, line = 1; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];

        line += byte == '\n';
        if (byte >= ' ' || byte == '\n' || byte == '\r' || byte == '\t')
            continue;
        complain(reading->complaint, path, (int)line, "byte 0x%02x: this is not a text file", byte);
        free(text);
        return NULL;
    }
    return text;
}

/* Notes a file as being read; complains if it is already open further out. */
static bool enter(struct reading *reading, const char *path, const struct stat *about)
{
    if (strlen(path) >= sizeof reading->file[0].path)
        return complain(reading->complaint, path, 0, "path of more than %zu bytes",
                        sizeof reading->file[0].path - 1);
    if (reading->depth > INCLUDE_DEPTH_MAX)
        return complain(reading->complaint, path, 0, "included more than %d files deep",
                        INCLUDE_DEPTH_MAX);
    if (reading->file_count == FILES_MAX)
        return complain(reading->complaint, path, 0, "more than %d files", FILES_MAX);
    for (unsigned i = 0; i < reading->depth; i++) {
        const struct file *open = &reading->file[reading->open[i]];

        if (open->device == about->st_dev && open->inode == about->st_ino)
            return complain(reading->complaint, path, 0, "includes itself by way of %s",
                            reading->file[reading->open[reading->depth - 1]].path);
    }
    struct file *file = &reading->file[reading->file_count];

    snprintf(file->path, sizeof file->path, "%s", path);
    file->device = about->st_dev;
    file->inode = about->st_ino;
    reading->open[reading->depth++] = (uint8_t)reading->file_count++;
    return true;
}

static bool read_text(struct reading *reading, const char *text)
{
    struct source source = { .reading = reading };

    for (int pass = 0; pass < 2; pass++) {
        source.at = text;
        source.line = 0;
        source.section = reading->preset;
        source.instance = EVERY_INSTANCE;
        source.includes_only = pass == 0;
        if (!source_read(&source))
            return false;
    }
    return true;
}

static bool read_open_file(struct reading *reading, const char *path, int fd)
{
    struct stat about;

    if (fstat(fd, &about))
        return complain(reading->complaint, path, 0, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return complain(reading->complaint, path, 0, "is a directory, not a scenario file");
    if (!enter(reading, path, &about))
        return false;
    char *text = slurp(reading, fd, path);
    bool good = text && read_text(reading, text);

    free(text);
    reading->depth--;
    return good;
}

bool reading_add_file(struct reading *reading, const char *path)
{
    int fd = point_fails(POINT_SCENARIO_OPEN) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return complain(reading->complaint, path, 0, "cannot be opened: %s", strerror(errno));
    bool good = read_open_file(reading, path, fd);

    close(fd);
    return good;
}

bool reading_add_no_file(struct reading *reading)
{
    struct header header = { .section = SECTION_ARRAY, .instance = EVERY_INSTANCE };

    ASSERT(reading->file_count == 0);
    snprintf(reading->file[reading->file_count++].path, sizeof reading->file[0].path, "--set");
    return reading_add_header(reading, &header);
}

const struct header *reading_header(const struct reading *reading, enum section section,
                                    int instance)
{
    for (size_t i = reading->header_count; i-- > 0;) {
        const struct header *header = &reading->header[i];

        if (header->section == section && header->instance == instance)
            return header;
    }
    return NULL;
}

const struct entry *reading_last(const struct reading *reading, enum section section, int instance,
                                 const char *key)
{
    for (size_t i = reading->entry_count; i-- > 0;) {
        const struct entry *entry = &reading->entry[i];

        if (entry->section == section && entry->instance == instance &&
            !strcmp(entry->key ? entry->key->name : entry->name, key))
            return entry;
    }
    return NULL;
}

/* The entry that decided a key: what --set says of it, then the instance's own, then one for every
 * instance, then a [global] one. Without a key: the first entry of an instance that has no header.
 */
static const struct entry *deciding_entry(const struct reading *reading, enum section section,
                                          int instance, const char *key)
{
    if (!key) {
        for (size_t i = 0; i < reading->entry_count; i++) {
            const struct entry *entry = &reading->entry[i];

            if (entry->section == section && entry->instance == instance &&
                !reading_header(reading, section, instance))
                return entry;
        }
        return NULL;
    }
    const struct entry *own = reading_last(reading, section, instance, key);
    const struct entry *all = reading_last(reading, section, EVERY_INSTANCE, key);

    if (own && all && own->command_line == all->command_line && all->command_line)
        return own > all ? own : all;
    if (all && all->command_line)
        return all;
    if (own || all)
        return own ? own : all;
    return section == SECTION_JOB ? reading_last(reading, SECTION_GLOBAL, EVERY_INSTANCE, key)
                                  : NULL;
}

bool reading_complain(const struct reading *reading, enum section section, int instance,
                      const char *key, const char *format, ...)
{
    const struct entry *entry = deciding_entry(reading, section, instance, key);
    const struct header *header = reading_header(reading, section, instance);
    char text[sizeof reading->complaint->text];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!header)
        header = reading_header(reading, section, EVERY_INSTANCE);
    if (entry && entry->command_line)
        return complain(reading->complaint, "--set", 0, "%s", text);
    if (entry)
        return complain(reading->complaint, reading->file[entry->file].path, entry->line, "%s",
                        text);
    if (header)
        return complain(reading->complaint, reading->file[header->file].path, header->line, "%s",
                        text);
    ASSERT(reading->file_count > 0);
    return complain(reading->complaint, reading->file[0].path, 0, "%s", text);
}

/* Splits "job.NAME.key", "fault.NAME.key", "disk.3.key" or "section.key" at its dots: section and
 * instance go into header
 * ("job NAME"), the key into name. */
static bool split_override(const char *left, char *header, char *name)
{
    const char *first = strchr(left, '.');
    const char *last = strrchr(left, '.');

    if (!strncmp(left, "md/", 3)) {
        snprintf(header, VALUE_MAX, "array");
        snprintf(name, VALUE_MAX, "%s", left + 3);
        return true;
    }
    if (!first || first == left)
        return false;
    bool numbered =
        !strncmp(left, "job.", 4) || !strncmp(left, "disk.", 5) || !strncmp(left, "fault.", 6);

    if (numbered && last != first) {
        snprintf(header, VALUE_MAX, "%.*s %.*s", (int)(first - left), left, (int)(last - first - 1),
                 first + 1);
        snprintf(name, VALUE_MAX, "%s", last + 1);
    } else {
        snprintf(header, VALUE_MAX, "%.*s", (int)(first - left), left);
        snprintf(name, VALUE_MAX, "%s", first + 1);
    }
    return name[0] != '\0';
}

/* Adds the entry an override means; the texts are split already. */
static bool add_override(struct reading *reading, const char *header, const char *name,
                         const char *value)
{
    struct entry entry = { .command_line = true };
    enum section section = SECTION_JOB;
    int instance = EVERY_INSTANCE;
    unsigned jobs = reading->job_count;
    char why[WHY_MAX] = "";
    bool keep;

    if (strcmp(header, "job") && !names_find_section(reading, header, &section, &instance, why))
        return complain(reading->complaint, "--set", 0, "%s", why);
    if (reading->job_count > jobs)
        return complain(reading->complaint, "--set", 0, "there is no [%s]", header);
    if (section == SECTION_GLOBAL)
        return complain(reading->complaint, "--set", 0, "job.%s sets a key of all jobs", name);
    entry.section = (uint8_t)section;
    entry.instance = (int16_t)instance;
    memcpy(entry.name, name, strnlen(name, sizeof entry.name - 1));
    memcpy(entry.value, value, strnlen(value, sizeof entry.value - 1));
    if (!names_find_key(reading, &entry, &keep, why))
        return complain(reading->complaint, "--set", 0, "%s", why);
    return !keep || reading_add_entry(reading, &entry);
}

bool reading_add_override(struct reading *reading, const char *text)
{
    const char *equals = strchr(text, '=');
    char left[VALUE_MAX], header[VALUE_MAX], name[VALUE_MAX];

    if (!equals || equals[1] == '\0')
        return complain(reading->complaint, "--set", 0, "'%s' is not section.key=value", text);
    if (strlen(text) >= VALUE_MAX)
        return complain(reading->complaint, "--set", 0, "more than %d bytes", VALUE_MAX - 1);
    snprintf(left, sizeof left, "%.*s", (int)(equals - text), text);
    if (!split_override(left, header, name) || strlen(name) >= sizeof((struct entry *)0)->name)
        return complain(reading->complaint, "--set", 0, "'%s' is not section.key=value", text);
    return add_override(reading, header, name, equals + 1);
}

/* Room for one more record of a growing array; NULL when memory is short. */
static void *grow(void *array, size_t count, size_t *max, size_t record)
{
    if (count < *max)
        return array;
    size_t wanted = *max ? *max * 2 : 64;
    void *larger = realloc(array, wanted * record);

    if (larger)
        *max = wanted;
    return larger;
}

bool reading_add_entry(struct reading *reading, const struct entry *entry)
{
    struct entry *larger =
        grow(reading->entry, reading->entry_count, &reading->entry_max, sizeof *larger);

    if (!larger)
        return complain(reading->complaint, reading->file[0].path, 1, "out of memory");
    reading->entry = larger;
    reading->entry[reading->entry_count++] = *entry;
    return true;
}

bool reading_add_header(struct reading *reading, const struct header *header)
{
    struct header *larger =
        grow(reading->header, reading->header_count, &reading->header_max, sizeof *larger);

    if (!larger)
        return complain(reading->complaint, reading->file[0].path, 1, "out of memory");
    reading->header = larger;
    reading->header[reading->header_count++] = *header;
    return true;
}
