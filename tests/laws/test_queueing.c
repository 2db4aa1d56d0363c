/* Jobs that arrive from outside: times in system against closed forms (Kleinrock,
 * Queueing Systems, 1975; Harchol-Balter, Performance Modeling, 2013), in
 * confidence intervals of twenty replications. */
#include "statistics.h"

/* Poisson arrivals of jobs of one block, 1 us in the mean, at `load` of the servers. */
struct station {
    const char *law, *block; /* spread or jitter, and demand */
    double load;
    int sms, slots, streams;
    double servers; /* as many jobs does it serve at full speed */
};

static const double SERVICE_NS = 1000;

/* About 10000 jobs, times patience. */
static double measured_ns(const struct station *s) { return 16e6 / s->servers * patience(); }

/* Random streams bear the VM's name, so each station draws its own numbers. */
static struct sms_file *load_station(const struct station *s)
{
    return load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us%s}]\n"
                                  "---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\nqueue: fifo\n"
                                  "policies: [round_robin]\n"
                                  "vms: [{name: '%s', workload: w, streams: %d, arrivals: {poisson: %.9f ns}}]\n"
                                  "run: {warmup: 1 ms, duration: %.0f ns, replications: 20}\n",
                     s->sms, s->slots, "sm", s->block, s->law, s->streams, SERVICE_NS / (s->load * s->servers),
                     1e6 + measured_ns(s));
}

static double m_m_c_wait_ns(double servers, double load)
{
    return SERVICE_NS * erlang_c(servers, load) / (servers * (1 - load));
}

/* Little's law, L = X W, for the blocks resident: the left is an integral over time,
 * the right is counted when blocks end. */
static void assert_little(const struct sms_results *results)
{
    struct identity resident = {0};
    for (size_t i = 0; i < sms_results_replications(results); i++) {
        double per_ns = value(results, i, SMS_KERNEL, 0, "blocks_per_s") / 1e9;
        double resident_ns =
            value(results, i, SMS_KERNEL, 0, "latency_mean_ns") - value(results, i, SMS_KERNEL, 0, "block_wait_ns");
        double threads = value(results, i, SMS_HOST, 0, "occupancy_ratio") * 16384 * (double)sms_results_sms(results);
        add_pair(&resident, per_ns * resident_ns, threads / 32);
    }
    assert_identity(&resident);
}

/* Runs the station; the caller frees. */
static struct sms_results *simulate(const struct station *s, struct sms_file **file)
{
    *file = load_station(s);
    struct sms_results *results = run_shared(*file, 0);
    assert_law("arrivals/s", estimate(results, 0, SMS_VM, 0, "jobs_per_s"), 1e9 * s->load * s->servers / SERVICE_NS);
    assert_little(results);
    return results;
}

static void assert_station(const struct station *s, double expected_ns)
{
    struct sms_file *file;
    struct sms_results *results = simulate(s, &file);
    assert_law(s->law, estimate(results, 0, SMS_VM, 0, "job_latency_mean_ns"), expected_ns);
    discard(results, file);
}

/* The time in system is exponential itself: its percentiles are known, too. */
static void m_m_1(void **state)
{
    (void)state;
    const struct station s = {"M/M/1", ", spread: exponential, demand: {fp32: 100 %}", 0.5, 1, 1, 1, 1};
    double expected_ns = SERVICE_NS / (1 - s.load);
    struct sms_file *file;
    struct sms_results *results = simulate(&s, &file);
    assert_law(s.law, estimate(results, 0, SMS_VM, 0, "job_latency_mean_ns"), expected_ns);
    assert_law("M/M/1, median", estimate(results, 0, SMS_VM, 0, "job_latency_p50_ns"), expected_ns * log(2));
    assert_law("M/M/1, 95 %", estimate(results, 0, SMS_VM, 0, "job_latency_p95_ns"), expected_ns * log(20));
    discard(results, file);
}

static void m_d_1(void **state)
{
    (void)state;
    const struct station s = {"M/D/1", ", demand: {fp32: 100 %}", 0.7, 1, 1, 1, 1};
    assert_station(&s, SERVICE_NS * (1 + s.load / (2 * (1 - s.load))));
}

/* Pollaczek and Khinchine: any spread, here uniform with variation 0.5. */
static void m_g_1(void **state)
{
    (void)state;
    const struct station s = {"M/G/1", ", jitter: 50 %", 0.5, 1, 1, 1, 1};
    assert_station(&s, SERVICE_NS * (1 + s.load * (1 + 0.25) / (2 * (1 - s.load))));
}

static void m_m_c(void **state)
{
    (void)state;
    static const struct station stations[] = {
        {"M/M/2", ", spread: exponential", 0.6, 1, 2, 256, 2},
        {"M/M/4", ", spread: exponential", 0.7, 1, 4, 256, 4},
        {"M/M/8", ", spread: exponential", 0.8, 1, 8, 256, 8},
    };
    for (size_t i = 0; i < sizeof stations / sizeof stations[0]; i++)
        assert_station(&stations[i], SERVICE_NS + m_m_c_wait_ns(stations[i].servers, stations[i].load));
}

/* Slots of one SM, SMs of one slot, or streams: with the same random numbers no job can tell, but for
 * picoseconds to which ends on different SMs are rounded. */
static void servers_may_be_slots_or_sms_or_streams(void **state)
{
    (void)state;
    static const struct station stations[] = {
        {"M/M/4", ", spread: exponential", 0.7, 1, 4, 256, 4},
        {"M/M/4", ", spread: exponential", 0.7, 4, 1, 256, 4},
        {"M/M/4", ", spread: exponential", 0.7, 1, 64, 4, 4},
    };
    double latency_ns[3];
    for (size_t i = 0; i < 3; i++) {
        struct sms_file *file = load_station(&stations[i]);
        struct sms_run_options options = sms_run_defaults();
        options.replications = 1;
        options.alone = false;
        struct sms_results *results = run_first(file, &options);
        latency_ns[i] = value(results, 0, SMS_VM, 0, "job_latency_mean_ns");
        discard(results, file);
    }
    assert_true(latency_ns[0] > 1.2 * SERVICE_NS);
    assert_near(latency_ns[1], latency_ns[0], 1e-6);
    assert_near(latency_ns[2], latency_ns[0], 1e-6);
}

/* Processor sharing is insensitive to the spread of service times: S / (1 - rho). */
static void m_g_1_processor_sharing(void **state)
{
    (void)state;
    static const struct station stations[] = {
        {"M/M/1-PS", ", spread: exponential, demand: {fp32: 100 %}", 0.5, 1, 256, 256, 1},
        {"M/D/1-PS", ", demand: {fp32: 100 %}", 0.5, 1, 256, 256, 1},
        {"M/G/1-PS", ", jitter: 50 %, demand: {fp32: 100 %}", 0.5, 1, 256, 256, 1},
    };
    for (size_t i = 0; i < sizeof stations / sizeof stations[0]; i++)
        assert_station(&stations[i], SERVICE_NS / (1 - stations[i].load));
}

/* A demand of 1/c slows nothing up to c blocks; from there they share, and the mean is that of M/M/c. */
static void m_g_c_processor_sharing(void **state)
{
    (void)state;
    static const struct station stations[] = {
        {"M/D/2-PS", ", demand: {fp32: 50 %}", 0.6, 1, 256, 256, 2},
        {"M/D/4-PS", ", demand: {fp32: 25 %}", 0.7, 1, 256, 256, 4},
    };
    for (size_t i = 0; i < sizeof stations / sizeof stations[0]; i++)
        assert_station(&stations[i], SERVICE_NS + m_m_c_wait_ns(stations[i].servers, stations[i].load));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m_m_1),
        cmocka_unit_test(m_d_1),
        cmocka_unit_test(m_g_1),
        cmocka_unit_test(m_m_c),
        cmocka_unit_test(servers_may_be_slots_or_sms_or_streams),
        cmocka_unit_test(m_g_1_processor_sharing),
        cmocka_unit_test(m_g_c_processor_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
