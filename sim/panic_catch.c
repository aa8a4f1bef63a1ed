/* Who wants to know of this thread's failed claims: see panic.h. */
#include "sim/panic.h"

#include <stddef.h>

static _Thread_local struct panic_catch *catch;

struct panic_catch *panic_catch(struct panic_catch *c)
{
    struct panic_catch *before = catch;

    catch = c;
    return before;
}

void panic_tell(const char *claim, const char *file, int line)
{
    if (!catch)
        return;
    catch->claim = claim;
    catch->file = file;
    catch->line = line;
    longjmp(catch->back, 1);
}
