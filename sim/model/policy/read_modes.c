/* How an entry of a scenario names a sharing mode. */
#include "../file.h"
#include "../layout.h"
#include "modes.h"
#include "policies.h"
#include "registry.h"

#include <string.h>

/* The mode as its parameters say, whose values are set. */
static void act(struct sms__mode *mode)
{
    mode->turns = (struct sms__turns){.switch_ps = -1, .newcomer = -1};
    for (size_t i = 0; i < sms__count_params(mode->form->params); i++)
        sms__act_on_param(&mode->form->params[i], mode->param[i], mode->given >> i & 1, mode);
}

struct sms__mode sms__bare_mode(struct sms__arena *arena, const struct sms_sharing_mode *form)
{
    double *values = SMS__NEW(arena, double, SMS__PARAMS_MAX);
    struct sms__mode mode = {.form = form, .param = values, .label = form->name, .word = form->name};
    sms__default_params(form->params, values);
    act(&mode);
    return mode;
}

/* The bit of a parameter in `given`. */
static uint32_t bit_of(const struct sms_param *params, const struct sms__node *key)
{
    for (size_t i = 0; key->kind == SMS__SCALAR && i < sms__count_params(params); i++)
        if (!strcmp(params[i].name, key->text))
            return UINT32_C(1) << i;
    return 0;
}

/* A mode within another. */
static bool read_part(struct sms__reader *reader, const struct sms__node *node, struct sms__mode *mode)
{
    const struct sms__node *name, *params;
    const size_t before = reader->errors->count;
    if (!sms__split_use(reader, node, &name, &params))
        return false;
    const struct sms__known known = sms__find_known(sms__load_options(reader), SMS__MODE, name->text);
    if (known.item)
        sms__read_mode(reader, name, known.item, params, mode);
    else
        sms__complain_unknown_kind(reader, name, "mode", SMS__MODE, SMS__MODE + 1);
    return reader->errors->count == before && mode->form;
}

bool sms__read_modes(struct sms__reader *reader, const struct sms__node *list, struct sms__mode *mode)
{
    struct sms__mode *part = SMS__NEW(reader->arena, struct sms__mode, list->items + 1);
    const char *label = "devices(";
    if (list->items == 0)
        sms__complain(reader, list, "mode: the list is empty");
    *mode = (struct sms__mode){.part = part, .parts = list->items};
    bool sound = list->items > 0;
    for (size_t i = 0; i < list->items; i++) {
        sound &= read_part(reader, list->item[i], &part[i]);
        if (sound)
            label = sms__print(reader->arena, "%s%s%s", label, i ? " " : "", part[i].label);
    }
    mode->label = sms__print(reader->arena, "%s)", label);
    return sound;
}

/* ---- instances ---- */

/* What processes of an instance do, unless the mode says otherwise. */
static const struct sms_sharing_mode *const INSIDE = &sms_sharing_mode_time_slice;

bool sms__read_shared(struct sms__reader *reader, const struct sms__node *node, const char *refusal,
                      struct sms__mode *shared)
{
    if (!read_part(reader, node, shared))
        return false;
    if (shared->form->instances)
        sms__complain(reader, node, "%s", refusal);
    return !shared->form->instances;
}

/* A mode of the processes in an instance. */
static bool read_inside(struct sms__reader *reader, const struct sms__node *node, struct sms__mode *inside)
{
    return sms__read_shared(reader, node, "an instance has no instances", inside);
}

/* `PROFILE` or `{PROFILE: MODE}`. Sets the label of the instance, and its mode if it has one. Returns its name. */
static struct sms__node *read_instance(struct sms__reader *reader, struct sms__node *node, struct sms__mode *mode,
                                       const char **label)
{
    bool pair = node->kind == SMS__MAP && node->items == 2;
    struct sms__node *name = pair ? node->item[0] : node;
    if (!sms__expect_kind(reader, name, SMS__SCALAR) || (pair && !read_inside(reader, node->item[1], mode)))
        return NULL;
    *label = pair ? sms__print(reader->arena, "%s:%s", name->text, mode->label) : name->text;
    return name;
}

/* Of a mode in an instance. */
static const char *word_of(struct sms__arena *arena, const struct sms__mode *inside, const char *name)
{
    return inside->form == INSIDE ? name : sms__print(arena, "%s/%s", name, inside->form->name);
}

bool sms__read_instances(struct sms__reader *reader, const struct sms__node *list, const struct sms__mode *usual,
                         struct sms__mode *mode)
{
    struct sms__node *names = SMS__NEW(reader->arena, struct sms__node, 1);
    struct sms__mode *part = SMS__NEW(reader->arena, struct sms__mode, SMS__INSTANCES_MAX);
    const char *label = "", *own = "", *name = sms_sharing_mode_mig.name;
    bool sound = true;
    *names = *list;
    names->item = SMS__NEW(reader->arena, struct sms__node *, SMS__INSTANCES_MAX);
    for (size_t i = 0; i < list->items; i++) {
        part[i] = *usual;
        names->item[i] = read_instance(reader, list->item[i], &part[i], &own);
        sound &= names->item[i] != NULL;
        if (!sound)
            continue;
        part[i].word = part[i].form ? word_of(reader->arena, &part[i], name) : NULL;
        label = sms__print(reader->arena, "%s%s%s", label, i ? "+" : "", own);
    }
    *mode = (struct sms__mode){mode->form,         .part = part,   .parts = list->items,
                               .instances = names, .label = label, .word = mode->word};
    return sound;
}

/* With the label "mig(instances=3g.20gb+2g.10gb:mps inside=time_slice(slice=4 ms))". */
static void read_mode_of_instances(struct sms__reader *reader, const struct sms__node *list,
                                   const struct sms__node *inside, struct sms__mode *mode)
{
    struct sms__mode *usual = SMS__NEW(reader->arena, struct sms__mode, 1);
    *usual = sms__bare_mode(reader->arena, INSIDE);
    bool sound = !inside || read_inside(reader, inside, usual);
    if (!sms__expect_list(reader, list, SMS__INSTANCES_MAX))
        return;
    if (list->items == 0)
        sms__complain(reader, list, "instances: the list is empty");
    struct sms__mode split = *mode;
    if (!sms__read_instances(reader, list, usual, &split) || !sound)
        return;
    *mode = split;
    mode->inside = usual;
    mode->label = sms__print(reader->arena,
                             usual->form == INSIDE && !usual->given ? "%s(instances=%s)" : "%s(instances=%s inside=%s)",
                             mode->form->name, split.label, usual->label);
}

/* ---- one mode ---- */

static const char caps_key[] = "caps";

static const char *param_or_caps(const void *user, size_t i)
{
    const struct sms_sharing_mode *form = user;
    return i < sms__count_params(form->params) ? form->params[i].name : caps_key;
}

static void read_params(struct sms__reader *reader, const struct sms__node *map, const struct sms_sharing_mode *form,
                        double *values, struct sms__mode *mode)
{
    for (size_t i = 0; i + 1 < map->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2) {
        if (!sms__is_first(reader, map, i))
            continue;
        const struct sms__node *key = map->item[i];
        mode->given |= bit_of(form->params, key);
        if (!form->caps || key->kind != SMS__SCALAR || bit_of(form->params, key))
            sms__read_param(reader, key, map->item[i + 1], form->params, values);
        else if (!strcmp(key->text, caps_key))
            sms__read_caps(reader, map->item[i + 1], mode);
        else
            sms__complain_unknown(reader, key, "parameter", sms__count_params(form->params) + 1, param_or_caps, form);
    }
}

static void read_split(struct sms__reader *reader, const struct sms__node *node, const struct sms__node *map,
                       struct sms__mode *mode)
{
    static const char *const keys[] = {"instances", "inside"};
    const struct sms__node *list = map ? sms__node_get(map, keys[0]) : NULL;
    for (size_t i = 0; map && i + 1 < map->items; i += 2)
        if (sms__is_first(reader, map, i) && sms__expect_kind(reader, map->item[i], SMS__SCALAR) &&
            strcmp(map->item[i]->text, keys[0]) != 0 && strcmp(map->item[i]->text, keys[1]) != 0)
            sms__complain_unknown(reader, map->item[i], "key", 2, sms__text_at, keys);
    if (list)
        read_mode_of_instances(reader, list, sms__node_get(map, keys[1]), mode);
    else
        sms__complain(reader, node, "mode %s: key 'instances' is missing", mode->form->name);
}

void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms_sharing_mode *form,
                    const struct sms__node *params, struct sms__mode *mode)
{
    double *values = SMS__NEW(reader->arena, double, SMS__PARAMS_MAX);
    *mode = (struct sms__mode){.form = form, .param = values, .label = form->name, .word = form->name};
    if (params && !sms__expect_kind(reader, params, SMS__MAP))
        return;
    if (form->instances) {
        read_split(reader, node, params, mode);
        return;
    }
    sms__default_params(form->params, values);
    if (params)
        read_params(reader, params, form, values, mode);
    mode->label = sms__param_label(reader->arena, form->name, form->params, values);
    mode->label = sms__caps_label(reader->arena, mode, mode->label);
    act(mode);
}
