/* Reads ranges and computes the values of an axis. A value depends on the plan alone, and prints the same on every
 * machine. */
#include "sweep.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* STEPS_SEEN: longer ranges are not checked value by value. TEXT_BYTES: size of a printed number with its unit. */
enum { STEPS_SEEN = 100000, TEXT_BYTES = 400, UNIT_MAX = 40 };

struct range_fields {
    const struct sms__node *from, *to, *step;
    uint64_t steps;
    int scale, whole;
};

static const char *const scales[] = {"linear", "log", NULL};

static void keep_scalar(struct sms__reader *reader, const struct sms__node *node, void *field)
{
    if (sms__expect_kind(reader, node, SMS__SCALAR))
        *(const struct sms__node **)field = node;
}

const struct sms__field sms__range_fields[] = {
    {"from", SMS__CUSTOM, 0, F(range_fields, from), .required = true, .read = keep_scalar, .form = SMS__FORM_END,
     .help = "sets the first value"},
    {"to", SMS__CUSTOM, 0, F(range_fields, to), .required = true, .read = keep_scalar, .form = SMS__FORM_END,
     .help = "sets the last value, in the same unit"},
    {"steps", SMS__INTEGER, SMS__COUNT, F(range_fields, steps), 2, SMS__POINTS_MAX,
     .help = "sets the number of values"},
    {"step", SMS__CUSTOM, 0, F(range_fields, step), .read = keep_scalar, .form = SMS__FORM_END,
     .help = "sets the difference between neighbouring values, instead of steps"},
    {"scale", SMS__CHOICE, 0, F(range_fields, scale), .choices = scales,
     .help = "sets the scale: linear (default) or log"},
    {"whole", SMS__CHOICE, 0, F(range_fields, whole), .choices = sms__truths,
     .help = "says whether values are whole numbers; default false"},
    {0}};

/* The unit without the blank before it. */
static const char *name_unit(const char *unit) { return unit + strspn(unit, " "); }

/* Splits "50 %" into 50 and " %". */
static bool split_unit(struct sms__reader *reader, const struct sms__node *node, double *number, const char **unit)
{
    char *end = NULL;
    const char *text = node->text;
    size_t digits = strspn(text, "+-.0123456789");
    *number = digits ? strtod(text, &end) : 0;
    if (end && end != text && isfinite(*number) && !strpbrk(text, "xX") && strlen(end) < UNIT_MAX) {
        *unit = end;
        return true;
    }
    sms__complain(reader, node, "'%.40s' is not a number, with or without a unit", text);
    return false;
}

static uint64_t count_steps(struct sms__reader *reader, const struct sms__node *node, const struct range_fields *given,
                            struct sms__range *range)
{
    double step = 0;
    const char *unit = NULL;
    if (!given->step)
        return given->steps;
    if (!split_unit(reader, given->step, &step, &unit))
        return 0;
    double steps = step != 0 ? (range->to - range->from) / step : -1;
    if (strcmp(unit, range->unit) != 0)
        sms__complain(reader, given->step, "from, to and step need the same unit: write all in %s",
                      name_unit(*range->unit ? range->unit : unit));
    else if (range->log)
        sms__complain(reader, node, "a log scale takes 'steps', not 'step'");
    else if (steps < 0 && step != 0)
        sms__complain(reader, given->step, "'to' is %s 'from', so the step is %s 0", step < 0 ? "above" : "below",
                      step < 0 ? "above" : "below");
    else if (steps < 0 || steps >= SMS__POINTS_MAX)
        sms__complain(reader, given->step, "with this step, 'to' is never reached or takes more than %d values",
                      SMS__POINTS_MAX);
    else {
        steps = floor(steps + 1e-9);
        range->to = range->from + steps * step;
        return (uint64_t)steps + 1;
    }
    return 0;
}

/* base^exponent, 0 <= exponent <= 1. It uses square roots only, so the result is the same on every machine. */
static double root_power(double base, double exponent)
{
    double power = 1, root = base;
    if (exponent >= 1)
        return base;
    for (int bit = 0; bit < 52 && exponent > 0; bit++) {
        root = sqrt(root);
        exponent *= 2;
        if (exponent < 1)
            continue;
        exponent -= 1;
        power *= root;
    }
    return power;
}

/* Where a range crosses 0, its ends leave rounding errors of each other there, which nine digits would not hide. */
static double range_value(const struct sms__range *range, double fraction)
{
    if (range->log)
        return range->from * root_power(range->to / range->from, fraction);
    const double value = range->from + (range->to - range->from) * fraction;
    const double error = 4 * DBL_EPSILON * fmax(fabs(range->from), fabs(range->to));
    return fraction > 0 && fabs(value) < error ? 0 : value;
}

/* Widens a range of whole numbers by one half at each end before drawing. Otherwise only half an interval would round
 * to each end, and the ends would be drawn half as often. */
static double drawn_value(const struct sms__range *range, double fraction)
{
    double from = floor(range->from + 0.5), to = floor(range->to + 0.5), half = from < to ? 0.5 : -0.5;
    struct sms__range widened = *range;
    widened.from = from - half;
    widened.to = to + half;
    if (!range->whole || (range->log && (widened.from <= 0 || widened.to <= 0)))
        return range_value(range, fraction);
    return fmax(fmin(range_value(&widened, fraction), fmax(from, to)), fmin(from, to));
}

/* Prints nine digits, which hides rounding errors. */
static void print_value(char *out, size_t size, const struct sms__range *range, double value)
{
    if (range->whole)
        snprintf(out, size, "%.0f%s", floor(value + 0.5), range->unit);
    else
        snprintf(out, size, "%.9g%s", value, range->unit);
}

/* Checks that the ends differ and that every value between them is finite. */
static bool check_ends(struct sms__reader *reader, const struct sms__node *node, const struct range_fields *given,
                       const struct sms__range *range, const char *unit)
{
    if (strcmp(unit, range->unit) != 0)
        sms__complain(reader, given->to, "'%.40s' and '%.40s' need the same unit: write both in %s", given->from->text,
                      given->to->text, name_unit(*range->unit ? range->unit : unit));
    else if (range->log && (range->from <= 0 || range->to <= 0))
        sms__complain(reader, node, "both ends of a log scale must be above 0");
    else if (range->from == range->to)
        sms__complain(reader, given->to, "'from' and 'to' are the same: there is nothing to vary");
    else if (!isfinite(range->to - range->from) || (range->log && !isfinite(range->to / range->from)))
        sms__complain(reader, given->to, "'%.40s' and '%.40s' are too far apart", given->from->text, given->to->text);
    else
        return true;
    return false;
}

/* Values must differ after rounding; otherwise one point would be run twice. */
static uint64_t check_steps(struct sms__reader *reader, const struct sms__node *node, const struct sms__range *range,
                            uint64_t steps)
{
    char previous[TEXT_BYTES] = "", current[TEXT_BYTES];
    for (uint64_t i = 0; i < steps && steps <= STEPS_SEEN; i++) {
        print_value(current, sizeof current, range,
                    range_value(range, steps > 1 ? (double)i / (double)(steps - 1) : 0));
        if (!strcmp(previous, current)) {
            sms__complain(reader, node, "too many steps: '%s' would occur twice", current);
            return 0;
        }
        memcpy(previous, current, sizeof current);
    }
    return steps;
}

uint64_t sms__read_range(struct sms__reader *reader, const struct sms__node *node, bool sampled,
                         struct sms__range *range)
{
    struct range_fields given = {0};
    const char *unit = NULL;
    sms__read_fields(reader, node, sms__range_fields, &given);
    bool whole = given.from && split_unit(reader, given.from, &range->from, &range->unit);
    if (!(given.to && split_unit(reader, given.to, &range->to, &unit)) || !whole)
        return 0;
    if (range->to == 0 && !*unit) /* 0 needs no unit */
        unit = range->unit;
    if (range->from == 0 && !*range->unit)
        range->unit = unit;
    range->log = given.scale == 1;
    range->whole = given.whole == 1;
    if (!check_ends(reader, node, &given, range, unit))
        return 0;
    if (sampled && (sms__node_get(node, "steps") || sms__node_get(node, "step")))
        sms__complain(reader, node, "a range in sobol or random takes neither 'steps' nor 'step'");
    else if (sampled)
        return 1;
    else if (!sms__node_get(node, "steps") == !sms__node_get(node, "step"))
        sms__complain(reader, node, "give either steps or step");
    else if (given.steps || given.step)
        return check_steps(reader, node, range, count_steps(reader, node, &given, range));
    return 0;
}

const struct sms__node *sms__column_value(struct sms__arena *arena, const struct sms__plan *plan,
                                          const struct sms__axis *axis, uint64_t position, size_t column)
{
    const struct sms__column *field = &plan->column[axis->first + column];
    size_t cell = (size_t)position * axis->columns + column;
    if (field->values && axis->fraction)
        return field->values->item[(size_t)(axis->fraction[cell] * (double)field->values->items)];
    if (field->values)
        return field->values->item[axis->entry ? axis->entry[cell] : position];
    double last = axis->count > 1 ? (double)(axis->count - 1) : 1;
    char text[TEXT_BYTES];
    print_value(text, sizeof text, &field->range,
                axis->fraction ? drawn_value(&field->range, axis->fraction[cell])
                               : range_value(&field->range, (double)position / last));
    return sms__new_scalar(arena, field->spec, sms__copy(arena, text, strlen(text)));
}

const struct sms__node *sms__point_value(struct sms__arena *arena, const struct sms__plan *plan,
                                         const struct sms__coordinates *coordinates, size_t column)
{
    const struct sms__axis *axis = &plan->axis[plan->column[column].axis];
    return sms__column_value(arena, plan, axis, coordinates->position[axis - plan->axis], column - axis->first);
}

const char *sms__point_text(struct sms__arena *arena, const struct sms__plan *plan,
                            const struct sms__coordinates *coordinates, size_t column)
{
    const struct sms__node *value = sms__point_value(arena, plan, coordinates, column);
    return value->kind == SMS__SCALAR ? value->text : sms__node_flow(arena, value);
}
