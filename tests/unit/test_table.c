/* Tables of written blocks: the same keys lie in the same places, however they got there. */
#include "tests/lib/small_world.h"

#include <string.h>

#include "model/table.h"
#include "sim/dice.h"

enum { KEYS = 40 };

static struct small *with_table(void)
{
    return small_new((struct small_plan){
        .level = LEVEL_RAID5, .later = 1, .written = 1, .tags_per_page = 1, .rows = 8 });
}

static uint64_t places(const struct small *s)
{
    return s->w->count[SEC_ORACLE];
}

/* Keys far apart and close together, by number; another family of them for each trial. */
static unsigned family;

static uint64_t key_of(unsigned number)
{
    uint64_t n = family * 1000u + number + 1;

    return number % 3 ? n : n << 40;
}

static void put(struct small *s, unsigned number)
{
    bool fresh;
    uint64_t place = table_place(s->w, SEC_ORACLE, key_of(number), &fresh, NULL);

    truth_at(s->w, place)->issued = number + 100;
}

static void take(struct small *s, unsigned number)
{
    table_remove(s->w, SEC_ORACLE, table_find(s->w, SEC_ORACLE, key_of(number)), NULL);
}

static void a_set_of_keys_has_one_table_whatever_came_and_went(void **state)
{
    /* Breaks when the gap that a removal leaves is filled with the wrong record, or one that probes
     * past it is left behind: it would not be found, and equal worlds would not be equal. */
    struct dice dice = dice_new(3, DICE_FATE, 0);

    (void)state;
    for (unsigned n = 0; n < 400; n++) {
        struct small *s = with_table(), *plain = with_table();
        unsigned most = 1 + (unsigned)dice_below(&dice, places(s) - 1);
        unsigned number = most < KEYS ? most : KEYS;
        bool there[KEYS] = { false };

        family = n;
        for (unsigned k = 0; k < 200; k++) {
            unsigned i = (unsigned)dice_below(&dice, number);

            if (there[i])
                take(s, i);
            else
                put(s, i);
            there[i] = !there[i];
        }
        for (unsigned i = number; i-- > 0;)
            if (there[i])
                put(plain, i);
        assert_memory_equal(s->w, plain->w, world_bytes(s->w));
        for (unsigned i = 0; i < number; i++) {
            uint64_t place = table_find(s->w, SEC_ORACLE, key_of(i));

            assert_int_equal(place != NONE64, there[i]);
            if (there[i])
                assert_int_equal(truth_see(s->w, place)->issued, i + 100);
        }
        small_free(s);
        small_free(plain);
    }
}

/* Where each record lies, kept by what the table says of its moves. */
static uint64_t place_of_key[KEYS];

static void is_told(struct world *w, uint64_t from, uint64_t to)
{
    uint64_t key = truth_see(w, to)->key;

    for (unsigned i = 0; i < KEYS; i++)
        if (key_of(i) == key) {
            assert_int_equal(place_of_key[i], from);
            place_of_key[i] = to;
        }
}

static void every_record_that_moves_is_told_of(void **state)
{
    /* Breaks when a list through the records (that of dirty pages) keeps an old place. */
    struct dice dice = dice_new(5, DICE_FATE, 0);
    struct small *s = with_table();
    unsigned number = (unsigned)(places(s) / 2 < KEYS ? places(s) / 2 : KEYS);
    bool there[KEYS] = { false };

    (void)state;
    for (unsigned k = 0; k < 5000; k++) {
        unsigned i = (unsigned)dice_below(&dice, number);
        bool fresh;

        if (there[i]) {
            table_remove(s->w, SEC_ORACLE, place_of_key[i], is_told);
        } else {
            place_of_key[i] = NONE64;
            place_of_key[i] = table_place(s->w, SEC_ORACLE, key_of(i), &fresh, is_told);
            assert_true(fresh);
        }
        there[i] = !there[i];
        for (unsigned j = 0; j < number; j++)
            if (there[j])
                assert_int_equal(place_of_key[j], table_find(s->w, SEC_ORACLE, key_of(j)));
    }
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_keys_has_one_table_whatever_came_and_went),
        cmocka_unit_test(every_record_that_moves_is_told_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
