/* Asks for ranges and samples in SQL, as far as the report has them. */
#include "report_ranges.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 1000000, STEPS_MAX = 100000, SAMPLES_MAX = 4000000, SERIES = 3 };

/* How a range's text is found: in a column, as a string's id, or both. NULL: there are no ranges. */
static int find_text(struct sms__report *report, const char **sql)
{
    bool ranges, ids, own, by_id;
    *sql = NULL;
    int code = sms__report_has(report, "NVTX_EVENTS", NULL, &ranges);
    if (code != SMS_OK || !ranges)
        return code;
    code = sms__report_has(report, "StringIds", "value", &ids);
    if (code == SMS_OK)
        code = sms__report_has(report, "NVTX_EVENTS", "text", &own);
    if (code == SMS_OK)
        code = sms__report_has(report, "NVTX_EVENTS", "textId", &by_id);
    if (code == SMS_OK && ids && by_id)
        *sql = own ? "coalesce(e.text, (SELECT value FROM main.StringIds s WHERE s.id = e.textId))"
                   : "(SELECT value FROM main.StringIds s WHERE s.id = e.textId)";
    else if (code == SMS_OK && own)
        *sql = "e.text";
    return code;
}

struct reading {
    struct sms__report *report;
    struct sms__report_ranges *ranges;
    struct sms__profile *profile;
    double *time_s, *value; /* of steps; of samples, with the series of each */
    unsigned char *series;  /* number of the series, and 4 times that of the device */
    size_t count;
    int64_t origin;
};

static int read_range(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    struct sms__report_ranges *ranges = reading->ranges;
    struct sms__report_range *range = SMS__APPEND(reading->report->arena, ranges->range, ranges->count);
    *range = (struct sms__report_range){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                                        sqlite3_column_int64(row, 2)};
    range->name = sms__derive_text(reading->report->arena, sms__report_text(reading->report, row, 3), 40);
    size_t before = ranges->count - 1;
    while (before &&
           (range[0].thread != ranges->range[before - 1].thread || range->end > ranges->range[before - 1].end))
        before = ranges->range[before - 1].thread == range->thread ? ranges->range[before - 1].around : 0;
    range->around = before;
    return SMS_OK;
}

int sms__report_ranges_read(struct sms__report *report, struct sms__report_ranges *ranges)
{
    struct reading reading = {.report = report, .ranges = ranges};
    const char *text;
    int code = find_text(report, &text);
    if (code != SMS_OK || !text)
        return code;
    sqlite3_str *sql = sqlite3_str_new(report->database.file);
    sqlite3_str_appendf(sql,
                        "SELECT globalTid, start, \"end\", %s FROM main.NVTX_EVENTS e WHERE \"end\" > start "
                        "ORDER BY 1, 2, 3 DESC LIMIT %d",
                        text, RANGES_MAX);
    return sms__report_query(report, sql, read_range, &reading);
}

const char *sms__report_range_at(const struct sms__report_ranges *ranges, int64_t thread, int64_t time)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct sms__report_range *range = &ranges->range[middle];
        bool after = range->thread > thread || (range->thread == thread && range->start > time);
        low = after ? low : middle + 1;
        high = after ? middle : high;
    }
    while (low && ranges->range[low - 1].thread == thread && ranges->range[low - 1].end < time)
        low = ranges->range[low - 1].around;
    return low && ranges->range[low - 1].thread == thread ? ranges->range[low - 1].name : NULL;
}

static int read_step(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    *SMS__APPEND(reading->report->arena, reading->time_s, reading->count) =
        (double)(sqlite3_column_int64(row, 0) - reading->origin) * 1e-9;
    return SMS_OK;
}

int sms__report_steps_read(struct sms__report *report, int64_t origin, struct sms__profile *profile)
{
    struct reading reading = {.report = report, .origin = origin};
    const char *text;
    int code = find_text(report, &text);
    if (code != SMS_OK || !text)
        return code;
    sqlite3_str *sql = sqlite3_str_new(report->database.file);
    sqlite3_str_appendf(
        sql,
        "WITH named AS (SELECT start a, \"end\" b, globalTid t, %s n FROM main.NVTX_EVENTS e WHERE \"end\" > start), "
        "kind AS (SELECT *, rtrim(n, '0123456789 #:_.') k FROM named), "
        "placed AS (SELECT *, a < lag(b) OVER (PARTITION BY t, k ORDER BY a) o FROM kind), "
        "best AS (SELECT t, k FROM placed GROUP BY t, k HAVING count(*) >= 3 AND NOT coalesce(max(o), 0) AND "
        "(count(DISTINCT n) = count(*) OR k LIKE '%%step%%' OR k LIKE '%%iter%%' OR k LIKE '%%batch%%' OR k LIKE "
        "'%%frame%%' OR k LIKE '%%request%%') ORDER BY sum(b - a) DESC, k, t LIMIT 1) "
        "SELECT a FROM kind JOIN best USING (t, k) ORDER BY a LIMIT %d",
        text, STEPS_MAX);
    code = sms__report_query(report, sql, read_step, &reading);
    profile->step_s = reading.time_s;
    profile->steps = reading.count;
    return code;
}

static int read_sample(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    struct sms__arena *arena = reading->report->arena;
    size_t same[3] = {reading->count, reading->count, reading->count};
    *SMS__APPEND(arena, reading->time_s, same[0]) = (double)(sqlite3_column_int64(row, 0) - reading->origin) * 1e-9;
    *SMS__APPEND(arena, reading->series, same[1]) =
        (unsigned char)(sqlite3_column_int(row, 1) | (sqlite3_column_int(row, 3) & 63) << 2);
    *SMS__APPEND(arena, reading->value, same[2]) = sqlite3_column_double(row, 2);
    reading->count++;
    return SMS_OK;
}

/* The means over the samples from index `from` on that lie in the launch. Returns whether there are any. */
static bool add_means(const struct reading *reading, size_t from, struct sms__arena *arena,
                      struct sms__profile_launch *launch)
{
    static const char *const names[SERIES] = {"dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
                                              "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed"};
    double sum[SERIES] = {0};
    size_t count[SERIES] = {0};
    const char *number = strrchr(launch->device, '(');
    for (size_t i = from; i < reading->count && reading->time_s[i] <= launch->start_s + launch->duration_s; i++) {
        if (reading->series[i] >> 2 != (atoi(number + 1) & 63))
            continue;
        sum[reading->series[i] & 3] += reading->value[i];
        count[reading->series[i] & 3]++;
    }
    for (int s = 0; s < SERIES; s++) {
        if (count[s] == 0)
            continue;
        if (!launch->metric)
            launch->metric = SMS__NEW(arena, struct sms__profile_metric, SERIES);
        launch->metric[launch->metrics++] =
            (struct sms__profile_metric){.name = names[s], .unit = "%", .mean = fmin(sum[s] / (double)count[s], 100)};
    }
    return launch->metrics > 0;
}

int sms__report_samples_read(struct sms__report *report, int64_t origin, struct sms__trace_reading *trace)
{
    struct reading reading = {.report = report, .origin = origin};
    bool samples, names;
    size_t launches = 0, from = 0;
    int code = sms__report_has(report, "GPU_METRICS", "timestamp", &samples);
    if (code == SMS_OK)
        code = sms__report_has(report, "TARGET_INFO_GPU_METRICS", "metricName", &names);
    if (code != SMS_OK || !samples || !names)
        return code;
    sqlite3_str *sql = sqlite3_str_new(report->database.file);
    sqlite3_str_appendf(
        sql,
        "SELECT g.timestamp, CASE WHEN n.metricName LIKE 'DRAM%%' THEN 0 WHEN n.metricName LIKE 'SM Issue%%' THEN 1 "
        "ELSE 2 END c, sum(g.value), g.typeId & 255 d FROM main.GPU_METRICS g JOIN main.TARGET_INFO_GPU_METRICS n "
        "ON n.typeId = g.typeId AND n.metricId = g.metricId WHERE n.metricName LIKE 'DRAM%%Bandwidth%%\\%%]' ESCAPE "
        "'\\' "
        "OR n.metricName LIKE 'SM Issue%%\\%%]' ESCAPE '\\' OR n.metricName LIKE 'Tensor Active%%\\%%]' ESCAPE '\\' "
        "GROUP BY d, g.timestamp, c ORDER BY g.timestamp LIMIT %d",
        SAMPLES_MAX);
    code = sms__report_query(report, sql, read_sample, &reading);
    for (size_t l = 0; code == SMS_OK && l < trace->out->launches; l++) {
        struct sms__profile_launch *launch = &trace->out->launch[l];
        while (from < reading.count && reading.time_s[from] <= launch->start_s)
            from++;
        launches += add_means(&reading, from, report->arena, launch);
    }
    trace->out->demands |= launches > 0;
    if (code == SMS_OK && reading.count)
        sms__reading_fact(trace, sms__print(report->arena,
                                            "demands of dram, issue and tensor from %zu samples of GPU metrics, which "
                                            "fell into %zu of %zu launches; a sample is of all that ran then",
                                            reading.count, launches, trace->out->launches));
    return code;
}
