/* Draws what is not known of scenarios whose results a session has. */
#include "run_scenarios.h"

#include "../sweep/sweep.h"
#include "../sweep/draw_unknowns.h"

/* The file in which the scenario's devices are looked up. A changed copy of a scenario is a file without a document,
 * and comes after the file that it is of. */
static struct sms_file *library_of(const struct session *session, const struct sms_scenario *scenario)
{
    struct sms_file *library = NULL;
    for (size_t f = 0; f < session->files; f++) {
        library = session->file[f]->doc ? session->file[f] : library;
        for (size_t i = 0; i < session->file[f]->scenarios; i++)
            if (session->file[f]->scenario[i] == scenario)
                return library;
    }
    return library;
}

static void show_progress(void *user, size_t done, size_t total) { sms__progress_show(user, done, total, 0); }

static int draw_one(const struct session *session, const struct sms_run_options *as, size_t i, size_t draws)
{
    const struct sms_load_options load = session_options(session->cli);
    struct sms_run_options settings = *as;
    struct sms__progress progress;
    struct sms_errors errors;
    char label[64];
    const struct sms__unknowns_run run = {library_of(session, session->scenario[i]), &load, &settings, draws};
    snprintf(label, sizeof label, "%.27s: ", sms_scenario_name(session->scenario[i]));
    settings.on_progress = show_progress;
    settings.user = &progress;
    sms__progress_begin(&progress, label, "draws", session->cli->quiet);
    int code = sms__unknowns_run(&run, session->set.results[i], &errors);
    sms__progress_end(&progress);
    return cli_print_errors(code, &errors);
}

int draw_unknowns(struct session *session, const struct sms_run_options *settings, uint64_t draws)
{
    int code = EXIT_OK;
    for (size_t i = 0; i < session->set.count && code == EXIT_OK; i++)
        if (draws || session->scenario[i]->unknowns.draws)
            code = draw_one(session, settings, i, (size_t)draws);
    return code;
}
