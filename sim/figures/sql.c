/* What SQLite lacks and the SQL of figures needs. */
#include "figures.h"

#include "../base/escape.h"
#include "../base/sqlite.h"
#include "../results/metrics.h"

#include <string.h>

enum { LANES_MOST = 300 };

static bool has_column(sqlite3 *file, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(file, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* Names the file that lacks the metric for which a query failed, because it was cut short or edited. */
static bool names_file(struct sms__figures *figures, const char *problem)
{
    static const struct {
        const char *table;
        enum sms_subject subject;
    } of[] = {{"hosts", SMS_HOST},        {"vms", SMS_VM},         {"resources", SMS_RESOURCE},
              {"processes", SMS_PROCESS}, {"devices", SMS_DEVICE}, {"cluster", SMS_CLUSTER},
              {"classes", SMS_CLASS}};
    static const char lacks[] = "no such column: ";
    if (strncmp(problem, lacks, strlen(lacks)) != 0)
        return false;
    const char *name = problem + strlen(lacks), *dot = strrchr(name, '.');
    const char *column = sms__copy(&figures->arena, dot ? dot + 1 : name, strlen(dot ? dot + 1 : name));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (sms_metric_index(of[i].subject, column) < 0 || !has_column(figures->file, of[i].table, NULL) ||
            has_column(figures->file, of[i].table, column))
            continue;
        const char *path = sms__print(&figures->arena, "%s/%s.csv", figures->source, of[i].table);
        sms__error(&figures->errors, SMS_EINPUT, (struct sms__mark){path, NULL, 1, 1}, "has no column '%.60s'", column);
        return true;
    }
    return false;
}

int sms__figures_error(struct sms__figures *figures, const char *what)
{
    if (figures->errors.count)
        return SMS_EINPUT;
    if (atomic_load(figures->cancel))
        return SMS_ECANCELED;
    if (sqlite3_errcode(figures->file) == SQLITE_ERROR && names_file(figures, sqlite3_errmsg(figures->file)))
        return SMS_EINPUT;
    char in[300];
    snprintf(in, sizeof in, "%s: ", what);
    return sms__sqlite_fail(figures->file, figures->source, in, "; are these results of smsched?", &figures->errors);
}

/* Compares names by bytes, but numbers in them by value. Names of SQLite's end with a NUL only if they are text. */
static int compare_names(void *none, int a_bytes, const void *a, int b_bytes, const void *b)
{
    const char *x = a, *y = b, *x_end = x + a_bytes, *y_end = y + b_bytes;
    (void)none;
    while (x < x_end && y < y_end) {
        size_t m = 0, n = 0;
        while (x + m < x_end && x[m] >= '0' && x[m] <= '9')
            m++;
        while (y + n < y_end && y[n] >= '0' && y[n] <= '9')
            n++;
        int order = m && n ? (m != n ? (m > n) - (m < n) : memcmp(x, y, m)) : (unsigned char)*x - (unsigned char)*y;
        if (order)
            return order;
        x += m && n ? m : 1;
        y += m && n ? n : 1;
    }
    return (x < x_end) - (y < y_end);
}

/* wrap(text, most): breaks a name into lines of at most `most` characters: after a blank of a line's second half, or
 * else after a sign. A number keeps its "%". */
static void wrap(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *at = (const char *)sqlite3_value_text(value[0]);
    const int most = sqlite3_value_int(value[1]);
    sqlite3_str *out = sqlite3_str_new(NULL);
    (void)count;
    while (at && *at) {
        const char *end = at, *good = NULL, *blank = NULL;
        int letters = 0;
        for (; *end && letters < most; letters++) {
            size_t bytes = sms__utf8_length(end);
            end += bytes ? bytes : 1;
            if (end[-1] == ' ' && *end == '%')
                continue;
            if (strchr(" _,(/+=-:", end[-1]) && letters > most / 3)
                good = end;
            if (end[-1] == ' ' && letters > most / 2)
                blank = end;
        }
        if (*end)
            end = blank ? blank : good ? good : end;
        sqlite3_str_append(out, at, (int)(end - at));
        at = end;
        if (*at)
            sqlite3_str_appendall(out, "\n");
    }
    char *text = sqlite3_str_finish(out);
    sqlite3_result_text(context, text ? text : "", -1, text ? sqlite3_free : SQLITE_STATIC);
}

/* lane(start, end) OVER (... ORDER BY start ROWS UNBOUNDED PRECEDING): the first lane, from 0, that is free by then. */
struct lanes {
    double busy[LANES_MOST];
    int lanes, lane;
};

static void lane_step(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct lanes *lanes = sqlite3_aggregate_context(context, sizeof *lanes);
    (void)count;
    if (!lanes)
        return;
    const double start = sqlite3_value_double(value[0]);
    lanes->lane = 0;
    while (lanes->lane < lanes->lanes && lanes->busy[lanes->lane] > start)
        lanes->lane++;
    lanes->lane = lanes->lane < LANES_MOST ? lanes->lane : LANES_MOST - 1;
    lanes->lanes = lanes->lane < lanes->lanes ? lanes->lanes : lanes->lane + 1;
    lanes->busy[lanes->lane] = sqlite3_value_double(value[1]);
}

static void lane_value(sqlite3_context *context)
{
    const struct lanes *lanes = sqlite3_aggregate_context(context, sizeof *lanes);
    sqlite3_result_int(context, lanes ? lanes->lane : 0);
}

static void lane_inverse(sqlite3_context *context, int count, sqlite3_value **value)
{
    (void)context, (void)count, (void)value;
}

static bool fill_palette(sqlite3 *file)
{
#define SMS__COLOUR(kind, name, rgb) "INSERT INTO temp.palette VALUES ('" kind "', '" name "', " #rgb ");"
    static const char sql[] = "CREATE TEMP TABLE palette (kind TEXT, name TEXT, rgb INTEGER);"
#include "../report/palette.def"
        ;
#undef SMS__COLOUR
    return sqlite3_exec(file, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* The words of metrics, the kinds of their units, and the superlatives of their greatest and least values. */
static bool fill_words(sqlite3 *file)
{
    static const char create[] = "CREATE TEMP TABLE metric_words (metric TEXT PRIMARY KEY, words TEXT, kind TEXT, "
                                 "most TEXT, least TEXT)";
    static const char insert[] = "INSERT OR IGNORE INTO temp.metric_words VALUES (?1, ?2, CASE WHEN ?1 GLOB '*_ns' "
                                 "THEN 'time' WHEN ?1 GLOB '*_bytes' THEN 'bytes' WHEN ?1 GLOB '*_j' THEN 'energy' "
                                 "ELSE 'count' END, ?3, ?4)";
    sqlite3_stmt *row = NULL;
    bool ok = sqlite3_exec(file, create, NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(file, insert, -1, &row, NULL) == SQLITE_OK;
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        for (size_t m = 0; m < count && ok; m++)
            ok = sqlite3_bind_text(row, 1, metric[m].name, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_bind_text(row, 2, metric[m].words, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_bind_text(row, 3, sms__metric_superlative(metric[m].words, true), -1, SQLITE_STATIC) ==
                     SQLITE_OK &&
                 sqlite3_bind_text(row, 4, sms__metric_superlative(metric[m].words, false), -1, SQLITE_STATIC) ==
                     SQLITE_OK &&
                 sqlite3_step(row) == SQLITE_DONE && sqlite3_reset(row) == SQLITE_OK;
    }
    sqlite3_finalize(row);
    return ok;
}

int sms__figures_functions(struct sms__figures *figures)
{
    sqlite3 *file = figures->file;
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    /* Else a column that is not there would be a text, if its name is in double quotes. */
    bool ok = sqlite3_db_config(file, SQLITE_DBCONFIG_DQS_DML, 0, NULL) == SQLITE_OK &&
              sqlite3_create_function(file, "wrap", 2, flags, NULL, wrap, NULL, NULL) == SQLITE_OK &&
              sqlite3_create_window_function(file, "lane", 2, SQLITE_UTF8, NULL, lane_step, lane_value, lane_value,
                                             lane_inverse, NULL) == SQLITE_OK &&
              sqlite3_create_collation(file, "natural_order", SQLITE_UTF8, NULL, compare_names) == SQLITE_OK &&
              fill_palette(file) && fill_words(file);
    return ok ? SMS_OK : sms__figures_error(figures, "setup");
}
