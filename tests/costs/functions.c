/* Functions and counters: see functions.h. docs/COSTS.md has this table in words. */
#include "tests/costs/functions.h"

/* A function that is one counter, or the sum or difference of some. */
#define COUNTS(name, sum)                                                                          \
    static int64_t name(const struct results *r)                                                   \
    {                                                                                              \
        return (int64_t)(sum);                                                                     \
    }
#define W(id) r->work[WORK_##id]
#define M(id) r->marks[MARK_##id]

COUNTS(make_request, W(PAGE_LOOP) + M(BYPASSED))
/* A lookup after a sleep is the same call going on. */
COUNTS(get_active_stripe, W(LOOKUP) - (W(WAIT_CHECK) - M(WASTED)))
COUNTS(find_stripe, W(LOOKUP))
COUNTS(get_free, M(MISS))
COUNTS(add_bio, W(ATTACH) - M(OVERLAP))
COUNTS(handle, W(HANDLE))
COUNTS(dirtying, M(DIRTIED))
COUNTS(clean_event, M(CLEANED))
COUNTS(reconstruction, M(SCHEDULED))
COUNTS(run_io, M(ISSUED))
COUNTS(run_ops, M(OPERATED))
COUNTS(end_read, W(END_READ))
COUNTS(end_write, W(END_WRITE))
COUNTS(release, M(RELEASED))
COUNTS(do_release, M(FILED))
COUNTS(body, M(ROUND))
COUNTS(active_stripes, M(LOOP))
COUNTS(wakeup, M(POKED))
COUNTS(compute_sector, W(MAP))
COUNTS(compute_blocknr, W(UNMAP))
COUNTS(xor_offs, M(XORED))
/* Whole pages only: a line is a sixty-fourth of one. */
COUNTS(memcpy_page, W(COPY_LINE) / 64)
COUNTS(align_endio, M(BYPASS_END))

const struct function functions[] = {
    { "raid5_make_request", make_request },
    { "raid5_get_active_stripe", get_active_stripe },
    { "find_get_stripe", find_stripe },
    { "get_free_stripe", get_free },
    { "__add_stripe_bio", add_bio },
    { "handle_stripe", handle },
    { "handle_stripe_dirtying", dirtying },
    { "handle_stripe_clean_event", clean_event },
    { "schedule_reconstruction", reconstruction },
    { "ops_run_io", run_io },
    { "raid_run_ops", run_ops },
    { "raid5_end_read_request", end_read },
    { "raid5_end_write_request", end_write },
    { "raid5_release_stripe", release },
    { "do_release_stripe", do_release },
    { "raid5d", body },
    { "handle_active_stripes", active_stripes },
    { "md_wakeup_thread", wakeup },
    { "raid5_compute_sector", compute_sector },
    { "raid5_compute_blocknr", compute_blocknr },
    { "async_xor_offs", xor_offs },
    { "async_memcpy", memcpy_page },
    { "raid5_align_endio", align_endio },
};
const unsigned function_count = sizeof functions / sizeof functions[0];
