/* Asks for ranges and samples in SQL, as far as the report has them. */
#include "report_tables.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At most as many steps as operations, because others would hold none. */
enum { STEPS_MAX = SMS__TRACE_ROWS_MAX, SAMPLES_MAX = 4000000, SERIES = 3 };

/* Samples of one time; sums and counts are of all on its device until then, so that a launch takes two of them. */
struct sample {
    double time_s;
    int device;
    double sum[SERIES];
    size_t count[SERIES];
};

struct reading {
    struct sms__report *report;
    double *step_s;
    struct sample *sample;
    size_t count; /* steps, samples */
};

static void read_step(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    *SMS__APPEND(reading->report->arena, reading->step_s, reading->count) = sqlite3_column_double(row, 0) * 1e-9;
}

void sms__report_steps_read(struct sms__report *report, int64_t origin, struct sms__profile *profile)
{
    struct reading reading = {.report = report};
    const char *text = sms__report_column(report, "NVTX_EVENTS", "#text#textId");
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
        "SELECT a - %lld FROM kind JOIN best USING (t, k) ORDER BY a LIMIT %d",
        text, (long long)origin, STEPS_MAX);
    profile->step_s = reading.step_s;
    profile->steps = reading.count;
}

static void read_sample(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    const int series = sqlite3_column_int(row, 1), device = sqlite3_column_int(row, 3) & 63;
    struct sample *sample = SMS__APPEND(reading->report->arena, reading->sample, reading->count);
    *sample = (struct sample){.device = device};
    if (reading->count > 1 && sample[-1].device == device)
        *sample = sample[-1];
    sample->time_s = sqlite3_column_double(row, 0) * 1e-9;
    sample->sum[series] += sqlite3_column_double(row, 2);
    sample->count[series]++;
}

/* What the samples of a device come to until a time. */
static struct sample samples_until(const struct reading *reading, int device, double time_s)
{
    size_t low = 0, high = reading->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct sample *sample = &reading->sample[middle];
        const bool after = sample->device > device || (sample->device == device && sample->time_s > time_s);
        low = after ? low : middle + 1;
        high = after ? middle : high;
    }
    return low && reading->sample[low - 1].device == device ? reading->sample[low - 1] : (struct sample){.time_s = 0};
}

/* The means over the samples in the launch. Returns whether there are any. */
static bool add_means(const struct reading *reading, struct sms__arena *arena, struct sms__profile_launch *launch)
{
    static const char *const names[SERIES] = {"dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
                                              "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed"};
    const int device = atoi(strrchr(launch->place->device, '(') + 1) & 63;
    const struct sample before = samples_until(reading, device, launch->start_s),
                        last = samples_until(reading, device, launch->start_s + launch->duration_s);
    for (int s = 0; s < SERIES; s++) {
        const size_t count = last.count[s] - before.count[s];
        if (count == 0)
            continue;
        if (!launch->metric)
            launch->metric = SMS__NEW(arena, struct sms__profile_metric, SERIES);
        const double mean = (last.sum[s] - before.sum[s]) / (double)count;
        launch->metric[launch->metrics++] =
            (struct sms__profile_metric){.name = names[s], .unit = "%", .mean = fmin(mean, 100)};
    }
    return launch->metrics > 0;
}

struct activity {
    double mean;
    int64_t samples;
};

static void read_activity(void *user, sqlite3_stmt *row)
{
    *(struct activity *)user = (struct activity){sqlite3_column_double(row, 0), sqlite3_column_int64(row, 1)};
}

/* Says how busy the SMs were. A run of the scenario has it as sm_activity_ratio. */
static void tell_activity(struct sms__report *report, struct sms__trace_reading *trace)
{
    struct activity activity = {.samples = 0};
    sms__report_query(report, read_activity, &activity,
                      "SELECT avg(g.value), count(*) FROM main.GPU_METRICS g JOIN main.TARGET_INFO_GPU_METRICS n ON "
                      "n.typeId = g.typeId AND n.metricId = g.metricId WHERE n.metricName LIKE 'SMs Active%%\\%%]' "
                      "ESCAPE '\\'");
    if (report->code == SMS_OK && activity.samples)
        sms__reading_fact(
            trace,
            "SMs had a block %.4g %% of the time by %lld samples of GPU metrics, of all processes: sm_activity_ratio",
            fmin(fmax(activity.mean, 0), 100), (long long)activity.samples);
}

void sms__report_samples_read(struct sms__report *report, int64_t origin, struct sms__trace_reading *trace)
{
    struct reading reading = {.report = report};
    size_t launches = 0;
    if (!sms__report_has(report, "GPU_METRICS", "timestamp") ||
        !sms__report_has(report, "TARGET_INFO_GPU_METRICS", "metricName"))
        return;
    sms__report_query(
        report, read_sample, &reading,
        "SELECT g.timestamp - %lld, CASE WHEN n.metricName LIKE 'DRAM%%' THEN 0 WHEN n.metricName LIKE 'SM Issue%%' "
        "THEN 1 "
        "ELSE 2 END c, sum(g.value), g.typeId & 255 d FROM main.GPU_METRICS g JOIN main.TARGET_INFO_GPU_METRICS n "
        "ON n.typeId = g.typeId AND n.metricId = g.metricId WHERE n.metricName LIKE 'DRAM%%Bandwidth%%\\%%]' ESCAPE "
        "'\\' "
        "OR n.metricName LIKE 'SM Issue%%\\%%]' ESCAPE '\\' OR n.metricName LIKE 'Tensor Active%%\\%%]' ESCAPE '\\' "
        "GROUP BY d, g.timestamp, c ORDER BY d & 63, g.timestamp LIMIT %d",
        (long long)origin, SAMPLES_MAX);
    tell_activity(report, trace);
    for (size_t l = 0; report->code == SMS_OK && reading.count && l < trace->out->launches; l++)
        launches += add_means(&reading, report->arena, &trace->out->launch[l]);
    trace->out->demands |= launches > 0;
    if (report->code == SMS_OK && reading.count)
        sms__reading_fact(trace,
                          "demands of dram, issue and tensor from %zu samples of GPU metrics, which fell into %zu of "
                          "%zu launches; a sample is of all that ran then%s",
                          reading.count, launches, trace->out->launches,
                          reading.count == SAMPLES_MAX ? "; those that come after so many are left out" : "");
}
