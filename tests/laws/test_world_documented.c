/*
 * Law: docs/WORLD.md lists the sections of the world, in order, with the bytes of their records.
 *
 * A row of its table is `| SECTION | what | bytes | how many |`.
 */
#include "tests/lib/page.h"

#include <stdlib.h>

#include "model/defer.h"
#include "model/workers.h"
#include "model/fill.h"
#include "model/flaws.h"
#include "model/journal.h"
#include "model/log.h"
#include "model/ppl.h"
#include "model/stored.h"
#include "tests/lib/small_world.h"

/* In the order of enum section; what is called a record there. */
static const struct {
    enum section section;
    const char *name;
    unsigned bytes;
} records[] = {
    { SEC_ACTORS, "ACTORS", sizeof(struct actor) },
    { SEC_WAITS, "WAITS", sizeof(struct wait_queue) },
    { SEC_CLIENTS, "CLIENTS", sizeof(struct client) },
    { SEC_ARRAY, "ARRAY", sizeof(struct array) },
    { SEC_BUCKETS, "BUCKETS", sizeof(stripe_id) },
    { SEC_LENGTHS, "LENGTHS", sizeof(uint32_t) },
    { SEC_INDEX, "INDEX", sizeof(stripe_id) },
    { SEC_STRIPES, "STRIPES", sizeof(struct stripe) },
    { SEC_SLOTS, "SLOTS", sizeof(struct slot) },
    { SEC_REQUESTS, "REQUESTS", sizeof(struct request) },
    { SEC_BIOS, "BIOS", sizeof(struct bio) },
    { SEC_PIECES, "PIECES", sizeof(struct piece) },
    { SEC_MEMOS, "MEMOS", sizeof(uint32_t) },
    { SEC_TAGS, "TAGS", sizeof(tag) },
    { SEC_SEATS, "SEATS", sizeof(struct seat) },
    { SEC_DISKS, "DISKS", sizeof(struct disk) },
    { SEC_IOS, "IOS", sizeof(struct io) },
    { SEC_IOMAP, "IOMAP", sizeof(uint64_t) },
    { SEC_BITMAP, "BITMAP", sizeof(uint16_t) },
    { SEC_BITPAGES, "BITPAGES", sizeof(uint8_t) },
    { SEC_BITGROUPS, "BITGROUPS", sizeof(uint8_t) },
    { SEC_BAD, "BAD", sizeof(uint64_t) },
    { SEC_FLAWS, "FLAWS", sizeof(struct flaw) },
    { SEC_EXTENTS, "EXTENTS", sizeof(struct extent) },
    { SEC_MEDIA, "MEDIA", sizeof(struct medium) },
    { SEC_HANDLERS, "HANDLERS", sizeof(struct handler) },
    { SEC_DEFERRED, "DEFERRED", sizeof(struct deferred) },
    { SEC_LINKS, "LINKS", sizeof(io_id) },
    { SEC_LOGGED, "LOGGED", sizeof(struct logged) },
    { SEC_PPL, "PPL", sizeof(struct ppl) },
    { SEC_JOURNAL, "JOURNAL", sizeof(struct journal) },
    { SEC_UNITS, "UNITS", sizeof(struct journal_unit) },
    { SEC_ORACLE, "ORACLE", sizeof(struct truth) },
    { SEC_SAFE, "SAFE", sizeof(uint32_t) },
    { SEC_STORED, "STORED", sizeof(struct stored) },
    { SEC_BITDISK, "BITDISK", sizeof(uint8_t) },
    { SEC_CHECK, "CHECK", sizeof(uint16_t) },
};
enum { RECORDS = sizeof records / sizeof records[0] };
_Static_assert((int)RECORDS == (int)SECTION_COUNT,
               "a section has no row here, nor, likely, in the page");

static void the_page_lists_every_section_with_the_bytes_of_its_record(void **state)
{
    /* Breaks when a section or a field is added to the world and the page still tells the old
     * sizes. */
    struct page *p = page_read("docs/WORLD.md");
    const struct page_row *before = NULL;

    (void)state;
    for (unsigned s = 0; s < RECORDS; s++) {
        const struct page_row *r;

        assert_int_equal(records[s].section, s);
        if (page_find(p, records[s].name, &r) != 1)
            fail_msg("docs/WORLD.md: %s has %u rows", records[s].name,
                     page_find(p, records[s].name, &r));
        if (strtoul(r->cell[2], NULL, 10) != records[s].bytes)
            fail_msg("docs/WORLD.md: a record of %s has %u bytes, not %s", records[s].name,
                     records[s].bytes, r->cell[2]);
        if (before)
            assert_ptr_equal(r, before + 1); /* in order, and nothing else between them */
        before = r;
    }
    free(p);
}

static void the_world_s_records_are_those_of_the_page(void **state)
{
    /* Breaks when a section holds other records than the page says. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5, .tags_per_page = 2 });

    (void)state;
    for (unsigned i = 0; i < RECORDS; i++)
        if (i != SEC_MEDIA)
            assert_int_equal(s->w->item[i], records[i].bytes);
    assert_int_equal(s->w->item[SEC_MEDIA], sizeof(struct medium) + 16 * 2);
    small_free(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_lists_every_section_with_the_bytes_of_its_record),
        cmocka_unit_test(the_world_s_records_are_those_of_the_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
