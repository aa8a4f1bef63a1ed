/* The timing models by name, and what a preset must be like for them: see disks/timing.h,
 * disks/preset.h. */
#include "disks/timing.h"

#include <string.h>

#include "disks/buffer.h"
#include "disks/preset.h"
#include "model/ids.h"

enum { RPM_MAX = 100000, SEEK_MAX_US = 1000000 };

const struct disk_timing *disk_timing_find(const char *name)
{
    static const struct disk_timing *const models[] = { &hdd_timing, &ssd_timing, &null_timing };

    for (unsigned i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(name, models[i]->name) == 0)
            return models[i];
    return NULL;
}

static const char *zones_trouble(const struct disk_preset *p)
{
    uint64_t sectors = 0;

    if (p->zone_count < 1 || p->zone_count > ZONES_MAX || p->zone[0].first_cylinder != 0)
        return "zones must be given, the first one from cylinder 0 on";
    for (uint32_t i = 0; i < p->zone_count; i++) {
        uint32_t end = i + 1 < p->zone_count ? p->zone[i + 1].first_cylinder : p->cylinders;
        if (end <= p->zone[i].first_cylinder)
            return "zones must rise and lie within the cylinders";
        if (p->zone[i].sectors_per_track < 1 || p->zone[i].sectors_per_track > 65535)
            return "a track has 1 to 65535 sectors";
        sectors +=
            (uint64_t)(end - p->zone[i].first_cylinder) * p->heads * p->zone[i].sectors_per_track;
    }
    return sectors < p->sectors ? "the zones hold less than the capacity" : NULL;
}

static const char *seek_trouble(const struct disk_preset *p)
{
    if (p->seek_point_count > SEEK_POINTS_MAX)
        return "too many points in seek_table";
    for (uint32_t i = 0; i < p->seek_point_count; i++) {
        if (p->seek[i].cylinders <= (i ? p->seek[i - 1].cylinders : 0))
            return "the cylinders of seek_table must rise from 1 on";
        if (p->seek[i].us > SEEK_MAX_US)
            return "a seek takes at most a second";
    }
    if (p->seek_point_count)
        return NULL;
    if (p->seek_min_us > p->seek_avg_us || p->seek_avg_us > p->seek_max_us)
        return "seek_min_us, seek_avg_us and seek_max_us must rise";
    return p->seek_max_us > SEEK_MAX_US ? "a seek takes at most a second" : NULL;
}

static const char *hdd_trouble(const struct disk_preset *p)
{
    const char *trouble = seek_trouble(p);

    if (p->rpm < 1 || p->rpm > RPM_MAX)
        return "rpm must be 1 to 100000";
    if (p->rpm_error_ppm > 100000)
        return "rpm_error_ppm must be at most 100000";
    if (p->heads < 1 || p->heads > 255)
        return "heads must be 1 to 255";
    if (p->cylinders < 1 || p->cylinders >= 1u << 31)
        return "cylinders must be given";
    if (p->segments > SEGMENTS_MAX)
        return "at most 64 segments";
    if (p->read_ahead_min > p->read_ahead)
        return "read_ahead_min must not exceed read_ahead";
    return trouble ? trouble : zones_trouble(p);
}

static const char *ssd_trouble(const struct disk_preset *p)
{
    if (p->channels < 1 || p->channels > CHANNELS_MAX)
        return "channels must be 1 to 64";
    if (p->flash_page < SECTOR_BYTES || p->flash_page % SECTOR_BYTES)
        return "flash_page must be a multiple of 512";
    if (p->write_cache && p->write_cache / p->channels < p->flash_page)
        return "write_cache must hold a flash page a channel";
    return NULL;
}

const char *disk_preset_trouble(const struct disk_preset *p)
{
    const struct disk_timing *timing = disk_timing_find(p->model);

    if (timing == NULL)
        return "model must be hdd, ssd or null";
    if (p->sectors < 1 || p->sectors > (uint64_t)1 << 48)
        return "capacity must be given";
    if (p->queue_depth < 1 || p->queue_depth > DEVICE_QUEUE_MAX)
        return "queue_depth must be 1 to 256";
    if (timing == &hdd_timing)
        return hdd_trouble(p);
    return timing == &ssd_timing ? ssd_trouble(p) : NULL;
}
