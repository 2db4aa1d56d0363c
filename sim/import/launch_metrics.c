/* Fills a launch's geometry, registers, shared memory and duration from metrics that give them, and puts launches in
 * order. */
#include "reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum property { DURATION, REGISTERS, STATIC, DYNAMIC, GRID, GRID_X, GRID_Y, GRID_Z, BLOCK, BLOCK_X, BLOCK_Y, BLOCK_Z };

/* Names on the details page and the raw page, of all versions. The totals of grid and block are used if the dimensions
 * are missing. */
static const struct {
    const char *metric;
    enum property property;
} properties[] = {{"Duration", DURATION},
                  {"gpu__time_duration.sum", DURATION},
                  {"gpu__time_duration.avg", DURATION},
                  {"gpu__time_duration.max", DURATION},
                  {"gpu__time_duration_measured_user.sum", DURATION},
                  {"gpu__time_duration", DURATION},
                  {"Registers Per Thread", REGISTERS},
                  {"launch__registers_per_thread", REGISTERS},
                  {"Static Shared Memory Per Block", STATIC},
                  {"launch__shared_mem_per_block_static", STATIC},
                  {"Dynamic Shared Memory Per Block", DYNAMIC},
                  {"launch__shared_mem_per_block_dynamic", DYNAMIC},
                  {"Grid Size", GRID},
                  {"launch__grid_size", GRID},
                  {"launch__grid_dim_x", GRID_X},
                  {"launch__grid_dim_y", GRID_Y},
                  {"launch__grid_dim_z", GRID_Z},
                  {"Block Size", BLOCK},
                  {"launch__block_size", BLOCK},
                  {"launch__block_dim_x", BLOCK_X},
                  {"launch__block_dim_y", BLOCK_Y},
                  {"launch__block_dim_z", BLOCK_Z}};

enum { PROPERTIES = sizeof properties / sizeof *properties, KINDS = BLOCK_Z + 1 };

static int property_of(const char *metric)
{
    for (int i = 0; i < PROPERTIES; i++)
        if (!strcmp(properties[i].metric, metric))
            return (int)properties[i].property;
    return -1;
}

bool sms__is_launch_metric(const char *metric) { return property_of(metric) >= 0; }

static uint64_t to_count(const struct sms__profile_metric *metric)
{
    double value = metric ? metric->mean : 0;
    return value >= 0 && value <= 9007199254740992.0 ? (uint64_t)(value + 0.5) : 0;
}

static void set_dimensions(uint64_t out[3], const struct sms__profile_metric *const *total)
{
    if (out[0] == 0 && total[1]) {
        for (int i = 0; i < 3; i++)
            out[i] = total[1 + i] ? to_count(total[1 + i]) : 1;
    } else if (out[0] == 0 && total[0]) {
        out[0] = to_count(total[0]);
        out[1] = out[2] = 1;
    }
}

/* The metric's value in the unit that `to` produces. A metric without a unit is in ncu's base unit, ns or bytes. */
static double convert_value(struct sms__profile_reader *reader, const struct sms__profile_launch *launch,
                            const struct sms__profile_metric *metric, double (*to)(double, const char *),
                            const char *base)
{
    const char *unit = *metric->unit ? metric->unit : base;
    double value = to(metric->mean, unit);
    struct sms__mark mark = {reader->rows->path, reader->rows->text, launch->line, 1};
    if (isnan(value) || value < 0)
        sms__error(reader->errors, SMS_EINPUT, mark, "%s of this launch is %g '%.20s', which is impossible",
                   metric->name, metric->mean, metric->unit);
    return to == sms__to_bytes ? sms__round_bytes(value, to(metric->step, unit)) : value;
}

void sms__launch_fill(struct sms__profile_reader *reader, struct sms__launch_draft *draft)
{
    struct sms__profile_launch *launch = &draft->launch;
    const struct sms__profile_metric *found[KINDS] = {NULL};
    for (size_t i = launch->metrics; i-- > 0;) {
        int property = property_of(launch->metric[i].name);
        if (property >= 0)
            found[property] = &launch->metric[i];
    }
    set_dimensions(launch->grid, &found[GRID]);
    set_dimensions(launch->block, &found[BLOCK]);
    if (!launch->registers)
        launch->registers = to_count(found[REGISTERS]);
    if (isnan(launch->duration_s) && found[DURATION])
        launch->duration_s = convert_value(reader, launch, found[DURATION], sms__to_seconds, "ns");
    if (isnan(launch->static_shared) && found[STATIC])
        launch->static_shared = convert_value(reader, launch, found[STATIC], sms__to_bytes, "byte");
    if (isnan(launch->dynamic_shared) && found[DYNAMIC])
        launch->dynamic_shared = convert_value(reader, launch, found[DYNAMIC], sms__to_bytes, "byte");
}

/* By start; launches without a start come last. Otherwise in the order of the file. */
static int by_start(const void *left, const void *right)
{
    const struct sms__launch_draft *a = left, *b = right;
    double x = isnan(a->launch.start_s) ? INFINITY : a->launch.start_s;
    double y = isnan(b->launch.start_s) ? INFINITY : b->launch.start_s;
    if (x != y)
        return x < y ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int by_copy_start(const void *left, const void *right)
{
    const struct sms__profile_copy *a = left, *b = right;
    double x = isnan(a->start_s) ? INFINITY : a->start_s, y = isnan(b->start_s) ? INFINITY : b->start_s;
    if (x != y)
        return x < y ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Counters that cannot be read make all values "n/a", which is one problem and not one of each launch. */
static void complain_unmeasured(const struct sms__profile_reader *reader)
{
    bool timed = false;
    for (size_t i = 0; i < reader->drafts; i++)
        timed |= reader->draft[i].launch.duration_s > 0;
    if (!timed && reader->values == 0 && reader->missing)
        sms__error(reader->errors, SMS_EINPUT, reader->missing_mark,
                   "nothing was measured: all %zu values are 'n/a' or the like; the profiler could not read the "
                   "counters, or this GPU does not have them",
                   reader->missing);
}

void sms__profile_finish(struct sms__profile_reader *reader, struct sms__profile *out)
{
    complain_unmeasured(reader);
    if (reader->drafts)
        qsort(reader->draft, reader->drafts, sizeof *reader->draft, by_start);
    if (reader->copies)
        qsort(reader->copy, reader->copies, sizeof *reader->copy, by_copy_start);
    out->gpu = reader->gpu;
    out->capability = reader->capability;
    out->gpu_lines = reader->gpu_lines;
    out->launch = SMS__NEW(reader->arena, struct sms__profile_launch, reader->drafts + 1);
    out->launches = reader->drafts;
    for (size_t i = 0; i < reader->drafts; i++)
        out->launch[i] = reader->draft[i].launch;
    out->copy = reader->copy;
    out->copies = reader->copies;
}
