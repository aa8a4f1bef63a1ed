/*
 * "Did you mean": the candidate with the smallest edit distance to a word the user wrote.
 *
 *     struct nearest search = nearest_begin("chunk_sise");
 *     for each candidate: nearest_offer(&search, candidate);
 *     search.best is the nearest, the first offered of equals; NULL when none is near enough
 */
#ifndef SIM_NEAREST_H
#define SIM_NEAREST_H

struct nearest {
    const char *word, *best;
    unsigned distance; /* of best */
};

struct nearest nearest_begin(const char *word);
/* The candidate is kept by pointer. */
void nearest_offer(struct nearest *, const char *candidate);
/* Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
 * Words are compared in their first 63 bytes. */
unsigned edit_distance(const char *, const char *);

#endif
