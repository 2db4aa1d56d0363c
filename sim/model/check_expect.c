/* Resolves and checks what a scenario wants to know: `answer:`, `until:` and `expect:`. A scenario without an answer
 * gets one by rule. The scenario may have errors already. Then only names are complained of whose list was read whole,
 * so that no complaint follows from another. */
#include "lacking.h"

#include "../base/suffix.h"

#include <string.h>

struct check {
    struct sms__reader *reader;
    struct sms_scenario *scenario;
    bool sound;   /* nothing is wrong so far */
    bool tenants; /* all tenants are known by name */
};

/* The value of a key of an expectation. The subject of an answer is the value of `of`. */
static const struct sms__node *key_of(const struct sms__expect *e, const char *key)
{
    return sms__node_get(e->node, key) ? sms__node_get(e->node, key) : sms__at_key(e->node, "of");
}

static bool is_metric(enum sms_subject subject, const char *name) { return sms_metric_index(subject, name) >= 0; }

/* Returns true if every entry of the list was read, so that none of them had an error. */
static bool is_whole(const struct sms_scenario *scenario, const char *key, size_t count)
{
    const struct sms__node *list = sms__node_get(scenario->node, key);
    return list && list->kind == SMS__LIST && count >= list->items;
}

static bool knows_tenants(const struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const char *key = scenario->shares ? "processes" : "vms";
    const struct sms__node *list = sms__node_get(scenario->node, key);
    for (size_t i = 0; list && list->kind == SMS__LIST && i < list->items; i++)
        if (sms__is_wrong(reader, list->item[i], "count") || sms__is_wrong(reader, list->item[i], "class"))
            return false;
    for (size_t v = 0; v < scenario->vms; v++)
        if (!*scenario->vm[v].name)
            return false;
    return is_whole(scenario, key, scenario->vms);
}

static bool is_tenant(const struct sms_scenario *scenario, const char *name)
{
    return sms__find_name(name, scenario->vms, SMS__NAMES(scenario->vm, name)) < scenario->vms;
}

/* The first `classes` of the scenario may be meant, too. */
static void complain_no_tenant(const struct check *check, const struct sms__node *node, const char *what,
                               size_t classes)
{
    const struct sms_scenario *scenario = check->scenario;
    const char **name = SMS__NEW(check->reader->arena, const char *, scenario->vms + classes + 1);
    for (size_t v = 0; v < scenario->vms; v++)
        name[v] = scenario->vm[v].name;
    for (size_t c = 0; c < classes; c++)
        name[scenario->vms + c] = scenario->cls.name[c];
    if (check->tenants)
        sms__complain_unknown(check->reader, node, what, scenario->vms + classes, sms__text_at, name);
}

static void check_tenant(const struct check *check, const struct sms__expect *e, const char *key, const char *name)
{
    if (name && !is_tenant(check->scenario, name))
        complain_no_tenant(check, key_of(e, key), sms__tenant_word(check->scenario), 0);
}

static bool is_class(const struct sms_scenario *scenario, const char *name)
{
    return sms__find_name(name, scenario->cls.count, sms__text_at, scenario->cls.name) < scenario->cls.count;
}

static void check_class(const struct check *check, const struct sms__expect *e)
{
    const struct sms_scenario *scenario = check->scenario;
    if (!e->cls || !(scenario->cluster ? check->sound : check->tenants) || is_class(scenario, e->cls))
        return;
    if (scenario->cls.count)
        sms__complain_unknown(check->reader, key_of(e, "class"), "class", scenario->cls.count, sms__text_at,
                              scenario->cls.name);
    else
        sms__complain(check->reader, key_of(e, "class"), "no %s has a class", sms__tenant_word(scenario));
}

static void check_node(const struct check *check, const struct sms__expect *e)
{
    const struct sms__cluster *cluster = check->scenario->cluster;
    char name[256];
    if (!e->of_node || !check->sound)
        return;
    for (size_t i = 0; i < cluster->rows; i++) {
        sms__row_name(cluster, i, name, sizeof name);
        if (!strcmp(name, e->of_node))
            return;
    }
    const char **names = SMS__NEW(check->reader->arena, const char *, cluster->rows);
    for (size_t i = 0; i < cluster->rows; i++) {
        sms__row_name(cluster, i, name, sizeof name);
        names[i] = sms__print(check->reader->arena, "%s", name);
    }
    sms__complain_unknown(check->reader, key_of(e, "node"), "node", cluster->rows, sms__text_at, names);
}

static void check_resource(const struct check *check, const struct sms__expect *e)
{
    if (!e->resource || !check->sound)
        return;
    if (sms__united_index(check->scenario, e->resource) < 0)
        sms__complain_unknown_resource(check->reader, key_of(e, "resource"), check->scenario);
}

static void check_subject(const struct check *check, const struct sms__expect *e)
{
    struct sms__reader *reader = check->reader;
    const struct sms_scenario *scenario = check->scenario;
    if (e->cluster) {
        if (e->vm || e->process || e->resource || e->device >= 0 || (e->cls && e->of_node))
            sms__complain(reader, e->node, "of the cluster, of a node, or of a class, and nothing else");
        check_node(check, e);
        check_class(check, e);
        return;
    }
    if (e->of_node)
        sms__complain(reader, key_of(e, "node"), "there are no nodes in a scenario of devices");
    check_tenant(check, e, "vm", e->vm);
    check_tenant(check, e, "process", e->process);
    if (e->process && !scenario->shares)
        sms__complain(reader, e->node, "there are no processes in a scenario with vms");
    if (e->device >= 0 && !scenario->shares)
        sms__complain(reader, e->node, "devices have metrics in scenarios with processes");
    else if (check->sound && e->device >= (long)scenario->devices)
        sms__complain(reader, key_of(e, "device"), "there is no device %ld; the scenario has %zu", e->device,
                      scenario->devices);
    check_resource(check, e);
    check_class(check, e);
    if ((e->vm != NULL) + (e->process != NULL) + (e->resource != NULL) + (e->cls != NULL) + (e->device >= 0) > 1)
        sms__complain(reader, e->node, "of one of vm, process, class, device, resource, not of several");
}

/* Complains of a metric that another subject of devices has, with the word of the key that names that subject: `of`, or
 * its own if that is NULL. Returns false if none has it. */
static bool complain_of_another(const struct check *check, const struct sms__expect *e, const char *of)
{
    static const struct {
        enum sms_subject subject;
        const char *word;
    } among[] = {{SMS_VM, "vm"},
                 {SMS_PROCESS, "process"},
                 {SMS_DEVICE, "device"},
                 {SMS_RESOURCE, "resource"},
                 {SMS_CLASS, "class"}};
    const struct sms__node *name = key_of(e, "metric");
    if (sms__expect_subject(e) == SMS_PROCESS && is_metric(SMS_VM, e->metric)) {
        sms__complain(check->reader, name, "'%s' is a metric of a vm: key 'vm' takes the process, too", e->metric);
        return true;
    }
    for (size_t i = 0; i < sizeof among / sizeof *among && sms__expect_subject(e) == SMS_HOST; i++)
        if (is_metric(among[i].subject, e->metric)) {
            sms__complain(check->reader, name, "'%s' is a metric of a %s: key '%s' says of which", e->metric,
                          among[i].word, of ? of : among[i].word);
            return true;
        }
    for (size_t i = 0; i < sizeof among / sizeof *among; i++)
        if (sms__expect_subject(e) == among[i].subject && is_metric(SMS_HOST, e->metric)) {
            sms__complain(check->reader, name, "'%s' is a metric of the host, not of a %s", e->metric, among[i].word);
            return true;
        }
    return false;
}

/* `of`: the key that names any subject, NULL if each has its own. */
static void check_metric(const struct check *check, const struct sms__expect *e, const char *of)
{
    struct sms__reader *reader = check->reader;
    const struct sms__node *name = key_of(e, "metric");
    size_t count;
    const struct sms_metric *metric = sms_metrics(sms__expect_subject(e), &count);
    if (!strcmp(e->metric, "gain") && !e->cluster) {
        if (!e->over)
            sms__complain(reader, e->node, "a gain is over another policy: key 'over' is missing");
        return;
    }
    if (is_metric(sms__expect_subject(e), e->metric))
        return;
    if (e->of_node && is_metric(SMS_CLUSTER, e->metric))
        sms__complain(reader, name, "'%s' is a metric of the cluster, not of a node of it", e->metric);
    else if (e->cluster && is_metric(SMS_NODE, e->metric))
        sms__complain(reader, name, "'%s' is a metric of a node: key 'node' says of which", e->metric);
    else if (e->cluster || !complain_of_another(check, e, of))
        sms__complain_unknown(reader, name, "metric", count, SMS__NAMES(metric, name));
}

/* Replaces a policy's name by its label. */
static void resolve_policy(const struct check *check, const struct sms__expect *e, const char *key, const char **label)
{
    const struct sms_scenario *scenario = check->scenario;
    for (size_t i = 0; *label && i < scenario->policies; i++)
        if (sms__is_labelled(&scenario->policy[i], *label)) {
            *label = scenario->policy[i].label;
            return;
        }
    if (*label && is_whole(scenario, "policies", scenario->policies))
        sms__complain_unknown(check->reader, key_of(e, key), "policy of this scenario", scenario->policies,
                              SMS__NAMES(scenario->policy, label));
}

/* Whether `of` names a tenant; a class may be called like one, and then has the metrics that the tenant lacks. */
static bool is_of_tenant(const struct sms_scenario *scenario, const char *name, const char *metric)
{
    const bool of_class = is_class(scenario, name) && metric && is_metric(SMS_CLASS, metric);
    return is_tenant(scenario, name) && (!of_class || is_metric(SMS_VM, metric));
}

/* Whether `of` names a class of pods. A name whose metric only classes have is that of a class, even if there is none
 * of it. */
static bool is_of_class(const struct sms_scenario *scenario, const char *name, const char *metric)
{
    return name && strcmp(name, "cluster") != 0 && metric && is_metric(SMS_CLASS, metric) &&
           (is_class(scenario, name) || (scenario->cls.count > 0 && !is_metric(SMS_CLUSTER, metric)));
}

/* The subject, of several, that has the metric nearest to a word. Where no metric is near, the first. */
static enum sms_subject nearest_owner(const char *word, const enum sms_subject *subject, size_t count,
                                      const char **nearest)
{
    const char *near[4] = {NULL};
    for (size_t i = 0; i < count; i++) {
        size_t metrics;
        const struct sms_metric *metric = sms_metrics(subject[i], &metrics);
        near[i] = sms__nearest(word, metrics, SMS__NAMES(metric, name));
    }
    *nearest = sms__nearest(word, count, sms__text_at, near);
    for (size_t i = 0; i < count && *nearest; i++)
        if (near[i] == *nearest)
            return subject[i];
    return subject[0];
}

/* Turns a name into a subject. Returns whether it is one. A node is looked up with the other checks of subjects.
 * Processes have the metrics of VMs as well as their own. `node`: has the name. */
static bool resolve_of(const struct check *check, const char *name, const struct sms__node *node,
                       struct sms__expect *of)
{
    const struct sms_scenario *scenario = check->scenario;
    static const enum sms_subject tenants[] = {SMS_PROCESS, SMS_VM};
    const char *metric = of->metric, *near;
    const bool is_of_process = scenario->shares && (!metric || nearest_owner(metric, tenants, 2, &near) == SMS_PROCESS);
    const bool cluster = scenario->cluster != NULL;
    if (!cluster && (!name || !strcmp(name, "host")))
        return true;
    if (!cluster && is_of_tenant(scenario, name, metric))
        *(is_of_process ? &of->process : &of->vm) = name;
    else if (cluster ? is_of_class(scenario, name, metric) : is_class(scenario, name))
        of->cls = name;
    else if (cluster)
        of->of_node = name && strcmp(name, "cluster") != 0 ? name : NULL;
    else if (sms__united_index(scenario, name) >= 0)
        of->resource = name;
    else {
        if (scenario->resources)
            complain_no_tenant(check, node, scenario->shares ? "process, class or resource" : "VM, class or resource",
                               scenario->cls.count);
        return false;
    }
    return true;
}

/* A tenant with users who wait: the first whose jobs have a deadline, or else the first whose jobs arrive. */
static const struct sms__tenant *find_waited_for(const struct sms_scenario *scenario)
{
    const struct sms__tenant *arriving = NULL;
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        if (vm->deadline_ps > 0)
            return vm;
        if (!arriving && vm->arrivals != SMS__CLOSED)
            arriving = vm;
    }
    return arriving;
}

/* Chooses what most people ask about such a scenario: how full a cluster gets, or how soon its pods are done where that
 * depends on the policy (pods that take longer keep it full, too); how long users wait; otherwise how much work gets
 * done (STP: Eyerman and Eeckhout, IEEE Micro 28(3), 2008). */
static void choose_answer(const struct sms_scenario *scenario, struct sms__answer *answer)
{
    const struct sms__tenant *vm = scenario->cluster ? NULL : find_waited_for(scenario);
    const char *of_cluster = scenario->vms ? "turnaround_mean_ns" : "gpu_allocation_mean_ratio";
    *answer = (struct sms__answer){.of = {.device = -1}, .better = -1};
    answer->of.metric = scenario->cluster ? of_cluster : vm ? "job_latency_p99_ns" : "stp_ratio";
    answer->of.vm = vm ? vm->name : NULL;
}

/* Metrics of tenants are often asked for without a tenant, so that has a message of its own, with the nearest one. */
static bool lacks_of(const struct check *check, const char *name, const struct sms__expect *of)
{
    const struct sms_scenario *scenario = check->scenario;
    const enum sms_subject among[] = {SMS_HOST, scenario->shares ? SMS_PROCESS : SMS_VM, SMS_VM, SMS_CLASS};
    const char *near = NULL, *metric = of->metric;
    const enum sms_subject owner = nearest_owner(metric, among, 4, &near);
    if (name || scenario->cluster || owner == SMS_HOST)
        return false;
    const bool same = !strcmp(near, metric);
    sms__complain(check->reader, key_of(of, "metric"), "%s%.60s%s'%s' is a metric of a %s: key 'of' says of which",
                  same ? "" : "unknown metric '", same ? "" : metric, same ? "" : "'; ", near,
                  owner == SMS_CLASS ? "class" : sms__tenant_word(scenario));
    return true;
}

/* The subject is not known, but whether anything has the metric is. */
static void check_metric_of_any(const struct check *check, const struct sms__expect *of)
{
    static const enum sms_subject among[] = {SMS_VM, SMS_PROCESS, SMS_CLASS, SMS_RESOURCE};
    const char *near;
    bool known = !of->metric;
    for (int s = 0; s < SMS_SUBJECTS && !known; s++)
        known = is_metric((enum sms_subject)s, of->metric);
    if (known)
        return;
    nearest_owner(of->metric, among, 4, &near);
    sms__complain(check->reader, key_of(of, "metric"), "unknown metric '%.60s'%s", of->metric,
                  sms__did_you_mean(near).text);
}

static void check_of(const struct check *check, const char *name, const struct sms__node *node, struct sms__expect *of)
{
    of->cluster = check->scenario->cluster != NULL;
    if (!resolve_of(check, name, node, of)) {
        check_metric_of_any(check, of);
        return;
    }
    if (lacks_of(check, name, of))
        return;
    check_metric(check, of, "of");
    check_subject(check, of);
}

static void check_answer(const struct check *check)
{
    struct sms__answer *answer = &check->scenario->answer;
    struct sms__reader *reader = check->reader;
    if (!answer->node)
        choose_answer(check->scenario, answer);
    answer->of.cluster = check->scenario->cluster != NULL;
    if (!answer->of.metric)
        return; /* that it is missing is reported already */
    if (answer->node)
        check_of(check, answer->name, sms__node_get(answer->node, "of"), &answer->of);
    enum sms_subject subject = sms__expect_subject(&answer->of);
    long metric = sms_metric_index(subject, answer->of.metric);
    answer->sign = metric < 0 ? 0 : sms_metrics(subject, NULL)[metric].better;
    if (answer->better >= 0)
        answer->sign = answer->better ? 1 : -1;
    if (metric >= 0 && answer->sign == 0)
        sms__complain(reader, sms__node_get(answer->node, "metric"),
                      "neither more nor less of '%s' is better by itself: say better: higher, or better: lower",
                      answer->of.metric);
}

/* The name of a metric ends with its unit. A percentage of what is no ratio is refused as that of a count. */
static enum sms__dimension dimension_of(const char *metric, const char *value)
{
    if (sms__ends_with(metric, "_ns"))
        return SMS__TIME;
    if (sms__ends_with(metric, "_per_s") && strchr(value, '/'))
        return SMS__ARRIVAL_RATE;
    return strchr(value, '%') && !sms__ends_with(metric, "_ratio") ? SMS__COUNT : SMS__RATIO;
}

/* Whether the metric has no value, however many replications there are, because none of its jobs has a deadline. */
static bool lacks_deadline(const struct sms_scenario *scenario, const struct sms__expect *of)
{
    static const char *const timed[] = {"deadline_miss_ratio", "tardiness_mean_ns", "jobs_in_time_per_s"};
    const char *name = of->vm ? of->vm : of->process;
    bool lacks = false;
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        lacks |= !scenario->cluster && !strcmp(of->metric, timed[i]);
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        lacks &= vm->deadline_ps <= 0 || (name && strcmp(name, vm->name) != 0) ||
                 (of->cls && (!vm->cls || strcmp(of->cls, vm->cls) != 0));
    }
    return lacks;
}

static void check_limit(const struct check *check, struct sms__limit *limit)
{
    char why[160];
    const char *text = limit->value_node->text, *metric = limit->of.metric;
    if (limit->name_node && !sms__expect_kind(check->reader, limit->name_node, SMS__SCALAR))
        return;
    check_of(check, limit->name_node ? limit->name_node->text : NULL, limit->name_node, &limit->of);
    const enum sms__dimension dimension = dimension_of(metric, text);
    const char *wrong = sms__quantity_parse(text, dimension, &limit->value, why, sizeof why);
    if (wrong && is_metric(sms__expect_subject(&limit->of), metric))
        sms__complain(check->reader, limit->value_node, "%s: '%.40s' %s", metric, text, wrong);
    if (!wrong && sms_metric_is_share(sms__expect_subject(&limit->of), metric))
        sms__is_bare_percentage(check->reader, limit->value_node, limit->value.value);
    if (lacks_deadline(check->scenario, &limit->of))
        sms__complain(check->reader, limit->key, "%s has no value, because no job of %.60s has a deadline", metric,
                      limit->name_node ? limit->name_node->text : "the host");
    if (dimension == SMS__TIME)
        limit->value.value /= 1e3; /* metrics of time are in ns */
}

/* By default the precision is that of the answer. */
static void check_until(const struct check *check)
{
    const struct sms_scenario *scenario = check->scenario;
    struct sms__until *until = &check->scenario->until;
    struct sms__expect *of = &until->of;
    if (until->most < scenario->replications)
        sms__complain(check->reader, until->node,
                      "at most %llu replications are fewer than the %llu that the run begins with",
                      (unsigned long long)until->most, (unsigned long long)scenario->replications);
    for (size_t i = 0; i < until->limits && check->reader->errors->count <= SMS_ERRORS_MAX; i++)
        check_limit(check, &until->limit[i]);
    if (until->limits && (of->metric || of->vm || of->process || of->of_node))
        sms__complain(check->reader, of->node, "a limit says itself of what it is, as METRIC of NAME");
    if (!of->metric && !of->vm && !of->process && !of->of_node) {
        *of = scenario->answer.of; /* which is checked */
        of->node = until->node;
        return;
    }
    of->cluster = scenario->cluster != NULL;
    if (!of->metric)
        of->metric = of->cluster ? "gpu_allocation_mean_ratio" : of->process ? "turnaround_ns" : "kernels_per_s";
    if (!strcmp(of->metric, "gain"))
        sms__complain(check->reader, of->node,
                      "a gain is of two policies, and a precision of each: name another metric");
    else
        check_metric(check, of, NULL);
    check_subject(check, of);
}

/* A time is of a metric of time, a percentage of a ratio, and a number is in the unit of any metric. */
static void check_measures(const struct check *check, const struct sms__expect *e)
{
    static const char *const keys[] = {"value", "min", "max"};
    const enum sms_subject subject = sms__expect_subject(e);
    const bool known = sms__expects_ratio(e) || is_metric(subject, e->metric);
    for (size_t i = 0; known && i < sizeof keys / sizeof *keys; i++) {
        const struct sms__node *at = sms__node_get(e->node, keys[i]);
        struct sms__quantity number = {0};
        char why[160];
        if (!at || sms__has_error(check->reader->errors, &at->mark, NULL))
            continue;
        const bool bare = !at->text[strspn(at->text, "+-.0123456789eE")];
        const enum sms__dimension dimension = sms__expects_ratio(e) ? SMS__RATIO
                                              : bare                ? SMS__NUMBER
                                                                    : dimension_of(e->metric, at->text);
        const char *wrong = sms__quantity_parse(at->text, dimension, &number, why, sizeof why);
        if (wrong)
            sms__complain(check->reader, at, "%s: '%.40s' %s", e->metric, at->text, wrong);
        else if (!e->over && sms_metric_is_share(subject, e->metric))
            sms__is_bare_percentage(check->reader, at, number.value);
    }
    if (e->has_min && e->has_max && !sms__is_wrong(check->reader, e->node, "min") &&
        !sms__is_wrong(check->reader, e->node, "max") && e->min.value > e->max.value)
        sms__complain(check->reader, e->node, "expects what cannot be: its min is above its max");
}

/* Replaces an expectation that names no policy by one for each policy except the one that `over` names. */
static void expand_over_policies(struct sms__reader *reader, struct sms_scenario *scenario)
{
    const struct sms__expect *given = scenario->expect.item;
    const size_t count = scenario->expect.count, errors = reader->errors->count;
    struct sms__expect *expanded = SMS__NEW(reader->arena, struct sms__expect, count * (scenario->policies + 1));
    scenario->expect.count = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t before = scenario->expect.count;
        if (given[i].policy)
            expanded[scenario->expect.count++] = given[i];
        for (size_t p = 0; !given[i].policy && p < scenario->policies; p++) {
            if (given[i].over && sms__is_called(&scenario->policy[p], given[i].over))
                continue;
            expanded[scenario->expect.count] = given[i];
            expanded[scenario->expect.count++].policy = scenario->policy[p].label;
        }
        if (!errors && !given[i].policy && scenario->expect.count == before)
            sms__complain(reader, sms__node_get(given[i].node, "over"),
                          "checks nothing: the scenario has no other policy than '%.60s'", given[i].over);
    }
    scenario->expect.item = expanded;
}

void sms__check_expects(struct sms__reader *reader, struct sms_scenario *scenario)
{
    bool sound = reader->errors->count == 0;
    const struct check check = {reader, scenario, sound, sound || knows_tenants(reader, scenario)};
    check_answer(&check);
    if (scenario->until.node)
        check_until(&check);
    for (size_t i = 0; i < scenario->expect.count && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__expect *e = &scenario->expect.item[i];
        if (!e->metric)
            continue;
        check_metric(&check, e, NULL);
        resolve_policy(&check, e, "policy", &e->policy);
        resolve_policy(&check, e, "over", &e->over);
        check_subject(&check, e);
        check_measures(&check, e);
    }
    expand_over_policies(reader, scenario);
}
