#include "share.h"

static const struct sms__mode *mode_of(const struct sms__place *place) { return &place->share->use->mode; }

static void join(struct sms__slicer *slicer, struct sms__unit *unit)
{
    unit->next = NULL;
    unit->prev = slicer->last;
    *(slicer->last ? &slicer->last->next : &slicer->first) = unit;
    slicer->last = unit;
    unit->in_round = true;
    slicer->ready++;
}

static void part(struct sms__slicer *slicer, struct sms__unit *unit)
{
    *(unit->prev ? &unit->prev->next : &slicer->first) = unit->next;
    *(unit->next ? &unit->next->prev : &slicer->last) = unit->prev;
    unit->in_round = false;
    slicer->ready--;
}

/* The slice runs only while somebody else waits for its end. */
static void begin_slice(struct sms__place *place, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    slicer->slicing = slicer->ready > 1;
    uint64_t end = slicer->slicing ? sms__after(now, mode_of(place)->slice_ps) : SMS__NEVER;
    sms__engine_at(place->share->engine, slicer->source, end);
}

static void go(struct sms__place *place, struct sms__unit *unit, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    slicer->coming = NULL;
    slicer->current = slicer->latest = unit;
    unit->renewed = false;
    slicer->since_ps = now;
    sms__unit_set_going(unit, true, now);
    begin_slice(place, now);
}

/* Its context may have to be switched to first. */
static void start(struct sms__place *place, struct sms__unit *unit, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    const struct sms__board *board = &place->share->board[place->board];
    double cost = mode_of(place)->switch_ps;
    if (slicer->latest && (slicer->latest != unit || unit->renewed)) {
        board->record->switches++;
        board->record->switch_ps += (uint64_t)cost;
        if (cost >= 1) {
            slicer->coming = unit;
            sms__engine_at(place->share->engine, slicer->source, sms__after(now, cost));
            return;
        }
    }
    go(place, unit, now);
}

/* By round robin the first of the round, or as the policy says. */
static struct sms__unit *choose(struct sms__place *place)
{
    struct sms_share *share = place->share;
    struct sms__slicer *slicer = &place->slicer;
    if (!share->policy->next || slicer->ready == 1)
        return slicer->first;
    size_t n = 0;
    for (struct sms__unit *unit = slicer->first; unit; unit = unit->next)
        slicer->list[n++] = unit->owner->idx;
    share->choosing = true;
    size_t chosen = share->policy->next(share, place->idx, slicer->list, n);
    share->choosing = false;
    struct sms__unit *unit = slicer->first;
    for (size_t i = 0; unit && i < chosen && unit->next; i++)
        unit = unit->next;
    return unit;
}

static void stop_current(struct sms__place *place, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    sms__slicer_settle(place, now);
    sms__unit_set_going(slicer->current, false, now);
    slicer->current = NULL;
    slicer->draining = false;
}

/* The current one goes to the round's end. */
static void turn_over(struct sms__place *place, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    struct sms__unit *unit = slicer->current;
    part(slicer, unit);
    join(slicer, unit);
    struct sms__unit *next = choose(place);
    if (next == unit) {
        sms__slicer_settle(place, now);
        begin_slice(place, now);
        return;
    }
    stop_current(place, now);
    start(place, next, now);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__place *place = subject;
    struct sms__slicer *slicer = &place->slicer;
    slicer->slicing = false;
    if (slicer->coming) {
        go(place, slicer->coming, now);
    } else if (slicer->current && slicer->current->kernels && slicer->ready > 1) {
        slicer->draining = mode_of(place)->drain && sms__unit_runs(slicer->current);
        if (slicer->draining)
            sms__unit_hold(slicer->current, true, now);
        else
            turn_over(place, now);
    }
}

void sms__slicer_drained(struct sms__place *place, struct sms__unit *unit, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    if (unit != slicer->current || !slicer->draining)
        return;
    slicer->draining = false;
    sms__slicer_idle(place);
    sms__unit_hold(unit, false, now);
}

/* At the end of the instant: a kernel that ends may be followed by another of the same context, whose slice may have
 * ended in between. */
static void check_idle(void *subject, uint64_t now)
{
    struct sms__place *place = subject;
    struct sms__slicer *slicer = &place->slicer;
    struct sms__unit *unit = slicer->current;
    if (!unit) { /* the one that was to come was dropped */
        if (slicer->ready && !slicer->coming)
            start(place, choose(place), now);
        return;
    }
    if (unit->kernels) {
        if (slicer->ready > 1 && !slicer->slicing && !slicer->draining)
            turn_over(place, now);
        return;
    }
    if (slicer->draining)
        sms__unit_hold(unit, false, now);
    stop_current(place, now);
    slicer->slicing = false;
    sms__engine_at(place->share->engine, slicer->source, SMS__NEVER);
    part(slicer, unit);
    if (slicer->ready)
        start(place, choose(place), now);
}

void sms__slicer_init(struct sms__place *place)
{
    struct sms__slicer *slicer = &place->slicer;
    slicer->source = sms__engine_source(place->share->engine, SMS__LEVEL_TENANT, fire, place);
    slicer->idle = (struct sms__action){.act = check_idle, .subject = place};
    slicer->list = SMS__NEW(place->share->arena, size_t, place->units);
}

void sms__slicer_ready(struct sms__place *place, struct sms__unit *unit, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    if (unit->in_round)
        return;
    join(slicer, unit);
    if (!slicer->current && !slicer->coming)
        start(place, choose(place), now);
    else if (slicer->current && !slicer->slicing && !slicer->draining)
        begin_slice(place, now);
}

void sms__slicer_idle(struct sms__place *place) { sms__engine_defer(place->share->engine, &place->slicer.idle); }

void sms__slicer_dropped(struct sms__place *place, struct sms__unit *unit)
{
    struct sms__slicer *slicer = &place->slicer;
    bool lone = slicer->current && !slicer->draining && slicer->ready == 2; /* who is left need not share any more */
    sms__slicer_idle(place);
    if (unit == slicer->current)
        return;
    part(slicer, unit);
    if (slicer->coming == unit)
        slicer->coming = NULL;
    else if (!lone)
        return;
    slicer->slicing = false;
    sms__engine_at(place->share->engine, slicer->source, SMS__NEVER);
}

void sms__slicer_settle(struct sms__place *place, uint64_t now)
{
    struct sms__slicer *slicer = &place->slicer;
    if (!slicer->current)
        return;
    slicer->current->owner->record->service_ps += now - slicer->since_ps;
    slicer->since_ps = now;
}
