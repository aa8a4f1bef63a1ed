/* Rare branches and countable facts that are no work: one enumerator per line of model/marks.def.
 */
#ifndef MODEL_MARKS_H
#define MODEL_MARKS_H

enum mark {
#define MARK(id, what) MARK_##id,
#include "model/marks.def"
#undef MARK
    MARK_COUNT
};

#endif
