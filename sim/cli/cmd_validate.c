#include "cli.h"

#include "../sweep/sweep.h"

int cmd_validate(struct cli *cli)
{
    struct session session;
    int code = session_load(&session, cli);
    for (size_t i = 0; i < session.files && code == EXIT_OK; i++)
        if (sms__has_plan(session.file[i]))
            code = sweep_validate(cli, cli->args[i]);
    if (code == EXIT_OK && !cli->quiet)
        printf("%zu file%s checked, %zu scenario%s\n", session.files, session.files == 1 ? "" : "s", session.scenarios,
               session.scenarios == 1 ? "" : "s");
    session_free(&session);
    return code;
}
