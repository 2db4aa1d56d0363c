/* Processes on shared devices without an engine: in its place stands one that leaves a record
 * written by hand (-Wl,--wrap=sms__simulate). */
#ifndef TESTS_SHARE_FIXTURE_H
#define TESTS_SHARE_FIXTURE_H

#include "tests/harness.h"

#include "sim/levels/simulate.h"

enum { PROCESSES = 4, DEVICES = 2 };

static const uint64_t us = 1000000;

/* Processes a and b end, c fails, d has no end; two devices, of 1 GB and of 3 GB. */
struct fixture {
    struct sms_file *file;
    struct sms_scenario scenario;
    struct sms__tenant vm[PROCESSES];
    struct sms__device model[DEVICES];
    const struct sms__device *device[DEVICES];
    struct sms__expect expect[3];
};

static const char *const tenants =
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]\n"
                 "---\nscenario: s\ndevices: [{model: small, count: 2}]\npolicies: [round_robin, fine_grained]\n"
                 "vms: [{name: a, workload: w}, {name: b, workload: w, start: 2 us}, {name: c, workload: w},"
                 " {name: d, workload: w, repeat: forever}]\nrun: {duration: 100 us}\n";

static inline int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->file = load_text(tenants, 1, 8, "device");
    fixture->scenario = *sms_file_scenario(fixture->file, 0);
    memcpy(fixture->vm, fixture->scenario.vm, sizeof fixture->vm);
    fixture->scenario.vm = fixture->vm;
    for (size_t d = 0; d < DEVICES; d++) {
        fixture->model[d] = *fixture->scenario.device[d];
        fixture->model[d].memory = d == 0 ? 1000000000 : 3000000000;
        fixture->model[d].idle_w = d == 0 ? 5000 : 2500;
        fixture->model[d].busy_w = 25000;
        fixture->device[d] = &fixture->model[d];
    }
    fixture->scenario.device = fixture->device;
    fixture->scenario.shares = true;
    static struct sms_share_policy sees_all = {.name = "sees_all"}; /* so that processes stay with the others */
    static struct sms__policy_use alone = {.share = &sees_all};
    fixture->scenario.alone = &alone;
    fixture->scenario.host.power_w = 250;
    *state = fixture;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *fixture = *state;
    sms_file_free(fixture->file);
    free(fixture);
    return 0;
}

/* The third has failed after a job, and the last goes on. */
static inline void write_processes(struct sms__vm_record *vm)
{
    struct sms__process_record *const first = &vm[0].process, *const second = &vm[1].process;
    static const uint64_t in[SMS_PHASES] = {
        [SMS_PHASE_UNPLACED] = 1,    [SMS_PHASE_HOST] = 20,        [SMS_PHASE_ALLOCATE] = 300,
        [SMS_PHASE_LAUNCH] = 4000,   [SMS_PHASE_COPY_IN] = 50000,  [SMS_PHASE_KERNEL] = 600000,
        [SMS_PHASE_COPY_OUT] = 7000, [SMS_PHASE_SUSPENDING] = 800, [SMS_PHASE_SUSPENDED] = 90,
        [SMS_PHASE_RESTORING] = 6};
    for (size_t s = 0; s < SMS_PHASES; s++)
        first->state_ps[s] = 1000 * in[s];
    first->paused_ps = 5000;
    first->sliced_ps = 31000;
    first->pauses = 3;
    first->suspends = 2;
    first->migrations = 1;
    first->copied_in = 100;
    first->copied_out = 11;
    first->moved = 64;
    first->peak_held = 4096;
    vm[0].end_ps = 10 * us;
    vm[1].end_ps = 22 * us;
    second->peak_held = 8192;
    second->pauses = second->suspends = second->migrations = second->refused = 1;
    second->moved = 6;
    vm[2].end_ps = 50 * us;
    vm[2].unended = vm[3].unended = 1;
    vm[2].process = (struct sms__process_record){.refused = 2, .failed = true};
}

/* What the engine would leave. Alone, a process ends sooner. */
static inline void write_record(struct sms__record *record, long only)
{
    record->from_ps = 0;
    record->to_ps = 100 * us;
    for (size_t v = 0; v < PROCESSES; v++)
        record->kernel[v].blocks = only < 0 ? 10 : 40;
    write_processes(record->vm);
    if (only >= 0) {
        record->vm[0].end_ps = 5 * us;
        record->vm[1].end_ps = 12 * us;
        return;
    }
    record->device[0] = (struct sms__device_record){.switches = 4,
                                                    .switch_ps = 5 * us,
                                                    .busy_ps = 60 * us,
                                                    .peak_held = 900000000,
                                                    .held_ps = (sms__integral)500000000 * 100 * us,
                                                    .active = (sms__integral)SMS_FULL * 50 * us,
                                                    .single_ps = 50 * us,
                                                    .several_ps = 25 * us};
    record->device[1].busy_ps = 20 * us;
    record->device[1].peak_held = 600000000;
    record->device[1].held_ps = (sms__integral)300000000 * 100 * us;
}

static inline void tell(struct sms__run_observer *observer, const struct sms_scenario *scenario)
{
    for (size_t v = 0; sms__observes(observer, SMS_RUN_SPAN) && v < PROCESSES; v++) {
        struct sms_span span = {v, scenario->vm[v].name, "unplaced", -1, 0, 3 * us};
        sms__observe(observer, (struct sms_run_event){SMS_RUN_SPAN, .span = &span});
        span = (struct sms_span){v, scenario->vm[v].name, "kernel", 1, 3 * us, 9 * us};
        sms__observe(observer, (struct sms_run_event){SMS_RUN_SPAN, .span = &span});
    }
    for (uint64_t t = 1; sms__observes(observer, SMS_RUN_MESSAGE) && t <= 4; t++) {
        struct sms_message message = {t * us, "a", t == 2 ? "waits for \"b\"" : "goes on"};
        sms__observe(observer, (struct sms_run_event){SMS_RUN_MESSAGE, .message = &message});
    }
}

int __wrap_sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

int __wrap_sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    sms__record_init(spec->record, arena, spec->scenario);
    if (spec->scenario->shares)
        write_record(spec->record, spec->only_vm);
    tell(spec->observer, spec->scenario);
    return SMS_OK;
}

static inline struct sms_results *run(const struct sms_scenario *scenario)
{
    struct sms_errors errors;
    struct sms_results *results;
    assert_int_equal(sms_run(scenario, NULL, &results, &errors), SMS_OK);
    return results;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
