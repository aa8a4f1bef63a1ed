/*
 * What the anticipatory scheduler learns of a thread: how long it thinks between the end of a read
 * and its next one, and how far from the end of the last the next begins. Both are decaying means:
 * a new sample weighs 1/8.
 *
 * Think time is measured in jiffies and only where the thread had nothing else waiting; a read
 * while others still wait counts as no thinking at all. It is capped just below hz/50, so that one
 * long pause is forgotten soon; a seek is capped at four means plus 2 Mi sectors for a beginner and
 * 128 Ki sectors later. What a thread shows at its second read also goes into the queue's means of
 * newcomers, consulted about threads of which nothing is known.
 *
 * The position is that of the last read on whatever device, as there: the record belongs to the
 * thread.
 *
 * Kernel: as-iosched.c as_update_iohist (2.6.15)
 */
#include "disks/elevator_internal.h"

enum {
    ONE = 256,
    YOUNG_SAMPLES = 60
}; /* fixed point one; below this many 256ths a thread is new to seeking */
enum { SEEK_SLACK_YOUNG = 2 * 1024 * 1024, SEEK_SLACK = 2 * 1024 * 64 }; /* sectors */

static uint64_t decay(uint64_t total, uint64_t sample)
{
    return (7 * total + ONE * sample) / 8;
}

static uint64_t history_think(const struct elevator *e, const struct issuer *t, uint64_t now)
{
    uint64_t cap = e->hz >= 50 ? e->hz / 50 - 1 : UINT64_MAX;

    if (t->last_end_ns == 0 || t->queued > 0)
        return 0;
    uint64_t think = jiffy_at(e, now) - jiffy_at(e, t->last_end_ns);
    return think < cap ? think : cap;
}

static void history_add_think(struct elevator *e, struct issuer *t, uint64_t think)
{
    if (t->think_samples == 0) {
        e->a.new_think_total = decay(e->a.new_think_total, think);
        e->a.new_think_mean = e->a.new_think_total / ONE;
    }
    t->think_samples = decay(t->think_samples, 1);
    t->think_total = decay(t->think_total, think);
    t->think_mean = (t->think_total + ONE / 2) / t->think_samples;
}

static void history_add_seek(struct elevator *e, struct issuer *t, uint64_t seek)
{
    uint64_t slack = t->seek_samples <= YOUNG_SAMPLES ? SEEK_SLACK_YOUNG : SEEK_SLACK;

    if (t->seek_samples == 0) {
        e->a.new_seek_total = decay(e->a.new_seek_total, seek);
        e->a.new_seek_mean = e->a.new_seek_total / ONE;
    }
    if (seek > t->seek_mean * 4 + slack)
        seek = t->seek_mean * 4 + slack;
    t->seek_samples = decay(t->seek_samples, 1);
    t->seek_total = decay(t->seek_total, seek);
    t->seek_mean = (t->seek_total + t->seek_samples / 2) / t->seek_samples;
}

void history_add(struct elevator *e, struct issuer *thread, uint64_t now, uint64_t sector,
                 uint32_t sectors)
{
    if (thread->reads > 0) {
        uint64_t last = thread->last_sector;
        history_add_think(e, thread, history_think(e, thread, now));
        history_add_seek(e, thread, sector > last ? sector - last : last - sector);
    }
    thread->reads++;
    thread->last_sector = sector + sectors;
}
