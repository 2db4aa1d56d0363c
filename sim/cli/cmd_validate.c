#include "cli.h"

#include "../model/effort.h"
#include "../model/job.h"
#include "../sweep/sweep.h"

#define MEMORY_SAID (1024.0 * 1024 * 1024)

/* Of those that take a while, or much memory. */
static void print_effort(const struct session *session)
{
    char text[64];
    for (size_t i = 0; i < session->scenarios; i++) {
        struct sms_effort effort = sms_scenario_effort(session->scenario[i]);
        if (effort.seconds >= SMS__EFFORT_SAID_S)
            printf("scenario %s: about %.2g events, %s of CPU time\n", sms_scenario_name(session->scenario[i]),
                   effort.events, sms__say_time(text, sizeof text, effort.seconds * 1e12));
        if (session->scenario[i]->bytes >= MEMORY_SAID)
            printf("scenario %s: about %.2g GiB of memory\n", sms_scenario_name(session->scenario[i]),
                   session->scenario[i]->bytes / MEMORY_SAID);
    }
}

int cmd_validate(struct cli *cli)
{
    struct session session;
    int code = session_load(&session, cli);
    for (size_t i = 0; i < session.files && code == EXIT_OK; i++)
        if (sms__has_plan(session.file[i]))
            code = sweep_validate(cli, cli->args[i]);
    if (code == EXIT_OK && !cli->quiet)
        print_effort(&session);
    if (code == EXIT_OK && !cli->quiet)
        printf("%zu file%s checked, %zu scenario%s\n", session.files, session.files == 1 ? "" : "s", session.scenarios,
               session.scenarios == 1 ? "" : "s");
    session_free(&session);
    return code;
}
