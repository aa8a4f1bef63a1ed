/*
 * Verdicts do not depend on how a check is done: fingerprints or whole states, one thread or two,
 * with or without each reduction. Where clients and members keep their numbers the states of rest
 * are the same, too.
 */
#include "tests/lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "sim/check.h"

/* Quick ones: with a finding and without, all drivers, fate. */
static const char *const files[] = {
    "scenarios/check/6.1-read-error.cfg",       "scenarios/check/6.1-rows-of-4-members.cfg",
    "scenarios/check/6.1-two-members-lost.cfg", "scenarios/check/6.1-lost-write.cfg",
    "scenarios/check/6.1-resync.cfg",           "scenarios/check/6.1-ppl.cfg",
    "scenarios/check/3.12-tiny-cache.cfg",      "scenarios/check/2.6.15-overlapping-writes.cfg",
};
enum { FILES = sizeof files / sizeof files[0] };

static struct check_result check(const char *file, const char *const *set, unsigned count)
{
    struct scenario *s = calloc(1, sizeof *s);
    struct overrides overrides = { set, count };
    struct check_problem problem;
    struct check_result result = { .states = 0 };
    struct complaint why = { .line = 0 };

    assert_non_null(s);
    if (!scenario_load(s, file, &overrides, &why))
        fail_msg("%s:%d: %s", why.file, why.line, why.text);
    s->checking.on = true;
    if (!check_problem_new(&problem, s, &why) || !check_run(&problem, false, &result, &why))
        fail_msg("%s:%d: %s", why.file, why.line, why.text);
    check_problem_free(&problem);
    free(s);
    return result;
}

static void must_agree(const char *file, const char *setting, bool same_states)
{
    struct check_result a = check(file, NULL, 0), b = check(file, &setting, 1);

    if (a.verdict != b.verdict || a.property != b.property ||
        (a.verdict == VERDICT_OK && same_states && a.rest_keys != b.rest_keys))
        fail_msg("%s: another answer with %s: %u %u", file, setting, a.property, b.property);
    if (a.verdict == VERDICT_FINDING && same_states)
        assert_int_equal(a.trace_length, b.trace_length);
    check_result_free(&a);
    check_result_free(&b);
}

static void whole_states_give_the_same_verdict(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FILES; i++)
        must_agree(files[i], "check.mode=exact", true);
}

static void one_thread_tells_the_same_story(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FILES; i++) {
        const char *one = "check.threads=1";
        struct check_result a = check(files[i], NULL, 0), b = check(files[i], &one, 1);

        assert_int_equal(a.states, b.states);
        assert_int_equal(a.moves, b.moves);
        assert_int_equal(a.property, b.property);
        assert_int_equal(a.trace_length, b.trace_length);
        if (a.trace_length)
            assert_memory_equal(a.trace, b.trace, a.trace_length * sizeof *a.trace);
        check_result_free(&a);
        check_result_free(&b);
    }
}

static void reductions_lose_nothing(void **state)
{
    /* Breaks by a move followed alone that does not commute with all others: a verdict or a state
     * of rest is lost. A finding's trace may only be shorter without the reduction of private
     * moves. */
    (void)state;
    for (unsigned i = 0; i < FILES; i++) {
        bool found = strstr(files[i], "lost") != NULL;

        must_agree(files[i], "check.reduce=clients,members", !found);
        must_agree(files[i], "check.reduce=private,members", false);
        must_agree(files[i], "check.reduce=private,clients", false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_states_give_the_same_verdict),
        cmocka_unit_test(one_thread_tells_the_same_story),
        cmocka_unit_test(reductions_lose_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
