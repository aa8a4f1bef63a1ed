/*
 * Building a JSON value with jansson without a test after every line: a builder remembers whether
 * anything failed.
 *
 * Keys keep the order in which they were put. Children are owned by their parents; the pointers
 * returned here are borrowed. After a failure everything may still be called and does no harm.
 */
#ifndef SIM_JSON_BUILD_H
#define SIM_JSON_BUILD_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct builder {
    bool failed;
}; /* memory ran short */

void put_uint(struct builder *, json_t *object, const char *key, uint64_t); /* at most INT64_MAX */
void put_real(struct builder *, json_t *object, const char *key, double);
/* Bytes that are no UTF-8 become question marks: JSON has no other way to say them. */
void put_text(struct builder *, json_t *object, const char *key, const char *text);
json_t *put_object(struct builder *, json_t *object, const char *key);
json_t *put_array(struct builder *, json_t *object, const char *key);
json_t *append_object(struct builder *, json_t *array);

#endif
