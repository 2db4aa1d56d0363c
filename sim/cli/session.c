/* Loads the files of a command. Scenarios of one command have different names, because results are told apart by them.
 */
#include "session.h"

#include "../sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

struct sms_load_options session_options(const struct cli *cli)
{
    return (struct sms_load_options){.models = cli->models, .installed_models = cli->installed_models};
}

static bool add_scenarios(struct session *session, const struct sms_file *file)
{
    size_t more = sms_file_scenarios(file);
    const struct sms_scenario **grown = realloc(session->scenario, (session->scenarios + more + 1) * sizeof(*grown));
    if (!grown)
        return false;
    session->scenario = grown;
    for (size_t i = 0; i < more; i++)
        grown[session->scenarios++] = sms_file_scenario(file, i);
    return true;
}

static int load_one(struct session *session, const char *path)
{
    struct sms_load_options options = session_options(session->cli);
    struct sms_errors errors;
    struct sms_file *file;
    int code = sms_file_load(path, &options, &file, &errors);
    if (code)
        return cli_print_errors(code, &errors);
    sms_errors_print(sms_file_warnings(file), stderr);
    session->file[session->files++] = file;
    return add_scenarios(session, file) ? EXIT_OK : cli_no_memory();
}

static int check_names(const struct session *session)
{
    for (size_t i = 0; i < session->scenarios; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(sms_scenario_name(session->scenario[i]), sms_scenario_name(session->scenario[j])))
                return cli_fail(EXIT_INPUT, NULL, "two scenarios are named '%s'",
                                sms_scenario_name(session->scenario[i]));
    return EXIT_OK;
}

int session_load(struct session *session, const struct cli *cli)
{
    int first = EXIT_OK;
    *session = (struct session){.cli = cli};
    if (cli->n_args == 0)
        return cli_usage(cli, "name a scenario file");
    session->file = calloc(cli->n_args, sizeof(*session->file));
    if (!session->file)
        return cli_no_memory();
    for (size_t i = 0; i < cli->n_args; i++) {
        int code = load_one(session, cli->args[i]);
        first = first ? first : code;
    }
    return first ? first : check_names(session);
}

int session_expect_some(const struct session *session)
{
    if (session->scenarios > 0)
        return EXIT_OK;
    const char *path = session->cli->n_args > 0 ? session->cli->args[0] : NULL;
    if (path && sms__is_plan(path))
        return cli_fail(EXIT_INPUT, path, "this is a plan, and has no scenario of its own; 'smsched sweep %s' runs it",
                        path);
    return cli_fail(EXIT_INPUT, NULL, "no scenario in what was named");
}

const struct cli_option session_trust[] = {
    {"trust", NULL,
     "say which measurements cover the scenario, how well they were met, and where it is outside them all", CLI_FLAG,
     0},
    {0},
};

int session_load_trust(struct session *session, bool asked, int format)
{
    struct sms_load_options options = session_options(session->cli);
    struct sms_errors errors;
    if (asked && format != FORMAT_TABLE)
        return cli_usage(session->cli, "--trust is for --format table");
    return asked ? cli_print_errors(sms__trust_load(&options, &session->trust, &errors), &errors) : EXIT_OK;
}

int session_print_trust(struct session *session, FILE *to)
{
    for (size_t i = 0; session->trust && i < session->scenarios; i++) {
        struct sms__trust_names lines;
        if (sms__trust_say(session->trust, session->scenario[i], &lines))
            return cli_no_memory();
        fprintf(to, "\nmeasurements that cover %s\n", sms_scenario_name(session->scenario[i]));
        for (size_t l = 0; l < lines.count; l++)
            fprintf(to, "  %s\n", lines.name[l]);
    }
    return EXIT_OK;
}

void session_free(struct session *session)
{
    sms__trust_free(session->trust);
    for (size_t i = 0; i < session->set.count; i++)
        sms_results_free(session->set.results[i]);
    free(session->set.results);
    free(session->seconds);
    free(session->scenario);
    for (size_t i = 0; i < session->files; i++)
        sms_file_free(session->file[i]);
    free(session->file);
}
