/* The merged results as an SQLite database; docs/sweeps.md has its tables and views. */
#ifndef SMS_SWEEP_DATABASE_H
#define SMS_SWEEP_DATABASE_H

#include "sweep.h"

/* A point as it stands in the merged results. */
struct sms__merged_point {
    uint64_t point;
    const char *scenario;
    const char **value; /* [columns of the plan] */
    const char *state, *message;
    const unsigned char *key; /* [SMS__KEY_BYTES]; NULL: it is missing */
};

/* One policy, replication and subject of it. */
struct sms__merged_row {
    uint64_t point;
    enum sms_subject subject;
    uint32_t position, replication; /* position: of the policy among the scenario's */
    uint32_t number;                /* of the subject; two may have one name: kernel b/c of VM a, and c of a/b */
    const char *policy, *name;
    const double *value; /* [metrics of the subject] */
};

struct sms__database;

/* NULL without memory. Each returns whether it worked; what did not is remembered. */
struct sms__database *sms__database_begin(const char *path, const struct sms__plan *plan);
bool sms__database_point(struct sms__database *database, const struct sms__merged_point *point);
bool sms__database_row(struct sms__database *database, const struct sms__merged_row *row);
bool sms__database_bound(struct sms__database *database, uint64_t point, enum sms_bounded metric,
                         const struct sms__record_bound *bound);
/* Views, and the numbers of points; closes it in any case. `why`: the first thing that failed since it was begun. */
enum { SMS__DATABASE_WHY = 200 };
bool sms__database_end(struct sms__database *database, const struct sms__index *index, char why[SMS__DATABASE_WHY]);

/* database_views.c: SQL that makes the views of a subject, and that of the gaps to the bounds. `temporary`: of the
 * connection that reads, which does not trust the views of a file. */
struct sqlite3_str;
void sms__database_views(struct sqlite3_str *text, enum sms_subject subject);
void sms__database_gaps(struct sqlite3_str *text, bool temporary);

#endif
