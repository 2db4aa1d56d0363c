/* Which measurements cover a scenario: the lines outlive its file, and nothing is said twice. */
#include "placing.h"

#include "sim/report/trust.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char sets[] =
    "trust:\n"
    "  - {set: together, title: A, gpu: G, devices: [v100], kernels: blocks, modes: [together], contention: [maxmin], "
    "metrics: [m], metric: m, values: 3, median: 1 %}\n"
    "  - {set: alone, title: B, gpu: G, devices: [v100], kernels: blocks, metrics: [m], metric: m, values: 3, median: "
    "2 "
    "%}\n"
    "  - {set: else, title: C, gpu: G, devices: [v100], kernels: blocks, metrics: [n], metric: m, values: 3, median: 2 "
    "%}\n";

static const char scenario[] = "workload: w\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 us}]\n---\n"
                               "scenario: s\ndevices: [{model: v100, count: 2}]\ncontention: maxmin\n"
                               "policies: [round_robin, most_room]\nvms: [{name: a, workload: w}%s]\n";

/* The data sets from a folder of models that has nothing else. */
static struct sms__trust *load(const char *text, int code)
{
    char folder[] = "/tmp/smsched-trust-XXXXXX", path[64];
    struct sms_errors errors;
    struct sms__trust *trust;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trust.yaml", folder);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
    const struct sms_load_options options = {.models = folder};
    assert_int_equal(sms__trust_load(&options, &trust, &errors), code);
    assert_int_equal(errors.count > 0, code != SMS_OK);
    unlink(path);
    rmdir(folder);
    return trust;
}

static struct sms_file *load_scenario(const char *more)
{
    char text[1024];
    struct sms_errors errors = {0};
    struct sms_file *file;
    const struct sms_load_options options = {.models = SOURCE_DIR "/models"};
    snprintf(text, sizeof text, scenario, more);
    assert_int_equal(sms_file_load_text(text, strlen(text), "text", &options, &file, &errors), SMS_OK);
    return file;
}

static struct sms__trust_names say(struct sms__trust *trust, const char *more)
{
    struct sms_file *file = load_scenario(more);
    struct sms__trust_names lines;
    assert_int_equal(sms__trust_say(trust, sms_file_scenario(file, 0), "m", &lines), SMS_OK);
    sms_file_free(file);
    return lines;
}

static void each_data_set_that_bears_on_a_metric_has_a_line(void **state)
{
    (void)state;
    struct sms__trust *trust = load(sets, SMS_OK);
    struct sms__trust_names lines = say(trust, ", {name: b, workload: w}");
    assert_int_equal(lines.count, 2);
    assert_memory_equal(lines.name[0], "A (G, together)", 15);
    assert_memory_equal(lines.name[1], "B (G, alone)", 12);
    sms__trust_free(trust);
}

static void a_tenant_alone_has_no_mode(void **state)
{
    (void)state;
    struct sms__trust *trust = load(sets, SMS_OK);
    struct sms__trust_names lines = say(trust, "");
    assert_int_equal(lines.count, 2);
    assert_memory_equal(lines.name[0], "B (G, alone)", 12);
    assert_string_equal(lines.name[1], "these data do not cover: contention model maxmin");
    sms__trust_free(trust);
}

static void an_empty_list_covers_nothing(void **state)
{
    (void)state;
    struct sms__trust *trust = load("trust: []\n", SMS_OK);
    struct sms__trust_names lines = say(trust, ", {name: b, workload: w}");
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.name[0], "no measurement covers m");
    assert_string_equal(lines.name[1], "no measurement covers: device v100, kernels given by their blocks, "
                                       "sharing mode together, contention model maxmin");
    sms__trust_free(trust);
}

/* Both sets have the mode, and one of them each other thing, so nothing is outside of all; and of the nearest it is
 * said what it has not. */
static void what_other_metrics_were_measured_with_is_not_outside(void **state)
{
    (void)state;
    struct sms__trust *trust =
        load("trust:\n"
             "  - {set: a, title: A, gpu: G, devices: [v100], kernels: blocks, modes: [together], contention: [knee], "
             "metrics: [n], metric: n, values: 3, median: 1 %, p90: 4 %}\n"
             "  - {set: b, title: B, gpu: H, devices: [a100], kernels: whole, modes: [together], contention: [maxmin], "
             "metrics: [n], metric: n, values: 3, median: 2 %, p90: 5 %}\n",
             SMS_OK);
    struct sms__trust_names lines = say(trust, ", {name: b, workload: w}");
    struct sms_file *file = load_scenario(", {name: b, workload: w}");
    struct sms__trust_line line;
    assert_int_equal(lines.count, 1);
    assert_string_equal(lines.name[0], "no measurement covers m");
    assert_int_equal(sms__trust_nearest(trust, sms_file_scenario(file, 0), &line), SMS_OK);
    assert_string_equal(
        line.text, "A (G), n: median error 1 %, 90 % of values within 4 %; it did not cover contention model maxmin");
    sms_file_free(file);
    sms__trust_free(trust);
}

static void a_file_that_is_none_is_an_error(void **state)
{
    (void)state;
    assert_null(load("trust: 3\n", SMS_EINPUT));
    assert_null(load("", SMS_EINPUT));
    assert_null(load("trust: [{set: a}]\n", SMS_EINPUT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_data_set_that_bears_on_a_metric_has_a_line),
        cmocka_unit_test(a_tenant_alone_has_no_mode),
        cmocka_unit_test(an_empty_list_covers_nothing),
        cmocka_unit_test(what_other_metrics_were_measured_with_is_not_outside),
        cmocka_unit_test(a_file_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
