/* Runs the scenarios of a session one after another. What the library reports of the first replication of each policy
 * goes to the trace and to the rows of the results folder. */
#include "run_scenarios.h"

#include "../base/suffix.h"
#include "../model/scenario.h"
#include "../trace/trace.h"
#include "../sweep/sweep.h"
#include "folder_rows.h"

#include <stdlib.h>
#include <string.h>

enum { TIMELINE_BINS = 200, MOST = 100000 };

#define AT(member) offsetof(struct run_options, member)

const struct cli_option run_seed[] = {
    {"seed", "N", "use this seed of the random numbers instead of the scenario's", CLI_COUNT, AT(seed)},
    {"events", "COUNT", "exit with 4 and write nothing if a run of a policy has more events; default 1e12", CLI_COUNT,
     AT(events)},
    {0},
};
const struct cli_option run_effort[] = {
    {"replications", "N", "run this many replications instead of the scenario's number", CLI_COUNT, AT(replications),
     .max = MOST},
    {"jobs", "N", "use this many threads, which does not change results; default: all cores", CLI_COUNT, AT(jobs),
     .max = MOST},
    {"engine", "ENGINE", "choose the engine: fast, or reference, which is simple and slow and gives the same results",
     CLI_CHOICE, AT(engine), .choices = cli_engines},
    {"check", NULL, "check the engine's invariants at every event", CLI_FLAG, AT(check)},
    {0},
};

#define TRACE_AT(member) offsetof(struct trace_options, member)

static const struct cli_format trace_format = {"a trace of smsched",
                                               {"{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":["}};

const struct cli_option run_trace[] = {
    {"trace", "FILE", "write the timeline of the run for Perfetto as FILE.json, or compressed as FILE.json.gz",
     CLI_TEXT, TRACE_AT(path), .file = CLI_OUTPUT, .format = &trace_format},
    {"trace-events", "N", "write at most this many events to the trace; default 500000", CLI_COUNT, TRACE_AT(events),
     .min = SMS__TRACE_EVENTS_MIN, .max = SMS__TRACE_EVENTS_MAX},
    {"trace-from", "TIME", "leave out events that end before this time; default 0", CLI_TIME, TRACE_AT(from_ps)},
    {"trace-to", "TIME", "leave out events from this time on; default: the end of the run", CLI_TIME, TRACE_AT(to_ps),
     .otherwise = -1},
    {0},
};

struct run {
    const struct session *session;
    struct sms__trace *trace;          /* or NULL */
    struct rows *rows;                 /* or NULL */
    unsigned row_events, trace_events; /* the kinds of sms_run_event for each */
    struct sms__progress progress;
};

struct sms_run_options run_settings(const struct cli *cli, const struct run_options *options)
{
    struct sms_run_options settings = sms_run_defaults();
    settings.policies = options->changes.policies;
    settings.seed = options->seed;
    settings.replications = (unsigned)options->replications;
    settings.jobs = options->jobs ? (unsigned)options->jobs : cli_cores();
    settings.engine = (enum sms_engine)options->engine;
    settings.check = options->check;
    settings.alone_each = options->alone_each;
    settings.max_events = options->events ? options->events : CLI_EVENTS_MOST;
    settings.max_memory = cli->memory;
    settings.cancel = &cli_interrupted;
    return settings;
}

static void show_progress(void *user, double share) { sms__progress_share(&((struct run *)user)->progress, share); }

static int observe(void *user, const struct sms_run_event *event)
{
    const struct run *run = user;
    if (run->row_events & event->kind)
        rows_add(run->rows, event);
    if (run->trace_events & event->kind)
        sms__trace_add(run->trace, event);
    return 0;
}

static void set_observer(struct run *run, struct sms_run_options *settings)
{
    run->row_events = run->rows ? rows_events(run->rows) : 0;
    run->trace_events = run->trace ? SMS__TRACE_EVENT_KINDS : 0;
    settings->user = run;
    settings->on_share = show_progress;
    settings->observe = observe;
    settings->events = run->row_events | run->trace_events;
    settings->latencies = run->row_events & SMS_RUN_STAY; /* a folder that is not brief */
    settings->bins = settings->latencies ? TIMELINE_BINS : 0;
}

static int run_one(struct run *run, const struct run_options *options, const struct sms_scenario *scenario,
                   struct sms_results **results)
{
    struct sms_run_options settings = run_settings(run->session->cli, options);
    struct sms_errors errors;
    char label[64];
    snprintf(label, sizeof label, "%.27s: ", sms_scenario_name(scenario));
    set_observer(run, &settings);
    if (run->rows)
        rows_start_scenario(run->rows, scenario);
    sms__progress_begin(&run->progress, label, "runs", run->session->cli->quiet);
    int code = sms_run(scenario, &settings, results, &errors);
    sms__progress_end(&run->progress);
    sms_errors_print(code ? &errors : sms_results_warnings(*results), stderr);
    if (run->rows)
        rows_end_scenario(run->rows);
    return cli_exit_code(code);
}

static int run_all(struct session *session, const struct run_options *options, struct run *run)
{
    if (session_expect_some(session))
        return EXIT_INPUT;
    session->set.results = calloc(session->scenarios, sizeof(*session->set.results));
    session->seconds = calloc(session->scenarios, sizeof *session->seconds);
    if (!session->set.results || !session->seconds)
        return cli_no_memory();
    for (size_t i = 0; i < session->scenarios; i++) {
        const double started_s = sms__monotonic_s();
        int code = run_one(run, options, session->scenario[i], &session->set.results[i]);
        if (code)
            return code;
        session->set.count++;
        session->seconds[i] = sms__monotonic_s() - started_s;
    }
    return EXIT_OK;
}

static int check_trace(const struct session *session, const struct trace_options *options)
{
    const struct cli *cli = session->cli;
    bool given = options->events > 0 || options->from_ps > 0 || options->to_ps >= 0;
    if (!options->path)
        return given ? cli_usage(cli, "--trace-events, --trace-from and --trace-to are for --trace") : EXIT_OK;
    if (options->to_ps >= 0 && options->to_ps <= options->from_ps)
        return cli_usage(cli, "--trace-to is not after --trace-from");
    if (sms__ends_with(options->path, ".pftrace") || sms__ends_with(options->path, ".pftrace.gz"))
        return cli_usage(cli, "--trace: traces are JSON, which Perfetto opens: name FILE.json or FILE.json.gz");
    if (session->scenarios > 1)
        return cli_usage(cli, "--trace takes one scenario, and there are %zu", session->scenarios);
    return EXIT_OK;
}

/* Begins the trace of the session's scenario, if there is a path. */
static int begin_trace(struct run *run, const struct trace_options *options, const struct run_options *of_run)
{
    const struct session *session = run->session;
    struct sms_errors errors;
    int code = check_trace(session, options);
    if (code || !options->path || session->scenarios == 0)
        return code;
    const struct sms_scenario *scenario = session->scenario[0];
    const struct sms__trace_settings settings = {
        .path = options->path,
        .policies = of_run->changes.policies,
        .seed = of_run->seed ? of_run->seed : scenario->seed,
        .events = options->events ? options->events : SMS__TRACE_EVENTS,
        .from_ps = (uint64_t)options->from_ps,
        .to_ps = options->to_ps < 0 ? UINT64_MAX : (uint64_t)options->to_ps,
    };
    return cli_print_errors(sms__trace_begin(scenario, &settings, &run->trace, &errors), &errors);
}

static int end_trace(const struct run *run)
{
    struct sms_errors errors;
    return cli_print_errors(sms__trace_end(run->trace, run->session->cli->quiet ? NULL : stderr, &errors), &errors);
}

int run_scenarios(struct session *session, const struct run_options *options, const struct trace_options *trace,
                  struct rows *rows)
{
    struct run run = {.session = session, .rows = rows};
    int code = trace ? begin_trace(&run, trace, options) : EXIT_OK;
    if (code == EXIT_OK)
        code = run_all(session, options, &run);
    if (code == EXIT_OK && run.trace)
        code = end_trace(&run);
    sms__trace_free(run.trace);
    return code;
}

int run_into_folder(struct session *session, const struct run_options *options, const struct trace_options *trace,
                    struct sms__folder *folder, bool brief, struct sms_errors *errors)
{
    const struct sms_run_options settings = run_settings(session->cli, options);
    struct rows rows = {0};
    int code = cli_exit_code(rows_begin(&rows, session, brief, folder, errors));
    if (code == EXIT_OK)
        code = run_scenarios(session, options, trace, &rows);
    if (code == EXIT_OK)
        code = draw_unknowns(session, &settings, 0); /* as compare does, whose JSON the folder has */
    int ended = cli_exit_code(rows_end(&rows, folder, errors));
    code = code ? code : ended;
    session->set.cut = rows.cut;
    session->set.cuts = rows.cuts;
    if (code == EXIT_OK)
        code = cli_exit_code(sms__run_folder_end(folder, &session->set, session->cli->command_line, errors));
    session->set.cuts = 0;
    free(rows.cut);
    return code;
}
