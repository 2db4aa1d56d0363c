/* Unlike devices in one scenario: what runs on one of them is as if the other was not there. Nothing is drawn, because
 * what is drawn goes by the number of the device. */
#include "tests/harness.h"

static const char DEVICES[] =
    "device: wide\nclock: 1 GHz\nsms: 8\nmemory: 8 GiB\nsm: {blocks: 8}\nlink: {bandwidth: 8 GB/s}\n"
    "resources: {dram: {class: memory, scope: device}, fp32: {class: compute}, tensor: {class: compute}}\n---\n"
    "device: plain\nclock: 1 GHz\nsms: 5\nmemory: 8 GiB\nsm: {blocks: 8}\nlink: {bandwidth: 8 GB/s}\n"
    "resources: {fp32: {class: compute}, fp64: {class: compute}, dram: {class: memory, scope: device}}\n---\n"
    "workload: t\nkernels: [{name: k, blocks: 60, threads: 256, block_time: 50 us, "
    "demand: {tensor: 40 %, fp32: 30 %, dram: 9 %}}]\n---\n"
    "workload: f\nkernels: [{name: k, blocks: 70, threads: 256, block_time: 40 us, "
    "demand: {fp64: 35 %, dram: 12 %}}]\n---\n"
    "workload: u\nkernels: [{name: k, blocks: 40, threads: 256, block_time: 30 us, demand: {fp32: 50 %}}]\n---\n";

static struct law {
    struct sms_file *file;
    struct sms_results *results;
} run_on(const char *devices, const char *tenants, const char *policy, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    struct law law;
    options.engine = engine;
    options.check = true;
    law.file = load_text("%sscenario: s\ndevices: [%s]\npolicies: [%s]\ncontention: maxmin\n%s\n"
                         "run: {duration: 20 ms}",
                         DEVICES, devices, policy, tenants);
    law.results = run_first(law.file, &options);
    return law;
}

static size_t index_of(const struct sms_results *results, enum sms_subject subject, const char *name)
{
    size_t count = sms_results_subjects(results, subject), i = 0;
    while (i < count && strcmp(sms_results_subject(results, subject, i), name) != 0)
        i++;
    assert_true(i < count);
    return i;
}

/* All metrics of the subject are the same in both, byte for byte, but for those that compare with other tenants. */
static void assert_as_alone(const struct sms_results *both, const struct sms_results *alone, enum sms_subject subject,
                            const char *name)
{
    size_t count, here = index_of(both, subject, name), there = index_of(alone, subject, name);
    const struct sms_metric *metric = sms_metrics(subject, &count);
    size_t compared = 0;
    for (size_t m = 0; m < count; m++) {
        double x = sms_results_value(both, 0, 0, subject, here, m),
               y = sms_results_value(alone, 0, 0, subject, there, m);
        if (!(isnan(x) && isnan(y)) && x != y)
            fail_msg("%s of %s: %.17g, alone %.17g", metric[m].name, name, x, y);
        compared += !isnan(x);
    }
    assert_true(compared >= 2);
}

static void check_as_alone(const char *word, const char *policy, enum sms_engine engine)
{
    char a[400], b[400], b0[400], all[900];
    snprintf(a, sizeof a,
             "{name: a, workload: t, repeat: forever, start: 0 s, device: 0}, {name: c, workload: u, repeat: 20, "
             "device: 0}");
    snprintf(b, sizeof b,
             "{name: b, workload: f, repeat: forever, start: 0 s, device: 1}, {name: d, workload: u, repeat: 30, "
             "device: 1}");
    snprintf(b0, sizeof b0,
             "%s: [{name: b, workload: f, repeat: forever, start: 0 s}, {name: d, workload: u, repeat: 30}]", word);
    snprintf(all, sizeof all, "%s: [%s, %s]", word, a, b);
    struct law both = run_on("{model: wide}, {model: plain}", all, policy, engine);
    snprintf(all, sizeof all, "%s: [%s]", word, a);
    struct law wide = run_on("{model: wide}", all, policy, engine);
    struct law plain = run_on("{model: plain}", b0, policy, engine);
    static const char *const of_wide[] = {"a", "c"}, *const of_plain[] = {"b", "d"};
    for (size_t i = 0; i < 2; i++) {
        assert_as_alone(both.results, wide.results, SMS_VM, of_wide[i]);
        assert_as_alone(both.results, plain.results, SMS_VM, of_plain[i]);
    }
    assert_as_alone(both.results, wide.results, SMS_RESOURCE, "tensor");
    assert_as_alone(both.results, plain.results, SMS_RESOURCE, "fp64");
    discard(both.results, both.file);
    discard(wide.results, wide.file);
    discard(plain.results, plain.file);
}

static void tenants_of_unlike_devices_get_what_they_get_alone(void **state)
{
    (void)state;
    for (int engine = SMS_ENGINE_FAST; engine <= SMS_ENGINE_REFERENCE; engine++) {
        check_as_alone("vms", "fine_grained", (enum sms_engine)engine);
        check_as_alone("processes", "{block: fine_grained}", (enum sms_engine)engine);
    }
}

/* The list of devices decides nothing, though the first one names the first resources. */
static void the_order_of_unlike_devices_decides_nothing(void **state)
{
    static const char
        forth[] = "vms: [{name: a, workload: t, repeat: 30, device: 0}, {name: b, workload: f, repeat: 30, device: 1}]",
        back[] = "vms: [{name: a, workload: t, repeat: 30, device: 1}, {name: b, workload: f, repeat: 30, device: 0}]";
    (void)state;
    struct law x = run_on("{model: wide}, {model: plain}", forth, "round_robin", SMS_ENGINE_FAST);
    struct law y = run_on("{model: plain}, {model: wide}", back, "round_robin", SMS_ENGINE_FAST);
    static const char *const names[] = {"tensor", "fp64", "fp32", "dram"};
    for (size_t i = 0; i < 4; i++)
        assert_as_alone(x.results, y.results, SMS_RESOURCE, names[i]);
    discard(x.results, x.file);
    discard(y.results, y.file);
}

/* A process that may choose stays off devices on which it cannot run, whatever the policy, and the results say so. */
static void a_process_goes_to_no_device_that_lacks_a_resource(void **state)
{
    static const char tenants[] =
        "processes: [{name: a, workload: t, count: 3, repeat: 5}, {name: b, workload: f, repeat: 5}]";
    static const char *const policies[] = {
        "plain", "container_pause", "fair_share", "mobile_cuda", "memory_admission", "{share: plain, mode: mps}", NULL};
    (void)state;
    for (size_t p = 0; policies[p]; p++) {
        struct law law = run_on("{model: plain}, {model: wide}", tenants, policies[p], SMS_ENGINE_FAST);
        size_t count;
        const char *const *note = sms_results_notes(law.results, &count);
        bool said = false;
        for (size_t i = 0; i < count; i++)
            said |= strstr(note[i], "a1 off plain (tensor), b off wide (fp64)") != NULL;
        assert_true(said);
        for (size_t v = 0; v < 4; v++)
            assert_true(
                sms_results_value(law.results, 0, 0, SMS_VM, v, (size_t)sms_metric_index(SMS_VM, "jobs_per_s")) > 0);
        discard(law.results, law.file);
    }
}

/* The two pods that need tensor units take turns on the one GPU that has them, while two others are free. */
static void a_pod_goes_to_no_node_that_lacks_a_resource(void **state)
{
    static const char *const policies[] = {"first_fit", "best_fit", "random", "fgd", "interference_aware", NULL};
    static const char *const fidelities[] = {"blocks", "processes", "duration", NULL};
    struct sms_run_options options = sms_run_defaults();
    (void)state;
    options.check = true;
    for (size_t i = 0; policies[i / 3]; i++) {
        struct sms_file *file = load_text(
            "%sscenario: s\nnodes: [{name: p, devices: {model: plain, count: 2}}, {name: w, devices: {model: wide}}]\n"
            "policies: [%s]\nfidelity: %s\npods: [{name: a, gpus: 1, workload: t, count: 2, repeat: 9}]\n",
            DEVICES, policies[i / 3], fidelities[i % 3]);
        struct sms_results *results = run_first(file, &options);
        assert_true(metric_under(results, 0, "done_count") == 2);
        double end = metric_under(results, 0, "makespan_ns"), waited = metric_under(results, 0, "wait_p99_ns");
        assert_true(waited > 0.4 * end && waited < 0.6 * end);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenants_of_unlike_devices_get_what_they_get_alone),
        cmocka_unit_test(the_order_of_unlike_devices_decides_nothing),
        cmocka_unit_test(a_process_goes_to_no_device_that_lacks_a_resource),
        cmocka_unit_test(a_pod_goes_to_no_node_that_lacks_a_resource),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
