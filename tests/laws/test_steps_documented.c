/*
 * Law: docs/STEPS.md lists the steps of the code, all of them and no others, with the kernel region
 * each stands for and the locks it runs under.
 *
 * A row of a table there is `| name | kernel region | lock | why |`; every name has a dot in it.
 */
#include "tests/lib/page.h"

#include <stdlib.h>
#include <string.h>

#include "sim/system_md.h"
#include "tests/lib/t.h"

static const char *lock_name(unsigned lock)
{
    static const char *const names[] = {
        [LOCK_NONE] = "none",
        [LOCK_DEVICE] = "device_lock",
        [LOCK_STRIPE] = "sh->lock",
        [LOCK_STRIPE_DEVICE] = "sh->lock, device_lock",
    };

    assert_true(lock < sizeof names / sizeof names[0]);
    return names[lock];
}

/* Reads the page and leaves the rows of steps: their names are written with a dot. */
static int read_steps(void **state)
{
    struct page *p = page_read("docs/STEPS.md");
    unsigned n = 0;

    for (unsigned i = 0; i < p->count; i++)
        if (strchr(p->row[i].cell[0], '.'))
            p->row[n++] = p->row[i];
    p->count = n;
    *state = p;
    return 0;
}

static int free_steps(void **state)
{
    free(*state);
    return 0;
}

/* The step of that name in the code; NULL: none. */
static const struct step *step_named(const char *name)
{
    for (unsigned k = 0; k < KIND_COUNT; k++) {
        const struct actor_kind *kind = system_md.kinds[k];

        for (unsigned i = 0; i < kind->step_count; i++)
            if (!strcmp(kind->steps[i].name, name))
                return &kind->steps[i];
    }
    return NULL;
}

static void every_step_of_the_code_is_documented_once(void **state)
{
    /* Breaks when a step is added or renamed and docs/STEPS.md is forgotten, when two steps bear
     * one name, or when a place in a table of steps is left empty. */
    const struct page *t = *state;
    unsigned steps = 0;

    for (unsigned k = 0; k < KIND_COUNT; k++) {
        const struct actor_kind *kind = system_md.kinds[k];

        for (unsigned i = 0; i < kind->step_count; i++, steps++) {
            const struct page_row *r;

            assert_non_null(kind->steps[i].name);
            if (page_find(t, kind->steps[i].name, &r) != 1)
                fail_msg("%s has %u rows in docs/STEPS.md", kind->steps[i].name,
                         page_find(t, kind->steps[i].name, &r));
            assert_ptr_equal(step_named(kind->steps[i].name), &kind->steps[i]);
        }
    }
    assert_true(steps >= 19);
}

static void every_documented_step_is_in_the_code(void **state)
{
    /* Breaks when a step is removed or renamed and its row stays. */
    const struct page *t = *state;

    assert_true(t->count);
    for (unsigned i = 0; i < t->count; i++)
        if (!step_named(t->row[i].cell[0]))
            fail_msg("docs/STEPS.md: no step is called %s", t->row[i].cell[0]);
}

static void a_step_s_kernel_region_and_locks_are_as_documented(void **state)
{
    /* Breaks when a step comes to stand for another region or runs under other locks, and the page
     * that argues why it is atomic still speaks of the old ones; or when it gives no reason. */
    const struct page *t = *state;

    for (unsigned i = 0; i < t->count; i++) {
        const struct page_row *r = &t->row[i];
        const struct step *step = step_named(r->cell[0]);

        assert_non_null(step);
        assert_string_equal(r->cell[1], step->kernel);
        assert_string_equal(r->cell[2], lock_name(step->lock));
        assert_true(strlen(r->cell[3]) >= 10);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_of_the_code_is_documented_once),
        cmocka_unit_test(every_documented_step_is_in_the_code),
        cmocka_unit_test(a_step_s_kernel_region_and_locks_are_as_documented),
    };

    return cmocka_run_group_tests(tests, read_steps, free_steps);
}
