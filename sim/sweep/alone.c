/* Finds where an axis moves the speed of tenants alone, by which metrics such as stp_ratio divide: there they change
 * even if nothing does in company. */
#include "database.h"

#include "../base/escape.h"
#include "../report/output.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

enum { NAMED = 3 };

/* Metrics that have a value only after the stand-alone runs divide by it, apart from its own. */
static const char *const divided[][2] = {
#define HOST_ALONE(name, better, value, words, formula) {"host", #name},
#define VM_ALONE(name, better, value, words, formula) {"vm", #name},
#define PROCESS_ALONE(name, better, fold, value, words, formula) {"process", #name},
#include "../results/metrics.def"
};

/* The first replication is enough: points share its random numbers, so an axis that does not matter leaves speeds
 * equal. */
static const char make_sql[] =
    "CREATE TABLE divides (subject TEXT, metric TEXT, PRIMARY KEY (subject, metric)) WITHOUT ROWID;"
    "CREATE TABLE alone (axis TEXT, name TEXT, least_ratio REAL, most_ratio REAL);";
/* Format: stages. A value of a race is where its last one is, so points are told apart without them. */
static const char speed_sql[] =
    "CREATE TEMP TABLE speed AS SELECT point / %llu AS point, scenario, name, alone_blocks_per_s AS speed "
    "FROM vm JOIN point USING (point) WHERE position = 0 AND replication = 0 AND alone_blocks_per_s IS NOT NULL;";
/* Each speed is compared with that of the first point that differs from its own along the axis only, because points of
 * other axes may be missing. Means are of those that are compared with the same value of the axis. Format: stride and
 * count of the axis in points, stride; path. */
static const char fill_sql[] =
    "WITH placed AS (SELECT *, point / %llu %% %llu AS at FROM speed), "
    "compared AS (SELECT *, first_value(speed) OVER line AS first, first_value(at) OVER line AS since FROM placed "
    "WINDOW line AS (PARTITION BY name, point - at * %llu ORDER BY point)), "
    "changed AS (SELECT name, sum(speed) / sum(first) - 1 AS change FROM compared GROUP BY scenario, name, since, at) "
    "INSERT INTO alone SELECT %Q, name, min(change), max(change) FROM changed "
    "GROUP BY name HAVING max(abs(change)) >= 0.005 ORDER BY name;";

/* Not of fields that are drawn together: each point of such an axis changes all of them. */
static void fill_axis(sqlite3_str *text, const struct sms__plan *plan, const struct sms__column *column)
{
    const struct sms__axis *axis = &plan->axis[column->axis];
    unsigned long long stride = 1, count = axis->count;
    if ((axis->fraction || axis->entry) && axis->columns > 1)
        return;
    for (const struct sms__axis *later = axis + 1; later < plan->axis + plan->axes; later++)
        stride *= later->count;
    sqlite3_str_appendf(text, fill_sql, stride, count, stride, column->path->text);
}

void sms__database_alone(sqlite3_str *text, const struct sms__plan *plan)
{
    sqlite3_str_appendall(text, make_sql);
    for (size_t i = 0; i < sizeof divided / sizeof *divided; i++)
        if (strcmp(divided[i][1], "alone_blocks_per_s") != 0)
            sqlite3_str_appendf(text, "INSERT INTO divides VALUES (%Q, %Q);", divided[i][0], divided[i][1]);
    if (!(plan->keep & 1U << SMS_VM))
        return;
    sqlite3_str_appendf(text, speed_sql, (unsigned long long)plan->search.stages);
    for (size_t i = 0; i < plan->columns; i++)
        fill_axis(text, plan, &plan->column[i]);
    sqlite3_str_appendall(text, "DROP TABLE temp.speed;");
}

/* ---- in words ---- */

static const char read_sql[] =
    "SELECT metric, axis, a.name, least_ratio, most_ratio, subject = 'host' FROM (SELECT DISTINCT subject, name, "
    "metric FROM answer) q JOIN divides USING (subject, metric) JOIN alone a ON subject = 'host' OR a.name = q.name "
    "ORDER BY metric, axis, a.rowid";

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

/* A change in whole percent, "+5" or "-40". */
static void put_percent(double ratio, FILE *to)
{
    const long percent = lround(100 * ratio);
    fprintf(to, "%s%ld", percent > 0 ? "+" : "", percent);
}

static void put_tenant(sqlite3_stmt *row, const char *before, FILE *to)
{
    fputs(before, to);
    sms__print_visible(to, text_of(row, 2));
    fputs(" by ", to);
    put_percent(sqlite3_column_double(row, 3), to);
    fputs(" to ", to);
    put_percent(sqlite3_column_double(row, 4), to);
    fputs(" %", to);
}

static void end_line(size_t tenants, const char *throughput, FILE *to)
{
    if (tenants > NAMED)
        fprintf(to, " and %zu more", tenants - NAMED);
    if (tenants)
        fprintf(to, "; %s does not divide by it\n", throughput);
}

/* A line for each metric that is asked for and axis. */
static void say_rows(sqlite3_stmt *rows, FILE *to)
{
    char line[200] = "", next[200];
    const char *throughput = "";
    size_t tenants = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        snprintf(next, sizeof next, "%s\n%s", text_of(rows, 0), text_of(rows, 1));
        if (strcmp(line, next) != 0) {
            end_line(tenants, throughput, to);
            fprintf(to, "the speed alone, which %s divides by, moves along ", text_of(rows, 0));
            sms__print_visible(to, text_of(rows, 1));
            memcpy(line, next, sizeof line);
            tenants = 0;
        }
        throughput = sqlite3_column_int(rows, 5) ? "kernels_per_s" : "jobs_per_s";
        if (tenants++ < NAMED)
            put_tenant(rows, tenants == 1 ? ": " : ", ", to);
    }
    end_line(tenants, throughput, to);
}

void sms__sweep_say_alone(const char *folder, FILE *to)
{
    char path[SMS__PATH_BYTES];
    sqlite3 *file = NULL;
    sqlite3_stmt *rows = NULL;
    if ((size_t)snprintf(path, sizeof path, "%s/results/sweep.db", folder) < sizeof path &&
        sqlite3_open_v2(path, &file, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(file, read_sql, -1, &rows, NULL) == SQLITE_OK)
        say_rows(rows, to);
    sqlite3_finalize(rows);
    sqlite3_close(file);
}
