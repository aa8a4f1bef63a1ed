/*
 * Tables of a page of docs/, for tests that compare the page with the code. Tests run in the
 * project's root.
 */
#ifndef TESTS_LIB_PAGE_H
#define TESTS_LIB_PAGE_H
#include <stdbool.h>

enum { PAGE_ROWS_MAX = 128, PAGE_CELLS = 4, PAGE_CELL_BYTES = 1024 };

struct page_row {
    char cell[PAGE_CELLS][PAGE_CELL_BYTES]; /* without blanks and backquotes at the ends */
};

struct page {
    unsigned count;
    struct page_row row[PAGE_ROWS_MAX];
};

/* Reads the rows of four cells from all tables of a page, in order; headings and rulers as well.
 * Free it. Fails the test if the page cannot be read or a line is too long. */
struct page *page_read(const char *path);
/* How many rows begin with that cell; *r is the last of them. */
unsigned page_find(const struct page *, const char *first, const struct page_row **r);

#endif
