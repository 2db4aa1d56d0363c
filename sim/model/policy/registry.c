/* Policies, modes and contention models by name. The build writes the tables from the files it finds
 * (registry_table.c.in). */
#include "registry.h"
#include "modes.h"
#include "params.h"

#include <string.h>

/* Defines the function that returns the idx-th of one kind: first those of the options, then those of the table. */
#define DEFINE_AT(function, type, table, added, count)                                                                 \
    extern const struct type *const table[];                                                                           \
    const struct type *function(const struct sms_load_options *options, size_t idx)                                    \
    {                                                                                                                  \
        size_t own = options ? options->count : 0;                                                                     \
        if (idx < own)                                                                                                 \
            return options->added[idx];                                                                                \
        for (size_t i = 0; (table)[i]; i++)                                                                            \
            if (i == idx - own)                                                                                        \
                return (table)[i];                                                                                     \
        return NULL;                                                                                                   \
    }

DEFINE_AT(sms__policy_at, sms_block_policy, sms__block_policies, policies, n_policies)
DEFINE_AT(sms__share_at, sms_share_policy, sms__share_policies, shares, n_shares)
DEFINE_AT(sms__place_at, sms_place_policy, sms__place_policies, places, n_places)
DEFINE_AT(sms__contention_at, sms_contention, sms__contentions, contentions, n_contentions)
DEFINE_AT(sms__queue_at, sms_queue_discipline, sms__queues, queues, n_queues)
DEFINE_AT(sms__mode_at, sms_sharing_mode, sms__modes, modes, n_modes)

#define KNOWN(one)                                                                                                     \
    (one) ? (struct sms__known){(one)->name, (one)->params, (one)->size, (one)} : (struct sms__known) { 0 }

struct sms__known sms__known_at(const struct sms_load_options *options, enum sms__kind kind, size_t idx)
{
    const struct sms_place_policy *place = kind == SMS__PLACE ? sms__place_at(options, idx) : NULL;
    const struct sms_share_policy *share = kind == SMS__SHARE ? sms__share_at(options, idx) : NULL;
    const struct sms_sharing_mode *mode = kind == SMS__MODE ? sms__mode_at(options, idx) : NULL;
    const struct sms_block_policy *block = kind == SMS__BLOCK ? sms__policy_at(options, idx) : NULL;
    const struct sms_contention *contention = kind == SMS__CONTENTION ? sms__contention_at(options, idx) : NULL;
    const struct sms_queue_discipline *queue = kind == SMS__QUEUE ? sms__queue_at(options, idx) : NULL;
    if (queue)
        return (struct sms__known){queue->name, NULL, queue->size, queue};
    return place ? KNOWN(place) : share ? KNOWN(share) : mode ? KNOWN(mode) : block ? KNOWN(block) : KNOWN(contention);
}

struct sms__known sms__find_known(const struct sms_load_options *options, enum sms__kind kind, const char *name)
{
    struct sms__known known;
    for (size_t i = 0; (known = sms__known_at(options, kind, i)).name && strcmp(known.name, name) != 0;)
        i++;
    return known;
}

/* The policies, modes or models of one kind that the options add. */
struct added {
    size_t count, size; /* size of the kind's struct in this library */
    const void *list;
};

static struct added added_of(const struct sms_load_options *options, enum sms__kind kind)
{
    const struct added added[SMS__KINDS] = {
        [SMS__PLACE] = {options->n_places, sizeof(struct sms_place_policy), options->places},
        [SMS__SHARE] = {options->n_shares, sizeof(struct sms_share_policy), options->shares},
        [SMS__BLOCK] = {options->n_policies, sizeof(struct sms_block_policy), options->policies},
        [SMS__CONTENTION] = {options->n_contentions, sizeof(struct sms_contention), options->contentions},
        [SMS__QUEUE] = {options->n_queues, sizeof(struct sms_queue_discipline), options->queues},
        [SMS__MODE] = {options->n_modes, sizeof(struct sms_sharing_mode), options->modes},
    };
    return added[kind];
}

/* Names go into labels and files, like those of the scenario. */
static const char *known_misuse(const struct sms__known *known, size_t size)
{
    if (known->size && known->size != size)
        return "a policy, mode or model that is added was compiled with another version of the header";
    if (!known->name || !sms__is_name(known->name))
        return "a policy, mode or model that is added has no name, or one that no file could say";
    if (sms__count_params(known->params) > SMS__PARAMS_MAX)
        return "a policy, mode or model that is added has more than 16 parameters";
    for (size_t i = 0; i < sms__count_params(known->params); i++) {
        const struct sms_param *param = &known->params[i];
        if ((unsigned)param->unit > SMS_UNIT_CHOICE ||
            (param->unit == SMS_UNIT_CHOICE && (!param->choices || !param->choices[0])))
            return "a policy, mode or model that is added has a parameter of no unit, or a choice between nothing";
    }
    return NULL;
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

static const char *function_misuse(enum sms__kind kind, const void *item)
{
    const struct sms_block_policy *block = kind == SMS__BLOCK ? item : NULL;
    const struct sms_contention *model = kind == SMS__CONTENTION ? item : NULL;
    const struct sms_place_policy *place = kind == SMS__PLACE ? item : NULL;
    if (kind == SMS__MODE)
        return mode_misuse(item);
    if (block && block->search == SMS_SEARCH_BEST && !block->score)
        return "a block policy that is added looks for the best SM and has no score";
    if (model && (model->slowdown != NULL) + (model->rate != NULL) + model->is_max_min != 1)
        return "a contention model that is added has not exactly one of slowdown, rate and is_max_min";
    if (model && model->is_max_min && model->measured_alone)
        return "a contention model that is added is max-min, which slows nothing below 100 %, and measured_alone";
    if (model && model->joins && !model->slowdown)
        return "a contention model that is added joins slowdowns and has none";
    if (place && place->search == SMS_PLACE_BEST && !place->score)
        return "a place policy that is added looks for the best node and has no score";
    return NULL;
}

static const char *kind_misuse(const struct sms_load_options *options, enum sms__kind kind)
{
    const struct added added = added_of(options, kind);
    const char *wrong = NULL;
    if (added.count && !added.list)
        return "options have a number of policies, modes or models and no list of them";
    for (size_t i = 0; i < added.count && !wrong; i++) {
        struct sms__known known = sms__known_at(options, kind, i);
        wrong = known.item ? known_misuse(&known, added.size) : "a policy, mode or model that is added is NULL";
        wrong = wrong ? wrong : function_misuse(kind, known.item);
    }
    return wrong;
}

const char *sms__options_misuse(const struct sms_load_options *options)
{
    const char *wrong = NULL;
    for (enum sms__kind kind = 0; options && kind < SMS__KINDS && !wrong; kind++)
        wrong = kind_misuse(options, kind);
    return wrong;
}
