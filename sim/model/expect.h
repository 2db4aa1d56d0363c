/* Questions of a scenario: expectations that `smsched check` checks, the answer by which policies are compared, and the
 * precision at which replications stop. All three name a metric and its subject. */
#ifndef SMS_MODEL_EXPECT_H
#define SMS_MODEL_EXPECT_H

#include <smsched/smsched.h>

#include "../yaml/fields.h"

struct sms__expect {
    const struct sms__node *node;
    const char *metric, *policy, *over, *vm, *resource, *process, *of_node, *cls;
    long device;  /* its number; -1: the subject is no device */
    bool cluster; /* of a cluster */
    struct sms__quantity value, min, max;
    double tolerance;
    bool has_value, has_min, has_max;
};

struct sms__expects {
    struct sms__expect *item; /* [count] */
    size_t count;
};

/* The metric by which one policy is better than another. */
struct sms__answer {
    const struct sms__node *node; /* NULL: the scenario does not say, and a rule chooses */
    const char *name;             /* value of key `of`, or NULL */
    struct sms__expect of;        /* metric and subject */
    int better;                   /* as given: -1 as the metric has it, or enum better */
    int sign;                     /* +1: a higher value is better; -1: a lower one */
};

/* What the mean of a metric is to be, such as "job_latency_p99_ns of server: < 50 ms". */
struct sms__limit {
    const struct sms__node *key, *value_node, *name_node; /* name_node: whose metric it is; NULL: the host's */
    struct sms__expect of;
    struct sms__quantity value; /* in the metric's unit */
    int side;                   /* +1: the mean is to be above the value; -1: below it */
    bool at;                    /* a mean that is the value exactly meets it, too */
};

/* How well the mean of a metric is to be known: to a precision, or means so well that it is told whether they meet all
 * limits. */
struct sms__until {
    const struct sms__node *node;            /* NULL: replications have a given number */
    double precision;                        /* 0: limits are given instead */
    const struct sms__node *where, *of_node; /* a mapping of limits; whose they are where their keys do not say */
    struct sms__limit *limit;                /* [limits] */
    size_t limits;
    double confidence;     /* of telling whether all limits are met */
    struct sms__expect of; /* of the precision */
    uint64_t most;         /* replications */
};

/* read_expect.c: splits "METRIC of NAME" into scalars at its place; `of` stays as it is if it has no name. */
void sms__split_metric(struct sms__arena *arena, const struct sms__node *key, const struct sms__node **metric,
                       const struct sms__node **of);
/* Whether the value is a ratio or a gain: it is shown as a percentage, and its tolerance is in points. */
bool sms__expects_ratio(const struct sms__expect *expect);
/* The same file: `expect:`, `answer:` and `until:`; `at` is the scenario, its answer, and its until. */
void sms__read_expects(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_answer(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_until(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__expect_fields[], sms__answer_fields[], sms__until_fields[];
enum sms_subject sms__expect_subject(const struct sms__expect *expect);

/* check_expect.c: resolves all three, and complains of metrics, subjects and policies that there are not. Works also on
 * a scenario of which parts could not be read, so that all problems are reported at once. Afterwards the answer has a
 * metric and a subject in any case. */
void sms__check_expects(struct sms__reader *reader, struct sms_scenario *scenario);

#endif
