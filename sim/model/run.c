/* Reads `run:` of a scenario: how long, from which seed, how often. */
#include "scenario.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* Spread is hardly known from fewer replications: a rule that stops at them stops too early too often. */
enum { LEAST = 5, MOST = 100 };

const struct sms__field sms__until_fields[] = {
    {"precision", SMS__QUANTITY, SMS__RATIO, F(sms__until, precision), SMS__PRECISION_LEAST, 1, .required = true,
     .help = "half of the 95 % interval of a mean over the mean, for every policy"},
    {"metric", SMS__TEXT, 0, F(sms__until, of.metric), .form = SMS__FORM_METRIC,
     .help = "of which metric; default: what the scenario asks, declared as answer or by rule; of a named VM "
             "kernels_per_s, "
             "of a process turnaround_ns"},
    {"vm", SMS__TEXT, 0, F(sms__until, of.vm), .help = "of a VM; default: of the host"},
    {"process", SMS__TEXT, 0, F(sms__until, of.process), .help = "of a process"},
    {"node", SMS__TEXT, 0, F(sms__until, of.of_node), .help = "of a node of a cluster; default: of the cluster"},
    {"most", SMS__INTEGER, SMS__COUNT, F(sms__until, most), 1, SMS__REPLICATIONS_MAX,
     .help = "replications, 5 or more, whatever is reached; default 100"},
    {0}};

static void read_until(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__until *until = at;
    struct sms__quantity precision;
    *until = (struct sms__until){.node = node, .of = {.node = node, .device = -1}, .most = MOST};
    if (node->kind == SMS__MAP)
        sms__read_fields(reader, node, sms__until_fields, until);
    else if (sms__read_number(reader, node, SMS__RATIO, SMS__PRECISION_LEAST, 1, &precision))
        until->precision = precision.value;
}

const struct sms__field sms__run_fields[] = {
    {"warmup", SMS__QUANTITY, SMS__TIME, F(sms_scenario, warmup_ps), 0, SMS__TIME_MAX_PS, .word = "auto",
     .otherwise = "a time", .help = "not measured; auto: found by pilot runs; default 0"},
    {"duration", SMS__QUANTITY, SMS__TIME, F(sms_scenario, duration_ps), 1, SMS__TIME_MAX_PS,
     .help = "of the run, warm-up included; default: until every VM has ended"},
    {"seed", SMS__INTEGER, SMS__COUNT, F(sms_scenario, seed), 1, 9007199254740992.0, .help = "default 1"},
    {"replications", SMS__INTEGER, SMS__COUNT, F(sms_scenario, replications), 1, SMS__REPLICATIONS_MAX,
     .help = "with seeds of their own; default 1; with until at least so many, and 5"},
    {"until", SMS__CUSTOM, SMS__RATIO, F(sms_scenario, until), SMS__PRECISION_LEAST, 1, .read = read_until,
     .fields = sms__until_fields, .form = SMS__FORM_NUMBER_OR_FIELDS,
     .help = "a precision such as 1 %, or {precision: 1 %, ...}: replications are added until it is reached"},
    {0}};

static void check_auto(struct sms__reader *reader, const struct sms__node *warmup, struct sms_scenario *scenario)
{
    scenario->find_warmup = warmup && warmup->kind == SMS__SCALAR && !strcmp(warmup->text, "auto");
    if (scenario->find_warmup && scenario->duration_ps <= 0)
        sms__complain(reader, warmup, "a warm-up is found in a run of a duration, and this has none");
    if (scenario->find_warmup && sms__node_get(scenario->node, "nodes"))
        sms__complain(reader, warmup, "a warm-up is found by kernels, which a cluster does not count: give a time");
}

void sms__read_run(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    struct sms__until *until = &scenario->until;
    sms__read_fields(reader, node, sms__run_fields, scenario);
    if (node->kind != SMS__MAP)
        return;
    if (scenario->duration_ps > 0 && scenario->warmup_ps >= scenario->duration_ps)
        sms__complain(reader, node, "the warm-up does not end before the run does");
    check_auto(reader, sms__node_get(node, "warmup"), scenario);
    if (until->node && scenario->replications < LEAST)
        scenario->replications = LEAST;
}

uint64_t sms__most_replications(const struct sms_scenario *scenario)
{
    return scenario->until.precision > 0 ? scenario->until.most : scenario->replications;
}
