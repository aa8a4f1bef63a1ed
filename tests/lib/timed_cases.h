/* The timed runs the laws about time are tried on: every level, starved and rich, alone and with
 * many, one CPU and several, with and without a load meter, and with worker groups. */
#ifndef TESTS_LIB_TIMED_CASES_H
#define TESTS_LIB_TIMED_CASES_H
#include "tests/lib/small_scenario.h"

enum { TIMED_CASES = 13 };

/* The scenario of that case, 0 .. TIMED_CASES - 1. */
struct scenario *timed_case(unsigned n);

#endif
