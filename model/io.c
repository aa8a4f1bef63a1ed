/* The member I/O table: four states, two bit maps a member. */
#include "model/io.h"

#include "model/array.h"
#include "model/mutations.h"

static uint64_t words(const struct world *w)
{
    return ((uint64_t)w->shape.ios_per_disk + 63) / 64;
}

static uint64_t *map_word(struct world *w, io_id io, enum io_state s)
{
    uint64_t base = (uint64_t)io_disk(w, io) * 2 + (s == IO_DONE);

    return iomap_at(w, base * words(w) + io_place(w, io) / 64);
}

static void flip(struct world *w, io_id io, enum io_state s)
{
    *map_word(w, io, s) ^= 1ull << io_place(w, io) % 64;
}

void io_hold(struct world *w, io_id io)
{
    ASSERT(io_see(w, io)->state == IO_IDLE);
    io_at(w, io)->state = IO_HELD;
    disk_at(w, io_disk(w, io))->held++;
}

void io_queue(struct world *w, io_id io, struct effects *e)
{
    struct io *r = io_at(w, io);

    ASSERT(r->state == IO_IDLE || r->state == IO_HELD);
    if (MUTATED(w, B04) && r->state == IO_IDLE && actor_see(w, r->issuer)->kind == KIND_CLIENT &&
        actor_see(w, r->issuer)->pc == CLIENT_HANDLE) {
        io_hold(w, io);
        return;
    }
    disk_at(w, io_disk(w, io))->held -= r->state == IO_HELD;
    r->state = IO_QUEUED;
    disk_at(w, io_disk(w, io))->queued++;
    flip(w, io, IO_QUEUED);
    effect(e, EFFECT_SUBMIT, 0, (unsigned)io_disk(w, io), io);
}

void io_serve(struct world *w, io_id io)
{
    struct disk *d = disk_at(w, io_disk(w, io));

    ASSERT(io_see(w, io)->state == IO_QUEUED);
    io_at(w, io)->state = IO_DONE;
    d->queued--;
    d->done++;
    flip(w, io, IO_QUEUED);
    flip(w, io, IO_DONE);
}

void io_retire(struct world *w, io_id io)
{
    ASSERT(io_see(w, io)->state == IO_DONE);
    disk_at(w, io_disk(w, io))->done--;
    flip(w, io, IO_DONE);
    *io_at(w, io) = (struct io){ 0 };
}

uint32_t io_nth(const struct world *w, unsigned disk, enum io_state s, uint32_t k)
{
    uint64_t base = ((uint64_t)disk * 2 + (s == IO_DONE)) * words(w);

    for (uint64_t i = 0; i < words(w); i++) {
        uint64_t bits = *iomap_see(w, base + i);
        uint32_t here = (uint32_t)__builtin_popcountll(bits);

        if (k >= here) {
            k -= here;
            continue;
        }
        while (k--)
            bits &= bits - 1;
        return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(bits);
    }
    ASSERT(k == NONE32); /* there are not that many in this state */
    return 0;
}
