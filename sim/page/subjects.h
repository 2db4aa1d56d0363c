/* One subject of a sweep: its names, policies and metrics, and sums over the points. */
#ifndef SMS_PAGE_SUBJECTS_H
#define SMS_PAGE_SUBJECTS_H

#include "points.h"

#include "../report/output.h"

enum { SMS__NAMES = 12, SMS__POSITIONS = 32, SMS__METRICS = 24, SMS__GROUPS = 64 };

/* A sum and the number of its terms. */
struct sms__sum {
    double sum;
    size_t n;
};

/* Points grouped by the values of some axes, with sums of metrics and changes, [cells][names][positions][metrics]. */
struct sms__group {
    size_t axis[SMS__AXES], axes, cells;
    struct sms__sum *mean, *change;
    size_t *points; /* [cells][names][positions] */
};

/* Results over all points, for one name, policy and metric. */
struct sms__outcome {
    struct sms__sum mean, change;
    double min, max;                   /* smallest and largest change of a point */
    size_t better, best;               /* numbers of points: better than the first policy, alone the best */
    size_t shared, equal;              /* numbers of points: best with some others, equal to all others */
    struct sms_estimate change_sample; /* of the mean change; each replication is one sample */
};

/* Policies by their position in the scenario's list. */
struct sms__labels {
    const char *policy[SMS__POSITIONS];
    size_t position[SMS__POSITIONS], positions;
};

struct sms__subject_view {
    struct sms__points *points;
    enum sms_subject subject;
    const char *word;
    const char *name[SMS__NAMES];
    size_t names;
    const char *policy[SMS__POSITIONS];
    size_t position[SMS__POSITIONS], positions;
    struct sms_metric metric[SMS__METRICS];
    size_t metrics;
    struct sms__group group[SMS__GROUPS];
    size_t groups;
    struct sms__outcome *outcome;       /* [names][positions][metrics] */
    size_t *count;                      /* number of points, [names][positions] */
    struct sms__current_point *current; /* the point whose rows are being read */
};

/* subjects.c: reads the labels of the policies in a table. */
int sms__points_policies(struct sms__points *points, const char *table, struct sms__labels *labels);
/* The mean; NAN of no terms. */
double sms__sum_mean(struct sms__sum sum);

/* groups.c: chooses by which axes the points are grouped, within the limits of a page. */
int sms__subject_groups(struct sms__subject_view *view);
json_t *sms__subject_groups_json(const struct sms__subject_view *view);

/* outcome.c: reads all points, and writes the results over all of them as JSON. */
int sms__subject_read(struct sms__subject_view *view);
json_t *sms__subject_outcomes_json(const struct sms__subject_view *view);

#endif
