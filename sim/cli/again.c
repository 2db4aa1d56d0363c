/* Simulates a point again, if its key shows that it would give the results of the sweep. */
#include "again.h"

#include <stdlib.h>
#include <string.h>

/* The folder of the sweep is the parent of the database's folder. */
static void find_origin(struct again *again, const char *database)
{
    char folder[4400];
    const char *slash = strrchr(database, '/');
    snprintf(folder, sizeof folder, "%.*s..", slash ? (int)(slash + 1 - database) : 0, database);
    origin_read(folder, &again->origin);
}

static int load_plan(struct again *again, const struct sms__page_point *point, struct sms_errors *errors)
{
    struct sms_errors found;
    find_origin(again, point->database);
    const char *path = again->plan_path ? again->plan_path : again->origin.plan;
    if (!path)
        return sms__fail(errors, SMS_EINPUT, point->database,
                         "no origin.json in the folder above says where its plan is; --plan does");
    again->options = session_options(again->cli);
    if (!again->options.models)
        again->options.models = again->origin.models;
    int code = sms__plan_load(path, &again->options, &again->plan, &found);
    if (code == SMS_OK)
        return SMS_OK;
    sms__add_errors(errors, &found);
    sms__fail(errors, code, point->database, "its plan cannot be read as it was%s",
              again->plan_path ? "" : "; --plan says where it is now");
    return code;
}

/* Says what has changed: the plan, or something else on which the point's key depends. */
static int fail_changed(const struct again *again, const struct sms__page_point *point, const char *scenario,
                        struct sms_errors *errors)
{
    const struct sms__plan *plan = again->plan;
    const unsigned long long number = point->point;
    if (strcmp(plan->node->mark.text, point->text) != 0)
        return sms__fail(
            errors, SMS_EINPUT, plan->path,
            "the plan has changed, and point %llu is another one than that in %.200s; 'smsched sweep' runs "
            "what has changed",
            number, point->database);
    return sms__fail(
        errors, SMS_EINPUT, plan->path,
        "point %llu is no longer what it was in %.200s: the scenario '%.60s', or a device or workload that it "
        "uses, has changed; 'smsched sweep' runs what has changed",
        number, point->database, scenario);
}

/* Loads the scenario of the point, if it is still the one that was run. */
static int load_point(struct again *again, const struct sms__page_point *point, struct sms_errors *errors)
{
    unsigned char key[SMS__KEY_BYTES];
    char *models = NULL;
    struct sms__coordinates coordinates;
    struct sms_errors found = {0};
    if (point->point >= again->plan->points)
        return fail_changed(again, point, "", errors);
    sms__point_coordinates(again->plan, point->point, &coordinates);
    const char *scenario = coordinates.base->name[coordinates.scenario];
    int code = sms__point_load(&again->context, point->point, &again->file, &models, &found);
    if (code)
        sms__add_errors(errors, &found);
    bool known = models && sms__point_key(&again->context, point->point, models, key);
    free(models);
    if (code == SMS_ENOMEM || code == SMS_EIO)
        return code;
    if (code || !known || memcmp(key, point->key, sizeof key) != 0)
        return fail_changed(again, point, scenario, errors);
    return SMS_OK;
}

/* Runs the point as `run --out` does, into a folder that is removed when the page is complete. */
static int run_point(struct again *again, struct sms_errors *errors)
{
    const char *temporary = getenv("TMPDIR");
    struct session *session = &again->session;
    char path[SMS__PATH_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s/smsched-point", temporary && *temporary ? temporary : "/tmp") >=
        sizeof path)
        return sms__fail(errors, SMS_EIO, temporary, "the name is too long");
    int code = sms__folder_begin(&again->folder, path, SMS__FOLDER_SCRATCH, errors);
    if (code)
        return code;
    *session = (struct session){.cli = again->cli, .scenarios = 1, .scenario = malloc(sizeof *session->scenario)};
    if (!session->scenario)
        return sms__fail(errors, SMS_ENOMEM, NULL, "out of memory");
    session->scenario[0] = sms_file_scenario(again->file, 0);
    const struct run_options options = {0};
    const struct run_folder into = {&again->folder, "", false};
    again->exit_code = run_into_folder(session, &options, NULL, &into, errors);
    if (again->exit_code)
        return errors->count ? errors->item[0].code : SMS_ECANCELED; /* the run has printed its errors */
    again->page->folder = again->folder.partial.name;
    again->page->results = session->set.results[0];
    return SMS_OK;
}

int again_run(void *user, const struct sms__page_point *point, struct sms_errors *errors)
{
    struct again *again = user;
    int code = load_plan(again, point, errors);
    if (code == SMS_OK)
        code = sms__worker_context_open(again->plan, &again->context, errors);
    if (code == SMS_OK)
        code = load_point(again, point, errors);
    if (code == SMS_OK)
        code = run_point(again, errors);
    return code;
}

void again_end(struct again *again)
{
    sms__folder_abandon(&again->folder);
    session_free(&again->session);
    sms_file_free(again->file);
    if (again->context.plan)
        sms__worker_context_close(&again->context);
    sms__plan_free(again->plan);
    free(again->origin.plan);
    free(again->origin.models);
}
