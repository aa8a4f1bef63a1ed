/*
 * assert_failed() for test programs: an assertion is a test failure, or what
 * expect_assert_failure() waits for.
 *
 * Linked before the library, so that the program's own definition (sim/panic.c) is not pulled in.
 */
#include "tests/lib/t.h"

#include <stdlib.h>

#include "sim/panic.h"

void assert_failed(const char *claim, const char *file, int line)
{
    panic_tell(claim, file, line);
    mock_assert(0, claim, file, line); /* jumps away; cmocka only forgot to say so */
    abort();
}
