/* What a scenario says of contention: a model, and with some the slowdowns of pairs of classes, or curves. */
#ifndef SMS_MODEL_POLICY_CONTENTION_H
#define SMS_MODEL_POLICY_CONTENTION_H

#include <smsched/contention.h>

#include "../../yaml/fields.h"

struct sms_scenario;

/* Classes of pairs; the slowdown of one; usage and overhead of a curve. */
enum { SMS__CLASSES_MAX = 64 };
#define SMS__SLOWDOWN_MAX 1000.0
#define SMS__CURVE_MAX 1e6

/* Slowdowns of pairs of classes, as the scenario gives them. */
struct sms__pairs_given {
    struct sms_pairs pairs;
    const struct sms__node **node; /* [classes] */
};

/* Curves by resource name, as the scenario gives them; matched to a device by sms__curves_for. */
struct sms__curves {
    size_t count;
    const char *resource[SMS_RESOURCES_MAX];
    const struct sms__node *node[SMS_RESOURCES_MAX];
    struct sms_curve curve[SMS_RESOURCES_MAX];
};

/* uses.c: `at` is the scenario. */
void sms__read_contention(struct sms__reader *reader, const struct sms__node *node, void *at);

/* pairs.c: `slowdown:` of a contention model that takes pairs. */
void sms__read_pairs(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
/* The number of a class in the scenario's pairs, or -1. */
int sms__pair_class(const struct sms_scenario *scenario, const char *cls);
/* Complains of workloads of classes that the pairs lack. */
void sms__check_classes(struct sms__reader *reader, const struct sms_scenario *scenario);

#endif
