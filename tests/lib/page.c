/* Tables of Markdown: a row is a line that begins with a bar; cells end at bars. */
#include "tests/lib/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/t.h"

/* Cuts blanks and backquotes off both ends. */
static void trim(char *cell)
{
    size_t from = strspn(cell, " `"), length = strlen(cell);

    while (length > from && strchr(" `", cell[length - 1]))
        length--;
    memmove(cell, cell + from, length - from);
    cell[length - from] = '\0';
}

/* False if the line is no row of exactly PAGE_CELLS cells. */
static bool read_row(const char *line, struct page_row *r)
{
    if (*line++ != '|')
        return false;
    for (unsigned i = 0; i < PAGE_CELLS; i++) {
        size_t length = strcspn(line, "|");

        if (line[length] != '|')
            return false;
        memcpy(r->cell[i], line, length);
        r->cell[i][length] = '\0';
        trim(r->cell[i]);
        line += length + 1;
    }
    return *line == '\n';
}

struct page *page_read(const char *path)
{
    struct page *p = calloc(1, sizeof *p);
    char line[PAGE_CELL_BYTES];
    FILE *file = fopen(path, "r");

    assert_true(p && file);
    while (fgets(line, sizeof line, file)) {
        assert_non_null(strchr(line, '\n'));
        assert_true(p->count < PAGE_ROWS_MAX);
        p->count += read_row(line, &p->row[p->count]);
    }
    fclose(file);
    return p;
}

unsigned page_find(const struct page *p, const char *first, const struct page_row **r)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->count; i++)
        if (!strcmp(p->row[i].cell[0], first)) {
            *r = &p->row[i];
            n++;
        }
    return n;
}
