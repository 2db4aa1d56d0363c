#include "cli.h"

int cmd_validate(struct cli *cli)
{
    struct session session;
    int code = session_load(&session, cli);
    if (code == EXIT_OK && !cli->quiet)
        printf("%zu file%s checked, %zu scenario%s\n", session.files, session.files == 1 ? "" : "s", session.scenarios,
               session.scenarios == 1 ? "" : "s");
    session_free(&session);
    return code;
}
