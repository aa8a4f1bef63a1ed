/*
 * Scripts: see script.h.
 *
 * Parsing expands everything at once; what is left for the run is a list of I/Os, each with the
 * number of others that may still be under way when it is issued. That number says all there is
 * about waiting: a single I/O has 0; the first of a group 0 and the others no limit; a stream of
 * depth QD has QD - 1 but for its first.
 *
 * Kernel: io_submit plugs when it is given more than two I/Os (fs/aio.c AIO_PLUG_THRESHOLD), and
 * writeback always does (fs/fs-writeback.c); such I/Os carry REQUEST_MORE up to the last one.
 */
#include "sim/script.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/assert.h"
#include "model/request.h"
#include "sim/complaint.h"

enum { SECTOR = 512, PAGE = 4096, PLUG_THRESHOLD = 2, AT_ONCE = UINT16_MAX };
#define IO_BYTES_MAX (16u << 20)
static const uint64_t ms_ns = 1000000, writeback_ns = 100 * 1000000;

struct parser {
    struct script *script;
    struct complaint *complaint;
    const char *op; /* the operation, for complaints */
    int length;
    const char *at; /* its next argument */
    char group;     /* '{' or '[': inside one; 0: none */
    uint32_t group_first;
    bool durable;      /* a write with O_DSYNC came, and no flush yet */
    uint64_t slept_ns; /* since the I/O before */
    uint64_t *dirty;   /* pages written through the page cache, in order of writing */
    uint32_t dirty_count, dirty_capacity;
    uint64_t dirty_age_ns;
};

static bool wrong(const struct parser *p, const char *why)
{
    return complain(p->complaint, "ioseq", 0, "'%.*s': %s", p->length, p->op, why);
}

/* ------------------------------------------------------------- arguments */

static bool at_end(const struct parser *p)
{
    return p->at >= p->op + p->length;
}

/* The next number, with its suffix, and the colon after it. */
static bool number(struct parser *p, uint64_t *value)
{
    char *end;

    if (at_end(p) || !isdigit((unsigned char)*p->at))
        return wrong(p, "a number is missing");
    *value = strtoull(p->at, &end, 0);
    if (*value >> 40)
        return wrong(p, "a number is too large");
    if (*end == 'K' || *end == 'k')
        *value <<= 10, end++;
    else if (*end == 'M' || *end == 'm')
        *value <<= 20, end++;
    p->at = end;
    if (at_end(p))
        return true;
    if (*p->at != ':')
        return wrong(p, "numbers are parted by colons, with K or M at the most behind them");
    p->at++;
    return true;
}

static bool nothing_more(const struct parser *p)
{
    return at_end(p) || wrong(p, "there is something behind the last number");
}

static bool extent(struct parser *p, uint64_t *offset, uint64_t *bytes)
{
    if (!number(p, offset) || !number(p, bytes) || !nothing_more(p))
        return false;
    if (*offset % SECTOR || *bytes % SECTOR || *bytes == 0 || *bytes > IO_BYTES_MAX)
        return wrong(p, "whole sectors of 512 bytes, 1 to 32768 of them");
    return true;
}

static bool direction(struct parser *p, uint8_t *flags)
{
    if (p->at + 1 >= p->op + p->length || (*p->at != 'r' && *p->at != 'w') || p->at[1] != ':')
        return wrong(p, "r or w is missing");
    *flags = *p->at == 'w' ? REQUEST_WRITE : 0;
    p->at += 2;
    return true;
}

/* ----------------------------------------------------------- the list */

static bool grow(struct parser *p)
{
    struct script *s = p->script;
    uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
    struct script_ask *ask = realloc(s->ask, capacity * sizeof *ask);

    if (!ask)
        return wrong(p, "no memory");
    s->ask = ask;
    s->capacity = capacity;
    return true;
}

/* Reads by read(2) wait for their end; those by io_submit do not. */
static uint8_t waited(uint8_t flags, bool blocks)
{
    return flags & REQUEST_WRITE || !blocks ? flags : flags | REQUEST_WAITED;
}

static bool add(struct parser *p, uint64_t offset, uint64_t bytes, uint8_t flags,
                uint16_t outstanding)
{
    struct script *s = p->script;
    struct script_ask *a;

    if (s->count == SCRIPT_ASKS_MAX)
        return wrong(p, "the script has too many I/Os");
    if (s->count == s->capacity && !grow(p))
        return false;
    a = &s->ask[s->count++];
    *a = (struct script_ask){ .sector = offset / SECTOR,
                              .sectors = (uint32_t)(bytes / SECTOR),
                              .sleep_ns = p->slept_ns,
                              .outstanding = outstanding,
                              .flags = flags };
    p->slept_ns = 0;
    return true;
}

/* ------------------------------------------------------- page cache */

static bool dirty_page(struct parser *p, uint64_t page)
{
    for (uint32_t i = 0; i < p->dirty_count; i++)
        if (p->dirty[i] == page)
            return true;
    if (p->dirty_count == p->dirty_capacity) {
        uint32_t capacity = p->dirty_capacity ? 2 * p->dirty_capacity : 64;
        uint64_t *dirty = realloc(p->dirty, capacity * sizeof *dirty);

        if (!dirty)
            return wrong(p, "no memory");
        p->dirty = dirty;
        p->dirty_capacity = capacity;
    }
    p->dirty[p->dirty_count++] = page;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Everything written through the page cache goes to the array. */
static bool write_back(struct parser *p)
{
    uint32_t count = p->dirty_count;

    if (count == 0)
        return true;
    qsort(p->dirty, count, sizeof *p->dirty, by_number);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t more = i + 1 < count ? REQUEST_MORE : 0;

        if (!add(p, p->dirty[i] * PAGE, PAGE, (uint8_t)(REQUEST_WRITE | REQUEST_NOSYNC | more),
                 i ? AT_ONCE : 0))
            return false;
    }
    p->dirty_count = 0;
    p->dirty_age_ns = 0;
    return true;
}

static bool parse_buffered(struct parser *p)
{
    uint64_t offset, bytes;

    if (!extent(p, &offset, &bytes))
        return false;
    if (p->group)
        return wrong(p, "not between brackets");
    for (uint64_t page = offset / PAGE; page * PAGE < offset + bytes; page++)
        if (!dirty_page(p, page))
            return false;
    return true;
}

/* --------------------------------------------------------- operations */

/* A write with O_DSYNC is followed by a flush, whether it was done with forced unit access or not
 * (generic_write_sync). */
static bool flush_durable(struct parser *p)
{
    bool durable = p->durable;

    p->durable = false;
    return !durable || add(p, 0, 0, REQUEST_FLUSH, 0);
}

static bool parse_single(struct parser *p)
{
    uint8_t flags = *p->op == 'r' ? 0 : *p->op == 'w' ? REQUEST_WRITE : REQUEST_WRITE | REQUEST_FUA;
    uint64_t offset, bytes;

    if (!extent(p, &offset, &bytes))
        return false;
    if (p->group && p->script->count - p->group_first == SCRIPT_OUTSTANDING_MAX)
        return wrong(p, "too many I/Os between brackets");
    p->durable |= (flags & REQUEST_FUA) != 0;
    return add(p, offset, bytes, waited(flags, !p->group),
               p->group && p->script->count > p->group_first ? AT_ONCE : 0) &&
           (p->group || flush_durable(p));
}

/* The kernel plugs what comes in one submission. */
static bool close_group(struct parser *p)
{
    struct script *s = p->script;

    if (p->group == '{' && s->count - p->group_first > PLUG_THRESHOLD)
        for (uint32_t i = p->group_first; i + 1 < s->count; i++)
            s->ask[i].flags |= REQUEST_MORE;
    p->group = 0;
    return flush_durable(p);
}

static bool parse_bracket(struct parser *p)
{
    char c = *p->op;

    if (c == '{' || c == '[') {
        if (p->group)
            return wrong(p, "brackets inside brackets");
        p->group = c;
        p->group_first = p->script->count;
        return true;
    }
    if (p->group != (c == '}' ? '{' : '['))
        return wrong(p, "nothing to close");
    return close_group(p);
}

/* A generated stream. */
struct stream {
    uint64_t base, range, bytes, count, depth, random;
    unsigned read_percent;
    uint8_t flags;
    bool seeded, mixed;
};

static uint64_t draw(struct stream *t)
{
    t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return t->random >> 33;
}

static bool add_stream(struct parser *p, struct stream *t)
{
    if (p->group)
        return wrong(p, "not between brackets");
    if (t->bytes == 0 || t->bytes % SECTOR || t->bytes > IO_BYTES_MAX || t->base % SECTOR)
        return wrong(p, "whole sectors of 512 bytes, 1 to 32768 of them");
    if (t->seeded && t->range / t->bytes == 0)
        return wrong(p, "the range holds no block");
    if (t->depth > SCRIPT_OUTSTANDING_MAX)
        return wrong(p, "too many I/Os outstanding");
    for (uint64_t k = 0; k < t->count; k++) {
        uint64_t offset = t->base + k * t->bytes;
        uint8_t flags = t->flags;

        if (t->seeded)
            offset = t->base + t->bytes * (draw(t) % (t->range / t->bytes));
        if (t->mixed)
            flags = draw(t) % 100 < t->read_percent ? 0 : REQUEST_WRITE;
        if (!add(p, offset, t->bytes, waited(flags, t->depth < 2),
                 (uint16_t)(k == 0 || t->depth == 0 ? 0 : t->depth - 1)))
            return false;
    }
    return true;
}

static bool parse_sequence(struct parser *p)
{
    struct stream t = { .base = 0 };

    if (!direction(p, &t.flags) || !number(p, &t.base) || !number(p, &t.range) ||
        !number(p, &t.bytes) || !number(p, &t.depth) || !nothing_more(p))
        return false;
    t.count = t.bytes ? t.range / t.bytes : 0;
    return add_stream(p, &t);
}

static bool parse_random(struct parser *p)
{
    struct stream t = { .seeded = true };

    return direction(p, &t.flags) && number(p, &t.range) && number(p, &t.bytes) &&
           number(p, &t.count) && number(p, &t.depth) && number(p, &t.random) && nothing_more(p) &&
           add_stream(p, &t);
}

static bool parse_mix(struct parser *p)
{
    struct stream t = { .seeded = true, .mixed = true };
    uint64_t percent;

    if (!number(p, &percent) || !number(p, &t.range) || !number(p, &t.bytes) ||
        !number(p, &t.count) || !number(p, &t.depth) || !number(p, &t.random) || !nothing_more(p))
        return false;
    if (percent > 100)
        return wrong(p, "more than 100 percent");
    t.read_percent = (unsigned)percent;
    return add_stream(p, &t);
}

static bool parse_sleep(struct parser *p)
{
    uint64_t ms;

    if (!number(p, &ms) || !nothing_more(p))
        return false;
    if (p->group)
        return wrong(p, "not between brackets");
    if (ms > 86400000)
        return wrong(p, "longer than a day");
    p->slept_ns += ms * ms_ns;
    if (p->dirty_count == 0)
        return true;
    p->dirty_age_ns += ms * ms_ns;
    if (p->dirty_age_ns < writeback_ns)
        return true;

    /* The interval ends within this sleep; its rest passes after the writes. */
    uint64_t rest = p->dirty_age_ns - writeback_ns;

    p->slept_ns -= rest < p->slept_ns ? rest : p->slept_ns;
    if (!write_back(p))
        return false;
    p->slept_ns = rest;
    return true;
}

static bool parse_flush(struct parser *p)
{
    if (p->group)
        return wrong(p, "not between brackets");
    return write_back(p) && add(p, 0, 0, REQUEST_FLUSH, 0);
}

static bool parse_mark(struct parser *p)
{
    uint64_t mark;

    if (!number(p, &mark) || !nothing_more(p))
        return false;
    return mark <= 3 || wrong(p, "marks are 0 to 3");
}

static bool parse_operation(struct parser *p)
{
    static const struct {
        const char *name;
        bool (*parse)(struct parser *);
    } known[] = { { "r:", parse_single },   { "w:", parse_single },     { "W:", parse_single },
                  { "b:", parse_buffered }, { "seq:", parse_sequence }, { "rand:", parse_random },
                  { "mix:", parse_mix },    { "sleep:", parse_sleep },  { "mark:", parse_mark },
                  { "{", parse_bracket },   { "}", parse_bracket },     { "[", parse_bracket },
                  { "]", parse_bracket },   { "flush", parse_flush } };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = strlen(known[i].name);
        bool whole = known[i].name[length - 1] != ':';

        if (strncmp(p->op, known[i].name, length) || (whole && p->length != (int)length))
            continue;
        p->at = p->op + length;
        return known[i].parse(p);
    }
    return wrong(p, "no operation of ioseq");
}

/* ------------------------------------------------------------- the whole */

static bool parse_all(struct parser *p, const char *ops)
{
    for (p->op = ops + strspn(ops, " \t\n"); *p->op;
         p->op += p->length, p->op += strspn(p->op, " \t\n")) {
        p->length = (int)strcspn(p->op, " \t\n");
        if (!parse_operation(p))
            return false;
    }
    p->length = 0;
    if (p->group)
        return wrong(p, "a bracket is not closed");
    p->slept_ns += p->dirty_count ? writeback_ns - p->dirty_age_ns : 0;
    if (!write_back(p))
        return false;
    return p->script->count || wrong(p, "the script has no I/O");
}

/* What the world has to be able to hold. */
static void measure(struct script *s)
{
    uint64_t bits = 8, under_way = 0;

    s->first = UINT64_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct script_ask *a = &s->ask[i];
        uint64_t end = a->sector + a->sectors;

        under_way = (under_way < a->outstanding ? under_way : a->outstanding) + 1;
        s->depth = under_way > s->depth ? (uint32_t)under_way : s->depth;
        s->largest = a->sectors > s->largest ? a->sectors : s->largest;
        s->first = a->sector < s->first ? a->sector : s->first;
        s->end = end > s->end ? end : s->end;
        bits |= a->sector | a->sectors;
        s->writes |= (a->flags & REQUEST_WRITE) != 0;
        s->reads |= !(a->flags & (REQUEST_WRITE | REQUEST_FLUSH));
    }
    s->align = (uint32_t)(bits & -bits);
}

bool script_parse(struct script *s, const char *ops, struct complaint *complaint)
{
    struct parser p = { .script = s, .complaint = complaint };
    bool good;

    memset(s, 0, sizeof *s);
    good = parse_all(&p, ops);
    free(p.dirty);
    if (good)
        measure(s);
    else
        script_free(s);
    return good;
}

void script_free(struct script *s)
{
    free(s->ask);
    memset(s, 0, sizeof *s);
}

void script_settle_job(const struct script *s, struct job *job)
{
    ASSERT(s->count > 0);
    job->rw = s->writes && s->reads ? RW_RW : s->writes ? RW_WRITE : RW_READ;
    job->engine = ENGINE_LIBAIO;
    job->iodepth = s->depth;
    job->numjobs = job->loops = 1;
    job->split_count = 1;
    job->split[0] = (struct split){ s->largest * SECTOR, 100 };
    job->blockalign = s->align * SECTOR;
    job->offset = s->first * SECTOR;
    job->size = (s->end - s->first) * SECTOR;
    job->io_size = 0;
}
