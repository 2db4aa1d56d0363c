/* `smsched run`: runs scenarios and prints their results, or writes them into a folder. */
#include "cli.h"
#include "run_scenarios.h"

struct options {
    struct run_options run; /* first: its tables have offset 0 */
    struct trace_options trace;
    const char *out, *point;
    int format;
    bool brief, force, trust;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"out", "DIR", "write the results into this folder, which must not exist unless --force is given", CLI_TEXT,
     AT(out), .file = CLI_OUTPUT_FOLDER, .letter = 'o'},
    {"force", NULL, "with --out: replace earlier results; with --trace: also replace a file that is not a trace",
     CLI_FLAG, AT(force), .letter = 'f'},
    {"brief", NULL, "with --out: leave out waits.csv, and the rows of timeline.csv, heatmap.csv and latencies.csv",
     CLI_FLAG, AT(brief)},
    {"point", "N", "run point N of a plan, as 'smsched sweep' does; points are numbered from 0, as in points.csv",
     CLI_TEXT, AT(point)},
    {"format", "FORMAT", "print a table, csv or json", CLI_CHOICE, AT(format), .choices = cli_formats},
    {0},
};

/* A folder has a temporary name while the scenarios run. */
static int run_into(struct session *session, const struct options *given)
{
    struct sms_errors errors = {0};
    struct sms__folder folder = {0};
    int code = cli_exit_code(
        sms__folder_begin(&folder, given->out, given->force ? SMS__FOLDER_REPLACE : SMS__FOLDER_NEW, &errors));
    if (code == EXIT_OK)
        code = run_into_folder(session, &given->run, &given->trace, &folder, given->brief, &errors);
    sms_errors_print(&errors, stderr);
    sms__folder_abandon(&folder);
    return code;
}

static void print(const struct sms__set *set, int format, const struct sms__screen *screen)
{
    if (format == FORMAT_JSON)
        sms__print_json(set, stdout);
    if (format == FORMAT_CSV)
        sms__print_tidy_header(stdout);
    for (size_t i = 0; i < set->count; i++) {
        if (format == FORMAT_CSV)
            sms__print_tidy_rows(set->results[i], -1, stdout);
        if (format == FORMAT_TABLE)
            sms__print_results(set->results[i], screen);
    }
}

static int run(struct cli *cli)
{
    struct options *given = cli->options;
    const struct sms__screen screen = cli_screen(cli);
    struct session session;
    if (given->brief && !given->out)
        return cli_usage(cli, "--brief is for --out");
    given->run.alone_each = given->out || given->format == FORMAT_JSON; /* which have the answer */
    int code = given->point ? session_load_point(&session, cli, given->point, &given->run.changes)
                            : session_load(&session, cli, &given->run.changes);
    if (code == EXIT_OK)
        code = session_load_trust(&session, given->trust, given->format);
    if (code == EXIT_OK)
        code = given->out ? run_into(&session, given) : run_scenarios(&session, &given->run, &given->trace, NULL);
    if (code == EXIT_OK && !(given->out && cli->quiet))
        print(&session.set, given->format, &screen);
    if (code == EXIT_OK && given->trust)
        code = session_print_trust(&session, stdout);
    session_free(&session);
    return code;
}

const struct cli_command cmd_run = {
    .name = "run",
    .args = "SCENARIO...|PLAN",
    .summary = "run every policy of the scenarios and print the results",
    .text = "Prints throughput, normalized progress, waiting and slowdown of each VM and of the host, for each "
            "scenario and policy. Values are means over the replications, with 95 % confidence intervals. With 'run: "
            "{until: 1 %}' in the scenario, replications are added until the intervals are narrow enough. --out writes "
            "the results, a timeline and the scenarios themselves into a new folder, from which 'smsched plot' draws "
            "figures. --point runs one point of a sweep's plan again, because a sweep keeps no timelines.",
    .examples = "smsched run scenarios/02-a-server.yaml\n"
                "smsched run scenarios/02-a-server.yaml --out results --force   # then: smsched report results\n"
                "smsched run scenarios/02-a-server.yaml --policy most_room --set run.replications=5\n"
                "smsched run scenarios/sweeps/load.yaml --point 7 --out point\n"
                "sed 's/model: v100/model: a100/' scenarios/02-a-server.yaml | smsched run - --format csv\n",
    .options = {{own_options},
                {session_trust, AT(trust)},
                {session_policy},
                {session_set},
                {run_seed},
                {run_effort},
                {run_trace, offsetof(struct options, trace)}},
    .common = CLI_STRICT | CLI_MEMORY | CLI_NOTES | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .texts = {{"quiet", "print no progress, and with --out no results"}},
    .hints = {{"metric",
               "'answer: {metric: job_latency_p99_ns, of: NAME}' in the scenario says what is compared, and so does "
               "--set answer.metric=NAME; 'smsched list metrics' has the names"}},
    .size = sizeof(struct options),
    .run = run};
