/* Checks the options of --trace, and begins and ends the file. */
#include "tracing.h"

#define AT(member) offsetof(struct trace_options, member)

const struct cli_option trace_table[] = {
    {"trace", "FILE", "write the timeline of the run as Chrome trace events, for Perfetto", CLI_TEXT, AT(path)},
    {"trace-events", "N", "limit of the number of these events; default 500000", CLI_COUNT, AT(events)},
    {"trace-from", "TIME", "leave out events that end before this time; default 0", CLI_TIME, AT(from_ps)},
    {"trace-to", "TIME", "leave out events from this time on; default: the end of the run", CLI_TIME, AT(to_ps),
     .otherwise = -1},
    {0}};

static int check_options(const struct session *session, const struct trace_options *options)
{
    const struct cli *cli = session->cli;
    bool given = options->events > 0 || options->from_ps > 0 || options->to_ps >= 0;
    if (!options->path)
        return given ? cli_usage(cli, "--trace-events, --trace-from and --trace-to are for --trace") : EXIT_OK;
    if (options->events > 0 && (options->events < SMS__TRACE_EVENTS_MIN || options->events > SMS__TRACE_EVENTS_MAX))
        return cli_usage(cli, "--trace-events: from %d to %d", SMS__TRACE_EVENTS_MIN, SMS__TRACE_EVENTS_MAX);
    if (options->to_ps >= 0 && options->to_ps <= options->from_ps)
        return cli_usage(cli, "--trace-to is not after --trace-from");
    if (session->scenarios > 1)
        return cli_usage(cli, "--trace takes one scenario, and there are %zu", session->scenarios);
    return EXIT_OK;
}

int tracing_begin(const struct session *session, const struct trace_options *options, const char *const *policies,
                  uint64_t seed, struct sms__trace **trace)
{
    struct sms_errors errors;
    int code = check_options(session, options);
    if (code || !options->path || session->scenarios == 0)
        return code;
    const struct sms_scenario *scenario = session->scenario[0];
    const struct sms__trace_options settings = {
        .path = options->path,
        .policies = policies,
        .seed = seed ? seed : scenario->seed,
        .events = options->events ? options->events : SMS__TRACE_EVENTS,
        .from_ps = (uint64_t)options->from_ps,
        .to_ps = options->to_ps < 0 ? UINT64_MAX : (uint64_t)options->to_ps,
        .cancel = &cli_interrupted,
    };
    return cli_print_errors(sms__trace_begin(scenario, &settings, trace, &errors), &errors);
}

int tracing_end(const struct session *session, struct sms__trace *trace)
{
    struct sms_errors errors;
    return cli_print_errors(sms__trace_end(trace, session->cli->quiet ? NULL : stderr, &errors), &errors);
}
