/*
 * A scenario as a problem for the explorer (model/check/problem.h).
 *
 * The jobs' I/Os are asked of the load generator beforehand: a *program* of each instance, in the
 * order in which it would issue them; when, is the explorer's choice. How far the programs are and
 * what fate may still spend stands in the world (section CHECK), so that states differ by it.
 */
#ifndef SIM_CHECK_PROBLEM_H
#define SIM_CHECK_PROBLEM_H
#include "model/check/problem.h"
#include "model/properties.h"
#include "sim/shape.h"

enum { PROGRAM_MAX = 64 };

/* An I/O of a program: as many others of its instance may be under way when it is taken up. */
struct program_io {
    uint64_t name; /* request_name() */
    uint32_t others;
};
struct program {
    uint32_t count;
    struct program_io io[PROGRAM_MAX];
};

struct check_problem {
    struct problem problem; /* first */
    const struct scenario *scenario;
    struct crew crew;
    struct world *start;
    uint32_t instances;
    struct program *program; /* [instances] */
    uint64_t addressed;      /* bit d: some program reads or writes blocks of member d */
};

/* False, with one line in *complaint: no such shape, a job asks for too many I/Os, no memory. The
 * scenario must have been loaded for a check (scenario.checking.on) and outlive the problem. */
bool check_problem_new(struct check_problem *, const struct scenario *, struct complaint *);
void check_problem_free(struct check_problem *);
/* What fate has left of a budget in this world; what it has spent of it. */
uint32_t check_left(const struct check_problem *, const struct world *, enum check_budget);
uint32_t check_spent(const struct check_problem *, const struct world *, enum check_budget);
/* Which budget the strike of that name is paid from. */
enum check_budget check_budget_of(const struct world *, uint64_t fate);
/* How far the client's instance is in its program. */
uint32_t check_taken(const struct check_problem *, const struct world *, actor_id client);
/* After PROPERTY_BUG or PROPERTY_STRUCTURE of this move or state: what exactly, in words; a
 * constant or in text. */
const char *check_words(const struct check_problem *, const struct world *, unsigned property,
                        char *text, size_t size);

#endif
