/* Worker groups of md-6.1 (spec 10.4) and deferred member writes (spec 8.4). */
#include "model/defer.h"
#include "model/queue.h"
#include "model/workers.h"
#include "model/invariants.h"
#include "tests/lib/small_world.h"

static struct small *array_of(struct small_plan p)
{
    struct small *s;

    p.level = LEVEL_RAID5;
    p.later = p.written = 1;
    p.wake_policy = WAKE_ALL;
    p.rmw_level = 1;
    p.rows = 64;
    s = small_new(p);
    s->w->shape.handle_batch = HANDLE_BATCH_MAX;
    return s;
}

static struct small *array(unsigned workers)
{
    return array_of((struct small_plan){ .stripes = 40, .workers = (uint8_t)workers });
}

static actor_id worker(const struct small *s, unsigned n)
{
    return actor_worker(&s->w->shape, n);
}

static bool asked(const struct small *s, unsigned n)
{
    return handler_see(s->w, n + 1)->queued;
}

static bool raid5d_asked(const struct small *s)
{
    return array_see(s->w, 0)->raid5d_wanted;
}

/* Files the stripe of that member page for handling, as the end of a plug does. */
static stripe_id file(struct small *s, uint64_t page, uint16_t why)
{
    uint64_t sector = page * PAGE_SECTORS;
    stripe_id id;

    s->e.count = 0;
    cache_lookup(s->w, sector, geometry_parity(&s->w->shape.geometry, sector), &id, &s->e);
    stripe_at(s->w, id)->state |= (uint16_t)(STRIPE_HANDLE | why);
    s->e.count = 0;
    cache_release(s->w, id, &s->e);
    return id;
}

/* ---- the wake rule */

static void the_first_stripe_asks_the_first_worker_and_not_raid5d(void **state)
{
    /* Breaks when raid5d is woken for what workers do, or nobody is. */
    struct small *s = array(3);

    (void)state;
    file(s, 0, 0);
    assert_true(asked(s, 0));
    assert_true(small_woke(s, worker(s, 0)));
    assert_false(asked(s, 1));
    assert_false(raid5d_asked(s));
    assert_int_equal(system_ways(&system_md, s->w, worker(s, 0)), 1);
    assert_int_equal(system_ways(&system_md, s->w, worker(s, 1)), 0);
    file(s, 1, 0);
    assert_int_equal(small_count(s, EFFECT_WAKE), 0);
    small_free(s);
}

static void another_worker_is_asked_for_each_batch_more(void **state)
{
    /* Breaks when all workers are woken at once (the first form of 3.12's patch), or the stripes
     * are not counted: with batches of 8 the 16th stripe asks a second worker, and as that one
     * counts as working from then on the 17th a third one. */
    struct small *s = array(4);

    (void)state;
    for (unsigned n = 1; n <= 15; n++)
        file(s, n, 0);
    assert_int_equal(array_see(s->w, 0)->to_handle, 15);
    assert_false(asked(s, 1));
    file(s, 16, 0);
    assert_true(asked(s, 1));
    assert_false(asked(s, 2));
    file(s, 17, 0);
    assert_true(asked(s, 2));
    assert_false(asked(s, 3));
    small_free(s);
}

static void two_batches_more_ask_two_workers_at_once(void **state)
{
    /* Breaks when one call asks one worker at most. */
    struct small *s = array(4);

    (void)state;
    for (unsigned n = 0; n < 23; n++)
        file(s, n, 0);
    for (unsigned n = 1; n <= 4; n++)
        handler_at(s->w, n)->working = handler_at(s->w, n)->queued = 0;
    file(s, 23, 0);
    assert_true(asked(s, 0) && asked(s, 1) && asked(s, 2));
    assert_false(asked(s, 3));
    small_free(s);
}

static void a_delayed_stripe_is_raid5d_s_and_activated_it_is_the_workers(void **state)
{
    /* Breaks when nobody activates delayed stripes, or nobody hears of it. */
    struct small *s = array(2);

    (void)state;
    file(s, 0, STRIPE_DELAYED);
    assert_true(raid5d_asked(s));
    assert_false(asked(s, 0));
    s->e.count = 0;
    cache_activate_delayed(s->w, &s->e);
    assert_true(asked(s, 0));
    assert_int_equal(small_listed(s, LIST_HOLD), 1);
    assert_int_equal(array_see(s->w, 0)->to_handle, 0); /* hold is no group's */
    small_free(s);
}

static void a_stripe_found_by_a_lookup_leaves_the_group(void **state)
{
    /* Breaks when stripes_cnt counts what is not there: too many workers would be asked. */
    struct small *s = array(2);
    stripe_id id;

    (void)state;
    file(s, 5, 0);
    s->e.count = 0;
    cache_lookup(s->w, 5 * PAGE_SECTORS, geometry_parity(&s->w->shape.geometry, 5 * PAGE_SECTORS),
                 &id, &s->e);
    assert_int_equal(array_see(s->w, 0)->to_handle, 0);
    small_free(s);
}

/* ---- a worker's program */

static void a_worker_asked_while_it_runs_runs_once_more(void **state)
{
    /* Breaks as the lost wake-up: the request comes after the last look at the list. */
    struct small *s = array(1);
    actor_id who = worker(s, 0);

    (void)state;
    file(s, 0, 0);
    small_go(s, who);
    assert_int_equal(actor_see(s->w, who)->pc, WORKER_LOOP);
    assert_false(asked(s, 0));
    file(s, 1, 0);
    assert_int_equal(small_count(s, EFFECT_WAKE), 0); /* it runs already */
    assert_true(asked(s, 0));
    small_run(s, who, WORKER_IDLE);
    assert_int_equal(array_see(s->w, 0)->to_handle, 0);
    assert_int_equal(system_ways(&system_md, s->w, who), 1);
    small_go(s, who);
    small_run(s, who, WORKER_IDLE);
    assert_int_equal(system_ways(&system_md, s->w, who), 0);
    small_free(s);
}

static void two_workers_and_raid5d_share_what_is_there(void **state)
{
    /* Breaks when two pick the same stripe, or one of them more than a batch. */
    struct small *s = array(2);
    actor_id raid5d = actor_raid5d(&s->w->shape);

    (void)state;
    for (unsigned n = 0; n < 20; n++)
        file(s, n, 0);
    cache_wake_raid5d(s->w, &s->e);
    small_run(s, worker(s, 0), WORKER_WORK);
    small_run(s, worker(s, 1), WORKER_WORK);
    small_run(s, raid5d, RAID5D_WORK);
    assert_int_equal(handler_see(s->w, 1)->count, 8);
    assert_int_equal(handler_see(s->w, 2)->count, 8);
    assert_int_equal(handler_see(s->w, 0)->count, 4);
    assert_int_equal(array_see(s->w, 0)->to_handle, 0);
    assert_null(invariants_of_handlers(s->w));
    small_settle(s);
    assert_int_equal(array_see(s->w, 0)->active, 0);
    small_free(s);
}

static void working_ends_with_a_batch(void **state)
{
    /* Breaks when a busy worker cannot be asked again: stripes that come while it works would wait
     * for one of the others. */
    struct small *s = array(2);
    actor_id who = worker(s, 1);

    (void)state;
    for (unsigned n = 0; n < 24; n++)
        file(s, n, 0);
    small_run(s, who, WORKER_WORK);
    assert_true(handler_see(s->w, 2)->working);
    small_run(s, who, WORKER_LOOP);
    small_go(s, who);
    assert_int_equal(actor_see(s->w, who)->pc, WORKER_WORK); /* its second batch ... */
    assert_false(handler_see(s->w, 2)->working);             /* ... and open for the next request */
    small_free(s);
}

static void a_write_is_filed_whole_when_its_plug_ends(void **state)
{
    /* Breaks when a worker can have a write's first stripe before its last one is there, or raid5d
     * is told of stripes that its submitter files itself. */
    struct small *s = array_of((struct small_plan){
        .stripes = 8, .workers = 1, .chunk_pages = 4, .max_pages = 8, .bio_sectors = 64 });

    (void)state;
    small_ask(s, 0, 0, 4 * PAGE_SECTORS, true);
    small_run(s, 0, CLIENT_UNPLUG);
    assert_int_equal(client_see(s->w, 0)->plug_head, small_find(s, 0));
    assert_int_equal(array_see(s->w, 0)->to_handle, 0);
    assert_false(asked(s, 0) || raid5d_asked(s));
    small_go(s, 0);
    assert_int_equal(array_see(s->w, 0)->to_handle, 4);
    assert_true(asked(s, 0));
    assert_false(raid5d_asked(s));
    small_free(s);
}

/* ---- deferred writes */

static struct small *deferring(unsigned stripes)
{
    return array_of((struct small_plan){ .stripes = stripes, .workers = 1, .defer = 1 });
}

/* Keeps one write, of member 1 and stripe `id`, for that sector. */
static void keep(struct small *s, stripe_id id, uint64_t sector)
{
    io_id io = io_of_slot(s->w, id, 1), first = NONE32, last = NONE32;
    struct io *r = io_at(s->w, io);

    r->sector = sector;
    r->sectors = PAGE_SECTORS;
    r->kind = IO_WRITE;
    defer_link(s->w, io, &first, &last);
    defer_keep(s->w, 0, sector, first, last, &s->e);
}

/* The n-th member I/O of the last move. */
static uint64_t sent(const struct small *s, unsigned n)
{
    for (uint32_t i = 0; i < s->e.count; i++)
        if (s->e.list[i].kind == EFFECT_SUBMIT && n-- == 0)
            return io_see(s->w, s->e.list[i].amount)->sector;
    return UINT64_MAX;
}

static void what_is_kept_is_sent_in_order_of_sectors(void **state)
{
    /* Breaks when deferral does not sort, or the member sees a write before the flush. */
    static const uint64_t sectors[] = { 64, 8, 32, 0 };
    struct small *s = deferring(8);

    (void)state;
    s->e.count = 0;
    for (stripe_id n = 0; n < 4; n++)
        keep(s, n, sectors[n]);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 0);
    assert_int_equal(disk_see(s->w, 1)->queued, 0);
    assert_null(invariants_of_handlers(s->w));
    defer_flush(s->w, 7, &s->e);
    assert_int_equal(disk_see(s->w, 1)->queued, 4);
    assert_true(sent(s, 0) == 0 && sent(s, 1) == 8 && sent(s, 2) == 32 && sent(s, 3) == 64);
    assert_int_equal(io_see(s->w, io_of_slot(s->w, 0, 1))->issuer, 7);
    assert_false(defer_any(s->w));
    assert_null(invariants_of_handlers(s->w));
    small_free(s);
}

static void a_full_table_sends_a_quarter_and_goes_on_from_there(void **state)
{
    /* Breaks when the position is forgotten (the low sectors would starve the high ones), or what
     * is put below it shifts it. */
    struct small *s = deferring(700);

    (void)state;
    s->e.count = 0;
    for (stripe_id n = 0; n < DEFER_MAX; n++)
        keep(s, n, 8000 + 8u * n);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), DEFER_SOME);
    assert_true(sent(s, 0) == 8000 && sent(s, DEFER_SOME - 1) == 8000 + 8 * (DEFER_SOME - 1));
    assert_null(invariants_of_handlers(s->w));
    for (stripe_id n = 0; n < DEFER_SOME; n++) {
        s->e.count = 0;
        keep(s, (stripe_id)(DEFER_MAX + n), 8u * n); /* all below the position */
    }
    assert_int_equal(small_count(s, EFFECT_SUBMIT), DEFER_SOME);
    assert_true(sent(s, 0) == 8000 + 8 * DEFER_SOME);
    s->e.count = 0;
    defer_flush(s->w, 0, &s->e);
    assert_true(sent(s, 0) == 8000 + 8 * 2 * DEFER_SOME); /* on to the end ... */
    assert_true(sent(s, 2 * DEFER_SOME) == 0);            /* ... and round it */
    assert_int_equal(disk_see(s->w, 1)->queued, DEFER_MAX + DEFER_SOME);
    small_free(s);
}

static void a_worker_alone_flushes_what_it_has_kept(void **state)
{
    /* Breaks as the driver did before 4.14: only raid5d flushed, and writes that workers had
     * handled stayed where they were. */
    struct small *s = deferring(8);
    actor_id who = worker(s, 0);
    stripe_id id;

    (void)state;
    small_submit(s, 0, 0, (s->plan.disks - 1u) * PAGE_SECTORS, true);
    assert_true(asked(s, 0));
    small_run(s, who, WORKER_LOOP);
    while (!defer_any(s->w))
        small_go(s, who);
    id = small_find(s, 0);
    assert_int_equal(io_see(s->w, io_of_slot(s->w, id, 0))->state, IO_HELD);
    small_run(s, who, WORKER_FLUSH);
    assert_int_equal(disk_see(s->w, 0)->queued, 0);
    small_go(s, who);
    for (unsigned d = 0; d < s->plan.disks; d++)
        assert_int_equal(disk_see(s->w, d)->queued, 1);
    small_settle(s);
    assert_int_equal(client_see(s->w, 0)->in_flight, 0);
    small_free(s);
}

static void reads_are_never_kept(void **state)
{
    /* Breaks when a pre-read waits for a flush, which would wait for the pre-read's stripe. */
    struct small *s = deferring(8);
    actor_id who = worker(s, 0);

    (void)state;
    small_submit(s, 0, 0, PAGE_SECTORS, true);
    small_run(s, who, WORKER_LOOP);
    small_run(s, who, WORKER_WORK);
    small_go(s, who);
    assert_int_equal(small_count(s, EFFECT_SUBMIT), 1); /* of three members: the other data */
    assert_false(defer_any(s->w));
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stripe_asks_the_first_worker_and_not_raid5d),
        cmocka_unit_test(another_worker_is_asked_for_each_batch_more),
        cmocka_unit_test(two_batches_more_ask_two_workers_at_once),
        cmocka_unit_test(a_delayed_stripe_is_raid5d_s_and_activated_it_is_the_workers),
        cmocka_unit_test(a_stripe_found_by_a_lookup_leaves_the_group),
        cmocka_unit_test(a_worker_asked_while_it_runs_runs_once_more),
        cmocka_unit_test(two_workers_and_raid5d_share_what_is_there),
        cmocka_unit_test(working_ends_with_a_batch),
        cmocka_unit_test(a_write_is_filed_whole_when_its_plug_ends),
        cmocka_unit_test(what_is_kept_is_sent_in_order_of_sectors),
        cmocka_unit_test(a_full_table_sends_a_quarter_and_goes_on_from_there),
        cmocka_unit_test(a_worker_alone_flushes_what_it_has_kept),
        cmocka_unit_test(reads_are_never_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
