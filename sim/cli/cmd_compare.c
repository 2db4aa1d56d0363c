/* `smsched compare`: runs scenarios and prints how each policy differs from a baseline. */
#include "cli.h"
#include "run_scenarios.h"

#include "../results/results.h"

#include <stdlib.h>

struct options {
    struct run_options run; /* first: its tables have offset 0 */
    struct trace_options trace;
    const char *baseline;
    uint64_t draws;
    int format;
    bool trust;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"baseline", "POLICY", "compare with this policy; default: the first of the scenario", CLI_TEXT, AT(baseline)},
    {"unknowns", "N",
     "draw uncertain inputs N times, and print in how many draws the answer holds; default: as the scenario says",
     CLI_COUNT, AT(draws), .max = SMS__DRAWS_MAX},
    {"format", "FORMAT", "print a table, csv or json", CLI_CHOICE, AT(format), .choices = cli_formats},
    {0},
};

/* Before the runs, which may take hours. */
static int check_baseline(const struct session *session, const char *name, const char *const *chosen)
{
    for (size_t i = 0; name && i < session->scenarios; i++) {
        const struct sms_scenario *scenario = session->scenario[i];
        const size_t p = sms__find_name(name, scenario->policies, SMS__NAMES(scenario->policy, label));
        char text[300];
        if (p == scenario->policies) {
            sms__say_no_policy(text, sizeof text, scenario, name);
            return cli_fail(EXIT_INPUT, NULL, "%s", text);
        }
        if (!sms__is_chosen(scenario, p, chosen))
            return cli_fail(EXIT_INPUT, NULL,
                            "--policy leaves out '%.60s', the policy to compare with: add --policy '%.60s'", name,
                            name);
    }
    return EXIT_OK;
}

static void print(const struct sms__set *set, int format, const size_t *baseline, const struct sms__screen *screen)
{
    if (format == FORMAT_JSON)
        sms__print_json_ratios(set, baseline, stdout);
    if (format == FORMAT_CSV)
        sms__print_tidy_header(stdout);
    for (size_t i = 0; i < set->count; i++) {
        if (format == FORMAT_CSV)
            sms__print_tidy_ratios(set->results[i], baseline[i], stdout);
        if (format == FORMAT_TABLE)
            sms__print_comparison(set->results[i], baseline[i], set->trust, screen);
    }
    /* The first lines of a long output have left the terminal. */
    for (size_t i = 0; i < set->count && format == FORMAT_TABLE && screen->terminal; i++)
        sms__print_answer(set->results[i], baseline[i], set->trust, "", screen->to);
}

static int compare(struct cli *cli)
{
    struct options *given = cli->options;
    const struct sms__screen screen = cli_screen(cli);
    struct session session;
    given->run.alone_each = true;
    const struct sms_run_options settings = run_settings(cli, &given->run);
    if (given->draws && given->format == FORMAT_CSV)
        return cli_usage(cli, "--unknowns is for --format table or json: csv has no rows for draws");
    int code = session_load(&session, cli, &given->run.changes);
    if (code == EXIT_OK)
        code = check_baseline(&session, given->baseline, given->run.changes.policies);
    if (code == EXIT_OK)
        code = session_load_trust(&session, given->trust, given->format);
    if (code == EXIT_OK)
        code = run_scenarios(&session, &given->run, &given->trace, NULL);
    if (code == EXIT_OK && given->format != FORMAT_CSV)
        code = draw_unknowns(&session, &settings, given->draws);
    size_t *baseline = calloc(session.set.count + 1, sizeof *baseline);
    for (size_t i = 0; baseline && i < session.set.count && code == EXIT_OK; i++)
        baseline[i] = given->baseline ? sms__find_policy(session.set.results[i], given->baseline) : 0;
    if (code == EXIT_OK && !baseline)
        code = cli_no_memory();
    if (code == EXIT_OK && baseline)
        print(&session.set, given->format, baseline, &screen);
    if (code == EXIT_OK && given->trust)
        code = session_print_trust(&session, stdout);
    free(baseline);
    session_free(&session);
    return code;
}

const struct cli_command cmd_compare = {
    .name = "compare",
    .args = "SCENARIO...",
    .summary = "run the scenarios and print how each policy differs from the first",
    .text = "Ratios are paired by replication: all policies see the same random numbers in a replication. A mark means "
            "that a change is significant after Holm's correction over all changes of the metric: better, worse, or * "
            "if the metric has no better direction. A change that the answer is about has the answer's verdict, which "
            "is corrected for the number of policies alone. --baseline names another policy to compare with. The table "
            "ends with the throughput that no policy can exceed, the gap of each policy to it, and the resources that "
            "limit it.\n--unknowns draws demands, block times, and the knee, slope or curves of the contention model "
            "around their values in the scenario, and runs all policies in each draw. It prints in how many draws the "
            "answer's policy is best, and which parameter decides. 'run: {unknowns: {draws: 100, slope: 0}}' in the "
            "scenario does the same, with a slope that is taken as known.",
    .examples =
        "smsched compare scenarios/02-a-server.yaml\n"
        "smsched compare scenarios/02-a-server.yaml --baseline leftover --policy fine_grained --policy leftover\n"
        "smsched compare scenarios/02-a-server.yaml --set vms.server.arrivals.poisson='2 ms' --format json\n",
    .options = {{own_options},
                {session_trust, AT(trust)},
                {session_policy},
                {session_set},
                {run_seed},
                {run_effort},
                {run_trace, offsetof(struct options, trace)}},
    .common = CLI_FORCE | CLI_STRICT | CLI_MEMORY | CLI_NOTES | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .texts =
        {{"policy",
          "compare only the policies of this option, in the scenario's order, and add any that it lacks (repeatable)"},
         {"quiet", "print no progress"}},
    .hints = {{"metric",
               "'answer: {metric: job_latency_p99_ns, of: NAME}' in the scenario says what is compared, and so does "
               "--set answer.metric=NAME; 'smsched list metrics' has the names"}},
    .size = sizeof(struct options),
    .run = compare};
