/* Comparisons: see compare.h. */
#include "tests/conformance/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bio_text(const struct bio_seen *b, char *text, size_t size)
{
    snprintf(text, size, "m%u %c %" PRIu64 "+%" PRIu32, b->member, b->write ? 'W' : 'R', b->sector,
             b->sectors);
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_everything(const void *left, const void *right)
{
    const struct bio_seen *a = left, *b = right;
    int result = order(a->member, b->member);

    result = result ? result : order(a->sector, b->sector);
    result = result ? result : order(a->write, b->write);
    return result ? result : order(a->sectors, b->sectors);
}

/* Where two lists of one order part; both counts when they do not. */
static size_t first_difference(const struct bio_list *a, const struct bio_list *b)
{
    size_t i = 0;

    while (i < a->count && i < b->count && !by_everything(&a->bio[i], &b->bio[i]))
        i++;
    return i;
}

static void tell(struct comparison *c, size_t at, const struct bio_list *want,
                 const struct bio_list *got, const char *where)
{
    char wanted[48] = "nothing more", seen[48] = "nothing more";

    if (at < want->count)
        bio_text(&want->bio[at], wanted, sizeof wanted);
    if (at < got->count)
        bio_text(&got->bio[at], seen, sizeof seen);
    snprintf(c->difference, DIFFERENCE_MAX, "%s%zu: recorded %s, simulated %s", where, at, wanted,
             seen);
}

static bool same_lists(struct comparison *c, const struct bio_list *want,
                       const struct bio_list *got, const char *where)
{
    size_t at = first_difference(want, got);

    if (at == want->count && at == got->count)
        return true;
    tell(c, at, want, got, where);
    return false;
}

static struct bio_list copy(const struct bio_list *list)
{
    struct bio_list all = { calloc(list->count + 1, sizeof *all.bio), list->count };

    if (!all.bio)
        abort();
    if (list->count)
        memcpy(all.bio, list->bio, list->count * sizeof *all.bio);
    return all;
}

static struct bio_list of_member(const struct bio_list *list, unsigned member)
{
    struct bio_list some = copy(list);

    some.count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->bio[i].member == member)
            some.bio[some.count++] = list->bio[i];
    return some;
}

static bool same_members(struct comparison *c, const struct bio_list *want,
                         const struct bio_list *got)
{
    bool same = true;

    for (unsigned member = 0; member < MEMBERS_MAX && same; member++) {
        struct bio_list a = of_member(want, member), b = of_member(got, member);

        same = same_lists(c, &a, &b, "of the member ");
        bio_list_free(&a);
        bio_list_free(&b);
    }
    return same;
}

/* Of two sorted lists the first I/O that only one has (or has more often). */
static bool same_sets(struct comparison *c, const struct bio_list *want, const struct bio_list *got)
{
    struct bio_list a = copy(want), b = copy(got);
    size_t at;
    bool same;

    qsort(a.bio, a.count, sizeof *a.bio, by_everything);
    qsort(b.bio, b.count, sizeof *b.bio, by_everything);
    at = first_difference(&a, &b);
    same = at == a.count && at == b.count;
    if (!same) {
        bool missing = at < a.count && (at == b.count || by_everything(&a.bio[at], &b.bio[at]) < 0);
        char text[48];

        bio_text(missing ? &a.bio[at] : &b.bio[at], text, sizeof text);
        snprintf(c->difference, DIFFERENCE_MAX, "%s %s", text, missing ? "is missing" : "too many");
    }
    bio_list_free(&a);
    bio_list_free(&b);
    return same;
}

static void add_up(const struct bio_list *list, unsigned member, bool write, uint64_t *bios,
                   uint64_t *sectors)
{
    *bios = *sectors = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->bio[i].member == member && list->bio[i].write == write) {
            ++*bios;
            *sectors += list->bio[i].sectors;
        }
}

static bool same_sectors(struct comparison *c, const struct bio_list *want,
                         const struct bio_list *got)
{
    for (unsigned i = 0; i < 2 * MEMBERS_MAX; i++) {
        uint64_t bios, wanted, seen;

        add_up(want, i / 2, i % 2, &bios, &wanted);
        add_up(got, i / 2, i % 2, &bios, &seen);
        if (wanted == seen)
            continue;
        snprintf(c->difference, DIFFERENCE_MAX,
                 "m%u %c: %" PRIu64 " sectors recorded, %" PRIu64 " simulated", i / 2,
                 i % 2 ? 'W' : 'R', wanted, seen);
        return false;
    }
    return true;
}

static bool within(struct comparison *c, const struct recording *r, unsigned member,
                   const char *total, uint64_t seen)
{
    uint64_t low, high;

    recording_range(r, member, total, &low, &high);
    if (seen >= low && seen <= high)
        return true;
    snprintf(c->difference, DIFFERENCE_MAX,
             "m%u %s: %" PRIu64 "..%" PRIu64 " recorded, %" PRIu64 " simulated", member, total, low,
             high, seen);
    return false;
}

static bool same_ranges(struct comparison *c, const struct recording *r, const struct bio_list *got)
{
    for (unsigned member = 0; member < MEMBERS_MAX; member++) {
        uint64_t bios, sectors;

        add_up(got, member, false, &bios, &sectors);
        if (!within(c, r, member, "r_bios", bios) || !within(c, r, member, "r_sectors", sectors))
            return false;
        add_up(got, member, true, &bios, &sectors);
        if (!within(c, r, member, "w_bios", bios) || !within(c, r, member, "w_sectors", sectors))
            return false;
    }
    return true;
}

void compare_bios(struct comparison *c, const struct recording *r, const struct bio_list *got)
{
    const struct bio_list *want = &r->bios;

    memset(c, 0, sizeof *c);
    c->in_order = same_lists(c, want, got, "");
    c->equal = c->in_order;
    if (c->equal || r->stability == STABLE_EXACT)
        return;
    c->difference[0] = '\0';
    switch (r->stability) {
    case STABLE_PERMEMBER:
        c->equal = same_members(c, want, got);
        break;
    case STABLE_SET:
        c->equal = same_sets(c, want, got);
        break;
    case STABLE_SECTORS:
        c->equal = same_sectors(c, want, got);
        break;
    default:
        c->equal = same_ranges(c, r, got);
        break;
    }
}
