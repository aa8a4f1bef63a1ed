/*
 * The queued requests of one direction in order of sectors: a treap threaded by a list.
 *
 * The tree finds the place of a new request in O(log n); the thread (order.prev, order.next) gives
 * the neighbours of a known one at once, which is all an elevator asks after that. The priorities
 * that keep the tree flat are a mix of a counter: the shape depends on nothing but the history of
 * the queue. Of requests that start at one sector the earlier comes first.
 *
 * Invariants, checked in debug builds at the place of change:
 *   1. left subtree < node <= right subtree by sector; order is the in-order walk of the tree;
 *   2. no node has a greater priority than its parent.
 */
#include "disks/elevator_internal.h"

/* Whatever pointed to `old` from above, parent or root, points to r. */
static void index_relink_above(struct elevator *e, int dir, uint32_t parent, uint32_t old,
                               uint32_t r)
{
    if (parent == NONE32)
        e->root[dir] = r;
    else if (request_of(e, parent)->left == old)
        request_of(e, parent)->left = r;
    else
        request_of(e, parent)->right = r;
    if (r != NONE32)
        request_of(e, r)->parent = parent;
}

/* Child r and its parent change places; the order stays. */
static void index_rotate_up(struct elevator *e, int dir, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);
    uint32_t p = q->parent;
    struct elevator_request *parent = request_of(e, p);
    uint32_t moved;

    index_relink_above(e, dir, parent->parent, p, r);
    if (parent->left == r) {
        moved = q->right;
        parent->left = moved;
        q->right = p;
    } else {
        moved = q->left;
        parent->right = moved;
        q->left = p;
    }
    if (moved != NONE32)
        request_of(e, moved)->parent = p;
    parent->parent = r;
}

static void index_thread(struct elevator *e, int dir, uint32_t r, uint32_t before, uint32_t after)
{
    request_of(e, r)->order = (struct request_link){ before, after };
    if (before != NONE32)
        request_of(e, before)->order.next = r;
    else
        e->first[dir] = r;
    if (after != NONE32)
        request_of(e, after)->order.prev = r;
}

#ifdef DEEP_CHECKS
static bool index_is_ordered_at(const struct elevator *e, uint32_t r)
{
    const struct elevator_request *q = request_at(e, r);

    if (q->order.prev != NONE32 && request_at(e, q->order.prev)->sector > q->sector)
        return false;
    if (q->order.next != NONE32 && request_at(e, q->order.next)->sector < q->sector)
        return false;
    return q->parent == NONE32 || request_at(e, q->parent)->priority >= q->priority;
}
#endif

void index_insert(struct elevator *e, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);
    int dir = request_direction(q);
    uint32_t parent = NONE32, before = NONE32, after = NONE32;

    for (uint32_t at = e->root[dir]; at != NONE32;) {
        const struct elevator_request *there = request_at(e, at);
        parent = at;
        if (q->sector < there->sector) {
            after = at;
            at = there->left;
        } else {
            before = at;
            at = there->right;
        }
    }
    q->parent = parent;
    q->left = q->right = NONE32;
    q->priority = (uint32_t)elevator_mix(++e->serial);
    if (parent == NONE32)
        e->root[dir] = r;
    else if (parent == after)
        request_of(e, parent)->left = r;
    else
        request_of(e, parent)->right = r;
    index_thread(e, dir, r, before, after);
    while (q->parent != NONE32 && request_at(e, q->parent)->priority < q->priority)
        index_rotate_up(e, dir, r);
    ASSERT_DEEP(index_is_ordered_at(e, r));
}

void index_remove(struct elevator *e, uint32_t r)
{
    struct elevator_request *q = request_of(e, r);
    int dir = request_direction(q);

    while (q->left != NONE32 && q->right != NONE32) {
        bool left = request_at(e, q->left)->priority >= request_at(e, q->right)->priority;
        index_rotate_up(e, dir, left ? q->left : q->right);
    }
    index_relink_above(e, dir, q->parent, r, q->left != NONE32 ? q->left : q->right);
    if (q->order.prev != NONE32)
        request_of(e, q->order.prev)->order.next = q->order.next;
    else
        e->first[dir] = q->order.next;
    if (q->order.next != NONE32)
        request_of(e, q->order.next)->order.prev = q->order.prev;
    q->parent = q->left = q->right = NONE32;
    q->order = (struct request_link){ NONE32, NONE32 };
}

/* A front merge seldom passes a neighbour: only when requests overlap. */
void index_moved_down(struct elevator *e, uint32_t r)
{
    uint32_t before = request_at(e, r)->order.prev;

    if (before == NONE32 || request_at(e, before)->sector <= request_at(e, r)->sector)
        return;
    index_remove(e, r);
    index_insert(e, r);
}
