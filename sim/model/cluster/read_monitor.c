/* Reads `monitor:` of a cluster: how its nodes see the tasks of their GPUs begin and end. */
#include "../scenario.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

#define MS 1e9

static const char *const models[] = {"calibrated", "cycle", NULL};
static const char *const switches[] = {"off", "on", NULL};

/* The times of Kang 2022: Table 2 (calibrated), sections 4.2 and 6 (cycle; 0.2 s with ten containers). */
static const struct sms__monitor_rules defaults = {.model = SMS__MONITOR_CALIBRATED,
                                                   .query_ps = 60 * MS,
                                                   .list_ps = 20 * MS,
                                                   .top_ps = 12 * MS,
                                                   .start_least_ps = 180 * MS,
                                                   .start_most_ps = 250 * MS,
                                                   .end_least_ps = 180 * MS,
                                                   .end_most_ps = 240 * MS,
                                                   .full = 1};

/* Longer than any monitor takes. */
#define LATE_MOST_PS (3600.0 * 1000 * MS)

#define EAGER_HELP "says when a late job counts as a miss: immediately (on), or when it has ended (off, the default)"

/* A node that is full when it is idle would never take anybody. */
#define FULL_LEAST 0.01
#define FULL_HELP "sets the use of cores or GPU memory from which a node takes no container; default 100 %"

#define OF_CYCLE " is of `model: cycle`; the calibrated one has start_least, start_most, end_least and end_most"
#define OF_CALIBRATED " is of `model: calibrated`; a cycle has query, list and top"

const struct sms__field sms__monitor_fields[] = {
    {"model", SMS__CHOICE, 0, F(sms__monitor_rules, model), .choices = models,
     .help = "says how the monitor sees jobs: calibrated (a random time later, the default) or cycle (by samples)"},
    {"start_least", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, start_least_ps), 0, LATE_MOST_PS,
     .help = "sets the minimum delay of a start; default 180 ms"},
    {"start_most", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, start_most_ps), 0, LATE_MOST_PS,
     .help = "sets the maximum delay of a start, uniform from the minimum; default 250 ms"},
    {"end_least", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, end_least_ps), 0, LATE_MOST_PS,
     .help = "sets the minimum delay of an end; default 180 ms"},
    {"end_most", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, end_most_ps), 0, LATE_MOST_PS,
     .help = "sets the maximum delay of an end, uniform from the minimum; default 240 ms"},
    {"eager_miss", SMS__CHOICE, 0, F(sms__monitor_rules, eager), .choices = switches, .help = EAGER_HELP},
    {"full", SMS__QUANTITY, SMS__RATIO, F(sms__monitor_rules, full), FULL_LEAST, 1, .help = FULL_HELP},
    {"query", .refuse = "query" OF_CYCLE},
    {"list", .refuse = "list" OF_CYCLE},
    {"top", .refuse = "top" OF_CYCLE},
    {0}};

static void read_cycle(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    (void)reader;
    (void)node;
    *(int *)at = SMS__MONITOR_CYCLE;
}

const struct sms__field sms__monitor_cycle_fields[] = {
    {"model", SMS__CHOICE, 0, F(sms__monitor_rules, model), .choices = &models[1], .read = read_cycle, .required = true,
     .help = "must be cycle in this form"},
    {"query", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, query_ps), 1, LATE_MOST_PS,
     .help = "sets the time of a query of the device; default 60 ms"},
    {"list", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, list_ps), 0, LATE_MOST_PS,
     .help = "sets the time to list the containers; default 20 ms"},
    {"top", SMS__QUANTITY, SMS__TIME, F(sms__monitor_rules, top_ps), 0, LATE_MOST_PS,
     .help = "sets the time to list the processes of each container; default 12 ms"},
    {"eager_miss", SMS__CHOICE, 0, F(sms__monitor_rules, eager), .choices = switches, .help = EAGER_HELP},
    {"full", SMS__QUANTITY, SMS__RATIO, F(sms__monitor_rules, full), FULL_LEAST, 1, .help = FULL_HELP},
    {"start_least", .refuse = "start_least" OF_CALIBRATED},
    {"start_most", .refuse = "start_most" OF_CALIBRATED},
    {"end_least", .refuse = "end_least" OF_CALIBRATED},
    {"end_most", .refuse = "end_most" OF_CALIBRATED},
    {0}};

static struct sms__monitor_rules *add_monitor(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__monitor_rules *rules = SMS__NEW(reader->arena, struct sms__monitor_rules, 1);
    *rules = defaults;
    scenario->cluster->monitor = rules;
    return rules;
}

void sms__read_monitor(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__monitor_rules *rules = add_monitor(reader, at);
    const struct sms__node *model = node->kind == SMS__MAP ? sms__node_get(node, "model") : NULL;
    bool cycle = model && model->kind == SMS__SCALAR && !strcmp(model->text, "cycle");
    sms__read_fields(reader, node, cycle ? sms__monitor_cycle_fields : sms__monitor_fields, rules);
    if (rules->start_most_ps < rules->start_least_ps)
        sms__complain(reader, node, "start_most is less than start_least");
    if (rules->end_most_ps < rules->end_least_ps)
        sms__complain(reader, node, "end_most is less than end_least");
}

void sms__complete_monitor(struct sms__reader *reader, struct sms_scenario *scenario)
{
    bool asked = false;
    for (size_t p = 0; p < scenario->policies; p++)
        asked |= scenario->policy[p].place && scenario->policy[p].place->pace;
    if (asked && !scenario->cluster->monitor)
        add_monitor(reader, scenario);
}
