/* Closed networks: a fixed number of streams, each of which works on the host, copies in, runs its kernels and
 * copies out, for ever. They have product form with exponential blocks where blocks queue, and with any blocks where
 * they share (Baskett, Chandy, Muntz and Palacios 1975). Mean value analysis (Reiser and Lavenberg 1980) is exact
 * for them. */
#include "statistics.h"

#include <gsl/gsl_statistics_double.h>

enum { STATIONS = 4, POPULATION = 16, REPLICATIONS = 20, CLASSES = 2 };
enum { LINK_IN, KERNEL_A, KERNEL_B, LINK_OUT };

/* Times are in us. A station serves up to `servers` customers at full speed. */
static const double THINK = 2;

struct network {
    const char *name, *a, *b; /* a, b: spread and demand of the kernels; b may be NULL */
    int slots;
    double demand;         /* fp32 demand of kernel a */
    double time[STATIONS]; /* service time of one job alone */
    double servers[STATIONS];
};

static const struct network networks[] = {
    {"one slot", "spread: exponential, demand: {fp32: 100 %}", NULL, 1, 1, {0.4, 1, 0, 0.2}, {1, 1, 1, 1}},
    {"three slots", "spread: exponential, demand: {fp32: 25 %}", NULL, 3, 0.25, {0.4, 1, 0, 0.2}, {1, 3, 1, 1}},
    {"shared",
     "spread: exponential, demand: {fp32: 100 %}",
     "demand: {fp64: 100 %}",
     64,
     1,
     {0.4, 1, 0.6, 0.2},
     {1, 1, 1, 1}},
    {"shared by two",
     "demand: {fp32: 50 %}",
     "spread: exponential, demand: {fp64: 100 %}",
     64,
     0.5,
     {0.4, 1, 0.6, 0.2},
     {1, 2, 1, 1}},
};

/* Streams of one VM, VMs of one stream, and both. */
static const struct population {
    int vms, streams;
} populations[] = {{1, 1}, {1, 4}, {8, 1}, {2, 8}};

struct solution {
    double throughput, residence[STATIONS]; /* jobs per us; time of a job at each station, us */
};

/* Number of customers in service, of n at station k. */
static double served(const struct network *net, int k, int n) { return n < net->servers[k] ? n : net->servers[k]; }

/* Exact mean value analysis. p[k][j] is the probability that j of the n streams are at station k. */
static struct solution mean_values(const struct network *net, int population)
{
    double p[STATIONS][POPULATION + 1] = {{0}};
    struct solution s = {0};
    for (int k = 0; k < STATIONS; k++)
        p[k][0] = 1;
    for (int n = 1; n <= population; n++) {
        double cycle = THINK;
        for (int k = 0; k < STATIONS; k++) {
            s.residence[k] = 0;
            for (int j = 1; j <= n; j++)
                s.residence[k] += net->time[k] * j / served(net, k, j) * p[k][j - 1];
            cycle += s.residence[k];
        }
        s.throughput = n / cycle;
        for (int k = 0; k < STATIONS; k++) {
            double busy = 0;
            for (int j = n; j >= 1; j--)
                busy += p[k][j] = s.throughput * net->time[k] / served(net, k, j) * p[k][j - 1];
            p[k][0] = 1 - busy;
        }
    }
    return s;
}

/* The same throughput by Buzen's convolution (1973), which has no subtractions. */
static double throughput_by_convolution(const struct network *net, int population)
{
    double g[POPULATION + 1] = {1};
    for (int n = 1; n <= population; n++)
        g[n] = g[n - 1] * THINK / n;
    for (int k = 0; k < STATIONS; k++) {
        double sum[POPULATION + 1] = {0}, f = 1;
        for (int j = 0; j <= population; j++) {
            f *= j ? net->time[k] / served(net, k, j) : 1;
            for (int n = j; n <= population; n++)
                sum[n] += f * g[n - j];
        }
        memcpy(g, sum, sizeof g);
    }
    return g[population - 1] / g[population];
}

static void two_algorithms_give_the_same_throughput(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        for (int n = 1; n <= POPULATION; n++) {
            double expected = throughput_by_convolution(&networks[i], n);
            assert_near(mean_values(&networks[i], n).throughput, expected, 1e-6 * expected);
        }
}

static struct sms_file *load_network(const struct network *net, struct population population)
{
    char b[160] = "", vms[1024] = "";
    if (net->b)
        snprintf(b, sizeof b, "  - {name: b, blocks: 1, threads: 32, block_time: %g us, %s}\n", net->time[KERNEL_B],
                 net->b);
    for (int v = 0; v < population.vms; v++)
        snprintf(vms + strlen(vms), sizeof vms - strlen(vms),
                 "  - {name: v%d, workload: w, streams: %d, repeat: forever}\n", v, population.streams);
    return load_text(SMALL_DEVICE "link: {bandwidth: 1 GB/s}\n"
                                  "---\nworkload: w\nkernels:\n"
                                  "  - {name: a, blocks: 1, threads: 32, block_time: %g us, %s}\n%s"
                                  "steps: [{host: %g us}, {copy_in: %g B}, {launch: a}, %s{copy_out: %g B}]\n"
                                  "---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\nqueue: fifo\n"
                                  "policies: [round_robin]\nvms:\n%s"
                                  "run: {warmup: 0.3 ms, duration: %g ms, replications: %d}\n",
                     1, net->slots, "sm", net->time[KERNEL_A], net->a, b, THINK, 1e3 * net->time[LINK_IN],
                     net->b ? "{launch: b}, " : "", 1e3 * net->time[LINK_OUT], vms, 0.3 + 2 * patience(), REPLICATIONS);
}

/* Values of each replication. Times are in us. */
struct observed {
    double throughput[REPLICATIONS], cycle[REPLICATIONS], a[REPLICATIONS], links[REPLICATIONS];
    double service[REPLICATIONS]; /* utilization over throughput */
};

/* The mean, in us, of a metric over the rows first, first + step, ... of a subject, weighted by their rates. */
static double weighted(const struct sms_results *results, size_t replication, enum sms_subject subject, size_t first,
                       size_t step, const char *rate, const char *name)
{
    double sum = 0, weight = 0;
    for (size_t i = first; i < sms_results_subjects(results, subject); i += step) {
        double jobs = value(results, replication, subject, i, rate);
        sum += jobs * value(results, replication, subject, i, name) / 1e3;
        weight += jobs;
    }
    return sum / weight;
}

static void observe(const struct network *net, const struct sms_results *results, struct observed *o)
{
    size_t kernels = net->b ? 2 : 1;
    for (size_t i = 0; i < REPLICATIONS; i++) {
        o->throughput[i] = value(results, i, SMS_HOST, 0, "jobs_per_s") / 1e6;
        o->cycle[i] = weighted(results, i, SMS_VM, 0, 1, "jobs_per_s", "job_latency_mean_ns");
        o->a[i] = weighted(results, i, SMS_KERNEL, 0, kernels, "kernels_per_s", "latency_mean_ns");
        double b = net->b ? weighted(results, i, SMS_KERNEL, 1, kernels, "kernels_per_s", "latency_mean_ns") : 0;
        o->links[i] = o->cycle[i] - THINK - o->a[i] - b;
        o->service[i] = value(results, i, SMS_RESOURCE, 0, "delivered_ratio") / net->demand / o->throughput[i];
    }
}

static struct sms_estimate over_replications(const double *values)
{
    struct sms_estimate e = {.n = REPLICATIONS,
                             .mean = gsl_stats_mean(values, 1, REPLICATIONS),
                             .sd = gsl_stats_sd(values, 1, REPLICATIONS)};
    e.ci95 = half_width(e, 0.05);
    return e;
}

static void assert_laws(const struct network *net, int population, const struct observed *o)
{
    struct solution s = mean_values(net, population);
    struct identity jobs = {0};
    print_message("%s, %d streams\n", net->name, population);
    assert_law("throughput, us^-1", over_replications(o->throughput), s.throughput);
    assert_law("cycle, us", over_replications(o->cycle), population / s.throughput);
    assert_law("kernel a, us", over_replications(o->a), s.residence[KERNEL_A]);
    assert_law("copies, us", over_replications(o->links), s.residence[LINK_IN] + s.residence[LINK_OUT]);
    assert_law("utilization / throughput, us", over_replications(o->service), net->time[KERNEL_A]);
    for (size_t i = 0; i < REPLICATIONS; i++) /* Little's law for the whole network */
        add_pair(&jobs, o->throughput[i] * o->cycle[i], population);
    assert_identity(&jobs);
}

/* Asymptotic bounds (Denning and Buzen 1978), which every network of these demands obeys. */
static void assert_bounds(const struct network *net, int population, const struct observed *o)
{
    struct sms_estimate x = over_replications(o->throughput);
    double sum = 0, longest = 0, margin = half_width(x, 1e-4);
    for (int k = 0; k < STATIONS; k++) {
        double share = net->time[k] / net->servers[k];
        sum += net->time[k];
        longest = share > longest ? share : longest;
    }
    assert_true(x.mean < 1 / longest + margin);
    assert_true(x.mean < population / (THINK + sum) + margin);
    assert_true(x.mean > population / (THINK + population * sum) - margin);
}

static void closed_networks_match_mean_value_analysis(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        for (size_t p = 0; p < sizeof populations / sizeof populations[0]; p++) {
            struct observed o;
            int population = populations[p].vms * populations[p].streams;
            struct sms_file *file = load_network(&networks[i], populations[p]);
            struct sms_results *results = run_shared(file, 1 + i * 10 + p);
            observe(&networks[i], results, &o);
            assert_laws(&networks[i], population, &o);
            assert_bounds(&networks[i], population, &o);
            discard(results, file);
        }
}

/* Two kinds of VMs that share the link and the SM. Some spread is necessary, because streams that start together and
 * draw nothing would stay together for ever. */
struct kind {
    const char *spread;
    int streams;
    double think, copy, kernel; /* us */
};

static const struct kind kinds[CLASSES] = {{"jitter: 50 %, ", 3, 1, 0.3, 0.5},
                                           {"spread: exponential, ", 5, 4, 0.8, 1.5}};

struct mix {
    double throughput[CLASSES], link, sm; /* mean numbers at the link and at the SM */
};

/* Adds `count` streams of kind c. `less` is the mix with one of them less. */
static void add_kind(struct mix *m, const struct mix *less, int c, int count)
{
    double copy = kinds[c].copy * (1 + less->link), kernel = kinds[c].kernel * (1 + less->sm);
    m->throughput[c] = count / (kinds[c].think + copy + kernel);
    m->link += m->throughput[c] * copy;
    m->sm += m->throughput[c] * kernel;
}

/* Mean value analysis of both kinds, which computes each population from those with one less of either kind. */
static struct mix mean_values_of_mix(void)
{
    struct mix mix[POPULATION][POPULATION] = {{{{0}, 0, 0}}};
    for (int a = 0; a <= kinds[0].streams; a++)
        for (int b = 0; b <= kinds[1].streams; b++) {
            if (a)
                add_kind(&mix[a][b], &mix[a - 1][b], 0, a);
            if (b)
                add_kind(&mix[a][b], &mix[a][b - 1], 1, b);
        }
    return mix[kinds[0].streams][kinds[1].streams];
}

static struct sms_file *load_mix(const char *contention)
{
    char text[2048] = "";
    for (int c = 0; c < CLASSES; c++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "---\nworkload: w%d\nkernels: [{name: k, blocks: 1, threads: 32, block_time: %g us, %sdemand: {fp32: "
                 "100 %%}}]\nsteps: [{host: %g us}, {copy_in: %g B}, {launch: k}]\n",
                 c, kinds[c].kernel, kinds[c].spread, kinds[c].think, 1e3 * kinds[c].copy);
    return load_text(SMALL_DEVICE "link: {bandwidth: 1 GB/s}\n%s---\nscenario: s\ndevices: [{model: small}]\n"
                                  "contention: %s\npolicies: [round_robin]\nvms:\n"
                                  "  - {name: v0, workload: w0, streams: %d, repeat: forever}\n"
                                  "  - {name: v1, workload: w1, streams: %d, repeat: forever}\n"
                                  "run: {warmup: 0.3 ms, duration: %g ms, replications: %d}\n",
                     1, 64, "sm", text, contention, kinds[0].streams, kinds[1].streams, 0.3 + 2.7 * patience(),
                     REPLICATIONS);
}

static void two_kinds_of_vms_that_share_link_and_sm_match_mean_value_analysis(void **state)
{
    (void)state;
    static const char *const contentions[] = {"proportional", "maxmin"};
    struct mix m = mean_values_of_mix();
    for (size_t i = 0; i < 2; i++) {
        struct sms_file *file = load_mix(contentions[i]);
        struct sms_results *results = run_shared(file, 1 + i);
        for (size_t c = 0; c < CLASSES; c++) {
            print_message("%s, kind %zu\n", contentions[i], c);
            assert_law("throughput, /s", estimate(results, 0, SMS_VM, c, "jobs_per_s"), m.throughput[c] * 1e6);
            assert_law("cycle, ns", estimate(results, 0, SMS_VM, c, "job_latency_mean_ns"),
                       kinds[c].streams / m.throughput[c] * 1e3);
        }
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_algorithms_give_the_same_throughput),
        cmocka_unit_test(closed_networks_match_mean_value_analysis),
        cmocka_unit_test(two_kinds_of_vms_that_share_link_and_sm_match_mean_value_analysis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
