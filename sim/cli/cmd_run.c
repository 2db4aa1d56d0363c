#include "cli.h"

static FILE *open_timeline(const char *folder)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/timeline.csv", folder);
    FILE *file = fopen(path, "we");
    if (file)
        fputs("scenario,policy,device,sm,vm,kernel,start_ns,end_ns,blocks\n", file);
    return file;
}

/* Clusters have no blocks, and so no timeline of them. */
static bool has_blocks(const struct session *session)
{
    for (size_t i = 0; i < session->scenarios; i++)
        if (!session->scenario[i]->cluster)
            return true;
    return session->scenarios == 0;
}

/* Runs, with rows of the timelines written as they come. */
int session_run_observed(struct session *session, const char *folder, struct sms_errors *errors)
{
    const bool blocks = has_blocks(session);
    FILE *timeline = blocks ? open_timeline(folder) : NULL;
    session->timeline = session->cli->brief ? NULL : timeline; /* a brief one has no rows */
    bool wrote = (timeline || !blocks) && spans_begin(session, folder) == EXIT_OK;
    int code = wrote ? session_run_traced(session) : EXIT_OK;
    if (timeline && ferror(timeline))
        wrote = false;
    if (timeline && fclose(timeline))
        wrote = false;
    if (spans_end(session))
        wrote = false;
    if (code == EXIT_OK && !wrote)
        code = cli_exit_code(sms__fail(errors, SMS_EIO, folder, "a timeline cannot be written"));
    return code;
}

/* Into a folder under a temporary name while it runs. */
static int run_into_folder(struct session *session)
{
    struct sms_errors errors = {0};
    char temporary[4096];
    int code = cli_exit_code(sms__folder_begin(session->cli->out, temporary, sizeof temporary, &errors));
    if (code) {
        sms_errors_print(&errors, stderr);
        return code;
    }
    code = session_run_observed(session, temporary, &errors);
    if (code == EXIT_OK)
        code = cli_exit_code(sms__folder_write(temporary, &session->set, session->cli->command_line, &errors));
    if (code == EXIT_OK)
        code = cli_exit_code(sms__folder_end(temporary, session->cli->out, &errors));
    sms_errors_print(&errors, stderr);
    if (code)
        sms__folder_abandon(temporary);
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
        if (session->scenario[i]->compat != SMS__COMPAT_SIMTBS) {
            fprintf(stderr,
                    "error: scenario '%s' does not say compat: simtbs, so --format simtbs has nothing to print\n",
                    sms_scenario_name(session->scenario[i]));
            return EXIT_INPUT;
        }
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
