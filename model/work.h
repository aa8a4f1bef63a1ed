/* The kinds of work a step can report: one enumerator per line of model/work.def. */
#ifndef MODEL_WORK_H
#define MODEL_WORK_H

enum work {
#define WORK(id, key, symbol, what) WORK_##id,
#include "model/work.def"
#undef WORK
    WORK_COUNT
};

#endif
