#include "cli.h"

#include "../model/effort.h"
#include "../model/job.h"
#include "../sweep/sweep.h"

/* Plans first, which tell of their own file besides; what is wrong with one is told once. */
static int check_plans(struct cli *cli)
{
    int first = EXIT_OK;
    size_t kept = 0;
    for (size_t i = 0; i < cli->n_args; i++) {
        int code = sms__has_plan(cli->args[i]) ? sweep_validate(cli, cli->args[i]) : EXIT_OK;
        if (code == EXIT_OK)
            cli->args[kept++] = cli->args[i];
        first = first ? first : code;
    }
    cli->n_args = kept;
    return first;
}

#define MEMORY_SAID (1024.0 * 1024 * 1024)

/* Of those that take a while, or much memory. */
static void print_effort(const struct session *session)
{
    char text[64];
    for (size_t i = 0; i < session->scenarios; i++) {
        struct sms_effort effort = sms_scenario_effort(session->scenario[i]);
        if (effort.seconds >= SMS__EFFORT_SAID_S)
            printf("scenario %s: %s %.2g events, %s of CPU time\n", sms_scenario_name(session->scenario[i]),
                   session->scenario[i]->until.precision > 0 ? "at least" : "about", effort.events,
                   sms__say_time(text, sizeof text, effort.seconds * 1e12));
        if (session->scenario[i]->bytes >= MEMORY_SAID)
            printf("scenario %s: about %.2g GiB of memory\n", sms_scenario_name(session->scenario[i]),
                   session->scenario[i]->bytes / MEMORY_SAID);
    }
}

int cmd_validate(struct cli *cli)
{
    struct session session = {0};
    int first = check_plans(cli);
    int code = first && !cli->n_args ? first : session_load(&session, cli);
    if (code == EXIT_OK && !cli->quiet)
        print_effort(&session);
    if (first == EXIT_OK && code == EXIT_OK && !cli->quiet)
        printf("%zu file%s checked, %zu scenario%s\n", session.files, session.files == 1 ? "" : "s", session.scenarios,
               session.scenarios == 1 ? "" : "s");
    session_free(&session);
    return first ? first : code;
}
