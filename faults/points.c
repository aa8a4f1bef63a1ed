/* Failure points by way of libfiu. */
#include "faults/points.h"

#ifdef RAID5SIM_FIU
#define FIU_ENABLE
#include <fiu-local.h>
#include <stddef.h>

bool point_fails(enum point p)
{
    static const struct {
        const char *name;
        int error;
    } points[] = {
#define POINT(id, name, error, what) { name, error },
#include "faults/points.def"
#undef POINT
    };

    if (!fiu_fail(points[p].name))
        return false;
    errno = points[p].error;
    return true;
}
#endif
