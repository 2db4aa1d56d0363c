/* sms_run: checks the options, then runs replications until there are enough. */
#include "gain_alone.h"

#include "../levels/oracle.h"

#include <stdlib.h>

/* Runs replications until there are as many as wanted, or as the precision needs. */
static int run_all(struct sms_results *results, struct sms_errors *errors)
{
    int code = sms__find_warmup(results, errors);
    while (code == SMS_OK && results->wanted > results->replications) {
        code = sms__guard(&results->arena, sms__results_make_rows, results);
        if (code)
            return sms__report_run(code, results->scenario, "", NULL, errors);
        code = sms__run_replications(results, errors);
        if (code == SMS_OK && results->until)
            results->wanted = sms__until_next(results);
    }
    if (code)
        return code;
    code = sms__gain_alone_find(results, errors);
    if (code)
        return code;
    sms__until_warn(results);
    sms__warmup_warn(results);
    code = sms__guard(&results->arena, sms__results_note, results);
    return sms__report_run(code, results->scenario, "", NULL, errors);
}

/* Every policy that is named must be one of the scenario's. */
int sms__run_check(const struct sms_scenario *scenario, const struct sms_run_options *options,
                   struct sms_errors *errors)
{
    const char *const *names = options->policies;
    char text[300];
    for (size_t i = 0; names && names[i]; i++) {
        size_t p = 0;
        while (p < scenario->policies && !sms__is_called(&scenario->policy[p], names[i]))
            p++;
        if (p < scenario->policies)
            continue;
        sms__say_no_policy(text, sizeof text, scenario, names[i]);
        return sms__fail(errors, SMS_EINPUT, scenario->node->mark.file, "%s", text);
    }
    return SMS_OK;
}

/* The number in the options holds, whatever precision the scenario asks for. */
static void choose_replications(struct sms_results *results, const struct sms_scenario *scenario)
{
    const unsigned given = results->options->replications;
    results->until = !given && scenario->until.node;
    results->wanted = given ? given : (size_t)scenario->replications;
    results->room = results->until ? (size_t)scenario->until.most : results->wanted;
}

/* Returns why the arguments are wrong, or NULL. */
static const char *misuse(const struct sms_scenario *scenario, const struct sms_run_options *options,
                          struct sms_results **out)
{
    if (!scenario)
        return "there is no scenario to run; a file may have none";
    if (!out)
        return "a scenario is run for no results: out is NULL";
    if ((unsigned)options->engine > SMS_ENGINE_REFERENCE)
        return "there is no such engine";
    return (options->engine == SMS_ENGINE_REFERENCE || options->check) && !sms__oracle
               ? "the installed library does not contain the reference engine and its checks; the program smsched does"
               : NULL;
}

static int run_checked(const struct sms_scenario *scenario, const struct sms_run_options *options,
                       struct sms_results *results, struct sms_errors *errors)
{
    struct sms_run_options own = *options;
    own.max_memory = results->arena.most = sms__memory_most(options->max_memory);
    results->scenario = scenario;
    results->options = &own;
    results->seed = options->seed ? options->seed : scenario->seed;
    results->with_alone = options->alone && !scenario->cluster;
    choose_replications(results, scenario);
    int code = sms__guard(&results->arena, sms__results_set_up, results);
    code = code == SMS_OK ? run_all(results, errors) : sms__report_run(code, scenario, "", NULL, errors);
    results->options = NULL;
    return code;
}

int sms__run_with_memo(const struct sms_scenario *scenario, const struct sms_run_options *options,
                       struct sms__memo *memo, const char *beside, struct sms_results **out, struct sms_errors *errors)
{
    struct sms_run_options own = sms_run_defaults();
    struct sms_errors unread;
    const char *wrong = sms__take_options(&own, sizeof own, options);
    wrong = wrong ? wrong : misuse(scenario, &own, out);
    options = &own;
    errors = errors ? errors : &unread;
    *errors = (struct sms_errors){0};
    if (out)
        *out = NULL;
    if (wrong)
        return sms__fail(errors, SMS_EUSAGE, scenario ? scenario->node->mark.file : NULL, "%s", wrong);
    int code = sms__run_check(scenario, options, errors);
    if (code)
        return code;
    struct sms_results *results = calloc(1, sizeof *results);
    if (!results)
        return sms__report_run(SMS_ENOMEM, scenario, "", NULL, errors);
    results->text.beside = beside;
    results->memo = scenario->cluster ? NULL : memo;
    code = run_checked(scenario, options, results, errors);
    if (code)
        sms_results_free(results);
    else
        *out = results;
    return code;
}

int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors)
{
    return sms__run_with_memo(scenario, options, NULL, "", out, errors);
}
