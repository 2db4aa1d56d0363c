#include "database.h"

#include "../base/statistics.h"
#include "../report/output.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct sms__database {
    const struct sms__plan *plan;
    sqlite3 *file;
    sqlite3_stmt *point, *row[SMS_SUBJECTS];
    size_t replications; /* the most of any point */
    bool failed;
    char why[SMS__DATABASE_WHY];
};

static void fail(struct sms__database *database)
{
    if (!database->failed)
        snprintf(database->why, sizeof database->why, "%s", sqlite3_errmsg(database->file));
    database->failed = true;
}

/* Statements are put together in a text that sqlite3_str_finish hands out. */
static bool run(struct sms__database *database, sqlite3_str *text)
{
    char *sql = sqlite3_str_finish(text);
    if (!sql || sqlite3_exec(database->file, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(database);
    sqlite3_free(sql);
    return !database->failed;
}

static sqlite3_stmt *prepare(struct sms__database *database, const char *table, size_t columns)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendf(text, "INSERT INTO \"%w\" VALUES (?", table);
    for (size_t i = 1; i < columns; i++)
        sqlite3_str_appendall(text, ",?");
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    if (!sql || sqlite3_prepare_v2(database->file, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(database);
    sqlite3_free(sql);
    return statement;
}

/* NUMERIC: what is a number is kept as one; "75 %" stays a text, of which CAST(... AS REAL) is 75. */
static void make_points(struct sms__database *database)
{
    const struct sms__plan *plan = database->plan;
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendall(text,
                          "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 16384; BEGIN;"
                          "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
                          "CREATE TABLE point (point INTEGER PRIMARY KEY, scenario TEXT, state TEXT, message TEXT");
    for (size_t i = 0; i < plan->columns; i++)
        sqlite3_str_appendf(text, ", \"%w\" NUMERIC", plan->column[i].path->text);
    sqlite3_str_appendall(text, ");");
    if (run(database, text))
        database->point = prepare(database, "point", 4 + plan->columns);
}

static void make_subject(struct sms__database *database, enum sms_subject subject)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendf(
        text,
        "CREATE TABLE %s (point INTEGER, position INTEGER, replication INTEGER, name TEXT, policy TEXT, "
        "number INTEGER",
        sms__subject_word(subject));
    for (size_t m = 0; m < metrics; m++)
        sqlite3_str_appendf(text, ", %s REAL", metric[m].name);
    sqlite3_str_appendall(text, ", PRIMARY KEY (point, position, replication, name, number)) WITHOUT ROWID;");
    if (run(database, text))
        database->row[subject] = prepare(database, sms__subject_word(subject), 6 + metrics);
}

struct sms__database *sms__database_begin(const char *path, const struct sms__plan *plan)
{
    struct sms__database *database = calloc(1, sizeof *database);
    if (!database)
        return NULL;
    database->plan = plan;
    if (sqlite3_open_v2(path, &database->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        fail(database);
    if (!database->failed)
        make_points(database);
    for (int s = 0; s < SMS_SUBJECTS && !database->failed; s++)
        if (plan->keep & 1u << s)
            make_subject(database, (enum sms_subject)s);
    return database;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static bool insert(struct sms__database *database, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE || sqlite3_reset(statement) != SQLITE_OK)
        fail(database);
    return !database->failed;
}

bool sms__database_point(struct sms__database *database, const struct sms__merged_point *point)
{
    if (database->failed)
        return false;
    sqlite3_bind_int64(database->point, 1, (sqlite3_int64)point->point);
    bind_text(database->point, 2, point->scenario);
    bind_text(database->point, 3, point->state);
    bind_text(database->point, 4, point->message);
    for (size_t i = 0; i < database->plan->columns; i++)
        bind_text(database->point, 5 + (int)i, point->value[i]);
    return insert(database, database->point);
}

bool sms__database_row(struct sms__database *database, const struct sms__merged_row *row)
{
    size_t metrics;
    sqlite3_stmt *statement = database->row[row->subject];
    sms_metrics(row->subject, &metrics);
    if (database->failed)
        return false;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)row->point);
    sqlite3_bind_int64(statement, 2, row->position);
    sqlite3_bind_int64(statement, 3, row->replication);
    if (row->replication >= database->replications)
        database->replications = (size_t)row->replication + 1;
    bind_text(statement, 4, row->name);
    bind_text(statement, 5, row->policy);
    sqlite3_bind_int64(statement, 6, row->number);
    for (size_t m = 0; m < metrics; m++)
        if (isnan(row->value[m]))
            sqlite3_bind_null(statement, 7 + (int)m);
        else
            sqlite3_bind_double(statement, 7 + (int)m, row->value[m]);
    return insert(database, statement);
}

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
static void make_views(struct sms__database *database, enum sms_subject subject)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    const char *word = sms__subject_word(subject);
    sqlite3_str *text = sqlite3_str_new(database->file);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        sqlite3_str_appendf(text, "CREATE VIEW %s_%s AS ", word, views[v].name);
        append_means(text, &views[v], subject, false);
        sqlite3_str_appendf(text, ";CREATE VIEW %s_%s_ci95 AS SELECT point, position, policy, name, replications", word,
                            views[v].name);
        for (size_t m = 0; m < metrics; m++) {
            const char *name = metric[m].name;
            sqlite3_str_appendf(text,
                                ", %s, CASE WHEN %s IS NOT NULL THEN "
                                "sqrt(max(0, (s_%s - c_%s * d_%s * d_%s) / (c_%s - 1) / c_%s)) * "
                                "(SELECT t95 FROM student WHERE n = c_%s) END AS ci95_%s, "
                                "CASE WHEN %s IS NOT NULL THEN c_%s ELSE 0 END AS n_%s",
                                name, name, name, name, name, name, name, name, name, name, name, name, name);
        }
        sqlite3_str_appendall(text, " FROM (");
        append_means(text, &views[v], subject, true);
        sqlite3_str_appendall(text, ");");
    }
    run(database, text);
}

/* Factors of Student's 95 % intervals, for as many replications as there are: SQLite has none. */
static void make_student(struct sms__database *database)
{
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendall(text, "CREATE TABLE student (n INTEGER PRIMARY KEY, t95 REAL);");
    for (size_t n = 2; n <= database->replications; n++)
        sqlite3_str_appendf(text, "INSERT INTO student VALUES (%llu, %.17g);", (unsigned long long)n,
                            sms__student95(n));
    run(database, text);
}

static void fill_meta(struct sms__database *database, const struct sms__index *index)
{
    const struct sms__plan *plan = database->plan;
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendf(text,
                        "INSERT INTO meta VALUES ('format', 1), ('version', %Q), ('plan', %Q), ('question', %Q), "
                        "('text', %Q), ('points', %llu), ('done', %llu), ('failed', %llu);",
                        SMSCHED_VERSION, plan->name, plan->question ? plan->question : "", plan->node->mark.text,
                        (unsigned long long)plan->points, (unsigned long long)index->done,
                        (unsigned long long)index->failed);
    if (plan->keep & 1u << SMS_HOST)
        sqlite3_str_appendall(text, "CREATE VIEW best AS SELECT point, policy, max(kernels_per_s) AS kernels_per_s "
                                    "FROM host_mean GROUP BY point;");
    sqlite3_str_appendall(text, "COMMIT;");
    run(database, text);
}

bool sms__database_end(struct sms__database *database, const struct sms__index *index, char why[SMS__DATABASE_WHY])
{
    if (!database->failed)
        make_student(database);
    for (int s = 0; s < SMS_SUBJECTS && !database->failed; s++)
        if (database->row[s])
            make_views(database, (enum sms_subject)s);
    if (!database->failed)
        fill_meta(database, index);
    sqlite3_finalize(database->point);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        sqlite3_finalize(database->row[s]);
    if (sqlite3_close(database->file) != SQLITE_OK)
        fail(database);
    bool whole = !database->failed;
    memcpy(why, database->why, sizeof database->why);
    free(database);
    return whole;
}
