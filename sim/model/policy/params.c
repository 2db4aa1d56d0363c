/* Parameters of policies, modes and contention models: read, labelled and printed
 * by the table of whatever they belong to. */
#include "params.h"

#include "../../base/member.h"
#include "../../base/hash.h"

#include <stdio.h>
#include <string.h>

static const enum sms__dimension dimension_of[] = {
    [SMS_UNIT_RATIO] = SMS__RATIO, [SMS_UNIT_COUNT] = SMS__COUNT,         [SMS_UNIT_TIME] = SMS__TIME,
    [SMS_UNIT_BYTES] = SMS__BYTES, [SMS_UNIT_BANDWIDTH] = SMS__BANDWIDTH, [SMS_UNIT_NUMBER] = SMS__NUMBER,
};

enum sms__dimension sms__param_dimension(enum sms_unit unit) { return dimension_of[unit]; }

size_t sms__count_params(const struct sms_param *params)
{
    size_t count = 0;
    while (params && params[count].name)
        count++;
    return count;
}

void sms__default_params(const struct sms_param *params, double *values)
{
    for (size_t i = 0; i < sms__count_params(params); i++)
        values[i] = params[i].fallback;
}

static void read_value(struct sms__reader *reader, const struct sms__node *node, const struct sms_param *param,
                       double *value)
{
    struct sms__quantity number;
    int choice = param->unit == SMS_UNIT_CHOICE ? sms__read_choice(reader, node, param->name, param->choices) : -1;
    if (choice >= 0)
        *value = choice;
    else if (param->unit != SMS_UNIT_CHOICE &&
             sms__read_number(reader, node, dimension_of[param->unit], param->min, param->max, &number))
        *value = number.value;
}

void sms__read_param(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                     const struct sms_param *params, double *values)
{
    size_t count = sms__count_params(params);
    if (!sms__expect_kind(reader, key, SMS__SCALAR))
        return;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(params[i].name, key->text))
            continue;
        read_value(reader, value, &params[i], &values[i]);
        return;
    }
    if (count)
        sms__complain_unknown(reader, key, "parameter", count, SMS__NAMES(params, name));
    else
        sms__complain(reader, key, "unknown parameter '%.60s': no parameters are accepted here", key->text);
}

void sms__read_params(struct sms__reader *reader, const struct sms__node *map, const struct sms_param *params,
                      double *values)
{
    if (!sms__expect_kind(reader, map, SMS__MAP))
        return;
    for (size_t i = 0; i + 1 < map->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2)
        if (sms__is_first(reader, map, i))
            sms__read_param(reader, map->item[i], map->item[i + 1], params, values);
}

void sms__print_param(char *out, size_t size, const struct sms_param *param, double value)
{
    switch (param->unit) {
    case SMS_UNIT_RATIO:
        snprintf(out, size, "%g %%", value * 100);
        return;
    case SMS_UNIT_COUNT:
    case SMS_UNIT_NUMBER:
        snprintf(out, size, "%g", value);
        return;
    case SMS_UNIT_CHOICE:
        snprintf(out, size, "%s", param->choices[(size_t)value]);
        return;
    case SMS_UNIT_TIME:
    case SMS_UNIT_BYTES:
    case SMS_UNIT_BANDWIDTH:
        sms__quantity_print(out, size, value, dimension_of[param->unit]);
    }
}

const char *sms__param_label(struct sms__arena *arena, const char *name, const struct sms_param *params,
                             const double *values)
{
    const char *text = "";
    for (size_t i = 0; i < sms__count_params(params); i++) {
        char value[64];
        if (values[i] == params[i].fallback)
            continue;
        if (params[i].unit == SMS_UNIT_RATIO)
            snprintf(value, sizeof value, "%.6g%%", values[i] * 100);
        else
            sms__print_param(value, sizeof value, &params[i], values[i]);
        text = sms__print(arena, "%s%s%s=%s", text, *text ? " " : "", params[i].name, value);
    }
    return *text ? sms__print(arena, "%s(%s)", name, text) : name;
}

const char *sms__bounded_label(struct sms__arena *arena, const char *label)
{
    enum { KEPT = SMS__LABEL_MAX - 1 - 16 };
    size_t keep = KEPT;
    if (strlen(label) <= SMS__LABEL_MAX)
        return label;
    while (((unsigned char)label[keep] & 0xc0) == 0x80) /* not within a character */
        keep--;
    return sms__print(arena, "%.*s~%016llx", (int)keep, label,
                      (unsigned long long)sms__hash_text(0, label, strlen(label)));
}

bool sms__split_use(struct sms__reader *reader, const struct sms__node *node, const struct sms__node **name,
                    const struct sms__node **params)
{
    bool pair = node->kind == SMS__MAP && node->items == 2;
    *name = pair ? node->item[0] : node;
    *params = pair ? node->item[1] : NULL;
    return sms__expect_kind(reader, *name, SMS__SCALAR);
}
