/*
 * Files the program writes: complete or not at all.
 *
 *     struct output out;
 *     if (!output_open(&out, "result.json", complaint)) ...
 *     fprintf(out.stream, ...);
 *     if (good) output_commit(&out, complaint) else output_abandon(&out)
 *
 * A file is written to a temporary one beside it and renamed by commit, so that a full disk, a
 * crash or a complaint leaves the old file as it was. "-" is standard output and is written
 * directly.
 */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H
#include <stdbool.h>
#include <stdio.h>

struct complaint;

struct output {
    FILE *stream; /* NULL: closed */
    char path[4096], temporary[4096];
    bool standard; /* stdout */
};

/* False: complained, nothing is open and nothing was created. */
bool output_open(struct output *, const char *path, struct complaint *);
/* Ends the file and gives it its name. False: complained; the old file is still there. */
bool output_commit(struct output *, struct complaint *);
/* Throws away what was written. Harmless after commit or a failed open. */
void output_abandon(struct output *);

#endif
