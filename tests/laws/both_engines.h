/* For laws of clusters made at random: both engines tell the same of them, their books agree at each event, and every
 * pod is one thing in the end. */
#ifndef TESTS_LAWS_BOTH_ENGINES_H
#define TESTS_LAWS_BOTH_ENGINES_H

#include "random_text.h"

enum { PHRASES = 8 };

/* All that was told, as a hash, and how many of the things said have a phrase in them. */
struct told {
    const char *const *phrase; /* ends with NULL */
    size_t rows, placements, departures, said[PHRASES];
    uint64_t hash;
};

static inline void note(struct told *told, const char *line)
{
    for (const char *at = line; *at; at++)
        told->hash = (told->hash ^ (unsigned char)*at) * 0x100000001b3u;
    told->rows++;
}

static inline void tell_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct told *told = user;
    char line[512];
    snprintf(line, sizeof line, "%s %llu %llu %s %s %llx %.17g %.17g %.17g", policy,
             (unsigned long long)placement->time_ps, (unsigned long long)placement->wait_ps, placement->pod,
             placement->node, (unsigned long long)placement->gpus, placement->arrived, placement->allocated,
             placement->fragments);
    note(told, line);
    told->placements++;
    assert_true(placement->wait_ps <= placement->time_ps);
    assert_true(placement->allocated <= 1 && placement->allocated <= placement->arrived + 1e-12);
    assert_true(placement->fragments >= 0 && placement->fragments <= 1 + 1e-12);
}

static inline void tell_departure(void *user, const char *policy, const struct sms_departure *departure)
{
    struct told *told = user;
    char line[512];
    snprintf(line, sizeof line, "%s %llu %llu %s %s %llx %s", policy, (unsigned long long)departure->start_ps,
             (unsigned long long)departure->end_ps, departure->pod, departure->node,
             (unsigned long long)departure->gpus, departure->ended);
    note(told, line);
    told->departures++;
    assert_true(departure->start_ps <= departure->end_ps);
}

static inline void tell_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct told *told = user;
    char line[4400];
    snprintf(line, sizeof line, "%s %llu %s %s", policy, (unsigned long long)saying->time_ps, saying->process,
             saying->text);
    note(told, line);
    for (size_t i = 0; told->phrase && told->phrase[i]; i++)
        told->said[i] += strstr(saying->text, told->phrase[i]) != NULL;
}

static inline struct sms_run_options telling(enum sms_engine engine, struct told *told)
{
    struct sms_run_options options = sms_run_defaults();
    told->hash = 1;
    options.on_placement = tell_placement;
    options.on_departure = tell_departure;
    options.on_saying = tell_saying;
    options.user = told;
    options.engine = engine;
    options.check = true; /* books and monitors against pods, at each event */
    options.max_events = 1000000;
    return options;
}

static inline struct sms_results *run_engine(const struct sms_file *file, enum sms_engine engine, struct told *told)
{
    struct sms_run_options options = telling(engine, told);
    return run_first(file, &options);
}

/* Who came has ended, failed or was lost, or runs or waits. */
static inline void assert_settled(const struct sms_results *results)
{
    static const char *const ends[] = {"done_count", "failed_count", "running_count", "waiting_count", "lost_count"};
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

/* The scenario that `make` writes with the random numbers of a seed. Adds to what was told. */
static inline struct law run_law(void (*make)(struct text *), uint64_t seed, struct told *told)
{
    static struct text text;
    struct told plain = {0};
    struct law law;
    text = (struct text){.chance = seed};
    make(&text);
    law.file = load_text("%s", text.chars);
    law.whole = !strstr(text.chars, "warmup");
    size_t rows = told->rows;
    law.results = run_engine(law.file, SMS_ENGINE_FAST, told);
    struct sms_results *reference = run_engine(law.file, SMS_ENGINE_REFERENCE, &plain);
    assert_int_equal(told->rows - rows, plain.rows);
    assert_true(told->hash == plain.hash);
    assert_int_equal(plain.departures, plain.placements); /* every stay has an end, be it that of the run */
    assert_same_metrics(law.results, reference, SMS_CLUSTER);
    assert_same_metrics(law.results, reference, SMS_NODE);
    if (law.whole)
        assert_settled(law.results);
    sms_results_free(reference);
    return law;
}

static inline void close_law(struct law *law) { discard(law->results, law->file); }

#endif
