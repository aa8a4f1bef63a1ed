/*
 * The figures of one kind of device. Filled by sim/scenario.c from scenarios/presets/disks/NAME.cfg
 * and the [disk] section; constant during a run. Every key is documented in sim/keys.def under its
 * name here; where a figure comes from stands beside it in the preset file.
 */
#ifndef DISKS_PRESET_H
#define DISKS_PRESET_H
#include <stdint.h>

enum { ZONES_MAX = 32, SEEK_POINTS_MAX = 128, CHANNELS_MAX = 64, DEVICE_QUEUE_MAX = 256 };

/* One zone of a rotating disk: from this share of the cylinders on, tracks have this many sectors.
 */
struct disk_zone {
    uint32_t first_cylinder, sectors_per_track;
};
/* One measured point of a seek table. */
struct seek_point {
    uint32_t cylinders, us;
};

struct disk_preset {
    char name[32];
    char model[8];        /* "hdd", "ssd", "null" */
    char source[128];     /* provenance in one line, printed by `raid5sim presets` */
    uint64_t sectors;     /* capacity */
    uint32_t queue_depth; /* commands inside the device at once; 1: no NCQ */
    uint32_t link_kb_s;   /* usable link rate, 1000 bytes/s; 0: not limiting */
    uint32_t overhead_ns; /* command overhead of the controller, per command */
    uint32_t price;       /* whole currency units a device, for plans; 0: unknown */
    /* Volatile write cache and flush. */
    uint32_t write_cache; /* bytes of volatile write-back cache; 0: write-through */
    uint32_t flush_ns;    /* fixed part of a FLUSH CACHE */
    /* null, ssd: latency that commands share without hindering each other, and throughput. */
    uint32_t latency_ns;            /* per command */
    uint32_t read_kb_s, write_kb_s; /* 0: unlimited */
    /* hdd */
    uint32_t rpm;
    uint32_t rpm_error_ppm; /* each spindle's speed is off by up to this */
    uint32_t cylinders, heads;
    uint32_t seek_min_us, seek_avg_us, seek_max_us; /* three-point curve (single, mean over random
                                                       pairs, full); used when there is no table */
    uint32_t seek_noise_us;                         /* standard deviation, 0: none */
    uint32_t write_settle_us;                       /* added to a seek before a write */
    uint32_t head_switch_us;
    uint32_t read_ahead; /* bytes the drive reads on after a request while nothing else is asked */
    uint32_t read_ahead_min; /* bytes of read-ahead a drive finishes before it turns to another
                                command */
    uint32_t segments;       /* read cache segments */
    uint32_t zone_count;
    struct disk_zone zone[ZONES_MAX];
    uint32_t seek_point_count;
    struct seek_point seek[SEEK_POINTS_MAX];
    /* ssd */
    uint32_t channels;                      /* units that work in parallel */
    uint32_t page_read_ns, page_program_ns; /* per flash page and channel */
    uint32_t flash_page;                    /* bytes */
    uint32_t buffered_write_ns;             /* a write that fits the write buffer ends after this */
};

/* NULL if the timing model can work with these figures, else a sentence for the user (string
 * constant). Every other function that takes a preset may assume that this was asked. */
const char *disk_preset_trouble(const struct disk_preset *);

#endif
