/* Reads the subjects that a sweep kept into the page's data: their names, policies and metrics, and what came of them.
 */
#include "subjects.h"

#include "../report/json_write.h"

#include <math.h>
#include <string.h>

/* The order of subjects in the page. Numbers of the first ones are kept first. */
static const enum sms_subject order[] = {SMS_HOST,   SMS_CLUSTER,  SMS_PROCESS, SMS_VM,
                                         SMS_DEVICE, SMS_RESOURCE, SMS_KERNEL};

double sms__sum_mean(struct sms__sum sum) { return sum.n ? sum.sum / (double)sum.n : NAN; }

static int add_name(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__subject_view *view = user;
    if (view->names < SMS__NAMES)
        view->name[view->names++] = sms__points_text(points, row, 0);
    else
        sms__page_note(points->page, "Of subject '%s', only the first %d names are shown.", view->word, SMS__NAMES);
    return SMS_OK;
}

/* A policy whose parameters vary has several labels. Returns what they begin with, as in "name(...)". */
static const char *make_label(struct sms__points *points, sqlite3_stmt *row)
{
    const char *first = sms__points_text(points, row, 1), *last = sms__points_text(points, row, 2);
    size_t common = 0;
    while (first[common] && first[common] == last[common])
        common++;
    const char *cut = memchr(first, '(', common);
    common = cut ? (size_t)(cut - first) : common;
    return strcmp(first, last) ? sms__print(&points->page->arena, "%.*s(...)", (int)common, first) : first;
}

static int add_policy(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__labels *labels = user;
    if (labels->positions == SMS__POSITIONS) {
        sms__page_note(points->page, "Only the first %d policies are shown.", SMS__POSITIONS);
        return SMS_OK;
    }
    labels->position[labels->positions] = (size_t)sqlite3_column_int64(row, 0);
    labels->policy[labels->positions++] = make_label(points, row);
    return SMS_OK;
}

int sms__points_policies(struct sms__points *points, const char *table, struct sms__labels *labels)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text,
                        "SELECT position, min(policy), max(policy) FROM main.%s GROUP BY position ORDER BY position "
                        "LIMIT %d",
                        table, SMS__POSITIONS + 1);
    return sms__points_query(points, text, add_policy, labels);
}

static bool is_asked(const struct sms__subject_view *view, const char *metric)
{
    const struct sms__points_asked *asked = &view->points->asked;
    return asked->metric && asked->subject == view->subject && !strcmp(asked->metric, metric);
}

static void add_metric(struct sms__subject_view *view, const struct sms_metric *metric, bool wanted)
{
    if (view->metrics < SMS__METRICS)
        view->metrics++;
    else if (!wanted)
        return;
    view->metric[view->metrics - 1] = *metric;
    if (is_asked(view, metric->name))
        view->metric[view->metrics - 1].better = view->points->asked.better;
}

/* Keeps metrics with different values and a better direction, and the metrics that were asked for. */
static int add_metrics(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__subject_view *view = user;
    size_t count;
    const struct sms_metric *metric = sms_metrics(view->subject, &count);
    for (int i = 0; i < sqlite3_column_count(row); i += 2) {
        long m = sms_metric_index(view->subject, sqlite3_column_name(row, i));
        bool asked = is_asked(view, metric[m].name);
        bool wanted = asked || (points->page->metric && !strcmp(points->page->metric, metric[m].name));
        bool varies = sqlite3_column_double(row, i) < sqlite3_column_double(row, i + 1);
        if (sqlite3_column_type(row, i) != SQLITE_NULL && (varies || asked) && (metric[m].better || wanted))
            add_metric(view, &metric[m], wanted);
    }
    return SMS_OK;
}

struct column_list {
    const char *name[256];
    size_t count;
};

static int add_column(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct column_list *list = user;
    if (list->count < sizeof list->name / sizeof *list->name)
        list->name[list->count++] = sms__points_text(points, row, 0);
    return SMS_OK;
}

/* Reads the metrics that the table has and this version knows. */
static int read_metrics(struct sms__subject_view *view)
{
    struct column_list list = {.count = 0};
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendf(text, "SELECT name FROM pragma_table_info(%Q) ORDER BY cid", view->word);
    int code = sms__points_query(view->points, text, add_column, &list);
    size_t known = 0;
    text = sqlite3_str_new(view->points->file);
    for (size_t i = 0; i < list.count; i++)
        if (sms_metric_index(view->subject, list.name[i]) >= 0)
            sqlite3_str_appendf(text, "%s min(%s) AS %s, max(%s)", known++ ? "," : "SELECT", list.name[i], list.name[i],
                                list.name[i]);
    sqlite3_str_appendf(text, " FROM main.%s", view->word);
    if (code == SMS_OK && known)
        return sms__points_query(view->points, text, add_metrics, view);
    sqlite3_free(sqlite3_str_finish(text));
    return code;
}

static int read_names(struct sms__subject_view *view)
{
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendf(text, "SELECT name FROM main.%s GROUP BY name ORDER BY min(point), name LIMIT %d", view->word,
                        SMS__NAMES + 1);
    int code = sms__points_query(view->points, text, add_name, view);
    if (code)
        return code;
    struct sms__labels labels = {.positions = 0};
    code = sms__points_policies(view->points, view->word, &labels);
    memcpy(view->policy, labels.policy, sizeof view->policy);
    memcpy(view->position, labels.position, sizeof view->position);
    view->positions = labels.positions;
    return code;
}

static json_t *view_json(const struct sms__subject_view *view)
{
    json_t *names = json_array(), *policies = json_array(), *metrics = json_array();
    for (size_t i = 0; i < view->names; i++)
        json_array_append_new(names, sms__json_text(view->name[i]));
    for (size_t i = 0; i < view->positions; i++)
        json_array_append_new(policies, sms__json_text(view->policy[i]));
    for (size_t i = 0; i < view->metrics; i++)
        json_array_append_new(metrics, json_string(view->metric[i].name));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "subject", view->word, "names", names, "policies", policies,
                     "metrics", metrics, "overall", sms__subject_outcomes_json(view), "groups",
                     sms__subject_groups_json(view));
}

static int read_subject(struct sms__points *points, enum sms_subject subject, json_t *list)
{
    struct sms__subject_view *view = SMS__NEW(&points->page->arena, struct sms__subject_view, 1);
    view->points = points;
    view->subject = subject;
    view->word = sms__subject_word(subject);
    int code = read_metrics(view);
    if (code || view->metrics == 0)
        return code;
    code = read_names(view);
    if (code == SMS_OK)
        code = sms__subject_groups(view);
    if (code == SMS_OK)
        code = sms__subject_read(view);
    if (code == SMS_OK)
        json_array_append_new(list, view_json(view));
    return code;
}

int sms__points_subjects(struct sms__points *points)
{
    json_t *list = json_array();
    int code = SMS_OK;
    json_object_set_new(points->page->data, "subjects", list);
    for (size_t i = 0; i < sizeof order / sizeof *order && code == SMS_OK; i++)
        code = read_subject(points, order[i], list);
    return code;
}
