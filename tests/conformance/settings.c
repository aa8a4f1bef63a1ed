#include "tests/conformance/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void settings_add(struct settings *s, const char *format, ...)
{
    va_list args;

    if (s->count == SETTINGS_MAX)
        abort();
    va_start(args, format);
    vsnprintf(s->text[s->count], SETTING_BYTES, format, args);
    va_end(args);
    s->list[s->count] = s->text[s->count];
    s->count++;
}
