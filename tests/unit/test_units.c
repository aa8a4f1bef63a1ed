/* Units, edit distance: texts into numbers, exactly or not at all. */
#include "tests/lib/t.h"

#include <string.h>

#include "sim/nearest.h"
#include "sim/scenario.h"

static void assert_bytes(const char *text, uint64_t wanted)
{
    uint64_t bytes = 7;

    assert_true(units_bytes(text, &bytes));
    assert_int_equal(bytes, wanted);
}

static void assert_no_bytes(const char *text)
{
    uint64_t bytes;

    if (units_bytes(text, &bytes))
        fail_msg("'%s' was taken for %llu bytes", text, (unsigned long long)bytes);
}

static void assert_time(const char *text, uint64_t wanted)
{
    uint64_t ns = 7;

    assert_true(units_time(text, &ns));
    assert_int_equal(ns, wanted);
}

static void assert_no_time(const char *text)
{
    uint64_t ns;

    if (units_time(text, &ns))
        fail_msg("'%s' was taken for %llu ns", text, (unsigned long long)ns);
}

/* Breaks when k means 1000, or a suffix or its case is forgotten. */
static void sizes_are_1024_based_as_in_fio(void **state)
{
    (void)state;
    assert_bytes("0", 0);
    assert_bytes("512", 512);
    assert_bytes("4k", 4096);
    assert_bytes("8M", UINT64_C(8) << 20);
    assert_bytes("60G", UINT64_C(60) << 30);
    assert_bytes("2t", UINT64_C(2) << 40);
    assert_bytes("64KiB", 65536);
    assert_bytes("64 kb", 65536);
    assert_bytes("1.5k", 1536);
    assert_bytes("18446744073709551615", UINT64_MAX);
}

/* Breaks when leftovers, signs or hexadecimal are skipped over. */
static void junk_is_no_size(void **state)
{
    static const char *const junk[] = { "",   " ",   "k",    "-1",   "+1",  "1x",  "0x10", "1e3",
                                        "1.", ".5k", "1..5", "1k k", "4,5", "nan", "1kk",  "4k8" };

    (void)state;
    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++)
        assert_no_bytes(junk[i]);
}

/* Breaks when a product or a sum wraps round. */
static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_no_bytes("18446744073709551616");
    assert_no_bytes("99999999999999999999999");
    assert_no_bytes("16777216T");
    assert_no_bytes("18014398509481984k");
    assert_no_bytes("17179869183.9999999999999G");
}

/* Breaks when a fraction is rounded: 1.3 bytes are nothing. */
static void sizes_are_whole_bytes(void **state)
{
    (void)state;
    assert_no_bytes("1.5");
    assert_no_bytes("1.3k");
    assert_bytes("0.125k", 128);
}

/* Breaks when m means milli, or a bare number is not seconds. */
static void times_are_ns_and_a_bare_number_is_seconds(void **state)
{
    (void)state;
    assert_time("10", UINT64_C(10000000000));
    assert_time("10s", UINT64_C(10000000000));
    assert_time("3ms", 3000000);
    assert_time("250us", 250000);
    assert_time("17ns", 17);
    assert_time("5m", UINT64_C(300000000000));
    assert_time("2h", UINT64_C(7200000000000));
    assert_time("1d", UINT64_C(86400000000000));
    assert_time("6.7ms", 6700000);
    assert_time("0.5", 500000000);
}

/* Breaks when a time can wrap, run backwards or be half a nanosecond. */
static void junk_is_no_time(void **state)
{
    (void)state;
    assert_no_time("-1s");
    assert_no_time("1.5ns");
    assert_no_time("5q");
    assert_no_time("99999999999999999999s");
    assert_no_time("213504d");
    assert_no_time("");
}

/* Breaks when decimals are cut off or rounded. */
static void milli_keeps_three_decimals_and_no_fourth(void **state)
{
    int64_t milli;

    (void)state;
    assert_true(units_milli("4.25", &milli));
    assert_int_equal(milli, 4250);
    assert_true(units_milli("286", &milli));
    assert_int_equal(milli, 286000);
    assert_true(units_milli("0.001", &milli));
    assert_int_equal(milli, 1);
    assert_false(units_milli("0.0001", &milli));
    assert_false(units_milli("-1", &milli));
    assert_false(units_milli("1k", &milli));
    assert_false(units_milli("9223372036854775.808", &milli));
    assert_true(units_milli("9223372036854775.807", &milli));
    assert_int_equal(milli, INT64_MAX);
}

/* Breaks when one kind of edit is forgotten or counted twice. */
static void an_edit_is_a_letter_more_less_other_or_a_swap(void **state)
{
    (void)state;
    assert_int_equal(edit_distance("chunk", "chunk"), 0);
    assert_int_equal(edit_distance("chunk", "chnk"), 1);
    assert_int_equal(edit_distance("chunk", "chunks"), 1);
    assert_int_equal(edit_distance("chunk", "chink"), 1);
    assert_int_equal(edit_distance("chunk", "chukn"), 1);
    assert_int_equal(edit_distance("", "abc"), 3);
    assert_int_equal(edit_distance("kitten", "sitting"), 3);
}

/* Breaks when a long word overruns the table. */
static void words_of_any_length_can_be_compared(void **state)
{
    char a[300], b[300];

    (void)state;
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    a[299] = b[299] = '\0';
    assert_int_equal(edit_distance(a, b), 63);
}

/* Breaks when something far off is suggested, or not the nearest. */
static void only_what_is_near_is_suggested(void **state)
{
    struct nearest search = nearest_begin("iodepht");

    (void)state;
    nearest_offer(&search, "offset");
    nearest_offer(&search, "iodepth");
    nearest_offer(&search, "loops");
    assert_string_equal(search.best, "iodepth");
    search = nearest_begin("colour");
    nearest_offer(&search, "bs");
    nearest_offer(&search, "offset");
    assert_null(search.best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_1024_based_as_in_fio),
        cmocka_unit_test(junk_is_no_size),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(sizes_are_whole_bytes),
        cmocka_unit_test(times_are_ns_and_a_bare_number_is_seconds),
        cmocka_unit_test(junk_is_no_time),
        cmocka_unit_test(milli_keeps_three_decimals_and_no_fourth),
        cmocka_unit_test(an_edit_is_a_letter_more_less_other_or_a_swap),
        cmocka_unit_test(words_of_any_length_can_be_compared),
        cmocka_unit_test(only_what_is_near_is_suggested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
