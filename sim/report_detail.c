/*
 * `mdadm --detail` of the array at the end of the run.
 *
 * Fields, their order and their columns are mdadm's (4.2). Left out is what a simulation has not:
 * dates, name, UUID, events. Numbers of devices count up in the order in which devices came; major
 * and minor are those of sd disks.
 */
#include <inttypes.h>

#include "model/io.h"
#include "sim/figures.h"
#include "sim/geometry_names.h"
#include "sim/md_view.h"
#include "sim/report_parts.h"

enum { SECTOR = 512, KIB = 1024 };

/* " (931.39 GiB 1000.07 GB)": in hundredths, rounded; nothing for what is small. */
static void print_human(FILE *out, uint64_t bytes)
{
    static const struct {
        const char *binary, *decimal;
        uint64_t binary_unit, decimal_unit, below;
    } units[] = {
        { "MiB", "MB", UINT64_C(1) << 20, 1000000, UINT64_C(2) << 30 },
        { "GiB", "GB", UINT64_C(1) << 30, 1000000000, UINT64_C(2) << 40 },
        { "TiB", "TB", UINT64_C(1) << 40, UINT64_C(1000000000000), UINT64_MAX },
    };
    unsigned i = 0;
    if (bytes < 5000 * KIB)
        return;
    while (bytes >= units[i].below)
        i++;
    uint64_t binary = (uint64_t)(((unsigned __int128)bytes * 200 / units[i].binary_unit + 1) / 2);
    uint64_t decimal = (bytes / (units[i].decimal_unit / 200) + 1) / 2;
    fprintf(out, " (%" PRIu64 ".%02" PRIu64 " %s %" PRIu64 ".%02" PRIu64 " %s)", binary / 100,
            binary % 100, units[i].binary, decimal / 100, decimal % 100, units[i].decimal);
}

static void print_size(FILE *out, const char *name, uint64_t sectors)
{
    fprintf(out, "%18s : %" PRIu64, name, sectors / 2);
    print_human(out, sectors * SECTOR);
    fputc('\n', out);
}

static void print_head(FILE *out, const struct results *r, const struct md_counts *n)
{
    static const char *const version[] = {
        [METADATA_090] = "0.90", [METADATA_10] = "1.0", [METADATA_12] = "1.2"
    };
    bool persistent = r->md.metadata != METADATA_NONE;
    fprintf(out, "\n/dev/md0:\n");
    if (persistent)
        fprintf(out, "%18s : %s\n", "Version", version[r->md.metadata]);
    fprintf(out, "%18s : %s\n", "Raid Level", geometry_level_name(r->scenario->array.level));
    print_size(out, "Array Size", r->md.array_sectors);
    print_size(out, "Used Dev Size", r->md.component_sectors);
    fprintf(out, "%18s : %" PRIu32 "\n", "Raid Devices", r->scenario->array.raid_disks);
    fprintf(out, "%18s : %" PRIu32 "\n", "Total Devices", n->total);
    fprintf(out, "%18s : Superblock is %spersistent\n\n", "Persistence", persistent ? "" : "not ");
    if (r->md.bitmap_chunk_sectors > 0)
        fprintf(out, "%18s : Internal\n\n", "Intent Bitmap");
}

static void print_state(FILE *out, const struct results *r, const struct md_counts *n)
{
    static const char *const doing[] = { [SYNC_IDLE] = "",
                                         [SYNC_CHECK] = ", checking",
                                         [SYNC_REPAIR] = ", resyncing",
                                         [SYNC_RESYNC] = ", resyncing",
                                         [SYNC_RECOVER] = ", recovering" };
    unsigned action = r->history.running ? r->md.now.action : SYNC_IDLE;
    fprintf(out, "%18s : %s%s%s\n", "State", r->md.in_sync ? "clean" : "active",
            r->md.degraded == 0  ? ""
            : r->md.degraded > 1 ? ", FAILED"
                                 : ", degraded",
            doing[action]);
    fprintf(out, "%18s : %" PRIu32 "\n", "Active Devices", n->active);
    fprintf(out, "%18s : %" PRIu32 "\n", "Working Devices", n->working);
    fprintf(out, "%18s : %" PRIu32 "\n", "Failed Devices", n->failed);
    fprintf(out, "%18s : %" PRIu32 "\n\n", "Spare Devices", n->spare);
    if (r->scenario->array.level == LEVEL_RAID5)
        fprintf(out, "%18s : %s\n", "Layout", geometry_layout_name(r->scenario->array.layout));
    fprintf(out, "%18s : %" PRIu32 "K\n\n", "Chunk Size", r->scenario->array.chunk_size / KIB);
    fprintf(out, "%18s : %s\n\n", "Consistency Policy",
            r->md.bitmap_chunk_sectors > 0 ? "bitmap" : "resync");
    if (action != SYNC_IDLE)
        fprintf(out, "%11s Status : %" PRIu32 "%% complete\n\n",
                action == SYNC_RECOVER ? "Rebuild"
                : action == SYNC_CHECK ? "Check"
                                       : "Resync",
                md_progress_of(r, &r->md.now).per_mille / 10);
}

/* sd disks have 16 minors each; after the first 16 disks come majors 65 to 71, then 128 to 135. */
static void print_device(FILE *out, unsigned device, const char *slot, const char *state)
{
    unsigned group = device / 16, minor = device % 16 * 16;
    unsigned major = group == 0 ? 8 : group < 8 ? 64 + group : 120 + group;
    char name[DISK_NAME_BYTES];
    figures_disk_name(device, name);
    fprintf(out, "   %5u   %5u    %5u    %5s      %s   /dev/%s\n", device, major, minor, slot,
            state, name);
}

static void print_slots(FILE *out, const struct results *r)
{
    fprintf(out, "    Number   Major   Minor   RaidDevice State\n");
    for (uint32_t i = 0; i < r->scenario->array.raid_disks; i++) {
        uint32_t flags = r->md.device[r->md.seat[i]].flags;
        char number[16];
        snprintf(number, sizeof number, "%" PRIu32, i);
        if (!(flags & MEMBER_PRESENT))
            fprintf(out, "       -       0        0    %5s      removed\n", number);
        else
            print_device(out, r->md.seat[i], number,
                         flags & MEMBER_FAULTY    ? "faulty"
                         : flags & MEMBER_IN_SYNC ? "active sync"
                                                  : "spare rebuilding");
    }
}

static void print_others(FILE *out, const struct results *r)
{
    bool any = false;
    for (uint32_t i = 0; i < r->history.device_count; i++) {
        unsigned state = r->history.device[i].state;
        if (state != DEVICE_FAULTY && state != DEVICE_SPARE)
            continue;
        if (!any)
            fputc('\n', out);
        any = true;
        print_device(out, i, "-", state == DEVICE_FAULTY ? "faulty" : "spare");
    }
}

void report_detail(FILE *out, const struct results *r)
{
    struct md_counts n = md_counts(r);
    print_head(out, r, &n);
    print_state(out, r, &n);
    print_slots(out, r);
    print_others(out, r);
}
