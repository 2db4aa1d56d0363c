/* Reads what all scenarios have: `run:`, which says how long, from which seed, how often;
 * and the queue discipline. */
#include "file.h"
#include "policy/registry.h"
#include "scenario.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

void sms__read_queue(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    const char *name = sms__read_text(reader, node);
    const void *queue = name ? sms__find_known(sms__load_options(reader), SMS__QUEUE, name).item : NULL;
    if (queue)
        *(const struct sms_queue_discipline **)at = queue;
    else if (name)
        sms__complain_unknown_kind(reader, node, "queue", SMS__QUEUE, SMS__KINDS);
}

/* With fewer replications the spread is hardly known, and a rule that may stop there often stops too early. */
enum { REPLICATIONS_LEAST = 5 };

static const char *const equal_devices[] = {"each", "one", NULL};

const struct sms__field sms__run_fields[] = {
    {"warmup", SMS__QUANTITY, SMS__TIME, F(sms_scenario, warmup_ps), 0, SMS__TIME_MAX_PS, .word = "auto",
     .otherwise = "a time",
     .help = "sets the time that results leave out at the start, or auto: pilot runs find it; default 0"},
    {"duration", SMS__QUANTITY, SMS__TIME, F(sms_scenario, duration_ps), 1, SMS__TIME_MAX_PS,
     .help = "sets the length of the run, with the warm-up; default: until every VM has ended"},
    {"seed", SMS__INTEGER, SMS__COUNT, F(sms_scenario, seed), 1, 9007199254740992.0,
     .help = "sets the seed of all random numbers; default 1"},
    {"replications", SMS__INTEGER, SMS__COUNT, F(sms_scenario, replications), 1, SMS__REPLICATIONS_MAX,
     .help = "sets the number of replications; default 1; with until it is the minimum, default 5"},
    {"until", SMS__CUSTOM, SMS__RATIO, F(sms_scenario, until), SMS__PRECISION_LEAST, 1, .read = sms__read_until,
     .fields = sms__until_fields, .form = SMS__FORM_NUMBER_OR_FIELDS,
     .help = "sets a precision for which replications are added: 1 %, or {precision: 1 %, ...}"},
    {"unknowns", SMS__CUSTOM, SMS__COUNT, F(sms_scenario, unknowns), 1, SMS__DRAWS_MAX, .read = sms__read_unknowns,
     .fields = sms__unknowns_fields, .form = SMS__FORM_NUMBER_OR_FIELDS,
     .help = "sets how compare and run --out draw uncertain inputs: 100, or {draws: 100, slope: 0, ...}"},
    {"equal_devices", SMS__CHOICE, 0, F(sms_scenario, host.equal_devices), .choices = equal_devices,
     .help = "says whether each of several equal devices is simulated (each, the default), or one that counts for all "
             "(one), which is faster"},
    {0}};

static void check_auto(struct sms__reader *reader, const struct sms__node *run, struct sms_scenario *scenario)
{
    const struct sms__node *warmup = sms__node_get(run, "warmup");
    scenario->find_warmup = warmup && warmup->kind == SMS__SCALAR && !strcmp(warmup->text, "auto");
    if (scenario->find_warmup && scenario->duration_ps <= 0 && !sms__is_wrong(reader, run, "duration"))
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
    check_auto(reader, node, scenario);
    if (until->node && scenario->replications < REPLICATIONS_LEAST)
        scenario->replications = REPLICATIONS_LEAST;
}
