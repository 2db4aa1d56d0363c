/* Reads the MIG instances of nodes and pods. Profiles are numbered by their names, since pods ask for them by name
 * and models of GPUs differ in what a name means. */
#include "../layout.h"
#include "../scenario.h"
#include "../policy/modes.h"
#include "node_mig.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* One entry of `mig:`. */
struct entry {
    const struct sms__node *gpus, *layout;
    int changes; /* enum sms_layout_changes */
    double change_ps;
};

static const char *const changes[] = {"never", "free", "empty", "drain", NULL};

const struct sms__field sms__node_mig_fields[] = {
    {"layout", SMS__CUSTOM, 0, F(entry, layout), .read = sms__keep, .holds = SMS__MANY, .least = 1,
     .most = SMS__INSTANCES_MAX, .form = SMS__FORM_INSTANCE,
     .help = "lists the instances with which a GPU begins: PROFILE, or {PROFILE: MODE} with the mode in which pods "
             "share it; default none"},
    {"gpus", SMS__INTEGER, SMS__COUNT, F(entry, gpus), 0, SMS_NODE_GPUS_MAX - 1, .read = sms__keep, .holds = SMS__MANY,
     .least = 1, .most = SMS_NODE_GPUS_MAX, .help = "lists the numbers of the GPUs; default: all"},
    {"changes", SMS__CHOICE, 0, F(entry, changes), .choices = changes,
     .help = "says when other instances are made: never, free (no pod is in the way), empty (no pod is on the GPU), or "
             "drain (as empty, and a GPU is emptied for waiting pods); default never"},
    {"change", SMS__QUANTITY, SMS__TIME, F(entry, change_ps), 0, SMS__TIME_MAX_PS,
     .help = "sets how long a change takes; the pod for which it is made begins afterwards"},
    {0}};

static uint32_t intern(struct sms__reader *reader, const struct sms__node *at, const char *name,
                       struct sms__cluster *cluster)
{
    for (uint32_t p = 0; p < cluster->profiles.count; p++)
        if (!strcmp(cluster->profiles.name[p], name))
            return p + 1;
    if (cluster->profiles.count == SMS_PROFILES_MAX) {
        sms__complain(reader, at, "more than %d profiles of instances", SMS_PROFILES_MAX);
        return 1;
    }
    cluster->profiles.name[cluster->profiles.count++] = name;
    return (uint32_t)cluster->profiles.count;
}

/* Numbers the layout's profiles, of which each has a part of the mode. */
static struct sms__split number(struct sms__reader *reader, const struct sms__layout *layout,
                                const struct sms__mode *mode, struct sms__cluster *cluster)
{
    struct sms__split out = {.layout.split = true};
    for (size_t i = 0; i < layout->count; i++) {
        out.layout.profile[layout->start[i]] =
            (uint8_t)intern(reader, mode->instances, layout->profile[i]->name, cluster);
        out.mode[layout->start[i]] = mode->part[i].form ? &mode->part[i] : NULL;
    }
    return out;
}

/* The GPUs of an entry, a bit each. */
static uint32_t read_gpus(struct sms__reader *reader, const struct sms__node *list, uint64_t gpus)
{
    struct sms__quantity number;
    uint32_t bits = 0;
    if (!list)
        return (UINT32_C(1) << gpus) - 1;
    for (size_t i = 0; i < list->items; i++)
        if (sms__read_number(reader, list->item[i], SMS__COUNT, 0, (double)gpus - 1, &number))
            bits |= UINT32_C(1) << (unsigned)number.value;
    return bits;
}

/* Adds a mode of GPUs or instances to those of the cluster. */
static void add_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode *own,
                     struct sms__cluster *cluster)
{
    if (!cluster->profiles.modes)
        cluster->profiles.modes = SMS__NEW(reader->arena, struct sms__modes, 1);
    if (own->form->needs)
        sms__complain(reader, node, "mode %s is for processes: pods have no %s", own->form->name, own->form->needs);
    *SMS__APPEND(reader->arena, cluster->profiles.modes->mode, cluster->profiles.modes->count) = own;
}

static const char SPLIT_BY[] = "GPUs of nodes are split by mig: of the node, or by the policy";

/* A mode for each GPU of the node. */
static const struct sms__mode *read_each(struct sms__reader *reader, const struct sms__node *list,
                                         const struct sms__nodes *nodes, struct sms__cluster *cluster)
{
    struct sms__mode *mode = SMS__NEW(reader->arena, struct sms__mode, 1);
    if (nodes->mig)
        sms__complain(reader, list, "of a node with mig all whole GPUs have one mode, and not a list of modes");
    else if (list->items > 0 && list->items != nodes->gpus)
        sms__complain(reader, list, "a list has a mode for each GPU: there are %zu for %llu", list->items,
                      (unsigned long long)nodes->gpus);
    if (!sms__read_modes(reader, list, mode))
        return NULL;
    for (size_t g = 0; g < mode->parts; g++)
        if (mode->part[g].form->instances)
            sms__complain(reader, list->item[g], "%s", SPLIT_BY);
        else
            add_mode(reader, list->item[g], &mode->part[g], cluster);
    return mode;
}

const struct sms__mode *sms__read_node_mode(struct sms__reader *reader, const struct sms__node *node,
                                            const struct sms__nodes *nodes, struct sms__cluster *cluster)
{
    if (node->kind == SMS__LIST)
        return read_each(reader, node, nodes, cluster);
    struct sms__mode *mode = SMS__NEW(reader->arena, struct sms__mode, 1);
    bool whole = !nodes->mig;
    for (size_t g = 0; g < nodes->gpus && !whole; g++)
        whole = !nodes->mig->gpu[g].layout.split;
    if (!whole)
        sms__complain(reader, node, "mig splits all GPUs of the node: instances have modes in its layout");
    if (!sms__read_shared(reader, node, SPLIT_BY, mode))
        return NULL;
    add_mode(reader, node, mode, cluster);
    return mode;
}

/* Reads which instances there are, and their own modes. */
static bool read_instances(struct sms__reader *reader, const struct entry *entry, struct sms__cluster *cluster,
                           struct sms__mode *mode)
{
    const struct sms__node *list = entry->layout;
    const struct sms__mode none = {.form = NULL};
    if (!sms__read_instances(reader, list, &none, mode))
        return false;
    for (size_t i = 0; i < mode->parts; i++) {
        const struct sms__mode *own = &mode->part[i];
        if (!own->form)
            continue;
        if (entry->changes != SMS_LAYOUT_FIXED)
            sms__complain(reader, list->item[i], "instances that come and go have the policy's mode");
        add_mode(reader, list->item[i], own, cluster);
    }
    return true;
}

static void read_split(struct sms__reader *reader, const struct sms__node *node, const struct sms__device *device,
                       uint64_t gpus, struct sms__cluster *cluster, struct sms__node_mig *mig)
{
    struct entry entry = {.changes = SMS_LAYOUT_FIXED};
    struct sms__layout layout = {.count = 0};
    struct sms__mode mode = {.form = NULL};
    size_t before = reader->errors->count;
    sms__read_fields(reader, node, sms__node_mig_fields, &entry);
    if (node->kind != SMS__MAP || reader->errors->count > before)
        return;
    if (entry.changes == SMS_LAYOUT_FIXED && (!entry.layout || sms__node_get(node, "change")))
        sms__complain(reader, node,
                      entry.layout ? "change: a layout that never changes takes no time for that"
                                   : "a layout that never changes needs instances, as layout: [PROFILE]");
    if (entry.changes != SMS_LAYOUT_FIXED && !sms__node_get(node, "change"))
        sms__complain(reader, node, "key 'change' is missing: how long a change of the layout takes");
    uint32_t bits = read_gpus(reader, entry.gpus, gpus);
    if (entry.layout && read_instances(reader, &entry, cluster, &mode))
        sms__read_layout(reader, mode.instances, device, &layout);
    if (!entry.layout && (!device->mig.sheet || device->backgrounds))
        sms__complain(reader, node, "%s has %s", device->name,
                      device->mig.sheet ? "a background: no mig" : "no instances");
    if (reader->errors->count > before)
        return;
    struct sms__split begins = number(reader, &layout, &mode, cluster);
    begins.layout.changes = (uint8_t)entry.changes;
    for (size_t g = 0; g < gpus; g++) {
        if (!(bits >> g & 1))
            continue;
        if (mig->gpu[g].layout.split)
            sms__complain(reader, node, "GPU %zu is split twice", g);
        mig->gpu[g] = begins;
        mig->change_ps[g] = entry.change_ps;
    }
}

struct sms__node_mig *sms__read_node_mig(struct sms__reader *reader, const struct sms__node *list,
                                         const struct sms__device *device, uint64_t gpus, struct sms__cluster *cluster)
{
    struct sms__node_mig *mig = SMS__NEW(reader->arena, struct sms__node_mig, 1);
    for (size_t i = 0; i < list->items; i++)
        read_split(reader, list->item[i], device, gpus, cluster, mig);
    return mig;
}

/* The sheet of a kind of nodes, or NULL. */
static const struct sms__mig *sheet_of(const struct sms_scenario *scenario, const struct sms__nodes *kind)
{
    return kind->device >= 0 ? scenario->device[kind->device]->mig.sheet : NULL;
}

static void complain_of_profile(struct sms__reader *reader, const struct sms__node *name,
                                const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    const char **known = NULL;
    size_t count = 0;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__mig *mig = sheet_of(scenario, &cluster->node[k]);
        for (size_t i = 0; mig && i < mig->profiles; i++)
            if (sms__find_name(mig->profile[i].name, count, sms__text_at, known) == count)
                *SMS__APPEND(reader->arena, known, count) = mig->profile[i].name;
    }
    if (sms__has_wrong_model(reader, cluster)) /* it may have the profile */
        return;
    if (count)
        sms__complain_unknown(reader, name, "profile", count, sms__text_at, known);
    else
        sms__complain(reader, name, "no node has devices with instances");
}

/* Refuses what a pod does not have beside its profile, or beside several. */
static void refuse_others(struct sms__reader *reader, const struct sms__node *pod, const struct sms_pod_view *view,
                          bool several)
{
    static const char *const keys[] = {"gpus", "gpu", "gpu_memory", "duration", "workload"};
    const size_t others = several ? sizeof keys / sizeof *keys : 3;
    for (size_t i = 0; i < others; i++)
        if (sms__node_get(pod, keys[i]))
            sms__complain(reader, sms__node_get(pod, keys[i]),
                          several ? "a pod has either profiles or %s: its profiles say that"
                                  : "a pod has either a profile or %s: its profile says that",
                          keys[i]);
    if (view->replicas > 1)
        sms__complain(reader, sms__node_get(pod, "replicas"),
                      "a pod of a gang has no profile: instances reach no other GPU (MIG User Guide)");
}

/* The models of GPUs that have the profile, a bit each. `milli`: the least of a GPU that it is on any. */
static uint64_t models_with(const struct sms_scenario *scenario, const char *name, uint32_t *milli)
{
    const struct sms__cluster *cluster = scenario->cluster;
    uint64_t models = 0;
    *milli = 1000;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__mig *mig = sheet_of(scenario, &cluster->node[k]);
        const struct sms__mig_profile *profile = mig ? sms__find_profile(mig, name) : NULL;
        if (!profile)
            continue;
        uint32_t each = (uint32_t)(profile->slices * 1000 / (mig->slices ? mig->slices : 1)); /* 0: it was refused */
        models |= (uint64_t)1 << cluster->node[k].model;
        *milli = each < *milli ? each : *milli;
    }
    return models;
}

/* The number of a profile that a pod names, for its models of GPUs; 0 with the problem reported. */
static uint32_t number_of(struct sms__reader *reader, const struct sms__node *name, struct sms_scenario *scenario,
                          uint64_t of_pod, uint32_t *milli)
{
    const uint64_t models = models_with(scenario, name->text, milli);
    if (!models)
        complain_of_profile(reader, name, scenario);
    else if (!(of_pod & models))
        sms__complain(reader, name, "none of its models of GPUs has a profile '%.60s'", name->text);
    return of_pod & models ? intern(reader, name, name->text, scenario->cluster) : 0;
}

static void refuse_guest(struct sms__reader *reader, const struct sms__node *at, const struct sms__cluster *cluster)
{
    if (cluster->guest)
        sms__complain(reader, at, "%s knows no instances of GPUs", cluster->guest->kind);
}

void sms__read_pod_profile(struct sms__reader *reader, const struct sms__node *pod, struct sms_scenario *scenario,
                           struct sms_pod_view *view)
{
    const struct sms__node *name = sms__node_get(pod, "profile");
    uint32_t milli;
    refuse_others(reader, pod, view, false);
    refuse_guest(reader, name, scenario->cluster);
    view->profile = number_of(reader, name, scenario, view->models, &view->gpu_milli);
    if (view->profile)
        view->models &= models_with(scenario, name->text, &milli);
}

double sms__read_pod_profiles(struct sms__reader *reader, const struct sms__node *pod, struct sms_scenario *scenario,
                              struct sms_pod_view *view)
{
    struct sms__cluster *cluster = scenario->cluster;
    const struct sms__node *map = sms__node_get(pod, "profiles");
    uint64_t models = 0;
    refuse_others(reader, pod, view, true);
    refuse_guest(reader, map, cluster);
    if (!sms__expect_map(reader, map, SMS_PROFILES_MAX))
        return 0;
    if (map->items == 0)
        sms__complain(reader, map, "profiles: the mapping is empty");
    struct sms__profile_times *times = SMS__APPEND(reader->arena, cluster->profiles.times, cluster->profiles.tables);
    *times = (struct sms__profile_times){.profiles = 0};
    for (size_t i = 0; i + 1 < map->items; i += 2) {
        const struct sms__node *name = map->item[i];
        struct sms__quantity time;
        uint32_t milli;
        if (!sms__expect_kind(reader, name, SMS__SCALAR) || !sms__is_first(reader, map, i) ||
            !sms__read_number(reader, map->item[i + 1], SMS__TIME, 1, SMS__POD_LASTS_MAX, &time))
            continue;
        const uint32_t p = number_of(reader, name, scenario, view->models, &milli);
        if (!p || times->ps[p] > 0)
            continue;
        models |= models_with(scenario, name->text, &times->milli[p]);
        times->ps[p] = time.value;
        times->profile[times->profiles++] = p;
        if (milli < view->gpu_milli || !view->profile) {
            view->profile = p;
            view->gpu_milli = milli;
        }
    }
    view->times = (uint32_t)cluster->profiles.tables;
    view->models &= models;
    return times->profiles ? times->ps[times->profile[0]] : 0;
}

/* The scenario's number of the instance, which is added if it is new. */
static long add_instance(struct sms__reader *reader, struct sms_scenario *scenario, const struct sms__device *board,
                         const struct sms__mig_profile *profile)
{
    for (size_t d = 0; d < scenario->devices; d++)
        if (scenario->device[d]->mig.board == board && scenario->device[d]->mig.profile == profile)
            return (long)d;
    *SMS__APPEND(reader->arena, scenario->device, scenario->devices) = sms__make_instance(reader, board, profile);
    return (long)scenario->devices - 1;
}

/* Whether a pod with a workload asks for the profile. */
static bool is_run_on(const struct sms_scenario *scenario, uint32_t profile)
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms && !any; v++)
        any = scenario->vm[v].profile == profile;
    return any;
}

static void complete_kind(struct sms__reader *reader, struct sms_scenario *scenario, struct sms__nodes *kind)
{
    const struct sms__mig *sheet = sheet_of(scenario, kind);
    const struct sms__cluster *cluster = scenario->cluster;
    if (!sheet)
        return;
    const struct sms__device *board = scenario->device[kind->device];
    kind->mig = kind->mig ? kind->mig : SMS__NEW(reader->arena, struct sms__node_mig, 1);
    kind->mig->view.slices = (uint32_t)sheet->slices;
    for (uint32_t p = 1; p <= cluster->profiles.count; p++) {
        const struct sms__mig_profile *profile = sms__find_profile(sheet, cluster->profiles.name[p - 1]);
        kind->mig->device[p] = -1;
        if (!profile)
            continue;
        kind->mig->view.profile[p] = (struct sms_profile_view){.slices = (uint32_t)profile->slices,
                                                               .starts = (uint32_t)profile->start,
                                                               .sms = profile->sms,
                                                               .memory = profile->memory};
        if (is_run_on(scenario, p))
            kind->mig->device[p] = add_instance(reader, scenario, board, profile);
    }
}

/* The layouts of all kinds of nodes under a mode with instances. */
static void lay_out(struct sms__reader *reader, struct sms_scenario *scenario, struct sms__policy_use *use)
{
    struct sms__cluster *cluster = scenario->cluster;
    const struct sms__node *list = use->mode.instances;
    struct sms__layout layout;
    use->split = SMS__NEW(reader->arena, struct sms__split, cluster->kinds);
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        const struct sms__nodes *before = k > 0 ? kind - 1 : NULL;
        if (kind->device < 0)
            continue;
        if (before && before->device == kind->device)
            use->split[k] = use->split[k - 1];
        else if (sms__read_layout(reader, list, scenario->device[kind->device], &layout))
            use->split[k] = number(reader, &layout, &use->mode, cluster);
    }
}

void sms__complete_mig(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    for (size_t p = 0; p < scenario->policies && !cluster->guest; p++)
        if (scenario->policy[p].mode.instances)
            lay_out(reader, scenario, &scenario->policy[p]);
    for (size_t p = 0; p < scenario->policies; p++)
        scenario->policy[p].mode.of_nodes = cluster->profiles.modes;
    for (size_t k = 0; k < cluster->kinds && cluster->profiles.count && !reader->errors->count; k++)
        complete_kind(reader, scenario, &cluster->node[k]);
}

const struct sms__split *sms__first_split(const struct sms__cluster *cluster, const struct sms__policy_use *use,
                                          size_t k, size_t gpu)
{
    const struct sms__node_mig *mig = cluster->node[k].mig;
    if (mig && mig->gpu[gpu].layout.split)
        return &mig->gpu[gpu];
    const bool splits = mig && !cluster->node[k].mode && use->split && use->split[k].layout.split;
    return splits ? &use->split[k] : NULL;
}

const struct sms__mode *sms__mode_inside(const struct sms__split *split, const struct sms__policy_use *use,
                                         size_t slice)
{
    const struct sms__mode *own = split->mode[slice];
    return own ? own : use->mode.inside ? use->mode.inside : &use->mode;
}

uint16_t sms__pods_inside(const struct sms__split *split, const struct sms__policy_use *use, size_t slice)
{
    const uint16_t replicas = sms__mode_inside(split, use, slice)->replicas;
    return replicas ? replicas : 1;
}
