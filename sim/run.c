/* The run: wind up, let go, measure. Progress is shown by simulated time; the host's clock only
 * paces the line and the ETA. */
#include "sim/run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/io_log.h"
#include "sim/simulation.h"

enum { SLICES = 200 };

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(uint64_t now, uint64_t end, double spent)
{
    double done = end ? (double)now / (double)end : 0;

    if (end && done < 1)
        fprintf(stderr, "\r%5.1f%%  %.2f s simulated, ETA %.0f s ", 100 * done, 1e-9 * (double)now,
                done > 0 ? spent / done - spent : 0);
    else
        fprintf(stderr, "\r        %.2f s simulated           ", 1e-9 * (double)now);
}

static void drive(struct simulation *sim, const struct scenario *s,
                  const struct run_options *options)
{
    uint64_t end = scenario_planned_end(s), slice = end ? end / SLICES + 1 : 100000000,
             until = slice;
    double start, shown;

    if (!options->progress) {
        clockwork_run(sim->clock, UINT64_MAX - 1);
        return;
    }
    start = shown = seconds();
    for (; clockwork_run(sim->clock, until); until += slice) {
        if (seconds() - shown < 0.2)
            continue;
        shown = seconds();
        show_progress(clockwork_now(sim->clock), end, shown - start);
    }
    fprintf(stderr, "\r%60s\r", "");
}

bool run_scenario(const struct scenario *s, const struct run_options *options, struct results *r,
                  struct complaint *why)
{
    struct simulation sim;
    unsigned stuck;

    if (!simulation_new(&sim, s, why))
        return false;
    clockwork_log_io(sim.clock, options->io_log);
    drive(&sim, s, options);
    clockwork_results(sim.clock, r);
    stuck = simulation_stuck(&sim);
    if (stuck && !r->findings++)
        snprintf(
            r->finding, sizeof r->finding,
            "t=%llu ns: %u submitting threads wait for ever: nothing is left that could wake them",
            (unsigned long long)r->end_ns, stuck);
    simulation_free(&sim);
    return true;
}
