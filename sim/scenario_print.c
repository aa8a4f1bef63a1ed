/*
 * The table of keys and the presets, printed for people, for the shell completion and for the man
 * page.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/complaint.h"
#include "sim/keys.h"
#include "sim/nearest.h"
#include "sim/scenario.h"
#include "sim/scenario_internal.h"
#include "sim/scenario_print.h"

/* "0..65535", or nothing for keys whose values are words. */
static void range_text(const struct key *key, char *text, size_t size)
{
    text[0] = '\0';
    if (key->type == KEY_MILLI)
        snprintf(text, size, "%" PRIu64 "..%" PRIu64, key->min / 1000, key->max / 1000);
    else if (key->max > 1)
        snprintf(text, size, "%" PRIu64 "..%" PRIu64, key->min, key->max);
}

static bool matches(const char *pattern, const char *section, const char *name, const char *help)
{
    char full[160];

    snprintf(full, sizeof full, "%s.%s", section, name);
    return !pattern || strstr(full, pattern) || strstr(help, pattern);
}

static const char *type_text(const struct key *key)
{
    switch ((enum key_type)key->type) {
    case KEY_TEXT:
    case KEY_PROSE:
        return "text";
    case KEY_BYTES32:
    case KEY_BYTES64:
    case KEY_CHUNK:
    case KEY_CAPACITY:
    case KEY_BLOCK:
    case KEY_BLOCKALIGN:
    case KEY_SYNCED:
        return "size";
    case KEY_SHARE:
        return "size|%";
    case KEY_NS32:
    case KEY_NS64:
    case KEY_US32:
    case KEY_SECONDS:
    case KEY_MICROSECONDS:
        return "time";
    case KEY_FLAG:
    case KEY_SWITCH:
    case KEY_DIRECT:
        return "switch";
    case KEY_MILLI:
        return "decimal";
    case KEY_CHOICE32:
    case KEY_CHOICE_TEXT:
    case KEY_LEVEL:
    case KEY_LAYOUT:
    case KEY_RW:
    case KEY_ENGINE:
    case KEY_DISTRIBUTION:
        return "word";
    case KEY_ZONES:
    case KEY_SEEKS:
    case KEY_SPLIT:
    case KEY_MEMBERS:
    case KEY_WORDS32:
        return "list";
    default:
        return "whole";
    }
}

static void print_key(const struct key *key)
{
    char range[64], full[96];

    range_text(key, range, sizeof range);
    snprintf(full, sizeof full, "%s.%s", section_name((enum section)key->section), key->name);
    printf("%-28s %-8s %-16s %-24s %s: %s\n", full, type_text(key), key->dflt[0] ? key->dflt : "-",
           range[0] ? range : "-", key->unit, key->help);
}

static const char *expect_unit_text(uint8_t unit)
{
    static const char *const text[] = { [EXPECT_IN_NUMBER] = "number",
                                        [EXPECT_IN_RATE] = "MB/s, MiB/s, ...",
                                        [EXPECT_IN_PERCENT] = "percent",
                                        [EXPECT_IN_TIME] = "ns, us, ms, s",
                                        [EXPECT_IN_TEXT] = "word" };
    return text[unit];
}

static void print_expect(const char *name, const char *unit, const char *help)
{
    char full[96];

    snprintf(full, sizeof full, "expect.%s", name);
    printf("%-28s %-8s %-16s %-24s %s: %s\n", full, "expected", "-", "-", unit, help);
}

static const char symbol_help[] =
    "cycles per 4 KiB page moved that the profile books under a symbol";

int scenario_print_keys(const char *pattern)
{
    unsigned shown = 0;

    for (unsigned i = 0; key_at(i); i++) {
        const struct key *key = key_at(i);

        if (!matches(pattern, section_name((enum section)key->section), key->name, key->help))
            continue;
        if (shown++ == 0)
            printf("%-28s %-8s %-16s %-24s %s\n", "KEY", "TYPE", "DEFAULT", "RANGE",
                   "UNIT: MEANING");
        print_key(key);
    }
    for (unsigned i = 0; expect_name_at(i); i++) {
        const struct expect_name *name = expect_name_at(i);

        if (!matches(pattern, "expect", name->name, name->help))
            continue;
        if (shown++ == 0)
            printf("%-28s %-8s %-16s %-24s %s\n", "KEY", "TYPE", "DEFAULT", "RANGE",
                   "UNIT: MEANING");
        print_expect(name->name, expect_unit_text(name->unit), name->help);
    }
    if (matches(pattern, "expect", "symbol.NAME", symbol_help)) {
        print_expect("symbol.NAME", "cycles", symbol_help);
        shown++;
    }
    return shown ? 0 : 1;
}

void scenario_print_key_names(void)
{
    for (unsigned i = 0; key_at(i); i++)
        printf("%s.%s\n", section_name((enum section)key_at(i)->section), key_at(i)->name);
    for (unsigned i = 0; expect_name_at(i); i++)
        printf("expect.%s\n", expect_name_at(i)->name);
}

/* Text for troff: a backslash or a minus sign means something there. */
static void print_troff(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void print_man_key(const struct key *key)
{
    char range[64];

    range_text(key, range, sizeof range);
    fputs(".TP\n.B ", stdout);
    print_troff(key->name);
    fputs("\n\\&", stdout);
    print_troff(key->help);
    fputs(".\n\\&(", stdout);
    print_troff(key->unit);
    if (range[0])
        printf("; %s", range);
    if (key->dflt[0]) {
        fputs("; default ", stdout);
        print_troff(key->dflt);
    }
    fputs(")\n", stdout);
}

void scenario_print_keys_man(void)
{
    const char *section = "";

    for (unsigned i = 0; key_at(i); i++) {
        const char *now = section_name((enum section)key_at(i)->section);

        if (strcmp(now, section))
            printf(".SS [%s]\n", now);
        section = now;
        print_man_key(key_at(i));
    }
    fputs(".SS [expect]\n", stdout);
    for (unsigned i = 0; expect_name_at(i); i++) {
        printf(".TP\n.B %s\n\\&", expect_name_at(i)->name);
        print_troff(expect_name_at(i)->help);
        printf(".\n\\&(%s)\n", expect_unit_text(expect_name_at(i)->unit));
    }
    printf(".TP\n.B symbol.NAME\n\\&%s.\n", symbol_help);
}

static int is_config(const struct dirent *item)
{
    size_t length = strlen(item->d_name);

    return item->d_name[0] != '.' && length > 4 && !strcmp(item->d_name + length - 4, ".cfg");
}

/* Reads one preset and prints its name and source. False: complained. */
static bool print_preset(enum section section, const char *folder, const char *file)
{
    struct complaint complaint = { .line = 0 };
    char path[8192];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    struct reading *reading = reading_new(NULL, &complaint);

    if (!reading)
        return false;
    reading->preset = section;
    bool good = reading_add_file(reading, path);

    if (good) {
        const struct entry *source = reading_last(reading, section, EVERY_INSTANCE, "source");

        printf("%-8s %-24.*s %s\n", preset_kind(section), (int)strlen(file) - 4, file,
               source ? source->value : "-");
    } else {
        complaint_print(stderr, &complaint);
    }
    reading_free(reading);
    return good;
}

static bool print_kind(enum section section)
{
    char folder[4096];
    struct dirent **item;
    bool good = true;

    if (!preset_folder(preset_kind(section), folder, sizeof folder)) {
        fprintf(stderr, "%s: no such folder\n", folder);
        return false;
    }
    int count = scandir(folder, &item, is_config, alphasort);

    for (int i = 0; i < count; i++) {
        good = print_preset(section, folder, item[i]->d_name) && good;
        free(item[i]);
    }
    if (count >= 0)
        free(item);
    return good && count >= 0;
}

int scenario_print_presets(void)
{
    bool hosts = print_kind(SECTION_HOST);
    bool drivers = print_kind(SECTION_DRIVER);
    bool disks = print_kind(SECTION_DISK);

    return hosts && drivers && disks ? 0 : 2;
}
