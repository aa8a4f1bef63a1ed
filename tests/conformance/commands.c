/* Commands of the recordings: see commands.h. */
#include "tests/conformance/commands.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario.h"

enum {
    PRECMD_MS = 800, /* after the first write */
    PAUSE_MS = 700,  /* between precmd and what is recorded */
    START_MS = 6,    /* what a process of the recording machine needs before its first I/O */
    IOSEQ_MS = 400,  /* slots */
    WAITIDLE_MS = 600
};

/* Times in microseconds, since that is what the recordings' usleep takes. */
struct translator {
    struct settings *settings;
    const struct recording *recording;
    uint64_t now_us;    /* of the shell */
    uint64_t script_us; /* when the script, as far as it goes, would do its next I/O */
    unsigned faults;    /* so many have been given names */
    int injection;      /* the fault that `faulty` switched on; -1: none */
    struct timeline *timeline;
    bool sync_told, pre; /* a pass has been asked for; precmd is being translated */
};

static char trouble[128];

static const char *not_done(const char *command)
{
    snprintf(trouble, sizeof trouble, "command: %.100s", command);
    return trouble;
}

/* ---- I/O of the array */

/* A long script in several settings: repeated ones are joined. */
static void add_script(struct settings *s, const char *ops)
{
    enum { PART = 200 };

    while (*ops) {
        size_t length = strlen(ops);

        if (length > PART)
            for (length = PART; length > 0 && ops[length] != ' '; length--)
                ;
        settings_add(s, "job.ioseq.ioseq=%.*s", (int)length, ops);
        ops += length;
        ops += strspn(ops, " ");
    }
}

static void add_io(struct translator *t, const char *ops)
{
    uint64_t start = t->now_us + START_MS * 1000;

    if (!*ops)
        return;
    t->timeline->io = true;
    if (!t->script_us)
        settings_add(t->settings, "job.ioseq.startdelay=%" PRIu64 "us", start);
    else if (start > t->script_us)
        settings_add(t->settings, "job.ioseq.ioseq=sleep:%" PRIu64,
                     (start - t->script_us + 999) / 1000);
    t->script_us = start;
    add_script(t->settings, ops);
}

/* ---- faults and what an administrator does */

static void fault(struct translator *t, const char *what)
{
    settings_add(t->settings, "fault.%u.what=%s", t->faults, what);
    settings_add(t->settings, "fault.%u.at=%" PRIu64 "us", t->faults, t->now_us);
}

/* A device's number. */
static unsigned member_of(const struct translator *t, const char *device)
{
    unsigned number = 0;

    if (sscanf(device, "/dev/nullb%u", &number) != 1)
        return (unsigned)recording_number(t->recording, "under", 0);
    return number;
}

/* ioseq /dev/nullbN w:OFFSET:LENGTH ...: contents of a member change behind the array's back. */
static const char *spoil(struct translator *t, const char *device, const char *ops)
{
    char offset[32], length[32];

    for (; *ops; ops += strcspn(ops, " "), ops += strspn(ops, " ")) {
        if (sscanf(ops, "w:%31[^:]:%31[0-9KM]", offset, length) != 2)
            return not_done(ops);
        fault(t, "rot");
        settings_add(t->settings, "fault.%u.member=%u", t->faults, member_of(t, device));
        settings_add(t->settings, "fault.%u.offset=%s", t->faults, offset);
        settings_add(t->settings, "fault.%u.size=%s", t->faults, length);
        t->faults++;
    }
    return NULL;
}

/* The md personality `faulty`: rf3 fails every third read and remembers its sector until it is
 * written, rp for ever, wp the same for writes, rt and wt remember nothing; none stops. */
static const char *inject(struct translator *t, const char *mode)
{
    static const struct {
        const char *mode, *what, *lasts;
    } known[] = { { "rf", "read_error", "rewrite" },
                  { "rp", "read_error", "ever" },
                  { "rt", "read_error", "io" },
                  { "wp", "write_error", "ever" },
                  { "wt", "write_error", "io" } };

    if (t->injection >= 0)
        settings_add(t->settings, "fault.%d.until=%" PRIu64 "us", t->injection, t->now_us);
    t->injection = -1;
    if (!strcmp(mode, "none"))
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strncmp(mode, known[i].mode, 2))
            continue;
        t->injection = (int)t->faults;
        fault(t, known[i].what);
        settings_add(t->settings, "fault.%u.member=%" PRIu64, t->faults,
                     recording_number(t->recording, "under", 0));
        settings_add(t->settings, "fault.%u.every=%s", t->faults, mode + 2);
        settings_add(t->settings, "fault.%u.lasts=%s", t->faults, known[i].lasts);
        t->faults++;
        return NULL;
    }
    return not_done(mode);
}

/* The model's number for a device: that of its slot, or of the last time it was added. */
static unsigned device_of(const struct translator *t, const char *device)
{
    unsigned number = member_of(t, device);

    for (unsigned i = t->timeline->added_count; i-- > 0;)
        if (t->timeline->added[i] == number)
            return (unsigned)recording_number(t->recording, "n", 4) + i;
    return number;
}

static void add(struct translator *t, const char *device)
{
    struct timeline *line = t->timeline;

    fault(t, "add");
    if (line->added_count < ADDITIONS_MAX)
        line->added[line->added_count++] = member_of(t, device);
}

static const char *manage(struct translator *t, const char *arguments)
{
    char verb[16], device[32];

    if (sscanf(arguments, "/dev/md0 --%15s %31s", verb, device) != 2)
        return not_done(arguments);
    if (!strcmp(verb, "remove"))
        return NULL; /* md does it by itself */
    if (!strcmp(verb, "fail"))
        fault(t, "fail");
    else if (!strcmp(verb, "add"))
        add(t, device);
    else if (!strcmp(verb, "re-add"))
        fault(t, "re_add");
    else
        return not_done(arguments);
    if (strcmp(verb, "add"))
        settings_add(t->settings, "fault.%u.member=%u", t->faults, device_of(t, device));
    t->faults++;
    return NULL;
}

/* ---- sysfs */

static const char *set_action(struct translator *t, const char *action)
{
    bool clean = recording_number(t->recording, "clean", 1);

    if (!strcmp(action, "idle") && !clean && !t->sync_told)
        action = "resync"; /* takes the freeze off */
    if (strcmp(action, "check") && strcmp(action, "repair") && strcmp(action, "resync") &&
        strcmp(action, "idle"))
        return not_done(action);
    if (t->sync_told || !strcmp(action, "idle")) {
        fault(t, action);
        t->faults++;
        return NULL;
    }
    t->sync_told = true;
    settings_add(t->settings, "array.sync_action=%s", action);
    settings_add(t->settings, "array.sync_delay=%" PRIu64 "us", t->now_us);
    return NULL;
}

static const char *set_attribute(struct translator *t, const char *value, const char *name)
{
    uint64_t sectors = 0;

    if (!strcmp(name, "sync_action"))
        return set_action(t, value);
    if (sscanf(value, "%" SCNu64, &sectors) != 1 && strcmp(value, "max"))
        return not_done(name);
    if (!strcmp(name, "sync_min") && !t->sync_told) {
        settings_add(t->settings, "array.sync_min=%" PRIu64, sectors * 512);
        return NULL;
    }
    if (strcmp(name, "sync_max"))
        return not_done(name);
    if (t->pre) {
        settings_add(t->settings, "array.sync_max=%" PRIu64, sectors * 512);
        return NULL;
    }
    fault(t, "sync_max");
    settings_add(t->settings, "fault.%u.offset=%" PRIu64, t->faults,
                 strcmp(value, "max") ? sectors * 512 : (uint64_t)1 << 50);
    t->faults++;
    return NULL;
}

/* ---- the shell */

/* The next argument of a command, taken off its front. */
static void take_word(const char **rest, char *word, size_t size)
{
    size_t length = strcspn(*rest, " ");

    snprintf(word, size, "%.*s", (int)length, *rest);
    *rest += length;
    *rest += strspn(*rest, " ");
}

static const char *run_ioseq(struct translator *t, const char *rest, bool background)
{
    char device[32];
    const char *why = NULL;

    take_word(&rest, device, sizeof device);
    if (!strcmp(device, "/dev/md0"))
        add_io(t, rest);
    else
        why = spoil(t, device, rest);
    if (!background)
        t->now_us += !strcmp(device, "/dev/md0") ? IOSEQ_MS * 1000u : START_MS * 1000u;
    return why;
}

/* dd of=/dev/md0 bs=SIZE count=N oflag=direct: one write after the other. */
static const char *run_dd(struct translator *t, const char *rest)
{
    char word[64], bytes[32] = "", ops[96];
    uint64_t block = 0, count = 0;
    bool array = false, direct = false;

    while (*rest) {
        take_word(&rest, word, sizeof word);
        array |= !strcmp(word, "of=/dev/md0");
        direct |= !strcmp(word, "oflag=direct");
        if (sscanf(word, "bs=%31s", bytes) == 1)
            units_bytes(bytes, &block);
        sscanf(word, "count=%" SCNu64, &count);
    }
    if (!array || !direct || !block || !count)
        return not_done("dd");
    snprintf(ops, sizeof ops, "seq:w:0:%" PRIu64 ":%" PRIu64 ":1", block * count, block);
    add_io(t, ops);
    t->now_us += IOSEQ_MS * 1000;
    return NULL;
}

static const char *run(struct translator *t, const char *command, bool background)
{
    char word[32], value[64], path[128];
    const char *rest = command, *slash;
    uint64_t us;

    take_word(&rest, word, sizeof word);
    if (!strcmp(word, "ioseq"))
        return run_ioseq(t, rest, background);
    if (!strcmp(word, "faulty"))
        return inject(t, rest);
    if (!strcmp(word, "mdadm"))
        return manage(t, rest);
    if (sscanf(command, "usleep %" SCNu64, &us) == 1)
        t->now_us += us;
    else if (!strcmp(word, "waitidle"))
        t->now_us += WAITIDLE_MS * 1000;
    else if (sscanf(command, "echo %63s > %127s", value, path) == 2 && (slash = strrchr(path, '/')))
        return set_attribute(t, value, slash + 1);
    else if (!strcmp(word, "dd"))
        return run_dd(t, rest);
    else if (strcmp(word, "wait") && strcmp(word, "cat"))
        return not_done(command);
    return NULL;
}

/* Commands parted by ; or &. */
static const char *run_all(struct translator *t, const char *line)
{
    const char *why = NULL;

    while (*line && !why) {
        size_t length = strcspn(line, ";&"), trimmed = length;
        char command[512];

        while (trimmed && isspace((unsigned char)line[trimmed - 1]))
            trimmed--;
        snprintf(command, sizeof command, "%.*s", (int)trimmed, line);
        if (trimmed)
            why = run(t, command, line[length] == '&');
        line += length + (line[length] != '\0');
        line += strspn(line, " ");
    }
    return why;
}

const char *commands_translate(struct settings *s, const struct recording *r,
                               struct timeline *timeline)
{
    struct translator t = {
        .settings = s, .recording = r, .injection = -1, .pre = true, .timeline = timeline
    };
    const char *why;

    memset(timeline, 0, sizeof *timeline);
    t.now_us = PRECMD_MS * 1000;
    if (*recording_text(r, "pre")) {
        add_io(&t, recording_text(r, "pre"));
        t.now_us += IOSEQ_MS * 1000;
    }
    why = run_all(&t, recording_text(r, "precmd"));
    t.now_us += PAUSE_MS * 1000;
    t.pre = false;
    timeline->recording_ns = t.now_us * 1000;
    if (why)
        return why;
    if (*recording_text(r, "cmd")) {
        why = run_all(&t, recording_text(r, "cmd"));
    } else {
        add_io(&t, recording_text(r, "ops"));
        t.now_us += IOSEQ_MS * 1000;
    }
    timeline->end_ns = t.now_us * 1000 + recording_number(r, "settle", 700) * 1000000;
    return why;
}
