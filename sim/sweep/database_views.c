/* The views of the database: SQL alone. */
#include "database.h"

#include "../report/output.h"

#include <sqlite3.h>

/* A view of a subject, of rows `a` grouped by point, policy and subject: an expression for each metric. */
struct view {
    const char *name;
    /* where the metric stands for each %s: of a row, of a group, of a row's first replication */
    const char *each, *mean, *near;
    /* where the subject stands for each %s: rows, and those of their first replication */
    const char *from, *first;
    const char *where;
};

#define FIRST(as, of)                                                                                                  \
    " LEFT JOIN %s " as " ON " as ".point = " of ".point AND " as ".position = " of ".position AND " as                \
    ".replication = 0 AND " as ".name = " of ".name AND " as ".number = " of ".number"

/* Means over the replications, and means of the changes over the first policy, replication by replication: both saw the
 * same random numbers. A change over a base of 0 is none, and without those of some replications there is no mean. */
static const struct view views[] = {
    {"mean", "a.%s", "avg(a.%s)", "y.%s", " FROM %s a", FIRST("y", "a"), ""},
    {"change", "(a.%s / b.%s - 1)", "CASE WHEN min(b.%s) > 0 THEN avg(a.%s / b.%s - 1) END", "(y.%s / z.%s - 1)",
     " FROM %s a CROSS JOIN %s b ON b.point = a.point AND b.position = 0 AND b.replication = a.replication "
     "AND b.name = a.name AND b.number = a.number",
     FIRST("y", "a") FIRST("z", "b"), " WHERE a.position > 0"}};

/* `all`: with number and sums of what is off the first replication, from which half-widths come: of values that hardly
 * differ, squares would leave rounding only. */
static void append_means(sqlite3_str *text, const struct view *view, enum sms_subject subject, bool all)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    const char *word = sms__subject_word(subject);
    char from[512], first[512];
    sqlite3_str_appendall(text, "SELECT a.point, a.position, a.policy, a.name, count(*) AS replications");
    for (size_t m = 0; m < metrics; m++) {
        const char *name = metric[m].name;
        char each[128], mean[256], near[128];
        sqlite3_snprintf(sizeof each, each, view->each, name, name);
        sqlite3_snprintf(sizeof mean, mean, view->mean, name, name, name);
        sqlite3_snprintf(sizeof near, near, view->near, name, name);
        sqlite3_str_appendf(text, ", %s AS %s", mean, name);
        if (all)
            sqlite3_str_appendf(text,
                                ", count(%s) AS c_%s, avg(%s - coalesce(%s, 0)) AS d_%s, "
                                "sum((%s - coalesce(%s, 0)) * (%s - coalesce(%s, 0))) AS s_%s",
                                each, name, each, near, name, each, near, each, near, name);
    }
    sqlite3_snprintf(sizeof from, from, view->from, word, word);
    sqlite3_snprintf(sizeof first, first, view->first, word, word);
    sqlite3_str_appendf(text, "%s%s%s GROUP BY a.point, a.position, a.name, a.number", from, all ? first : "",
                        view->where);
}

/* Half-widths stand in views of their own: who wants means does not wait for them. */
void sms__database_views(sqlite3_str *text, enum sms_subject subject)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    const char *word = sms__subject_word(subject);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        sqlite3_str_appendf(text, "CREATE VIEW %s_%s AS ", word, views[v].name);
        append_means(text, &views[v], subject, false);
        sqlite3_str_appendf(text, ";CREATE VIEW %s_%s_ci95 AS SELECT point, position, policy, name, replications", word,
                            views[v].name);
        for (size_t m = 0; m < metrics; m++) {
            const char *name = metric[m].name;
            sqlite3_str_appendf(text,
                                ", %s, CASE WHEN %s IS NOT NULL THEN "
                                "nullif(sqrt(max(0, (s_%s - c_%s * d_%s * d_%s) / (c_%s - 1) / c_%s)), 0) * "
                                "(SELECT t95 FROM student WHERE n = c_%s) END AS ci95_%s, "
                                "CASE WHEN %s IS NOT NULL THEN c_%s ELSE 0 END AS n_%s",
                                name, name, name, name, name, name, name, name, name, name, name, name, name);
        }
        sqlite3_str_appendall(text, " FROM (");
        append_means(text, &views[v], subject, true);
        sqlite3_str_appendall(text, ");");
    }
}

/* As sms_bound_gap has it, of the mean over the replications as `compare` does. */
void sms__database_gaps(sqlite3_str *text, bool temporary)
{
    sqlite3_str_appendf(text, "CREATE %s gap AS ", temporary ? "TEMP VIEW" : "VIEW");
    sqlite3_str_appendall(text,
                          "SELECT point, position, policy, metric, per_s, bound_per_s, "
                          "CASE WHEN bound_per_s > 0 THEN 1 - per_s / bound_per_s END AS gap_ratio "
                          "FROM (SELECT h.point, h.position, h.policy, b.metric, CASE b.metric");
    for (int m = 0; m < SMS_BOUNDED; m++)
        sqlite3_str_appendf(text, " WHEN '%s' THEN h.%s", sms_bound_metric((enum sms_bounded)m),
                            sms_bound_metric((enum sms_bounded)m));
    sqlite3_str_appendall(text, " END AS per_s, b.run_per_s AS bound_per_s "
                                "FROM (SELECT point, position, policy");
    for (int m = 0; m < SMS_BOUNDED; m++)
        sqlite3_str_appendf(text, ", avg(%s) AS %s", sms_bound_metric((enum sms_bounded)m),
                            sms_bound_metric((enum sms_bounded)m));
    sqlite3_str_appendall(text, " FROM host GROUP BY point, position) h JOIN bound b USING (point));");
}
