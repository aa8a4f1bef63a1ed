/* A list of --set overrides. */
#ifndef TESTS_CONFORMANCE_SETTINGS_H
#define TESTS_CONFORMANCE_SETTINGS_H

enum { SETTINGS_MAX = 192, SETTING_BYTES = 250 };

struct settings {
    char text[SETTINGS_MAX][SETTING_BYTES];
    const char *list[SETTINGS_MAX];
    unsigned count;
};

/* Adds one. More than SETTINGS_MAX abort. */
void settings_add(struct settings *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
