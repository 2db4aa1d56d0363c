/* The list of streams that wait for the policy. A stream is in it at most once, and keeps its position until it goes
 * on. */
#include "host.h"

struct sms__waiting {
    struct sms__stream *first, **last;
    struct sms__action ask_all;
    bool (*ask_again)(struct sms__stream *stream, uint64_t now);
    bool any_event; /* any event may change the policy's answers; the default policy looks at memory only */
};

static void ask_all(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__waiting *waiting = share->waiting;
    struct sms__stream *stream = waiting->first, *next;
    waiting->first = NULL;
    waiting->last = &waiting->first;
    for (; stream && !share->engine->stopped; stream = next) {
        next = stream->next_waiting;
        stream->waiting = false;
        if (!waiting->ask_again(stream, now))
            sms__wait(stream);
    }
}

void sms__waiting_init(struct sms_share *share, bool (*ask_again)(struct sms__stream *stream, uint64_t now))
{
    const struct sms_share_policy *policy = share->policy.policy;
    struct sms__waiting *waiting = SMS__NEW(share->arena, struct sms__waiting, 1);
    *waiting = (struct sms__waiting){
        .last = &waiting->first,
        .ask_all = {.act = ask_all, .subject = share},
        .ask_again = ask_again,
        .any_event = policy->place || policy->allocate || policy->launch,
    };
    share->waiting = waiting;
}

void sms__wait(struct sms__stream *stream)
{
    struct sms__waiting *waiting = stream->process->share->waiting;
    if (stream->waiting)
        return;
    stream->waiting = true;
    stream->next_waiting = NULL;
    *waiting->last = stream;
    waiting->last = &stream->next_waiting;
}

void sms__stop_waiting(struct sms__stream *stream)
{
    struct sms__waiting *waiting = stream->process->share->waiting;
    struct sms__stream **link = &waiting->first;
    if (!stream->waiting)
        return;
    while (*link != stream)
        link = &(*link)->next_waiting;
    *link = stream->next_waiting;
    if (!*link)
        waiting->last = link;
    stream->waiting = false;
}

void sms__changed(struct sms_share *share)
{
    if (share->waiting->first)
        sms__engine_defer(share->engine, &share->waiting->ask_all);
}

void sms__tell(struct sms__process *process, enum sms_share_event_kind kind)
{
    struct sms_share *share = process->share;
    const struct sms_share_event event = {kind, process->idx};
    if (share->policy.policy->event)
        share->policy.policy->event(share, &event);
    if (share->waiting->any_event)
        sms__changed(share);
}
