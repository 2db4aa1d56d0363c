#include "link.h"

static void settle(struct sms__link *link, uint64_t now)
{
    if (link->copies)
        link->clock += link->bytes_per_ps * (double)(now - link->settled_ps) / (double)link->copies;
    else
        link->clock = 0;
    link->settled_ps = now;
}

static void schedule(struct sms__link *link, uint64_t now)
{
    if (!link->first) {
        sms__engine_never(link->engine, link->source);
        return;
    }
    /* Times are rounded up, so a copy that ends at this instant may be past its end when another begins. */
    double left = link->first->end > link->clock ? link->first->end - link->clock : 0;
    double delay = left * (double)link->copies / link->bytes_per_ps;
    sms__engine_at(link->engine, link->source, SMS__LEVEL_LINK, sms__after(now, delay));
}

static void fire(void *subject, uint64_t now)
{
    struct sms__link *link = subject;
    settle(link, now);
    double hair = 0.5 * link->bytes_per_ps / (double)link->copies;
    struct sms__copy_in_flight *ended = link->first, **end = &ended;
    while (*end && (*end)->end - link->clock <= hair) {
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
    link->source = sms__engine_source(engine, fire, link);
}

void sms__link_copy(struct sms__link *link, struct sms__copy_in_flight *copy, double bytes, uint64_t now)
{
    settle(link, now);
    copy->end = link->clock + bytes;
    struct sms__copy_in_flight **at = &link->first;
    while (*at && (*at)->end <= copy->end)
        at = &(*at)->next;
    copy->next = *at;
    *at = copy;
    link->copies++;
    schedule(link, now);
}
