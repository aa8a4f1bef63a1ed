/* Our own bugs end here: the claim that failed, then abort. */
#include <stdio.h>
#include <stdlib.h>

#include "model/assert.h"
#include "sim/panic.h"

void assert_failed(const char *claim, const char *file, int line)
{
    panic_tell(claim, file, line);
    fprintf(stderr, "raid5sim: bug: %s:%d: %s\n", file, line, claim);
    abort();
}
