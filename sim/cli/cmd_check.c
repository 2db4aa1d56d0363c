#include "cli.h"

#include "../base/escape.h"

static void print(const struct sms__set *set, const struct sms__checks *checks, bool quiet)
{
    for (size_t i = 0; i < set->count && !quiet; i++)
        sms__print_answer_line(set->results[i], stdout);
    for (size_t i = 0; i < checks->count; i++) {
        const struct sms__check *check = &checks->item[i];
        if (quiet && check->passed)
            continue;
        printf("%s %s: ", check->passed ? "ok    " : "MISSED", check->scenario);
        sms__print_visible(stdout, check->name); /* a baseline's row names it */
        printf(": %s\n", check->message);
    }
    printf("%zu checked, %zu missed\n", checks->count, checks->failed);
}

static int check_all(const struct session *session, struct sms__checks *checks)
{
    const struct cli *cli = session->cli;
    struct sms_errors errors = {0};
    int code = 0;
    for (size_t i = 0; i < session->set.count && !code; i++)
        code = sms__check_expectations(session->set.results[i], checks);
    if (!code && cli->baseline)
        code = sms__check_baseline(&session->set, cli->baseline, cli->tolerance, checks, &errors);
    sms_errors_print(&errors, stderr);
    if (code || errors.count)
        return errors.count ? cli_exit_code(errors.item[0].code) : cli_no_memory();
    return EXIT_OK;
}

/* Before the runs, so that a bad path is known before them. */
static int begin_junit(struct sms__write *write, const char *path)
{
    struct sms_errors errors = {0};
    int code = sms__write_begin(write, path, &errors);
    sms_errors_print(&errors, stderr);
    return cli_exit_code(code);
}

static int end_junit(struct sms__write *write, const struct sms__checks *checks)
{
    struct sms_errors errors = {0};
    int code = SMS_OK;
    if (sms__print_junit(checks, write->to))
        code = sms__fail(&errors, SMS_ENOMEM, write->partial.target, "out of memory");
    else
        code = sms__write_end(write, &errors);
    sms_errors_print(&errors, stderr);
    return cli_exit_code(code);
}

int cmd_check(struct cli *cli)
{
    struct session session;
    struct sms__checks checks = {0};
    struct sms__write junit = {0};
    int code = session_load(&session, cli);
    if (code == EXIT_OK && cli->junit)
        code = begin_junit(&junit, cli->junit);
    if (code == EXIT_OK)
        code = session_run(&session);
    if (code == EXIT_OK)
        code = check_all(&session, &checks);
    if (code == EXIT_OK && checks.count == 0) {
        code = cli_fail(EXIT_INPUT, NULL, "nothing to check: no scenario has 'expect:', and no --baseline was given");
    }
    if (code == EXIT_OK)
        print(&session.set, &checks, cli->quiet);
    if (code == EXIT_OK && cli->junit)
        code = end_junit(&junit, &checks);
    if (code == EXIT_OK && checks.failed)
        code = EXIT_MISSED;
    sms__write_abandon(&junit);
    sms__checks_free(&checks);
    session_free(&session);
    return code;
}
