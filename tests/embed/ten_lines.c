#include <smsched/smsched.h>

int main(int argc, char **argv)
{
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    struct sms_results *results = NULL;
    int code = argc < 2 ? SMS_EINPUT : sms_file_load(argv[1], NULL, &file, &errors);
    code = code ? code : sms_run(sms_file_scenario(file, 0), NULL, &results, &errors);
    sms_errors_print(&errors, stderr);
    enum sms_subject of = sms_results_subjects(results, SMS_HOST) ? SMS_HOST : SMS_CLUSTER;
    if (!code)
        printf("%s %g\n", sms_metrics(of, NULL)->name, sms_results_estimate(results, 0, of, 0, 0).mean);
    sms_results_free(results);
    sms_file_free(file);
    return code != SMS_OK;
}
