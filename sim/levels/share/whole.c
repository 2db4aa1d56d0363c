#include "whole.h"

static void settle(struct sms__wholes *wholes, uint64_t now)
{
    uint64_t elapsed = now - wholes->settled_ps;
    for (struct sms__whole *whole = wholes->first; whole && wholes->going; whole = whole->next) {
        whole->left -= whole->speed * (double)elapsed;
        whole->ran_ps += elapsed;
    }
    wholes->settled_ps = now;
}

/* As slow as the slowest resource that it uses. */
static void pace_by_slowdown(const struct sms__wholes *wholes, const double *usage)
{
    for (struct sms__whole *whole = wholes->first; whole; whole = whole->next) {
        double slowest = 1;
        for (size_t r = 0; r < wholes->view->resources; r++) {
            double slow = whole->fit->demand[r] > 0 ? wholes->contention->slowdown(wholes->view, r, usage[r]) : 1;
            slowest = slow > slowest ? slow : slowest;
        }
        whole->speed = 1 / slowest;
    }
}

static void make_room(struct sms__wholes *wholes)
{
    if (wholes->count <= wholes->room)
        return;
    wholes->room = 2 * wholes->count;
    wholes->group = SMS__NEW(wholes->arena, struct sms_group, wholes->room);
}

static void pace_by_rate(struct sms__wholes *wholes, const double *usage)
{
    size_t n = 0;
    make_room(wholes);
    for (struct sms__whole *whole = wholes->first; whole; whole = whole->next)
        wholes->group[n++] = (struct sms_group){0, 1, whole->fit->demand, &whole->speed, whole->fit->cls};
    wholes->contention->rate(wholes->view, usage, wholes->group, n);
}

static void pace(struct sms__wholes *wholes)
{
    double usage[SMS_RESOURCES_MAX] = {0};
    for (const struct sms__whole *whole = wholes->first; whole; whole = whole->next)
        for (size_t r = 0; r < wholes->view->resources; r++)
            usage[r] += whole->fit->demand[r];
    if (wholes->contention->slowdown)
        pace_by_slowdown(wholes, usage);
    else if (wholes->first)
        pace_by_rate(wholes, usage);
}

static void schedule(struct sms__wholes *wholes, uint64_t now)
{
    uint64_t soonest = SMS__NEVER;
    for (const struct sms__whole *whole = wholes->first; whole && wholes->going; whole = whole->next) {
        uint64_t due = sms__after(now, whole->left / whole->speed);
        soonest = due < soonest ? due : soonest;
    }
    sms__engine_at(wholes->engine, wholes->source, soonest);
}

void sms__whole_start(struct sms__wholes *wholes, struct sms__whole *whole, double work_ps, uint64_t now)
{
    settle(wholes, now);
    whole->left = work_ps;
    whole->ran_ps = 0;
    whole->next = NULL;
    whole->prev = wholes->last;
    *(wholes->last ? &wholes->last->next : &wholes->first) = whole;
    wholes->last = whole;
    wholes->count++;
    pace(wholes);
    schedule(wholes, now);
}

static void take_out(struct sms__wholes *wholes, struct sms__whole *whole)
{
    *(whole->prev ? &whole->prev->next : &wholes->first) = whole->next;
    *(whole->next ? &whole->next->prev : &wholes->last) = whole->prev;
    wholes->count--;
}

void sms__whole_drop(struct sms__wholes *wholes, struct sms__whole *whole, uint64_t now)
{
    settle(wholes, now);
    take_out(wholes, whole);
    pace(wholes);
    schedule(wholes, now);
}

void sms__wholes_set_going(struct sms__wholes *wholes, bool going, uint64_t now)
{
    settle(wholes, now);
    wholes->going = going;
    schedule(wholes, now);
}

/* Takes out those that are through, to within a picosecond of work: ends are rounded up to whole ones. */
static struct sms__whole *take_ended(struct sms__wholes *wholes)
{
    struct sms__whole *ended = NULL, **end = &ended, *next;
    for (struct sms__whole *whole = wholes->first; whole; whole = next) {
        next = whole->next;
        if (whole->left > whole->speed)
            continue;
        take_out(wholes, whole);
        whole->next = NULL;
        *end = whole;
        end = &whole->next;
    }
    return ended;
}

void sms__wholes_fire(struct sms__wholes *wholes, uint64_t now)
{
    settle(wholes, now);
    struct sms__whole *ended = take_ended(wholes), *next;
    pace(wholes);
    schedule(wholes, now);
    for (; ended; ended = next) {
        next = ended->next;
        ended->ended(ended->subject, now);
    }
}
