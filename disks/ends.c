/* Commands under way, by the time they end: see ends.h. The heap's usual laws, nothing more. */
#include "disks/ends.h"

#include <stdbool.h>

#include "model/assert.h"

static bool ending_is_before(const struct ending *a, const struct ending *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order < b->order;
}

size_t ends_bytes(uint32_t max)
{
    return sizeof(struct ends) + max * sizeof(struct ending);
}

void ends_start(struct ends *e, uint32_t max)
{
    ASSERT(max >= 1);
    ASSERT(e->count == 0);
    e->max = max;
}

void ends_add(struct ends *e, uint64_t end_ns, uint32_t token)
{
    struct ending add = { .end_ns = end_ns, .order = e->added++, .token = token };
    uint32_t at = e->count++;

    ASSERT(at < e->max);
    while (at && ending_is_before(&add, &e->heap[(at - 1) / 2])) {
        e->heap[at] = e->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->heap[at] = add;
}

struct ending ends_take(struct ends *e)
{
    ASSERT(e->count > 0);

    struct ending first = e->heap[0], last = e->heap[--e->count];
    uint32_t at = 0;

    for (uint32_t child = 1; child < e->count; child = 2 * at + 1) {
        if (child + 1 < e->count && ending_is_before(&e->heap[child + 1], &e->heap[child]))
            child++;
        if (!ending_is_before(&e->heap[child], &last))
            break;
        e->heap[at] = e->heap[child];
        at = child;
    }
    e->heap[at] = last;
    e->heap[e->count] = (struct ending){ 0 };
    return first;
}
