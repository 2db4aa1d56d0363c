/* Asks for ranges and samples in SQL, as far as the report has them. */
#include "report_ranges.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 1000000, STEPS_MAX = 100000, SAMPLES_MAX = 4000000, SERIES = 3 };

/* The SQL of a range's text, which is in a column, in StringIds or in both. NULL: there are no ranges. */
static const char *text_of_range(struct sms__report *report)
{
    const char *own = sms__report_column(report, "NVTX_EVENTS", "text");
    const char *by_id = sms__report_column(report, "NVTX_EVENTS", "#textId");
    if (!sms__report_has(report, "NVTX_EVENTS", NULL) || !own || !by_id)
        return own ? own : by_id;
    return sms__print(report->arena, "coalesce(%s, %s)", own, by_id);
}

struct sample {
    double time_s, value;
    int series, device;
};

struct reading {
    struct sms__report *report;
    struct sms__report_ranges *ranges;
    double *step_s;
    struct sample *sample;
    size_t count; /* steps, samples */
    int64_t origin;
};

static void read_range(void *user, sqlite3_stmt *row)
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
}

void sms__report_ranges_read(struct sms__report *report, struct sms__report_ranges *ranges)
{
    struct reading reading = {.report = report, .ranges = ranges};
    const char *text = text_of_range(report);
    if (text)
        sms__report_query(report, read_range, &reading,
                          "SELECT globalTid, start, \"end\", %s FROM main.NVTX_EVENTS e WHERE \"end\" > start "
                          "ORDER BY 1, 2, 3 DESC LIMIT %d",
                          text, RANGES_MAX);
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

static void read_step(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    *SMS__APPEND(reading->report->arena, reading->step_s, reading->count) =
        (double)(sqlite3_column_int64(row, 0) - reading->origin) * 1e-9;
}

void sms__report_steps_read(struct sms__report *report, int64_t origin, struct sms__profile *profile)
{
    struct reading reading = {.report = report, .origin = origin};
    const char *text = text_of_range(report);
    if (!text)
        return;
    sms__report_query(
        report, read_step, &reading,
        "WITH named AS (SELECT start a, \"end\" b, globalTid t, %s n FROM main.NVTX_EVENTS e WHERE \"end\" > start), "
        "kind AS (SELECT *, rtrim(n, '0123456789 #:_.') k FROM named), "
        "placed AS (SELECT *, a < lag(b) OVER (PARTITION BY t, k ORDER BY a) o FROM kind), "
        "best AS (SELECT t, k FROM placed GROUP BY t, k HAVING count(*) >= 3 AND NOT coalesce(max(o), 0) AND "
        "(count(DISTINCT n) = count(*) OR k LIKE '%%step%%' OR k LIKE '%%iter%%' OR k LIKE '%%batch%%' OR k LIKE "
        "'%%frame%%' OR k LIKE '%%request%%') ORDER BY sum(b - a) DESC, k, t LIMIT 1) "
        "SELECT a FROM kind JOIN best USING (t, k) ORDER BY a LIMIT %d",
        text, STEPS_MAX);
    profile->step_s = reading.step_s;
    profile->steps = reading.count;
}

static void read_sample(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    *SMS__APPEND(reading->report->arena, reading->sample, reading->count) =
        (struct sample){.time_s = (double)(sqlite3_column_int64(row, 0) - reading->origin) * 1e-9,
                        .series = sqlite3_column_int(row, 1),
                        .value = sqlite3_column_double(row, 2),
                        .device = sqlite3_column_int(row, 3) & 63};
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
    const struct sample *sample = &reading->sample[from], *end = &reading->sample[reading->count];
    for (; sample < end && sample->time_s <= launch->start_s + launch->duration_s; sample++) {
        if (sample->device != (atoi(number + 1) & 63))
            continue;
        sum[sample->series] += sample->value;
        count[sample->series]++;
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

void sms__report_samples_read(struct sms__report *report, int64_t origin, struct sms__trace_reading *trace)
{
    struct reading reading = {.report = report, .origin = origin};
    size_t launches = 0, from = 0;
    if (!sms__report_has(report, "GPU_METRICS", "timestamp") ||
        !sms__report_has(report, "TARGET_INFO_GPU_METRICS", "metricName"))
        return;
    sms__report_query(
        report, read_sample, &reading,
        "SELECT g.timestamp, CASE WHEN n.metricName LIKE 'DRAM%%' THEN 0 WHEN n.metricName LIKE 'SM Issue%%' THEN 1 "
        "ELSE 2 END c, sum(g.value), g.typeId & 255 d FROM main.GPU_METRICS g JOIN main.TARGET_INFO_GPU_METRICS n "
        "ON n.typeId = g.typeId AND n.metricId = g.metricId WHERE n.metricName LIKE 'DRAM%%Bandwidth%%\\%%]' ESCAPE "
        "'\\' "
        "OR n.metricName LIKE 'SM Issue%%\\%%]' ESCAPE '\\' OR n.metricName LIKE 'Tensor Active%%\\%%]' ESCAPE '\\' "
        "GROUP BY d, g.timestamp, c ORDER BY g.timestamp LIMIT %d",
        SAMPLES_MAX);
    for (size_t l = 0; report->code == SMS_OK && reading.count && l < trace->out->launches; l++) {
        struct sms__profile_launch *launch = &trace->out->launch[l];
        while (from < reading.count && reading.sample[from].time_s <= launch->start_s)
            from++;
        launches += add_means(&reading, from, report->arena, launch);
    }
    trace->out->demands |= launches > 0;
    if (report->code == SMS_OK && reading.count)
        sms__reading_fact(trace, sms__print(report->arena,
                                            "demands of dram, issue and tensor from %zu samples of GPU metrics, which "
                                            "fell into %zu of %zu launches; a sample is of all that ran then",
                                            reading.count, launches, trace->out->launches));
}
