/* Builds the SQL of the database's views: means, changes over the first policy, 95 % intervals, and gaps to the bounds.
 */
#include "database.h"

#include "../report/output.h"

#include <sqlite3.h>

/* A view groups rows `a` of a subject by point, policy and subject, and has an expression for each metric. */
struct view {
    const char *name;
    /* expressions of a row, of a group, and of the row's first replication; each %s is the metric */
    const char *each, *mean, *near;
    /* joins of the rows, and of their first replication; each %s is the subject */
    const char *from, *first;
    const char *where;
};

#define FIRST(as, of)                                                                                                  \
    " LEFT JOIN %s " as " ON " as ".point = " of ".point AND " as ".position = " of ".position AND " as                \
    ".replication = 0 AND " as ".name = " of ".name AND " as ".number = " of ".number"

/* `mean` averages over the replications. `change` averages the relative changes over the first policy, computed within
 * each replication because both policies saw the same random numbers. If the base is 0 in any replication, there is no
 * mean change. */
static const struct view views[] = {
    {"mean", "a.%s", "avg(a.%s)", "y.%s", " FROM %s a", FIRST("y", "a"), ""},
    {"change", "(a.%s / b.%s - 1)", "CASE WHEN min(b.%s) > 0 THEN avg(a.%s / b.%s - 1) END", "(y.%s / z.%s - 1)",
     " FROM %s a CROSS JOIN %s b ON b.point = a.point AND b.position = 0 AND b.replication = a.replication "
     "AND b.name = a.name AND b.number = a.number",
     FIRST("y", "a") FIRST("z", "b"), " WHERE a.position > 0"}};

/* `all`: adds the count and sums of differences from the first replication, for the half-widths. Sums of plain squares
 * would leave nothing but rounding errors if the values hardly differ. */
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

/* Half-widths have views of their own, because they are slower to compute than means. */
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

/* Computes the gap like sms_bound_gap, from the mean over the replications, as `compare` does. */
void sms__database_gaps(sqlite3_str *text, bool temporary)
{
    sqlite3_str_appendf(text, "CREATE %s gap AS ", temporary ? "TEMP VIEW" : "VIEW");
    sqlite3_str_appendall(text, "SELECT point, position, policy, metric, per_s, bound_per_s, "
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
