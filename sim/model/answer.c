/* Reads `answer:` of a scenario: the metric by which one of its policies is better than another. A scenario that does
 * not say has one by rule, so that whoever prints an answer need not ask where it comes from. */
#include "scenario.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

static const char *const better_names[] = {"lower", "higher", NULL};
enum { BY_METRIC = -1, LOWER, HIGHER };

const struct sms__field sms__answer_fields[] = {
    {"metric", SMS__TEXT, 0, F(sms__answer, of.metric), .required = true, .form = SMS__FORM_METRIC,
     .help = "by which policies are compared (smsched list metrics)"},
    {"of", SMS__TEXT, 0, F(sms__answer, name),
     .help = "a VM, process, resource or node; default: the host, or the cluster"},
    {"better", SMS__CHOICE, 0, F(sms__answer, better), .choices = better_names,
     .help = "lower or higher; default: as the metric has it"},
    {0}};

void sms__read_answer(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__answer *answer = at;
    *answer = (struct sms__answer){.node = node, .of = {.node = node, .device = -1}, .better = BY_METRIC};
    if (sms__expect_kind(reader, node, SMS__MAP))
        sms__read_fields(reader, node, sms__answer_fields, answer);
}

static const char *subject_name(const void *user, size_t i) { return ((const char *const *)user)[i]; }

/* True if the name is that of a tenant, which it then is of. Processes have the metrics of VMs as well as their own. */
static bool is_tenant(const struct sms_scenario *scenario, struct sms__expect *of, const char *name)
{
    bool own = scenario->shares && (!of->metric || !sms__find_metric(SMS_VM, of->metric));
    for (size_t v = 0; v < scenario->vms; v++)
        if (!strcmp(scenario->vm[v].name, name)) {
            *(own ? &of->process : &of->vm) = scenario->vm[v].name;
            return true;
        }
    return false;
}

static void complain_of(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__node *node)
{
    const char **name = SMS__NEW(reader->arena, const char *, scenario->vms + 1);
    for (size_t v = 0; v < scenario->vms; v++)
        name[v] = scenario->vm[v].name;
    sms__complain_unknown(reader, node, scenario->shares ? "process or resource" : "VM or resource", scenario->vms,
                          subject_name, name);
}

/* A node is looked up with the other checks of what an expectation is of. */
static void resolve_of(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__answer *answer)
{
    const char *name = answer->name;
    if (scenario->cluster) {
        answer->of.of_node = name && strcmp(name, "cluster") != 0 ? name : NULL;
        return;
    }
    if (!name || !strcmp(name, "host") || is_tenant(scenario, &answer->of, name))
        return;
    if (scenario->devices && sms__resource_index(scenario->device[0], name) >= 0)
        answer->of.resource = name;
    else
        complain_of(reader, scenario, sms__node_get(answer->node, "of"));
}

/* A tenant whose jobs have a deadline, or else come by themselves, has users who wait. */
static const struct sms__vm *who_waits(const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++)
        if (scenario->vm[v].deadline_ps > 0)
            return &scenario->vm[v];
    for (size_t v = 0; v < scenario->vms; v++)
        if (scenario->vm[v].arrivals != SMS__CLOSED)
            return &scenario->vm[v];
    return NULL;
}

/* What most who ask about such a scenario want to know: of a cluster how full it gets, or how soon pods are done where
 * that depends on the policy (pods that take longer keep it full, too); of a tenant whose users wait how long; of all
 * others how much work gets done (STP: Eyerman and Eeckhout, IEEE Micro 28(3), 2008). */
static void choose(const struct sms_scenario *scenario, struct sms__answer *answer)
{
    const struct sms__vm *waits = scenario->cluster ? NULL : who_waits(scenario);
    const char *of_cluster = scenario->vms ? "turnaround_mean_ns" : "gpu_allocation_mean_ratio";
    answer->of.metric = scenario->cluster ? of_cluster : waits ? "job_latency_p99_ns" : "stp_ratio";
    answer->of.vm = waits ? waits->name : NULL;
}

/* Metrics of tenants are asked for without a tenant often enough to be told of. */
static bool lacks_of(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__answer *answer)
{
    enum sms_subject tenants = scenario->shares ? SMS_PROCESS : SMS_VM;
    if (answer->name || scenario->cluster || sms__find_metric(SMS_HOST, answer->of.metric) ||
        !sms__find_metric(tenants, answer->of.metric))
        return false;
    sms__complain(reader, sms__node_get(answer->node, "metric"), "'%s' is a metric of a %s: key 'of' says of which",
                  answer->of.metric, scenario->shares ? "process" : "VM");
    return true;
}

void sms__link_answer(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__answer *answer = &scenario->answer;
    if (!answer->node) {
        *answer = (struct sms__answer){.of = {.device = -1}, .better = BY_METRIC};
        choose(scenario, answer);
    }
    answer->of.cluster = scenario->cluster != NULL;
    if (!answer->of.metric)
        return; /* that it is missing has been said */
    size_t before = reader->errors->count;
    if (answer->node)
        resolve_of(reader, scenario, answer);
    if (answer->node && reader->errors->count == before && !lacks_of(reader, scenario, answer))
        sms__check_expect(reader, scenario, &answer->of);
    const struct sms_metric *metric = sms__find_metric(sms__expect_subject(&answer->of), answer->of.metric);
    answer->sign = answer->better == BY_METRIC ? metric ? metric->better : 0 : answer->better == HIGHER ? 1 : -1;
    if (metric && answer->sign == 0)
        sms__complain(reader, sms__node_get(answer->node, "metric"),
                      "neither more nor less of '%s' is better by itself: say better: higher, or better: lower",
                      answer->of.metric);
}
