/* Putting a simulation together and taking it apart. */
#include "faults/points.h"
#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/array.h"
#include "model/request.h"
#include "sim/system_md.h"

static bool short_of_memory(struct complaint *why, const struct scenario *s, uint64_t bytes)
{
    snprintf(why->file, sizeof why->file, "%s", s->path);
    why->line = 0;
    snprintf(why->text, sizeof why->text, "no memory for a world of %llu MiB",
             (unsigned long long)(bytes >> 20));
    return false;
}

/* Zeroed pages that take memory only when touched: tables of written blocks are sized for the worst
 * case. */
static struct world *world_new(const struct shape *shape)
{
    void *at = point_fails(POINT_WORLD_MEMORY)
                   ? MAP_FAILED
                   : mmap(NULL, world_bytes_for(shape), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    world_format(at, shape);
    return at;
}

bool simulation_new(struct simulation *sim, const struct scenario *s, struct complaint *why)
{
    struct shape shape;

    memset(sim, 0, sizeof *sim);
    if (!crew_new(&sim->crew, s, why))
        return false;
    if (!shape_from(&shape, s, &sim->crew, why)) {
        simulation_free(sim);
        return false;
    }
    sim->world = world_new(&shape);
    if (sim->world) {
        array_start(sim->world, sim->crew.depth);
        sim->load = workload_new(s, geometry_sectors(&shape.geometry));
    }
    if (sim->load)
        sim->clock = clockwork_new(s, &system_md, sim->world, sim->load, sim->crew.instance_of);
    if (!sim->clock) {
        simulation_free(sim);
        return short_of_memory(why, s, world_bytes_for(&shape));
    }
    return true;
}

void simulation_free(struct simulation *sim)
{
    clockwork_free(sim->clock);
    workload_free(sim->load);
    if (sim->world)
        munmap(sim->world, world_bytes(sim->world));
    crew_free(&sim->crew);
    memset(sim, 0, sizeof *sim);
}

unsigned simulation_stuck(const struct simulation *sim)
{
    unsigned stuck = 0;

    for (unsigned c = 0; c < sim->world->shape.clients; c++)
        stuck += client_see(sim->world, c)->in_flight != 0;
    return stuck;
}
