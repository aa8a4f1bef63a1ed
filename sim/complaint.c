/*
 * One line for the user's mistake. What the user wrote is quoted in it, so it is cleaned of control
 * bytes: a file name or a binary file must not be able to make two lines of one, or to move the
 * cursor.
 */
#include "sim/complaint.h"

#include <stdarg.h>
#include <string.h>

#include "sim/scenario.h"

static void clean(char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte < ' ' || byte == 0x7f)
            *text = '?';
    }
}

bool complain(struct complaint *complaint, const char *file, int line, const char *format, ...)
{
    va_list arguments;

    if (complaint->text[0])
        return false;
    snprintf(complaint->file, sizeof complaint->file, "%s", file);
    complaint->line = line;
    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
    va_end(arguments);
    clean(complaint->file);
    clean(complaint->text);
    return false;
}

void complaint_print(FILE *stream, const struct complaint *complaint)
{
    if (complaint->line > 0)
        fprintf(stream, "%s:%d: %s\n", complaint->file, complaint->line, complaint->text);
    else
        fprintf(stream, "%s: %s\n", complaint->file, complaint->text);
}
