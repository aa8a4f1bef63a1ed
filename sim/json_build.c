/*
 * Building JSON (sim/json_build.h). jansson refuses a NULL value or parent by returning -1, so one
 * check in each function catches both a failed allocation here and one further up.
 */
#include "sim/json_build.h"

#include <stdlib.h>
#include <string.h>

static void put(struct builder *b, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        b->failed = true;
}

void put_uint(struct builder *b, json_t *object, const char *key, uint64_t value)
{
    put(b, object, key, json_integer(value < INT64_MAX ? (json_int_t)value : INT64_MAX));
}

void put_real(struct builder *b, json_t *object, const char *key, double value)
{
    put(b, object, key, json_real(value));
}

void put_text(struct builder *b, json_t *object, const char *key, const char *text)
{
    json_t *value = json_string(text);
    char *plain = value ? NULL : strdup(text);
    if (plain) {
        for (char *c = plain; *c; c++)
            *c = (unsigned char)*c < 0x80 ? *c : '?';
        value = json_string(plain);
        free(plain);
    }
    put(b, object, key, value);
}

json_t *put_object(struct builder *b, json_t *object, const char *key)
{
    json_t *child = json_object();
    put(b, object, key, child);
    return json_object_get(object, key);
}

json_t *put_array(struct builder *b, json_t *object, const char *key)
{
    json_t *child = json_array();
    put(b, object, key, child);
    return json_object_get(object, key);
}

json_t *append_object(struct builder *b, json_t *array)
{
    json_t *child = json_object();
    if (json_array_append_new(array, child) == 0)
        return child;
    b->failed = true;
    return NULL;
}
