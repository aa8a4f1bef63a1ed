/*
 * What every cmocka test includes: cmocka's own prerequisites in the order it wants them, and
 * assert_failed() as a failure of the test.
 *
 * tests/lib/assert_mock.c defines assert_failed() by cmocka's mock_assert(), so that a contract can
 * be tested:
 *
 *     expect_assert_failure(wheel_push(w, 1, 0)); // 1 lies before the last popped time
 *
 * An ASSERT that fails outside expect_assert_failure fails the test that ran it, with the claim's
 * text, file and line.
 */
#ifndef TESTS_LIB_T_H
#define TESTS_LIB_T_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/assert.h"

#endif
