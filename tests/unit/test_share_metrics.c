/* From the record of processes on shared devices to their metrics. */
#include "share_fixture.h"

static double value(const struct sms_results *results, enum sms_subject subject, size_t idx, const char *name)
{
    return estimate(results, 0, subject, idx, name).mean;
}

static void a_restart_keeps_what_is_of_the_whole_run(void **state)
{
    struct fixture *fixture = *state;
    struct sms__arena arena = {0};
    struct sms__record record;
    jmp_buf out;
    assert_int_equal(setjmp(out), 0);
    arena.out_of_memory = &out;
    sms__record_init(&record, &arena, &fixture->scenario);
    write_record(&record, -1);
    record.vm[0].process.choice = 7;
    sms__record_restart(&record, 40 * us);
    assert_int_equal(record.vm[0].end_ps, 10 * us);
    assert_int_equal(record.vm[0].process.peak_held, 4096);
    assert_int_equal(record.vm[0].process.choice, 7);
    assert_true(record.vm[2].process.failed);
    assert_int_equal(record.vm[0].process.state_ps[SMS_PHASE_KERNEL], 0);
    assert_int_equal(record.vm[0].process.pauses + record.vm[0].process.paused_ps + record.vm[2].process.refused, 0);
    assert_near(record.vm[0].process.copied_in + record.vm[0].process.moved, 0, 0);
    assert_int_equal(record.device[0].peak_held, 900000000);
    assert_int_equal(record.device[0].switches + record.device[0].busy_ps, 0);
    assert_true(record.device[0].held_ps == 0);
    assert_true(record.device[0].active == 0);
    assert_int_equal(record.device[0].single_ps + record.device[0].several_ps, 0);
    sms__arena_release(&arena);
}

static void vms_have_no_record_of_processes(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(sms_file_scenario(fixture->file, 0));
    assert_int_equal(sms_results_subjects(results, SMS_PROCESS), 0);
    assert_int_equal(sms_results_subjects(results, SMS_DEVICE), 0);
    sms_results_free(results);
}

static void times_of_processes_are_those_of_the_record(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_near(value(results, SMS_PROCESS, 0, "turnaround_ns"), 10000, 0);
    assert_near(value(results, SMS_PROCESS, 1, "turnaround_ns"), 20000, 0); /* it came at 2 us */
    assert_near(value(results, SMS_PROCESS, 0, "slowdown_ratio"), 2, 1e-12);
    assert_near(value(results, SMS_PROCESS, 1, "slowdown_ratio"), 2, 1e-12);
    assert_near(value(results, SMS_PROCESS, 0, "waiting_ns"), 4301 + 31, 0);
    assert_near(value(results, SMS_PROCESS, 0, "host_ns"), 20, 0);
    assert_near(value(results, SMS_PROCESS, 0, "copy_in_ns"), 50000, 0);
    assert_near(value(results, SMS_PROCESS, 0, "kernel_ns"), 600000, 0);
    assert_near(value(results, SMS_PROCESS, 0, "copy_out_ns"), 7000, 0);
    assert_near(value(results, SMS_PROCESS, 0, "suspended_ns"), 896, 0);
    assert_near(value(results, SMS_PROCESS, 0, "paused_ns"), 5, 0);
    assert_near(value(results, SMS_PROCESS, 0, "service_ns"), 600000 - 31, 0);
    sms_results_free(results);
}

static void counts_of_processes_are_those_of_the_record(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_near(value(results, SMS_PROCESS, 0, "pauses_count"), 3, 0);
    assert_near(value(results, SMS_PROCESS, 0, "suspends_count"), 2, 0);
    assert_near(value(results, SMS_PROCESS, 0, "migrations_count"), 1, 0);
    assert_near(value(results, SMS_PROCESS, 0, "copied_bytes"), 111, 0);
    assert_near(value(results, SMS_PROCESS, 0, "moved_bytes"), 64, 0);
    assert_near(value(results, SMS_PROCESS, 0, "memory_high_water_bytes"), 4096, 0);
    assert_near(value(results, SMS_PROCESS, 2, "refused_allocations_count"), 2, 0);
    assert_near(value(results, SMS_PROCESS, 0, "failed_count"), 0, 0);
    assert_near(value(results, SMS_PROCESS, 2, "failed_count"), 1, 0);
    sms_results_free(results);
}

static void what_failed_or_has_not_ended_has_no_turnaround(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    for (size_t v = 2; v < PROCESSES; v++) {
        assert_true(isnan(value(results, SMS_PROCESS, v, "turnaround_ns")));
        assert_true(isnan(value(results, SMS_PROCESS, v, "slowdown_ratio")));
    }
    assert_true(isnan(value(results, SMS_VM, 2, "normalized_progress_ratio")));
    assert_near(value(results, SMS_VM, 3, "normalized_progress_ratio"), 0.25, 1e-12); /* by its blocks */
    assert_near(value(results, SMS_HOST, 0, "stp_ratio"), 0.5 + 0.5 + 0.25, 1e-12);
    assert_near(value(results, SMS_HOST, 0, "antt_ratio"), (2 + 2 + 4) / 3.0, 1e-12);
    assert_near(value(results, SMS_HOST, 0, "makespan_ns"), 22000, 0); /* not c, which failed at 50 us */
    fixture->vm[3].repeat = 1;
    sms_results_free(results);
    results = run(&fixture->scenario);
    assert_near(value(results, SMS_HOST, 0, "makespan_ns"), 100000, 0); /* d was to end and has not */
    sms_results_free(results);
}

static void devices_are_measured_one_by_one_and_together(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_int_equal(sms_results_subjects(results, SMS_DEVICE), DEVICES + 1);
    assert_string_equal(sms_results_subject(results, SMS_DEVICE, 1), "small/1");
    assert_string_equal(sms_results_subject(results, SMS_DEVICE, 2), "all");
    assert_near(value(results, SMS_DEVICE, 0, "switches_count"), 4, 0);
    assert_near(value(results, SMS_DEVICE, 0, "switch_ns"), 5000, 0);
    assert_near(value(results, SMS_DEVICE, 0, "switch_ratio"), 0.05, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "switch_ratio"), 0.025, 1e-15);
    assert_near(value(results, SMS_DEVICE, 0, "busy_ratio"), 0.6, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "busy_ratio"), 0.4, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "memory_high_water_bytes"), 9e8, 0);
    assert_near(value(results, SMS_DEVICE, 0, "memory_ratio"), 0.5, 1e-15);
    assert_near(value(results, SMS_DEVICE, 1, "memory_ratio"), 0.1, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "memory_ratio"), 0.2, 1e-15); /* 0.8 of 4 GB */
    assert_near(value(results, SMS_DEVICE, 2, "energy_j"), 1.75, 1e-15);
    assert_near(value(results, SMS_HOST, 0, "energy_j"), 1.75 + 250 * 100e-6, 1e-12);
    sms_results_free(results);
}

/* Of 100 us, a process is on it for 50 and several are for 25, at 25 and 40 kW instead of 5. */
static void power_by_processes_does_not_know_what_is_active(void **state)
{
    struct fixture *fixture = *state;
    fixture->model[0].shared_w = 40000;
    struct sms_results *results = run(&fixture->scenario);
    assert_near(value(results, SMS_DEVICE, 0, "energy_j"), 0.125 + 1.25 + 1, 1e-12);
    fixture->model[0].shared_w = 0;
    sms_results_free(results);
}

static void all_processes_have_means_of_times_and_sums_of_counts(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_string_equal(sms_results_subject(results, SMS_PROCESS, PROCESSES), "all");
    assert_near(value(results, SMS_PROCESS, PROCESSES, "turnaround_ns"), 15000, 0); /* of the two that have one */
    assert_near(value(results, SMS_PROCESS, PROCESSES, "slowdown_ratio"), 2, 1e-12);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "kernel_ns"), 150000, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "pauses_count"), 4, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "suspends_count"), 3, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "migrations_count"), 2, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "moved_bytes"), 70, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "refused_allocations_count"), 3, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "failed_count"), 1, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "copied_bytes"), 111, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "memory_high_water_bytes"), 8192, 0);
    sms_results_free(results);
}

static void kernels_are_left_out_where_workloads_are_drawn(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_int_equal(sms_results_subjects(results, SMS_KERNEL), PROCESSES);
    sms_results_free(results);
    fixture->scenario.drawn = true;
    results = run(&fixture->scenario);
    assert_int_equal(sms_results_subjects(results, SMS_KERNEL), 0);
    sms_results_free(results);
}

static void there_is_no_bound_for_shared_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_bound bound;
    struct sms_errors errors;
    assert_int_equal(sms_bound(&fixture->scenario, SMS_BOUND_KERNELS, &bound, &errors), SMS_OK);
    assert_non_null(bound.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_restart_keeps_what_is_of_the_whole_run),
        TEST(vms_have_no_record_of_processes),
        TEST(times_of_processes_are_those_of_the_record),
        TEST(counts_of_processes_are_those_of_the_record),
        TEST(what_failed_or_has_not_ended_has_no_turnaround),
        TEST(devices_are_measured_one_by_one_and_together),
        TEST(power_by_processes_does_not_know_what_is_active),
        TEST(all_processes_have_means_of_times_and_sums_of_counts),
        TEST(kernels_are_left_out_where_workloads_are_drawn),
        TEST(there_is_no_bound_for_shared_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
