/*
 * Law: docs/STEPS.md lists the steps of the code, all of them and no others, with the kernel region
 * each stands for and the locks it runs under.
 *
 * A row of a table there is `| name in backquotes | kernel region | lock | why |`. The tests run in
 * the project's root.
 */
#include "tests/lib/t.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sim/system_md.h"

enum { ROWS_MAX = 64, CELLS = 4, LINE = 1024 };

struct row {
    char cell[CELLS][LINE]; /* name, kernel, lock, why */
};

struct table {
    unsigned count;
    struct row row[ROWS_MAX];
};

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

/* Cuts blanks and backquotes off both ends. */
static void trim(char *cell)
{
    size_t from = strspn(cell, " `"), length = strlen(cell);

    while (length > from && strchr(" `\n", cell[length - 1]))
        length--;
    memmove(cell, cell + from, length - from);
    cell[length - from] = '\0';
}

/* Reads a line "| `name` | kernel | lock | why |"; false if it is another kind of line. */
static bool read_row(const char *line, struct row *r)
{
    if (strncmp(line, "| `", 3))
        return false;
    line++;
    for (unsigned i = 0; i < CELLS; i++) {
        size_t length = strcspn(line, "|");

        assert_true(line[length] == '|' && length < LINE);
        memcpy(r->cell[i], line, length);
        r->cell[i][length] = '\0';
        trim(r->cell[i]);
        line += length + 1;
    }
    return true;
}

static int read_page(void **state)
{
    static struct table t;
    char line[LINE];
    FILE *page = fopen("docs/STEPS.md", "r");

    assert_non_null(page);
    t.count = 0;
    while (fgets(line, sizeof line, page)) {
        assert_non_null(strchr(line, '\n')); /* the line was too long for us */
        assert_true(t.count < ROWS_MAX);
        t.count += read_row(line, &t.row[t.count]);
    }
    fclose(page);
    *state = &t;
    return 0;
}

/* How many rows bear that name; *r is the last of them. */
static unsigned rows_named(const struct table *t, const char *name, const struct row **r)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->count; i++)
        if (!strcmp(t->row[i].cell[0], name)) {
            *r = &t->row[i];
            n++;
        }
    return n;
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
    const struct table *t = *state;
    unsigned steps = 0;

    for (unsigned k = 0; k < KIND_COUNT; k++) {
        const struct actor_kind *kind = system_md.kinds[k];

        for (unsigned i = 0; i < kind->step_count; i++, steps++) {
            const struct row *r;

            assert_non_null(kind->steps[i].name);
            if (rows_named(t, kind->steps[i].name, &r) != 1)
                fail_msg("%s has %u rows in docs/STEPS.md", kind->steps[i].name,
                         rows_named(t, kind->steps[i].name, &r));
            assert_ptr_equal(step_named(kind->steps[i].name), &kind->steps[i]);
        }
    }
    assert_true(steps >= 19);
}

static void every_documented_step_is_in_the_code(void **state)
{
    /* Breaks when a step is removed or renamed and its row stays. */
    const struct table *t = *state;

    assert_true(t->count);
    for (unsigned i = 0; i < t->count; i++)
        if (!step_named(t->row[i].cell[0]))
            fail_msg("docs/STEPS.md: no step is called %s", t->row[i].cell[0]);
}

static void a_step_s_kernel_region_and_locks_are_as_documented(void **state)
{
    /* Breaks when a step comes to stand for another region or runs under other locks, and the page
     * that argues why it is atomic still speaks of the old ones; or when it gives no reason. */
    const struct table *t = *state;

    for (unsigned i = 0; i < t->count; i++) {
        const struct row *r = &t->row[i];
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

    return cmocka_run_group_tests(tests, read_page, NULL);
}
