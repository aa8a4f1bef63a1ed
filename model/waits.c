/* Wait queues as doubly linked chains through the actors. */
#include "model/waits.h"

static void join(struct world *w, actor_id who, enum wait on)
{
    struct wait_queue *q = waits_at(w, on);
    struct actor *a = actor_at(w, who);
    bool last = on == WAIT_STRIPE && w->shape.wake_policy == WAKE_ONE;

    if (!q->waiters++)
        q->head = q->tail = NONE16;
    a->waits_on = (uint8_t)on;
    a->next = last ? NONE16 : q->head;
    a->prev = last ? q->tail : NONE16;
    if (a->next != NONE16)
        actor_at(w, a->next)->prev = who;
    else
        q->tail = who;
    if (a->prev != NONE16)
        actor_at(w, a->prev)->next = who;
    else
        q->head = who;
}

void waits_sleep(struct world *w, actor_id who, enum wait on)
{
    struct actor *a = actor_at(w, who);

    ASSERT(!a->asleep && (a->waits_on == WAIT_NONE || a->waits_on == on));
    if (a->waits_on == WAIT_NONE)
        join(w, who, on);
    a->asleep = 1;
    waits_at(w, on)->sleepers++;
}

void waits_leave(struct world *w, actor_id who)
{
    struct actor *a = actor_at(w, who);
    struct wait_queue *q = waits_at(w, a->waits_on);

    ASSERT(!a->asleep);
    if (a->waits_on == WAIT_NONE)
        return;
    if (a->next != NONE16)
        actor_at(w, a->next)->prev = a->prev;
    else
        q->tail = a->prev;
    if (a->prev != NONE16)
        actor_at(w, a->prev)->next = a->next;
    else
        q->head = a->next;
    a->next = a->prev = 0;
    a->waits_on = WAIT_NONE;
    if (!--q->waiters)
        q->head = q->tail = 0;
}

static void wake(struct world *w, enum wait on, actor_id who, struct effects *e)
{
    actor_at(w, who)->asleep = 0;
    waits_at(w, on)->sleepers--;
    effect(e, EFFECT_WAKE, 0, who, 0);
    work(e, WORK_WAKE, 1);
}

void waits_wake_all(struct world *w, enum wait on, struct effects *e)
{
    const struct wait_queue *q = waits_see(w, on);

    if (!q->sleepers)
        return;
    for (actor_id who = q->head; who != NONE16; who = actor_see(w, who)->next)
        if (actor_see(w, who)->asleep)
            wake(w, on, who, e);
}

void waits_wake_slot(struct world *w, enum wait on, uint8_t slot, struct effects *e)
{
    const struct wait_queue *q = waits_see(w, on);

    if (!q->sleepers)
        return;
    for (actor_id who = q->head; who != NONE16; who = actor_see(w, who)->next)
        if (actor_see(w, who)->asleep && actor_see(w, who)->slot == slot)
            wake(w, on, who, e);
}

void waits_wake_one(struct world *w, enum wait on, struct effects *e)
{
    const struct wait_queue *q = waits_see(w, on);
    actor_id who = q->head;

    if (!q->sleepers)
        return;
    while (!actor_see(w, who)->asleep)
        who = actor_see(w, who)->next;
    wake(w, on, who, e);
}
