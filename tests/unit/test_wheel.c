/*
 * The wheel against a list kept sorted by (time, order of insertion).
 *
 * Random mixes print their seed when they fail and take SEED= from the environment.
 */
#include "sim/wheel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/t.h"

enum { PENDING_MAX = 300, ROUNDS = 1000, STEPS = 2000 };

/* The reference: sorted, the earliest last; among equals the oldest last. */
struct sorted {
    unsigned count;
    struct {
        uint64_t time_ns;
        uint32_t what;
    } entry[PENDING_MAX];
};

static void sorted_push(struct sorted *s, uint64_t time_ns, uint32_t what)
{
    unsigned place = s->count++;

    for (; place && s->entry[place - 1].time_ns <= time_ns; place--)
        s->entry[place] = s->entry[place - 1];
    s->entry[place].time_ns = time_ns;
    s->entry[place].what = what;
}

static struct wheel *new_wheel(uint32_t capacity)
{
    struct wheel *w = malloc(wheel_bytes(capacity));

    assert_non_null(w);
    wheel_start(w, capacity);
    return w;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1dull;
}

/* A delay of one of many orders of magnitude; 0 and small repeated ones are common, so that times
 * coincide. */
static uint64_t random_delay(uint64_t *random)
{
    uint64_t bits = next_random(random);

    switch (bits & 7) {
    case 0:
        return 0;
    case 1:
        return 64 * (bits >> 3 & 3);
    case 2:
        return 1000000 * (bits >> 3 & 7);
    default:
        return next_random(random) >> (bits >> 3 & 63);
    }
}

static uint64_t later(uint64_t now_ns, uint64_t delay_ns)
{
    return delay_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + delay_ns;
}

static void expect_pop(struct wheel *w, struct sorted *s, uint64_t *now_ns, uint64_t seed)
{
    uint64_t time_ns = 0;
    uint32_t what = 0;

    assert_true(wheel_pop(w, &time_ns, &what));
    s->count--;
    if (time_ns != s->entry[s->count].time_ns || what != s->entry[s->count].what)
        fail_msg("seed %llu: popped (%llu, %u), due was (%llu, %u)", (unsigned long long)seed,
                 (unsigned long long)time_ns, what, (unsigned long long)s->entry[s->count].time_ns,
                 s->entry[s->count].what);
    *now_ns = time_ns;
}

static void expect_peek(struct wheel *w, const struct sorted *s, uint64_t seed)
{
    uint64_t time_ns = 0;

    if (!s->count) {
        assert_false(wheel_peek(w, &time_ns));
        return;
    }
    assert_true(wheel_peek(w, &time_ns));
    if (time_ns != s->entry[s->count - 1].time_ns)
        fail_msg("seed %llu: peeked %llu, due was %llu", (unsigned long long)seed,
                 (unsigned long long)time_ns, (unsigned long long)s->entry[s->count - 1].time_ns);
}

/* One run of pushes, peeks and pops; the share of pushes wanders, so that it fills and drains. */
static void run_mix(uint64_t seed)
{
    static struct sorted sorted;
    struct wheel *w = new_wheel(PENDING_MAX);
    uint64_t random = seed ? seed : 1, now_ns = 0;
    /* Some runs begin close to the end of time. */
    uint64_t base_ns = seed % 4 ? 0 : UINT64_MAX - (next_random(&random) >> (seed % 60));

    sorted.count = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        bool growing = i / 250 % 2 == 0;
        uint64_t dice = next_random(&random) >> 32 & 7;

        if (dice < (growing ? 5 : 2) && sorted.count < PENDING_MAX) {
            uint64_t from_ns = now_ns < base_ns ? base_ns : now_ns;
            uint64_t time_ns = later(from_ns, random_delay(&random));

            wheel_push(w, time_ns, i);
            sorted_push(&sorted, time_ns, i);
        } else if (dice == 7) {
            expect_peek(w, &sorted, seed);
        } else if (sorted.count) {
            expect_pop(w, &sorted, &now_ns, seed);
        }
        assert_int_equal(wheel_count(w), sorted.count);
    }
    while (sorted.count)
        expect_pop(w, &sorted, &now_ns, seed);
    assert_false(wheel_pop(w, &now_ns, &(uint32_t){ 0 }));
    free(w);
}

static void any_mix_of_pushes_peeks_and_pops_comes_out_sorted(void **state)
{
    /* Breaks when an event is put into a slot of the wrong level, lost while a slot is emptied, or
     * overtaken by an equal one. */
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

    (void)state;
    for (uint64_t round = 0; round < (given ? 1 : ROUNDS); round++)
        run_mix(seed + round);
}

static void equal_times_come_out_in_order_of_insertion(void **state)
{
    /* Breaks when moving events to lower levels turns a slot's list around. */
    struct wheel *w = new_wheel(64);
    uint64_t time_ns;
    uint32_t what;

    (void)state;
    for (uint32_t i = 0; i < 32; i++) /* a neighbour in the same high slot forces the moves */
        wheel_push(w, i % 2 ? 5000000000 : 5000000001, i);
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(wheel_pop(w, &time_ns, &what));
        assert_int_equal(time_ns, i < 16 ? 5000000000 : 5000000001);
        assert_int_equal(what, i < 16 ? 2 * i + 1 : 2 * (i - 16));
    }
    free(w);
}

static void events_added_while_a_time_is_served_follow_those_waiting_for_it(void **state)
{
    /* Breaks when a push at the present time is served before older events of that time. */
    struct wheel *w = new_wheel(4);
    uint64_t time_ns;
    uint32_t what;

    (void)state;
    wheel_push(w, 777, 0);
    wheel_push(w, 777, 1);
    assert_true(wheel_pop(w, &time_ns, &what));
    wheel_push(w, 777, 2);
    for (uint32_t due = 1; due < 3; due++) {
        assert_true(wheel_pop(w, &time_ns, &what));
        assert_int_equal(time_ns, 777);
        assert_int_equal(what, due);
    }
    free(w);
}

static void a_peek_leaves_room_before_the_peeked_time(void **state)
{
    /* Breaks when a peek advances the wheel to the peeked event, or to the beginning of its slot.
     */
    static const uint64_t dues[] = { 1001, 4095, 4096, 1ull << 40, (1ull << 40) + 1, 1ull << 62 };
    struct wheel *w = new_wheel(8);
    uint64_t time_ns;
    uint32_t what;

    (void)state;
    wheel_push(w, 1000, 99);
    assert_true(wheel_pop(w, &time_ns, &what));
    for (uint32_t i = 6; i-- > 0;) { /* each one earlier than all that was peeked before */
        wheel_push(w, dues[i], i);
        assert_true(wheel_peek(w, &time_ns));
        assert_int_equal(time_ns, dues[i]);
    }
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(wheel_peek(w, &time_ns));
        assert_int_equal(time_ns, dues[i]);
        assert_true(wheel_pop(w, &time_ns, &what));
        assert_int_equal(time_ns, dues[i]);
        assert_int_equal(what, i);
    }
    free(w);
}

static void the_first_and_the_last_time_there_is_are_ordinary_times(void **state)
{
    /* Breaks when 0 or UINT64_MAX is taken for "nothing", or the top digit is cut off. */
    struct wheel *w = new_wheel(4);
    uint64_t time_ns = 1;
    uint32_t what;

    (void)state;
    wheel_push(w, UINT64_MAX, 2);
    wheel_push(w, UINT64_MAX - 1, 1);
    wheel_push(w, 0, 0);
    wheel_push(w, UINT64_MAX, 3);
    assert_true(wheel_peek(w, &time_ns));
    assert_int_equal(time_ns, 0);
    for (uint32_t due = 0; due < 4; due++) {
        assert_true(wheel_pop(w, &time_ns, &what));
        assert_int_equal(what, due);
    }
    assert_true(time_ns == UINT64_MAX);
    wheel_push(w, UINT64_MAX, 4);
    assert_true(wheel_peek(w, &time_ns) && wheel_pop(w, &time_ns, &what));
    assert_true(time_ns == UINT64_MAX);
    assert_int_equal(what, 4);
    free(w);
}

static void an_empty_wheel_says_so_and_touches_nothing(void **state)
{
    /* Breaks when an empty wheel hands out a stale event. */
    struct wheel *w = new_wheel(1);
    uint64_t time_ns = 123;
    uint32_t what = 45;

    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_false(wheel_peek(w, &time_ns));
        assert_false(wheel_pop(w, &time_ns, &what));
        assert_int_equal(time_ns, 123);
        assert_int_equal(what, 45);
        wheel_push(w, 123, 45);
        assert_true(wheel_pop(w, &time_ns, &what));
    }
    free(w);
}

static void a_copy_of_the_bytes_is_a_wheel_of_its_own(void **state)
{
    /* Breaks when the wheel holds an address, so that a snapshot would share events with the
     * original. */
    struct wheel *w = new_wheel(100), *copy = malloc(wheel_bytes(100));
    uint64_t random = 5, a_ns, b_ns;
    uint32_t a, b;

    (void)state;
    assert_non_null(copy);
    for (uint32_t i = 0; i < 100; i++)
        wheel_push(w, random_delay(&random), i);
    assert_true(wheel_pop(w, &a_ns, &a));
    memcpy(copy, w, wheel_bytes(100));
    wheel_push(w, a_ns, 1000); /* only the original knows this one */
    assert_true(wheel_peek(w, &b_ns) && b_ns == a_ns);
    while (wheel_pop(copy, &a_ns, &a)) {
        do
            assert_true(wheel_pop(w, &b_ns, &b));
        while (b == 1000);
        assert_true(a_ns == b_ns);
        assert_int_equal(a, b);
    }
    assert_int_equal(wheel_count(w), 0);
    free(copy);
    free(w);
}

static void time_does_not_run_backwards(void **state)
{
    /* Breaks when a push into the past is accepted: its slot would be one that was already passed.
     */
    struct wheel *w = new_wheel(4);
    uint64_t time_ns;
    uint32_t what;

    (void)state;
    wheel_push(w, 70, 0);
    wheel_push(w, 500, 1);
    assert_true(wheel_pop(w, &time_ns, &what));
    expect_assert_failure(wheel_push(w, 69, 2));
    wheel_push(w, 70, 3);
    free(w);
}

/* A function of its own, since the compiler takes setjmp() for a way back into its caller. */
static void expect_full(struct wheel *w)
{
    expect_assert_failure(wheel_push(w, 10, 9));
}

static void a_wheel_takes_exactly_its_capacity(void **state)
{
    /* Breaks when the free list is one short, or a push into a full wheel overwrites somebody. */
    (void)state;
    for (uint32_t capacity = 0; capacity < 4; capacity++) {
        struct wheel *w = new_wheel(capacity);
        uint64_t time_ns;
        uint32_t what;

        for (uint32_t i = 0; i < capacity; i++)
            wheel_push(w, 10, i);
        expect_full(w);
        for (uint32_t i = 0; i < capacity; i++) {
            assert_true(wheel_pop(w, &time_ns, &what));
            assert_int_equal(what, i);
        }
        assert_false(wheel_pop(w, &time_ns, &what));
        free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_mix_of_pushes_peeks_and_pops_comes_out_sorted),
        cmocka_unit_test(equal_times_come_out_in_order_of_insertion),
        cmocka_unit_test(events_added_while_a_time_is_served_follow_those_waiting_for_it),
        cmocka_unit_test(a_peek_leaves_room_before_the_peeked_time),
        cmocka_unit_test(the_first_and_the_last_time_there_is_are_ordinary_times),
        cmocka_unit_test(an_empty_wheel_says_so_and_touches_nothing),
        cmocka_unit_test(a_copy_of_the_bytes_is_a_wheel_of_its_own),
        cmocka_unit_test(time_does_not_run_backwards),
        cmocka_unit_test(a_wheel_takes_exactly_its_capacity),
    };
    return cmocka_run_group_tests_name("wheel", tests, NULL, NULL);
}
