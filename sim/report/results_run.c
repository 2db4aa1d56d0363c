/* Runs a scenario: every policy with every replication, and the stand-alone runs. */
#include "../model/estimate.h"
#include "output.h"
#include "results.h"

#include <stdlib.h>

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

static int write_notes(void *user)
{
    const struct setup *setup = user;
    sms__results_note(setup->results);
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
        code = sms__guard(&results->arena, write_notes, setup);
        if (code)
            sms__report_run(code, results->scenario, "", NULL, errors);
    }
    return code;
}

/* What the scenario says has been checked; options may ask for more. */
static int check_memory(const struct sms_scenario *scenario, const struct sms__memory_ask *ask,
                        struct sms_errors *errors)
{
    const struct sms__memory_ask alone = {.replications = ask->replications, .jobs = 1, .bins = ask->bins};
    const struct sms__node *run = sms__node_get(scenario->node, "run");
    bool more = ask->replications > (double)sms__most_replications(scenario) || ask->bins > 0;
    double gib;
    if (!more || sms__replications_fit(scenario, &alone, &gib))
        return SMS_OK;
    sms__error(errors, SMS_EINPUT, run ? run->mark : scenario->node->mark,
               "%.0f replications of scenario '%.60s' need about %.3g GiB of memory, more than 4", ask->replications,
               scenario->name, gib);
    return SMS_EINPUT;
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

static struct sms__memory_ask memory_ask(const struct sms_scenario *scenario, const struct sms_run_options *options)
{
    double said = (double)sms__most_replications(scenario);
    return (struct sms__memory_ask){options->replications ? options->replications : said,
                                    options->jobs ? options->jobs : 1, options->bins};
}

int sms__run_check(const struct sms_scenario *scenario, const struct sms_run_options *options,
                   struct sms_errors *errors)
{
    const struct sms__memory_ask ask = memory_ask(scenario, options);
    int code = check_policies(scenario, options->policies, errors);
    return code == SMS_OK ? check_memory(scenario, &ask, errors) : code;
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

/* As many jobs as fit: the results are the same, later. */
static int run_checked(const struct sms_scenario *scenario, const struct sms_run_options *options,
                       struct sms_results *results, struct sms_errors *errors)
{
    const struct sms__memory_ask ask = memory_ask(scenario, options);
    struct sms_run_options fitting = *options;
    struct setup setup = {.results = results, .options = &fitting};
    fitting.jobs = (unsigned)sms__jobs_that_fit(scenario, &ask);
    results->scenario = scenario;
    results->seed = options->seed ? options->seed : scenario->seed;
    results->with_alone = options->alone && scenario->compat == SMS__COMPAT_OFF && !scenario->cluster;
    choose_replications(&setup, scenario);
    int code = sms__guard(&results->arena, set_up, &setup);
    return code == SMS_OK ? run_all(&setup, errors) : sms__report_run(code, scenario, "", NULL, errors);
}

int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors)
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
        return sms__fail(errors, SMS_EUSAGE, scenario ? scenario->path : NULL, "%s", wrong);
    int code = sms__run_check(scenario, options, errors);
    if (code)
        return code;
    struct sms_results *results = calloc(1, sizeof *results);
    if (!results)
        return sms__report_run(SMS_ENOMEM, scenario, "", NULL, errors);
    code = run_checked(scenario, options, results, errors);
    if (code)
        sms_results_free(results);
    else
        *out = results;
    return code;
}
