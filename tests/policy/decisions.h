/* For tests of block policies: the decisions at the beginning of a run. */
#ifndef TESTS_POLICY_DECISIONS_H
#define TESTS_POLICY_DECISIONS_H

#include "../harness.h"

enum { PLACEMENTS = 64 };

struct log {
    size_t count;
    long sm[PLACEMENTS];
    char vm[PLACEMENTS][16];
    char reasons[1024];
};

static inline int note(void *user, const struct sms_run_event *event)
{
    const struct sms_decision *decision = event->decision;
    struct log *log = user;
    if (log->count == PLACEMENTS)
        return 0;
    snprintf(log->vm[log->count], sizeof log->vm[0], "%s", decision->vm);
    snprintf(log->reasons, sizeof log->reasons, "%s", decision->reasons);
    log->sm[log->count++] = decision->sm;
    return 0;
}

/* The decisions at time 0 under a policy. */
static inline struct log decisions_of(const struct sms_file *file, const char *policy)
{
    struct log log = {.count = 0};
    struct sms_run_options options = sms_run_defaults();
    options.policies = (const char *const[]){policy, NULL};
    options.alone = false;
    options.observe = note;
    options.events = SMS_RUN_DECISION;
    options.explain_to_ps = 0;
    options.user = &log;
    sms_results_free(run_first(file, &options));
    return log;
}

static inline void assert_placed(const struct log *log, size_t count, const long *sm)
{
    assert_int_equal(log->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(log->sm[i], sm[i]);
}

#endif
