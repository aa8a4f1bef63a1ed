/*
 * Assertions: our own bugs, and nothing else. Findings, user mistakes and simulated faults have
 * channels of their own (docs/HACKING.md).
 *
 * ASSERT is always on: one condition, O(1), no side effects. ASSERT_DEEP audits whole structures
 * and exists in debug and sanitizer builds only.
 */
#ifndef MODEL_ASSERT_H
#define MODEL_ASSERT_H

/* Never returns. Defined by sim/panic.c (prints time, actor and last moves) or by the tests. */
void assert_failed(const char *claim, const char *file, int line) __attribute__((noreturn, cold));

#define ASSERT(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
#ifdef DEEP_CHECKS
#define ASSERT_DEEP(claim) ASSERT(claim)
#else
#define ASSERT_DEEP(claim) ((void)0)
#endif

#endif
