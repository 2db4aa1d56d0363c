/* Rates of processes that wait: what a process does not do in the measured time counts for nothing, whatever it has
 * done before. So no rate is negative, and jobs are so many kernels, over random scenarios. */
#include "random_text.h"

enum { SCENARIOS = 60, KINDS = 3, MILLISECONDS = 20 };

/* A job of a kind is so many launches, and with a host step besides where it is not only of them. */
struct job {
    long times;
    bool has_host;
};

static struct job add_workload(struct text *text, size_t i, bool whole)
{
    const struct job job = {1 + (long)draw(text, 3), toss(text, 3)};
    add(text, "workload: w%zu\nkernels:\n  - {name: k, ", i);
    if (whole)
        add(text, "time: <200..9000/100> us, demand: {fp32: <20..100/10> %%, dram: <5..60/5> %%}}\n");
    else
        add(text, "blocks: <1..400>, threads: <64|256|1024>, block_time: <100..3000/100> us, jitter: <0|5> %%}\n");
    add(text, "steps: [%s{launch: k, times: %ld}]\n---\n", job.has_host ? "{host: <100..2000/100> us}, " : "",
        job.times);
    return job;
}

/* Those that repeat for ever begin in the middle of a kernel; some wait for ever for leave to launch it. */
static void make(struct text *text, struct job job[KINDS])
{
    const bool whole = toss(text, 2);
    for (size_t i = 0; i < KINDS; i++)
        job[i] = add_workload(text, i, whole);
    add(text,
        "scenario: s\ndevices: [{model: v100, sms: <1..9>}]\n"
        "policies: [{share: <tally|interference_aware|{lithos: {steal: false}}>, mode: <mps|together>}]\nprocesses:\n");
    for (size_t i = 0; i < KINDS; i++)
        add(text, "  - {name: p%zu, workload: w%zu, repeat: forever, priority: <0|0|1>%s}\n", i, i,
            toss(text, 4) ? ", start: 0 ms" : "");
    add(text, "run: {%sduration: %d ms, seed: <1..999>}\n", toss(text, 2) ? "warmup: <1..9> ms, " : "", MILLISECONDS);
}

static double rate(const struct sms_results *results, size_t v, const char *name)
{
    return sms_results_value(results, 0, 0, SMS_VM, v, (size_t)sms_metric_index(SMS_VM, name));
}

/* At either end of the time a job of launches alone counts as its kernels do, and any other by less than one more. */
static void check_rates(const struct sms_results *results, const struct job *job, const char *text)
{
    for (size_t v = 0; v < KINDS; v++) {
        const double kernels = rate(results, v, "kernels_per_s"), jobs = rate(results, v, "jobs_per_s");
        const double off = fabs(jobs * (double)job[v].times - kernels);
        const double most = job[v].has_host ? 1e3 / (MILLISECONDS - 9) * (double)job[v].times : 1e-4;
        if (kernels < 0 || rate(results, v, "blocks_per_s") < 0 || jobs < 0 || off > most)
            fail_msg("process %zu: %g jobs/s of %ld kernels, %g kernels/s, %g blocks/s\n%s", v, jobs, job[v].times,
                     kernels, rate(results, v, "blocks_per_s"), text);
    }
}

static void no_rate_is_negative_and_jobs_are_so_many_kernels(void **state)
{
    static struct text text;
    (void)state;
    for (uint64_t seed = 0; seed < SCENARIOS; seed++) {
        struct job job[KINDS];
        struct sms_run_options options = sms_run_defaults();
        text = (struct text){.chance = seed};
        make(&text, job);
        options.check = true;
        options.alone = false;
        options.engine = seed % 2 ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        struct sms_file *file = load_text("%s", text.chars);
        struct sms_results *results = run_first(file, &options);
        check_rates(results, job, text.chars);
        discard(results, file);
    }
}

/* A job is one kernel of 40 ms, of which the process of lower priority has done a part before the run. It then waits
 * for leave to launch for all of it, because the other never stops. */
static void a_process_that_waits_for_leave_does_nothing(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 6; seed++) {
        struct sms_file *file = load_text(
            "workload: w\nkernels: [{name: k, time: 40 ms}]\n---\nscenario: s\ndevices: [{model: v100}]\n"
            "policies: [{share: tally, mode: mps}]\nprocesses:\n"
            "  - {name: a, workload: w, repeat: forever, priority: 1}\n  - {name: b, workload: w, repeat: forever}\n"
            "run: {duration: 100 ms, seed: %d}\n",
            seed);
        struct sms_results *results = run_first(file, NULL);
        assert_near(estimate(results, 0, SMS_VM, 0, "jobs_per_s").mean, 25, 1e-3);
        assert_near(estimate(results, 0, SMS_VM, 1, "jobs_per_s").mean,
                    estimate(results, 0, SMS_VM, 1, "kernels_per_s").mean, 1e-6);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rate_is_negative_and_jobs_are_so_many_kernels),
        cmocka_unit_test(a_process_that_waits_for_leave_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
