/* Reads the subjects that a sweep kept into the page's data: their names, policies and metrics, the results over all
 * points, and the means of groups of points. */
#include "points.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <string.h>

enum { NAMES_MAX = 12, GROUPS_MAX = 64, REPLICATIONS_MAX = 1000 };

/* The order of subjects in the page. Numbers of the first ones are kept first. */
static const enum sms_subject order[] = {SMS_HOST,  SMS_CLUSTER, SMS_PROCESS,  SMS_VM,
                                         SMS_CLASS, SMS_DEVICE,  SMS_RESOURCE, SMS_KERNEL};

/* ---- queries ---- */

static const char make_names[] =
    "CREATE TEMP TABLE names AS SELECT row_number() OVER (ORDER BY first, name) - 1 AS i, name "
    "FROM (SELECT name, min(point) AS first FROM main.$ GROUP BY name ORDER BY first, name LIMIT 13)";

/* A value of each replication, and that of the first policy in the same replication. */
static const char make_samples[] =
    "CREATE TEMP VIEW samples AS SELECT r.point, n.i AS name, p.i AS policy, r.replication"
    "[, r.@ AS m#][, f.@ AS f#] FROM temp.cell c CROSS JOIN main.$ r ON r.point = c.point "
    "JOIN temp.names n ON n.name = r.name JOIN temp.positions p ON p.position = r.position "
    "LEFT JOIN main.$ f ON f.point = r.point AND f.position = 0 AND f.replication = r.replication AND f.name = r.name "
    "AND f.number = r.number WHERE r.replication BETWEEN 0 AND 999";

/* c#: the ratio of the means less 1, as everywhere. s#: 1 if the change can be tested, as one replication cannot; or
 * NULL. */
static const char make_means[] = "CREATE TEMP TABLE means(name, policy, point[, m#][, f#][, c#][, s#], "
                                 "PRIMARY KEY (name, point, policy)) WITHOUT ROWID";
static const char fill_means[] = "INSERT INTO temp.means SELECT name, policy, point[, avg(m#)][, avg(f# + 0 * m#)]"
                                 "[, CASE WHEN min(f# + 0 * m#) > 0 THEN avg(m# + 0 * f#) / avg(f# + 0 * m#) - 1 "
                                 "END][, iif(count(m# + f#) > 1, 1, NULL)] "
                                 "FROM temp.samples GROUP BY name, policy, point";

/* The change of one replication, so that their mean is the ratio of the means, and their interval that of the ratio
 * (delta method). */
static const char make_linear[] =
    "CREATE TEMP VIEW linear AS SELECT s.point, s.name, s.policy, s.replication[, s.m# AS m#]"
    "[, k.c# + (s.m# - (1 + k.c#) * s.f#) / k.f# AS c#] FROM temp.samples s JOIN temp.means k ON k.name = s.name "
    "AND k.point = s.point AND k.policy = s.policy";

/* g#: which policies are not told apart from the best of a point: bit i is policy i, bit 40 says that all are equal.
 * b#: which are better than the first, and from bit 32 on which are worse. */
static const char make_groups[] =
    "CREATE TEMP TABLE ties(name, point[, g#][, b#], PRIMARY KEY (name, point)) WITHOUT ROWID";
static const char fill_groups[] = "INSERT INTO temp.ties SELECT name, point[, best_group(policy, replication, m#, ~)]"
                                  "[, changes(policy, replication, m#, ~)] FROM temp.samples GROUP BY name, point";

/* One replication has no interval, so its samples are not read again. At how many points a policy is best: alone, not
 * told apart from some others, equal to all others. At how many it is better or worse than the first, by the same rule,
 * of how many. */
static const char overall[] =
    "WITH intervals AS (SELECT name, policy[, ci95(c#) AS i#] FROM (SELECT name, policy[, avg(c#) AS c#] "
    "FROM temp.linear WHERE (SELECT max(replication) FROM main.$) > 0 GROUP BY name, policy, replication) "
    "GROUP BY name, policy), winners AS (SELECT m.name, m.policy[, total(g# & 0xffffffff = 1 << m.policy) AS o#]"
    "[, total((g# >> m.policy & 1) AND g# & 0xffffffff <> 1 << m.policy) AS h#][, total(g# >> 40 & 1) AS q#]"
    "[, total(s# * (b# >> m.policy & 1)) AS w#][, total(s# * (b# >> m.policy + 32 & 1)) AS l#] "
    "FROM temp.means m JOIN temp.ties t ON t.name = m.name AND t.point = m.point GROUP BY m.name, m.policy) "
    "SELECT n.i, p.i, count(m.point)[, avg(m#)][, avg(c#)][, i#][, min(c#)][, max(c#)][, total(~ * c# > 0)]"
    "[, ifnull(o#, 0.0)][, ifnull(h#, 0.0)][, ifnull(q#, 0.0)][, ifnull(w#, 0.0)][, ifnull(l#, 0.0)][, count(s#)] "
    "FROM temp.names n CROSS JOIN temp.positions p LEFT JOIN temp.means m ON m.name = n.i AND m.policy = p.i "
    "LEFT JOIN intervals i ON i.name = n.i AND i.policy = p.i LEFT JOIN winners w ON w.name = n.i AND w.policy = p.i "
    "GROUP BY n.i, p.i ORDER BY n.i, p.i";

/* Intervals of the means along an axis, and of the changes: one sample is a replication's mean over the points. */
static const char along[] = "SELECT {a#, }name, policy[, ci95(m#)][, ci95(c#)] FROM (SELECT {a#, }name, policy[, "
                            "avg(m#) AS m#][, avg(c#) AS c#] "
                            "FROM temp.linear JOIN temp.cell USING (point) GROUP BY {a#, }name, policy, replication) "
                            "GROUP BY {a#, }name, policy ORDER BY {a#, }name, policy";

static const char grouped[] = "SELECT {a#, }name, policy, count(*), min(point)[, avg(m#)][, avg(c#)] FROM temp.means "
                              "JOIN temp.cell USING (point) GROUP BY {a#, }name, policy ORDER BY {a#, }name, policy";

static const char count_cells[] = "SELECT count(*) FROM (SELECT DISTINCT {a#, }0 FROM temp.cell)";

static const char *const clean[] = {"DROP VIEW temp.linear", "DROP TABLE temp.means", "DROP TABLE temp.ties",
                                    "DROP VIEW temp.samples", "DROP TABLE temp.names"};

/* ---- names, policies and metrics ---- */

struct view {
    struct sms__points *points;
    enum sms_subject subject;
    struct sms__query query;
    json_t *names, *policies, *groups, *intervals;
    size_t replications, left_out; /* left_out: metrics that have no room */
};

static void add_name(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct view *view = user;
    if (json_array_size(view->names) < NAMES_MAX)
        json_array_append_new(view->names, sms__json_text(sms__points_text(points, row, 0)));
    else
        sms__page_note(points->page, "Of subject '%s', only the first %d names are shown.", view->query.table,
                       NAMES_MAX);
}

static void check_replications(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    ((struct view *)user)->replications = (size_t)sqlite3_column_int64(row, 0) + 1;
    if (sqlite3_column_int64(row, 0) >= REPLICATIONS_MAX)
        sms__page_note(points->page, "Only the first %d replications are used.", REPLICATIONS_MAX);
}

static bool is_asked(const struct view *view, const char *metric)
{
    const struct sms__points_asked *asked = &view->points->asked;
    return asked->metric && asked->subject == view->subject && !strcmp(asked->metric, metric);
}

static void add_metric(struct view *view, const struct sms_metric *metric, bool asked)
{
    struct sms__query *query = &view->query;
    if (query->metrics < SMS__METRICS)
        query->metrics++;
    else
        view->left_out++;
    if (view->left_out && !asked)
        return;
    query->metric[query->metrics - 1] = *metric;
    if (asked)
        query->metric[query->metrics - 1].better = view->points->asked.better;
}

/* Keeps metrics with different values and a better direction, and the metric that is asked for. */
static void add_metrics(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct view *view = user;
    size_t count;
    const struct sms_metric *metric = sms_metrics(view->subject, &count);
    (void)points;
    for (int i = 0; i < sqlite3_column_count(row); i += 2) {
        long m = sms_metric_index(view->subject, sqlite3_column_name(row, i));
        bool asked = is_asked(view, metric[m].name);
        bool varies = sqlite3_column_double(row, i) < sqlite3_column_double(row, i + 1);
        if (sqlite3_column_type(row, i) != SQLITE_NULL && (varies || asked) && (metric[m].better || asked))
            add_metric(view, &metric[m], asked);
    }
}

/* Reads the metrics that the table has and this version knows. */
static void read_metrics(struct view *view)
{
    struct sms__points *points = view->points;
    json_t *columns = json_array(), *column;
    sms__query_run(points, &view->query, "SELECT name FROM pragma_table_info('$') ORDER BY cid", sms__query_list,
                   columns);
    sqlite3_str *text = sqlite3_str_new(points->file);
    size_t i;
    json_array_foreach(columns, i, column)
    {
        const char *name = json_string_value(json_array_get(column, 0));
        if (sms_metric_index(view->subject, name) >= 0)
            sqlite3_str_appendf(text, "%s min(%s) AS %s, max(%s)", sqlite3_str_length(text) ? "," : "SELECT", name,
                                name, name);
    }
    json_decref(columns);
    if (sqlite3_str_length(text) > 0)
        sqlite3_str_appendf(text, " FROM main.%s", view->query.table);
    else
        sqlite3_str_appendall(text, "SELECT 0 WHERE 0");
    sms__points_query(points, text, add_metrics, view);
    if (view->left_out)
        sms__page_note(
            points->page,
            "Of subject '%s', only %d of %zu metrics that differ are shown; that of the plan's answer is among them, "
            "and the tables of the sweep have all.",
            view->query.table, SMS__METRICS, SMS__METRICS + view->left_out);
}

/* A policy whose parameters vary has several labels. Returns what they begin with, as in "name(...)". */
static const char *make_label(struct sms__points *points, sqlite3_stmt *row)
{
    const char *first = sms__points_text(points, row, 0), *last = sms__points_text(points, row, 1);
    size_t common = 0;
    while (first[common] && first[common] == last[common])
        common++;
    const char *cut = memchr(first, '(', common);
    common = cut ? (size_t)(cut - first) : common;
    return strcmp(first, last) ? sms__print(&points->page->arena, "%.*s(...)", (int)common, first) : first;
}

static void add_policy(struct sms__points *points, sqlite3_stmt *row, void *policies)
{
    if (json_array_size(policies) < SMS__POSITIONS)
        json_array_append_new(policies, sms__json_text(make_label(points, row)));
    else
        sms__page_note(points->page, "Only the first %d policies are shown.", SMS__POSITIONS);
}

void sms__points_policies(struct sms__points *points, const char *table, json_t *policies)
{
    const struct sms__query query = {.table = table};
    sms__query_run(points, &query, "DROP TABLE IF EXISTS temp.positions", NULL, NULL);
    sms__query_run(
        points, &query,
        "CREATE TEMP TABLE positions AS SELECT row_number() OVER (ORDER BY position) - 1 AS i, position, low, high "
        "FROM (SELECT position, min(policy) AS low, max(policy) AS high FROM main.$ GROUP BY position "
        "ORDER BY position LIMIT 33)",
        NULL, NULL);
    sms__query_run(points, &query, "SELECT low, high FROM temp.positions ORDER BY i", add_policy, policies);
    sms__query_run(points, &query, "DELETE FROM temp.positions WHERE i >= 32", NULL, NULL);
}

static void read_names(struct view *view)
{
    struct sms__points *points = view->points;
    const struct sms__query *query = &view->query;
    sms__query_run(points, query, make_names, NULL, NULL);
    sms__query_run(points, query, "SELECT name FROM temp.names ORDER BY i", add_name, view);
    sms__query_run(points, query, "DELETE FROM temp.names WHERE i >= 12", NULL, NULL);
    sms__query_run(points, query, "SELECT max(replication) FROM main.$", check_replications, view);
    sms__points_policies(points, query->table, view->policies);
}

/* ---- groups of points ---- */

/* Adds the means of points with equal values of the axes of `query`, if their numbers are within the budget. Returns
 * whether it did. */
static bool try_group(struct view *view, struct sms__query *query, size_t *budget)
{
    const size_t k = query->axes,
                 each = 2 * query->metrics * json_array_size(view->names) * json_array_size(view->policies);
    size_t cells = 0;
    if (json_array_size(view->groups) == GROUPS_MAX)
        return false;
    sms__query_run(view->points, query, count_cells, sms__points_count, &cells);
    if (cells * each > *budget)
        return false;
    *budget -= cells * each;
    struct sms__query_rows rows = {json_array(), k + 4, query->metrics};
    json_t *axes = json_array();
    for (size_t i = 0; i < k; i++)
        json_array_append_new(axes, json_integer((json_int_t)query->axis[i]));
    json_array_append_new(view->groups, json_pack("{s:o, s:o}", "axes", axes, "rows", rows.list));
    sms__query_run(view->points, query, grouped, sms__query_nest, &rows);
    return true;
}

/* Tries all groups of `axes` axes, which are 1 or 2. Returns whether all were added. */
static bool try_groups(struct view *view, size_t axes, size_t *budget)
{
    struct sms__query query = view->query;
    bool all = true;
    query.axes = axes;
    for (size_t i = 0; i < view->points->axes; i++)
        for (size_t k = axes == 1 ? i : i + 1; k < (axes == 1 ? i + 1 : view->points->axes); k++) {
            query.axis[0] = i;
            query.axis[axes - 1] = k;
            all &= try_group(view, &query, budget);
        }
    return all;
}

/* Tries all axes together first, then single axes and pairs of axes. */
static void read_groups(struct view *view)
{
    struct sms__points *points = view->points;
    struct sms__query query = view->query;
    size_t budget = (SMS__PAGE_NUMBERS - points->numbers) / 2;
    const size_t allowed = budget;
    for (query.axes = 0; query.axes < points->axes; query.axes++)
        query.axis[query.axes] = query.axes;
    if (points->axes && !try_group(view, &query, &budget)) {
        if (!try_groups(view, 1, &budget))
            sms__page_note(points->page,
                           "Subject '%s' is not shown along every axis, because there are too many values.",
                           query.table);
        if (points->axes > 2 && json_array_size(view->groups))
            sms__page_note(points->page,
                           "There are too many points for a page. It has the means of subject '%s' along each axis%s.",
                           query.table,
                           try_groups(view, 2, &budget) ? " and each pair of axes" : " and some pairs of axes");
    }
    points->numbers += allowed - budget;
}

/* Adds the intervals along each axis whose numbers fit, if there are several replications. */
static void read_intervals(struct view *view)
{
    struct sms__points *points = view->points;
    struct sms__query query = view->query;
    query.axes = 1;
    for (size_t a = 0; a < points->axes && view->replications > 1; a++) {
        const size_t numbers =
            2 * query.metrics * points->axis[a].values * json_array_size(view->names) * json_array_size(view->policies);
        if (numbers > (SMS__PAGE_NUMBERS - points->numbers) / 8)
            continue;
        struct sms__query_rows rows = {json_array(), 3, query.metrics};
        points->numbers += numbers;
        query.axis[0] = a;
        json_array_append_new(view->intervals, json_pack("{s:i, s:o}", "axis", (int)a, "rows", rows.list));
        sms__query_run(points, &query, along, sms__query_nest, &rows);
    }
}

/* ---- verdicts ---- */

static void run_text(struct sms__points *points, const char *format, size_t m)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    const int index = (int)m;
    sqlite3_str_appendf(text, format, index, index);
    sms__points_query(points, text, NULL, NULL);
}

/* The group of the metric that is asked for, as the answer of each point has it. */
static const char verdicts_of_answer[] =
    "CREATE TEMP TABLE verdicts AS SELECT a.point AS at, n.i AS who, sum(1 << p.i) AS bits "
    "FROM main.answer a JOIN temp.positions p USING (position) JOIN temp.names n ON n.name = a.name "
    "WHERE a.in_group AND a.subject = '$'[ AND a.metric = '@'] GROUP BY a.point, n.i";

/* All policies where a percentile is the greatest latency, and not of jobs that last alike, or is 0 in most
 * replications of some policy: a database does not know of how many jobs it is. */
static const char verdicts_of_values[] =
    "CREATE TEMP TABLE verdicts AS SELECT at, who, sum(1 << i) AS bits FROM (SELECT r.point AS at, n.i AS who, p.i AS i"
    "[, max('@' <> 'job_latency_p50_ns' AND r.@ = r.job_latency_max_ns AND r.job_latency_p50_ns < r.@) AS most]"
    "[, avg(r.@ = 0) > 0.5 AND max(r.@) > 0 AS zeros] FROM main.$ r JOIN temp.positions p USING (position) "
    "JOIN temp.names n ON n.name = r.name GROUP BY r.point, n.i, p.i) GROUP BY at, who HAVING max(most) OR max(zeros)";

/* Where values allow no verdict, such as percentiles of few jobs, samples do not say so. */
static void take_verdicts(struct view *view, const char *verdicts, size_t m)
{
    struct sms__points *points = view->points;
    const struct sms__query one = {.table = view->query.table, .metric = {view->query.metric[m]}, .metrics = 1};
    size_t undecided = 0;
    sms__query_run(points, &one, verdicts, NULL, NULL);
    run_text(points,
             "DELETE FROM temp.verdicts WHERE bits = (SELECT g%d & 0xffffffff FROM temp.ties WHERE point = at AND "
             "name = who AND g%d IS NOT NULL)",
             m);
    sms__query_run(points, NULL, "SELECT count(DISTINCT at) FROM temp.verdicts", sms__points_count, &undecided);
    run_text(points, "UPDATE temp.ties SET g%d = bits, b%d = 0 FROM temp.verdicts WHERE point = at AND name = who", m);
    sms__query_run(points, NULL, "DROP TABLE temp.verdicts", NULL, NULL);
    if (undecided)
        sms__page_note(
            points->page,
            "%s does not distinguish policies at %zu %s: a percentile of few jobs is their maximum, and a median "
            "may be 0 in most replications.",
            view->query.metric[m].name, undecided, undecided == 1 ? "point" : "points");
}

static void take_all_verdicts(struct view *view)
{
    for (size_t m = 0; m < view->query.metrics && view->replications > 1; m++) {
        const char *metric = view->query.metric[m].name;
        if (view->subject == SMS_VM && !strncmp(metric, "job_latency_p", strlen("job_latency_p")))
            take_verdicts(view, verdicts_of_values, m);
        if (is_asked(view, metric))
            take_verdicts(view, verdicts_of_answer, m);
    }
}

/* ---- all ---- */

enum { STEPS = 9 }; /* of a subject, for progress */

static void read_subject(struct sms__points *points, enum sms_subject subject, json_t *list)
{
    static const char *const make[] = {make_samples, make_means, fill_means, make_linear, make_groups, fill_groups};
    struct view view = {.points = points, .subject = subject, .query = {.table = sms__subject_word(subject)}};
    read_metrics(&view);
    if (view.query.metrics == 0)
        return;
    json_t *metrics = json_array();
    struct sms__query_rows rows = {json_array(), 3, view.query.metrics};
    view.names = json_array();
    view.policies = json_array();
    view.groups = json_array();
    view.intervals = json_array();
    for (size_t i = 0; i < view.query.metrics; i++)
        json_array_append_new(metrics, json_string(view.query.metric[i].name));
    json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "subject", view.query.table, "names",
                                          view.names, "policies", view.policies, "metrics", metrics, "overall",
                                          rows.list, "groups", view.groups, "intervals", view.intervals));
    read_names(&view);
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        sms__query_run(points, &view.query, make[i], NULL, NULL);
        sms__page_step(points->page);
    }
    take_all_verdicts(&view);
    sms__query_run(points, &view.query, overall, sms__query_nest, &rows);
    sms__page_step(points->page);
    read_groups(&view);
    sms__page_step(points->page);
    read_intervals(&view);
    sms__page_step(points->page);
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++)
        sms__query_run(points, NULL, clean[i], NULL, NULL);
}

void sms__points_count_steps(struct sms__points *points)
{
    size_t kept = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct sms__query query = {.table = sms__subject_word(order[i])};
        size_t found = 0;
        sms__query_run(points, &query, "SELECT count(*) FROM main.sqlite_master WHERE name = '$'", sms__points_count,
                       &found);
        if (found)
            sms__query_run(points, &query, "SELECT EXISTS (SELECT 1 FROM main.$)", sms__points_count, &found);
        kept += found > 0;
    }
    points->page->steps = 2 + kept * STEPS;
}

void sms__points_subjects(struct sms__points *points)
{
    json_t *list = sms__json_keep(points->page->data, "subjects", json_array());
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        read_subject(points, order[i], list);
}
