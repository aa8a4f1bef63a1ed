/* The ledger's sums: see ledger.h. */
#include "sim/ledger.h"

#include "model/io.h"
#include "sim/figures.h"

enum { SECTOR = 512 };

static void sum_members(const struct results *r, struct ledger *l)
{
    for (uint32_t m = 0; m < r->member_count; m++)
        for (unsigned reason = 0; reason < REASON_COUNT; reason++)
            for (unsigned kind = 0; kind <= IO_FLUSH; kind++) {
                const struct results_io *io = &r->member[m].by_reason[reason][kind];
                l->by_reason[reason][kind].ios += io->ios;
                l->by_reason[reason][kind].sectors += io->sectors;
                l->all[kind].ios += io->ios;
                l->all[kind].sectors += io->sectors;
            }
}

struct ledger ledger_of(const struct results *r)
{
    struct ledger l = { .stripes = r->writes.full + r->writes.rcw + r->writes.rmw };
    sum_members(r, &l);
    for (unsigned dir = 0; dir < 2; dir++) {
        l.user_ios[dir] = figures_ios(r, dir);
        l.user_bytes[dir] = figures_bytes(r, dir);
        l.load_bytes[dir] = (l.all[dir].sectors - l.by_reason[REASON_RESYNC][dir].sectors) * SECTOR;
    }
    l.prereads =
        l.by_reason[REASON_PREREAD_RMW][IO_READ].ios + l.by_reason[REASON_PREREAD_RCW][IO_READ].ios;
    return l;
}

static uint64_t milli(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (uint64_t)((unsigned __int128)part * 1000 / whole);
}

uint64_t ledger_amplification(const struct ledger *l, unsigned dir)
{
    return milli(l->load_bytes[dir], l->user_bytes[0] + l->user_bytes[1]);
}

uint64_t ledger_prereads_per_write(const struct ledger *l)
{
    return milli(l->prereads, l->user_ios[1]);
}
