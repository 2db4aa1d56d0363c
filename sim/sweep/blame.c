/* Lists of errors; what is wrong only together with the rest of a scenario, told of where the plan says it. */
#include "sweep.h"

#include <string.h>

enum { VALUES_BYTES = 110, VALUE_BYTES = 60, FILE_BYTES = 40 };

static bool is_known(const struct sms_errors *errors, const struct sms_error *error)
{
    for (size_t i = 0; i < errors->count && i < SMS_ERRORS_MAX; i++)
        if (errors->item[i].line == error->line && errors->item[i].column == error->column &&
            !strcmp(errors->item[i].file, error->file) && !strcmp(errors->item[i].message, error->message))
            return true;
    return false;
}

void sms__add_errors(struct sms_errors *errors, const struct sms_errors *more)
{
    for (size_t i = 0; i < more->count; i++) {
        if (i < SMS_ERRORS_MAX && is_known(errors, &more->item[i]))
            continue;
        if (i < SMS_ERRORS_MAX && errors->count < SMS_ERRORS_MAX)
            errors->item[errors->count] = more->item[i];
        errors->count++;
    }
}

/* "run.warmup: 30 ms, queue: fifo", as far as there is room; of one axis, or of all. */
static void list_values(const struct sms__blame *blame, char out[VALUES_BYTES])
{
    struct sms__plan *plan = blame->plan;
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < plan->axes; i++)
        for (size_t c = 0; c < plan->axis[i].columns && used < VALUES_BYTES; c++) {
            const struct sms__axis *axis = &plan->axis[i];
            const struct sms__column *column = &plan->column[axis->first + c];
            if (column->wrong || (blame->axis && blame->axis != axis))
                continue;
            const struct sms__node *value = sms__column_value(&plan->arena, plan, axis, blame->place->position[i], c);
            const char *text = value->kind == SMS__SCALAR ? value->text : sms__node_flow(&plan->arena, value);
            used += (size_t)snprintf(out + used, VALUES_BYTES - used, "%s%.*s: %.*s", used ? ", " : "", VALUE_BYTES,
                                     column->path->text, VALUE_BYTES, text ? text : "");
        }
    if (used >= VALUES_BYTES)
        memcpy(out + VALUES_BYTES - 4, "...", 4);
}

/* The value, or of several axes all of them. */
static const struct sms__node *where(const struct sms__blame *blame)
{
    struct sms__plan *plan = blame->plan;
    const struct sms__axis *axis = plan->axes == 1 ? plan->axis : blame->axis;
    for (size_t c = 0; axis && c < axis->columns; c++)
        if (!plan->column[axis->first + c].wrong)
            return sms__column_value(&plan->arena, plan, axis, blame->place->position[axis - plan->axis], c);
    return plan->axes_node;
}

void sms__blame_values(const struct sms__blame *blame, struct sms_error *error)
{
    char values[VALUES_BYTES];
    const char *slash = strrchr(error->file, '/');
    const bool is_long = slash && strlen(error->file) > FILE_BYTES;
    struct sms_errors placed = {0};
    list_values(blame, values);
    if (!values[0] || error->code != SMS_EINPUT)
        return;
    sms__error(&placed, error->code, where(blame)->mark, "with %s: %.150s (%.*s:%u:%u)", values, error->message,
               FILE_BYTES, is_long ? slash + 1 : error->file, error->line, error->column);
    *error = placed.item[0];
}
