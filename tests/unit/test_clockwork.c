/* The clockwork: CPUs, locks, interrupts, queues in time; and that its sums are sums. */
#include "tests/lib/timed_cases.h"

#include <stdlib.h>
#include <string.h>

#include "model/array.h"
#include "model/io.h"
#include "model/request.h"
#include "model/stripe.h"
#include "sim/system_md.h"

enum { LOG = 400000 };
static const uint64_t us = 1000, ms = 1000000;

/* One thread, `count` reads of 4 KiB one after another, from plain disks. */
static struct scenario *lone_reader(unsigned count)
{
    struct scenario *s = small_scenario(LEVEL_RAW);

    s->job[0].engine = ENGINE_PSYNC;
    s->job[0].iodepth = 1;
    s->job[0].time_based = 0;
    s->job[0].runtime_ns = 0;
    s->job[0].io_size = count * 4096;
    return s;
}

/* Two busy threads that belong to one CPU: number 0 and 2, while number 1 never has anything. */
static struct scenario *two_on_one_cpu(void)
{
    struct scenario *s = small_scenario(LEVEL_RAW);

    s->job_count = 3;
    s->job[0].engine = ENGINE_LIBAIO;
    s->job[0].iodepth = 32;
    s->job[1] = s->job[2] = s->job[0];
    s->job[1].startdelay_ns = 9 * ms; /* later than its own end of time */
    s->job[1].runtime_ns = 1;
    for (unsigned d = 0; d < 3; d++) {
        s->disk[d].latency_ns = s->disk[d].overhead_ns = 100;
        s->disk[d].queue_depth = 64;
    }
    return s;
}

static uint64_t moves_of(const struct timed *t, actor_id who)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < t->log.count; i++)
        n += t->log.move[i].who == who;
    return n;
}

static void a_move_is_fired_first_and_paid_after(void **state)
{
    /* Breaks when a move waits for its price: half-way through the first step of a thread the world
     * is changed, and the thread has done nothing else. (Another thread makes sure that the
     * clockwork looks up then.) */
    struct scenario *s = lone_reader(1);
    struct timed t;

    (void)state;
    s->host.cycles_milli[WORK_IO_SETUP] = 1000 * 1000 * 1000; /* a millisecond */
    s->job_count = 2;
    s->job[1] = s->job[0];
    s->job[1].startdelay_ns = 500 * us;
    timed_start(&t, s, LOG);
    assert_true(clockwork_run(t.sim.clock, 600 * us));
    assert_int_equal(moves_of(&t, 0), 1);
    assert_int_equal(request_see(t.sim.world, 0)->state, REQUEST_SUBMITTING);
    assert_int_equal(disk_see(t.sim.world, 0)->queued, 0);
    timed_finish(&t);
    assert_true(moves_of(&t, 0) > 3);
    timed_free(&t);
}

static void a_run_stops_at_the_time_it_was_given(void **state)
{
    /* Breaks when a thread that goes on inline runs past `until`. */
    struct scenario *s = lone_reader(1);
    struct timed t;

    (void)state;
    s->host.cycles_milli[WORK_IO_SETUP] = 1000 * 1000 * 1000;
    timed_start(&t, s, LOG);
    assert_true(clockwork_run(t.sim.clock, 500 * us));
    assert_true(clockwork_now(t.sim.clock) <= 500 * us);
    assert_int_equal(t.log.count, 1);
    timed_free(&t);
}

/* What ten microseconds more of wake_ns cost a lone reader of 50 blocks, a read. Interrupts come to
 * the other CPU. */
static uint64_t price_of_waking(uint32_t soaker)
{
    struct timed t;
    uint64_t sum[2];

    for (unsigned n = 0; n < 2; n++) {
        struct scenario *s = lone_reader(50);

        s->host.irq_cpu = 1;
        s->host.soaker = soaker;
        s->host.soak_ns = 1000;
        s->host.wake_ns = n * 10000;
        sum[n] = (uint64_t)timed_results(&t, s)->job[0].dir[0].lat.sum;
        assert_int_equal(t.results->job[0].dir[0].ios, 50);
        timed_free(&t);
    }
    return (sum[1] - sum[0]) / 50;
}

static void an_idle_cpu_takes_its_time_to_wake(void **state)
{
    /* Breaks when wake_ns is not paid (the CPU that took the interrupt must not snatch the thread
     * away from the idle one that is on its way), or paid twice. */
    (void)state;
    assert_int_equal(price_of_waking(0), 10000);
}

static void a_cpu_that_runs_the_load_meter_takes_as_long(void **state)
{
    /* Breaks when the load meter changes what a wake-up costs. */
    (void)state;
    assert_int_equal(price_of_waking(1), 10000);
}

static void a_lone_read_takes_the_device_and_the_work_and_nothing_else(void **state)
{
    /* Breaks when time is lost or made: one CPU, so every nanosecond is work, device or wake-up. */
    struct scenario *s = lone_reader(1);
    struct timed t;
    uint64_t busy;

    (void)state;
    s->host.cpus = 1;
    s->host.wake_ns = 0;
    busy = timed_results(&t, s)->cpu[0].busy_ns;
    assert_true(t.results->end_ns >= 21 * us);
    assert_true(t.results->end_ns <= busy + 21 * us);
    timed_free(&t);
}

static struct scenario *lock_fight(enum lock_kind kind)
{
    struct scenario *s = small_scenario(LEVEL_RAID5);

    s->host.cpus = 8;
    s->host.lock_kind = kind;
    s->host.cycles_milli[WORK_LOOKUP] = 20000 * 1000;
    s->job[0].iodepth = 16;
    s->job[0].split[0].bytes = 32768;
    s->array.stripe_cache_size = 256;
    for (unsigned d = 0; d < 3; d++) {
        s->disk[d].latency_ns = s->disk[d].overhead_ns = 100;
        s->disk[d].queue_depth = 64;
    }
    return s;
}

static void a_lock_is_never_held_by_two(void **state)
{
    /* Breaks when hold intervals overlap: eight CPUs fight for device_lock, and together they hold
     * it no longer than there was time. */
    (void)state;
    for (unsigned kind = LOCK_UNFAIR; kind <= LOCK_QUEUED; kind++) {
        struct timed t;
        const struct results_lock *l;
        uint64_t now;

        timed_start(&t, lock_fight(kind), 0);
        clockwork_run(t.sim.clock, 9 * ms); /* in the thick of it */
        clockwork_results(t.sim.clock, t.results);
        l = t.results->lock;
        now = clockwork_now(t.sim.clock);
        assert_true(l->hold_ns <= now + l->hold_max_ns); /* a hold is booked when it begins */
        assert_true(l->hold_ns > now * 85 / 100);
        assert_true(l->contended > 100 && l->contended <= l->acquisitions);
        assert_true(l->hold_max_ns >= 20000 && l->hold_max_ns <= l->hold_ns);
        assert_true(l->wait_max_ns <= l->wait_ns);
        timed_free(&t);
    }
}

static void a_spinning_cpu_burns_its_time_and_is_charged_for_it(void **state)
{
    /* Breaks when waiting for a lock is free, or booked to somebody else. */
    struct timed t;
    const struct results *r = timed_results(&t, lock_fight(LOCK_TICKET));
    uint64_t cpu = 0, thread = 0, irq = 0;

    (void)state;
    for (unsigned i = 0; i < r->cpu_count; i++) {
        cpu += r->cpu[i].spin_ns;
        irq += r->cpu[i].irq_ns;
        assert_true(r->cpu[i].busy_ns >= r->cpu[i].spin_ns);
        assert_true(r->cpu[i].busy_ns <= r->end_ns + 100 * us);
    }
    for (unsigned i = 0; i < r->thread_count; i++)
        thread += r->thread[i].spin_ns;
    assert_int_equal(cpu, r->lock[0].wait_ns + r->lock[1].wait_ns);
    assert_true(thread > 0 && thread <= cpu && cpu <= thread + irq);
    /* A cycle is a nanosecond here; hand-overs are booked there as well. */
    assert_true(r->work_cycles[WORK_SPIN] >= cpu);
    assert_true(r->work_cycles[WORK_SPIN] <= cpu + 8 * 200 * r->lock[0].contended);
    timed_free(&t);
}

static void a_hand_over_costs_its_price(void **state)
{
    /* Breaks when handover_cycles is read and ignored: dearer hand-overs, fewer reads. */
    struct scenario *dear = lock_fight(LOCK_TICKET);
    struct timed one, two;

    (void)state;
    dear->host.handover_cycles = 5000;
    timed_results(&one, lock_fight(LOCK_TICKET));
    timed_results(&two, dear);
    assert_true(two.results->job[0].dir[0].ios * 10 < one.results->job[0].dir[0].ios * 9);
    timed_free(&one);
    timed_free(&two);
}

/* Replays a log move by move. */
struct tape {
    struct world *w;
    struct effects e;
};

static struct tape tape_new(const struct timed *t)
{
    struct tape p = { calloc(1, world_bytes(t->sim.world)), { 0 } };

    p.e.capacity = effects_needed(&t->sim.world->shape);
    p.e.list = calloc(p.e.capacity, sizeof *p.e.list);
    assert_true(p.w && p.e.list);
    world_format(p.w, &t->sim.world->shape);
    array_start(p.w, t->sim.crew.depth);
    return p;
}

static void tape_free(struct tape *p)
{
    free(p->w);
    free(p->e.list);
}

static void interrupts_go_before_threads_at_every_boundary(void **state)
{
    /* Breaks when a thread gets the CPU while an interrupt is waiting: on a single CPU no thread
     * ever finds an ended member I/O that is not worked off. */
    struct scenario *s = small_scenario(LEVEL_RAID5);
    uint64_t ended = 0, completions = 0;
    struct timed t;
    struct tape p;

    (void)state;
    s->host.cpus = 1;
    s->job[0].split[0].bytes = 32768;
    timed_start(&t, s, LOG);
    timed_finish(&t);
    p = tape_new(&t);
    for (uint64_t n = 0; n < t.log.count; n++) {
        uint8_t kind = actor_see(p.w, t.log.move[n].who)->kind;

        if (kind == KIND_CLIENT || kind == KIND_RAID5D || kind == KIND_TIMER)
            assert_int_equal(ended, 0);
        system_fire(&system_md, p.w, t.log.move[n], &p.e);
        completions += kind == KIND_COMPLETION;
        ended = 0;
        for (unsigned d = 0; d < 3; d++)
            ended += disk_see(p.w, d)->done;
    }
    assert_true(completions > 100);
    tape_free(&p);
    timed_free(&t);
}

static void a_shorter_timeslice_means_more_switches(void **state)
{
    /* Breaks when the timeslice does not end a thread's turn: two busy threads, one CPU. */
    uint64_t switches[2];

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct scenario *s = two_on_one_cpu();
        struct timed t;

        s->host.cpus = 1;
        s->host.timeslice_ns = n ? 100000 : 5000000;
        timed_results(&t, s);
        switches[n] = t.results->thread[0].switches + t.results->thread[2].switches;
        assert_true(t.results->cpu[0].busy_ns > 9 * ms);
        timed_free(&t);
    }
    assert_true(switches[1] > 2 * switches[0]);
    assert_true(switches[1] > 50);
}

static void under_cfs_a_sleeper_goes_before_a_thread_that_ran_longer(void **state)
{
    /* Breaks when a wake-up does not preempt, or never stops doing so: a thread with one I/O at a
     * time beside a busy one. First come, first served, it waits for the other's timeslice each
     * time. */
    uint64_t ios[2];

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct scenario *s = two_on_one_cpu();
        struct timed t;

        s->host.cpus = 1;
        s->host.scheduler = n ? SCHEDULER_CFS : SCHEDULER_FCFS;
        s->job[2].engine = ENGINE_PSYNC;
        s->job[2].iodepth = 1;
        timed_results(&t, s);
        ios[n] = t.results->job[2].dir[0].ios;
        timed_free(&t);
    }
    assert_true(ios[1] > 10 * ios[0]);
}

/* The share of the work of two_on_one_cpu() that the other CPU did, in percent. */
static uint64_t share_of_other_cpu(uint32_t soaker, uint32_t balance_ns)
{
    struct scenario *s = two_on_one_cpu();
    struct timed t;
    uint64_t share;

    s->host.soaker = soaker;
    s->host.soak_ns = 20000;
    s->host.balance_ns = balance_ns;
    timed_results(&t, s);
    share =
        t.results->cpu[1].busy_ns * 100 / (t.results->cpu[0].busy_ns + t.results->cpu[1].busy_ns);
    timed_free(&t);
    return share;
}

static void an_idle_cpu_takes_over_a_waiting_thread(void **state)
{
    /* Breaks when a thread waits for its CPU while another is idle. */
    (void)state;
    assert_true(share_of_other_cpu(0, 0) > 25);
}

static void with_a_load_meter_no_cpu_is_idle_and_only_balancing_moves_threads(void **state)
{
    /* Breaks when a CPU that runs the load meter steals, or the balancer moves nothing. */
    (void)state;
    assert_int_equal(share_of_other_cpu(1, 0), 0);
    assert_true(share_of_other_cpu(1, 1000000) > 15);
}

static void a_submitter_without_a_free_request_sleeps_and_goes_on(void **state)
{
    /* Breaks when a full queue loses an I/O or lets in more than nr_requests. */
    uint64_t queue[2];

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct scenario *s = small_scenario(LEVEL_RAW);
        struct timed t;

        s->array.raid_disks = s->disk_count = 1;
        s->job[0].engine = ENGINE_LIBAIO;
        s->job[0].iodepth = 24;
        s->host.nomerges = 1;
        s->host.nr_requests = n ? 128 : 2;
        s->disk[0].queue_depth = 1;
        timed_results(&t, s);
        assert_int_equal(t.results->findings, 0);
        assert_int_equal(simulation_stuck(&t.sim), 0);
        queue[n] = t.results->member[0].queue_ns / t.results->member[0].busy_ns;
        if (!n) {
            assert_true(t.results->member[0].queue_ns <= 2 * t.results->member[0].busy_ns);
            assert_true(t.results->thread[0].blocked_ns > 5 * ms);
        }
        assert_true(t.results->job[0].dir[0].ios > 200);
        timed_free(&t);
    }
    assert_true(queue[1] > 10);
}

static void the_end_of_the_ramp_resets_the_window(void **state)
{
    /* Breaks when what happened in the ramp is still in some sum. */
    struct scenario *s = small_scenario(LEVEL_RAID5);
    struct timed with, without;
    const struct results *r, *all;

    (void)state;
    s->job[0].ramp_ns = 10 * ms;
    r = timed_results(&with, s);
    s = small_scenario(LEVEL_RAID5);
    s->job[0].runtime_ns = 20 * ms;
    all = timed_results(&without, s);
    assert_true(r->window_ns > 9 * ms && r->window_ns < 11 * ms);
    assert_true(all->window_ns > 19 * ms);
    assert_int_equal(r->moves, all->moves); /* the same run, measured from the middle on */
    assert_true(r->job[0].dir[0].ios * 10 > all->job[0].dir[0].ios * 4);
    assert_true(r->job[0].dir[0].ios * 10 < all->job[0].dir[0].ios * 6);
    for (unsigned i = 0; i < 2; i++)
        assert_true(r->cpu[i].busy_ns < all->cpu[i].busy_ns);
    for (unsigned d = 0; d < 3; d++)
        assert_true(r->member[d].sectors[0] < all->member[d].sectors[0] &&
                    r->member[d].ios[0] < all->member[d].ios[0]);
    assert_true(r->lock[0].acquisitions < all->lock[0].acquisitions);
    assert_true(r->cache.lookups < all->cache.lookups);
    assert_true(r->pages < all->pages);
    timed_free(&with);
    timed_free(&without);
}

static void the_sums_are_sums(void **state)
{
    /* Breaks when a nanosecond, a cycle or a sector is booked twice or nowhere. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct timed t;
        const struct results *r = timed_results(&t, timed_case(n));
        uint64_t cpu = 0, irq = 0, thread = 0, symbols = 0, work = 0;

        for (unsigned i = 0; i < r->cpu_count; i++) {
            cpu += r->cpu[i].busy_ns;
            irq += r->cpu[i].irq_ns;
        }
        for (unsigned i = 0; i < r->thread_count; i++) {
            thread += r->thread[i].busy_ns;
            assert_true(r->thread[i].spin_ns <= r->thread[i].busy_ns);
            assert_true(r->thread[i].wasted_wakeups <= r->thread[i].wakeups);
        }
        for (unsigned i = 0; i < r->symbol_count; i++) {
            symbols += r->symbol[i].cycles;
            assert_true(!i || r->symbol[i].cycles <= r->symbol[i - 1].cycles);
        }
        for (unsigned k = 0; k < WORK_COUNT; k++)
            work += r->work_cycles[k];
        assert_int_equal(cpu, thread + irq);
        assert_int_equal(symbols, work);
        assert_int_equal(r->cache.lookups, r->cache.hits + r->cache.misses + r->cache.waits);
        assert_true(r->cache.wasted_wakeups <= r->cache.wakeups);
        assert_true(r->cache.active_max <= r->cache.size);
        timed_free(&t);
    }
}

static void every_cycle_a_cpu_is_busy_has_a_symbol(void **state)
{
    /* Breaks when something is paid that no symbol shows (or the reverse): a profile's shares would
     * not add up. A cycle is a nanosecond here; each move may round off two. */
    (void)state;
    for (unsigned n = 0; n < TIMED_CASES; n++) {
        struct scenario *s = timed_case(n);
        struct timed t;
        const struct results *r;
        uint64_t cpu = 0, work = 0;

        s->job[0].ramp_ns = 0;
        r = timed_results(&t, s);
        for (unsigned i = 0; i < r->cpu_count; i++)
            cpu += r->cpu[i].busy_ns;
        for (unsigned k = 0; k < WORK_COUNT; k++)
            work += r->work_cycles[k];
        if (work + 2 * r->moves < cpu)
            fail_msg("case %u: %llu ns busy, but only %llu cycles shown (%llu contended)", n,
                     (unsigned long long)cpu, (unsigned long long)work,
                     (unsigned long long)(r->lock[0].contended + r->lock[1].contended));
        assert_true(cpu + 2 * r->moves + 10000 >= work); /* an idle CPU's last debt stays unpaid */
        timed_free(&t);
    }
}

static void members_read_what_the_users_got_and_a_cache_what_it_lacked(void **state)
{
    /* Breaks when sectors are lost or counted twice between member and user. */
    struct timed t;
    const struct results *r = timed_results(&t, timed_case(0));
    uint64_t sectors = 0;

    (void)state;
    for (unsigned d = 0; d < 3; d++)
        sectors += r->member[d].sectors[0];
    assert_int_equal(sectors * 512, r->job[0].dir[0].bytes);
    assert_int_equal(r->job[0].dir[0].bytes, r->job[0].dir[0].ios * 4096);
    timed_free(&t);
    r = timed_results(&t, timed_case(2));
    sectors = 0;
    for (unsigned d = 0; d < 3; d++)
        sectors += r->member[d].sectors[0];
    assert_int_equal(sectors, r->work[WORK_SLOT_IO] * 8);
    timed_free(&t);
}

static void each_page_is_attached_once(void **state)
{
    /* Breaks when an attempt that met an overlap counts as a page attached. */
    struct scenario *s = timed_case(2);
    struct timed t;
    const struct results *r;

    (void)state;
    s->job[0].iodepth = 8;
    s->job[0].size = 65536; /* few blocks, so that readers meet */
    r = timed_results(&t, s);
    assert_int_equal(r->cache.attached_pages, r->pages);
    timed_free(&t);
}

static void a_job_of_so_many_bytes_moves_so_many(void **state)
{
    /* Breaks when a job ends early or late. */
    struct timed t;
    const struct results *r = timed_results(&t, lone_reader(77));

    (void)state;
    assert_int_equal(r->job[0].dir[0].ios, 77);
    assert_int_equal(r->pages, 77);
    assert_int_equal(r->array.ios[0], 77);
    assert_int_equal(r->job[0].dir[0].lat.count, 77);
    timed_free(&t);
}

static void a_wrong_read_is_a_finding_that_names_its_place(void **state)
{
    /* Breaks when a timed run does not look at what was read, or reports another request than the
     * one that was wrong: all pages of the cache are changed in the middle of a run. */
    struct timed t;

    (void)state;
    timed_start(&t, timed_case(2), 0);
    assert_int_equal(t.sim.world->shape.tags_per_page, 1);
    for (unsigned k = 1; k <= 40; k++) {
        clockwork_run(t.sim.clock, k * ms / 4);
        for (uint32_t n = 0; n < t.sim.world->shape.stripes * 3; n++)
            *tags_at(t.sim.world, n) ^= 1ull << k;
    }
    timed_finish(&t);
    assert_true(t.results->findings > 0);
    assert_non_null(strstr(t.results->finding, "read 8 sectors"));
    timed_free(&t);
}

static void a_run_that_ends_amid_a_check_leaves_no_stripe_in_its_hands(void **state)
{
    /* Breaks when the resync thread stops for good between getting a stripe and handing it over. */
    unsigned amid = 0;

    (void)state;
    for (unsigned n = 2; n <= 81; n++) {
        struct scenario *s = small_scenario(LEVEL_RAID5);
        struct timed t;

        s->driver.generation = n % 2 ? GENERATION_61 : GENERATION_2615;
        s->driver.hash_classes = 1;
        s->driver.max_stripe_batch = 8;
        s->array.sync_action = SYNC_CHECK;
        s->array.sync_max = UINT64_MAX;
        s->job[0].runtime_ns = n / 2 * 173 * us;
        timed_start(&t, s, 0);
        clockwork_run(t.sim.clock, UINT64_MAX - 1);
        assert_int_equal(array_see(t.sim.world, 0)->active, 0);
        amid += array_see(t.sim.world, 0)->sync_completed != 2048;
        timed_free(&t);
    }
    assert_true(amid > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_ends_amid_a_check_leaves_no_stripe_in_its_hands),
        cmocka_unit_test(a_move_is_fired_first_and_paid_after),
        cmocka_unit_test(a_run_stops_at_the_time_it_was_given),
        cmocka_unit_test(under_cfs_a_sleeper_goes_before_a_thread_that_ran_longer),
        cmocka_unit_test(an_idle_cpu_takes_its_time_to_wake),
        cmocka_unit_test(a_cpu_that_runs_the_load_meter_takes_as_long),
        cmocka_unit_test(a_lone_read_takes_the_device_and_the_work_and_nothing_else),
        cmocka_unit_test(a_lock_is_never_held_by_two),
        cmocka_unit_test(a_spinning_cpu_burns_its_time_and_is_charged_for_it),
        cmocka_unit_test(a_hand_over_costs_its_price),
        cmocka_unit_test(interrupts_go_before_threads_at_every_boundary),
        cmocka_unit_test(a_shorter_timeslice_means_more_switches),
        cmocka_unit_test(under_cfs_a_sleeper_goes_before_a_thread_that_ran_longer),
        cmocka_unit_test(an_idle_cpu_takes_over_a_waiting_thread),
        cmocka_unit_test(with_a_load_meter_no_cpu_is_idle_and_only_balancing_moves_threads),
        cmocka_unit_test(a_submitter_without_a_free_request_sleeps_and_goes_on),
        cmocka_unit_test(the_end_of_the_ramp_resets_the_window),
        cmocka_unit_test(the_sums_are_sums),
        cmocka_unit_test(every_cycle_a_cpu_is_busy_has_a_symbol),
        cmocka_unit_test(members_read_what_the_users_got_and_a_cache_what_it_lacked),
        cmocka_unit_test(each_page_is_attached_once),
        cmocka_unit_test(a_wrong_read_is_a_finding_that_names_its_place),
        cmocka_unit_test(a_job_of_so_many_bytes_moves_so_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
