/* Simulates one point of a sweep again for its timeline. The results must equal those in the database, bit for bit. */
#include "points.h"

#include "../report/json_write.h"
#include "../base/sources.h"
#include "../report/output.h"

#include <math.h>
#include <string.h>

struct rerun {
    struct sms__page_point point;
    uint64_t points;
    const char *sources, *state, *message;
    bool has_key;
    /* used while the results are compared */
    enum sms_subject subject;
    bool differs;
};

static void take_meta(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct rerun *rerun = user;
    const char *key = sms__points_text(points, row, 0), *value = sms__points_text(points, row, 1);
    if (!strcmp(key, "points"))
        rerun->points = (uint64_t)sqlite3_column_int64(row, 1);
    else if (!strcmp(key, "sources"))
        rerun->sources = value;
    else if (!strcmp(key, "version"))
        rerun->point.version = value;
    else if (!strcmp(key, "text"))
        rerun->point.text = value;
}

static void take_point(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct rerun *rerun = user;
    rerun->state = sms__points_text(points, row, 0);
    rerun->message = sms__points_text(points, row, 1);
}

static void take_key(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct rerun *rerun = user;
    (void)points;
    rerun->has_key = sqlite3_column_bytes(row, 0) == SMS__KEY_BYTES;
    if (rerun->has_key)
        memcpy(rerun->point.key, sqlite3_column_blob(row, 0), SMS__KEY_BYTES);
}

static void query_point(struct sms__points *points, struct rerun *rerun, const char *what, sms__points_row *take)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text, "SELECT %s WHERE point = %llu", what, (unsigned long long)rerun->point.point);
    sms__points_query(points, text, take, rerun);
}

/* Reads the point from the database, and reports why it cannot be simulated again. */
static void read_point(struct sms__points *points, struct rerun *rerun)
{
    const unsigned long long number = rerun->point.point;
    sms__query_run(points, NULL, "SELECT key, value FROM main.meta", take_meta, rerun);
    query_point(points, rerun, "state, message FROM main.point", take_point);
    if (points->code != SMS_OK)
        return;
    if (!rerun->state)
        sms__points_fail(points, "there is no point %llu; the sweep has %llu points, numbered from 0", number,
                         (unsigned long long)rerun->points);
    else if (!strcmp(rerun->state, "failed"))
        sms__points_fail(points, "point %llu failed: %.300s", number, rerun->message);
    else if (strcmp(rerun->state, "done") != 0)
        sms__points_fail(points, "point %llu has not been run", number);
    else if (strcmp(rerun->sources, sms__sources()) != 0)
        sms__points_fail(points,
                         "made by smsched %.40s (sources %.40s), but this is %s (sources %s); only the same program "
                         "can simulate a point again, and 'smsched sweep' runs all points anew",
                         rerun->point.version, *rerun->sources ? rerun->sources : "unknown", SMSCHED_VERSION,
                         sms__sources());
    query_point(points, rerun, "key FROM main.record", take_key);
    if (points->code == SMS_OK && !rerun->has_key)
        sms__points_fail(points, "has no key for point %llu", number);
}

/* ---- comparing the results ---- */

static void compare_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct rerun *rerun = user;
    const struct sms_results *results = points->page->rerun->results;
    const size_t position = (size_t)sqlite3_column_int64(row, 0), replication = (size_t)sqlite3_column_int64(row, 1),
                 number = (size_t)sqlite3_column_int64(row, 2);
    rerun->differs |= position >= sms_results_policies(results) || replication >= sms_results_replications(results) ||
                      number >= sms_results_subjects(results, rerun->subject);
    for (int m = 0; m + 3 < sqlite3_column_count(row) && !rerun->differs; m++) {
        double value = sms_results_value(results, position, replication, rerun->subject, number, (size_t)m);
        bool none = sqlite3_column_type(row, m + 3) == SQLITE_NULL;
        rerun->differs = none ? !isnan(value) : value != sqlite3_column_double(row, m + 3);
    }
}

static void compare_subject(struct sms__points *points, struct rerun *rerun, enum sms_subject subject)
{
    size_t tables = 0, metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    const struct sms__query query = {.table = sms__subject_word(subject)};
    sms__query_run(points, &query, "SELECT count(*) FROM main.sqlite_master WHERE type = 'table' AND name = '$'",
                   sms__points_count, &tables);
    if (tables == 0)
        return;
    rerun->subject = subject;
    const char *what = "position, replication, number";
    for (size_t m = 0; m < metrics; m++)
        what = sms__print(&points->page->arena, "%s, %s", what, metric[m].name);
    query_point(points, rerun, sms__print(&points->page->arena, "%s FROM main.%s", what, query.table), compare_row);
}

static void compare(struct sms__points *points, struct rerun *rerun)
{
    for (int s = 0; s < SMS_SUBJECTS; s++)
        compare_subject(points, rerun, (enum sms_subject)s);
    if (points->code == SMS_OK && rerun->differs)
        sms__points_fail(points, "point %llu simulated again gives other results; the stored ones have been changed",
                         (unsigned long long)rerun->point.point);
}

/* ---- JSON ---- */

/* Adds a pair [field, value] for each varied field. */
static void take_fields(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    (void)user;
    json_t *list = json_array();
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);
        json_t *pair = json_array();
        if (strcmp(name, "point") && strcmp(name, "state") && strcmp(name, "message") && strcmp(name, "scenario")) {
            json_array_append_new(pair, sms__json_text(name));
            json_array_append_new(pair, sms__json_text(sms__points_text(points, row, i)));
            json_array_append(list, pair);
        }
        json_decref(pair);
    }
    json_object_set_new(json_object_get(points->page->data, "point"), "fields", list);
}

static void add_point_json(struct sms__points *points, const struct rerun *rerun)
{
    const struct sms_results *results = points->page->rerun->results;
    json_t *policies = json_array();
    for (size_t p = 0; p < sms_results_policies(results); p++)
        json_array_append_new(policies, sms__json_text(sms_results_policy(results, p)));
    json_object_set_new(points->page->data, "point",
                        json_pack("{s:I, s:s, s:o, s:o}", "point", (json_int_t)rerun->point.point, "scenario",
                                  sms_scenario_name(sms_results_scenario(results)), "policies", policies, "command",
                                  sms__json_text(points->page->rerun->command)));
}

void sms__points_rerun(struct sms__points *points, const char *path)
{
    struct sms__page_rerun *wanted = points->page->rerun;
    if (!wanted)
        return;
    struct rerun rerun = {.point = {.point = wanted->point, .database = path, .version = "", .text = ""},
                          .sources = ""};
    read_point(points, &rerun);
    if (points->code == SMS_OK)
        points->code = wanted->run(wanted->user, &rerun.point, &points->page->errors);
    if (points->code != SMS_OK)
        return;
    compare(points, &rerun);
    add_point_json(points, &rerun);
    query_point(points, &rerun, "* FROM main.point", take_fields);
    if (points->code == SMS_OK)
        points->code = sms__page_read_pictures(points->page, wanted->folder);
}
