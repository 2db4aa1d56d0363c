/* One point of a sweep, simulated again for its timeline: what the database keeps of it must come out once more. */
#include "points.h"

#include "../report/json_write.h"
#include "../base/sources.h"
#include "../report/output.h"

#include <math.h>
#include <string.h>

struct again {
    struct sms__page_point made;
    uint64_t points;
    const char *sources, *state, *message;
    bool keyed;
    /* while its results are compared */
    enum sms_subject subject;
    bool differs;
};

static int complain(struct sms__points *points, const char *why)
{
    return sms__fail(&points->page->errors, SMS_EINPUT, points->page->source, "%s", why);
}

static int take_meta(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct again *again = user;
    const char *key = sms__points_text(points, row, 0), *value = sms__points_text(points, row, 1);
    if (!strcmp(key, "points"))
        again->points = (uint64_t)sqlite3_column_int64(row, 1);
    else if (!strcmp(key, "sources"))
        again->sources = value;
    else if (!strcmp(key, "version"))
        again->made.version = value;
    else if (!strcmp(key, "text"))
        again->made.text = value;
    return SMS_OK;
}

static int take_point(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct again *again = user;
    again->state = sms__points_text(points, row, 0);
    again->message = sms__points_text(points, row, 1);
    return SMS_OK;
}

static int take_key(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct again *again = user;
    (void)points;
    again->keyed = sqlite3_column_bytes(row, 0) == SMS__KEY_BYTES;
    if (again->keyed)
        memcpy(again->made.key, sqlite3_column_blob(row, 0), SMS__KEY_BYTES);
    return SMS_OK;
}

static int ask(struct sms__points *points, struct again *again, const char *what,
               int (*take)(struct sms__points *points, sqlite3_stmt *row, void *user))
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text, "SELECT %s WHERE point = %llu", what, (unsigned long long)again->made.point);
    return sms__points_ask(points, text, take, again);
}

/* What the database says of the point, or why it cannot be simulated again. */
static int find_point(struct sms__points *points, struct again *again)
{
    struct sms__arena *arena = &points->page->arena;
    const unsigned long long number = again->made.point;
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT key, value FROM main.meta");
    int code = sms__points_ask(points, text, take_meta, again);
    if (code == SMS_OK)
        code = ask(points, again, "state, message FROM main.point", take_point);
    if (code)
        return code;
    if (!again->state)
        return complain(points,
                        sms__print(arena, "there is no point %llu: they are numbered from 0, and there are %llu",
                                   number, (unsigned long long)again->points));
    if (!strcmp(again->state, "failed"))
        return complain(points, sms__print(arena, "point %llu failed: %.300s", number, again->message));
    if (strcmp(again->state, "done") != 0)
        return complain(points, sms__print(arena, "point %llu has not been run", number));
    if (strcmp(again->sources, sms__sources()) != 0)
        return complain(points,
                        sms__print(arena,
                                   "smsched %.40s (sources %.40s) made it, and this is %s (sources %s): a point "
                                   "is simulated again by what made it; 'smsched sweep' runs them all anew",
                                   again->made.version, *again->sources ? again->sources : "unknown", SMSCHED_VERSION,
                                   sms__sources()));
    code = ask(points, again, "key FROM main.record", take_key);
    if (code == SMS_OK && !again->keyed)
        code = complain(points, sms__print(arena, "has no key of point %llu", number));
    return code;
}

/* ---- whether the same came out ---- */

static int take_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct again *again = user;
    const struct sms_results *results = points->page->again->results;
    const size_t position = (size_t)sqlite3_column_int64(row, 0), replication = (size_t)sqlite3_column_int64(row, 1),
                 number = (size_t)sqlite3_column_int64(row, 2);
    again->differs |= position >= sms_results_policies(results) || replication >= sms_results_replications(results) ||
                      number >= sms_results_subjects(results, again->subject);
    for (int m = 0; m + 3 < sqlite3_column_count(row) && !again->differs; m++) {
        double value = sms_results_value(results, position, replication, again->subject, number, (size_t)m);
        bool none = sqlite3_column_type(row, m + 3) == SQLITE_NULL;
        again->differs = none ? !isnan(value) : value != sqlite3_column_double(row, m + 3);
    }
    return SMS_OK;
}

static int compare_subject(struct sms__points *points, struct again *again, enum sms_subject subject)
{
    size_t tables = 0, metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text, "SELECT count(*) FROM main.sqlite_master WHERE type = 'table' AND name = %Q",
                        sms__subject_word(subject));
    int code = sms__points_ask(points, text, sms__points_count, &tables);
    if (code || tables == 0)
        return code;
    again->subject = subject;
    text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "position, replication, number");
    for (size_t m = 0; m < metrics; m++)
        sqlite3_str_appendf(text, ", %s", metric[m].name);
    sqlite3_str_appendf(text, " FROM main.%s", sms__subject_word(subject));
    char *what = sqlite3_str_finish(text);
    code = what ? ask(points, again, what, take_row) : SMS_ENOMEM;
    sqlite3_free(what);
    return code;
}

static int compare(struct sms__points *points, struct again *again)
{
    int code = SMS_OK;
    for (int s = 0; s < SMS_SUBJECTS && code == SMS_OK; s++)
        code = compare_subject(points, again, (enum sms_subject)s);
    if (code || !again->differs)
        return code;
    return complain(points, sms__print(&points->page->arena,
                                       "point %llu simulated again gives other results than those that are in it: they "
                                       "have been changed",
                                       (unsigned long long)again->made.point));
}

/* ---- JSON ---- */

/* [field, value] of what varies. */
static int take_fields(struct sms__points *points, sqlite3_stmt *row, void *user)
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
    return SMS_OK;
}

static void put_point(struct sms__points *points, const struct again *again)
{
    const struct sms_results *results = points->page->again->results;
    json_t *policies = json_array();
    for (size_t p = 0; p < sms_results_policies(results); p++)
        json_array_append_new(policies, sms__json_text(sms_results_policy(results, p)));
    json_object_set_new(points->page->data, "point",
                        json_pack("{s:I, s:s, s:o, s:o}", "point", (json_int_t)again->made.point, "scenario",
                                  sms_scenario_name(sms_results_scenario(results)), "policies", policies, "command",
                                  sms__json_text(points->page->again->command)));
}

int sms__points_again(struct sms__points *points, const char *path)
{
    struct sms__page_again *wanted = points->page->again;
    if (!wanted)
        return SMS_OK;
    struct again again = {.made = {.point = wanted->point, .database = path, .version = "", .text = ""}, .sources = ""};
    int code = find_point(points, &again);
    if (code == SMS_OK)
        code = wanted->run(wanted->user, &again.made, &points->page->errors);
    if (code == SMS_OK)
        code = compare(points, &again);
    if (code)
        return code;
    put_point(points, &again);
    code = ask(points, &again, "* FROM main.point", take_fields);
    return code == SMS_OK ? sms__page_read_pictures(points->page, wanted->folder) : code;
}
