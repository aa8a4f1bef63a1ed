/* Our own bugs end here: the claim that failed, then abort. */
#include <stdio.h>
#include <stdlib.h>

#include "model/assert.h"
#include "sim/panic.h"

static _Thread_local struct panic_catch *catch;

struct panic_catch *panic_catch(struct panic_catch *c)
{
    struct panic_catch *before = catch;

    catch = c;
    return before;
}

void assert_failed(const char *claim, const char *file, int line)
{
    if (catch) {
        catch->claim = claim;
        catch->file = file;
        catch->line = line;
        longjmp(catch->back, 1);
    }
    fprintf(stderr, "raid5sim: bug: %s:%d: %s\n", file, line, claim);
    abort();
}
