/* Packed worlds and their keys: equal worlds, equal words; a key follows a move. */
#include "model/check/pack.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/walk.h"

enum { REQUESTS = 12 };

struct watched {
    const struct world *start;
    struct world *before, *again;
    uint64_t key;
    uint64_t *words;
};
static struct watched seen;

static void compare(const struct walk *k, struct move m)
{
    const struct world *w = k->s->w;
    uint64_t bytes = world_bytes(w), key = pack_key_after(seen.start, seen.before, seen.key, w);

    (void)m;
    assert_true(key == pack_key(seen.start, w));
    assert_true(pack(seen.start, w, seen.words) <= pack_words_max(w));
    memset((char *)seen.again + w->live_at, 0xa5, bytes - w->live_at);
    unpack(seen.start, seen.words, seen.again);
    assert_memory_equal(seen.again, w, bytes);
    memcpy(seen.before, w, bytes);
    seen.key = key;
}

static struct world *copy_of(const struct world *w)
{
    struct world *c = aligned_alloc(16, world_bytes(w));

    assert_non_null(c);
    return memcpy(c, w, world_bytes(w));
}

static void a_walk_can_be_packed_and_keyed_at_every_step(void **state)
{
    /* Breaks by a run of words that is left out, a key that depends on the way, a tail of fewer
     * than eight words that is not looked at. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5,
                                                     .later = 1,
                                                     .written = 1,
                                                     .clients = 3,
                                                     .rmw_level = 1,
                                                     .wake_policy = WAKE_ALL });
    struct world *start = copy_of(s->w);
    struct walk k;

    (void)state;
    seen = (struct watched){ .start = start,
                             .before = copy_of(s->w),
                             .again = copy_of(s->w),
                             .key = pack_key(start, start),
                             .words = calloc(pack_words_max(start), sizeof(uint64_t)) };
    assert_non_null(seen.words);
    walk_start(&k, s, 1, REQUESTS);
    walk_run(&k, compare);
    assert_true(k.moves > 100);
    free(seen.words);
    free(seen.before);
    free(seen.again);
    free(start);
    small_free(s);
}

static void one_bit_anywhere_makes_another_key(void **state)
{
    /* Breaks by a word that the key leaves out, or two places that weigh the same. */
    struct small *s = small_new((struct small_plan){ .level = LEVEL_RAID5 });
    struct world *start = copy_of(s->w);
    uint64_t *live = (uint64_t *)(void *)((char *)s->w + s->w->live_at);
    uint64_t words = (s->w->bytes - s->w->live_at) / sizeof *live, last = pack_key(start, start);

    (void)state;
    for (uint64_t i = 0; i < words; i++)
        for (unsigned bit = 0; bit < 64; bit += 21) {
            uint64_t key;

            live[i] ^= UINT64_C(1) << bit;
            key = pack_key(start, s->w);
            assert_true(key != last &&
                        key == pack_key_after(start, start, pack_key(start, start), s->w));
            last = key;
            live[i] ^= UINT64_C(1) << bit;
        }
    free(start);
    small_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_can_be_packed_and_keyed_at_every_step),
        cmocka_unit_test(one_bit_anywhere_makes_another_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
