/* The answer to a scenario's question, and the clauses that follow it. */
#ifndef SMS_REPORT_ANSWER_H
#define SMS_REPORT_ANSWER_H

#include "walk.h"

#include "../base/best.h"

#include <stdio.h>

enum sms__answer_verdict {
    SMS__ANSWER_ALONE,
    SMS__ANSWER_ONCE,
    SMS__ANSWER_EXACT,
    SMS__ANSWER_SAME,
    SMS__ANSWER_CHANCE,
    SMS__ANSWER_UNJUDGED, /* the values allow no verdict (results/verdict.h) */
    SMS__ANSWER_DIFFERS
};

struct sms__outcome {
    const struct sms_results *results;
    struct sms__result asked;
    int better;    /* +1 if more is better, -1 if less is */
    bool declared; /* by the scenario */
    size_t baseline;
    struct sms__best best;
    bool *in_group;            /* [policies]: not told apart from the best */
    size_t other;              /* the best policy, or the one of second best mean if the baseline is the best */
    size_t over;               /* the policy over which the change of the best is told last, or SIZE_MAX */
    struct sms_estimate value; /* of the best */
    enum sms__answer_verdict verdict;
};

/* answer_clauses.c: each adds "; ..." to the answer, or nothing. The reserve says what the answer assumes. */
/* Whether modes that run kernels beside each other cannot be ranked with those that do not, because kernels have no
 * demands: then nothing slows them down beside each other. */
bool sms__answer_is_unknown(const struct sms__outcome *answer);
void sms__answer_put_reserve(const struct sms__outcome *answer, FILE *to);
/* Why the values allow no verdict: a percentile of few jobs is their maximum, or a median is mostly 0. */
void sms__answer_put_few(const struct sms__outcome *answer, FILE *to);
void sms__answer_put_starved(const struct sms__outcome *answer, FILE *to);
void sms__answer_put_failed(const struct sms__outcome *answer, FILE *to);
void sms__answer_put_misses(const struct sms__outcome *answer, FILE *to);
void sms__answer_put_left_out(const struct sms__outcome *answer, FILE *to);
void sms__answer_put_bound(const struct sms__outcome *answer, FILE *to);
void sms__answer_put_cost(const struct sms__outcome *answer, FILE *to);
/* print_gain_alone.c: the same, of tenants that gain when they run alone. */
void sms__answer_put_gain_alone(const struct sms__outcome *answer, FILE *to);

#endif
