/* What each list of applications took: one row for each scenario, policy and replication
 * (docs/evidence/mobile-cuda.md). usage: lists REPLICATIONS JOBS MODELS SCENARIO... MODELS: a folder with workloads
 * that go before the project's, or "". */
#include <smsched/smsched.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t metric(const char *name)
{
    size_t count, m = 0;
    const struct sms_metric *metrics = sms_metrics(SMS_HOST, &count);
    while (m < count && strcmp(metrics[m].name, name) != 0)
        m++;
    return m;
}

static void print(const struct sms_results *results)
{
    const char *scenario = sms_scenario_name(sms_results_scenario(results));
    size_t makespan = metric("makespan_ns"), energy = metric("energy_j");
    for (size_t p = 0; p < sms_results_policies(results); p++)
        for (size_t r = 0; r < sms_results_replications(results); r++)
            printf("%s,%s,%zu,%.9g,%.9g\n", scenario, sms_results_policy(results, p), r,
                   sms_results_value(results, p, r, SMS_HOST, 0, makespan) / 1e9,
                   sms_results_value(results, p, r, SMS_HOST, 0, energy));
}

static int run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_errors *errors)
{
    struct sms_results *results = NULL;
    int code = sms_run(scenario, options, &results, errors);
    if (!code)
        print(results);
    sms_results_free(results);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: lists REPLICATIONS JOBS MODELS SCENARIO...\n", stderr);
        return 2;
    }
    struct sms_run_options options = sms_run_defaults();
    struct sms_load_options load = {.models = *argv[3] ? argv[3] : NULL, .installed_models = SOURCE_DIR "/models"};
    struct sms_errors errors = {0};
    int code = SMS_OK;
    options.alone = false;
    options.replications = (unsigned)strtoul(argv[1], NULL, 10);
    options.jobs = (unsigned)strtoul(argv[2], NULL, 10);
    puts("scenario,policy,list,makespan_s,energy_j");
    for (int i = 4; i < argc && !code; i++) {
        struct sms_file *file = NULL;
        code = sms_file_load(argv[i], &load, &file, &errors);
        for (size_t s = 0; !code && s < sms_file_scenarios(file); s++)
            code = run(sms_file_scenario(file, s), &options, &errors);
        sms_file_free(file);
    }
    sms_errors_print(&errors, stderr);
    return code ? 1 : 0;
}
