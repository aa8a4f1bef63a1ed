/*
 * Recorded against simulated member I/O, as strictly as the recordings agree among themselves.
 */
#ifndef TESTS_CONFORMANCE_COMPARE_H
#define TESTS_CONFORMANCE_COMPARE_H
#include "tests/conformance/recording.h"

enum { DIFFERENCE_MAX = 160 };

struct comparison {
    bool equal;                      /* in the sense of the recording's stability */
    bool in_order;                   /* the same list in the same order, whatever had to be */
    char difference[DIFFERENCE_MAX]; /* the first; "" when equal */
};

void compare_bios(struct comparison *, const struct recording *, const struct bio_list *simulated);
/* "m3 R 128+8" */
void bio_text(const struct bio_seen *, char *text, size_t size);

#endif
