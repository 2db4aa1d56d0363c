/* Writes the merged results as an SQLite database. docs/sweeps.md describes its tables and views. */
#ifndef SMS_SWEEP_DATABASE_H
#define SMS_SWEEP_DATABASE_H

#include "sweep.h"

/* A point in the merged results. */
struct sms__merged_point {
    uint64_t point;
    const char *scenario;
    const char **value; /* [columns of the plan] */
    const char *state, *message;
    const unsigned char *key; /* [SMS__KEY_BYTES]; NULL: the point is missing */
};

/* The metrics of one subject under one policy in one replication. */
struct sms__merged_row {
    uint64_t point;
    enum sms_subject subject;
    uint32_t position, replication; /* position: index of the policy in the scenario's list */
    uint32_t number; /* of the subject, since two may share a name: kernel b/c of VM a, and kernel c of VM a/b */
    const char *policy, *name;
    const double *value; /* [metrics of the subject] */
};

/* The value by which a policy answers the question of its point. */
struct sms__merged_answer {
    uint64_t point;
    uint32_t position;
    const char *policy;
    const struct sms__record_question *question;
    double value; /* mean over the replications; NAN: no value */
};

struct sms__database;

/* Returns NULL without memory. The functions below return false after any failure, and keep the first failure's reason.
 */
struct sms__database *sms__database_begin(const char *path, const struct sms__plan *plan);
bool sms__database_point(struct sms__database *database, const struct sms__merged_point *point);
bool sms__database_row(struct sms__database *database, const struct sms__merged_row *row);
bool sms__database_bound(struct sms__database *database, uint64_t point, enum sms_bounded metric,
                         const struct sms__record_bound *bound);
bool sms__database_answer(struct sms__database *database, const struct sms__merged_answer *answer);
/* Adds the views and the numbers of points. Closes and frees the database in any case. `message`: the first failure. */
enum { SMS__DATABASE_MESSAGE_BYTES = 200 };
bool sms__database_end(struct sms__database *database, const struct sms__index *index,
                       char message[SMS__DATABASE_MESSAGE_BYTES]);

/* database_views.c: appends the SQL that creates a subject's views, and the view of the gaps to the bounds.
 * `temporary`: creates it for this connection only, for readers that do not trust the views in a file. */
struct sqlite3_str;
void sms__database_views(struct sqlite3_str *text, enum sms_subject subject);
void sms__database_gaps(struct sqlite3_str *text, bool temporary);

#endif
