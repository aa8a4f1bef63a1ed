/*
 * Drawing what goes wrong (tests/lib/soak_scenario.h): all kinds of faults with all their
 * selectors. Half of the scenarios strike a single member, again and again, and change nothing in
 * silence: those must lose nothing.
 */
#include "tests/lib/soak_draft.h"

enum { FAULTS_DRAWN_MAX = 8 };

/* A log, which wants superblocks of version 1.x, or whatever superblocks there are. */
static bool draw_log(struct draft *d, bool ppl_fits)
{
    if (d->of_2013 || !one_in(d, 3))
        return false;
    say(d, ppl_fits && one_in(d, 2) ? "consistency_policy = ppl\n" : "journal = 1\n");
    return true;
}

void draw_md(struct draft *d, bool syncs, bool ppl_fits)
{
    static const char *const versions[] = { "none", "0.90", "1.0", "1.2" };
    bool log = draw_log(d, ppl_fits);
    unsigned version = (unsigned)(log ? 2 + dice_below(&d->dice, 2) : dice_below(&d->dice, 4));
    bool spares = one_in(d, 3);

    d->faults = one_in(d, 2) ? (uint32_t)spread(d, 1, FAULTS_DRAWN_MAX) : 0;
    d->early_pass = spares || d->faults;
    if (one_in(d, 4))
        version = 3;
    else
        say(d, "metadata = %s\n", versions[version]);
    if (version && one_in(d, 2))
        say(d, "safe_mode_delay = %llu\n", (unsigned long long)spread(d, 1, 100000000) - 1);
    if (version && !log && one_in(d, 3)) {
        say(d, "bitmap = internal\n");
        say_number(d, "bitmap_chunk", power(d, 12, 30));
        say_number(d, "bitmap_fresh", one_in(d, 2));
    }
    if (spares)
        say_number(d, "spare_devices", spread(d, 1, 4));
    if ((syncs || spares || d->faults) && one_in(d, 2)) {
        uint64_t least = spread(d, 1, 1000000) - 1;

        say_number(d, "sync_speed_min", least);
        say_number(d, "sync_speed_max", least + spread(d, 1, 1000000));
    }
}

static uint64_t some_time(struct draft *d)
{
    return spread(d, 1, d->mechanical ? 100000 : 3000) - 1;
}

/* Which I/Os, from when, until when, how often. */
static void draw_selectors(struct draft *d)
{
    uint64_t at = some_time(d);
    bool nth = false;

    switch (dice_below(&d->dice, 4)) {
    case 0:
        say_number(d, "every", spread(d, 1, 1000));
        break;
    case 1:
        say_number(d, "nth", spread(d, 1, 1000));
        nth = true;
        break;
    case 2:
        say(d, "probability = %u.%03u\n", (unsigned)dice_below(&d->dice, 100),
            (unsigned)(1 + dice_below(&d->dice, 999)));
        break;
    default:
        break; /* every one of them */
    }
    if (one_in(d, 2))
        say(d, "at = %lluus\n", (unsigned long long)at);
    else
        at = 0;
    if (one_in(d, 3))
        say(d, "until = %lluus\n", (unsigned long long)(at + 1 + some_time(d)));
    if (!nth && one_in(d, 2))
        say_number(d, "count", spread(d, 1, 200));
}

static void draw_range(struct draft *d)
{
    uint64_t sectors = d->member_bytes / 512, at = dice_below(&d->dice, sectors);
    uint64_t most = sectors - at < 256 ? sectors - at : 256;

    if (one_in(d, 2)) { /* where the jobs begin */
        at = 0;
        most = sectors < 64 ? sectors : 64;
    }
    say_number(d, "offset", at * 512);
    say_number(d, "size", spread(d, 1, most) * 512);
    say(d, "at = %lluus\n", (unsigned long long)some_time(d));
}

static void draw_io_fault(struct draft *d, const char *what, unsigned member)
{
    static const char *const reads[] = { "io", "rewrite", "ever" };
    static const char *const writes[] = { "io", "ever" };

    say(d, "what = %s\nmember = %u\n", what, member);
    if (!strcmp(what, "read_error"))
        say(d, "lasts = %s\n", PICK(d, reads));
    if (!strcmp(what, "write_error"))
        say(d, "lasts = %s\n", PICK(d, writes));
    if (!strcmp(what, "slow") || !strcmp(what, "timeout"))
        say(d, "delay = %lluus\n", (unsigned long long)spread(d, 1, 1000000));
    draw_selectors(d);
}

/* A member leaves, and may come back, or be replaced. */
static void draw_leaving(struct draft *d, unsigned number, unsigned member)
{
    uint64_t at = some_time(d);

    say(d, "what = %s\nmember = %u\nat = %lluus\n", one_in(d, 3) ? "die" : "fail", member,
        (unsigned long long)at);
    if (one_in(d, 3))
        say(d, "[fault back%u]\nwhat = re_add\nmember = %u\nat = %lluus\n", number, member,
            (unsigned long long)(at + some_time(d)));
    else if (one_in(d, 2))
        say(d, "[fault new%u]\nwhat = add\nat = %lluus\n", number,
            (unsigned long long)(at + some_time(d)));
}

static void draw_order(struct draft *d)
{
    static const char *const orders[] = { "check", "repair", "idle", "sync_max" };
    const char *what = PICK(d, orders);

    say(d, "what = %s\nat = %lluus\n", what, (unsigned long long)some_time(d));
    if (!strcmp(what, "sync_max"))
        say_number(d, "offset", dice_below(&d->dice, d->member_bytes / 4096 + 1) * 4096);
}

static void draw_fault(struct draft *d, unsigned number, unsigned member, bool silent)
{
    static const char *const errors[] = { "read_error", "write_error", "slow", "timeout" };
    static const char *const lies[] = { "lost_write", "torn_write", "misdirected_write" };
    static const char *const lasting[] = { "rewrite", "ever" };

    say(d, "[fault f%u]\n", number);
    if (silent && one_in(d, 3)) {
        if (one_in(d, 3)) {
            say(d, "what = rot\nmember = %u\n", member);
            draw_range(d);
        } else {
            draw_io_fault(d, PICK(d, lies), member);
        }
        return;
    }
    switch (dice_below(&d->dice, 5)) {
    case 0:
        draw_leaving(d, number, member);
        break;
    case 1:
        say(d, "what = bad_sectors\nmember = %u\nlasts = %s\n", member, PICK(d, lasting));
        draw_range(d);
        break;
    case 2:
        draw_order(d);
        break;
    default:
        draw_io_fault(d, PICK(d, errors), member);
        break;
    }
}

void draw_faults(struct draft *d)
{
    unsigned victim = (unsigned)dice_below(&d->dice, d->disks);
    bool anybody = one_in(d, 2), silent = anybody && one_in(d, 2);

    for (unsigned n = 0; n < d->faults; n++) {
        unsigned member = anybody ? (unsigned)dice_below(&d->dice, d->disks) : victim;

        draw_fault(d, n, member, silent);
    }
}

static bool has_member(const struct fault *f)
{
    return f->what != FAULT_ADD && (f->what < FAULT_SYNC_MAX || f->what > FAULT_IDLE);
}

unsigned soak_members_struck(const struct scenario *s)
{
    uint64_t struck = s->array.failed;

    for (uint32_t i = 0; i < s->fault_count; i++)
        if (has_member(&s->fault[i]))
            struck |= 1ull << s->fault[i].member;
    return (unsigned)__builtin_popcountll(struck);
}

bool soak_is_corrupted(const struct scenario *s)
{
    for (uint32_t i = 0; i < s->fault_count; i++)
        if (s->fault[i].what == FAULT_ROT ||
            (s->fault[i].what >= FAULT_LOST_WRITE && s->fault[i].what <= FAULT_MISDIRECTED_WRITE))
            return true;
    return false;
}
