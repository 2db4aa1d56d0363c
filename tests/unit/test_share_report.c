/* Output about processes on shared devices: JSON, CSV, tables, traces and results folders. */
#include "share_fixture.h"

#include "sim/cli/folder_rows.h"
#include "sim/results/metrics.h"
#include "sim/trace/trace.h"

#include <jansson.h>

/* The text that `write` prints. The caller frees it. */
static char *text_of(void (*write)(const struct sms_results *, FILE *), const struct sms_results *results)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    write(results, file);
    fclose(file);
    return text;
}

static void write_json(const struct sms_results *results, FILE *to)
{
    struct sms_results *one = (struct sms_results *)(uintptr_t)results;
    struct sms__set set = {.results = &one, .count = 1};
    assert_int_equal(sms__print_json(&set, to), 0);
}

static void print_values(const struct sms_results *results, FILE *to) { sms__print_tidy_rows(results, -1, to); }

static void assert_json_matches(const json_t *list, const struct sms_results *results, enum sms_subject subject)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    assert_int_equal(json_array_size(list), sms_results_subjects(results, subject));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(object, "name")),
                            sms_results_subject(results, subject, i));
        for (size_t m = 0; m < count; m++) {
            double mean = sms_results_estimate(results, 0, subject, i, m).mean;
            const json_t *given = json_object_get(object, metric[m].name);
            assert_true(isnan(mean) ? json_is_null(given) : json_is_real(given));
            if (!isnan(mean))
                assert_near(json_real_value(given), mean, 1e-11 * fabs(mean));
        }
    }
}

static void json_contains_processes_and_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text = text_of(write_json, results);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    const json_t *first = json_array_get(json_object_get(root, "runs"), 0);
    assert_json_matches(json_object_get(first, "processes"), results, SMS_PROCESS);
    assert_json_matches(json_object_get(first, "devices"), results, SMS_DEVICE);
    json_decref(root);
    free(text);
    sms_results_free(results);
}

static void json_and_csv_of_vms_have_no_processes_or_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(sms_file_scenario(fixture->file, 0));
    char *text = text_of(write_json, results);
    assert_null(strstr(text, "\"processes\""));
    assert_null(strstr(text, "\"devices\""));
    free(text);
    text = text_of(print_values, results);
    assert_null(strstr(text, ",process,"));
    assert_null(strstr(text, ",device,"));
    free(text);
    sms_results_free(results);
}

static void csv_has_a_row_for_each_value(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text = text_of(print_values, results);
    assert_non_null(strstr(text, "s,round_robin,process,a,turnaround_ns,10000,,,1,\n"));
    assert_non_null(strstr(text, "s,round_robin,process,c,turnaround_ns,,,,0,\n"));
    assert_non_null(strstr(text, "s,round_robin,process,all,failed_count,1,,,1,\n"));
    assert_non_null(strstr(text, "s,fine_grained,device,small/0,switches_count,4,,,1,\n"));
    assert_non_null(strstr(text, "s,fine_grained,device,all,energy_j,1.75,,,1,\n"));
    free(text);
    sms_results_free(results);
}

static void write_tables(const struct sms_results *results, FILE *to)
{
    sms__print_results(results, &(struct sms__screen){to, 80, false});
}

static void tables_show_processes_and_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text = text_of(write_tables, results);
    assert_non_null(strstr(text, "turnaround "));
    assert_non_null(strstr(text, "small/1"));
    assert_non_null(strstr(text, "normalized_progress_ratio")); /* metric of d, which repeats for ever */
    free(text);
    sms_results_free(results);
}

/* Checks the header and a row of the devices' file. */
static void wide_files_have_a_row_for_each_policy_and_device(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct sms__set set = {.results = &results, .count = 1};
    sms__print_wide(&set, SMS_DEVICE, file);
    fclose(file);
    assert_non_null(strstr(text, "scenario,policy,device,switches_count,ci95_switches_count,"));
    assert_non_null(strstr(text, "\ns,round_robin,small/0,4,,5000,,0.05,,0.6,,900000000,,0.5,,1.5,\n"));
    free(text);
    sms_results_free(results);
}

static void expectations_can_name_processes_and_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms__expect *e = fixture->expect;
    e[0] = (struct sms__expect){.metric = "turnaround_ns",
                                .policy = "round_robin",
                                .process = "b",
                                .device = -1,
                                .has_value = true,
                                .value.value = 20000};
    e[1] = (struct sms__expect){
        .metric = "busy_ratio", .policy = "round_robin", .device = 1, .has_max = true, .max.value = 0.1};
    e[2] = (struct sms__expect){
        .metric = "makespan_ns", .policy = "round_robin", .device = -1, .has_value = true, .value.value = 22000};
    fixture->scenario.expect = (struct sms__expects){e, 3};
    struct sms_results *results = run(&fixture->scenario);
    struct sms__checks checks = {0};
    assert_int_equal(sms__check_expectations(results, &checks), 0);
    assert_int_equal(checks.count, 3);
    assert_int_equal(checks.failed, 1);
    assert_true(checks.item[0].passed);
    assert_string_equal(checks.item[0].name, "turnaround_ns of b under round_robin");
    assert_false(checks.item[1].passed);
    assert_string_equal(checks.item[1].name, "busy_ratio of small/1 under round_robin");
    assert_string_equal(checks.item[1].message, "20 %, at most 10 %");
    assert_true(checks.item[2].passed);
    sms__checks_free(&checks);
    sms_results_free(results);
}

static const char *place(void)
{
    static char folder[] = "/tmp/smsched-test-XXXXXX", path[64];
    if (!*path) {
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/out", folder);
    }
    return path;
}

/* Begins a results folder, and opens a file for spans in it. */
static void begin_folder(struct sms__folder *folder, struct rows *rows)
{
    struct sms_errors errors = {0};
    *folder = (struct sms__folder){0};
    assert_int_equal(sms__folder_begin(folder, place(), SMS__FOLDER_REPLACE, &errors), SMS_OK);
    if (rows)
        rows->file[ROWS_SPANS] = sms__folder_open(folder, "spans.csv", &errors);
    assert_true(!rows || rows->file[ROWS_SPANS]);
}

static void end_rows(struct sms__folder *folder, struct rows *rows)
{
    struct sms_errors errors = {0};
    assert_int_equal(rows_end(rows, folder, &errors), SMS_OK);
    assert_int_equal(errors.count, 0);
}

static void add_span(struct rows *rows, const char *policy, const struct sms_span *span)
{
    rows_add(rows, &(struct sms_run_event){SMS_RUN_SPAN, policy, {.span = span}});
}

static void a_timeline_ends_at_its_cap_and_reports_the_cut(void **state)
{
    (void)state;
    struct sms__folder folder;
    const struct sms_scenario scenario = {.name = "s"};
    struct rows rows = {.scenario = &scenario};
    begin_folder(&folder, &rows);
    struct sms_span span = {0, "a", "kernel", 0, 0, us};
    for (size_t i = 0; i < 200005; i++)
        add_span(&rows, "long", &span);
    add_span(&rows, "short", &span);
    end_rows(&folder, &rows);
    assert_int_equal(rows.cuts, 1);
    assert_string_equal(rows.cut[0].policy, "long");
    assert_int_equal(rows.cut[0].rows, 200000);
    assert_int_equal(rows.cut[0].left_out, 5);
    free(rows.cut);
    sms__folder_abandon(&folder);
}

static void spans_are_written_as_rows(void **state)
{
    (void)state;
    struct sms__folder folder;
    const struct sms_scenario scenario = {.name = "s"};
    struct rows rows = {.scenario = &scenario};
    char path[SMS__PATH_BYTES + 16], text[200] = "";
    begin_folder(&folder, &rows);
    struct sms_span span = {0, "a", "kernel", 1, 1500, 3 * us, .sms = 32};
    add_span(&rows, "p", &span);
    span = (struct sms_span){1, "b", "suspended", -1, 0, us};
    add_span(&rows, "p", &span);
    end_rows(&folder, &rows);
    snprintf(path, sizeof path, "%s/spans.csv", folder.partial.name);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_string_equal(text, "s,p,a,1,32,kernel,1.500,3000.000\ns,p,b,,,suspended,0.000,1000.000\n");
    assert_int_equal(rows.cuts, 0);
    free(rows.cut);
    sms__folder_abandon(&folder);
}

static int trace_span(void *user, const struct sms_run_event *event)
{
    sms__trace_add(user, event);
    return 0;
}

static json_t *trace_of(const struct sms_scenario *scenario)
{
    char path[] = "/tmp/smsched-trace-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct sms__trace_settings options = {.path = path, .seed = 1, .events = 10000, .to_ps = UINT64_MAX};
    struct sms__trace *trace;
    struct sms_errors errors;
    struct sms_results *results;
    assert_int_equal(sms__trace_begin(scenario, &options, &trace, &errors), SMS_OK);
    struct sms_run_options observed = sms_run_defaults();
    observed.user = trace;
    observed.observe = trace_span;
    observed.events = SMS_RUN_SPAN;
    assert_int_equal(sms_run(scenario, &observed, &results, &errors), SMS_OK);
    sms_results_free(results);
    assert_int_equal(sms__trace_end(trace, NULL, &errors), SMS_OK);
    sms__trace_free(trace);
    json_t *root = json_load_file(path, 0, NULL);
    unlink(path);
    assert_non_null(root);
    return root;
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
    const char *given = json_string_value(json_object_get(object, key));
    return given && !strcmp(given, text);
}

/* Each policy has one track for each process, with the spans of that process. */
static void a_trace_has_a_track_for_each_process(void **state)
{
    struct fixture *fixture = *state;
    json_t *root = trace_of(&fixture->scenario);
    const json_t *events = json_object_get(root, "traceEvents");
    size_t spans = 0, tracks = 0;
    json_int_t first_tid = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        bool named = is_text(event, "name", "thread_name");
        tracks += named && is_text(json_object_get(event, "args"), "name", "d");
        if (named && is_text(json_object_get(event, "args"), "name", "a") && !first_tid)
            first_tid = json_integer_value(json_object_get(event, "tid"));
        if (!is_text(event, "cat", "process"))
            continue;
        const json_t *args = json_object_get(event, "args");
        assert_int_equal(json_object_get(args, "device") != NULL, is_text(event, "name", "kernel"));
        json_int_t track = json_integer_value(json_object_get(event, "tid")) - first_tid;
        if (spans < 2 * PROCESSES) /* the first policy's, which emits the spans of one process after those of another */
            assert_int_equal(track, spans / 2);
        spans++;
    }
    assert_int_equal(tracks, 2);
    assert_int_equal(spans, 2 * 2 * PROCESSES);
    const json_t *first = json_array_get(json_object_get(json_object_get(root, "otherData"), "runs"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "spans_kept")), 2 * PROCESSES);
    json_decref(root);
}

static bool folder_has(const char *folder, const char *name)
{
    char path[SMS__PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static json_t *manifest_of(const char *folder)
{
    char path[SMS__PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    json_t *manifest = json_load_file(path, 0, NULL);
    assert_non_null(manifest);
    return manifest;
}

static void a_folder_has_files_of_processes_only_if_there_are_processes(void **state)
{
    struct fixture *fixture = *state;
    const struct sms_scenario *scenario[] = {&fixture->scenario, sms_file_scenario(fixture->file, 0)};
    struct sms__cut cut = {"s", "round_robin", 200000, 5};
    for (size_t i = 0; i < 2; i++) {
        struct sms__folder made;
        struct sms_errors errors = {0};
        struct sms_results *results = run(scenario[i]);
        struct sms__set set = {.results = &results, .count = 1, .cut = &cut, .cuts = 1 - i};
        begin_folder(&made, NULL);
        const char *folder = place();
        assert_int_equal(sms__run_folder_end(&made, &set, "run", &errors), SMS_OK);
        assert_int_equal(folder_has(folder, "processes.csv"), i == 0);
        assert_int_equal(folder_has(folder, "devices.csv"), i == 0);
        json_t *manifest = manifest_of(folder);
        const json_t *cuts = json_object_get(manifest, "spans_cut");
        assert_int_equal(json_array_size(cuts), 1 - i);
        assert_int_equal(cuts != NULL, i == 0);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(cuts, 0), "left_out")), i == 0 ? 5 : 0);
        json_decref(manifest);
        sms_results_free(results);
    }
    char command[96];
    snprintf(command, sizeof command, "rm -r $(dirname %s)", place());
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(json_contains_processes_and_devices),
        TEST(json_and_csv_of_vms_have_no_processes_or_devices),
        TEST(csv_has_a_row_for_each_value),
        TEST(tables_show_processes_and_devices),
        TEST(wide_files_have_a_row_for_each_policy_and_device),
        TEST(expectations_can_name_processes_and_devices),
        TEST(a_timeline_ends_at_its_cap_and_reports_the_cut),
        TEST(spans_are_written_as_rows),
        TEST(a_trace_has_a_track_for_each_process),
        TEST(a_folder_has_files_of_processes_only_if_there_are_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
