/* --trace: the run of one scenario as Chrome trace events. */
#include "cli.h"

static int check_options(const struct session *session)
{
    const struct cli *cli = session->cli;
    bool given = cli->trace_events > 0 || cli->trace_from_ps > 0 || cli->trace_to_ps >= 0;
    if (!cli->trace)
        return given ? cli_usage(cli, "--trace-events, --trace-from and --trace-to are for --trace") : EXIT_OK;
    if (cli->trace_events > 0 &&
        (cli->trace_events < SMS__TRACE_EVENTS_MIN || cli->trace_events > SMS__TRACE_EVENTS_MAX))
        return cli_usage(cli, "--trace-events: from %d to %d", SMS__TRACE_EVENTS_MIN, SMS__TRACE_EVENTS_MAX);
    if (cli->trace_to_ps >= 0 && cli->trace_to_ps <= cli->trace_from_ps)
        return cli_usage(cli, "--trace-to is not after --trace-from");
    if (session->scenarios > 1)
        return cli_usage(cli, "--trace takes one scenario, and there are %zu", session->scenarios);
    return EXIT_OK;
}

static int begin(struct session *session)
{
    const struct cli *cli = session->cli;
    const struct sms_scenario *scenario = session->scenario[0];
    struct sms_errors errors;
    struct sms__trace_options options = {
        .path = cli->trace,
        .policies = cli->policies,
        .seed = cli->seed > 0 ? (uint64_t)cli->seed : scenario->seed,
        .events = cli->trace_events > 0 ? (uint64_t)cli->trace_events : SMS__TRACE_EVENTS,
        .from_ps = (uint64_t)cli->trace_from_ps,
        .to_ps = cli->trace_to_ps < 0 ? UINT64_MAX : (uint64_t)cli->trace_to_ps,
        .cancel = &cli_interrupted,
    };
    int code = sms__trace_begin(scenario, &options, &session->trace, &errors);
    sms_errors_print(&errors, stderr);
    return cli_exit_code(code);
}

static int end(struct session *session)
{
    struct sms_errors errors;
    int code = sms__trace_end(session->trace, session->cli->quiet ? NULL : stderr, &errors);
    sms_errors_print(&errors, stderr);
    return cli_exit_code(code);
}

int session_run_traced(struct session *session)
{
    int code = check_options(session);
    if (code || !session->cli->trace || session->scenarios == 0)
        return code ? code : session_run(session);
    code = begin(session);
    if (code == EXIT_OK)
        code = session_run(session);
    if (code == EXIT_OK)
        code = end(session);
    sms__trace_free(session->trace);
    session->trace = NULL;
    return code;
}
