/* Policies, modes and contention models by name. The build writes the tables from the files it finds
 * (registry_table.c.in). */
#include "registry.h"
#include "../file.h"
#include "modes.h"
#include "params.h"

#include <stddef.h>
#include <string.h>

extern const void *const sms__place_policies[],
    *const sms__share_policies[], *const sms__modes[], *const sms__block_policies[], *const sms__contentions[],
                                                                                         *const sms__queues[];

/* The library's table of each kind, which NULL ends, the members of the options that add to it, and the struct. */
#define KIND(table, list, count, type)                                                                                 \
    {                                                                                                                  \
        table, offsetof(struct sms_load_options, list), offsetof(struct sms_load_options, count), sizeof(struct type)  \
    }
static const struct {
    const void *const *table;
    size_t list, count, size;
} kinds[SMS__KINDS] = {
    [SMS__PLACE] = KIND(sms__place_policies, places, n_places, sms_place_policy),
    [SMS__SHARE] = KIND(sms__share_policies, shares, n_shares, sms_share_policy),
    [SMS__MODE] = KIND(sms__modes, modes, n_modes, sms_sharing_mode),
    [SMS__BLOCK] = KIND(sms__block_policies, policies, n_policies, sms_block_policy),
    [SMS__CONTENTION] = KIND(sms__contentions, contentions, n_contentions, sms_contention),
    [SMS__QUEUE] = KIND(sms__queues, queues, n_queues, sms_queue_discipline),
};

/* The pointer at a position of a list of pointers to structs of any kind. All have one form, that of `void *`. */
static const void *pointer_at(const void *list, size_t bytes)
{
    const void *pointer;
    memcpy(&pointer, (const char *)list + bytes, sizeof pointer);
    return pointer;
}

size_t sms__count_added(const struct sms_load_options *options, enum sms__known_kind kind)
{
    size_t count = 0;
    if (options)
        memcpy(&count, (const char *)options + kinds[kind].count, sizeof count);
    return count;
}

void sms__set_added(struct sms_load_options *options, enum sms__known_kind kind, const void *const *list, size_t count)
{
    memcpy((char *)options + kinds[kind].list, &list, sizeof list);
    memcpy((char *)options + kinds[kind].count, &count, sizeof count);
}

struct sms__known sms__known_at(const struct sms_load_options *options, enum sms__known_kind kind, size_t idx)
{
    const size_t added = sms__count_added(options, kind);
    struct sms__known known = {0};
    if (idx < added)
        known.item = pointer_at(pointer_at(options, kinds[kind].list), idx * sizeof known.item);
    for (size_t i = added; idx >= added && kinds[kind].table[i - added] && !known.item; i++)
        known.item = i == idx ? kinds[kind].table[i - added] : NULL;
    if (known.item)
        memcpy(&known, known.item,
               offsetof(struct sms__known, params) + (kind == SMS__QUEUE ? 0 : sizeof known.params));
    return known;
}

struct sms__known sms__find_known(const struct sms_load_options *options, enum sms__known_kind kind, const char *name)
{
    struct sms__known known;
    for (size_t i = 0; (known = sms__known_at(options, kind, i)).name && strcmp(known.name, name) != 0;)
        i++;
    return known;
}

size_t sms__count_known(const struct sms_load_options *options, enum sms__known_kind kind)
{
    size_t count = 0;
    while (sms__known_at(options, kind, count).name)
        count++;
    return count;
}

/* Names to suggest: those of some kinds, one kind after another. */
struct names {
    const struct sms_load_options *options;
    enum sms__known_kind first, end;
};

static const char *name_at(const void *user, size_t i)
{
    const struct names *names = user;
    enum sms__known_kind kind = names->first;
    for (size_t count; kind + 1 < names->end && i >= (count = sms__count_known(names->options, kind)); kind++)
        i -= count;
    return sms__known_at(names->options, kind, i).name;
}

void sms__complain_unknown_kind(struct sms__reader *reader, const struct sms__node *node, const char *what,
                                enum sms__known_kind first, enum sms__known_kind end)
{
    const struct names names = {sms__load_options(reader), first, end};
    size_t count = 0;
    for (enum sms__known_kind kind = first; kind < end; kind++)
        count += sms__count_known(names.options, kind);
    if (!((const struct sms_file *)reader->user)->lacks_plugin) /* it may have it */
        sms__complain_unknown(reader, node, what, count, name_at, &names);
}

/* The index of a choice's default is printed and looked up. */
static bool is_choice_wrong(const struct sms_param *param)
{
    size_t count = 0;
    while (param->choices && param->choices[count])
        count++;
    const double fallback = param->fallback;
    return !(fallback >= 0 && fallback < (double)count) || fallback != (double)(size_t)fallback;
}

/* A scenario names a parameter as it names everything. */
static bool is_param_name_wrong(const struct sms_param *params, size_t i)
{
    bool wrong = !sms__is_name(params[i].name);
    for (size_t j = 0; j < i; j++)
        wrong |= !strcmp(params[j].name, params[i].name);
    return wrong;
}

static const char *params_misuse(const struct sms_param *params)
{
    const size_t count = sms__count_params(params);
    if (count > SMS__PARAMS_MAX)
        return "a policy, mode or model that is added has more than 16 parameters";
    for (size_t i = 0; i < count; i++) {
        const struct sms_param *param = &params[i];
        if (is_param_name_wrong(params, i))
            return "a policy, mode or model that is added has two parameters of one name, or one with a name that no "
                   "file could say";
        if ((unsigned)param->unit > SMS_UNIT_NUMBER ||
            (param->unit == SMS_UNIT_CHOICE && (!param->choices || !param->choices[0])))
            return "a policy, mode or model that is added has a parameter of no unit, or a choice between nothing";
        if (param->unit == SMS_UNIT_CHOICE && is_choice_wrong(param))
            return "a policy, mode or model that is added has a parameter whose default is none of its choices";
        if (param->unit != SMS_UNIT_CHOICE && !(param->min <= param->fallback && param->fallback <= param->max))
            return "a policy, mode or model that is added has a parameter whose default is not from min to max";
    }
    return NULL;
}

/* Names go into labels and files, like those of the scenario. */
static const char *known_misuse(const struct sms__known *known, size_t size)
{
    if (known->size && known->size != size)
        return "a policy, mode or model that is added was compiled with another version of the header";
    if (!known->name || !sms__is_name(known->name))
        return "a policy, mode or model that is added has no name, or one that no file could say";
    return params_misuse(known->params);
}

static const char *mode_misuse(const struct sms_sharing_mode *mode)
{
    if (mode->reserves && !mode->sms)
        return "a mode that is added reserves SMs and does not say how many";
    if (mode->slice_ps && !mode->slices)
        return "a mode that is added has a slice for each process, and no turns";
    if (mode->instances &&
        (mode->exclusive || mode->slices || mode->params || mode->most_processes || mode->sms || mode->bytes))
        return "a mode that is added has instances, and these have modes of their own";
    return sms__is_mode_param_wrong(mode->params)
               ? "a mode that is added has a parameter of the engine's, and not as mode.h has it"
               : NULL;
}

#define STATE_MAX ((size_t)1 << 40) /* more than a machine has; sums over tenants do not wrap */

static const char *block_misuse(const struct sms_block_policy *block)
{
    const struct sms_queue_discipline *queue = block->queue;
    if ((unsigned)block->search > SMS_SEARCH_BEST)
        return "a block policy that is added has a search that there is not";
    if (block->search == SMS_SEARCH_BEST && !block->score)
        return "a block policy that is added looks for the best SM and has no score";
    if (queue && ((queue->size && queue->size != sizeof *queue) || !queue->name || !sms__is_name(queue->name)))
        return "a block policy that is added has a queue without a name, or one that was compiled with another version "
               "of the header";
    return block->run_bytes > STATE_MAX || block->tenant_bytes > STATE_MAX || block->launch_bytes > STATE_MAX
               ? "a block policy that is added has a state of more than 1 TiB"
               : NULL;
}

static const char *place_misuse(const struct sms_place_policy *place)
{
    if ((unsigned)place->search > SMS_PLACE_RANDOM)
        return "a place policy that is added has a search that there is not";
    return place->search == SMS_PLACE_BEST && !place->score
               ? "a place policy that is added looks for the best node and has no score"
               : NULL;
}

static const char *function_misuse(enum sms__known_kind kind, const void *item)
{
    const struct sms_contention *model = kind == SMS__CONTENTION ? item : NULL;
    const struct sms_share_policy *share = kind == SMS__SHARE ? item : NULL;
    if (kind == SMS__MODE)
        return mode_misuse(item);
    if (kind == SMS__BLOCK)
        return block_misuse(item);
    if (kind == SMS__PLACE)
        return place_misuse(item);
    if (model && (model->slowdown != NULL) + (model->rate != NULL) + model->is_max_min != 1)
        return "a contention model that is added has not exactly one of slowdown, rate and is_max_min";
    if (model && model->is_max_min && model->measured_alone)
        return "a contention model that is added is max-min, which slows nothing below 100 %, and measured_alone";
    if (model && model->joins && !model->slowdown)
        return "a contention model that is added joins slowdowns and has none";
    return share && share->state > STATE_MAX ? "a share policy that is added has a state of more than 1 TiB" : NULL;
}

static const char *kind_misuse(const struct sms_load_options *options, enum sms__known_kind kind)
{
    const size_t count = sms__count_added(options, kind);
    const char *wrong = NULL;
    if (count && !pointer_at(options, kinds[kind].list))
        return "options have a number of policies, modes or models and no list of them";
    for (size_t i = 0; i < count && !wrong; i++) {
        struct sms__known known = sms__known_at(options, kind, i);
        wrong = known.item ? known_misuse(&known, kinds[kind].size) : "a policy, mode or model that is added is NULL";
        wrong = wrong ? wrong : function_misuse(kind, known.item);
    }
    return wrong;
}

const char *sms__options_misuse(const struct sms_load_options *options)
{
    const char *wrong = NULL;
    for (enum sms__known_kind kind = 0; options && kind < SMS__KINDS && !wrong; kind++)
        wrong = kind_misuse(options, kind);
    return wrong;
}
