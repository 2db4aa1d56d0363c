/* How far results can be trusted: the data sets that smsched was held against, and which of them bear on an answer.
 * tools/validate writes them into models/trust.yaml from results/measured (docs/evidence/validation.md). */
#ifndef SMS_REPORT_TRUST_H
#define SMS_REPORT_TRUST_H

#include "../model/scenario.h"

struct sms__trust_names {
    const char **name; /* [count] */
    size_t count;
};

/* A comparison with measurements, as models/trust.yaml has it. Empty lists of modes or contention models mean that it
 * does not depend on them. Numbers are only printed, so they stay texts; an empty one is not known. */
struct sms__trust_set {
    const char *set, *title, *gpu;
    struct sms__trust_names devices, modes, contention, metrics; /* metrics: those that it bears on */
    int kernels;                                                 /* of enum sms__trust_kernels */
    const char *metric, *values, *fitted, *median, *p90, *r2, *naive, *naive_median, *naive_r2;
};

enum sms__trust_kernels { SMS__TRUST_BLOCKS, SMS__TRUST_WHOLE };

struct sms__trust {
    struct sms__arena arena;
    struct sms__trust_set *set; /* [sets] */
    size_t sets;
};

/* Reads `trust.yaml` from the first of the folders of models that has it. SMS_OK; or a code with `errors` filled, and
 * *out is NULL. */
int sms__trust_load(const struct sms_load_options *options, struct sms__trust **out, struct sms_errors *errors);
void sms__trust_free(struct sms__trust *trust);

/* Whether there is a file to load. */
bool sms__trust_exists(const struct sms_load_options *options);

/* What there is to say about a metric of a scenario: a line for each data set that bears on it, and one that says in
 * what the scenario is outside these, if it is; or a line that none does, and in what it is outside all data sets.
 * SMS_OK or SMS_ENOMEM. The lines live as long as `trust`. */
int sms__trust_say(struct sms__trust *trust, const struct sms_scenario *scenario, const char *metric,
                   struct sms__trust_names *lines);

/* The same in one line, and how well the metric was met in the sharing mode of one policy (an index of the scenario's):
 * nine of ten values that were held back are within `within` of what was measured; NAN if no data set bears on it. */
struct sms__trust_line {
    const char *text;
    double within;
};
int sms__trust_line(struct sms__trust *trust, const struct sms_scenario *scenario, const char *metric, size_t policy,
                    struct sms__trust_line *line);
/* The data set that is nearest to the scenario where none bears on it: of its sharing mode, and if there are several,
 * of its device, and what the scenario has that this set has not. The text is "" if that mode was never measured. */
int sms__trust_nearest(struct sms__trust *trust, const struct sms_scenario *scenario, struct sms__trust_line *line);

#endif
