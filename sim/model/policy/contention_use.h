/* `contention:` of a scenario: a model with its parameters, and for some models slowdowns of pairs of classes,
 * or curves. */
#ifndef SMS_MODEL_POLICY_CONTENTION_USE_H
#define SMS_MODEL_POLICY_CONTENTION_USE_H

#include <smsched/contention.h>

#include "params.h"

enum { SMS__CLASSES_MAX = 64 };
#define SMS__SLOWDOWN_MAX 1000.0
#define SMS__CURVE_MAX 1e6 /* usage and overhead of a curve */

/* Slowdowns of pairs of classes, as the scenario gives them. */
struct sms__pairs_given {
    struct sms_pairs pairs;
    const struct sms__node **node; /* [classes] */
};

/* Curves by resource name, as the scenario gives them. */
struct sms__curves {
    size_t count;
    const char *resource[SMS_RESOURCES_MAX];
    const struct sms__node *node[SMS_RESOURCES_MAX];
    struct sms_curve curve[SMS_RESOURCES_MAX];
};

struct sms__contention_use {
    const struct sms_contention *model;
    double param[SMS__PARAMS_MAX];
    const char *label;              /* its name with the parameters that differ from the defaults, bounded */
    struct sms__curves *curves;     /* NULL: not given */
    struct sms__pairs_given *pairs; /* NULL, or of the model */
};

/* `at` is a struct sms__contention_use, reader->user the file. */
void sms__read_contention(struct sms__reader *reader, const struct sms__node *node, void *at);
/* The model of scenarios that do not name one, knee. Only devices that were measured have knees; no resource delivers
 * more than it has. */
struct sms__contention_use sms__default_contention(struct sms__reader *reader);
/* The number of a class in the pairs, or -1. `given` may be NULL. */
int sms__pair_class(const struct sms__pairs_given *given, const char *name);
/* Complains of the class, which the pairs lack, at its node. */
void sms__complain_unknown_class(struct sms__reader *reader, const struct sms__node *node,
                                 const struct sms__pairs_given *given);

#endif
