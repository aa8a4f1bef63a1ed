/*
 * Private to sim/scenario*.c: how a scenario comes together.
 *
 *     files --scenario_read--> entries --scenario_preset, scenario_job--> fields
 * --scenario_check--> done
 *
 * An *entry* is one `key = value` with the place it was written at. Entries keep the order in which
 * they count: the keys of an included file stand before those of the file that includes it, and
 * what --set says stands last. The last entry of a key wins.
 */
#ifndef SIM_SCENARIO_INTERNAL_H
#define SIM_SCENARIO_INTERNAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/keys.h"
#include "sim/scenario.h"

enum {
    FILES_MAX = 64, /* files one scenario may be made of, a file included twice counted twice */
    INCLUDE_DEPTH_MAX = 16,
    VALUE_MAX = 256,
    WHY_MAX = 320,      /* text of a value's error */
    EVERY_INSTANCE = -1 /* [disk] without a number, --set job.key */
};

/* Which [disk N], [job NAME] or [fault NAME] an entry belongs to: the member, the place in
 * reading.job or reading.fault, or EVERY_INSTANCE. */
struct entry {
    const struct key *key; /* NULL in [expect], where name says what is expected */
    int16_t instance;
    uint8_t section;   /* enum section */
    uint8_t file;      /* place in reading.file */
    bool command_line; /* from --set */
    int line;
    char name[64];
    char value[VALUE_MAX];
};

/* A section header. */
struct header {
    uint8_t section, file;
    int16_t instance;
    int line;
    size_t first; /* entries that stood before it */
};

struct file {
    char path[256];
    dev_t device;
    ino_t inode;
};

struct reading {
    struct complaint *complaint;
    struct scenario *scenario; /* for its warnings */
    enum section preset;       /* the file is a preset for this section; SECTION_NONE: a scenario */
    unsigned file_count, depth;
    struct file file[FILES_MAX];
    uint8_t open[INCLUDE_DEPTH_MAX + 1]; /* files being read now, outermost first */
    unsigned job_count;
    char job[JOBS_MAX][64];
    unsigned fault_count;
    char fault[FAULTS_MAX][64];
    size_t entry_count, entry_max;
    struct entry *entry;
    size_t header_count, header_max;
    struct header *header;
};

/* --- scenario_read.c --- */
/* An empty reading; NULL when memory is short (complained). Free with reading_free. */
struct reading *reading_new(struct scenario *, struct complaint *);
void reading_free(struct reading *);
/* Adds the keys of a file and of all it includes. A complaint about a file as a whole has line 0.
 */
bool reading_add_file(struct reading *, const char *path);
/* Instead of a file: an empty [array], so that complaints without a place are about --set. */
bool reading_add_no_file(struct reading *);
/* Adds `section.key=value` as the command line gives it. */
bool reading_add_override(struct reading *, const char *text);
bool reading_add_entry(struct reading *, const struct entry *);
bool reading_add_header(struct reading *, const struct header *);
/* Complains about a key as given for an instance: names the file and line of its last entry, or of
 * its section, or the first line of the scenario. key NULL: about the section as a whole. */
bool reading_complain(const struct reading *, enum section, int instance, const char *key,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The last entry of a key for exactly this instance; NULL: not given. */
const struct entry *reading_last(const struct reading *, enum section, int instance,
                                 const char *key);
/* Was there a header for this instance? */
const struct header *reading_header(const struct reading *, enum section, int instance);

/* --- scenario_line.c: what libinih calls back --- */
struct source {
    const char *at;     /* rest of the file's text */
    int line;           /* the line `at` has come from */
    bool bare;          /* the line was a word alone */
    bool includes_only; /* first pass: only `include` counts */
    struct reading *reading;
    enum section section;
    int instance;
};
/* Reads text (NUL-terminated) line by line and adds its entries. */
bool source_read(struct source *);

/* --- scenario_names.c: which section, job and key a name means --- */
/* Finds section and instance of a header's text ("disk 3", "job aio"). */
bool names_find_section(struct reading *, const char *text, enum section *, int *instance,
                        char *why);
/* The place of a job's name; a new name is added. -1: too many jobs, or the name is no good. */
int names_job(struct reading *, const char *name);
/* Checks the entry's name and fills in its key. *keep: false for an option of fio's that is not
 * modelled (a warning then). False: why says what is wrong. */
bool names_find_key(struct reading *, struct entry *, bool *keep, char *why);

/* --- scenario_fio.c --- */
/* Is this an option fio has and the model has not? */
bool fio_knows_option(const char *name);
/* Notes an option for the one line of warnings; a second time is ignored. */
void scenario_warn(struct scenario *, const char *text);

/* --- scenario_value.c, scenario_lists.c --- */
enum { IRQ_SPREAD = 0x7fffffff };
#define SHARE_FLAG                                                                                 \
    (UINT64_C(1)                                                                                   \
     << 63) /* a SHARE field that holds thousandths of a percent until the array is known */
/* Converts text and stores it in the field of the structure at base. why has WHY_MAX bytes; false:
 * it tells the reason. */
bool value_store(const struct key *, void *base, const char *text, char *why);
bool value_store_list(const struct key *, void *base, const char *text, char *why);
/* An ioengine the model knows by name? Others work as libaio. */
bool value_knows_engine(const char *text);
/* Digits only. */
bool value_whole(const char *text, uint64_t *value);

/* --- scenario_preset.c --- */
/* "hosts", "drivers", "disks". */
const char *preset_kind(enum section);
/* Stores the values of all entries of exactly this instance. */
bool reading_store(const struct reading *, enum section, int instance, void *base);
/* Stores defaults, preset and own keys of [host], [driver] or one [disk]. */
bool preset_apply(struct reading *, enum section, int instance, void *base);
/* Stores the defaults of all keys of a section. */
void preset_defaults(enum section, void *base);

/* --- scenario_job.c, scenario_expect.c, scenario_check.c --- */
bool scenario_fill_jobs(struct reading *);
bool scenario_fill_expects(struct reading *);
/* Everything that concerns more than one key; resolves shares and IRQ_SPREAD. */
bool scenario_check(struct reading *);
/* The part of it that concerns the array's geometry, which it fills in (scenario_load_array). */
bool scenario_check_array(struct reading *, struct geometry *);
bool scenario_check_disk(struct reading *, unsigned member);

/* --- scenario_check_md.c: faults, and what md-6.1 alone has --- */
bool scenario_check_md(const struct reading *);
bool scenario_check_log_room(const struct reading *, uint64_t component_sectors); /* PPL, journal */
/* The [fault] sections; the members' size is known. */
bool scenario_check_faults(const struct reading *, uint64_t component_sectors);

/* --- scenario_script.c --- */
/* A job with the key ioseq: reads the script and fills in the keys that follow from it. */
bool scenario_check_script(const struct reading *, int job, uint64_t array_bytes);

#endif
