/* Sharing modes, and how an entry of a scenario names one. */
#include "../layout.h"
#include "modes.h"
#include "policies.h"

#include <string.h>

extern const struct sms__mode_form *const sms__modes[];

const struct sms__mode_form *sms__mode_at(size_t idx)
{
    for (size_t i = 0; sms__modes[i]; i++)
        if (i == idx)
            return sms__modes[i];
    return NULL;
}

bool sms__mode_slices(const struct sms__mode *mode) { return mode->form->slices; }

bool sms__mode_runs_beside(const struct sms__mode *mode) { return !mode->form->slices && !mode->form->exclusive; }

uint64_t sms__mode_most_processes(const struct sms__mode *mode, const struct sms__device *device)
{
    const struct sms__mode_form *form = mode->form;
    return form->exclusive ? 1 : form->most_processes ? form->most_processes(mode, device) : UINT64_MAX;
}

uint64_t sms__mode_sms(const struct sms__mode *mode, const struct sms__device *device,
                       const struct sms__tenant *process)
{
    uint64_t sms = mode->form->sms ? mode->form->sms(mode, device, process) : device->sms;
    return sms > device->sms ? device->sms : sms > 0 ? sms : 1;
}

double sms__mode_slice_ps(const struct sms__mode *mode, double slice_ps, double weight)
{
    return mode->form->slice_ps ? mode->form->slice_ps(slice_ps, weight) : slice_ps;
}

static struct sms__turns fill_in(struct sms__turns turns, const struct sms__turns *by)
{
    turns.slice_ps = turns.slice_ps > 0 ? turns.slice_ps : by->slice_ps;
    turns.switch_ps = turns.switch_ps >= 0 ? turns.switch_ps : by->switch_ps;
    turns.newcomer = turns.newcomer >= 0 ? turns.newcomer : by->newcomer;
    return turns;
}

struct sms__turns sms__mode_turns(const struct sms__mode *mode, const struct sms__device *device)
{
    double values[SMS__PARAMS_MAX] = {0};
    struct sms__mode fallback = {.given = UINT32_MAX};
    sms__default_params(sms__slice_params, values);
    sms__read_slices(values, &fallback);
    fallback.turns.newcomer = SMS__WHOLE_SLICE;
    return fill_in(fill_in(mode->turns, &device->turns), &fallback.turns);
}

struct sms__mode sms__bare_mode(const struct sms__mode_form *form)
{
    return (struct sms__mode){.form = form, .turns = {.switch_ps = -1, .newcomer = -1}, .label = form->name};
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

/* The bit of a parameter in `given`. */
static uint32_t bit_of(const struct sms_param *params, const struct sms__node *key)
{
    for (size_t i = 0; key->kind == SMS__SCALAR && i < sms__count_params(params); i++)
        if (!strcmp(params[i].name, key->text))
            return UINT32_C(1) << i;
    return 0;
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
        mode->given |= bit_of(form->params, key);
        if (form->instances && key->kind == SMS__SCALAR && !strcmp(key->text, "instances"))
            read_instances(reader, map->item[i + 1], mode);
        else
            sms__read_param(reader, key, map->item[i + 1], form->params, values);
    }
}

/* Adds the instances to a label: "mig(instances=3g.20gb+3g.20gb slice=4 ms)". */
static const char *with_instances(struct sms__arena *arena, const char *name, const char *label,
                                  const struct sms__mode *mode)
{
    const char *list = "", *rest = strchr(label, '(');
    for (size_t i = 0; i < mode->instances->items; i++)
        list = sms__print(arena, "%s%s%s", list, i ? "+" : "", mode->instances->item[i]->text);
    return sms__print(arena, "%s(instances=%s%s%s", name, list, rest ? " " : "", rest ? rest + 1 : ")");
}

void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode_form *form,
                    const struct sms__node *params, struct sms__mode *mode)
{
    double *values = SMS__NEW(reader->arena, double, SMS__PARAMS_MAX);
    size_t before = reader->errors->count;
    *mode = (struct sms__mode){.form = form, .param = values};
    sms__default_params(form->params, values);
    if (params)
        read_params(reader, params, form, values, mode);
    if (form->instances && !mode->instances && reader->errors->count == before)
        sms__complain(reader, node, "mode %s: key 'instances' is missing", form->name);
    mode->label = sms__param_label(reader->arena, form->name, form->params, values);
    if (mode->instances)
        mode->label = with_instances(reader->arena, form->name, mode->label, mode);
    if (form->read)
        form->read(values, mode);
}
