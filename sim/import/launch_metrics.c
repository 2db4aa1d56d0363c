/* Reads the files of a profile, fills a launch's geometry, registers, shared memory and duration from metrics that give
 * them, and puts launches in order. */
#include "reader.h"

#include "../base/sort.h"

#include <math.h>
#include <string.h>

static uint64_t to_count(const struct sms__profile_metric *metric)
{
    double value = metric ? metric->mean : 0;
    return value >= 0 && value <= 9007199254740992.0 ? (uint64_t)(value + 0.5) : 0;
}

/* The total is used if the dimensions are missing. */
static void set_dimensions(uint64_t out[3], const struct sms__profile_metric *total,
                           const struct sms__profile_metric *const *each)
{
    if (out[0] == 0 && each[0]) {
        for (int i = 0; i < 3; i++)
            out[i] = each[i] ? to_count(each[i]) : 1;
    } else if (out[0] == 0 && total) {
        out[0] = to_count(total);
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
        sms__error(reader->errors, SMS_EINPUT, mark, "%s of this launch is %g '%.20s', %s", metric->name, metric->mean,
                   metric->unit, isnan(value) ? "whose unit is not known" : "which is impossible");
    return to == sms__to_bytes ? sms__round_bytes(value, to(metric->step, unit)) : value;
}

void sms__launch_fill(struct sms__profile_reader *reader, struct sms__launch_draft *draft)
{
    struct sms__profile_launch *launch = &draft->launch;
    struct sms__profile_shape *shape = &draft->shape;
    const struct sms__profile_metric *found[SMS__COLUMNS] = {NULL}; /* the first of each kind */
    for (size_t i = launch->metrics; i-- > 0;)
        found[sms__launch_metric(launch->metric[i].name)] = &launch->metric[i];
    set_dimensions(shape->grid, found[SMS__COLUMN_GRID], &found[SMS__COLUMN_GRID_X]);
    set_dimensions(shape->block, found[SMS__COLUMN_BLOCK], &found[SMS__COLUMN_BLOCK_X]);
    if (!shape->registers)
        shape->registers = to_count(found[SMS__COLUMN_REGISTERS]);
    if (isnan(launch->duration_s) && found[SMS__COLUMN_DURATION])
        launch->duration_s = convert_value(reader, launch, found[SMS__COLUMN_DURATION], sms__to_seconds, "ns");
    if (isnan(shape->static_shared) && found[SMS__COLUMN_STATIC])
        shape->static_shared = convert_value(reader, launch, found[SMS__COLUMN_STATIC], sms__to_bytes, "byte");
    if (isnan(shape->dynamic_shared) && found[SMS__COLUMN_DYNAMIC])
        shape->dynamic_shared = convert_value(reader, launch, found[SMS__COLUMN_DYNAMIC], sms__to_bytes, "byte");
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

static void put_in_order(struct sms__profile_reader *reader, struct sms__profile *out)
{
    complain_unmeasured(reader);
    out->gpu = reader->gpu;
    out->capability = reader->capability;
    out->gpu_lines = reader->gpu_lines;
    out->launch = SMS__NEW(reader->arena, struct sms__profile_launch, reader->drafts + 1);
    out->launches = reader->drafts;
    for (size_t i = 0; i < reader->drafts; i++) {
        out->launch[i] = reader->draft[i].launch;
        out->launch[i].place = &reader->draft[i].place;
        out->launch[i].shape = &reader->draft[i].shape;
    }
    sms__sort(reader->arena, out->launch, out->launches, sizeof *out->launch, sms__by_double);
    sms__sort(reader->arena, reader->copy, reader->copies, sizeof *reader->copy, sms__by_double);
    out->copy = reader->copy;
    out->copies = reader->copies;
}

int sms__profile_read(struct sms__profile_reader *reader, const char *const *paths, size_t n_paths,
                      int (*read_one)(struct sms__rows *rows, void *user), void (*finish)(void *user, const char *path),
                      void *user, struct sms__profile *out)
{
    struct sms_errors *errors = reader->errors;
    for (size_t i = 0; i < n_paths && !reader->limit_hit; i++)
        if (sms__rows_read(reader->arena, paths[i], out->most, read_one, user, errors) == SMS_ENOMEM)
            return SMS_ENOMEM;
    if (!errors->count && finish)
        finish(user, paths[n_paths - 1]);
    if (!errors->count && reader->drafts == 0)
        sms__fail(errors, SMS_EINPUT, paths[0], "no kernel was launched: the trace has only copies");
    if (!errors->count)
        put_in_order(reader, out);
    return errors->count ? errors->item[0].code : SMS_OK;
}
