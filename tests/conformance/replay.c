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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/io.h"
#include "sim/io_log.h"
#include "sim/simulation.h"
#include "tests/conformance/state.h"

enum {
    LIMIT_SECONDS = 20, /* of real time for one experiment */
    BIOS_MAX = 1 << 20
};
/* What the child process leaves behind. */
struct outcome {
    size_t count;
    struct state_seen state;
    char trouble[TROUBLE_MAX];
    struct bio_seen bio[BIOS_MAX];
};

const char *replay_lacks(const struct recording *r)
{
    static struct settings unused;
    struct timeline line;

    if (*recording_text(r, "journal") && strstr(recording_text(r, "precmd"), "write-back"))
        return "write-back journal";
    if (recording_number(r, "level", 5) != 5)
        return "another level";
    memset(&unused, 0, sizeof unused);
    return commands_translate(&unused, r, &line);
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
    settings_add(s, "array.failed_members=%s", text);
}

static void set_array(struct settings *s, const struct recording *r)
{
    uint64_t component =
        (uint64_t)json_integer_value(json_object_get(r->json, "component_sectors"));
    char chunk[16];

    settings_add(s, "array.raid_disks=%" PRIu64, recording_number(r, "n", 4));
    settings_add(s, "array.chunk_size=%" PRIu64 "k", recording_number(r, "chunk", 64));
    settings_add(s, "array.layout=%s", recording_text(r, "layout"));
    settings_add(s, "array.component_size=%" PRIu64, component * 512);
    settings_add(s, "array.stripe_cache_size=%" PRIu64, recording_number(r, "cache", 256));
    settings_add(s, "array.rmw_level=%" PRIu64, recording_number(r, "rmw", 1));
    settings_add(s, "array.skip_copy=%" PRIu64, recording_number(r, "skip", 0));
    settings_add(s, "array.preread_bypass_threshold=%" PRIu64, recording_number(r, "bypass", 1));
    settings_add(s, "array.group_thread_cnt=%" PRIu64, recording_number(r, "threads", 0));
    if (*recording_text(r, "journal"))
        settings_add(s, "array.journal=1");
    if (*recording_text(r, "cons"))
        settings_add(s, "array.consistency_policy=%s", recording_text(r, "cons"));
    if (!recording_number(r, "clean", 1))
        settings_add(s, "array.recovery_start=0");
    if (*recording_text(r, "meta"))
        settings_add(s, "array.metadata=%s", recording_text(r, "meta"));
    if (recording_number(r, "prime", 1))
        settings_add(s, "array.safe_mode_delay=0");
    set_failed(s, recording_text(r, "fail"));
    if (!strcmp(recording_text(r, "bitmap"), "internal")) {
        settings_add(s, "array.bitmap=internal");
        settings_add(s, "array.bitmap_fresh=1");
    }
    if (sscanf(recording_text(r, "create"), "--bitmap-chunk=%15s", chunk) == 1)
        settings_add(s, "array.bitmap_chunk=%s", chunk);
}

static void set_members(struct settings *s, const struct recording *r)
{
    settings_add(s, "disk.capacity=%" PRIu64 "M",
                 recording_number(r, "disk", recording_number(r, "size", 8) + 8));
    settings_add(s, "disk.latency_ns=%" PRIu64, recording_number(r, "cns", 100000));
    if (*recording_text(r, "slow"))
        settings_add(s, "disk.%" PRIu64 ".latency_ns=%" PRIu64, recording_number(r, "slow", 0),
                     recording_number(r, "slowcns", 1000000));
    if (*recording_text(r, "wc"))
        settings_add(s, "disk.write_cache=%" PRIu64 "M", recording_number(r, "wc", 0));
}

static void set_all(struct settings *s, const struct recording *r, struct timeline *line)
{
    uint64_t component =
        (uint64_t)json_integer_value(json_object_get(r->json, "component_sectors"));
    uint64_t chunk = recording_number(r, "chunk", 64) * 2;
    uint64_t sectors = component / chunk * chunk * (recording_number(r, "n", 4) - 1);

    s->count = 0;
    set_array(s, r);
    set_members(s, r);
    if (recording_number(r, "prime", 1))
        settings_add(s, "job.prime.ioseq=w:%" PRIu64 ":4K", sectors * 512 - 4096);
    commands_translate(s, r, line);
}

static bool is_metadata(const struct io_entry *e)
{
    return e->reason == REASON_SUPERBLOCK || e->reason == REASON_BAD_BLOCKS ||
           e->reason == REASON_BITMAP || e->reason == REASON_PPL || e->reason == REASON_JOURNAL;
}

/* What the members saw once the recording had begun: I/O with data. */
static void keep_bios(struct outcome *out, const struct io_log *log, const struct timeline *line,
                      const struct shape *shape)
{
    for (size_t i = 0; i < log->count && out->count < BIOS_MAX; i++) {
        const struct io_entry *e = &log->entry[i];

        if (e->kind == IO_FLUSH || e->ns < line->recording_ns || is_metadata(e))
            continue;
        out->bio[out->count++] =
            (struct bio_seen){ .ns = e->ns,
                               .sector = e->sector,
                               .sectors = e->sectors,
                               .member = (uint16_t)state_device(line, shape, e->member),
                               .write = e->kind == IO_WRITE };
    }
}

static void simulate(struct outcome *out, const struct scenario *scenario,
                     const struct timeline *line)
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
    keep_bios(out, &log, line, &sim.world->shape);
    state_take(&out->state, &sim, results, &log, line);
    stuck = simulation_stuck(&sim);
    if (results->findings)
        snprintf(out->trouble, TROUBLE_MAX, "finding: %.400s", results->finding);
    else if (stuck)
        snprintf(out->trouble, TROUBLE_MAX, "stuck: I/O that never ends");
    io_log_free(&log);
    simulation_free(&sim);
    free(results);
}

bool replay_scenario(const struct recording *r, const char *folder, struct scenario *scenario,
                     struct timeline *line, char *trouble)
{
    char base[4096];
    struct settings *s = calloc(1, sizeof *s);
    struct complaint why = { .line = 0 };
    bool good;

    if (!s)
        abort();
    set_all(s, r, line);
    snprintf(base, sizeof base, "%s/%s", folder,
             !line->io                         ? "idle.cfg"
             : recording_number(r, "prime", 1) ? "primed.cfg"
                                               : "base.cfg");
    good = scenario_load(scenario, base, &(struct overrides){ s->list, s->count }, &why);
    if (!good)
        snprintf(trouble, TROUBLE_MAX, "%.80s: %.400s", why.file, why.text);
    free(s);
    return good;
}

static void replay_here(const struct recording *r, const char *folder, struct outcome *out)
{
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct timeline line;

    if (!scenario)
        abort();
    if (replay_scenario(r, folder, scenario, &line, out->trouble))
        simulate(out, scenario, &line);
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

static bool run_apart(const struct recording *r, const char *folder, struct outcome *out)
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
        replay_here(r, folder, out);
        _exit(0);
    }
    close(ends[1]);
    if (child > 0 && waitpid(child, &status, 0) == child)
        tell_end(out, status, ends[0]);
    close(ends[0]);
    return child > 0;
}

bool replay_run(const struct recording *r, const char *folder, struct bio_list *bios,
                struct state_seen *state, char *trouble)
{
    struct outcome *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    memset(bios, 0, sizeof *bios);
    memset(state, 0, sizeof *state);
    snprintf(trouble, TROUBLE_MAX, "no memory or process for it");
    if (out == MAP_FAILED)
        return false;
    if (run_apart(r, folder, out)) {
        memcpy(trouble, out->trouble, TROUBLE_MAX);
        bios->bio = calloc(out->count + 1, sizeof *bios->bio);
        if (!bios->bio)
            abort();
        bios->count = out->count;
        *state = out->state;
        memcpy(bios->bio, out->bio, out->count * sizeof *bios->bio);
    }
    munmap(out, sizeof *out);
    return *trouble == '\0';
}
