/*
 * Presets: a file NAME.cfg with the keys of one section, given by `preset = NAME`.
 *
 * Looked for in the scenario's own folder, then in presets/{hosts,drivers,disks} of the data
 * folder. The data folder is $RAID5SIM_DATA if that is set; else the first that exists of: the
 * folder `scenarios` of the source tree the program was built in, ../share/raid5sim beside the
 * program's folder (an installation that was moved), and the place the installation was made for.
 *
 * Order of what counts: defaults of the table, preset, the section's keys, --set. [disk N] starts
 * from what [disk] has come to, unless it names a preset itself: then it is another device from the
 * ground up.
 */
#include "sim/scenario_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/assert.h"
#include "sim/complaint.h"
#include "sim/nearest.h"

/* The Makefile says where; an installed program is not told where it was built. */
#ifdef RAID5SIM_SOURCE_DATA
#define SOURCE_PRESETS RAID5SIM_SOURCE_DATA "/presets"
#else
#define SOURCE_PRESETS ""
#endif
#ifdef RAID5SIM_DATA
#define INSTALLED_PRESETS RAID5SIM_DATA "/presets"
#else
#define INSTALLED_PRESETS "/usr/local/share/raid5sim/presets"
#endif

enum { PATH_BYTES = 4096 };

const char *preset_kind(enum section section)
{
    return section == SECTION_HOST ? "hosts" : section == SECTION_DRIVER ? "drivers" : "disks";
}

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* <program's folder>/../share/raid5sim: an installation that was moved as a whole. */
static bool folder_beside_program(char *folder, size_t size)
{
    char program[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length <= 0)
        return false;
    program[length] = '\0';
    for (unsigned up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');

        if (!slash)
            return false;
        *slash = '\0';
    }
    int bytes = snprintf(folder, size, "%s/share/raid5sim/presets", program);

    return bytes > 0 && (size_t)bytes < size && is_folder(folder);
}

bool preset_folder(const char *kind, char *folder, size_t size)
{
    const char *data = getenv("RAID5SIM_DATA");
    char presets[PATH_BYTES];

    if (data && *data)
        snprintf(presets, sizeof presets, "%s/presets", data);
    else if (is_folder(SOURCE_PRESETS))
        snprintf(presets, sizeof presets, "%s", SOURCE_PRESETS);
    else if (!folder_beside_program(presets, sizeof presets))
        snprintf(presets, sizeof presets, "%s", INSTALLED_PRESETS);
    snprintf(folder, size, "%s/%s", presets, kind);
    return is_folder(folder);
}

/* Folder of the scenario file: where its own presets may stand. */
static void own_folder(const struct reading *reading, char *folder, size_t size)
{
    const char *path = reading->file[0].path;
    const char *slash = strrchr(path, '/');

    if (slash)
        snprintf(folder, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(folder, size, ".");
}

/* Offers every NAME of NAME.cfg in a folder; the nearest is copied to best (64 bytes). */
static void offer_presets(const char *folder, struct nearest *search, char *best)
{
    DIR *listing = opendir(folder);
    const struct dirent *item;

    if (!listing)
        return;
    while ((item = readdir(listing))) {
        char name[64];
        size_t length = strlen(item->d_name);
        unsigned before = search->distance;

        if (length < 5 || length >= sizeof name || strcmp(item->d_name + length - 4, ".cfg"))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length - 4, item->d_name);
        nearest_offer(search, name);
        /* Folders are listed in no order: of equally near names the first of the alphabet is told.
         */
        if (search->distance < before ||
            (*best && search->distance == edit_distance(search->word, name) &&
             strcmp(name, best) < 0))
            memcpy(best, name, sizeof name);
    }
    closedir(listing);
}

static bool complain_missing(const struct reading *reading, enum section section, int instance,
                             const char *name)
{
    struct nearest search = nearest_begin(name);
    char folder[PATH_BYTES], best[64] = "";
    bool data = preset_folder(preset_kind(section), folder, sizeof folder);

    if (data)
        offer_presets(folder, &search, best);
    return reading_complain(reading, section, instance, "preset",
                            "no %s preset '%s' beside the scenario nor in %s%s%s%s%s",
                            section_name(section), name, folder, data ? "" : " (no such folder)",
                            *best ? "; did you mean '" : "", best, *best ? "'?" : "");
}

/* Finds the file of a preset; false: complained. */
static bool find_preset(const struct reading *reading, enum section section, int instance,
                        const char *name, char *path)
{
    char folder[PATH_BYTES];

    if (strchr(name, '/'))
        return reading_complain(reading, section, instance, "preset",
                                "preset = %s: a name, not a path", name);
    own_folder(reading, folder, sizeof folder);
    if (snprintf(path, PATH_BYTES, "%s/%s.cfg", folder, name) < PATH_BYTES && !access(path, F_OK))
        return true;
    preset_folder(preset_kind(section), folder, sizeof folder);
    if (snprintf(path, PATH_BYTES, "%s/%s.cfg", folder, name) < PATH_BYTES && !access(path, F_OK))
        return true;
    return complain_missing(reading, section, instance, name);
}

/* A list given beside a preset replaces the preset's; inside one file it may go on over several
 * lines. */
static void clear_list(const struct key *key, void *base)
{
    struct disk_preset *disk = base;

    if (key->type == KEY_ZONES)
        disk->zone_count = 0;
    else if (key->type == KEY_SEEKS)
        disk->seek_point_count = 0;
    else if (key->type == KEY_PROSE)
        memset((char *)base + key->offset, 0, key->size);
}

static bool same_place(const struct entry *a, const struct entry *b)
{
    return a->file == b->file && a->command_line == b->command_line;
}

bool reading_store(const struct reading *reading, enum section section, int instance, void *base)
{
    const struct entry *last_list = NULL;
    char why[WHY_MAX] = "";

    for (size_t i = 0; i < reading->entry_count; i++) {
        const struct entry *entry = &reading->entry[i];

        if (entry->section != section || entry->instance != instance)
            continue;
        if (!last_list || last_list->key != entry->key || !same_place(last_list, entry))
            clear_list(entry->key, base);
        last_list = entry;
        if (value_store(entry->key, base, entry->value, why))
            continue;
        if (entry->command_line)
            return complain(reading->complaint, "--set", 0, "%s: %s", entry->name, why);
        return complain(reading->complaint, reading->file[entry->file].path, entry->line, "%s: %s",
                        entry->name, why);
    }
    return true;
}

/* Reads the file of a preset and stores its keys. */
static bool store_preset(struct reading *reading, enum section section, int instance,
                         const char *name, void *base)
{
    char path[PATH_BYTES];

    if (!find_preset(reading, section, instance, name, path))
        return false;
    struct reading *preset = reading_new(reading->scenario, reading->complaint);

    if (!preset)
        return false;
    preset->preset = section;
    bool good =
        reading_add_file(preset, path) && reading_store(preset, section, EVERY_INSTANCE, base);

    reading_free(preset);
    return good;
}

void preset_defaults(enum section section, void *base)
{
    char why[WHY_MAX];

    for (unsigned i = 0; key_at(i); i++) {
        const struct key *key = key_at(i);

        if (key->section != section || key->dflt[0] == '\0')
            continue;
        bool good = value_store(key, base, key->dflt, why);

        ASSERT(good);
    }
}

bool preset_apply(struct reading *reading, enum section section, int instance, void *base)
{
    const struct entry *entry = reading_last(reading, section, instance, "preset");
    const struct key *key = key_find(section, "preset");
    bool another = instance == EVERY_INSTANCE || entry;

    ASSERT(key);
    if (another) {
        if (section == SECTION_DISK)
            memset(base, 0, sizeof(struct disk_preset));
        preset_defaults(section, base);
    }
    const char *name = entry ? entry->value : key->dflt;

    if (another && *name && strcmp(name, "none") &&
        !store_preset(reading, section, instance, name, base))
        return false;
    return reading_store(reading, section, instance, base);
}
