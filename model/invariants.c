/*
 * The invariants, one function each (model/invariants.h). Every function counts what the world
 * only claims: list members against links and `list` fields, owners against counts, bits against
 * counters. Quadratic here and there: worlds of tests are small.
 */
#include "model/invariants.h"

#include "model/array.h"
#include "model/defer.h"
#include "model/io.h"
#include "model/log.h"
#include "model/request.h"
#include "model/stripe.h"
#include "model/waits.h"
#include "model/workers.h"

#define HOLDS(claim, words)                                                                        \
    do {                                                                                           \
        if (!(claim))                                                                              \
            return words;                                                                          \
    } while (0)

static bool cached(const struct world *w)
{
    return w->shape.stripes != 0;
}

/* Members of a list by its links; UINT32_MAX when a link or a `list` field is wrong. */
static uint32_t chain_length(const struct world *w, enum stripe_list l)
{
    const struct array *a = array_see(w, 0);
    stripe_id before = NONE16, at = a->list[l].head;
    uint32_t n = 0;

    for (; at != NONE16; before = at, at = stripe_see(w, at)->lru_next) {
        const struct stripe *x = stripe_see(w, at);

        if (x->list != l || x->lru_prev != before || n++ > w->shape.stripes)
            return UINT32_MAX;
    }
    return a->list[l].tail == before ? n : UINT32_MAX;
}

static const char *lists(const struct world *w)
{
    uint32_t listed[LIST_COUNT] = { 0 };

    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++)
        listed[stripe_see(w, s)->list]++;
    for (unsigned l = LIST_HANDLE; l < LIST_COUNT; l++) {
        if (l == LIST_PLUG)
            continue; /* its heads are the clients' */
        HOLDS(chain_length(w, l) == listed[l], "I1: a list's links and members disagree");
    }
    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++) {
        const struct stripe *x = stripe_see(w, s);

        HOLDS((x->count == 0) == (x->list != LIST_NONE && x->list != LIST_PLUG),
              "I1: on a list <=> count = 0, but for plug lists");
        if (x->list == LIST_NONE)
            HOLDS(x->lru_next == NONE16 && x->lru_prev == NONE16, "I1: linked, but on no list");
        if (x->count == 0)
            HOLDS((x->list >= LIST_INACTIVE) == !(x->state & STRIPE_HANDLE),
                  "I2: unused: on the inactive list <=> HANDLE clear");
        if (x->list == LIST_DELAYED)
            HOLDS((x->state & STRIPE_DELAYED) && !(x->state & STRIPE_PREREAD_ACTIVE),
                  "I7: on the delayed list: DELAYED, without permission");
        if (x->list == LIST_HOLD)
            HOLDS(x->state & STRIPE_PREREAD_ACTIVE, "I7: on the hold list: with permission");
    }
    return NULL;
}

static const char *counters(const struct world *w)
{
    uint32_t active = 0, preread = 0;

    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++) {
        active += stripe_see(w, s)->list < LIST_INACTIVE;
        preread += !!(stripe_see(w, s)->state & STRIPE_PREREAD_ACTIVE);
    }
    HOLDS(array_see(w, 0)->active == active, "I4: active = stripes not on the inactive list");
    HOLDS(array_see(w, 0)->preread_active == preread, "I5: preread_active = stripes permitted");
    return NULL;
}

static bool later(const struct world *w)
{
    return w->shape.generation == GENERATION_61;
}

/* References of md-6.1 that lie in no register of an actor between its steps: on a plug list, on
 * the list of released stripes, in a batch; and those a batch's head has for its members' I/O. */
static uint32_t held_by_lists(const struct world *w, stripe_id s)
{
    const struct stripe *x = stripe_see(w, s);
    uint32_t n = x->list == LIST_PLUG;

    n += (x->state & STRIPE_ON_RELEASE) != 0;
    n += x->batch_head != NONE16 && x->batch_head != s;
    for (stripe_id m = x->batch_head == s ? x->batch_next : NONE16; m != NONE16;
         m = stripe_see(w, m)->batch_next)
        for (unsigned d = 0; d < w->shape.geometry.disks; d++)
            n += io_see(w, io_of_slot(w, m, d))->state != IO_IDLE;
    return n;
}

/* What raid5d has picked and not let go, and the stripe a client lets the next one join. */
static uint32_t held_by_threads(const struct world *w, stripe_id s)
{
    uint32_t n = 0;

    for (unsigned h = 0; h < w->count[SEC_HANDLERS]; h++)
        for (unsigned i = 0; i < handler_see(w, h)->count; i++)
            n += handler_see(w, h)->batch[i] == s;
    for (actor_id c = 0; c < w->shape.clients; c++) {
        const struct actor *x = actor_see(w, c);

        n += x->pc >= CLIENT_STRIPE && x->pc <= CLIENT_HAND_OVER && x->batch_last == s;
    }
    return n;
}

/* Does this actor hold a reference to that stripe between its steps? */
static bool holds(const struct world *w, actor_id who, stripe_id s)
{
    const struct actor *a = actor_see(w, who);

    if (a->stripe != s)
        return false;
    if (a->kind == KIND_RAID5D)
        return a->pc == RAID5D_HANDLE || a->pc == RAID5D_RELEASE || a->pc == RAID5D_RETRY;
    if (a->kind == KIND_RESYNC)
        return a->pc == RESYNC_REQUEST || a->pc >= RESYNC_WORK;
    if (a->kind != KIND_CLIENT)
        return false;
    return (a->pc >= CLIENT_ATTACH && a->pc <= CLIENT_RELEASE) || a->pc == CLIENT_ADD ||
           a->pc == CLIENT_CLASH || a->pc == CLIENT_HAND_OVER;
}

static const char *owners(const struct world *w)
{
    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++) {
        uint32_t n = 0;

        for (actor_id who = 0; who < w->shape.actors; who++)
            n += holds(w, who, s);
        if (later(w))
            n += held_by_lists(w, s) + held_by_threads(w, s);
        for (unsigned d = 0; d < w->shape.geometry.disks; d++)
            n += io_see(w, io_of_slot(w, s, d))->state != IO_IDLE;
        /* A log holds a trapped stripe until its record is written, and the mark stays a little
         * longer. */
        HOLDS(stripe_see(w, s)->count == n ||
                  (log_has_trapped(w, s) && stripe_see(w, s)->count == n + 1),
              "I3: count = owners");
    }
    return NULL;
}

static uint32_t bucket_number(const struct world *w, uint64_t sector)
{
    return (uint32_t)(sector / PAGE_SECTORS & (w->shape.hash_buckets - 1));
}

static const char *chain(const struct world *w, uint32_t b, uint32_t *hashed)
{
    stripe_id before = NONE16, at = *bucket_see(w, b);

    for (; at != NONE16; before = at, at = stripe_see(w, at)->hash_next) {
        const struct stripe *x = stripe_see(w, at);

        HOLDS(x->state & STRIPE_HASHED, "I6: in a chain, but not hashed");
        HOLDS(bucket_number(w, x->sector) == b, "I6: in another bucket than its sector's");
        HOLDS(x->hash_prev == before, "I6: a chain's links disagree");
        HOLDS(x->parity == geometry_parity(&w->shape.geometry, x->sector), "I6: another parity");
        for (stripe_id o = x->hash_next; o != NONE16; o = stripe_see(w, o)->hash_next)
            HOLDS(stripe_see(w, o)->sector != x->sector, "I6: two stripes of one sector");
        HOLDS((*hashed)++ < w->shape.stripes, "I6: a chain is a ring");
    }
    return NULL;
}

static const char *hash(const struct world *w)
{
    uint32_t chained = 0, hashed = 0;

    for (uint32_t b = 0; b < w->shape.hash_buckets; b++) {
        const char *broken = chain(w, b, &chained);

        if (broken)
            return broken;
    }
    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++) {
        bool in = stripe_see(w, s)->state & STRIPE_HASHED;

        hashed += in;
        HOLDS(in || stripe_see(w, s)->list >= LIST_INACTIVE ||
                  (stripe_see(w, s)->state & STRIPE_ON_RELEASE), /* one the cache has grown by */
              "I6: in use, but not hashed");
    }
    HOLDS(hashed == chained, "I6: hashed, but in no chain");
    return NULL;
}

/* LOCKED and the member's I/O go together, but that a write of md-6.1 locks its slots a pass before
 * they are sent, and a batch's members have no flags of their own. */
static bool locked_rightly(const struct world *w, stripe_id s, unsigned d)
{
    const struct stripe *x = stripe_see(w, s);
    bool locked = slot_see(w, s, d)->flags & SLOT_LOCKED;
    bool under_way = io_see(w, io_of_slot(w, s, d))->state != IO_IDLE;

    if (!later(w))
        return locked == under_way;
    if (x->batch_head != NONE16 && x->batch_head != s)
        return true;
    return locked ? under_way || x->reconstruct != RECONSTRUCT_IDLE || log_has_trapped(w, s)
                  : !under_way;
}

/* I12 */
static bool is_of_batch(const struct world *w, stripe_id s)
{
    stripe_id head = stripe_see(w, s)->batch_head, m = head;

    if (head == NONE16)
        return stripe_see(w, s)->batch_next == NONE16;
    for (uint32_t n = 0; m != NONE16 && n++ <= w->shape.stripes; m = stripe_see(w, m)->batch_next)
        if (m == s)
            return stripe_see(w, head)->batch_head == head;
    return false;
}

static const char *slots(const struct world *w)
{
    for (stripe_id s = 0; s < array_see(w, 0)->max_stripes; s++) {
        const struct stripe *x = stripe_see(w, s);
        bool idle = x->count == 0 && !(x->state & STRIPE_HANDLE);

        HOLDS(!later(w) || is_of_batch(w, s), "I12: a stripe's batch does not know it");
        for (unsigned d = 0; d < w->shape.geometry.disks; d++) {
            const struct slot *slot = slot_see(w, s, d);
            const struct io *io = io_see(w, io_of_slot(w, s, d));
            bool locked = slot->flags & SLOT_LOCKED;

            HOLDS(locked_rightly(w, s, d), "I8: LOCKED <=> one member I/O in flight");
            if (io->state != IO_IDLE)
                HOLDS(io->sector == x->sector && io->page == slot_page(w, s, d),
                      "I8: a slot's I/O goes elsewhere");
            if (idle)
                HOLDS(!locked && slot->toread == NONE32 && slot->towrite == NONE32 &&
                          slot->written == NONE32,
                      "I11: an idle stripe has bios or a LOCKED slot");
            HOLDS(log_has_trapped(w, s) || !(slot->flags & (SLOT_WANTREAD | SLOT_WANTWRITE |
                                                            SLOT_WANTCOMPUTE | SLOT_WANTDRAIN)),
                  "I8: a pass has left undone what it meant to do");
            if (slot->written != NONE32 && (x->batch_head == NONE16 || x->batch_head == s))
                HOLDS(slot->flags & (SLOT_LOCKED | SLOT_UPTODATE | SLOT_SKIPCOPY),
                      "I8: written bios, and a page without their data");
            if (slot->flags & SLOT_OVERLAP)
                HOLDS(slot->toread != NONE32 || slot->towrite != NONE32 || x->batch_head != NONE16,
                      "L6: Overlap without a pending bio: nobody would clear it");
        }
    }
    return NULL;
}

/* How often a piece hangs on a list of some slot. */
static uint32_t attached(const struct world *w, piece_id p)
{
    uint32_t n = 0;

    for (uint64_t i = 0; i < w->count[SEC_SLOTS]; i++) {
        const struct slot *slot = slots_see(w, i);
        const piece_id head[] = { slot->toread, slot->towrite, slot->written };

        for (unsigned l = 0; l < 3; l++)
            for (piece_id at = head[l]; at != NONE32; at = piece_see(w, at)->next)
                n += at == p;
    }
    return n;
}

static bool waits_for_retry(const struct world *w, bio_id bio)
{
    const struct array *a = array_see(w, 0);
    uint64_t n = 0;

    for (bio_id b = a->retry_head; b != NONE32 && n++ < w->count[SEC_BIOS]; b = bio_see(w, b)->next)
        if (b == bio)
            return true;
    return a->retry_bio == bio;
}

/* What holds this bio back beside its attachments: its submitter (the bias), the member I/O that is
 * all of it, or those that are its flushes. */
static uint32_t held_back(const struct world *w, request_id r, unsigned n)
{
    const struct actor *a = actor_see(w, request_see(w, r)->client);
    bool submitting = a->pc != CLIENT_TURN && a->request == r;
    bool direct = w->shape.ios_per_disk > w->shape.stripes + META_PLACES + log_ios(&w->shape);
    uint32_t under_way = 0;

    for (unsigned d = 0; direct && d < shape_devices(&w->shape); d++)
        under_way += io_see(w, io_of_bio(w, request_bio(w, r, n), d))->state != IO_IDLE;
    if (submitting && a->pc != CLIENT_UNPLUG && n >= a->bio)
        return under_way + 1;
    if (later(w) && w->shape.bypass && waits_for_retry(w, request_bio(w, r, n)))
        return 1;
    return under_way;
}

static const char *bios_of(const struct world *w, request_id id)
{
    const struct request *r = request_see(w, id);
    uint32_t left[256] = { 0 }, open = 0;

    HOLDS(r->bios <= 256, "RQ: a test's request is too long");
    for (piece_id p = id * w->shape.pieces_per_request; p < (id + 1u) * w->shape.pieces_per_request;
         p++) {
        uint32_t n = cached(w) ? attached(w, p) : 0;

        HOLDS(n <= 1, "I9: a piece hangs on two lists");
        HOLDS(!n || bio_request(w, piece_see(w, p)->bio) == id, "I9: a stranger's piece");
        if (n)
            left[piece_see(w, p)->bio - request_bio(w, id, 0)] += n;
    }
    for (unsigned n = 0; n < r->bios; n++) {
        left[n] += held_back(w, id, n);
        HOLDS(bio_see(w, request_bio(w, id, n))->left == left[n],
              "I9: a bio's counter = attachments + bias");
        open += left[n] != 0;
    }
    HOLDS(r->bios_left == open, "I9: bios_left = bios that are not complete");
    HOLDS((r->state == REQUEST_DONE) == (open == 0), "I9: done <=> all bios complete");
    return NULL;
}

static const char *requests_of(const struct world *w, actor_id who)
{
    const struct client *c = client_see(w, who);
    uint32_t busy = 0, done = 0, unused = 0, finished = 0;

    for (request_id r = c->first; r < c->first + c->depth; r++) {
        const char *broken;

        busy += request_see(w, r)->state != REQUEST_FREE;
        done += request_see(w, r)->state == REQUEST_DONE;
        broken = request_see(w, r)->state == REQUEST_FREE ? NULL : bios_of(w, r);
        if (broken)
            return broken;
    }
    for (request_id r = c->free; r != NONE16 && unused <= c->depth; r = request_see(w, r)->next)
        unused++;
    for (request_id r = c->done_head; r != NONE16 && finished <= c->depth;
         r = request_see(w, r)->next)
        finished++;
    HOLDS(c->in_flight == busy, "RQ: in_flight = requests that are not free");
    HOLDS(unused == c->depth - busy, "RQ: the free list holds the free ones");
    HOLDS(finished == done, "RQ: the finished list holds the finished ones");
    return NULL;
}

static const char *sorted(const struct world *w)
{
    for (uint64_t i = 0; i < w->count[SEC_SLOTS]; i++) {
        const struct slot *slot = slots_see(w, i);
        const piece_id head[] = { slot->toread, slot->towrite, slot->written };

        for (unsigned l = 0; l < 3; l++) {
            uint64_t end = 0, from, to;

            for (piece_id p = head[l]; p != NONE32; p = piece_see(w, p)->next) {
                piece_extent(w, p, &from, &to);
                HOLDS(from >= end && from < to, "I9: a slot's list is sorted without overlaps");
                end = to;
            }
        }
    }
    return NULL;
}

static const char *member_ios(const struct world *w)
{
    for (unsigned d = 0; d < shape_devices(&w->shape); d++) {
        uint32_t n[IO_HELD + 1] = { 0 };

        for (uint32_t place = 0; place < w->shape.ios_per_disk; place++) {
            const struct io *r = io_see(w, (io_id)d * w->shape.ios_per_disk + place);
            uint32_t k = n[r->state]++;

            if (r->state == IO_QUEUED || r->state == IO_DONE)
                HOLDS(io_nth(w, d, r->state, k) == place, "IO: the bit maps show the states");
            else if (r->state == IO_IDLE)
                HOLDS(!r->sector && !r->sectors && !r->page && !r->issuer && !r->kind,
                      "IO: an idle record is zeroed");
        }
        HOLDS(disk_see(w, d)->queued == n[IO_QUEUED] && disk_see(w, d)->done == n[IO_DONE],
              "IO: counters = records in that state");
    }
    return NULL;
}

static const char *queue(const struct world *w, enum wait on)
{
    const struct wait_queue *q = wait_queue_see(w, on);
    actor_id at = q->head, before = NONE16;
    uint32_t asleep = 0;

    for (uint32_t n = 0; n < q->waiters; n++, before = at, at = actor_see(w, at)->next) {
        HOLDS(at != NONE16 && actor_see(w, at)->waits_on == on, "WQ: a stranger in the queue");
        HOLDS(actor_see(w, at)->prev == before, "WQ: a queue's links disagree");
        asleep += actor_see(w, at)->asleep;
    }
    HOLDS(!q->waiters || (q->tail == before && at == NONE16), "WQ: tail is the last");
    HOLDS(q->sleepers == asleep, "WQ: sleepers = waiters asleep");
    return NULL;
}

static const char *waits(const struct world *w)
{
    uint32_t waiting = 0, queued = 0;

    for (actor_id who = 0; who < w->shape.actors; who++) {
        const struct actor *a = actor_see(w, who);

        waiting += a->waits_on != WAIT_NONE;
        HOLDS(!a->asleep || a->waits_on != WAIT_NONE, "WQ: asleep where nobody would wake it");
    }
    for (unsigned q = WAIT_NONE + 1; q < WAIT_COUNT; q++) {
        const char *broken = queue(w, q);

        if (broken)
            return broken;
        queued += wait_queue_see(w, q)->waiters;
    }
    HOLDS(waiting == queued, "WQ: who waits is in a queue");
    return NULL;
}

/* Will somebody look at the handle list? */
static bool somebody_comes(const struct world *w)
{
    if (array_see(w, 0)->raid5d_wanted || actor_see(w, actor_raid5d(&w->shape))->pc != RAID5D_SLEEP)
        return true;
    for (unsigned n = 0; n < w->shape.workers; n++) {
        uint8_t pc = actor_see(w, actor_worker(&w->shape, n))->pc;

        if (handler_see(w, n + 1)->queued || pc == WORKER_LOOP || pc == WORKER_WORK)
            return true;
    }
    return false;
}

static const char *wakes(const struct world *w)
{
    const struct array *a = array_see(w, 0);

    if (a->list[LIST_HANDLE].head != NONE16)
        HOLDS(somebody_comes(w), "L6: stripes to handle, and raid5d and all workers asleep");
    if (later(w) && array_see(w, 0)->released != NONE16)
        HOLDS(somebody_comes(w), "L6: stripes released, and raid5d and all workers asleep");
    if (a->list[LIST_DELAYED].head != NONE16 && !a->plugged &&
        a->preread_active < w->shape.io_threshold)
        HOLDS(somebody_comes(w), "L6: delayed stripes that may go on, and everybody asleep");
    return NULL;
}

/* What raid5d and the workers have in their hands. */
static const char *hands(const struct world *w)
{
    HOLDS(array_see(w, 0)->to_handle == chain_length(w, LIST_HANDLE),
          "HA: to_handle = stripes on the handle list");
    for (unsigned n = 0; n < w->count[SEC_HANDLERS]; n++) {
        const struct handler *h = handler_see(w, n);

        HOLDS(h->at <= h->count && h->count <= w->shape.handle_batch, "HA: a batch is no batch");
        if (n && h->working)
            HOLDS(h->queued || actor_see(w, actor_worker(&w->shape, n - 1))->pc != WORKER_IDLE,
                  "HA: working, but neither queued nor running");
        for (unsigned i = 0; i < h->count; i++) {
            const struct stripe *x = stripe_see(w, h->batch[i]);

            HOLDS(x->count && (x->list == LIST_NONE || x->list == LIST_PLUG),
                  "HA: in hand, but on a list");
            for (unsigned o = 0; o < w->count[SEC_HANDLERS]; o++)
                for (unsigned k = 0; k < handler_see(w, o)->count; k++)
                    HOLDS((o == n && k == i) || handler_see(w, o)->batch[k] != h->batch[i],
                          "HA: one stripe in two hands");
        }
    }
    return NULL;
}

/* Writes that are kept: sorted, and each held member I/O in one record. */
static const char *kept(const struct world *w)
{
    const struct array *a = array_see(w, 0);
    uint32_t held = 0, chained = 0;

    if (!w->shape.defer)
        return NULL;
    for (uint64_t io = 0; io < w->count[SEC_IOS]; io++)
        held += io_see(w, io)->state == IO_HELD;
    for (unsigned n = 0; n < a->deferred; n++) {
        const struct deferred *d = deferred_see(w, n);

        HOLDS(!n || deferred_see(w, n - 1)->sector <= d->sector, "DE: records are sorted");
        for (io_id io = d->first; io != NONE32; chained++) {
            HOLDS(io_see(w, io)->state == IO_HELD && chained < held, "DE: a stranger in a record");
            io = *link_see(w, (uint64_t)io_disk(w, io) * w->shape.stripes + io_place(w, io));
        }
    }
    HOLDS(held == chained, "DE: held, but in no record");
    HOLDS(a->deferred_at == NONE16 || a->deferred_at < a->deferred, "DE: begins at no record");
    return NULL;
}

const char *invariants_of_handlers(const struct world *w)
{
    const char *broken = cached(w) ? hands(w) : NULL;

    if (!broken && cached(w))
        broken = kept(w);
    if (!broken && cached(w))
        broken = wakes(w);
    if (!broken)
        broken = member_ios(w);
    return broken;
}

const char *invariants_broken(const struct world *w)
{
    static const char *(*const of_cache[])(const struct world *) = { lists, counters, owners,
                                                                     hash,  slots,    sorted,
                                                                     wakes, hands,    kept };
    const char *broken = member_ios(w);

    if (!broken)
        broken = waits(w);
    for (unsigned i = 0; cached(w) && i < sizeof of_cache / sizeof of_cache[0] && !broken; i++)
        broken = of_cache[i](w);
    for (actor_id c = 0; c < w->shape.clients && !broken; c++)
        broken = requests_of(w, c);
    if (!broken && cached(w) && later(w))
        broken = invariants_md_broken(w);
    return broken;
}
