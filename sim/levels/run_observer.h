/* The caller's observer of one run, as the levels tell it of events. */
#ifndef SMS_LEVELS_RUN_OBSERVER_H
#define SMS_LEVELS_RUN_OBSERVER_H

#include <smsched/smsched.h>

struct sms__run_observer {
    const struct sms_run_options *options;
    const char *policy; /* its label */
    unsigned events;    /* the kinds that are reported */
    bool stopped;       /* it asked to end the run */
};

static inline bool sms__observes(const struct sms__run_observer *observer, enum sms_run_event_kind kind)
{
    return observer && observer->events & kind;
}

/* The same for decisions and messages, which are reported only within the span of time of `explain`. */
static inline bool sms__explains(const struct sms__run_observer *observer, enum sms_run_event_kind kind, uint64_t now)
{
    return sms__observes(observer, kind) && now >= observer->options->explain_from_ps &&
           now <= observer->options->explain_to_ps;
}

/* Call it only for what sms__observes. It sets the event's policy. An observer that has ended the run hears no more. */
static inline void sms__observe(struct sms__run_observer *observer, struct sms_run_event event)
{
    event.policy = observer->policy;
    observer->stopped = observer->stopped || observer->options->observe(observer->options->user, &event) != 0;
}

/* Whether the caller asked to end the run. `observer` may be NULL. */
static inline bool sms__is_canceled(const struct sms_run_options *options, const struct sms__run_observer *observer)
{
    return (observer && observer->stopped) ||
           (options->cancel && atomic_load_explicit(options->cancel, memory_order_relaxed));
}

#endif
