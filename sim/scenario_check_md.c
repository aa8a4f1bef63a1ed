/*
 * What only the driver of 6.1 has: superblocks, spares, the resync thread's speed, the bitmap; and
 * the [fault] sections. A key that would change nothing is refused: whoever has written it expects
 * that it does.
 */
#include "sim/scenario_internal.h"

#include <inttypes.h>

#include "model/geometry.h"
#include "model/shape.h"

enum { SECTOR = 512 };

static bool is_md61(const struct scenario *s)
{
    return (s->array.level == LEVEL_RAID4 || s->array.level == LEVEL_RAID5) &&
           s->driver.generation == GENERATION_61;
}

/* ---- [array] */

static bool given(const struct reading *reading, const char *key)
{
    return reading_last(reading, SECTION_ARRAY, EVERY_INSTANCE, key);
}

static bool useless(const struct reading *reading, const char *key, const char *needs)
{
    return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, key, "%s: needs %s", key,
                            needs);
}

/* Keys an older driver, or a level without parity, would not look at. */
static bool check_driver(const struct reading *reading)
{
    static const char *const keys[] = { "spare_devices",  "metadata",       "safe_mode_delay",
                                        "sync_speed_min", "sync_speed_max", "bitmap",
                                        "bitmap_chunk",   "bitmap_fresh" };

    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (given(reading, keys[i]))
            return useless(reading, keys[i], "raid4 or raid5 and driver md-6.1");
    return true;
}

static bool check_speed(const struct reading *reading)
{
    const struct scenario *s = reading->scenario;
    bool min = given(reading, "sync_speed_min"), max = given(reading, "sync_speed_max");

    if (!min && !max)
        return true;
    if (s->array.sync_action == SYNC_IDLE && !s->array.spares && !s->fault_count)
        return useless(reading, min ? "sync_speed_min" : "sync_speed_max",
                       "a sync_action, spare_devices or faults: nothing is synced");
    if (s->array.sync_speed_min > s->array.sync_speed_max)
        return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE,
                                min ? "sync_speed_min" : "sync_speed_max",
                                "sync_speed_min: %" PRIu32 " is above sync_speed_max, %" PRIu32,
                                s->array.sync_speed_min, s->array.sync_speed_max);
    return true;
}

static bool complain_of_policy(const struct reading *reading, const char *why)
{
    return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "consistency_policy",
                            "consistency_policy: %s", why);
}

static bool complain_of_journal(const struct reading *reading, const char *why)
{
    return reading_complain(reading, SECTION_ARRAY, EVERY_INSTANCE, "journal", "journal: %s", why);
}

static bool check_journal(const struct reading *reading, bool modern)
{
    const struct scenario *s = reading->scenario;

    if (!modern)
        return complain_of_journal(reading, "needs raid4 or raid5 and driver md-6.1");
    if (s->array.consistency == CONSISTENCY_PPL || s->array.consistency == CONSISTENCY_BITMAP ||
        s->array.bitmap)
        return complain_of_journal(reading, "a journal, a bitmap or ppl, but only one of them");
    if (s->array.metadata != METADATA_10 && s->array.metadata != METADATA_12)
        return complain_of_journal(reading, "needs metadata 1.0 or 1.2");
    return true;
}

/* What keeps parity and data together: for whom it is there. */
static bool check_consistency(const struct reading *reading)
{
    const struct scenario *s = reading->scenario;
    bool modern = is_md61(s) && s->driver.logs;

    if (s->array.consistency == CONSISTENCY_BITMAP && !s->array.journal)
        return is_md61(s) || complain_of_policy(reading, "needs raid4 or raid5 and driver md-6.1");

    if (s->array.journal || s->array.consistency == CONSISTENCY_JOURNAL)
        return check_journal(reading, modern);
    if (s->array.consistency == CONSISTENCY_RESYNC)
        return true;
    if (!modern)
        return complain_of_policy(reading, "needs raid4 or raid5 and driver md-6.1");
    if (s->array.consistency != CONSISTENCY_PPL)
        return true;
    if (s->array.level != LEVEL_RAID5)
        return complain_of_policy(reading, "ppl is for raid5 only");
    if (s->array.bitmap)
        return complain_of_policy(reading, "ppl, or a bitmap, but not both");
    if (s->array.metadata != METADATA_10 && s->array.metadata != METADATA_12)
        return complain_of_policy(reading, "ppl needs metadata 1.0 or 1.2");
    if (s->array.raid_disks > PPL_MEMBERS_MAX)
        return complain_of_policy(reading, "ppl has room for 64 members");
    return true;
}

bool scenario_check_log_room(const struct reading *reading, uint64_t component_sectors)
{
    const struct scenario *s = reading->scenario;

    if (s->array.journal && s->disk[s->disk_count].sectors < JOURNAL_SECTORS_MIN)
        return complain_of_journal(reading, "its device needs at least 4M");
    if (s->array.consistency == CONSISTENCY_PPL && component_sectors < 2 * PPL_SECTORS)
        return complain_of_policy(reading, "ppl needs members of at least 2M");
    return true;
}

bool scenario_check_md(const struct reading *reading)
{
    const struct scenario *s = reading->scenario;

    if (!is_md61(s))
        return check_driver(reading) && check_consistency(reading);
    if (!s->array.bitmap && (given(reading, "bitmap_chunk") || given(reading, "bitmap_fresh")))
        return useless(reading, given(reading, "bitmap_chunk") ? "bitmap_chunk" : "bitmap_fresh",
                       "bitmap = internal");
    if (s->array.bitmap && s->array.metadata == METADATA_NONE)
        return useless(reading, "bitmap", "metadata: it stands beside the superblock");
    if (s->array.metadata == METADATA_NONE && given(reading, "safe_mode_delay"))
        return useless(reading, "safe_mode_delay", "metadata: nothing says that an array is clean");
    return check_speed(reading) && check_consistency(reading);
}

/* ---- [fault NAME] */

/* Which keys mean something for what: bits of the fault's other keys. */
enum { OF_MEMBER = 1, OF_IO = 2, OF_PLACE = 4, OF_SIZE = 8, OF_LASTING = 16, OF_DELAY = 32 };

static unsigned meaning_of(uint32_t what)
{
    switch ((enum fault_what)what) {
    case FAULT_FAIL:
    case FAULT_DIE:
    case FAULT_RE_ADD:
        return OF_MEMBER;
    case FAULT_BAD_SECTORS:
        return OF_MEMBER | OF_PLACE | OF_SIZE | OF_LASTING;
    case FAULT_ROT:
        return OF_MEMBER | OF_PLACE | OF_SIZE;
    case FAULT_READ_ERROR:
    case FAULT_WRITE_ERROR:
        return OF_MEMBER | OF_IO | OF_LASTING;
    case FAULT_LOST_WRITE:
    case FAULT_TORN_WRITE:
    case FAULT_MISDIRECTED_WRITE:
        return OF_MEMBER | OF_IO;
    case FAULT_SLOW:
    case FAULT_TIMEOUT:
        return OF_MEMBER | OF_IO | OF_DELAY;
    case FAULT_SYNC_MAX:
        return OF_PLACE;
    default:
        return 0;
    }
}

static const struct fault *fault_of(const struct reading *reading, unsigned number)
{
    return &reading->scenario->fault[number];
}

static bool fault_given(const struct reading *reading, unsigned number, const char *key)
{
    return reading_last(reading, SECTION_FAULT, (int)number, key);
}

/* The fault's name and text, at the key's line. */
#define COMPLAIN(reading, number, key, ...)                                                        \
    reading_complain(reading, SECTION_FAULT, (int)(number), key, "[fault %s]: " __VA_ARGS__)

static bool check_keys(const struct reading *reading, unsigned number)
{
    static const struct {
        const char *key, *of;
        unsigned needs;
    } keys[] = { { "member", "faults of a member", OF_MEMBER },
                 { "until", "faults of single I/Os", OF_IO },
                 { "every", "faults of single I/Os", OF_IO },
                 { "nth", "faults of single I/Os", OF_IO },
                 { "probability", "faults of single I/Os", OF_IO },
                 { "count", "faults of single I/Os", OF_IO },
                 { "offset", "bad_sectors, rot and sync_max", OF_PLACE },
                 { "size", "bad_sectors and rot", OF_SIZE },
                 { "lasts", "bad_sectors and errors", OF_LASTING },
                 { "delay", "slow and timeout", OF_DELAY } };
    const struct scenario *s = reading->scenario;
    const struct fault *f = fault_of(reading, number);
    unsigned meaning = meaning_of(f->what);

    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!(meaning & keys[i].needs) && fault_given(reading, number, keys[i].key))
            return COMPLAIN(reading, number, keys[i].key, "%s is for %s", f->name, keys[i].key,
                            keys[i].of);
    if ((meaning & OF_MEMBER) && f->member >= scenario_devices(s))
        return COMPLAIN(reading, number, "member", "the array has members 0 to %" PRIu32, f->name,
                        scenario_devices(s) - 1);
    if ((meaning & OF_MEMBER) && s->array.journal && f->member == s->disk_count)
        return COMPLAIN(reading, number, "member", "device %" PRIu32 " is the journal's", f->name,
                        f->member);
    return true;
}

static bool check_selectors(const struct reading *reading, unsigned number)
{
    const struct fault *f = fault_of(reading, number);

    if ((f->every != 0) + (f->nth != 0) + (f->probability != 0) > 1)
        return COMPLAIN(reading, number, f->probability ? "probability" : "nth",
                        "every, nth and probability exclude each other", f->name);
    if (f->nth && f->count)
        return COMPLAIN(reading, number, "count", "nth strikes once: nothing is left to count",
                        f->name);
    if (f->until_ns && f->until_ns <= f->at_ns)
        return COMPLAIN(reading, number, "until", "until has to be after at", f->name);
    if (f->what == FAULT_WRITE_ERROR && f->lasts == LASTS_REWRITE &&
        fault_given(reading, number, "lasts"))
        return COMPLAIN(reading, number, "lasts",
                        "a write error lasts io or ever: no rewrite mends it", f->name);
    if (f->what == FAULT_BAD_SECTORS && f->lasts == LASTS_IO)
        return COMPLAIN(reading, number, "lasts", "bad sectors last until a rewrite, or ever",
                        f->name);
    return true;
}

static bool check_place(const struct reading *reading, unsigned number, uint64_t bytes)
{
    const struct fault *f = fault_of(reading, number);

    if (!(meaning_of(f->what) & OF_SIZE))
        return true;
    if (f->size == 0)
        return COMPLAIN(reading, number, "size", "size: nothing would be struck", f->name);
    if (f->offset >= bytes)
        return COMPLAIN(reading, number, "offset",
                        "offset %" PRIu64 " is beyond the member's %" PRIu64 " bytes", f->name,
                        f->offset, bytes);
    if (f->size > bytes - f->offset)
        return COMPLAIN(reading, number, "size",
                        "offset + size is %" PRIu64 ", beyond the member's %" PRIu64 " bytes",
                        f->name, f->offset + f->size, bytes);
    return true;
}

/* Can the member have left by the time it is to come back? Errors may have thrown it out, too. */
static bool may_be_gone(const struct scenario *s, const struct fault *back)
{
    if (back->member < 64 && s->array.failed >> back->member & 1)
        return true;
    for (unsigned i = 0; i < s->fault_count; i++) {
        const struct fault *f = &s->fault[i];
        bool throws_out = f->what == FAULT_FAIL || f->what == FAULT_DIE ||
                          f->what == FAULT_READ_ERROR || f->what == FAULT_WRITE_ERROR ||
                          f->what == FAULT_BAD_SECTORS || f->what == FAULT_TIMEOUT;

        if (throws_out && f->member == back->member && f->at_ns <= back->at_ns)
            return true;
    }
    return false;
}

bool scenario_check_faults(const struct reading *reading, uint64_t component_sectors)
{
    const struct scenario *s = reading->scenario;

    for (unsigned i = 0; i < s->fault_count; i++) {
        if (!is_md61(s))
            return COMPLAIN(reading, i, NULL, "needs raid4 or raid5 and driver md-6.1",
                            s->fault[i].name);
        if (!check_keys(reading, i) || !check_selectors(reading, i) ||
            !check_place(reading, i, component_sectors * SECTOR))
            return false;
        if (s->fault[i].what == FAULT_RE_ADD && !may_be_gone(s, &s->fault[i]))
            return COMPLAIN(reading, i, "what", "member %" PRIu32 " has not failed by then",
                            s->fault[i].name, s->fault[i].member);
    }
    return true;
}
