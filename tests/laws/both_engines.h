/* Runs random clusters. Both engines must report the same events, ledgers are checked at each event, and every pod is
 * in exactly one state in the end. */
#ifndef TESTS_LAWS_BOTH_ENGINES_H
#define TESTS_LAWS_BOTH_ENGINES_H

#include "random_text.h"

enum { PHRASES = 8 };

/* Counts of events, a hash of all of them, and the number of messages that contain each phrase. */
struct event_digest {
    const char *const *phrase; /* ends with NULL */
    size_t rows, placements, departures, matches[PHRASES];
    uint64_t hash;
};

static inline void add_line(struct event_digest *digest, const char *line)
{
    for (const char *at = line; *at; at++)
        digest->hash = (digest->hash ^ (unsigned char)*at) * 0x100000001b3u;
    digest->rows++;
}

static inline void digest_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct event_digest *digest = user;
    char line[512];
    snprintf(line, sizeof line, "%s %llu %llu %s %s %llx %.17g %.17g %.17g", policy,
             (unsigned long long)placement->time_ps, (unsigned long long)placement->wait_ps, placement->pod,
             placement->node, (unsigned long long)placement->gpus, placement->arrived, placement->allocated,
             placement->fragments);
    add_line(digest, line);
    digest->placements++;
    assert_true(placement->wait_ps <= placement->time_ps);
    assert_true(placement->allocated <= 1 && placement->allocated <= placement->arrived + 1e-12);
    assert_true(placement->fragments >= 0 && placement->fragments <= 1 + 1e-12);
}

static inline void digest_departure(void *user, const char *policy, const struct sms_departure *departure)
{
    struct event_digest *digest = user;
    char line[512];
    snprintf(line, sizeof line, "%s %llu %llu %s %s %llx %s", policy, (unsigned long long)departure->start_ps,
             (unsigned long long)departure->end_ps, departure->pod, departure->node,
             (unsigned long long)departure->gpus, departure->ended);
    add_line(digest, line);
    digest->departures++;
    assert_true(departure->start_ps <= departure->end_ps);
}

static inline void digest_message(void *user, const char *policy, const struct sms_message *message)
{
    struct event_digest *digest = user;
    char line[4400];
    snprintf(line, sizeof line, "%s %llu %s %s", policy, (unsigned long long)message->time_ps, message->process,
             message->text);
    add_line(digest, line);
    for (size_t i = 0; digest->phrase && digest->phrase[i]; i++)
        digest->matches[i] += strstr(message->text, digest->phrase[i]) != NULL;
}

static inline int observe(void *user, const struct sms_run_event *event)
{
    if (event->kind == SMS_RUN_PLACEMENT)
        digest_placement(user, event->policy, event->placement);
    else if (event->kind == SMS_RUN_DEPARTURE)
        digest_departure(user, event->policy, event->departure);
    else
        digest_message(user, event->policy, event->message);
    return 0;
}

static inline struct sms_run_options digest_options(enum sms_engine engine, struct event_digest *digest)
{
    struct sms_run_options options = sms_run_defaults();
    digest->hash = 1;
    options.observe = observe;
    options.events = SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE | SMS_RUN_MESSAGE;
    options.user = digest;
    options.engine = engine;
    options.check = true; /* compares ledgers and monitors with pods at each event */
    options.max_events = 1000000;
    return options;
}

static inline struct sms_results *run_engine(const struct sms_file *file, enum sms_engine engine,
                                             struct event_digest *digest)
{
    struct sms_run_options options = digest_options(engine, digest);
    return run_first(file, &options);
}

/* Every pod that came has ended or failed, or runs or waits. */
static inline void assert_settled(const struct sms_results *results)
{
    static const char *const ends[] = {"done_count", "failed_count", "running_count", "waiting_count"};
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double sum = 0;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            sum += metric_under(results, p, ends[i]);
        assert_true(sum == metric_under(results, p, "pods_count"));
    }
}

struct law {
    struct sms_file *file;
    struct sms_results *results;
    bool whole; /* it has no warm-up */
};

/* Runs the scenario that `make` writes with the random numbers of a seed, and adds its events to the digest. */
static inline struct law run_law(void (*make)(struct text *), uint64_t seed, struct event_digest *digest)
{
    static struct text text;
    struct event_digest by_reference = {0};
    struct law law;
    text = (struct text){.chance = seed};
    make(&text);
    law.file = load_text("%s", text.chars);
    law.whole = !strstr(text.chars, "warmup");
    size_t rows = digest->rows;
    law.results = run_engine(law.file, SMS_ENGINE_FAST, digest);
    struct sms_results *reference = run_engine(law.file, SMS_ENGINE_REFERENCE, &by_reference);
    assert_int_equal(digest->rows - rows, by_reference.rows);
    assert_true(digest->hash == by_reference.hash);
    assert_int_equal(by_reference.departures,
                     by_reference.placements); /* pods that are still on a node depart at the end of the run */
    assert_same_metrics(law.results, reference, SMS_CLUSTER);
    assert_same_metrics(law.results, reference, SMS_NODE);
    if (law.whole)
        assert_settled(law.results);
    sms_results_free(reference);
    return law;
}

static inline void close_law(struct law *law) { discard(law->results, law->file); }

#endif
