/*
 * Complaints: the user's mistakes, told in one line `FILE:LINE: text`, exit status 2.
 *
 * The first trouble is the one told; a function that complains returns false up to main() and
 * changes nothing else.
 */
#ifndef SIM_COMPLAINT_H
#define SIM_COMPLAINT_H
#include <stdbool.h>
#include <stdio.h>

struct complaint; /* sim/scenario.h */

/* Fills in the complaint, unless it already holds one, and returns false. Line 0: the trouble has
 * no line. Bytes that would break the line or a terminal become '?'. */
bool complain(struct complaint *, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Prints the line. */
void complaint_print(FILE *, const struct complaint *);

#endif
