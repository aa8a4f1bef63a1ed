/*
 * Edit distance (optimal string alignment: a swap of neighbouring letters counts as one edit) and
 * the search for the nearest word. "Near enough" is a third of the word's length, at least one edit
 * and at most four: a longer way would suggest words that have nothing to do with each other.
 */
#include "sim/nearest.h"

#include <string.h>

enum { WORD_MAX = 63 };

static unsigned min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned edit_distance(const char *a, const char *b)
{
    unsigned row[3][WORD_MAX + 1]; /* the last two rows of the table and the one being filled */
    unsigned n = (unsigned)strnlen(a, WORD_MAX);
    unsigned m = (unsigned)strnlen(b, WORD_MAX);
    unsigned *above2 = row[0], *above = row[1], *here = row[2];

    for (unsigned j = 0; j <= m; j++)
        above[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        here[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned cost = a[i - 1] != b[j - 1];

            here[j] = min2(min2(above[j], here[j - 1]) + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = min2(here[j], above2[j - 2] + 1);
        }
        unsigned *spare = above2;

        above2 = above;
        above = here;
        here = spare;
    }
    return above[m];
}

struct nearest nearest_begin(const char *word)
{
    unsigned limit = (unsigned)strnlen(word, WORD_MAX) / 3;

    limit = limit < 1 ? 1 : min2(limit, 4);
    return (struct nearest){ .word = word, .best = NULL, .distance = limit + 1 };
}

void nearest_offer(struct nearest *search, const char *candidate)
{
    unsigned distance = edit_distance(search->word, candidate);

    if (distance < search->distance) {
        search->best = candidate;
        search->distance = distance;
    }
}
