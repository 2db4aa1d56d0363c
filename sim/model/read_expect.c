/* Reads `expect:`, `answer:` and `run: until:`. Names are resolved later, by check_expect.c. */
#include "expect.h"
#include "scenario.h"

#include "../base/suffix.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* Most replications by default, and the greatest tolerance. */
enum { REPLICATIONS = 100, TOLERANCE_MAX = 1000 };

static const char *const better_names[] = {"lower", "higher", NULL};

const struct sms__field sms__answer_fields[] = {
    {"metric", SMS__TEXT, 0, F(sms__answer, of.metric), .required = true, .form = SMS__FORM_METRIC,
     .help = "names the metric by which policies are compared (smsched list metrics)"},
    {"of", SMS__TEXT, 0, F(sms__answer, name),
     .help = "names the VM, process, class, resource or node whose metric it is; default: the host, or the cluster"},
    {"better", SMS__CHOICE, 0, F(sms__answer, better), .choices = better_names,
     .help = "says which values are better, lower or higher; default: as the metric has it"},
    {0}};

void sms__read_answer(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__answer *answer = at;
    *answer = (struct sms__answer){.node = node, .of = {.node = node, .device = -1}, .better = -1};
    sms__read_fields(reader, node, sms__answer_fields, answer);
}

/* Reads a number of any dimension. The metric decides which it should be. */
static void read_any(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    char why[160];
    struct sms__quantity *out = at;
    if (!sms__expect_kind(reader, node, SMS__SCALAR))
        return;
    if (!sms__quantity_parse(node->text, SMS__RATIO, out, why, sizeof why))
        return;
    if (!sms__quantity_parse(node->text, SMS__TIME, out, why, sizeof why))
        out->value /= 1e3; /* metrics of time are in ns */
    else
        sms__complain(reader, node, "'%.40s' is neither a number, a percentage nor a time", node->text);
}

#define UNTIL "until is a precision, or limits: {where: {job_latency_p99_ns of server: \"< 50 ms\"}}"

const struct sms__field sms__until_fields[] = {
    {"precision", SMS__QUANTITY, SMS__RATIO, F(sms__until, precision), SMS__PRECISION_LEAST, 1, .one_of = UNTIL,
     .help = "sets the half-width of the 95 % interval relative to the mean that every policy must reach"},
    {"where", SMS__CUSTOM, 0, F(sms__until, where), .read = sms__keep, .form = SMS__FORM_LABELS, .one_of = UNTIL,
     .help = "sets limits, METRIC or METRIC of NAME: \"< LIMIT\", or with <=, >, >=; replications show whether every "
             "policy's mean meets them"},
    {"of", SMS__TEXT, 0, F(sms__until, of_node), .read = sms__keep, .needs = "where",
     .help = "names the owner of the metrics if a limit names none; default: the host, or the cluster"},
    {"confidence", SMS__QUANTITY, SMS__RATIO, F(sms__until, confidence), 0.5, 0.999999, .needs = "where",
     .help = "sets the confidence in the verdicts on limits, however often they are checked; default 95 %"},
    {"metric", SMS__TEXT, 0, F(sms__until, of.metric), .form = SMS__FORM_METRIC,
     .help = "names the metric that must be precise; default: the answer's; for a VM kernels_per_s, for a process "
             "turnaround_ns"},
    {"vm", SMS__TEXT, 0, F(sms__until, of.vm), .help = "names the VM whose metric it is; default: the host"},
    {"process", SMS__TEXT, 0, F(sms__until, of.process), .help = "names the process whose metric it is"},
    {"node", SMS__TEXT, 0, F(sms__until, of.of_node),
     .help = "names the node whose metric it is; default: the cluster"},
    {"most", SMS__INTEGER, SMS__COUNT, F(sms__until, most), 1, SMS__REPLICATIONS_MAX,
     .help = "sets the maximum number of replications, at least 5; default 100"},
    {0}};

void sms__split_metric(struct sms__arena *arena, const struct sms__node *key, const struct sms__node **metric,
                       const struct sms__node **of)
{
    const char *name = strstr(key->text, " of ");
    const size_t length = name ? (size_t)(name - key->text) : strlen(key->text);
    *metric = sms__new_scalar(arena, key, sms__copy(arena, key->text, length));
    *of = name ? sms__new_scalar(arena, key, name + strlen(" of ")) : *of;
}

/* Reads `METRIC of NAME: "< LIMIT"`, but for the number, whose unit is that of the metric. */
static bool read_limit(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                       const struct sms__node *name_node, struct sms__limit *limit)
{
    if (!sms__expect_kind(reader, key, SMS__SCALAR) || !sms__expect_kind(reader, value, SMS__SCALAR))
        return false;
    const char *text = value->text;
    if (*text != '<' && *text != '>') {
        sms__complain(reader, value, "'%.40s' is no limit: write it as \"< 50 ms\" or \">= 0.9\"", text);
        return false;
    }
    const bool at = text[1] == '=';
    text += 1 + at;
    *limit = (struct sms__limit){.value_node = sms__new_scalar(reader->arena, value, text + strspn(text, " ")),
                                 .name_node = name_node,
                                 .side = *value->text == '>' ? 1 : -1,
                                 .at = at};
    sms__split_metric(reader->arena, key, &limit->key, &limit->name_node);
    limit->of = (struct sms__expect){.node = limit->key, .metric = limit->key->text, .device = -1};
    return true;
}

static void read_limits(struct sms__reader *reader, struct sms__until *until)
{
    const struct sms__node *where = until->where;
    if (!where || !sms__expect_map(reader, where, SMS__LISTED_MAX))
        return;
    if (!where->items)
        sms__complain(reader, where, "there is no limit: write one as {job_latency_p99_ns: \"< 50 ms\"}");
    until->limit = SMS__NEW(reader->arena, struct sms__limit, where->items / 2);
    for (size_t i = 0; i + 1 < where->items; i += 2)
        if (sms__is_first(reader, where, i) &&
            read_limit(reader, where->item[i], where->item[i + 1], until->of_node, &until->limit[until->limits]))
            until->limits++;
}

void sms__read_until(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__until *until = at;
    struct sms__quantity precision;
    *until =
        (struct sms__until){.node = node, .of = {.node = node, .device = -1}, .most = REPLICATIONS, .confidence = 0.95};
    if (node->kind == SMS__MAP) {
        sms__read_fields(reader, node, sms__until_fields, until);
        read_limits(reader, until);
    } else if (sms__read_number(reader, node, SMS__RATIO, SMS__PRECISION_LEAST, 1, &precision))
        until->precision = precision.value;
}

static void read_tolerance(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__quantity ratio;
    if (sms__read_number(reader, node, SMS__RATIO, 0, TOLERANCE_MAX, &ratio) &&
        !sms__is_bare_percentage(reader, node, ratio.value))
        *(double *)at = ratio.value;
}

const struct sms__field sms__expect_fields[] = {
    {"metric", SMS__TEXT, 0, F(sms__expect, metric), .required = true, .form = SMS__FORM_METRIC,
     .help = "names a metric, or gain: kernels_per_s of the host divided by another policy's, less 1"},
    {"policy", SMS__TEXT, 0, F(sms__expect, policy),
     .help = "names the policy whose value is checked; default: every policy except `over`"},
    {"over", SMS__TEXT, 0, F(sms__expect, over), .help = "names the policy whose value is the divisor of a gain"},
    {"vm", SMS__TEXT, 0, F(sms__expect, vm), .help = "names the VM whose metric it is; default: the host"},
    {"process", SMS__TEXT, 0, F(sms__expect, process), .help = "names the process whose metric it is"},
    {"device", SMS__INDEX, SMS__COUNT, F(sms__expect, device), 0, SMS__INDEX_MAX,
     .help = "gives the number of the device whose metric it is, from 0"},
    {"resource", SMS__TEXT, 0, F(sms__expect, resource), .help = "names the resource whose metric it is"},
    {"node", SMS__TEXT, 0, F(sms__expect, of_node),
     .help = "names the node whose metric it is; beyond 2000 nodes, the entry of nodes"},
    {"class", SMS__TEXT, 0, F(sms__expect, cls), .help = "names the class of tenants whose metric it is"},
    {"value", SMS__CUSTOM, 0, F(sms__expect, value), .read = read_any, .form = SMS__FORM_MEASURE,
     .help = "sets the expected value"},
    {"tolerance", SMS__QUANTITY, SMS__RATIO, F(sms__expect, tolerance), 0, TOLERANCE_MAX, .read = read_tolerance,
     .needs = "value", .help = "sets the tolerance, in points for ratios and gains, otherwise relative; default 0"},
    {"min", SMS__CUSTOM, 0, F(sms__expect, min), .read = read_any, .form = SMS__FORM_MEASURE,
     .help = "sets the minimum of the value"},
    {"max", SMS__CUSTOM, 0, F(sms__expect, max), .read = read_any, .form = SMS__FORM_MEASURE,
     .help = "sets the maximum of the value"},
    {0}};

void sms__read_expects(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    scenario->expect.item = SMS__NEW(reader->arena, struct sms__expect, node->items);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__expect *expect = &scenario->expect.item[scenario->expect.count++];
        const struct sms__node *item = node->item[i];
        expect->node = item;
        expect->device = -1;
        expect->cluster = scenario->cluster != NULL;
        sms__read_fields(reader, item, sms__expect_fields, expect);
        expect->has_value = sms__node_get(item, "value") != NULL;
        expect->has_min = sms__node_get(item, "min") != NULL;
        expect->has_max = sms__node_get(item, "max") != NULL;
        if (item->kind == SMS__MAP && !expect->has_value && !expect->has_min && !expect->has_max)
            sms__complain(reader, item, "expects nothing: give value, min or max");
    }
}

enum sms_subject sms__expect_subject(const struct sms__expect *e)
{
    return e->cluster && e->cls ? SMS_CLASS
           : e->of_node         ? SMS_NODE
           : e->cluster         ? SMS_CLUSTER
           : e->vm              ? SMS_VM
           : e->process         ? SMS_PROCESS
           : e->cls             ? SMS_CLASS
           : e->device >= 0     ? SMS_DEVICE
           : e->resource        ? SMS_RESOURCE
                                : SMS_HOST;
}

bool sms__expects_ratio(const struct sms__expect *expect)
{
    return sms__ends_with(expect->metric, "_ratio") || expect->over || !strcmp(expect->metric, "gain");
}
