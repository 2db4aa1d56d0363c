/* Copies over a link, by the reading of the link's clock at which they end. */
#include "pcie.h"

static void advance(struct sms__link *link, uint64_t now)
{
    if (link->copies)
        link->clock += link->bytes_per_ps * (double)(now - link->advanced_ps) / (double)link->copies;
    else
        link->clock = 0;
    link->advanced_ps = now;
}

static void schedule(struct sms__link *link, uint64_t now)
{
    if (!link->first) {
        sms__engine_at(link->engine, link->source, SMS__NEVER);
        return;
    }
    /* Ends are rounded up to whole picoseconds, so the clock may be past the end when another copy starts. */
    double left = link->first->end > link->clock ? link->first->end - link->clock : 0;
    double delay = left * (double)link->copies / link->bytes_per_ps;
    sms__engine_at(link->engine, link->source, sms__after(now, delay));
}

static void fire(void *subject, uint64_t now)
{
    struct sms__link *link = subject;
    advance(link, now);
    double epsilon = 0.5 * link->bytes_per_ps / (double)link->copies;
    struct sms__copy_in_flight *ended = link->first, **end = &ended;
    while (*end && (*end)->end - link->clock <= epsilon) {
        end = &(*end)->next;
        link->copies--;
    }
    link->first = *end;
    *end = NULL;
    schedule(link, now);
    while (ended) {
        struct sms__copy_in_flight *copy = ended;
        ended = copy->next;
        copy->done(copy->subject, now);
    }
}

void sms__link_init(struct sms__link *link, struct sms__engine *engine, double bytes_per_s)
{
    *link = (struct sms__link){.engine = engine, .bytes_per_ps = bytes_per_s / 1e12};
    link->source = sms__engine_source(engine, SMS__LEVEL_LINK, fire, link);
}

void sms__link_copy(struct sms__link *link, struct sms__copy_in_flight *copy, double bytes, uint64_t now)
{
    advance(link, now);
    copy->end = link->clock + bytes;
    struct sms__copy_in_flight **place = &link->first;
    while (*place && (*place)->end <= copy->end)
        place = &(*place)->next;
    copy->next = *place;
    *place = copy;
    link->copies++;
    schedule(link, now);
}
