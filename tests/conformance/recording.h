/*
 * A recording of the real driver: one experiment of tests/golden (its README.md says how it was
 * made and what the keys mean).
 */
#ifndef TESTS_CONFORMANCE_RECORDING_H
#define TESTS_CONFORMANCE_RECORDING_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMBERS_MAX = 64 };

/* How well the recordings agree among themselves; so well must the model agree with them. */
enum stability {
    STABLE_EXACT,     /* the same list in the same order */
    STABLE_PERMEMBER, /* each member's list in the same order */
    STABLE_SET,       /* the same I/Os in any order */
    STABLE_SECTORS,   /* as many sectors of each member and direction */
    STABLE_RANGES     /* totals within a range */
};

/* A member I/O that carries data. */
struct bio_seen {
    uint64_t ns; /* when it was submitted; 0 in recordings too long for that */
    uint64_t sector;
    uint32_t sectors;
    uint16_t member;
    uint8_t write;
    uint8_t pad;
};

struct bio_list {
    struct bio_seen *bio; /* owned */
    size_t count;
};

struct recording {
    const char *name;
    enum stability stability;
    json_t *json; /* the record; owned by the file's object */
    struct bio_list bios;
};

/* False: *why (at least 128 bytes) says what is missing. bios is to be freed with bio_list_free. */
bool recording_read(struct recording *, const char *name, json_t *record, char *why);
void bio_list_free(struct bio_list *);
const char *stability_text(enum stability);
/* A setting of the experiment as text or number; the default when it is not given. */
const char *recording_text(const struct recording *, const char *key);
uint64_t recording_number(const struct recording *, const char *key, uint64_t dflt);
/* [*low, *high] of a member's total ("r_bios", "w_sectors", ...) over all runs; 0, 0 when the
 * member was never used. */
void recording_range(const struct recording *, unsigned member, const char *total, uint64_t *low,
                     uint64_t *high);

#endif
