#include "whole.h"

void sms__wholes_count(struct sms__wholes *wholes, uint64_t now)
{
    uint64_t elapsed = wholes->going ? now - wholes->counted_ps : 0;
    for (size_t r = 0; r < wholes->pacer.view->resources; r++)
        if (wholes->excess[r]) {
            wholes->record->excess[r] += (sms__integral)wholes->excess[r] * elapsed;
            wholes->record->over_ps[r] += (sms__integral)elapsed * wholes->sms;
        }
    wholes->counted_ps = now;
}

static void settle(struct sms__wholes *wholes, uint64_t now)
{
    uint64_t elapsed = now - wholes->settled_ps;
    sms__wholes_count(wholes, now);
    for (struct sms__whole *whole = wholes->first; whole && wholes->going; whole = whole->next) {
        whole->left -= whole->speed * (double)elapsed;
        whole->ran_ps += elapsed;
    }
    wholes->settled_ps = now;
}

static void make_scratch(struct sms__wholes *wholes)
{
    if (wholes->count <= wholes->most)
        return;
    wholes->most = 2 * wholes->count;
    wholes->paced = SMS__NEW(wholes->pacer.arena, struct sms__paced, wholes->most);
}

static void find_excess(struct sms__wholes *wholes, size_t n)
{
    for (size_t r = 0; r < wholes->pacer.view->resources; r++) {
        double usage = 0;
        for (size_t i = 0; i < n; i++)
            usage += wholes->paced[i].demand[r];
        wholes->excess[r] = usage > SMS_FULL ? (uint64_t)(usage - SMS_FULL) * wholes->sms : 0;
    }
}

static void pace(struct sms__wholes *wholes)
{
    size_t n = 0;
    make_scratch(wholes);
    for (struct sms__whole *whole = wholes->first; whole; whole = whole->next)
        wholes->paced[n++] = (struct sms__paced){whole->fit->demand, whole->fit->room, whole->fit->cls, &whole->speed};
    sms__pace(&wholes->pacer, wholes->paced, n);
    find_excess(wholes, n);
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
    whole->work = whole->left = work_ps;
    whole->ran_ps = 0;
    whole->next = NULL;
    whole->prev = wholes->last;
    *(wholes->last ? &wholes->last->next : &wholes->first) = whole;
    wholes->last = whole;
    wholes->count++;
    pace(wholes);
    schedule(wholes, now);
}

uint64_t sms__whole_ran_ps(const struct sms__wholes *wholes, const struct sms__whole *whole, uint64_t now)
{
    return whole->ran_ps + (wholes->going && whole->speed > 0 ? now - wholes->settled_ps : 0);
}

uint64_t sms__whole_parts(const struct sms__wholes *wholes, const struct sms__whole *whole, uint64_t now)
{
    double left = whole->left - (wholes->going ? whole->speed * (double)(now - wholes->settled_ps) : 0);
    left = left > 0 ? left : 0;
    return whole->work > 0 ? sms__parts(whole->work - (left < whole->work ? left : whole->work), whole->work) : 0;
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
