/* Random scenarios of processes, or of clusters (../cluster/): the text of a seed, a share policy that does at random
 * what policies may do, and what must hold of every run. */
#ifndef TESTS_PROPERTY_SHARE_H
#define TESTS_PROPERTY_SHARE_H

#include <smsched/smsched.h>

#include <stdbool.h>
#include <stdio.h>

/* Writes the scenario of a seed. */
void generate(FILE *to, uint64_t seed);

/* Pauses, resumes, suspends, restores, defers and now and then fails processes at random; after a while it lets
 * all go on, so that every run ends. */
extern const struct sms_share_policy chaos;

/* What observers saw of one policy's run. */
enum { PROCESSES = 64, SPANS = 1 << 14 };

struct seen {
    struct sms_span *span; /* [spans], of at most SPANS; the text of `state` is the library's */
    size_t spans;
    bool cut;            /* short slices make more of them: the rest is in the hash only */
    uint64_t told, hash; /* told: kernels, or placements of pods; hash: of all that was seen */
};

struct outcome {
    int code;
    char why[512];
    struct sms_results *results;
    struct seen *seen; /* [policies] */
    size_t policies;
};

void outcome_run(struct outcome *outcome, const struct sms_scenario *scenario, enum sms_engine engine, bool check);
void outcome_release(struct outcome *outcome);

/* The value of a metric in the first replication. Ends the program if there is no such metric. */
double value(const struct outcome *outcome, size_t policy, enum sms_subject subject, size_t idx, const char *name);
/* Returns words that last until the next call. */
const char *describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* NULL, or what is wrong, in words that last until the next call. */
const char *differ(const struct outcome *a, const struct outcome *b);
const char *is_wrong(const struct outcome *outcome, const struct sms_scenario *scenario);

#endif
