/*
 * Where failed claims of the model end: the program, unless a check wants to know of them.
 */
#ifndef SIM_PANIC_H
#define SIM_PANIC_H
#include <setjmp.h>

struct panic_catch {
    jmp_buf back;      /* setjmp(back) returns 1 after a claim has failed */
    const char *claim; /* its text and place; constants */
    const char *file;
    int line;
};

/* From now on this thread's failed claims end at c->back; NULL: they end the program again.
 * Returns who was to be told before. */
struct panic_catch *panic_catch(struct panic_catch *c);
/* A claim has failed: does not return if somebody wants to know. */
void panic_tell(const char *claim, const char *file, int line);

#endif
