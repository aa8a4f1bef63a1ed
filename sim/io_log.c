/* The log of member I/O: see io_log.h. */
#include "sim/io_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "faults/points.h"
#include "model/assert.h"
#include "model/io.h"
#include "model/step.h"

/* blkparse shows majors and minors; sd disks have sixteen minors each. */
enum { SD_MAJOR = 8, SD_MINORS = 16 };

void io_log_free(struct io_log *log)
{
    free(log->entry);
    memset(log, 0, sizeof *log);
}

void io_log_append(struct io_log *log, const struct io_entry *entry)
{
    if (log->lost)
        return;
    if (log->count == log->capacity) {
        size_t capacity = log->capacity ? 2 * log->capacity : 1024;
        struct io_entry *grown =
            point_fails(POINT_LOG_MEMORY) ? NULL : realloc(log->entry, capacity * sizeof *grown);

        if (!grown) {
            log->lost = true;
            return;
        }
        log->entry = grown;
        log->capacity = capacity;
    }
    log->entry[log->count++] = *entry;
}

/* R, W or F (a flush), and F behind it for forced unit access. */
static const char *kind_text(const struct io_entry *e)
{
    static const char *const text[][2] = {
        [IO_READ] = { "R", "RF" }, [IO_WRITE] = { "W", "WF" }, [IO_FLUSH] = { "F", "FF" }
    };

    ASSERT(e->kind <= IO_FLUSH);
    return text[e->kind][e->fua != 0];
}

static const char *submitter(const struct io_entry *e)
{
    static const char *const text[KIND_COUNT] = {
        [KIND_CLIENT] = "client",        [KIND_RAID5D] = "raid5d", [KIND_TIMER] = "kblockd",
        [KIND_COMPLETION] = "interrupt", [KIND_DISK] = "disk",     [KIND_RESYNC] = "resync",
        [KIND_WORKER] = "kworker"
    };

    ASSERT(e->issuer_kind < KIND_COUNT);
    return text[e->issuer_kind];
}

const char *io_reason_name(unsigned reason)
{
    static const char *const text[REASON_COUNT] = { [REASON_DIRECT] = "direct",
                                                    [REASON_FILL] = "fill",
                                                    [REASON_PREREAD_RMW] = "preread-rmw",
                                                    [REASON_PREREAD_RCW] = "preread-rcw",
                                                    [REASON_DATA] = "data",
                                                    [REASON_PARITY] = "parity",
                                                    [REASON_RESYNC] = "resync",
                                                    [REASON_REWRITE] = "rewrite",
                                                    [REASON_VERIFY] = "verify",
                                                    [REASON_SUPERBLOCK] = "superblock",
                                                    [REASON_BAD_BLOCKS] = "bad-blocks",
                                                    [REASON_BITMAP] = "bitmap",
                                                    [REASON_PPL] = "ppl",
                                                    [REASON_JOURNAL] = "journal" };

    ASSERT(reason < REASON_COUNT);
    return text[reason];
}

static void write_plain(const struct io_entry *e, FILE *out)
{
    fprintf(out, "%" PRIu64 " %u %s %" PRIu64 " %" PRIu32 " %s %s\n", e->ns, (unsigned)e->member,
            kind_text(e), e->sector, e->sectors, submitter(e), io_reason_name(e->reason));
}

/* major,minor cpu sequence seconds.ns pid Q RWBS sector + sectors [process]. Sequence numbers count
 * from 1; the actor's number stands for the process id. */
static void write_blkparse(const struct io_entry *e, size_t number, FILE *out)
{
    fprintf(
        out,
        "%3d,%-3d %2u %8zu %5" PRIu64 ".%09" PRIu64 " %5u  Q %3s %" PRIu64 " + %" PRIu32 " [%s]\n",
        SD_MAJOR, e->member * SD_MINORS, (unsigned)e->cpu, number + 1, e->ns / 1000000000,
        e->ns % 1000000000, (unsigned)e->issuer, kind_text(e), e->sector, e->sectors, submitter(e));
}

bool io_log_write(const struct io_log *log, enum io_log_format format, FILE *out)
{
    if (format == IO_LOG_PLAIN)
        fputs("# time_ns member kind sector sectors submitter reason\n", out);
    for (size_t i = 0; i < log->count; i++) {
        if (format == IO_LOG_PLAIN)
            write_plain(&log->entry[i], out);
        else
            write_blkparse(&log->entry[i], i, out);
    }
    return !ferror(out) && !log->lost;
}
