/* Runs a scenario: every policy with every replication, and the stand-alone runs. */
#include "results.h"

#include <stdlib.h>

struct sms_run_options sms_run_defaults(void)
{
    return (struct sms_run_options){.alone = true, .explain_to_ps = UINT64_MAX};
}

struct setup {
    struct sms_results *results;
    const struct sms_run_options *options;
    size_t upto;
};

static int set_up(void *user)
{
    const struct setup *setup = user;
    sms__results_set_up(setup->results, setup->options);
    return SMS_OK;
}

static int make_rows(void *user)
{
    const struct setup *setup = user;
    sms__results_make_rows(setup->results, setup->upto);
    return SMS_OK;
}

/* As many replications as are asked for, or as the precision asks for. */
static int run_all(struct setup *setup, struct sms_errors *errors)
{
    struct sms_results *results = setup->results;
    int code = sms__find_warmup(results, setup->options, errors);
    while (code == SMS_OK && setup->upto > results->replications) {
        code = sms__guard(&results->arena, make_rows, setup);
        if (code)
            sms__report_run(code, results->scenario, "", NULL, errors);
        else
            code = sms__run_replications(results, setup->options, setup->upto, errors);
        if (code == SMS_OK && results->until)
            setup->upto = sms__until_next(results);
    }
    if (code == SMS_OK) {
        sms__until_warn(results);
        sms__warmup_warn(results);
    }
    return code;
}

/* Those of the scenario have been checked; options may ask for more. */
static int check_replications(const struct sms_scenario *scenario, uint64_t replications, struct sms_errors *errors)
{
    double gib;
    if (replications <= sms__most_replications(scenario) || sms__replications_fit(scenario, replications, &gib))
        return SMS_OK;
    return sms__fail(errors, SMS_EINPUT, scenario->path,
                     "%llu replications of scenario '%.60s' need about %.3g GiB of memory, more than 4",
                     (unsigned long long)replications, scenario->name, gib);
}

/* Each that is named must be one of the scenario's. */
static int check_policies(const struct sms_scenario *scenario, const char *const *names, struct sms_errors *errors)
{
    char text[300];
    for (size_t i = 0; names && names[i]; i++) {
        size_t p = 0;
        while (p < scenario->policies && !sms__is_called(&scenario->policy[p], names[i]))
            p++;
        if (p < scenario->policies)
            continue;
        sms__say_no_policy(text, sizeof text, scenario, names[i]);
        return sms__fail(errors, SMS_EINPUT, scenario->path, "%s", text);
    }
    return SMS_OK;
}

/* A number of replications in the options is that number, whatever precision the scenario asks for. */
static void choose_replications(struct setup *setup, const struct sms_scenario *scenario)
{
    struct sms_results *results = setup->results;
    results->until = !setup->options->replications && scenario->until.precision > 0;
    setup->upto = setup->options->replications ? setup->options->replications : (size_t)scenario->replications;
    results->room = results->until ? (size_t)scenario->until.most : setup->upto;
}

/* What is wrong with the arguments, or NULL. */
static const char *misuse(const struct sms_scenario *scenario, const struct sms_run_options *options,
                          struct sms_results **out)
{
    if (!scenario)
        return "there is no scenario to run; a file may have none";
    if (!out)
        return "a scenario is run for no results: out is NULL";
    return (unsigned)options->engine > SMS_ENGINE_REFERENCE ? "there is no such engine" : NULL;
}

int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors)
{
    struct sms_run_options defaults = sms_run_defaults();
    struct sms_errors own;
    options = options ? options : &defaults;
    errors = errors ? errors : &own;
    *errors = (struct sms_errors){0};
    if (out)
        *out = NULL;
    const char *wrong = misuse(scenario, options, out);
    if (wrong)
        return sms__fail(errors, SMS_EUSAGE, scenario ? scenario->path : NULL, "%s", wrong);
    struct sms_results *results = calloc(1, sizeof *results);
    if (!results)
        return sms__report_run(SMS_ENOMEM, scenario, "", NULL, errors);
    struct setup setup = {.results = results, .options = options};
    results->scenario = scenario;
    results->seed = options->seed ? options->seed : scenario->seed;
    choose_replications(&setup, scenario);
    results->with_alone = options->alone && scenario->compat == SMS__COMPAT_OFF && !scenario->cluster;
    int code = check_policies(scenario, options->policies, errors);
    if (code == SMS_OK)
        code = check_replications(scenario, results->room, errors);
    if (code == SMS_OK)
        code = sms__guard(&results->arena, set_up, &setup);
    if (code == SMS_OK)
        code = run_all(&setup, errors);
    else if (!errors->count)
        sms__report_run(code, scenario, "", NULL, errors);
    if (code)
        sms_results_free(results);
    else
        *out = results;
    return code;
}
