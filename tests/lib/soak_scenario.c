/*
 * Drawing scenarios. Every figure has a stream of dice of its own (its place in the order of
 * drawing), ranges are drawn evenly in their logarithm, and extremes on purpose: defects live where
 * something is one, or is one more than fits. The work of a run is bounded by what its jobs can
 * have outstanding and by their runtime, which follows the kind of disk.
 */
#include "tests/lib/soak_scenario.h"

#include "tests/lib/soak_draft.h"

enum { OUTSTANDING_MAX = 24 << 20, MOVED_MAX = 48 << 20 };

/* ---- host and driver */

static void draw_elevator(struct draft *d)
{
    static const char *const kinds[] = { "noop", "deadline", "anticipatory" };

    say(d, "elevator = %s\n", PICK(d, kinds));
    if (one_in(d, 2))
        say_number(d, "nr_requests", spread(d, 4, 1024));
    if (one_in(d, 3)) {
        say_number(d, "max_sectors", spread(d, 8, 4096));
        say_number(d, "max_segments", spread(d, 1, 512));
    }
    if (one_in(d, 3)) {
        say_number(d, "unplug_requests", spread(d, 1, 64));
        say_number(d, "unplug_ns", spread(d, 1, 1000000000));
    }
    if (one_in(d, 3))
        say_number(d, "antic_ns", spread(d, 1, 1000000000) - 1);
    if (one_in(d, 3)) {
        say_number(d, "read_expire_ns", spread(d, 1, 1000000000));
        say_number(d, "write_expire_ns", spread(d, 1, 1000000000));
        say_number(d, "read_batch_ns", spread(d, 1, 1000000000));
    }
    if (one_in(d, 4)) {
        say_number(d, "fifo_batch", spread(d, 1, 64));
        say_number(d, "writes_starved", spread(d, 1, 8));
    }
    say_number(d, "nomerges", one_in(d, 6));
    if (one_in(d, 3))
        say_number(d, "plug_requests", spread(d, 1, 200));
}

static void draw_host(struct draft *d)
{
    static const char *const locks[] = { "unfair", "ticket", "queued" };
    uint64_t cpus = spread(d, 1, CPUS_MAX);

    say(d, "[host]\npreset = athlon64x2-2400\ncpus = %llu\nlock_kind = %s\n",
        (unsigned long long)cpus, PICK(d, locks));
    if (one_in(d, 3))
        say(d, "irq_cpu = spread\n");
    else
        say_number(d, "irq_cpu", dice_below(&d->dice, cpus));
    if (one_in(d, 3))
        say_number(d, "mhz", spread(d, 100, 20000));
    if (one_in(d, 4)) {
        say(d, "soaker = 1\n");
        say_number(d, "soak_ns", spread(d, 1000, 10000000));
    }
    if (one_in(d, 3))
        say(d, "scheduler = cfs\n");
    if (one_in(d, 2)) {
        say_number(d, "timeslice_ns", spread(d, 1000, 100000000));
        say_number(d, "balance_ns", spread(d, 100000, 300000000));
        say_number(d, "wake_ns", spread(d, 1, 100000) - 1);
    }
    if (one_in(d, 3)) {
        say_number(d, "hz", spread(d, 10, 10000));
        say_number(d, "l2_size", power(d, 0, 24));
        say_number(d, "line_bytes", power(d, 4, 8));
    }
    draw_elevator(d);
}

/* Switches between md-3.12 and md-6.1, each for itself. */
static void draw_rules(struct draft *d)
{
    static const char *const switches[] = {
        "whole_bio_attach", "bypass_degraded",      "bypass_queue_limits", "plug_every_io",
        "sync_reads",       "quiesce_queue",        "superblock_gate",     "degraded_fetch",
        "lost_block_delay", "failed_counts_stay",   "degraded_retry",      "resync_handles",
        "resync_yields",    "write_error_degrades", "shared_flushes",      "deferred_writes",
    };
    static const char *const ends[] = { "bypass", "all", "none" };

    if (!one_in(d, 3))
        return;
    for (unsigned n = 0; n < sizeof switches / sizeof *switches; n++)
        if (one_in(d, 4))
            say_number(d, switches[n], one_in(d, 2));
    if (one_in(d, 4))
        say(d, "bio_chunks = %s\n", PICK(d, ends));
    say(d, "release_list = %s\nlookup_lock = %s\n", one_in(d, 2) ? "last" : "every",
        one_in(d, 2) ? "hash" : "device");
}

static void draw_driver(struct draft *d)
{
    static const char *const wakes[] = { "gated", "all", "one" };

    static const char *const later[] = { "md-3.12", "md-6.1" };
    const char *preset = PICK(d, later);

    d->modern = !one_in(d, 3);
    d->of_2013 = d->modern && preset == later[0];
    say(d, "[driver]\npreset = %s\n", d->modern ? preset : "md-2.6.15");
    if (d->of_2013)
        draw_rules(d);
    if (d->modern) {
        if (one_in(d, 2))
            say_number(d, "max_stripe_batch", spread(d, 1, 8));
        if (one_in(d, 2))
            say_number(d, "nr_hash_locks", power(d, 0, 3));
        if (one_in(d, 4))
            say(d, "aligned_read_bypass = 0\n");
        if (one_in(d, 4))
            say(d, "stripe_batches = 0\n");
        if (one_in(d, 4))
            say_number(d, "bio_max_sectors", spread(d, 8, 8192));
        return;
    }
    say(d, "wake_policy = %s\n", PICK(d, wakes));
    say_number(d, "aligned_read_bypass", one_in(d, 3));
    say_number(d, "array_plug", !one_in(d, 3));
    if (one_in(d, 2))
        say_number(d, "three_quarter_rule", spread(d, 10, 100));
    if (one_in(d, 2))
        say_number(d, "nr_hash", power(d, 0, 14));
    if (one_in(d, 3))
        say_number(d, "array_plug_ns", spread(d, 1, 4000000000));
    if (one_in(d, 3)) {
        say_number(d, "bio_max_sectors", spread(d, 8, 4096));
        say_number(d, "bio_max_pages", spread(d, 1, 1024));
    }
}

/* ---- disks and array */

/* Draws one disk; false if it has an arm. */
static void draw_disk(struct draft *d)
{
    static const char *const arms[] = { "barracuda-2g", "hp97560", "wd4000yr", "exos-x16-16t" };
    static const char *const chips[] = { "null", "nvme-plp", "ssd-sata", "iodrive2" };
    bool arm = d->mechanical && !one_in(d, 4);

    say(d, "preset = %s\n", arm ? PICK(d, arms) : PICK(d, chips));
    if (one_in(d, 3))
        say_number(d, "queue_depth", spread(d, 1, 256));
    if (one_in(d, 4))
        say_number(d, "overhead_ns", spread(d, 1, 1000000) - 1);
    if (one_in(d, 4))
        say_number(d, "write_cache", power(d, 12, 24));
    if (arm && one_in(d, 3)) {
        say_number(d, "read_ahead", power(d, 9, 22));
        say_number(d, "read_ahead_min", power(d, 9, 20));
        say_number(d, "segments", spread(d, 1, 32));
    }
}

static void draw_disks(struct draft *d)
{
    say(d, "[disk]\n");
    draw_disk(d);
    for (uint32_t n = 0; n < d->disks; n++)
        if (one_in(d, 8)) {
            say(d, "[disk %u]\n", n);
            draw_disk(d);
        }
}

/* A pass over small arrays only: it touches every page. */
static bool draw_sync(struct draft *d, uint64_t component)
{
    bool resync = one_in(d, 3);

    if (resync)
        say_number(d, "recovery_start", dice_below(&d->dice, component / 4096 + 1) * 4096);
    if (component > 1u << 24 || !one_in(d, 2))
        return false;
    say(d, "sync_action = %s\n", resync ? "resync" : one_in(d, 2) ? "check" : "repair");
    say_number(d, "sync_delay", spread(d, 1, 1000000));
    return true;
}

static void draw_missing(struct draft *d)
{
    say_number(d, "failed_members", dice_below(&d->dice, d->disks));
}

/* What md-2.6.15 has of it: a recovery_start is the beginning of a resync. */
static void draw_early(struct draft *d, uint64_t component)
{
    bool resync = one_in(d, 3);

    if (one_in(d, 4)) {
        draw_missing(d);
        return;
    }
    if (component > 1u << 24 || !one_in(d, 2))
        return;
    d->early_pass = true;
    if (resync)
        say_number(d, "recovery_start", dice_below(&d->dice, component / 4096 + 1) * 4096);
    say(d, "sync_action = %s\n", resync ? "resync" : one_in(d, 2) ? "check" : "repair");
    say_number(d, "sync_delay", spread(d, 1, 1000000));
}

static void draw_writing(struct draft *d, uint64_t component, bool ppl_fits)
{
    bool syncs = false;

    if (!d->of_2013) {
        say_number(d, "rmw_level", dice_below(&d->dice, 3));
        say_number(d, "skip_copy", one_in(d, 2));
    }
    if (one_in(d, 2))
        say_number(d, "group_thread_cnt", dice_below(&d->dice, 5));
    if (one_in(d, 2))
        say_number(d, "preread_bypass_threshold", spread(d, 1, 17) - 1);
    if (one_in(d, 4))
        draw_missing(d);
    else
        syncs = draw_sync(d, component);
    draw_md(d, syncs, ppl_fits);
}

static void draw_array(struct draft *d)
{
    static const char *const layouts[] = { "left-symmetric",   "left-asymmetric", "right-symmetric",
                                           "right-asymmetric", "parity-first",    "parity-last" };
    static const char *const levels[] = { "raw", "raid0", "raid4", "raid5", "raid5" };
    unsigned level = (unsigned)dice_below(&d->dice, 5);
    uint32_t least = level > 1 ? 2 : 1;
    uint64_t chunk = power(d, 12, 26), component = chunk * spread(d, 1, (1u << 30) / chunk);
    uint64_t stripes = one_in(d, 3) ? 17 : spread(d, 17, 4096);

    if (component > 1u << 30)
        component = chunk;
    d->disks = (uint32_t)spread(d, least, 32);
    if (one_in(d, 20))
        stripes = spread(d, 8192, 32768);
    d->array_bytes = component * (d->disks - (level > 1));
    d->member_bytes = component;
    if (one_in(d, 2)) /* what is no whole chunk is left unused, but for a raw disk */
        component += 512 * dice_below(&d->dice, chunk / 512);
    say(d, "[array]\nlevel = %s\nlayout = %s\nraid_disks = %u\nchunk_size = %llu\n", levels[level],
        PICK(d, layouts), d->disks, (unsigned long long)chunk);
    say(d, "component_size = %llu\nstripe_cache_size = %llu\n", (unsigned long long)component,
        (unsigned long long)stripes);
    if (d->modern && level > 1)
        draw_writing(d, component, level > 2 && d->disks <= 64);
    else if (level > 1)
        draw_early(d, component);
}

/* ---- jobs */

/* Sizes of I/Os; returns the largest. */
static uint64_t draw_sizes(struct draft *d, uint64_t *smallest)
{
    uint64_t most = d->array_bytes < 32u << 20 ? d->array_bytes : 32u << 20;
    uint64_t grain = one_in(d, 3) ? 512 : 4096;
    uint64_t first = spread(d, 1, most / grain) * grain;
    uint64_t second = first / 2 < grain ? grain : first / 2 / grain * grain;

    *smallest = first;
    if (one_in(d, 3))
        first = *smallest = grain * spread(d, 1, most / grain < 64 ? most / grain : 64);
    if (!one_in(d, 4) || first < 2 * grain) {
        say(d, "bs = %llu\n", (unsigned long long)first);
        return first;
    }
    if (second >= first)
        second = grain;
    say(d, "bssplit = %llu/%u:%llu/\n", (unsigned long long)second,
        (unsigned)(1 + dice_below(&d->dice, 99)), (unsigned long long)first);
    *smallest = second;
    return first;
}

static void draw_pattern(struct draft *d)
{
    static const char *const all[] = { "read", "write", "randread", "randwrite", "rw", "randrw" };
    static const char *const spreads[] = { "random",      "zipf",     "zipf:0.5",
                                           "zipf:1.2",    "pareto",   "pareto:0.9",
                                           "normal:12.5", "normal:5", "normal:80" };

    say(d, "rw = %s\n", PICK(d, all));
    if (one_in(d, 3))
        say(d, "random_distribution = %s\n", PICK(d, spreads));
    if (one_in(d, 3))
        say_number(d, "rwmixread", dice_below(&d->dice, 101));
    say_number(d, "norandommap", one_in(d, 2));
}

/* Who submits, and how much at once: the product is bounded. */
static void draw_crowd(struct draft *d, uint64_t largest)
{
    static const char *const engines[] = { "libaio", "io_uring", "posixaio", "psync" };
    uint64_t room = OUTSTANDING_MAX / largest ? OUTSTANDING_MAX / largest : 1;
    uint64_t depth = spread(d, 1, room < 256 ? room : 256);
    uint64_t jobs = spread(d, 1, room / depth < 8 ? room / depth : 8);

    say(d, "ioengine = %s\niodepth = %llu\nnumjobs = %llu\n", PICK(d, engines),
        (unsigned long long)depth, (unsigned long long)jobs);
}

/* Where: a part of the array that holds the largest block. */
static uint64_t draw_region(struct draft *d, uint64_t largest)
{
    uint64_t sectors = d->array_bytes / 512, need = largest / 512;
    uint64_t offset, size;

    if (one_in(d, 2))
        return d->array_bytes;
    offset = dice_below(&d->dice, sectors - need + 1);
    size = need + dice_below(&d->dice, sectors - offset - need + 1);
    if (one_in(d, 2)) /* a few pages: many meet on them */
        size = need < 64 && sectors - offset > 64 ? 64 : need;
    say(d, "offset = %llu\nsize = %llu\n", (unsigned long long)offset * 512,
        (unsigned long long)size * 512);
    return size * 512;
}

static void draw_pace(struct draft *d)
{
    if (one_in(d, 4)) {
        say_number(d, "rate_iops", spread(d, 200, 1000000));
        say(d, "rate_process = %s\n", one_in(d, 2) ? "linear" : "poisson");
    }
    if (one_in(d, 5))
        say_number(d, "thinktime", spread(d, 1, 2000));
    if (one_in(d, 5))
        say(d, "startdelay = %lluus\n", (unsigned long long)spread(d, 1, 5000));
}

/* Until when: by time, or by size with a bound on what is moved. Beside a pass a short time may be
 * over before anybody gets a CPU: then the first job goes by size. */
static void draw_end(struct draft *d, uint64_t region, bool by_size)
{
    uint64_t most = d->mechanical ? 100000 : d->faults && one_in(d, 2) ? 30000 : 3000;

    if (by_size || (one_in(d, 3) && region <= MOVED_MAX)) {
        region = region < MOVED_MAX ? region : MOVED_MAX;
        say_number(d, "io_size", spread(d, 1, region / 512) * 512);
        say_number(d, "loops", 1 + one_in(d, 4));
        return;
    }
    say(d, "runtime = %lluus\n", (unsigned long long)spread(d, 100, most));
    say_number(d, "time_based", !one_in(d, 4));
    if (one_in(d, 5))
        say(d, "ramp_time = %lluus\n", (unsigned long long)spread(d, 1, most / 4));
}

static void draw_job(struct draft *d, unsigned number)
{
    uint64_t smallest, largest, region;

    say(d, "[job j%u]\n", number);
    largest = draw_sizes(d, &smallest);
    if (one_in(d, 4) && smallest > 512)
        say_number(d, "blockalign", spread(d, 1, smallest / 512) * 512);
    if (one_in(d, 4))
        say(d, "fresh_buffers = 1\n");
    draw_pattern(d);
    draw_crowd(d, largest);
    region = draw_region(d, largest);
    draw_pace(d);
    draw_end(d, region, d->early_pass && number == 0);
}

void soak_scenario_text(uint64_t seed, char text[SOAK_TEXT_BYTES])
{
    struct draft d = { .dice = dice_new(seed, DICE_FATE, 0), .text = text };
    unsigned jobs;

    d.mechanical = one_in(&d, 3);
    say(&d, "[scenario]\ntitle = Soak, seed %llu\nseed = %llu\n", (unsigned long long)seed,
        (unsigned long long)dice_below(&d.dice, 1000000));
    draw_host(&d);
    draw_driver(&d);
    draw_array(&d);
    draw_disks(&d);
    jobs = (unsigned)spread(&d, 1, 4);
    for (unsigned j = 0; j < jobs; j++)
        draw_job(&d, j);
    draw_faults(&d);
}

bool soak_has_ramp(const struct scenario *s)
{
    for (uint32_t j = 0; j < s->job_count; j++)
        if (s->job[j].ramp_ns)
            return true;
    return false;
}
