/* Computes how far each policy of a sweep is below the bound. The gaps of points are those of the view that the merge
 * defines. */
#include "points.h"

#include "../report/json_write.h"
#include "../sweep/database.h"

/* NUMBERS_MAX: the page's share for gaps along axes. EACH: numbers for each mean. */
enum { NUMBERS_MAX = 20000, EACH = 6 };

/* ---- queries; "$" is a metric ---- */

static const char make_gaps[] =
    "CREATE TEMP TABLE gaps AS SELECT g.point, p.i AS policy, g.metric, g.gap_ratio AS gap{, c.a#} FROM temp.gap g "
    "JOIN temp.cell c ON c.point = g.point JOIN temp.positions p ON p.position = g.position "
    "WHERE g.gap_ratio IS NOT NULL ORDER BY g.point";

/* For each policy: points, mean, least gap and its point, greatest gap and its point. */
static const char overall[] =
    "SELECT policy, count(*), avg(gap), "
    "min(gap), (SELECT point FROM temp.gaps l WHERE l.metric = '$' AND l.policy = g.policy ORDER BY gap, point), "
    "max(gap), (SELECT point FROM temp.gaps m WHERE m.metric = '$' AND m.policy = g.policy ORDER BY gap DESC, point) "
    "FROM temp.gaps g WHERE metric = '$' GROUP BY policy ORDER BY policy";

static const char along[] = "SELECT {a#, }policy, count(*), avg(gap), min(gap), max(gap) FROM temp.gaps "
                            "WHERE metric = '$' GROUP BY {a#, }policy ORDER BY {a#, }policy";

/* Texts of the bounds, with the number of points that have each, most frequent first. */
static const char binds[] = "SELECT b.binds, count(*) FROM main.bound b JOIN temp.cell c ON c.point = b.point "
                            "WHERE b.metric = '$' AND b.binds <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 8";
static const char reasons[] =
    "SELECT b.no_bound_because, count(*) FROM main.bound b JOIN temp.cell c ON c.point = b.point "
    "WHERE b.metric = '$' AND b.no_bound_because <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 8";

/* Chooses the axes, in their order, whose gaps fit the page. */
static void choose_axes(struct sms__points *points, size_t policies, bool chosen[SMS__AXES])
{
    size_t used = 0, skipped = 0;
    for (size_t a = 0; a < points->axes; a++) {
        size_t numbers = EACH * SMS_BOUNDED * points->axis[a].values * policies;
        chosen[a] = used + numbers <= NUMBERS_MAX;
        used += chosen[a] ? numbers : 0;
        skipped += !chosen[a];
    }
    points->numbers += used;
    if (skipped)
        sms__page_note(points->page,
                       "Gaps to the bound are not shown along %zu of the axes, because there are too many values.",
                       skipped);
}

static void add_metric(struct sms__points *points, const bool chosen[SMS__AXES], json_t *gaps, const char *metric)
{
    struct sms__query query = {.table = metric, .axes = 1};
    json_t *object = sms__json_keep(gaps, metric, json_object());
    sms__query_keep(points, &query, binds, object, "binds");
    sms__query_keep(points, &query, reasons, object, "no_bound_because");
    sms__query_keep(points, &query, overall, object, "overall");
    json_t *axes = sms__json_keep(object, "axes", json_array());
    for (size_t a = 0; a < points->axes; a++) {
        json_array_append_new(axes, chosen[a] ? json_array() : json_null());
        query.axis[0] = a;
        if (chosen[a])
            sms__query_run(points, &query, along, sms__query_list, json_array_get(axes, a));
    }
}

/* The result is null for sweeps that keep no bounds, or that an older version made. */
void sms__points_gaps(struct sms__points *points)
{
    size_t tables = 0;
    bool chosen[SMS__AXES] = {false};
    json_object_set_new(points->page->data, "bounds", json_null());
    sms__query_run(points, NULL, "SELECT count(*) FROM main.sqlite_master WHERE name IN ('gap', 'bound', 'host')",
                   sms__points_count, &tables);
    if (tables < 3)
        return;
    json_t *policies = json_array(), *metrics = json_object();
    json_object_set_new(points->page->data, "bounds",
                        json_pack("{s:o, s:o}", "policies", policies, "metrics", metrics));
    sqlite3_str *text = sqlite3_str_new(points->file);
    sms__database_gaps(text, true);
    sms__points_query(points, text, NULL, NULL);
    sms__points_policies(points, "host", policies);
    sms__query_run(points, NULL, make_gaps, NULL, NULL);
    choose_axes(points, json_array_size(policies), chosen);
    for (int m = 0; m < SMS_BOUNDED; m++)
        add_metric(points, chosen, metrics, sms_bound_metric((enum sms_bounded)m));
}
