/* What md would say: see md_view.h. Kernel: md.c array_state_show, state_show, status_resync,
 * get_array_info (6.1). */
#include "sim/md_view.h"

#include <stdio.h>
#include <string.h>

#include "model/io.h"
#include "model/stripe.h"
#include "sim/figures.h"

enum { NS_A_SECOND = 1000000000, SECTOR = 512 };

const char *md_array_state(const struct results *r)
{
    if (r->md.sb_flags & SB_PENDING)
        return "write-pending";
    if (r->md.in_sync)
        return "clean";
    return r->md.safemode ? "active-idle" : "active";
}

const char *md_sync_action(unsigned action)
{
    static const char *const words[] = { [SYNC_IDLE] = "idle",
                                         [SYNC_CHECK] = "check",
                                         [SYNC_REPAIR] = "repair",
                                         [SYNC_RESYNC] = "resync",
                                         [SYNC_RECOVER] = "recover" };
    ASSERT(action < sizeof words / sizeof words[0]);
    return words[action];
}

const char *md_sync_word(unsigned action)
{
    if (action == SYNC_CHECK)
        return "check";
    return action == SYNC_RECOVER ? "recovery" : "resync";
}

const char *md_device_state(const struct results_device *device, char text[static MD_STATE_BYTES])
{
    static const struct {
        uint32_t mask, value;
        const char *word;
    } words[] = {
        { MEMBER_FAULTY, MEMBER_FAULTY, "faulty" },
        { MEMBER_IN_SYNC, MEMBER_IN_SYNC, "in_sync" },
        { MEMBER_BLOCKED, MEMBER_BLOCKED, "blocked" },
        { MEMBER_PRESENT | MEMBER_FAULTY | MEMBER_IN_SYNC, MEMBER_PRESENT, "spare" },
        { MEMBER_WAITING | MEMBER_FAULTY, MEMBER_WAITING, "spare" },
        { MEMBER_WRITE_ERROR, MEMBER_WRITE_ERROR, "write_error" },
        { MEMBER_WANT_REPLACEMENT, MEMBER_WANT_REPLACEMENT, "want_replacement" },
    };
    size_t used = 0;

    if (!(device->flags & (MEMBER_PRESENT | MEMBER_WAITING))) {
        snprintf(text, MD_STATE_BYTES, "removed");
        return text;
    }
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((device->flags & words[i].mask) == words[i].value)
            used += (size_t)snprintf(text + used, MD_STATE_BYTES - used, "%s%s", used ? "," : "",
                                     words[i].word);
    return text;
}

bool md_device_is_faulty(const struct results *r, unsigned device)
{
    return r->history.device[device].state == DEVICE_FAULTY ||
           (r->md.device[device].flags & MEMBER_FAULTY);
}

struct md_counts md_counts(const struct results *r)
{
    struct md_counts n = { 0 };

    for (uint32_t i = 0; i < r->history.device_count; i++) {
        bool faulty = md_device_is_faulty(r, i);
        bool active = r->md.device[i].flags & MEMBER_IN_SYNC;

        if (r->history.device[i].state == DEVICE_GONE)
            continue;
        n.total++;
        n.failed += faulty;
        n.working += !faulty;
        n.active += active;
        n.spare += !faulty && !active;
    }
    return n;
}

struct md_progress md_progress_of(const struct results *r, const struct history_progress *p)
{
    uint64_t size = r->md.component_sectors, at = p->at < size ? p->at : size;
    uint64_t seconds = (p->ns - p->since_ns) / NS_A_SECOND;
    struct md_progress out = { .done_kib = at / 2, .all_kib = size / 2 };
    unsigned scale = 10; /* the kernel divides by 32 bits, and so loses the last sectors */

    while (size / 2 > 1ull << (scale + 32))
        scale++;
    if (!seconds)
        seconds = 1;
    out.per_mille = (uint32_t)((at >> scale) * 1000 / ((size >> scale) + 1));
    out.left_s = ((size - at) / (p->since_sectors / 32 + 1) * seconds) >> 5;
    out.speed_kib = p->since_sectors / 2 / seconds;
    return out;
}

uint64_t md_rebuild_speed(const struct results *r)
{
    return figures_rate(r->history.rebuilt_sectors * SECTOR, r->history.rebuilding_ns);
}

const char *md_event_name(unsigned what)
{
    static const char *const names[HISTORY_KINDS] = {
        [HISTORY_FAULT] = "fault",
        [HISTORY_FAILED] = "failed",
        [HISTORY_REMOVED] = "removed",
        [HISTORY_ADDED] = "added",
        [HISTORY_IN_SYNC] = "in_sync",
        [HISTORY_SYNC_BEGAN] = "sync_began",
        [HISTORY_SYNC_ENDED] = "sync_ended",
        [HISTORY_SYNC_STOPPED] = "sync_interrupted",
        [HISTORY_BAD_BLOCK] = "bad_block",
        [HISTORY_CORRECTED] = "read_error_corrected",
        [HISTORY_WRITE_ERROR] = "write_error",
        [HISTORY_IO_ERROR] = "io_error",
        [HISTORY_SUPERBLOCKS] = "superblocks_written",
        [HISTORY_LISTS] = "bad_block_lists_written",
    };
    ASSERT(what < HISTORY_KINDS);
    return names[what];
}
