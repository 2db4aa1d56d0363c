#include "cli.h"

static const char timeline_name[] = "timeline.csv";

/* Clusters have no blocks, and so no timeline of them. */
static bool has_blocks(const struct session *session)
{
    for (size_t i = 0; i < session->scenarios; i++)
        if (!session->scenario[i]->cluster)
            return true;
    return session->scenarios == 0;
}

static FILE *open_timeline(struct sms__folder *folder, struct sms_errors *errors)
{
    FILE *file = sms__folder_open(folder, timeline_name, errors);
    if (file)
        fputs("scenario,policy,device,sm,vm,kernel,start_ns,end_ns,blocks\n", file);
    return file;
}

/* Runs, with rows of the timelines written as they come. */
int session_run_observed(struct session *session, struct sms__folder *folder, struct sms_errors *errors)
{
    const bool blocks = has_blocks(session);
    FILE *timeline = blocks ? open_timeline(folder, errors) : NULL;
    session->timeline = session->cli->brief ? NULL : timeline; /* a brief one has no rows */
    int code = blocks && !timeline ? EXIT_IO : cli_exit_code(spans_begin(session, folder, errors));
    if (code == EXIT_OK)
        code = session_run_traced(session);
    session->timeline = NULL;
    int closed = timeline ? sms__folder_close(folder, timeline_name, timeline, errors) : SMS_OK;
    int ended = spans_end(session, folder, errors);
    return code ? code : cli_exit_code(closed ? closed : ended);
}

/* Into a folder under a temporary name while it runs. */
static int run_into_folder(struct session *session)
{
    struct sms_errors errors = {0};
    struct sms__folder folder = {0};
    int code = cli_exit_code(sms__folder_begin(&folder, session->cli->out, SMS__FOLDER_NEW, &errors));
    if (code == EXIT_OK)
        code = session_run_observed(session, &folder, &errors);
    if (code == EXIT_OK)
        code = cli_exit_code(sms__run_folder_end(&folder, &session->set, session->cli->command_line, &errors));
    sms_errors_print(&errors, stderr);
    sms__folder_abandon(&folder);
    return code;
}

static void print(const struct session *session)
{
    if (session->cli->format == FORMAT_JSON)
        sms__print_json(&session->set, stdout);
    if (session->cli->format == FORMAT_CSV)
        sms__print_tidy_header(stdout);
    for (size_t i = 0; i < session->set.count; i++) {
        if (session->cli->format == FORMAT_SIMTBS)
            sms__print_simtbs(session->set.results[i], stdout);
        if (session->cli->format == FORMAT_CSV)
            sms__print_tidy(session->set.results[i], stdout);
        if (session->cli->format == FORMAT_TABLE)
            sms__print_results(session->set.results[i], stdout);
    }
}

/* Its layout has no place for what other scenarios measure. */
static int check_format(const struct session *session)
{
    for (size_t i = 0; i < session->scenarios && session->cli->format == FORMAT_SIMTBS; i++)
        if (session->scenario[i]->compat != SMS__COMPAT_SIMTBS)
            return cli_fail(EXIT_INPUT, NULL,
                            "scenario '%s' does not say compat: simtbs, so --format simtbs has nothing to print",
                            sms_scenario_name(session->scenario[i]));
    return EXIT_OK;
}

int cmd_run(struct cli *cli)
{
    struct session session;
    int code = session_load(&session, cli);
    if (code == EXIT_OK)
        code = check_format(&session);
    if (code == EXIT_OK)
        code = cli->out ? run_into_folder(&session) : session_run_traced(&session);
    bool wanted = !(cli->out && cli->quiet);
    if (code == EXIT_OK && wanted)
        print(&session);
    session_free(&session);
    return code;
}
