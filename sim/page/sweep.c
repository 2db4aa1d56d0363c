/* Reads a sweep's database into the page's data. */
#include "points.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <string.h>

static void add_meta(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__page *page = points->page;
    const char *key = sms__points_text(points, row, 0), *value = sms__points_text(points, row, 1);
    if (strlen(value) > SMS__PAGE_TEXT) {
        sms__page_note(page, "The plan's text has %zu bytes and is left out. It is in manifest.json.", strlen(value));
        value = "";
    }
    json_object_set_new(user, key, sms__json_text(value));
}

static void add_message(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    const char *message = sms__points_text(points, row, 1);
    json_t *pair = json_array();
    json_array_append_new(pair, json_integer(sqlite3_column_int64(row, 0)));
    json_array_append_new(pair, sms__json_text(sms__copy(&points->page->arena, message, strnlen(message, 400))));
    json_array_append_new(user, pair);
}

static void read_plan(struct sms__points *points)
{
    json_t *data = points->page->data, *plan = sms__json_keep(data, "plan", json_object());
    json_t *failures = sms__json_keep(data, "failures", json_array());
    json_t *warnings = sms__json_keep(data, "warnings", json_array());
    sms__query_run(points, NULL,
                   "SELECT key, value FROM main.meta WHERE key IN ('version', 'plan', 'question', 'text', "
                   "'points', 'done', 'failed', 'vary', 'asks') ORDER BY key",
                   add_meta, plan);
    sms__query_run(points, NULL, "SELECT point, message FROM main.point WHERE state = 'failed' ORDER BY point LIMIT 20",
                   add_message, failures);
    sms__query_run(points, NULL,
                   "SELECT point, message FROM main.point WHERE state = 'done' AND message <> '' "
                   "ORDER BY point LIMIT 20",
                   add_message, warnings);
}

/* Adds what only the manifest beside the database has. A missing manifest is no error. */
static void read_manifest(struct sms__points *points, const char *path, json_t *plan)
{
    static const char *const keys[] = {"sources", "command"};
    const char *slash = strrchr(path, '/');
    const char *manifest_path =
        sms__print(&points->page->arena, "%.*smanifest.json", slash ? (int)(slash + 1 - path) : 0, path);
    struct sms_errors ignored = {0};
    json_t *manifest;
    sms__read_json(manifest_path, &manifest, &ignored);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_is_string(json_object_get(manifest, keys[i])))
            json_object_set(plan, keys[i], json_object_get(manifest, keys[i]));
    json_decref(manifest);
}

static json_t *axis_json(struct sms__points *points, const struct sms__axis_view *axis)
{
    json_t *values = json_array(), *numbers = axis->number ? json_array() : json_null(), *with = json_array();
    for (size_t i = 0; i < points->axes; i++)
        if (axis->with >> i & 1U)
            json_array_append_new(with, json_integer((json_int_t)i));
    for (size_t i = 0; i < axis->values; i++) {
        json_array_append_new(values, sms__json_text(axis->value[i]));
        if (axis->number)
            json_array_append_new(numbers, sms__json_number(axis->number[i]));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "name", sms__json_text(axis->name), "unit",
                     sms__json_text(axis->unit ? axis->unit : ""), "values", values, "numbers", numbers, "binned",
                     (int)axis->binned, "with", with);
}

static void read_question(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__points_asked *asked = &points->asked;
    const char *word = sms__points_text(points, row, 0), *metric = sms__points_text(points, row, 2);
    size_t *rows = user, count;
    int s = 0;
    while (s < SMS_SUBJECTS && strcmp(sms__subject_word((enum sms_subject)s), word) != 0)
        s++;
    long known = s < SMS_SUBJECTS ? sms_metric_index((enum sms_subject)s, metric) : -1;
    *asked = (struct sms__points_asked){.name = sms__points_text(points, row, 1)};
    if (known < 0 || ++*rows > 1)
        return;
    asked->subject = (enum sms_subject)s;
    asked->metric = sms_metrics(asked->subject, &count)[known].name;
    asked->better = sqlite3_column_int(row, 3) > 0 ? 1 : -1;
}

static void read_asked(struct sms__points *points)
{
    size_t rows = 0;
    const struct sms__points_asked *asked = &points->asked;
    sms__query_run(points, NULL, "SELECT DISTINCT subject, name, metric, better FROM main.answer LIMIT 2",
                   read_question, &rows);
    if (points->code == SMS_OK && asked->metric)
        json_object_set_new(points->page->data, "answer",
                            json_pack("{s:s, s:o, s:s, s:i}", "subject", sms__subject_word(asked->subject), "name",
                                      sms__json_text(asked->name), "metric", asked->metric, "better", asked->better));
}

/* Where the speed alone moves, and which metrics divide by it (sweep/database.h). */
static void read_alone(struct sms__points *points)
{
    json_t *alone = sms__json_keep(points->page->data, "alone", json_object());
    sms__query_keep(points, NULL, "SELECT axis, name, least_ratio, most_ratio FROM main.alone ORDER BY rowid LIMIT 200",
                    alone, "rows");
    sms__query_keep(points, NULL, "SELECT subject, metric FROM main.divides ORDER BY subject, metric LIMIT 100", alone,
                    "metrics");
}

/* What policies gain for tenants that have the GPU to themselves, on average over the points where that is something,
 * and what is left of their gain of STP. */
static void read_gains_alone(struct sms__points *points)
{
    json_t *gains = sms__json_keep(points->page->data, "gains_alone", json_object());
    sms__query_keep(points, NULL,
                    "SELECT position, name, avg(gain_ratio) - 1, count(*) FROM main.gain_alone WHERE position > 0 "
                    "GROUP BY position, name ORDER BY position, 3 DESC, name LIMIT 400",
                    gains, "rows");
    sms__query_keep(
        points, NULL,
        "SELECT position, avg(left_ratio) - 1 FROM main.answer WHERE position > 0 AND left_ratio IS NOT NULL "
        "GROUP BY position ORDER BY position LIMIT 100",
        gains, "left");
}

/* The answers of a search: at the axes of the points policy, two ends or a mean and half of its interval, state, remark
 * and replications. Sweeps without one have no such table. */
static void read_found(struct sms__points *points)
{
    size_t ends = 0, means = 0;
    json_t *found = sms__json_keep(points->page->data, "found", json_object());
    sms__query_run(points, NULL, "SELECT count(*) FROM pragma_table_info('found', 'main') WHERE name = 'holds'",
                   sms__points_count, &ends);
    sms__query_run(points, NULL, "SELECT count(*) FROM pragma_table_info('found', 'main') WHERE name = 'ci95'",
                   sms__points_count, &means);
    if (!ends && !means)
        return;
    json_object_set_new(found, "races", json_boolean(means));
    sms__query_keep(points, &(struct sms__query){.table = means ? "f.mean, f.ci95" : "f.holds, f.fails"},
                    "SELECT substr(f.policy, 1, 200), $, f.state, substr(f.remark, 1, 400), f.replications, f.point "
                    "FROM main.found f ORDER BY f.rowid LIMIT 2000",
                    found, "rows");
    sms__query_keep(points, NULL,
                    "SELECT point{, a#} FROM temp.cell WHERE point IN (SELECT point FROM (SELECT point FROM main.found "
                    "ORDER BY rowid LIMIT 2000)) ORDER BY point",
                    found, "cells");
}

/* The words and scales of varied fields, and deadlines that all scenarios have in common. */
static void read_words(struct sms__points *points)
{
    json_t *data = points->page->data;
    sms__query_keep(points, NULL, "SELECT path, words, log FROM main.axis", data, "fields");
    sms__query_keep(points, NULL,
                    "SELECT name, min(deadline_ns) FROM main.deadline GROUP BY name HAVING min(deadline_ns) = "
                    "max(deadline_ns) AND count(*) = (SELECT count(DISTINCT scenario) FROM main.point)",
                    data, "deadlines");
}

int sms__page_read_sweep(struct sms__page *page, const char *path)
{
    struct sms__points *points = SMS__NEW(&page->arena, struct sms__points, 1);
    points->page = page;
    json_object_set_new(page->data, "kind", json_string("sweep"));
    sms__points_open(points, path);
    read_plan(points);
    read_asked(points);
    read_alone(points);
    read_gains_alone(points);
    /* which measurements bear on the answer, and warnings of the scenarios */
    sms__query_keep(points, NULL, "SELECT substr(text, 1, 400) FROM main.caveat ORDER BY text LIMIT 40", page->data,
                    "caveats");
    sms__points_count_steps(points);
    sms__points_axes(points);
    sms__page_step(page);
    json_t *axes = sms__json_keep(page->data, "axes", json_array());
    for (size_t i = 0; i < points->axes; i++)
        json_array_append_new(axes, axis_json(points, &points->axis[i]));
    read_words(points);
    read_found(points);
    sms__points_gaps(points);
    sms__page_step(page);
    sms__points_subjects(points);
    read_manifest(points, path, json_object_get(page->data, "plan"));
    sqlite3_close(points->file);
    return points->code;
}
