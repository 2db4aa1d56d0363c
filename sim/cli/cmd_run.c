#include "cli.h"

/* The file of a timeline; a brief one has no rows. */
static int run_with_timeline(struct session *session, const char *path, struct sms_errors *errors)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return cli_exit_code(sms__fail(errors, SMS_EIO, path, "cannot be written"));
    fputs("scenario,policy,device,sm,vm,kernel,start_ns,end_ns,blocks\n", file);
    session->timeline = session->cli->brief ? NULL : file;
    int code = session_run_traced(session);
    bool wrote = !ferror(file);
    if ((fclose(file) || !wrote) && code == EXIT_OK)
        code = cli_exit_code(sms__fail(errors, SMS_EIO, path, "cannot be written"));
    return code;
}

/* Into a folder under a temporary name while it runs. */
static int run_into_folder(struct session *session)
{
    struct sms_errors errors = {0};
    char temporary[4096], path[4200];
    int code = cli_exit_code(sms__folder_begin(session->cli->out, temporary, sizeof temporary, &errors));
    if (code) {
        sms_errors_print(&errors, stderr);
        return code;
    }
    snprintf(path, sizeof path, "%s/timeline.csv", temporary);
    code = run_with_timeline(session, path, &errors);
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
