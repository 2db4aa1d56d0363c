/* Overheads as simtbs computes them, and the time of a kernel alone. Invariant: the order of floating-point operations
 * is that of simtbs. */
#include "simtbs.h"

#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD != 0
#error "floats must be binary32, each operation rounded"
#endif

static struct sms__simtbs_curve to_float(struct sms__arena *arena, const struct sms_curve *curve)
{
    float *ratio = SMS__NEW(arena, float, curve->points), *overhead = SMS__NEW(arena, float, curve->points);
    float *gradient = SMS__NEW(arena, float, curve->points);
    for (size_t i = 0; i < curve->points; i++) {
        ratio[i] = (float)curve->usage[i];
        overhead[i] = (float)curve->overhead[i];
        float rise = overhead[i] - (i ? overhead[i - 1] : 0), run = ratio[i] - (i ? ratio[i - 1] : 0);
        gradient[i] = rise / run;
    }
    return (struct sms__simtbs_curve){curve->points, ratio, overhead, gradient};
}

void sms__simtbs_init_curves(struct sms__simtbs *run)
{
    const struct sms__curves *given = run->spec->scenario->contention.curves;
    for (size_t c = 0; given && c < given->count; c++)
        run->curve[sms__resource_index(run->device, given->resource[c])] = to_float(run->arena, &given->curve[c]);
}

/* Beyond the last row, the overhead rises with the last gradient. */
static float overhead_of(const struct sms__simtbs *run, size_t r, uint64_t used)
{
    const struct sms__simtbs_curve *curve = &run->curve[r];
    float ratio = (float)used / (float)run->max[r], from_ratio = 0, from = 0, gradient = 0;
    for (size_t i = 0; i < curve->rows; i++) {
        gradient = curve->gradient[i];
        if (ratio <= curve->ratio[i])
            break;
        from_ratio = curve->ratio[i];
        from = curve->overhead[i];
    }
    return gradient * (ratio - from_ratio) + from;
}

static float worst_of(const struct sms__simtbs *run, const uint64_t *used, size_t from, size_t to)
{
    float worst = 0;
    for (size_t r = from; r < to; r++) {
        float own = used[r] ? overhead_of(run, r, used[r]) : 0;
        worst = own > worst ? own : worst;
    }
    return worst;
}

float sms__simtbs_overhead_sm(const struct sms__simtbs *run, const uint64_t *used)
{
    float sum = 0;
    for (size_t r = 0; r < run->shape.hard; r++)
        sum += used[r] ? overhead_of(run, r, used[r]) : 0;
    sum += worst_of(run, used, run->shape.hard, run->shape.compute);
    return sum + worst_of(run, used, run->shape.compute, run->shape.sm);
}

float sms__simtbs_overhead_device(const struct sms__simtbs *run, const uint64_t *used)
{
    float sum = 0;
    for (size_t r = run->shape.sm; r < run->resources; r++)
        sum += overhead_of(run, r, used[r]);
    return sum;
}

/* Blocks at once on an empty device. A later resource replaces a 0. */
static uint64_t blocks_at_once(const struct sms__simtbs *run, const uint64_t *takes)
{
    uint64_t least = 0;
    for (size_t r = 0; r < run->shape.hard; r++) {
        uint64_t most = run->max[r] / takes[r] * run->sms;
        least = least == 0 || most < least ? most : least;
    }
    return least;
}

static float wave(const struct sms__simtbs *run, const struct sms__simtbs_launch *launch, uint64_t blocks)
{
    uint64_t used[SMS_RESOURCES_MAX] = {0};
    uint64_t per_sm = (uint64_t)ceilf((float)blocks / (float)run->sms);
    for (size_t r = 0; r < run->resources; r++)
        used[r] = launch->fit->count[r] * (r < run->shape.sm ? per_sm : blocks);
    float overhead = sms__simtbs_overhead_sm(run, used) + sms__simtbs_overhead_device(run, used);
    return (float)launch->work * (1 + overhead);
}

/* simtbs adds wave by wave in double; of floats, up to 2^29 equal ones, the product is the same. */
double sms__simtbs_alone(const struct sms__simtbs *run, const struct sms__simtbs_launch *launch, uint64_t blocks)
{
    uint64_t at_once = blocks_at_once(run, launch->fit->count);
    if (at_once == 0)
        return NAN;
    uint64_t waves = blocks / at_once, rest = blocks % at_once;
    double time = waves ? (double)waves * (double)wave(run, launch, at_once) : 0;
    if (rest)
        time += (double)wave(run, launch, rest);
    return floor(time);
}
