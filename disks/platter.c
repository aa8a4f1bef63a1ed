/*
 * Geometry of a rotating disk: see platter.h.
 *
 * Skews are the smallest whole numbers of sectors that cover a head switch and a single-cylinder
 * seek, so that reading on never loses a revolution; a cylinder switch takes at least as long as a
 * head switch. They are laid out for the nominal speed, as a factory does. Checked against the HP
 * 97560, for which this rule gives the published 8 and 18 sectors. The first sector of a zone
 * follows the last of the zone before it after a single-cylinder seek.
 *
 * Left out: spare sectors and remapping, serpentine track order, defects.
 */
#include "disks/platter.h"

#include "model/assert.h"

enum { US = 1000 };

/* Half a day and more: no read-ahead takes longer, and times a track's sectors it fits 64 bits. */
#define ELAPSED_MAX (UINT64_C(1) << 45)

static uint64_t nominal_rev_ns(const struct disk_preset *p)
{
    return (UINT64_C(60000000000) + p->rpm / 2) / p->rpm;
}

static uint64_t zone_end(const struct platter *p, uint32_t zone)
{
    return zone + 1 < p->zone_count ? p->zone[zone + 1].first_sector : p->sectors;
}

/* The slot number of the sector that many places into its zone. */
static uint64_t zone_slot(const struct platter *p, const struct platter_zone *z, uint64_t offset)
{
    uint64_t track = offset / z->track_sectors, cylinder = track / p->heads;

    return offset + track * z->track_skew + cylinder * (z->cylinder_skew - z->track_skew);
}

static uint32_t zone_of(const struct platter *p, uint64_t sector)
{
    uint32_t low = 0, high = p->zone_count;

    ASSERT(sector < p->sectors);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (p->zone[middle].first_sector <= sector)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t skew_for(uint64_t ns, uint64_t track_sectors, uint64_t rev_ns)
{
    return (uint32_t)((ns * track_sectors + rev_ns - 1) / rev_ns);
}

void platter_start(struct platter *p, const struct disk_preset *preset, uint64_t rev_ns,
                   uint64_t phase_ns, uint64_t single_seek_ns)
{
    uint64_t nominal_ns = nominal_rev_ns(preset), sector = 0, angle_ns = 0;
    uint64_t switch_ns = (uint64_t)preset->head_switch_us * US;
    uint64_t step_ns = single_seek_ns > switch_ns ? single_seek_ns : switch_ns;

    ASSERT(phase_ns < rev_ns);
    p->sectors = preset->sectors;
    p->rev_ns = rev_ns;
    p->phase_ns = phase_ns;
    p->single_seek_ns = step_ns;
    p->heads = preset->heads;
    for (uint32_t i = 0; i < preset->zone_count && sector < p->sectors; i++) {
        struct platter_zone *z = &p->zone[i];
        uint32_t end =
            i + 1 < preset->zone_count ? preset->zone[i + 1].first_cylinder : preset->cylinders;

        z->first_sector = sector;
        z->first_cylinder = preset->zone[i].first_cylinder;
        z->track_sectors = preset->zone[i].sectors_per_track;
        z->track_skew = skew_for(switch_ns, z->track_sectors, nominal_ns);
        z->cylinder_skew = skew_for(step_ns, z->track_sectors, nominal_ns);
        z->angle_ns = angle_ns;
        p->zone_count = i + 1;

        uint64_t count = (uint64_t)(end - z->first_cylinder) * p->heads * z->track_sectors;
        uint64_t last = zone_slot(p, z, count - 1) + 1;
        angle_ns += last % z->track_sectors * rev_ns / z->track_sectors + step_ns;
        angle_ns %= rev_ns;
        sector += count;
    }
    ASSERT(sector >= p->sectors);
}

struct platter_place platter_find(const struct platter *p, uint64_t sector)
{
    const struct platter_zone *z = &p->zone[zone_of(p, sector)];
    uint64_t offset = sector - z->first_sector;
    uint64_t track = offset / z->track_sectors, cylinder = track / p->heads;
    uint64_t slot = offset + track * z->track_skew + cylinder * (z->cylinder_skew - z->track_skew);
    uint64_t angle = z->angle_ns + slot % z->track_sectors * p->rev_ns / z->track_sectors;

    return (struct platter_place){
        .angle_ns = angle < p->rev_ns ? angle : angle - p->rev_ns,
        .cylinder = z->first_cylinder + (uint32_t)cylinder,
        .head = (uint32_t)(track - cylinder * p->heads),
    };
}

uint64_t platter_wait_ns(const struct platter *p, uint64_t angle_ns, uint64_t at_ns)
{
    uint64_t angle_now = (at_ns + p->phase_ns) % p->rev_ns;

    ASSERT(angle_ns < p->rev_ns);
    return angle_ns >= angle_now ? angle_ns - angle_now : angle_ns + p->rev_ns - angle_now;
}

uint64_t platter_transfer_ns(const struct platter *p, uint64_t from, uint64_t to)
{
    uint64_t ns = 0;

    ASSERT(from < to);
    ASSERT(to <= p->sectors);
    for (uint32_t i = zone_of(p, from);; i++) {
        const struct platter_zone *z = &p->zone[i];
        uint64_t end = zone_end(p, i) < to ? zone_end(p, i) : to;
        uint64_t slots = zone_slot(p, z, end - 1 - z->first_sector) + 1 -
                         zone_slot(p, z, from - z->first_sector);

        ns += slots * p->rev_ns / z->track_sectors;
        if (end == to)
            return ns;
        ns += p->single_seek_ns;
        from = end;
    }
}

uint64_t platter_gap_ns(const struct platter *p, uint64_t sector)
{
    if (sector == 0)
        return 0;

    const struct platter_zone *z = &p->zone[zone_of(p, sector)];

    if (sector == z->first_sector)
        return p->single_seek_ns;

    uint64_t offset = sector - z->first_sector;
    uint64_t slots = zone_slot(p, z, offset) - zone_slot(p, z, offset - 1) - 1;

    return slots * p->rev_ns / z->track_sectors;
}

/* The inverse of zone_slot: how many sectors of the zone have passed wholly before that slot
 * number. */
static uint64_t zone_passed(const struct platter *p, const struct platter_zone *z, uint64_t slot)
{
    uint64_t track_slots = (uint64_t)z->track_sectors + z->track_skew;
    uint64_t cylinder_slots = track_slots * p->heads + z->cylinder_skew - z->track_skew;
    uint64_t cylinder = slot / cylinder_slots, rest = slot % cylinder_slots;
    uint64_t head = rest / track_slots;

    if (head >= p->heads)
        head = p->heads - 1;
    rest -= head * track_slots;
    if (rest > z->track_sectors)
        rest = z->track_sectors; /* a switch is under way */
    return (cylinder * p->heads + head) * z->track_sectors + rest;
}

uint64_t platter_reached(const struct platter *p, uint64_t from, uint64_t elapsed_ns,
                         uint64_t limit)
{
    ASSERT(from <= limit);
    ASSERT(limit <= p->sectors);
    if (from == limit)
        return limit;
    if (elapsed_ns > ELAPSED_MAX)
        elapsed_ns = ELAPSED_MAX;
    for (uint32_t i = zone_of(p, from);; i++) {
        const struct platter_zone *z = &p->zone[i];
        uint64_t begin = zone_slot(p, z, from - z->first_sector);
        /* One ns more, or rounding would deny a sector that platter_transfer_ns() calls read. */
        uint64_t passed = (elapsed_ns + 1) * z->track_sectors / p->rev_ns;
        uint64_t at = z->first_sector + zone_passed(p, z, begin + passed);

        if (at >= limit && limit <= zone_end(p, i))
            return limit;
        if (at < zone_end(p, i))
            return at;
        uint64_t used = platter_transfer_ns(p, from, zone_end(p, i)) + p->single_seek_ns;
        from = zone_end(p, i);
        if (elapsed_ns < used)
            return from;
        elapsed_ns -= used;
    }
}
