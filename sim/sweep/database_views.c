/* Builds the SQL of the database's views: means, changes over the first policy, 95 % intervals, and gaps to the bounds.
 */
#include "database.h"

#include "../report/output.h"

#include <sqlite3.h>

/* A view groups rows `a` of a subject by point, policy and subject. In its texts '@' stands for a metric and '$' for
 * the subject. */
struct view {
    const char *name;
    const char *mean;         /* of a group */
    const char *sums;         /* of a group, as columns for the half-width; c_@ is the number of replications */
    const char *squares;      /* the sum of squared deviations, from those columns */
    const char *from, *first; /* joins of the rows, and of their first replication */
    const char *where;
};

#define FIRST(as, of)                                                                                                  \
    " LEFT JOIN $ " as " ON " as ".point = " of ".point AND " as ".position = " of ".position AND " as                 \
    ".replication = 0 AND " as ".name = " of ".name AND " as ".number = " of ".number"

/* Differences from the first replication, because sums of plain squares would leave nothing but rounding errors if the
 * values hardly differ. Adding 0 times the base leaves out replications without one. */
#define OWN "(a.@ - coalesce(y.@, 0))"
#define PAIRED "(a.@ - coalesce(y.@, 0) + 0 * b.@)"
#define BASE "(b.@ - coalesce(z.@, 0) + 0 * a.@)"

/* `change` is the ratio of the means less 1, over the replications in which both policies have a value, because that
 * follows the order of the means. Its half-width is of the linear approximation (delta method), paired by replication.
 * If the base is 0 in any of them, there is no change. */
static const struct view views[] = {
    {"mean", "avg(a.@)", ", count(a.@) AS c_@, avg(" OWN ") AS d_@, sum(" OWN " * " OWN ") AS s_@",
     "(s_@ - c_@ * d_@ * d_@)", " FROM $ a", FIRST("y", "a"), ""},
    {"change", "CASE WHEN min(b.@ + 0 * a.@) > 0 THEN avg(a.@ + 0 * b.@) / avg(b.@ + 0 * a.@) - 1 END",
     ", count(a.@ + 0 * b.@) AS c_@, avg(b.@ + 0 * a.@) AS b_@, avg(" PAIRED ") AS d_@, avg(" BASE
     ") AS e_@, sum(" PAIRED " * " PAIRED ") AS s_@, sum(" PAIRED " * " BASE ") AS p_@, sum(" BASE " * " BASE
     ") AS q_@",
     "((s_@ - c_@ * d_@ * d_@) - 2 * (1 + @) * (p_@ - c_@ * d_@ * e_@) + (1 + @) * (1 + @) * (q_@ - c_@ * e_@ * e_@)) "
     "/ b_@ / b_@",
     " FROM $ a CROSS JOIN $ b ON b.point = a.point AND b.position = 0 AND b.replication = a.replication "
     "AND b.name = a.name AND b.number = a.number",
     FIRST("y", "a") FIRST("z", "b"), " WHERE a.position > 0"}};

static void append(sqlite3_str *text, const char *template, const char *metric, const char *word)
{
    for (const char *at = template; *at; at++) {
        if (*at == '@' || *at == '$')
            sqlite3_str_appendall(text, *at == '@' ? metric : word);
        else
            sqlite3_str_appendchar(text, 1, *at);
    }
}

/* `sums`: also the columns for the half-widths. */
static void append_means(sqlite3_str *text, const struct view *view, enum sms_subject subject, bool sums)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    const char *word = sms__subject_word(subject);
    sqlite3_str_appendall(text, "SELECT a.point, a.position, a.policy, a.name, count(*) AS replications");
    for (size_t m = 0; m < metrics; m++) {
        sqlite3_str_appendall(text, ", ");
        append(text, view->mean, metric[m].name, word);
        append(text, " AS @", metric[m].name, word);
        append(text, sums ? view->sums : "", metric[m].name, word);
    }
    append(text, view->from, "", word);
    append(text, sums ? view->first : "", "", word);
    append(text, view->where, "", word);
    sqlite3_str_appendall(text, " GROUP BY a.point, a.position, a.name, a.number");
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
            append(text, ", @, CASE WHEN @ IS NOT NULL THEN nullif(sqrt(max(0, ", metric[m].name, word);
            append(text, views[v].squares, metric[m].name, word);
            append(text,
                   " / (c_@ - 1) / c_@)), 0) * (SELECT t95 FROM student WHERE n = c_@) END AS ci95_@, "
                   "CASE WHEN @ IS NOT NULL THEN c_@ ELSE 0 END AS n_@",
                   metric[m].name, word);
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
