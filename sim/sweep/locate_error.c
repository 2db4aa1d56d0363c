/* Merges lists of errors, and moves errors to the plan. A value may be wrong only in combination with the rest of a
 * scenario. Its error then names the values and stands where the plan gives them. */
#include "sweep.h"

#include <string.h>

enum { VALUES_BYTES = 110, VALUE_BYTES = 60, FILE_BYTES = 40, PLACE_BYTES = FILE_BYTES + 30 };

void sms__add_errors(struct sms_errors *errors, const struct sms_errors *more)
{
    for (size_t i = 0; i < more->count; i++) {
        const struct sms_error *error = i < SMS_ERRORS_MAX ? &more->item[i] : NULL;
        if (error &&
            sms__has_error(errors, &(struct sms__mark){error->file, NULL, error->line, error->column}, error->message))
            continue;
        if (i < SMS_ERRORS_MAX && errors->count < SMS_ERRORS_MAX)
            errors->item[errors->count] = more->item[i];
        errors->count++;
    }
}

/* Lists the values of one axis or of all, such as "run.warmup: 30 ms, queue: fifo", cut to the buffer. */
static void list_values(const struct sms__error_origin *origin, char out[VALUES_BYTES])
{
    struct sms__plan *plan = origin->plan;
    size_t used = 0;
    out[0] = '\0';
    for (size_t c = 0; c < plan->columns && used < VALUES_BYTES; c++) {
        const struct sms__column *column = &plan->column[c];
        if (column->wrong || (origin->axis && origin->axis != &plan->axis[column->axis]))
            continue;
        used += (size_t)snprintf(out + used, VALUES_BYTES - used, "%s%.*s: %.*s", used ? ", " : "", VALUE_BYTES,
                                 column->path->text, VALUE_BYTES,
                                 sms__point_text(&plan->arena, plan, origin->coordinates, c));
    }
    if (used >= VALUES_BYTES)
        memcpy(out + VALUES_BYTES - 4, "...", 4);
}

/* The node to report at: a value if one axis is responsible, otherwise all axes. */
static const struct sms__node *find_origin(const struct sms__error_origin *origin)
{
    struct sms__plan *plan = origin->plan;
    const struct sms__axis *axis = plan->axes == 1 ? plan->axis : origin->axis;
    for (size_t c = 0; axis && c < axis->columns; c++)
        if (!plan->column[axis->first + c].wrong)
            return sms__column_value(&plan->arena, plan, axis, origin->coordinates->position[axis - plan->axis], c);
    return plan->axes_node ? plan->axes_node : plan->node;
}

void sms__locate_error(const struct sms__error_origin *origin, struct sms_error *error)
{
    char values[VALUES_BYTES], place[PLACE_BYTES];
    const char *slash = strrchr(error->file, '/');
    const bool is_long = slash && strlen(error->file) > FILE_BYTES;
    struct sms_errors placed = {0};
    list_values(origin, values);
    if (!values[0] || (error->code != SMS_EINPUT && error->code != SMS_OK))
        return;
    snprintf(place, sizeof place, " (%.*s:%u:%u)", FILE_BYTES, is_long ? slash + 1 : error->file, error->line,
             error->column);
    const size_t room = sizeof error->message - sizeof "with : " - strlen(values) - strlen(place);
    sms__error(&placed, error->code, find_origin(origin)->mark, "with %s: %.*s%s", values, (int)room, error->message,
               place);
    *error = placed.item[0];
}
