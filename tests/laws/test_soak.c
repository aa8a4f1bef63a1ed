/*
 * Soak: runs nobody thought of. A seed draws a whole scenario file, level to thinktime; the
 * program's own reader loads it, and the run must keep what every run promises, whatever its shape:
 *
 *   S1 it ends without a failed assertion, with no finding and no thread that waits for ever;
 *   S2 every instance of every job is over, and the world is at rest: nothing active, nothing
 * queued, all structural invariants hold; S3 the books agree: bytes with I/Os and block sizes,
 * histograms with I/Os, members with the array, lookups with hits, misses and waits, busy times
 * with the length of the run; S4 a second run gives the same world and the same reports, byte for
 * byte.
 *
 * SEED=n runs that seed alone; SEEDS=n runs n of them from SOAK_FROM (1) on; else a few seconds'
 * worth are run. A failing seed is named with its whole scenario, so that `raid5sim run` shows it,
 * too.
 */
#include "tests/lib/t.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/stripe.h"
#include "sim/dice.h"
#include "sim/report.h"
#include "sim/simulation.h"
#include "model/invariants.h"
#include "tests/lib/soak_scenario.h"

enum { SECONDS_DEFAULT = 4, SEEDS_AT_LEAST = 5 };

struct soak {
    uint64_t seed; /* being run; 0: none */
    char path[256], text[SOAK_TEXT_BYTES];
    struct scenario *scenario;
    struct simulation sim[2];
    struct results *results[2];
    char *report[2];
    size_t report_bytes[2];
};

static int set_up(void **state)
{
    struct soak *s = calloc(1, sizeof *s);
    const char *folder = getenv("TMPDIR");
    int fd;

    assert_non_null(s);
    snprintf(s->path, sizeof s->path, "%s/soak-XXXXXX", folder ? folder : P_tmpdir);
    fd = mkstemp(s->path);
    assert_true(fd >= 0);
    close(fd);
    s->scenario = calloc(1, sizeof *s->scenario);
    for (unsigned n = 0; n < 2; n++)
        s->results[n] = calloc(1, sizeof *s->results[n]);
    *state = s;
    return 0;
}

static void forget_run(struct soak *s)
{
    for (unsigned n = 0; n < 2; n++) {
        simulation_free(&s->sim[n]);
        free(s->report[n]);
        s->report[n] = NULL;
    }
}

/* Also after a failed assertion: says which seed it was. */
static int tear_down(void **state)
{
    struct soak *s = *state;

    if (s->seed)
        fprintf(stderr,
                "# seed %llu failed; `SEED=%llu tests/laws/test_soak` of the same build runs it "
                "again; its scenario:\n%s",
                (unsigned long long)s->seed, (unsigned long long)s->seed, s->text);
    unlink(s->path);
    forget_run(s);
    free(s->results[0]);
    free(s->results[1]);
    free(s->scenario);
    free(s);
    return 0;
}

static void load(struct soak *s)
{
    const struct overrides none = { NULL, 0 };
    struct complaint why = { .line = 0 };
    FILE *file = fopen(s->path, "w");

    assert_non_null(file);
    fputs(s->text, file);
    assert_int_equal(fclose(file), 0);
    if (!scenario_load(s->scenario, s->path, &none, &why))
        fail_msg("line %d: %s", why.line, why.text);
}

static void run(struct soak *s, unsigned n)
{
    struct complaint why = { .line = 0 };
    FILE *out;

    if (!simulation_new(&s->sim[n], s->scenario, &why))
        fail_msg("%s", why.text);
    clockwork_run(s->sim[n].clock, UINT64_MAX - 1);
    clockwork_results(s->sim[n].clock, s->results[n]);
    out = open_memstream(&s->report[n], &s->report_bytes[n]);
    assert_non_null(out);
    report_text(out, s->results[n]);
    assert_true(report_json(out, s->results[n]));
    assert_int_equal(fclose(out), 0);
}

/* ---- S1, S2 */

static uint64_t errors(const struct results *r)
{
    uint64_t n = 0;

    for (uint32_t j = 0; j < r->job_count; j++)
        n += r->job[j].dir[0].errors + r->job[j].dir[1].errors;
    return n;
}

/* One member in trouble, whatever happens to it, costs no answer and no I/O. With two, or with
 * contents that change in silence, md may not know better: then an I/O may fail, and a read be
 * wrong. */
static void nothing_is_lost(const struct soak *s)
{
    const struct results *r = s->results[0];

    if (soak_is_corrupted(s->scenario) || soak_members_struck(s->scenario) > 1)
        return;
    if (r->findings)
        fail_msg("finding: %s", r->finding);
    assert_int_equal(errors(r), 0);
}

static void everything_has_come_to_rest(struct soak *s)
{
    struct simulation *sim = &s->sim[0];
    const char *broken = invariants_broken(sim->world);
    struct ask ask;
    uint64_t when;

    nothing_is_lost(s);
    assert_int_equal(simulation_stuck(sim), 0);
    if (broken)
        fail_msg("%s", broken);
    if (sim->world->shape.stripes)
        assert_int_equal(array_see(sim->world, 0)->active, 0);
    for (unsigned i = 0; i < workload_instances(sim->load); i++)
        assert_int_equal(workload_next(sim->load, i, clockwork_now(sim->clock), &ask, &when),
                         WORKLOAD_OVER);
}

/* ---- S3 */

static void direction_is_consistent(const struct job *job, const struct results_direction *d)
{
    uint32_t least = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < job->split_count; i++) {
        least = job->split[i].bytes < least ? job->split[i].bytes : least;
        most = job->split[i].bytes > most ? job->split[i].bytes : most;
    }
    assert_true(d->bytes >= d->ios * least && d->bytes <= d->ios * most);
    assert_int_equal(d->bytes % 512, 0);
    assert_int_equal(d->clat.count, d->ios);
    assert_int_equal(d->slat.count, d->ios);
    assert_int_equal(d->lat.count, d->ios);
    assert_true(d->lat.sum == d->clat.sum + d->slat.sum);
}

/* A job without a runtime moves what it was told to, less than a block of each loop left out. */
static void job_moved_its_share(const struct soak *s, uint32_t j)
{
    const struct job *job = &s->scenario->job[j];
    const struct results_job *r = &s->results[0]->job[j];
    uint64_t bytes = r->dir[0].bytes + r->dir[1].bytes;
    uint64_t limit = job->io_size ? job->io_size : job->size;
    uint64_t loops = (uint64_t)job->loops * job->numjobs;

    if (job->runtime_ns || !limit || job->split_count > 1 || soak_has_ramp(s->scenario))
        return;
    assert_true(bytes <= loops * (limit > job->split[0].bytes ? limit : job->split[0].bytes));
    assert_true(bytes + loops * job->split[0].bytes > loops * limit);
}

static void members_agree_with_the_array(const struct soak *s)
{
    const struct results *r = s->results[0];
    uint64_t sectors[2] = { 0, 0 }, metadata = 0;

    for (uint32_t m = 0; m < r->member_count; m++) {
        assert_true(r->member[m].busy_ns <= r->end_ns);
        assert_true(r->member[m].busy_ns <= r->member[m].queue_ns);
        sectors[0] += r->member[m].sectors[0];
        sectors[1] += r->member[m].sectors[1];
        metadata += r->member[m].meta_sectors;
    }
    if (soak_has_ramp(s->scenario))
        return;
    if (s->scenario->array.level < LEVEL_RAID4) {
        assert_int_equal(sectors[0], r->array.sectors[0]);
        assert_int_equal(sectors[1], r->array.sectors[1]);
        return;
    }
    sectors[1] -= metadata; /* a superblock is one sector */
    assert_int_equal(sectors[1] % PAGE_SECTORS, 0);
    if (!s->scenario->fault_count && !s->scenario->array.spares) /* else members may be rebuilt */
        assert_int_equal(sectors[1] != 0, r->array.sectors[1] != 0);
    if (!s->scenario->driver.aligned_read_bypass)
        assert_int_equal(sectors[0] % PAGE_SECTORS, 0);
}

static void cache_is_consistent(const struct soak *s)
{
    const struct results_cache *k = &s->results[0]->cache;

    assert_true(k->active_max <= k->size);
    assert_true(k->wasted_wakeups <= k->wakeups);
    assert_true(k->blocked_ns <= k->wait_ns);
    assert_true(k->blocked_ns <= s->results[0]->end_ns);
    if (s->scenario->array.level < LEVEL_RAID4 || soak_has_ramp(s->scenario))
        return;
    assert_int_equal(k->hits + k->misses + k->waits, k->lookups);
    if (!s->scenario->driver.aligned_read_bypass)
        assert_true(k->attached_pages >= s->results[0]->pages);
}

static void books_agree(const struct soak *s)
{
    const struct results *r = s->results[0];
    uint64_t bytes = 0;

    for (uint32_t j = 0; j < r->job_count; j++) {
        for (unsigned dir = 0; dir < 2; dir++) {
            direction_is_consistent(&s->scenario->job[j], &r->job[j].dir[dir]);
            bytes += r->job[j].dir[dir].bytes;
        }
        job_moved_its_share(s, j);
    }
    if (!soak_has_ramp(s->scenario))
        assert_true(bytes > 0);
    for (uint32_t i = 0; i < r->cpu_count; i++) {
        assert_true(r->cpu[i].busy_ns <= r->end_ns);
        assert_true(r->cpu[i].busy_ns >= r->cpu[i].irq_ns);
        assert_true(r->cpu[i].busy_ns >= r->cpu[i].spin_ns);
    }
    members_agree_with_the_array(s);
    cache_is_consistent(s);
}

/* ---- S4 */

static void the_second_run_is_the_first(const struct soak *s)
{
    assert_int_equal(world_bytes(s->sim[0].world), world_bytes(s->sim[1].world));
    assert_memory_equal(s->results[0], s->results[1], sizeof *s->results[0]);
    assert_int_equal(s->report_bytes[0], s->report_bytes[1]);
    assert_memory_equal(s->report[0], s->report[1], s->report_bytes[0]);
    if (world_bytes(s->sim[0].world) < 16u << 20) /* the larger ones are mostly never touched */
        assert_memory_equal(s->sim[0].world, s->sim[1].world, world_bytes(s->sim[0].world));
}

static void soak_seed(struct soak *s, uint64_t seed)
{
    s->seed = seed;
    soak_scenario_text(seed, s->text);
    load(s);
    run(s, 0);
    everything_has_come_to_rest(s);
    books_agree(s);
    run(s, 1);
    the_second_run_is_the_first(s);
    forget_run(s);
    s->seed = 0;
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void any_scenario_keeps_what_every_run_promises(void **state)
{
    /* Breaks when any part cannot stand a shape that the reader lets through: a missed wake-up, an
     * id too narrow, a queue too short, an I/O counted twice, luck that is not the seed's. */
    struct soak *s = *state;
    uint64_t only = number_from("SEED", 0), seeds = number_from("SEEDS", 0);
    uint64_t first = number_from("SOAK_FROM", 1);
    time_t end = time(NULL) + SECONDS_DEFAULT;

    if (only) {
        soak_seed(s, only);
        return;
    }
    for (uint64_t n = 0; seeds ? n < seeds : n < SEEDS_AT_LEAST || time(NULL) < end; n++)
        soak_seed(s, first + n);
}

static void seeds_that_once_failed_pass(void **state)
{
    /* 101209: the resync thread of md-3.12 stopped for good with a stripe in its hands. */
    static const uint64_t once[] = { 101209 };

#ifdef DEEP_CHECKS
    skip(); /* minutes under valgrind, where other seeds are run */
#endif

    for (unsigned i = 0; i < sizeof once / sizeof once[0]; i++)
        soak_seed(*state, once[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_scenario_keeps_what_every_run_promises, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(seeds_that_once_failed_pass, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
