/* Reads what only a cluster under `scheduler: {kind: gpushare}` has. */
#include "gpushare_rules.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* A time-out or a round trip longer than a day is a mistake. */
#define WAIT_MAX_PS 8.64e16
/* Less than that, and a pod that waits could do nothing but be tried. */
#define RETRY_LEAST_PS 1e9

static const char *const units[] = {"MiB", "GiB", NULL};
static const char *const bind_failures[] = {"error", "silent", NULL};
static const char *const start_failures[] = {"fail", "hold", NULL};
static const char *const kinds[] = {"gpushare", NULL};

static const struct sms__field quirk_fields[] = {
    {"whole_pod", SMS__CHOICE, 0, F(sms__quirks, whole_pod), .choices = sms__truths,
     .help = "says whether Allocate compares a container's request with those of whole pods (issue 143); default true"},
    {"any_pod", SMS__CHOICE, 0, F(sms__quirks, any_pod), .choices = sms__truths,
     .help =
         "says whether Allocate takes the oldest pod with the same request, instead of the right one; default true"},
    {"others_blind", SMS__CHOICE, 0, F(sms__quirks, others_blind), .choices = sms__truths,
     .help = "says whether memory used by other programs is invisible (device plugin, issue 25); default true"},
    {"unhealthy", SMS__CHOICE, 0, F(sms__quirks, unhealthy), .choices = sms__truths,
     .help = "says whether unhealthy GPUs take no pods; default true"},
    {"single_gpu", SMS__CHOICE, 0, F(sms__quirks, single_gpu), .choices = sms__truths,
     .help = "says whether Allocate without a match takes a node's only GPU; default true"},
    {0}};

const struct sms__field sms__gpushare_fields[] = {
    {"kind", SMS__CHOICE, .choices = kinds, .read = sms__skip, .required = true,
     .help = "must be gpushare in this form"},
    {"unit", SMS__CHOICE, 0, F(sms__gpushare, gib), .choices = units,
     .help = "sets the unit of GPU memory, to which it is rounded down: MiB or GiB; default MiB"},
    {"round_trip", SMS__QUANTITY, SMS__TIME, F(sms__gpushare, round_trip_ps), 0, WAIT_MAX_PS,
     .help = "sets the round trip time of a request to the extender; default 5 ms"},
    {"retry", SMS__QUANTITY, SMS__TIME, F(sms__gpushare, retry_ps), RETRY_LEAST_PS, SMS__TIME_MAX_PS,
     .help = "sets the wait before a pod that found no node is tried again, doubled each time; default 1 s"},
    {"retry_most", SMS__QUANTITY, SMS__TIME, F(sms__gpushare, retry_most_ps), RETRY_LEAST_PS, SMS__TIME_MAX_PS,
     .help = "sets the maximum of this wait; default 10 s"},
    {"assume_timeout", SMS__QUANTITY, SMS__TIME, F(sms__gpushare, assume_timeout_ps), 1, SMS__TIME_MAX_PS,
     .help = "sets the time from bind until an unassigned pod is queued again; default 30 s"},
    {"allocate_delay", SMS__QUANTITY, SMS__TIME, F(sms__gpushare, allocate_delay_ps), 0, SMS__TIME_MAX_PS,
     .help = "sets the time from bind to Allocate; default 0"},
    {"start_delay", SMS__QUANTITY, SMS__TIME, F(sms__gpushare, start_delay_ps), 0, SMS__TIME_MAX_PS,
     .help = "sets the time from Allocate to the start; default 1 s"},
    {"default_filter", SMS__CHOICE, 0, F(sms__gpushare, default_filter), .choices = sms__truths,
     .help = "says whether the default filter also checks GPU memory; default true"},
    {"bind_failure", SMS__CHOICE, 0, F(sms__gpushare, bind_failure), .choices = bind_failures,
     .help = "says what happens if no GPU fits any more: error (back off) or silent (wait for assume_timeout); default "
             "error"},
    {"on_failure", SMS__CHOICE, 0, F(sms__gpushare, on_failure), .choices = start_failures,
     .help = "says what happens if containers do not start: fail (the pod is gone) or hold (it keeps its GPU memory); "
             "default fail"},
    {"cards_per_pod", SMS__INTEGER, SMS__COUNT, F(sms__gpushare, cards_per_pod), 1, SMS_NODE_GPUS_MAX,
     .help = "sets how many cards a pod may request; default 1"},
    {"quirks", SMS__FIELDS, 0, F(sms__gpushare, quirks), .fields = quirk_fields,
     .help = "sets quirks of the real software, each on by default"},
    {0}};

const struct sms__table sms__gpushare_tables[3] = {{"scenario: scheduler of kind gpushare", sms__gpushare_fields},
                                                   {"scenario: scheduler: quirks", quirk_fields},
                                                   {NULL, NULL}};

static const struct sms__gpushare defaults = {.round_trip_ps = 5e9,
                                              .retry_ps = 1e12,
                                              .retry_most_ps = 1e13,
                                              .assume_timeout_ps = 3e13,
                                              .start_delay_ps = 1e12,
                                              .default_filter = 1,
                                              .cards_per_pod = 1,
                                              .quirks = {1, 1, 1, 1, 1}};

void sms__gpushare_read(struct sms__reader *reader, const struct sms__node *node, struct sms__cluster *cluster)
{
    struct sms__gpushare *rules = cluster->rules = SMS__NEW(reader->arena, struct sms__gpushare, 1);
    *rules = defaults;
    sms__read_fields(reader, node, sms__gpushare_fields, rules);
    rules->unit = (uint64_t)1 << (rules->gib ? 30 : 20);
    if (sms__is_wrong(reader, node, "cards_per_pod"))
        rules->cards_per_pod = SMS_NODE_GPUS_MAX;
    if (!sms__node_get(node, "retry_most") && rules->retry_most_ps < rules->retry_ps)
        rules->retry_most_ps = rules->retry_ps;
    if (rules->retry_most_ps < rules->retry_ps && !sms__is_wrong(reader, node, "retry") &&
        !sms__is_wrong(reader, node, "retry_most"))
        sms__complain(reader, node, "retry_most is less than retry");
    if (rules->allocate_delay_ps >= rules->assume_timeout_ps)
        sms__complain(reader, node, "no pod is assigned before assume_timeout if allocate_delay is as long");
}

static void read_others(struct sms__reader *reader, const struct sms__node *node, struct sms__nodes *kind)
{
    struct sms__quantity number;
    bool list = node->kind == SMS__LIST;
    if (list && node->items != kind->gpus) {
        sms__complain(reader, node, "%zu values for %llu GPUs", node->items, (unsigned long long)kind->gpus);
        return;
    }
    for (uint64_t g = 0; g < (list || kind->gpus == 0 ? kind->gpus : 1); g++)
        if (sms__read_number(reader, list ? node->item[g] : node, SMS__BYTES, 0, SMS__GPU_BYTES_MAX, &number))
            kind->others[g] = (uint64_t)(number.value + 0.5);
    for (uint64_t g = 1; g < kind->gpus && !list; g++)
        kind->others[g] = kind->others[0];
}

static void read_sick(struct sms__reader *reader, const struct sms__node *node, const struct sms__nodes *kind,
                      struct sms__share_node *share)
{
    share->sick = SMS__NEW(reader->arena, struct sms__sick, node->items + 1);
    for (size_t i = 0; i < node->items; i++) {
        struct sms__sick *sick = &share->sick[share->sicks++];
        sms__read_fields(reader, node->item[i], sms__sick_fields, sick);
        if (sick->gpu >= kind->gpus)
            sms__complain(reader, node->item[i], "the node has %llu GPUs, counted from 0",
                          (unsigned long long)kind->gpus);
        if (sick->to_ps > 0 && sick->to_ps <= sick->from_ps)
            sms__complain(reader, node->item[i], "it is healthy before it is unhealthy");
    }
}

/* Keys of an entry of nodes that are of its GPUs. */
static const char *const gpu_keys[] = {"share", "used_by_others", "unhealthy", NULL};

/* GPUs that are shared and GPUs that are given whole are models apart, even of one name. */
static int split_model(struct sms__reader *reader, struct sms__cluster *cluster, const struct sms__nodes *kind,
                       uint64_t *whole)
{
    struct sms__gpushare *rules = cluster->rules;
    uint64_t *own = kind->shared->memory ? &rules->memory_models : whole;
    if (!((kind->shared->memory ? *whole : rules->memory_models) >> kind->model & 1)) {
        *own |= (uint64_t)1 << kind->model;
        return kind->model;
    }
    for (size_t m = 0; m < cluster->models; m++)
        if ((*own >> m & 1) && !strcmp(cluster->model[m], cluster->model[kind->model]))
            return (int)m;
    if (cluster->models == SMS_GPU_MODELS_MAX) {
        sms__complain(reader, kind->node, "more than %d models of GPUs", SMS_GPU_MODELS_MAX);
        return kind->model;
    }
    cluster->model[cluster->models] = cluster->model[kind->model];
    *own |= (uint64_t)1 << cluster->models;
    return (int)cluster->models++;
}

static void read_node(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__nodes *kind,
                      uint64_t *whole)
{
    struct sms__cluster *cluster = scenario->cluster;
    struct sms__gpushare *rules = cluster->rules;
    struct sms__share_node *share = kind->shared = SMS__NEW(reader->arena, struct sms__share_node, 1);
    const struct sms__share_said *said = &kind->said;
    bool shares = said->share < 0 ? kind->gpu_memory > 0 : said->share == SMS__SHARE_MEMORY;
    if (kind->gpus == 0 && sms__find_key(kind->node, gpu_keys) && !sms__is_wrong(reader, kind->node, "gpus"))
        sms__complain(reader, kind->node, "a node without gpus shares none");
    share->memory = shares && kind->gpus > 0;
    share->raw = kind->device >= 0 ? scenario->device[kind->device]->memory : kind->gpu_memory;
    share->added_ps = said->added_ps;
    kind->others = SMS__NEW(reader->arena, uint64_t, kind->gpus + 1);
    if (said->others)
        read_others(reader, said->others, kind);
    if (said->sick)
        read_sick(reader, said->sick, kind, share);
    kind->gpu_memory = share->memory ? kind->gpu_memory / rules->unit * rules->unit : 0;
    if (share->memory && kind->gpu_memory == 0)
        sms__complain(reader, kind->node, "a card of less than 1 %s cannot be shared", units[rules->gib]);
    rules->card_most = kind->gpu_memory > rules->card_most ? kind->gpu_memory : rules->card_most;
    if (kind->model >= 0)
        kind->model = split_model(reader, cluster, kind, whole);
}

void sms__gpushare_read_nodes(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    uint64_t whole = 0;
    for (size_t k = 0; k < cluster->kinds && reader->errors->count <= SMS_ERRORS_MAX; k++)
        read_node(reader, scenario, &cluster->node[k], &whole);
}

static bool is_whole(const struct sms__gpushare *rules, const struct sms__request *request)
{
    bool whole = request->bytes % rules->unit == 0;
    for (size_t c = 0; c < request->containers; c++)
        whole &= request->container[c] % rules->unit == 0;
    return whole;
}

/* A part of a GPU is that part of the largest card's memory. Where no card is shared it is memory that there is not. */
static void share_card(const struct sms__gpushare *rules, struct sms__request *request, struct sms_pod_view *view)
{
    const uint64_t asked = (rules->card_most / rules->unit * view->gpu_milli + 999) / 1000;
    request->bytes = (asked ? asked : 1) * rules->unit;
}

void sms__gpushare_read_pod(struct sms__reader *reader, const struct sms__node *node,
                            const struct sms__cluster *cluster, struct sms__request *request, struct sms_pod_view *view)
{
    const struct sms__gpushare *rules = cluster->rules;
    const struct sms__node *memory = sms__node_get(node, "gpu_memory");
    if (memory && sms__node_get(node, "gpu"))
        sms__complain(reader, node, "gpushare counts GPU memory alone: a pod asks for gpu or for gpu_memory");
    if (!is_whole(rules, request))
        sms__complain(reader, memory, "no whole number of %s, the unit of gpushare", units[rules->gib]);
    if (request->containers && view->gpus > 1)
        sms__complain(reader, node, "the GPUs of several containers are not counted: leave out gpus");
    if (view->gpu_milli > 0 && view->gpu_milli < 1000)
        share_card(rules, request, view);
    if (request->bytes > 0 && view->gpus > rules->cards_per_pod)
        sms__complain(reader, node, "a pod has memory of at most %llu card%s (cards_per_pod)",
                      (unsigned long long)rules->cards_per_pod, rules->cards_per_pod == 1 ? "" : "s");
    if (memory && request->bytes == 0) { /* it never reaches the extender */
        view->gpus = view->gpu_milli = 0;
        view->models = UINT64_MAX;
    }
    view->gpu_memory = request->bytes;
    if (view->gpus == 0)
        return;
    view->models &= request->bytes ? rules->memory_models : ~rules->memory_models;
    if (request->bytes == 0)
        return;
    uint64_t milli = rules->card_most ? 1000 * request->bytes / rules->card_most : 1000;
    view->gpu_milli = (uint32_t)(milli < 1000 ? milli : 1000);
}

#define SLOTS_MAX 1e9 /* of a GPU; as many do not fit in memory */

/* By the least memory that a process is placed by. GPUs may be swapped until one has the
 * processes of all of its node, unless Allocate knows its pod. */
size_t sms__gpushare_count_slots(const struct sms__cluster *cluster)
{
    const struct sms__gpushare *rules = cluster->rules;
    double most = 1, pods = 0, gpus = 1;
    for (size_t k = 0; k < cluster->kinds && rules->quirks.any_pod; k++)
        gpus = (double)cluster->node[k].gpus > gpus ? (double)cluster->node[k].gpus : gpus;
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *group = &cluster->pod[g];
        size_t containers = group->request.containers ? group->request.containers : 1;
        double bytes = (double)cluster->shape[group->shape].gpu_memory;
        if (group->rows || !group->tenant)
            continue;
        double card = (double)rules->card_most * (double)containers;
        most = bytes > 0 && gpus * card / bytes > most ? gpus * card / bytes : most;
        pods += group->pool ? SLOTS_MAX : (double)group->count * (double)containers;
    }
    most = most < pods ? most : pods;
    return (size_t)(most < SLOTS_MAX ? most : SLOTS_MAX);
}
