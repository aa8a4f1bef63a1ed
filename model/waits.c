/* Wait queues as chains through the actors. */
#include "model/waits.h"

void waits_sleep(struct world *w, actor_id who, enum wait on)
{
    struct wait_queue *q = waits_at(w, on);
    struct actor *a = actor_at(w, who);

    ASSERT(!a->waits_on);
    a->waits_on = (uint8_t)on;
    a->next = NONE16;
    if (q->sleepers++)
        actor_at(w, q->tail)->next = who;
    else
        q->head = who;
    q->tail = who;
}

void waits_wake_one(struct world *w, enum wait on, struct effects *e)
{
    struct wait_queue *q = waits_at(w, on);
    struct actor *a;

    if (!q->sleepers)
        return;
    a = actor_at(w, q->head);
    effect(e, EFFECT_WAKE, 0, q->head, 0);
    work(e, WORK_WAKE, 1);
    q->head = a->next;
    a->waits_on = WAIT_NONE;
    a->next = 0;
    if (!--q->sleepers)
        q->head = q->tail = 0;
}

void waits_wake_all(struct world *w, enum wait on, struct effects *e)
{
    for (uint32_t n = waits_see(w, on)->sleepers; n; n--)
        waits_wake_one(w, on, e);
}
