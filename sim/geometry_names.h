/*
 * The names of levels and layouts, as mdadm writes them.
 *
 * Apart from model/geometry.h because the model reads and writes no text.
 */
#ifndef SIM_GEOMETRY_NAMES_H
#define SIM_GEOMETRY_NAMES_H

#include "model/geometry.h"

/* "raw", "raid0", "raid4", "raid5"; "left-symmetric" and so on, "parity-first", "parity-last". */
const char *geometry_level_name(enum level);
const char *geometry_layout_name(enum layout);

/* The enumerator with that name, or -1. A level is also known by its number (0, 4, 5), a layout by
 * mdadm's short form (la, ra, ls, rs), by the kernel's and mdadm's other words for the fixed ones
 * (parity-0, parity-n, parity-first, parity-last) and by its number, 0..5. Case matters, as in
 * mdadm. */
int geometry_level_parse(const char *);
int geometry_layout_parse(const char *);

#endif
