/*
 * The log of member I/O: what the driver sent to which member, in order of submission.
 *
 * An entry is made at the moment a thread hands the I/O to its member's queue, before anything is
 * merged there: what blktrace calls Q. It is a measuring device outside the simulation: it is in no
 * snapshot and changes no result.
 */
#ifndef SIM_IO_LOG_H
#define SIM_IO_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct clockwork;

struct io_entry {
    uint64_t ns;
    uint64_t sector; /* on the member */
    uint32_t sectors;
    uint16_t member;
    uint16_t issuer; /* the actor in whose context it was submitted */
    uint8_t kind;    /* enum io_kind of model/io.h */
    uint8_t fua;
    uint8_t issuer_kind; /* enum kind of model/step.h */
    uint8_t cpu;
    uint8_t reason; /* enum io_reason of model/io.h */
    uint8_t pad[7];
};

struct io_log {
    struct io_entry *entry; /* owned; grows */
    size_t count, capacity;
    bool lost; /* memory was short: the log ends before the run does */
};

enum io_log_format { IO_LOG_PLAIN, IO_LOG_BLKPARSE };

/* "fill", "preread-rmw" and so on: enum io_reason of model/io.h. */
const char *io_reason_name(unsigned reason);
/* A zeroed io_log is an empty one. */
void io_log_free(struct io_log *);
void io_log_append(struct io_log *, const struct io_entry *);
/* Every member I/O submitted from now on is appended here. NULL: stop. The log must outlive its
 * use. */
void clockwork_log_io(struct clockwork *, struct io_log *);
/* One line each. IO_LOG_PLAIN, after a line of headings that starts with #:
 *
 *     time_ns member R|W|F[F] sector sectors submitter reason
 *
 * IO_LOG_BLKPARSE: the Q lines of blkparse's default format; member N is device 8,16N. False: the
 * stream failed. */
bool io_log_write(const struct io_log *, enum io_log_format, FILE *);

#endif
