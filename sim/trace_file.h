/*
 * A finding as a file: which scenario, with which settings, and the moves.
 *
 *   raid5sim trace 1
 *   scenario FILE.cfg
 *   set SECTION.KEY=VALUE         (as often as there were settings)
 *   property D4
 *   move WHO STEP WAY             (decimal, decimal, hexadecimal; one a line, in order)
 *   end
 */
#ifndef SIM_TRACE_FILE_H
#define SIM_TRACE_FILE_H
#include <stdio.h>

#include "sim/check.h"

struct trace_file {
    char path[256];     /* of the trace */
    char scenario[256]; /* of the scenario: as it was given to the check */
    char (*set)[320];   /* [sets] */
    uint32_t sets;
    char property[16];
    struct move *move; /* [moves] */
    uint32_t moves;
};

/* False: it could not be written. */
bool trace_file_write(FILE *, const char *scenario, const struct overrides *,
                      const struct check_result *);
/* False, with one line in *complaint: not there, not a trace, cut off. Free with trace_file_free.
 */
bool trace_file_read(struct trace_file *, const char *path, struct complaint *);
void trace_file_free(struct trace_file *);

#endif
