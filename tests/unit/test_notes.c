/* Notes on what no interval covers: given starts, arrivals, instances that are unlike, waves that just fit, caps
 * that overlap. */
#include "tests/laws/both_engines.h"

/* 20 SMs of eight blocks; a workload of so many blocks, and a list of tenants. */
#define SCENARIO                                                                                                       \
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: %d, threads: 32, block_time: 10 us, jitter: 5 %%, "    \
                 "demand: {fp32: 4 %%}}]\n---\nscenario: s\ndevices: [{model: small}, {model: small}]\n"               \
                 "policies: [round_robin]\nvms: [%s]\nrun: {duration: 1 ms}\n"

static bool notes_of(struct sms_file *file, const char *words)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results = run_first(file, &options);
    size_t count;
    bool found = false;
    const char *const *note = sms_results_notes(results, &count);
    for (size_t i = 0; i < count; i++)
        found |= strstr(note[i], words) != NULL;
    discard(results, file);
    return found;
}

static bool notes(int blocks, const char *vms, const char *words)
{
    return notes_of(load_text(SCENARIO, 20, 8, "sm", blocks, vms), words);
}

/* The same for processes on a library's device with these instances. */
static bool notes_instances(const char *instances, const char *processes, const char *words)
{
    return notes_of(
        load_text("workload: w\nkernels: [{name: k, blocks: 40, threads: 32, block_time: 10 us, jitter: 5 %%}]"
                  "\n---\nscenario: s\ndevices: [{model: a100}]\npolicies: [{mode: mps}, {mode: {mig: "
                  "{instances: [%s]}}}]\nprocesses: [%s]\nrun: {duration: 1 ms}\n",
                  instances, processes),
        words);
}

static void given_starts_of_tenants_that_share_a_device_are_noted(void **state)
{
    static const char words[] = "the start times of a, b are fixed";
    (void)state;
    assert_true(notes(40,
                      "{name: a, workload: w, repeat: forever, start: 0 ms}, {name: b, workload: w, repeat: forever, "
                      "start: 10 us}",
                      words));
    assert_true(notes(40, "{name: a, workload: w, repeat: 9}, {name: b, workload: w}", words));
    assert_false(notes(40,
                       "{name: a, workload: w, repeat: forever, start: 0 ms}, {name: b, workload: w, repeat: forever}",
                       "are fixed"));
    assert_false(notes(40, "{name: a, workload: w, device: 0}, {name: b, workload: w, device: 1}", "are fixed"));
}

static void unlike_instances_are_noted(void **state)
{
    static const char a[] = "{name: a, workload: w, repeat: forever}",
                      both[] = "{name: a, workload: w, repeat: forever}, {name: b, workload: w, repeat: forever}";
    (void)state;
    assert_true(notes_instances("4g.20gb, 2g.10gb", both,
                                "under mig(instances=4g.20gb+2g.10gb), processes get different instances in order"));
    assert_true(notes_instances("2g.10gb, 2g.10gb, 1g.5gb", both, "different instances"));
    assert_false(notes_instances("3g.20gb, 3g.20gb", both, "different instances"));
    assert_false(notes_instances("4g.20gb, 2g.10gb", a, "different instances"));
}

static void arrivals_are_noted(void **state)
{
    static const char words[] = "jobs arrive at b: normalized progress";
    (void)state;
    assert_true(notes(40, "{name: a, workload: w, repeat: forever}, {name: b, workload: w, arrivals: {poisson: 90 us}}",
                      words));
    assert_false(
        notes(40, "{name: a, workload: w, repeat: forever}, {name: b, workload: w, repeat: 4}", "jobs arrive"));
}

/* 160 blocks fill the device, 168 fill 21 SMs. */
static void a_wave_that_just_fits_is_noted(void **state)
{
    static const char a[] = "{name: a, workload: w, repeat: forever}";
    (void)state;
    assert_true(notes(160, a, "just does not: a (100)"));
    assert_true(notes(161, a, "just does not: a (50)"));
    assert_true(notes(168, a, "just does not: a (50)"));
    assert_false(notes(169, a, "just does not"));
    assert_false(notes(190, a, "just does not"));
}

/* A device of its own, and one that inherits it, of whose SMs so much is given. */
static bool notes_limits(const char *own, const char *heir, const char *words)
{
    return notes_of(load_text("device: own\nclock: 1 GHz\nsms: 4\nsm: %s\nresources: {fp32: {class: compute}}\n---\n"
                              "device: heir\ninherits: own\nsm: %s\n---\n"
                              "workload: w\nkernels: [{name: k, blocks: 40, threads: 32, block_time: 10 us}]\n---\n"
                              "scenario: s\ndevices: [{model: heir, sm: {registers: 4096}}]\npolicies: [round_robin]\n"
                              "vms: [{name: a, workload: w}]\n",
                              own, heir),
                    words);
}

/* Here of one that inherits, too, and has the name of a device of the library. */
static void an_heir_may_stand_before_the_device_that_it_inherits(void **state)
{
    (void)state;
    struct sms_file *file = load_text("device: heir\ninherits: v100\nmemory: 1 GiB\n---\n"
                                      "device: v100\ninherits: base\nmemory: 2 GiB\n---\n"
                                      "device: base\nclock: 1 GHz\nsms: 4\nsm: {threads: 256, blocks: 1}\n"
                                      "resources: {fp32: {class: compute}}\n---\n"
                                      "workload: w\nkernels: [{name: k, blocks: 8, threads: 256, block_time: 10 us}]\n"
                                      "---\nscenario: s\ndevices: [{model: heir}]\nvms: [{name: a, workload: w}]\n");
    struct sms_results *results = run_first(file, NULL);
    assert_true(estimate(results, 0, SMS_VM, 0, "end_ns").mean == 20000);
    discard(results, file);
}

static void limits_that_nobody_gave_are_noted(void **state)
{
    static const char all[] = "{threads: 2048, warps: 64, blocks: 32, shared_memory: 96 KiB, threads_per_block: 1024, "
                              "registers_per_thread: 255, register_unit: 256, register_partitions: 4, "
                              "shared_memory_unit: 256 B, shared_memory_reserved: 0 B}";
    (void)state;
    assert_true(notes_limits("{}", "{}", "threads, warps, blocks and 8 more of an SM of heir are those of a V100"));
    assert_true(
        notes_limits("{threads: 1024}", "{blocks: 8}", "warps, shared_memory, threads_per_block and 6 more of"));
    assert_true(
        notes_limits(all, "{}", "shared_memory_per_block of an SM of heir are those of a V100, because no file gives"));
    assert_false(notes_limits(all, "{shared_memory_per_block: 48 KiB}", "a V100"));
}

#define HEIR(name) "device: " name "\ninherits: small\n---\n"

/* A list of all of them would take memory by the square of their number, and so would looking for each among them. */
static void devices_are_noted_once_and_many_by_number(void **state)
{
    (void)state;
    assert_true(notes_of(
        load_text(SMALL_DEVICE "---\n" HEIR("e") HEIR("d") HEIR("c") HEIR("b")
                      HEIR("a") "workload: w\nkernels: [{name: k, blocks: 40, threads: 32, block_time: 10 us}]\n---\n"
                                "scenario: s\ndevices: [{model: e}, {model: d}, {model: c, count: 2}, "
                                "{model: b}, {model: a}, {model: b}]\npolicies: [round_robin]\n"
                                "vms: [{name: v, workload: w}]\n",
                  20, 8, "sm"),
        "a launch on a, b, c and 2 more costs nothing"));
}

static bool notes_processes(const char *mode, const char *processes, const char *words)
{
    return notes_of(load_text("workload: w\nkernels: [{name: k, blocks: 40, threads: 32, block_time: 10 us}]\n---\n"
                              "scenario: s\ndevices: [{model: v100}]\npolicies: [{mode: %s}]\nprocesses: [%s]\n"
                              "run: {duration: 1 ms, warmup: 100 us}\n",
                              mode, processes),
                    words);
}

#define CAPPED(name, threads) "{name: " name ", workload: w, repeat: forever, active_threads: " threads "}"

/* Of 80 SMs. Two caps overlap by as much in either order, and three of 30 % do not. */
static void caps_that_overlap_by_the_order_of_the_list_are_noted(void **state)
{
    static const char words[] = "under mps, processes get their SMs in order of arrival";
    (void)state;
    assert_true(notes_processes("mps", CAPPED("a", "60 %") ", " CAPPED("b", "60 %") ", " CAPPED("c", "30 %"), words));
    assert_false(notes_processes("mps", CAPPED("a", "30 %") ", " CAPPED("b", "30 %") ", " CAPPED("c", "30 %"), words));
    assert_false(notes_processes("mps", CAPPED("a", "60 %") ", " CAPPED("b", "60 %"), words));
    assert_false(notes_processes("mps", CAPPED("a", "60 %") ", " CAPPED("b", "60 %") ", " CAPPED("c", "100 %"), words));
    assert_false(
        notes_processes("mps", "{name: a, workload: w, repeat: forever, active_threads: 60 %, count: 3}", words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_starts_of_tenants_that_share_a_device_are_noted),
        cmocka_unit_test(arrivals_are_noted),
        cmocka_unit_test(unlike_instances_are_noted),
        cmocka_unit_test(a_wave_that_just_fits_is_noted),
        cmocka_unit_test(an_heir_may_stand_before_the_device_that_it_inherits),
        cmocka_unit_test(limits_that_nobody_gave_are_noted),
        cmocka_unit_test(devices_are_noted_once_and_many_by_number),
        cmocka_unit_test(caps_that_overlap_by_the_order_of_the_list_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
