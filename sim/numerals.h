/*
 * Numbers as people who compare runs expect to see them: fio's way of choosing unit and digits.
 *
 * Up to four digits stand as they are; larger numbers move to the next unit and keep three
 * significant digits (9999KiB, 9.77MiB, 41.0MiB, 190MiB). Whole-number arithmetic, rounded half up.
 */
#ifndef SIM_NUMERALS_H
#define SIM_NUMERALS_H
#include <stdint.h>

enum { NUMERAL_BYTES = 24 };

/* 41.0MiB: base 1024. 43.0MB: base 1000. Returns text. */
const char *numeral_binary(char text[static NUMERAL_BYTES], uint64_t bytes);
const char *numeral_decimal(char text[static NUMERAL_BYTES], uint64_t bytes);
/* 1MiB, 10GiB, 1000KiB: the largest unit that needs no digits behind the point, for sizes that
 * somebody has set. */
const char *numeral_exact(char text[static NUMERAL_BYTES], uint64_t bytes);
/* 23, 12.3k, 1.50M. */
const char *numeral_count(char text[static NUMERAL_BYTES], uint64_t count);
/* 512ns, 12.3us, 4.50ms, 10.0s. */
const char *numeral_time(char text[static NUMERAL_BYTES], uint64_t ns);

#endif
