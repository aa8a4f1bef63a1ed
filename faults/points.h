/*
 * Failure points of the host program (faults/points.def), for tests of what it does when the
 * machine refuses it something. Without FIU=1 they cost nothing and never fail. Simulated faults
 * are something else: they are moves (faults/fate.h).
 */
#ifndef FAULTS_POINTS_H
#define FAULTS_POINTS_H
#include <errno.h>
#include <stdbool.h>

enum point {
#define POINT(id, name, error, what) POINT_##id,
#include "faults/points.def"
#undef POINT
    POINT_COUNT
};

#ifdef RAID5SIM_FIU
/* Is this point to fail now? Then errno is set. */
bool point_fails(enum point);
#else
static inline bool point_fails(enum point p)
{
    (void)p;
    return false;
}
#endif

#endif
