#include "cli.h"

#include "../base/escape.h"
#include "../sweep/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_exit_code(int code)
{
    switch (code) {
    case SMS_OK:
        return EXIT_OK;
    case SMS_EINPUT:
        return EXIT_INPUT;
    case SMS_EIO:
    case SMS_ENOMEM:
    case SMS_ELIMIT:
        return EXIT_IO;
    case SMS_ECANCELED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_BUG;
    }
}

struct sms_load_options session_options(const struct cli *cli)
{
    static _Thread_local char models[SMS__MODELS_BYTES];
    if (cli->share)
        snprintf(models, sizeof models, "%s/models", cli->share);
    else
        sms__installed_models(models);
    return (struct sms_load_options){.models = cli->models, .installed_models = models};
}

static bool add_scenarios(struct session *session, const struct sms_file *file)
{
    size_t more = sms_file_scenarios(file);
    const struct sms_scenario **grown = realloc(session->scenario, (session->scenarios + more + 1) * sizeof(*grown));
    if (!grown)
        return false;
    session->scenario = grown;
    for (size_t i = 0; i < more; i++)
        grown[session->scenarios++] = sms_file_scenario(file, i);
    return true;
}

/* One file after another; the first code that is not OK is the one to exit with. */
static int load_one(struct session *session, const char *path)
{
    struct sms_load_options options = session_options(session->cli);
    struct sms_errors errors;
    struct sms_file *file;
    int code = sms_file_load(path, &options, &file, &errors);
    if (code) {
        sms_errors_print(&errors, stderr);
        return cli_exit_code(code);
    }
    sms_errors_print(sms_file_warnings(file), stderr);
    session->file[session->files++] = file;
    return add_scenarios(session, file) ? EXIT_OK : cli_no_memory();
}

static int check_names(const struct session *session)
{
    for (size_t i = 0; i < session->scenarios; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(sms_scenario_name(session->scenario[i]), sms_scenario_name(session->scenario[j])))
                return cli_fail(EXIT_INPUT, NULL, "two scenarios are named '%s'",
                                sms_scenario_name(session->scenario[i]));
    return EXIT_OK;
}

int session_load(struct session *session, struct cli *cli)
{
    int first = EXIT_OK;
    *session = (struct session){.cli = cli};
    if (cli->n_args == 0)
        return cli_usage(cli, "name a scenario file");
    session->file = calloc(cli->n_args, sizeof(*session->file));
    if (!session->file)
        return cli_no_memory();
    for (size_t i = 0; i < cli->n_args; i++) {
        int code = load_one(session, cli->args[i]);
        first = first ? first : code;
    }
    if (first == EXIT_OK)
        first = check_names(session);
    return first;
}

/* A line that is overwritten, on a terminal only. */
static void show_progress(void *user, size_t done, size_t total)
{
    const struct session *session = user;
    if (!session->cli->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s%s %zu/%zu", done == total ? "" : session->running, done == total ? "" : ":", done,
                total);
    if (!session->cli->quiet && isatty(STDERR_FILENO) && done == total)
        fprintf(stderr, "\r\033[K");
}

struct sms_run_options session_run_options(const struct cli *cli)
{
    struct sms_run_options options = sms_run_defaults();
    options.policies = cli->policies;
    options.seed = (uint64_t)cli->seed;
    options.replications = (unsigned)cli->replications;
    options.jobs = (unsigned)cli->jobs;
    options.engine = (enum sms_engine)cli->engine;
    options.check = cli->check;
    options.max_events = (uint64_t)cli->events;
    options.cancel = &cli_interrupted;
    return options;
}

enum { TIMELINE_ROWS = 20000 };

/* The first blocks of each policy's first replication, so that the file stays bounded. */
static void write_stay(struct session *session, const char *policy, const struct sms_stay *stay)
{
    if (session->timeline_policy != policy)
        session->timeline_rows = 0;
    session->timeline_policy = policy;
    if (session->timeline_rows++ >= TIMELINE_ROWS)
        return;
    SMS__PRINT_CSV(session->timeline, session->running, policy);
    fprintf(session->timeline, "%zu,%zu,", stay->device, stay->sm);
    SMS__PRINT_CSV(session->timeline, stay->vm, stay->kernel);
    fprintf(session->timeline, "%.3f,%.3f,%u\n", (double)stay->start_ps / 1e3, (double)stay->end_ps / 1e3,
            stay->blocks);
}

static void observe_stay(void *user, const char *policy, const struct sms_stay *stay)
{
    struct session *session = user;
    if (session->timeline)
        write_stay(session, policy, stay);
    if (session->trace)
        sms__trace_stay(session->trace, policy, stay);
}

static void observe_kernel(void *user, const char *policy, const struct sms_kernel_run *run)
{
    sms__trace_kernel(((struct session *)user)->trace, policy, run);
}

static void observe_span(void *user, const char *policy, const struct sms_span *span)
{
    struct session *session = user;
    if (session->spans)
        spans_write(session, policy, span);
    if (session->trace)
        sms__trace_span(session->trace, policy, span);
}

static void observe_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct session *session = user;
    if (session->placements)
        placements_write(session, policy, placement);
    if (session->trace)
        sms__trace_placement(session->trace, policy, placement);
}

static void observe_departure(void *user, const char *policy, const struct sms_departure *departure)
{
    struct session *session = user;
    if (session->placements)
        placements_write_end(session, departure);
    if (session->trace)
        sms__trace_departure(session->trace, policy, departure);
}

static void observe_gpu(void *user, const char *policy, const struct sms_shared_gpu *gpu)
{
    spans_write_gpu(user, policy, gpu);
}

/* Runs with a timeline go policy by policy, so that each has its share of it. */
static int run_one(struct session *session, size_t idx)
{
    const struct sms_scenario *scenario = session->scenario[idx];
    struct sms_run_options options = session_run_options(session->cli);
    struct sms_errors errors;
    session->running = sms_scenario_name(scenario);
    session->timeline_policy = NULL;
    options.user = session;
    options.on_progress = show_progress;
    const bool blocks = session->trace && !scenario->cluster; /* else the trace is of pods */
    if (session->timeline || blocks)
        options.on_stay = observe_stay;
    if (blocks)
        options.on_kernel = observe_kernel;
    if (session->spans || blocks)
        options.on_span = observe_span;
    if (session->placements || session->trace) {
        options.on_placement = observe_placement;
        options.on_departure = observe_departure;
    }
    if (session->placements) {
        options.on_shared_gpu = session->gpus ? observe_gpu : NULL;
        options.jobs = 1;
    }
    if (session->timeline) {
        options.bins = 200;
        options.jobs = 1; /* rows are written in one order */
    }
    int code = sms_run(scenario, &options, &session->set.results[idx], &errors);
    sms_errors_print(code ? &errors : sms_results_warnings(session->set.results[idx]), stderr);
    if (session->placements)
        placements_flush(session);
    session->set.count += !code;
    return cli_exit_code(code);
}

int session_expect_some(const struct session *session)
{
    if (session->scenarios > 0)
        return EXIT_OK;
    const char *path = session->cli->n_args > 0 ? session->cli->args[0] : NULL;
    if (path && sms__is_plan(path))
        return cli_fail(EXIT_INPUT, path, "this is a plan, and has no scenario of its own; 'smsched sweep %s' runs it",
                        path);
    return cli_fail(EXIT_INPUT, NULL, "no scenario in what was named");
}

int session_run(struct session *session)
{
    if (session_expect_some(session))
        return EXIT_INPUT;
    session->set.results = calloc(session->scenarios, sizeof(*session->set.results));
    if (!session->set.results)
        return cli_no_memory();
    for (size_t i = 0; i < session->scenarios; i++) {
        int code = run_one(session, i);
        if (code)
            return code;
    }
    return EXIT_OK;
}

void session_free(struct session *session)
{
    for (size_t i = 0; i < session->set.count; i++)
        sms_results_free(session->set.results[i]);
    free(session->set.results);
    free(session->scenario);
    for (size_t i = 0; i < session->files; i++)
        sms_file_free(session->file[i]);
    free(session->file);
    free(session->cut);
    free(session->placement_end);
    free(session->placed_at);
}
