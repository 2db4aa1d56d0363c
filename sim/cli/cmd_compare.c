#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The index of the policy to compare with: the one named, or the first. */
static int find_baseline(const struct cli *cli, const struct sms_results *results, size_t *baseline)
{
    *baseline = 0;
    for (size_t p = 0; cli->baseline && p < sms_results_policies(results); p++) {
        if (strcmp(sms_results_policy(results, p), cli->baseline))
            continue;
        *baseline = p;
        return EXIT_OK;
    }
    if (!cli->baseline)
        return EXIT_OK;
    char text[300];
    sms__say_no_policy(text, sizeof text, sms_results_scenario(results), cli->baseline);
    return cli_fail(EXIT_INPUT, NULL, "%s", text);
}

static void print(const struct session *session, const size_t *baseline)
{
    if (session->cli->format == FORMAT_JSON)
        sms__print_json_ratios(&session->set, baseline, stdout);
    if (session->cli->format == FORMAT_CSV)
        sms__print_tidy_header(stdout);
    for (size_t i = 0; i < session->set.count; i++) {
        if (session->cli->format == FORMAT_CSV)
            sms__print_tidy_ratios(session->set.results[i], baseline[i], stdout);
        if (session->cli->format == FORMAT_TABLE)
            sms__print_comparison(session->set.results[i], baseline[i], stdout);
    }
}

int cmd_compare(struct cli *cli)
{
    struct session session;
    int code = session_load(&session, cli);
    if (code == EXIT_OK)
        code = session_run_traced(&session);
    size_t *baseline = calloc(session.set.count + 1, sizeof *baseline);
    for (size_t i = 0; baseline && i < session.set.count && code == EXIT_OK; i++)
        code = find_baseline(cli, session.set.results[i], &baseline[i]);
    if (code == EXIT_OK && !baseline)
        code = cli_no_memory();
    if (code == EXIT_OK && baseline)
        print(&session, baseline);
    free(baseline);
    session_free(&session);
    return code;
}
