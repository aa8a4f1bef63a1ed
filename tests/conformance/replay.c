/*
 * Replays: see replay.h.
 *
 * Settings become --set overrides of a common scenario file, so that they go through all the checks
 * a user's would. What the recordings did before they began to record (one write to the last block
 * of the array, then a pause) is done here too, and what the members saw of it is left out.
 */
#define _GNU_SOURCE
#include "tests/conformance/replay.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/io.h"
#include "sim/io_log.h"
#include "sim/simulation.h"

enum {
    SETTINGS_MAX = 64,
    SETTING_BYTES = 250,
    LIMIT_SECONDS = 20, /* of real time for one experiment */
    BIOS_MAX = 1 << 20
};
static const uint64_t prime_ns = 350000000; /* half the pause after the priming write */

struct settings {
    char text[SETTINGS_MAX][SETTING_BYTES];
    const char *list[SETTINGS_MAX];
    unsigned count;
};

/* What the child process leaves behind. */
struct outcome {
    size_t count;
    char trouble[TROUBLE_MAX];
    struct bio_seen bio[BIOS_MAX];
};

/* What the commands of the sync-* experiments tell md to do; NULL: something else. A resync begins
 * by itself once `idle` has taken off the freeze of an array that is not clean. */
static const char *sync_action(const struct recording *r)
{
    const char *cmd = recording_text(r, "cmd");
    const char *wait = strchr(cmd, ';'), *pre = recording_text(r, "precmd");

    if (!wait || strstr(pre, "ioseq") || strstr(wait, "check"))
        return NULL;
    if (!strncmp(cmd, "echo check > /sys/block/md0/md/sync_action", (size_t)(wait - cmd)))
        return "check";
    if (!strncmp(cmd, "echo idle > /sys/block/md0/md/sync_action", (size_t)(wait - cmd)) &&
        !recording_number(r, "clean", 1))
        return "resync";
    return NULL;
}

const char *replay_lacks(const struct recording *r)
{
    if ((*recording_text(r, "cmd") || *recording_text(r, "precmd")) && !sync_action(r))
        return "a command instead of I/O";
    if (*recording_text(r, "under"))
        return "members with errors";
    if (*recording_text(r, "journal") || *recording_text(r, "cons"))
        return "journal or PPL";
    if (strcmp(recording_text(r, "bitmap"), "none"))
        return "bitmap";
    if (recording_number(r, "level", 5) != 5)
        return "another level";
    if (recording_number(r, "threads", 0))
        return "worker threads";
    return NULL;
}

__attribute__((format(printf, 2, 3))) static void set(struct settings *s, const char *format, ...)
{
    va_list args;

    if (s->count == SETTINGS_MAX)
        abort();
    va_start(args, format);
    vsnprintf(s->text[s->count], SETTING_BYTES, format, args);
    va_end(args);
    s->list[s->count] = s->text[s->count];
    s->count++;
}

/* "0 1" -> "0,1" */
static void set_failed(struct settings *s, const char *list)
{
    char text[64];

    if (!*list)
        return;
    snprintf(text, sizeof text, "%s", list);
    for (char *c = text; *c; c++)
        *c = (char)(*c == ' ' ? ',' : *c);
    set(s, "array.failed_members=%s", text);
}

static void set_array(struct settings *s, const struct recording *r)
{
    uint64_t component =
        (uint64_t)json_integer_value(json_object_get(r->json, "component_sectors"));

    set(s, "array.raid_disks=%" PRIu64, recording_number(r, "n", 4));
    set(s, "array.chunk_size=%" PRIu64 "k", recording_number(r, "chunk", 64));
    set(s, "array.layout=%s", recording_text(r, "layout"));
    set(s, "array.component_size=%" PRIu64, component * 512);
    set(s, "array.stripe_cache_size=%" PRIu64, recording_number(r, "cache", 256));
    set(s, "array.rmw_level=%" PRIu64, recording_number(r, "rmw", 1));
    set(s, "array.skip_copy=%" PRIu64, recording_number(r, "skip", 0));
    set(s, "array.preread_bypass_threshold=%" PRIu64, recording_number(r, "bypass", 1));
    if (!recording_number(r, "clean", 1))
        set(s, "array.recovery_start=0");
    set_failed(s, recording_text(r, "fail"));
}

/* precmd may narrow the pass: "echo SECTORS > .../sync_min; echo SECTORS > .../sync_max". */
static void set_sync(struct settings *s, const struct recording *r)
{
    static const char format[] =
        "echo %" SCNu64 " > /sys/block/md0/md/sync_min; echo %" SCNu64 " > ";
    uint64_t from, to;

    if (!sync_action(r))
        return;
    set(s, "array.sync_action=%s", sync_action(r));
    set(s, "array.sync_delay=700ms");
    if (sscanf(recording_text(r, "precmd"), format, &from, &to) == 2) {
        set(s, "array.sync_min=%" PRIu64, from * 512);
        set(s, "array.sync_max=%" PRIu64, to * 512);
    }
}

static void set_members(struct settings *s, const struct recording *r)
{
    set(s, "disk.capacity=%" PRIu64 "M",
        recording_number(r, "disk", recording_number(r, "size", 8) + 8));
    set(s, "disk.latency_ns=%" PRIu64, recording_number(r, "cns", 100000));
    if (*recording_text(r, "slow"))
        set(s, "disk.%" PRIu64 ".latency_ns=%" PRIu64, recording_number(r, "slow", 0),
            recording_number(r, "slowcns", 1000000));
    if (*recording_text(r, "wc"))
        set(s, "disk.write_cache=%" PRIu64 "M", recording_number(r, "wc", 0));
}

/* A long script in several settings: repeated ones are joined. */
static void set_script(struct settings *s, const char *ops)
{
    enum { PART = 200 };

    while (*ops) {
        size_t length = strlen(ops);

        if (length > PART)
            for (length = PART; length > 0 && ops[length] != ' '; length--)
                ;
        set(s, "job.ioseq.ioseq=%.*s", (int)length, ops);
        ops += length;
        ops += strspn(ops, " ");
    }
}

/* The I/O that a command does while a sync goes on, for the caller to read before the next call. */
static const char *ops_of_command(const struct recording *r)
{
    static const char program[] = "; ioseq /dev/md0 ";
    static char ops[256];
    const char *at = sync_action(r) ? strstr(recording_text(r, "cmd"), program) : NULL;

    if (!at)
        return "";
    at += sizeof program - 1;
    snprintf(ops, sizeof ops, "%.*s", (int)strcspn(at, ";"), at);
    return ops;
}

static void set_all(struct settings *s, const struct recording *r)
{
    uint64_t component =
        (uint64_t)json_integer_value(json_object_get(r->json, "component_sectors"));
    uint64_t chunk = recording_number(r, "chunk", 64) * 2;
    uint64_t sectors = component / chunk * chunk * (recording_number(r, "n", 4) - 1);

    s->count = 0;
    set_array(s, r);
    set_members(s, r);
    set_sync(s, r);
    if (recording_number(r, "prime", 1))
        set(s, "job.ioseq.ioseq=w:%" PRIu64 ":4K sleep:700", sectors * 512 - 4096);
    set_script(s, recording_text(r, "pre"));
    set_script(s, recording_text(r, "ops"));
    set_script(s, ops_of_command(r));
}

/* What the members saw once the recording had begun: I/O with data. */
static void keep_bios(struct outcome *out, const struct io_log *log, bool primed)
{
    for (size_t i = 0; i < log->count && out->count < BIOS_MAX; i++) {
        const struct io_entry *e = &log->entry[i];

        if (e->kind == IO_FLUSH || (primed && e->ns < prime_ns))
            continue;
        out->bio[out->count++] = (struct bio_seen){ .ns = e->ns,
                                                    .sector = e->sector,
                                                    .sectors = e->sectors,
                                                    .member = e->member,
                                                    .write = e->kind == IO_WRITE };
    }
}

static void simulate(struct outcome *out, const struct scenario *scenario, bool primed)
{
    struct simulation sim;
    struct complaint why = { .line = 0 };
    struct io_log log = { .count = 0 };
    struct results *results = calloc(1, sizeof *results);
    unsigned stuck;

    if (!results || !simulation_new(&sim, scenario, &why)) {
        snprintf(out->trouble, TROUBLE_MAX, "cannot start: %.400s", why.text);
        return;
    }
    clockwork_log_io(sim.clock, &log);
    clockwork_run(sim.clock, UINT64_MAX - 1);
    clockwork_results(sim.clock, results);
    keep_bios(out, &log, primed);
    stuck = simulation_stuck(&sim);
    if (results->findings)
        snprintf(out->trouble, TROUBLE_MAX, "finding: %.400s", results->finding);
    else if (stuck)
        snprintf(out->trouble, TROUBLE_MAX, "stuck: I/O that never ends");
    io_log_free(&log);
    simulation_free(&sim);
    free(results);
}

bool replay_scenario(const struct recording *r, const char *base, struct scenario *scenario,
                     char *trouble)
{
    struct settings *s = calloc(1, sizeof *s);
    struct complaint why = { .line = 0 };
    bool good;

    if (!s)
        abort();
    set_all(s, r);
    good = scenario_load(scenario, base, &(struct overrides){ s->list, s->count }, &why);
    if (!good)
        snprintf(trouble, TROUBLE_MAX, "%.80s: %.400s", why.file, why.text);
    free(s);
    return good;
}

static void replay_here(const struct recording *r, const char *base, struct outcome *out)
{
    struct scenario *scenario = calloc(1, sizeof *scenario);

    if (!scenario)
        abort();
    if (replay_scenario(r, base, scenario, out->trouble))
        simulate(out, scenario, recording_number(r, "prime", 1) != 0);
    free(scenario);
}

/* How the child ended, and the last thing it said. */
static void tell_end(struct outcome *out, int status, int complaints)
{
    char said[TROUBLE_MAX / 2] = "";
    ssize_t bytes = read(complaints, said, sizeof said - 1);

    said[bytes > 0 ? strcspn(said, "\n") : 0] = '\0';
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(out->trouble, TROUBLE_MAX, "no end within %d s", LIMIT_SECONDS);
    else if (WIFSIGNALED(status) || WEXITSTATUS(status))
        snprintf(out->trouble, TROUBLE_MAX, "died: %s", *said ? said : strsignal(WTERMSIG(status)));
}

static bool run_apart(const struct recording *r, const char *base, struct outcome *out)
{
    int ends[2], status = 0;
    pid_t child;

    if (pipe(ends))
        return false;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        alarm(LIMIT_SECONDS);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        replay_here(r, base, out);
        _exit(0);
    }
    close(ends[1]);
    if (child > 0 && waitpid(child, &status, 0) == child)
        tell_end(out, status, ends[0]);
    close(ends[0]);
    return child > 0;
}

bool replay_run(const struct recording *r, const char *base, struct bio_list *bios, char *trouble)
{
    struct outcome *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    memset(bios, 0, sizeof *bios);
    snprintf(trouble, TROUBLE_MAX, "no memory or process for it");
    if (out == MAP_FAILED)
        return false;
    if (run_apart(r, base, out)) {
        memcpy(trouble, out->trouble, TROUBLE_MAX);
        bios->bio = calloc(out->count + 1, sizeof *bios->bio);
        if (!bios->bio)
            abort();
        bios->count = out->count;
        memcpy(bios->bio, out->bio, out->count * sizeof *bios->bio);
    }
    munmap(out, sizeof *out);
    return *trouble == '\0';
}
