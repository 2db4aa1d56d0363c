/* One subject of a sweep: its names, policies and metrics, and sums over the points, as these go by. */
#ifndef SMS_PAGE_SUBJECTS_H
#define SMS_PAGE_SUBJECTS_H

#include "points.h"

#include "../report/output.h"

enum { SMS__NAMES = 12, SMS__POSITIONS = 32, SMS__METRICS = 24, SMS__GROUPS = 64 };

/* A mean in the making. */
struct sms__sum {
    double sum;
    size_t n;
};

/* Points that agree in some axes: sums of metrics and of changes, [cells][names][positions][metrics]. */
struct sms__group {
    size_t axis[SMS__AXES], axes, cells;
    struct sms__sum *mean, *change;
    size_t *points; /* [cells][names][positions] */
};

/* Over all points, of one name, position and metric. */
struct sms__outcome {
    struct sms__sum mean, change;
    double least, most;       /* change of a point */
    size_t better, best;      /* points: better than the first policy, best of all */
    size_t shared, equal;     /* points: as good as others and best, the same as all others */
    struct sms_estimate over; /* change: replications as a sample, each of which is a mean over the points */
};

/* Policies by their position among the scenario's. */
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
    struct sms__outcome *outcome; /* [names][positions][metrics] */
    size_t *count;                /* points: [names][positions] */
    struct sms__at_hand *at_hand; /* the point whose rows go by */
};

/* subjects.c */
int sms__points_policies(struct sms__points *points, const char *table, struct sms__labels *labels);
double sms__sum_mean(struct sms__sum sum);

/* groups.c: chooses what points are put together by, within what the page may hold. */
int sms__subject_groups(struct sms__subject_view *view);
json_t *sms__subject_groups_json(const struct sms__subject_view *view);

/* outcome.c: takes all points in; what the page says of all of them. */
int sms__subject_read(struct sms__subject_view *view);
json_t *sms__subject_outcomes_json(const struct sms__subject_view *view);

#endif
