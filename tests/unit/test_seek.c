/* Seek curves: against the closed form of the HP 97560, the definition of Lee's curve, and 87
 * measured points. */
#include "tests/unit/disk_rig.h"

#include "disks/seek.h"

static double curve_ms(const struct disk_preset *p, uint32_t d)
{
    struct seek_curve s = { 0 };

    seek_start(&s, p);
    return (double)seek_ns(&s, p, d) / 1e6;
}

/* Over two cylinders drawn at random, equal ones (no seek) included. */
static double mean_ms(const struct disk_preset *p)
{
    double n = p->cylinders, sum = 0;
    struct seek_curve s = { 0 };

    seek_start(&s, p);
    for (uint32_t d = 1; d < p->cylinders; d++)
        sum += 2 * (n - d) / (n * n) * (double)seek_ns(&s, p, d) / 1e6;
    return sum;
}

/* The integer root must not be a rounded one: breaks if it is off by one next to a square, or
 * overflows. */
static void the_root_is_exact(void **state)
{
    (void)state;
    struct dice dice = dice_new(1, DICE_FATE, 0);

    assert_int_equal(seek_root(0), 0);
    assert_int_equal(seek_root(3), 1);
    assert_true(seek_root(UINT64_MAX) == UINT32_MAX);
    for (int i = 0; i < 20000; i++) {
        uint64_t r = dice_below(&dice, UINT64_C(1) << (1 + i % 32));
        assert_true(seek_root(r * r) == r);
        if (r)
            assert_true(seek_root(r * r - 1) == r - 1);
        assert_true(seek_root(r * r + 2 * r) == r);
    }
}

/* Breaks if a coefficient of Lee's curve is wrong: the data sheet's three figures must come out
 * again. */
static void three_figures_come_out_of_the_curve_again(void **state)
{
    (void)state;
    struct disk_preset p;
    static const char *const names[] = { "wd4000yr", "exos-x16-16t" };

    for (int i = 0; i < 2; i++) {
        rig_preset(&p, names[i]);
        p.seek_point_count = 0; /* the curve through the three figures, not the table */
        rig_expect("single cylinder, ms", curve_ms(&p, 1), p.seek_min_us / 1e3, 0.01);
        rig_expect("full stroke, ms", curve_ms(&p, p.cylinders), p.seek_max_us / 1e3, 0.5);
        rig_expect("mean over random pairs, ms", mean_ms(&p), p.seek_avg_us / 1e3, 0.5);
    }
}

/* Breaks if the table of wd4000yr is edited without keeping the data sheet's three figures. */
static void the_table_of_the_wd4000yr_keeps_its_three_figures(void **state)
{
    (void)state;
    struct disk_preset p;

    rig_preset(&p, "wd4000yr");
    assert_true(p.seek_point_count > 0);
    rig_expect("wd4000yr table: single cylinder, ms", curve_ms(&p, 1), p.seek_min_us / 1e3, 1);
    rig_expect("wd4000yr table: full stroke, ms", curve_ms(&p, p.cylinders - 1),
               p.seek_max_us / 1e3, 1);
    rig_expect("wd4000yr table: mean over random pairs, ms", mean_ms(&p), p.seek_avg_us / 1e3, 1);
}

/* Breaks if the table is not interpolated in a straight line, or the preset's points are not on the
 * formula. */
static void the_hp97560_follows_its_closed_form(void **state)
{
    (void)state;
    struct disk_preset p;
    double worst = 0;

    rig_preset(&p, "hp97560");
    for (uint32_t d = 1; d < p.cylinders; d++) {
        double wanted = d <= 383 ? 3.24 + 0.400 * sqrt(d) : 8.00 + 0.008 * d;
        worst = fmax(worst, fabs(curve_ms(&p, d) - wanted) / wanted);
    }
    print_message("hp97560: largest deviation from the closed form %.3f %%\n", worst * 100);
    assert_true(worst < 0.002);
}

enum { POINTS = 87 };

#define LEE_RMS_MS 0.36

struct measured {
    uint32_t cylinders;
    double ms;
};

/* The csv stands beside the golden traces; tests are run from the root of the tree. */
static void read_measured(struct measured *m)
{
    char line[64];
    FILE *file = fopen("tests/golden/seek-7200rpm-barracuda.csv", "r");
    unsigned n = 0;

    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (; n < POINTS && fgets(line, sizeof line, file); n++)
        assert_int_equal(sscanf(line, "%u,%lf", &m[n].cylinders, &m[n].ms), 2);
    assert_int_equal(n, POINTS);
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static double rms_ms(const struct measured *m, const double *fit)
{
    double sum = 0;

    for (unsigned i = 0; i < POINTS; i++)
        sum += (fit[i] - m[i].ms) * (fit[i] - m[i].ms);
    return sqrt(sum / POINTS);
}

/* How good the forms are, against a drive that was measured. Breaks if a form gets worse than it is
 * known to be. */
static void the_forms_fit_a_measured_drive(void **state)
{
    (void)state;
    struct disk_preset p;
    struct measured m[POINTS];
    double table[POINTS], lee[POINTS], branches[POINTS];

    read_measured(m);
    rig_preset(&p, "barracuda-2g");

    double average = mean_ms(&p);

    rig_expect("barracuda-2g: mean over random pairs of the table, ms", average, 9.32, 1);
    for (unsigned i = 0; i < POINTS; i++) {
        double d = m[i].cylinders;
        table[i] = curve_ms(&p, m[i].cylinders);
        branches[i] = d < 1250 ? 2.014 + 0.1944 * sqrt(d) : 5.975 + 0.002146 * d;
    }
    p.seek_point_count = 0;
    p.seek_min_us = 1943;
    p.seek_avg_us = (uint32_t)(average * 1000 + 0.5);
    p.seek_max_us = 16679;
    assert_null(disk_preset_trouble(&p));
    for (unsigned i = 0; i < POINTS; i++)
        lee[i] = curve_ms(&p, m[i].cylinders);
    print_message("RMS error over %d points, ms: table %.4f, two branches %.4f, Lee %.4f\n", POINTS,
                  rms_ms(m, table), rms_ms(m, branches), rms_ms(m, lee));
    assert_true(rms_ms(m, table) < 0.001);
    assert_true(rms_ms(m, branches) < 0.25);
    assert_true(rms_ms(m, lee) < LEE_RMS_MS);
}

/* Breaks if a table is read wrongly outside its points. */
static void beyond_its_points_a_table_goes_on_straight(void **state)
{
    (void)state;
    struct disk_preset p = { .cylinders = 1000,
                             .seek_point_count = 2,
                             .seek = { { 10, 3000 }, { 20, 4000 } } };

    assert_true(curve_ms(&p, 0) == 0);
    assert_true(curve_ms(&p, 1) == 3.0);
    assert_true(curve_ms(&p, 15) == 3.5);
    assert_true(curve_ms(&p, 30) == 5.0);
    p.seek_point_count = 1;
    assert_true(curve_ms(&p, 30) == 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_root_is_exact),
        cmocka_unit_test(three_figures_come_out_of_the_curve_again),
        cmocka_unit_test(the_table_of_the_wd4000yr_keeps_its_three_figures),
        cmocka_unit_test(the_hp97560_follows_its_closed_form),
        cmocka_unit_test(the_forms_fit_a_measured_drive),
        cmocka_unit_test(beyond_its_points_a_table_goes_on_straight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
