/* The modes in which a device is shared by the contexts on it (docs/sharing.md). */
#include "modes.h"
#include "policies.h"

#include <string.h>

enum { SLICE, SWITCH, DRAIN }; /* of slices */
enum { CLIENTS, GRANULE };     /* of mps */

static const char *const booleans[] = {"false", "true", NULL};

/* Defaults: the project's specification, part C; slice and switch from S000, where only their ratio is measured. */
static const struct sms_param slices[] = {
    {"slice", SMS_UNIT_TIME, 1e6, 3.6e15, 2e9, "time that a context has the device while others wait"},
    {"switch", SMS_UNIT_TIME, 0, 6e13, 0.147e9, "time that a change of context takes"},
    {"drain", SMS_UNIT_CHOICE, 0, 1, 0, "blocks that run when a slice ends are waited for, not stopped", booleans},
    {0},
};

static const struct sms_param clients[] = {
    {"clients", SMS_UNIT_COUNT, 1, 1024, 48, "processes on a device at most"},
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "SMs of active_threads are a multiple of it"},
    {0},
};

static const struct sms__mode_form forms[] = {
    [SMS__MODE_EXCLUSIVE] = {"exclusive", "a device has one process at a time, in order of arrival", NULL, false},
    [SMS__MODE_TIME_SLICE] = {"time_slice", "contexts take turns; one alone is never switched", slices, false},
    [SMS__MODE_TOGETHER] = {"together", "kernels of all processes at once", NULL, false},
    [SMS__MODE_MPS] = {"mps", "kernels of all processes at once, each on its active_threads share of the SMs", clients,
                       false},
    [SMS__MODE_MIG] = {"mig", "each instance is a device of its own; processes in it take turns", slices, true},
};

enum { FORMS = sizeof forms / sizeof *forms };

const struct sms__mode_form *sms__mode_at(size_t idx) { return idx < FORMS ? &forms[idx] : NULL; }

const struct sms__mode_form *sms__find_mode(const char *name)
{
    for (size_t i = 0; i < FORMS; i++)
        if (!strcmp(forms[i].name, name))
            return &forms[i];
    return NULL;
}

static void read_instances(struct sms__reader *reader, const struct sms__node *node, struct sms__mode *mode)
{
    if (!sms__expect_list(reader, node, SMS__INSTANCES_MAX))
        return;
    if (node->items == 0)
        sms__complain(reader, node, "instances: there are none");
    for (size_t i = 0; i < node->items; i++)
        if (!sms__expect_kind(reader, node->item[i], SMS__SCALAR))
            return;
    mode->instances = node;
}

static void read_params(struct sms__reader *reader, const struct sms__node *map, const struct sms__mode_form *form,
                        double *values, struct sms__mode *mode)
{
    if (!sms__expect_kind(reader, map, SMS__MAP))
        return;
    for (size_t i = 0; i + 1 < map->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2) {
        const struct sms__node *key = map->item[i];
        if (!sms__is_first(reader, map, i))
            continue;
        if (form->instances && key->kind == SMS__SCALAR && !strcmp(key->text, "instances"))
            read_instances(reader, map->item[i + 1], mode);
        else
            sms__read_param(reader, key, map->item[i + 1], form->params, values);
    }
}

/* "mig(instances=3g.20gb+3g.20gb slice=4 ms)". */
static const char *with_instances(struct sms__arena *arena, const char *label, const struct sms__mode *mode)
{
    const char *list = "", *rest = strchr(label, '(');
    for (size_t i = 0; i < mode->instances->items; i++)
        list = sms__print(arena, "%s%s%s", list, i ? "+" : "", mode->instances->item[i]->text);
    return sms__print(arena, "mig(instances=%s%s%s", list, rest ? " " : "", rest ? rest + 1 : ")");
}

void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode_form *form,
                    const struct sms__node *params, struct sms__mode *mode)
{
    double values[SMS__PARAMS_MAX] = {0};
    size_t before = reader->errors->count;
    *mode = (struct sms__mode){.kind = (int)(form - forms)};
    sms__default_params(form->params, values);
    if (params)
        read_params(reader, params, form, values, mode);
    if (form->instances && !mode->instances && reader->errors->count == before)
        sms__complain(reader, node, "mode mig: key 'instances' is missing");
    mode->label = sms__param_label(reader->arena, form->name, form->params, values);
    if (mode->instances)
        mode->label = with_instances(reader->arena, mode->label, mode);
    if (form->params == slices) {
        mode->slice_ps = values[SLICE];
        mode->switch_ps = values[SWITCH];
        mode->drain = values[DRAIN] > 0;
    } else if (form->params == clients) {
        mode->clients = (uint64_t)values[CLIENTS];
        mode->granule = (uint64_t)values[GRANULE];
    }
}
