/* Creates the tables of a sweep's database, and completes it. The first failure is kept, and everything after it does
 * nothing. */
#include "database.h"
#include "frontier.h"

#include "../base/sources.h"
#include "../base/statistics.h"
#include "../report/output.h"

#include <math.h>
#include <sqlite3.h>

static void fail(struct sms__database *database)
{
    if (!database->failed)
        snprintf(database->message, sizeof database->message, "%s", sqlite3_errmsg(database->file));
    database->failed = true;
}

/* Runs the statements and frees `text`. */
static bool run(struct sms__database *database, sqlite3_str *text)
{
    char *sql = sqlite3_str_finish(text);
    if (!sql || sqlite3_exec(database->file, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(database);
    sqlite3_free(sql);
    return !database->failed;
}

static sqlite3_str *begin_sql(const struct sms__database *database, const char *sql)
{
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendall(text, sql);
    return text;
}

/* Creates a table with the SQL in `text`, and returns the statement that inserts a row into it. */
static sqlite3_stmt *make_table(struct sms__database *database, sqlite3_str *text, const char *table, size_t columns)
{
    sqlite3_stmt *statement = NULL;
    if (!run(database, text))
        return NULL;
    text = begin_sql(database, "INSERT INTO ");
    sqlite3_str_appendf(text, "%s VALUES (?", table);
    for (size_t i = 1; i < columns; i++)
        sqlite3_str_appendall(text, ",?");
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    if (!sql || sqlite3_prepare_v2(database->file, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(database);
    sqlite3_free(sql);
    return statement;
}

static const char answer_sql[] =
    "CREATE TABLE answer (point INTEGER, position INTEGER, policy TEXT, subject TEXT, name TEXT, metric TEXT, better "
    "INTEGER, value REAL, in_group INTEGER, left_ratio REAL, told INTEGER, ci95 REAL, PRIMARY KEY (point, position)) "
    "WITHOUT ROWID;"
    "CREATE VIEW best AS SELECT point, policy, subject, name, metric, value, (SELECT count(*) - 1 FROM answer g "
    "WHERE g.point = b.point AND g.in_group) AS not_told_apart FROM (SELECT *, max(better * value) FROM "
    "answer WHERE value IS NOT NULL GROUP BY point) b";
/* Along an axis that is a parameter of a policy, its name changes with the parameter: it is still one line. */
static const char line_sql[] =
    "CREATE TABLE line AS SELECT scenario, position, policy, CASE WHEN count(*) OVER same = 1 THEN policy "
    "WHEN min(base) OVER same = max(base) OVER same THEN base || '(...)' ELSE policy END AS line FROM "
    "(SELECT DISTINCT scenario, position, policy, substr(policy, 1, instr(policy || '(', '(') - 1) AS base "
    "FROM answer JOIN point USING (point)) WINDOW same AS (PARTITION BY scenario, position) "
    "ORDER BY scenario, position, policy;";
static const char gain_alone_sql[] =
    "CREATE TABLE gain_alone (point INTEGER, position INTEGER, policy TEXT, name TEXT, "
    "gain_ratio REAL, PRIMARY KEY (point, position, name)) WITHOUT ROWID";
static const char bound_sql[] =
    "CREATE TABLE bound (point INTEGER, metric TEXT, steady_per_s REAL, run_per_s REAL, binds TEXT, share_ratio REAL, "
    "no_bound_because TEXT, PRIMARY KEY (point, metric)) WITHOUT ROWID";

/* NUMERIC columns store numbers as numbers. "75 %" stays text, and CAST(... AS REAL) makes it 75. */
static void make_points(struct sms__database *database)
{
    const struct sms__plan *plan = database->plan;
    sqlite3_str *text =
        begin_sql(database, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 16384; BEGIN;"
                            "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
                            "CREATE TABLE point (point INTEGER PRIMARY KEY, scenario TEXT, state TEXT, message TEXT");
    for (size_t i = 0; i < plan->columns; i++)
        sqlite3_str_appendf(text, ", \"%w\" NUMERIC", plan->column[i].path->text);
    sqlite3_str_appendall(text, ")");
    database->point = make_table(database, text, "point", 4 + plan->columns);
}

static void make_found(struct sms__database *database)
{
    const char *const *names = sms__search_names(database->plan);
    sqlite3_str *text = begin_sql(database, "CREATE TABLE found (point INTEGER, position INTEGER, policy TEXT, ");
    sqlite3_str_appendf(text, "%s NUMERIC, %s NUMERIC, state TEXT, remark TEXT, points INTEGER, replications INTEGER)",
                        names[0], names[1]);
    database->found = make_table(database, text, "found", 9);
}

static void make_subject(struct sms__database *database, enum sms_subject subject)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    sqlite3_str *text = begin_sql(database, "CREATE TABLE ");
    sqlite3_str_appendf(text,
                        "%s (point INTEGER, position INTEGER, replication INTEGER, name TEXT, policy TEXT, number "
                        "INTEGER",
                        sms__subject_word(subject));
    for (size_t m = 0; m < metrics; m++)
        sqlite3_str_appendf(text, ", %s REAL", metric[m].name);
    sqlite3_str_appendall(text, ", PRIMARY KEY (point, position, replication, name, number)) WITHOUT ROWID");
    database->row[subject] = make_table(database, text, sms__subject_word(subject), 6 + metrics);
}

void sms__database_begin(struct sms__database *database, const char *path, const struct sms__plan *plan)
{
    *database = (struct sms__database){.plan = plan};
    if (sqlite3_open_v2(path, &database->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK) {
        fail(database);
        return;
    }
    make_points(database);
    database->answer = make_table(database, begin_sql(database, answer_sql), "answer", 12);
    database->gain_alone = make_table(database, begin_sql(database, gain_alone_sql), "gain_alone", 5);
    if (plan->search_node)
        make_found(database);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (plan->keep & 1u << s)
            make_subject(database, (enum sms_subject)s);
    if (plan->keep & SMS__KEEP_BOUND)
        database->bound = make_table(database, begin_sql(database, bound_sql), "bound", 7);
}

void sms__bind_text(sqlite3_stmt *statement, int parameter, const char *text)
{
    sqlite3_bind_text(statement, parameter, text, -1, SQLITE_STATIC);
}

void sms__bind_number(sqlite3_stmt *statement, int parameter, double value)
{
    if (isnan(value))
        sqlite3_bind_null(statement, parameter);
    else
        sqlite3_bind_double(statement, parameter, value);
}

bool sms__database_insert(struct sms__database *database, sqlite3_stmt *statement)
{
    if (database->failed)
        return false;
    if (sqlite3_step(statement) != SQLITE_DONE || sqlite3_reset(statement) != SQLITE_OK)
        fail(database);
    return !database->failed;
}

/* Tabulates the factors of Student's 95 % intervals, which SQLite cannot compute. */
static void make_student(struct sms__database *database)
{
    sqlite3_str *text = begin_sql(database, "CREATE TABLE student (n INTEGER PRIMARY KEY, t95 REAL);");
    for (uint32_t n = 2; n <= database->replications; n++)
        sqlite3_str_appendf(text, "INSERT INTO student VALUES (%u, %.17g);", n, sms__student95(n));
    run(database, text);
}

static void make_views(struct sms__database *database)
{
    sqlite3_str *text = begin_sql(database, line_sql);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (database->row[s])
            sms__database_views(text, (enum sms_subject)s);
    if (database->row[SMS_HOST] && database->bound)
        sms__database_gaps(text, false);
    sms__database_alone(text, database->plan);
    run(database, text);
}

struct filling {
    const struct sms__plan *plan;
    sqlite3_str *text;
    struct sms__arena *arena;
};

/* Whether an axis changes tenants in a way that may change their deadlines. */
static bool varies_deadlines(const struct sms__plan *plan)
{
    bool varies = false;
    for (size_t i = 0; i < plan->columns; i++) {
        const char *path = plan->column[i].path->text, *rest = sms__path_after(path, "vms");
        rest = rest ? rest : sms__path_after(path, "processes");
        const char *field = rest ? strchr(rest, '.') : NULL;
        varies |= (rest && !field) || (field && !strcmp(field, ".deadline"));
    }
    return varies;
}

static void fill_deadlines(const struct filling *filling, const struct sms_scenario *scenario)
{
    const char **name = sms__subject_names(filling->arena, scenario, SMS_VM);
    for (size_t v = 0; v < scenario->vms; v++)
        if (scenario->vm[v].deadline_ps > 0)
            sqlite3_str_appendf(filling->text, "INSERT INTO deadline VALUES (%Q, %Q, %.17g);", scenario->name, name[v],
                                scenario->vm[v].deadline_ps / 1e3);
}

/* For sms__guard. */
static int fill_rows(void *user)
{
    const struct filling *filling = user;
    const struct sms__plan *plan = filling->plan;
    for (size_t i = 0; i < plan->columns; i++)
        sqlite3_str_appendf(filling->text, "INSERT INTO axis VALUES (%Q, %Q, %d);", plan->column[i].path->text,
                            sms__column_words(filling->arena, plan, &plan->column[i]), plan->column[i].range.log);
    if (plan->search_node)
        sqlite3_str_appendf(filling->text, "INSERT INTO meta VALUES ('vary', %Q), ('asks', %Q);",
                            plan->column[plan->axis[plan->axes - 1].first].path->text,
                            sms__search_says(filling->arena, plan));
    for (size_t b = 0; b < plan->bases && !varies_deadlines(plan); b++)
        for (size_t i = 0; i < plan->base[b].scenarios; i++)
            fill_deadlines(filling, sms_file_scenario(plan->base[b].library, i));
    return SMS_OK;
}

static void fill_meta(struct sms__database *database, const struct sms__index *index)
{
    const struct sms__plan *plan = database->plan;
    sqlite3_str *text = sqlite3_str_new(database->file);
    sqlite3_str_appendf(text,
                        "INSERT INTO meta VALUES ('format', 1), ('version', %Q), ('sources', %Q), ('plan', %Q), "
                        "('question', %Q), ('text', %Q), ('points', %llu), ('done', %llu), ('failed', %llu);",
                        SMSCHED_VERSION, sms__sources(), plan->name, plan->question ? plan->question : "",
                        plan->node->mark.text, (unsigned long long)index->wanted, (unsigned long long)index->done,
                        (unsigned long long)index->failed);
    if (plan->fixed[SMS__PLAN_ANSWER])
        sqlite3_str_appendf(text,
                            "INSERT INTO meta VALUES ('answer', json_object('metric', %Q, 'of', %Q, 'better', %Q));",
                            sms__plan_asks(plan, "metric"), sms__plan_asks(plan, "of"), sms__plan_asks(plan, "better"));
    sqlite3_str_appendall(text, "COMMIT;");
    run(database, text);
}

/* What figures ask of the plan: the words and scales of varied fields, and deadlines that no field varies. */
static void fill_plan(struct sms__database *database)
{
    const struct sms__plan *plan = database->plan;
    struct sms__arena arena = {0};
    sqlite3_str *text = begin_sql(database, "CREATE TABLE axis (path TEXT, words TEXT, log INTEGER);"
                                            "CREATE TABLE deadline (scenario TEXT, name TEXT, deadline_ns REAL);");
    struct filling filling = {plan, text, &arena};
    if (sms__guard(&arena, fill_rows, &filling) || !sms__database_caveats(database, text)) {
        snprintf(database->message, sizeof database->message, "out of memory");
        database->failed = true;
    }
    run(database, text);
    sms__arena_release(&arena);
}

bool sms__database_end(struct sms__database *database, const struct sms__index *index)
{
    if (!database->failed)
        make_student(database);
    if (!database->failed)
        make_views(database);
    if (!database->failed)
        fill_plan(database);
    if (!database->failed)
        fill_meta(database, index);
    for (sqlite3_stmt *left; database->file && (left = sqlite3_next_stmt(database->file, NULL));)
        sqlite3_finalize(left);
    if (sqlite3_close(database->file) != SQLITE_OK)
        fail(database);
    return !database->failed;
}
