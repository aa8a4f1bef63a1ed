/*
 * The figures of one member against each other: what a timing model takes for granted is asked
 * here, so that a wrong preset is the user's mistake with a line number and not an assertion in the
 * middle of a run.
 */
#include "sim/scenario_internal.h"

#include <inttypes.h>
#include <string.h>

static bool check_zones(const struct reading *reading, int member, const struct disk_preset *disk)
{
    uint64_t sectors = 0;

    if (disk->zone_count == 0 || disk->zone[0].first_cylinder != 0)
        return reading_complain(reading, SECTION_DISK, member, "zones",
                                "zones: the first must begin with cylinder 0");
    for (uint32_t i = 0; i < disk->zone_count; i++) {
        uint32_t end =
            i + 1 < disk->zone_count ? disk->zone[i + 1].first_cylinder : disk->cylinders;

        if (end <= disk->zone[i].first_cylinder || end > disk->cylinders)
            return reading_complain(reading, SECTION_DISK, member, "zones",
                                    "zones: cylinders must rise and stay below %" PRIu32,
                                    disk->cylinders);
        if (disk->zone[i].sectors_per_track == 0)
            return reading_complain(reading, SECTION_DISK, member, "zones",
                                    "zones: a track of no sectors");
        sectors += (uint64_t)(end - disk->zone[i].first_cylinder) * disk->heads *
                   disk->zone[i].sectors_per_track;
    }
    if (sectors < disk->sectors)
        return reading_complain(reading, SECTION_DISK, member, "capacity",
                                "capacity: the zones hold %" PRIu64 " sectors, not %" PRIu64,
                                sectors, disk->sectors);
    return true;
}

static bool check_seeks(const struct reading *reading, int member, const struct disk_preset *disk)
{
    if (disk->seek_point_count == 0 &&
        (disk->seek_min_us > disk->seek_avg_us || disk->seek_avg_us > disk->seek_max_us ||
         disk->seek_max_us == 0))
        return reading_complain(reading, SECTION_DISK, member, "seek_avg_us",
                                "seeks must rise: seek_min_us <= seek_avg_us <= seek_max_us");
    for (uint32_t i = 0; i < disk->seek_point_count; i++) {
        uint32_t before = i ? disk->seek[i - 1].cylinders : 0;

        if (disk->seek[i].cylinders <= before)
            return reading_complain(reading, SECTION_DISK, member, "seek_table",
                                    "seek_table: distances must rise, from 1 on");
    }
    return true;
}

static bool check_hdd(const struct reading *reading, int member, const struct disk_preset *disk)
{
    if (disk->rpm == 0 || disk->cylinders == 0 || disk->heads == 0)
        return reading_complain(reading, SECTION_DISK, member, "model",
                                "model = hdd needs rpm, cylinders and heads");
    return check_zones(reading, member, disk) && check_seeks(reading, member, disk);
}

bool scenario_check_disk(struct reading *reading, unsigned member)
{
    const struct disk_preset *disk = &reading->scenario->disk[member];

    if (disk->sectors == 0)
        return reading_complain(reading, SECTION_DISK, (int)member, "preset",
                                "member %u: neither a preset nor a capacity is given", member);
    if (!strcmp(disk->model, "hdd"))
        return check_hdd(reading, (int)member, disk);
    if (!strcmp(disk->model, "ssd") &&
        (disk->channels == 0 || disk->flash_page < 512 || disk->flash_page % 512 != 0))
        return reading_complain(reading, SECTION_DISK, (int)member, "model",
                                "model = ssd needs channels and flash_page (a multiple of 512)");
    return true;
}
