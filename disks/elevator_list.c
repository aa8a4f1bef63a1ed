/*
 * Lists of requests by index: the fifos of the schedulers and the list of requests held behind a
 * flush. A request is in one list at a time and a list is doubly linked, so leaving from the middle
 * costs as little as from the end.
 */
#include "disks/elevator_internal.h"

void list_append(struct elevator *e, struct request_list *l, uint32_t r)
{
    request_of(e, r)->list = (struct request_link){ l->tail, NONE32 };
    if (l->tail != NONE32)
        request_of(e, l->tail)->list.next = r;
    else
        l->head = r;
    l->tail = r;
}

/* Make the neighbours of `link`, the place between them, point to `before` and `after`. */
static void list_point(struct elevator *e, struct request_list *l, struct request_link link,
                       uint32_t after, uint32_t before)
{
    if (link.prev != NONE32)
        request_of(e, link.prev)->list.next = after;
    else
        l->head = after;
    if (link.next != NONE32)
        request_of(e, link.next)->list.prev = before;
    else
        l->tail = before;
}

void list_remove(struct elevator *e, struct request_list *l, uint32_t r)
{
    struct request_link link = request_of(e, r)->list;

    ASSERT(l->head != NONE32);
    list_point(e, l, link, link.next, link.prev);
    request_of(e, r)->list = (struct request_link){ NONE32, NONE32 };
}

/* r, elsewhere in the list, takes the place of `old`, which leaves the list. */
void list_put_in_place(struct elevator *e, struct request_list *l, uint32_t old, uint32_t r)
{
    ASSERT(old != r);
    list_remove(e, l, r);
    struct request_link link = request_of(e, old)->list;
    list_point(e, l, link, r, r);
    request_of(e, r)->list = link;
    request_of(e, old)->list = (struct request_link){ NONE32, NONE32 };
}
