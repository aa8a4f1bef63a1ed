/*
 * /proc/mdstat: the line of a sync as it would have been read at each tenth of its way, and the
 * whole file at the end of the run.
 *
 * Order and spelling are md's: devices with the last one first, (F) faulty and (S) spare behind
 * their numbers, K for KiB, a repair called resync. Speed is taken over whole seconds, as there:
 * over less than one it comes out too low. Kernel: md.c md_seq_show, status_resync; raid5.c
 * raid5_status (6.1).
 */
#include <inttypes.h>

#include "model/io.h"
#include "sim/figures.h"
#include "sim/geometry_names.h"
#include "sim/md_view.h"
#include "sim/report_parts.h"

enum { NS_A_US = 1000, US_A_SECOND = 1000000, BAR = 20, KIB = 1024, SECTOR = 512 };

static void print_progress(FILE *out, const struct results *r, const struct history_progress *p)
{
    struct md_progress m = md_progress_of(r, p);
    uint32_t done = m.per_mille / (1000 / BAR);
    fputc('[', out);
    for (uint32_t i = 0; i <= BAR; i++)
        fputc(i < done ? '=' : i == done ? '>' : '.', out);
    fprintf(out,
            "]  %s =%3" PRIu32 ".%" PRIu32 "%% (%" PRIu64 "/%" PRIu64 ") finish=%" PRIu64
            ".%" PRIu64 "min speed=%" PRIu64 "K/sec\n",
            md_sync_word(p->action), m.per_mille / 10, m.per_mille % 10, m.done_kib, m.all_kib,
            m.left_s / 60, m.left_s % 60 / 6, m.speed_kib);
}

static void print_samples(FILE *out, const struct results *r)
{
    const struct history *h = &r->history;
    if (h->progress_count == 0)
        return;
    fprintf(out, "\n/proc/mdstat while a sync ran\n");
    for (uint32_t i = 0; i < h->progress_count; i++) {
        uint64_t us = h->progress[i].ns / NS_A_US;
        fprintf(out, "%5" PRIu64 ".%06" PRIu64 "s  ", us / US_A_SECOND, us % US_A_SECOND);
        print_progress(out, r, &h->progress[i]);
    }
    if (h->progress_left_out > 0)
        fprintf(out, "left out: %" PRIu32 "\n", h->progress_left_out);
}

static void print_devices(FILE *out, const struct results *r)
{
    fprintf(out, "md0 : active %s", geometry_level_name(r->scenario->array.level));
    for (uint32_t i = r->history.device_count; i-- > 0;) {
        char name[DISK_NAME_BYTES];
        if (r->history.device[i].state == DEVICE_GONE)
            continue;
        figures_disk_name(i, name);
        fprintf(out, " %s[%" PRIu32 "]%s", name, i,
                md_device_is_faulty(r, i)                    ? "(F)"
                : r->history.device[i].state == DEVICE_SPARE ? "(S)"
                                                             : "");
    }
    fputc('\n', out);
}

static void print_array(FILE *out, const struct results *r)
{
    static const char *const super[] = { [METADATA_NONE] = " super non-persistent",
                                         [METADATA_090] = "",
                                         [METADATA_10] = " super 1.0",
                                         [METADATA_12] = " super 1.2" };
    const struct scenario *s = r->scenario;
    fprintf(out,
            "      %" PRIu64 " blocks%s level %d, %" PRIu32 "k chunk, algorithm %d [%" PRIu32
            "/%" PRIu32 "] [",
            r->md.array_sectors / 2, super[r->md.metadata], s->array.level == LEVEL_RAID4 ? 4 : 5,
            s->array.chunk_size / KIB, s->array.level == LEVEL_RAID4 ? 0 : (int)s->array.layout,
            s->array.raid_disks, s->array.raid_disks - r->md.degraded);
    for (uint32_t i = 0; i < s->array.raid_disks; i++)
        fputc(r->md.device[r->md.seat[i]].flags & MEMBER_IN_SYNC ? 'U' : '_', out);
    fprintf(out, "]\n");
}

static void print_bitmap(FILE *out, const struct results_md *md)
{
    uint64_t bytes = md->bitmap_chunk_sectors * SECTOR;
    if (bytes > 0)
        fprintf(
            out,
            "      bitmap: %" PRIu64 "/%" PRIu64 " pages [%" PRIu64 "KB], %" PRIu64 "KB chunk\n",
            md->bitmap_used, md->bitmap_pages, md->bitmap_used * (PAGE_BYTES / KIB), bytes / KIB);
}

void report_mdstat(FILE *out, const struct results *r)
{
    print_samples(out, r);
    fprintf(out, "\n/proc/mdstat at the end\nPersonalities : [raid6] [raid5] [raid4]\n");
    print_devices(out, r);
    print_array(out, r);
    if (r->history.running) {
        fprintf(out, "      ");
        print_progress(out, r, &r->md.now);
    }
    print_bitmap(out, &r->md);
    fprintf(out, "\nunused devices: <none>\n");
}
