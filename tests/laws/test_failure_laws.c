/* Random processes of clusters compared with closed forms: failures and returns, pods that begin anew, bursts of
 * arrivals. */
#include "statistics.h"

#include <stdio.h>

static struct sms_results *run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

static struct sms_results *run_text(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    static struct sms_file *file; /* the results refer to it */
    if (file)
        sms_file_free(file);
    file = load_text("%s", text);
    return run_shared(file, 0);
}

static struct sms_estimate cluster_estimate(const struct sms_results *results, const char *metric)
{
    return estimate(results, 0, SMS_CLUSTER, 0, metric);
}

/* A node is up for mtbf / (mtbf + mttr) of the time. A GPU that also fails by itself is up for the product of both
 * ratios. */
static void availability_matches_that_of_a_renewal_process(void **state)
{
    (void)state;
    struct sms_results *results = run_text("scenario: s\nnodes: [{name: a, count: 4, gpus: 2}]\npolicies: [first_fit]\n"
                                           "failures: [{mtbf: 30 s, mttr: 6 s}, {gpu: each, mtbf: 20 s, mttr: 8 s}]\n"
                                           "pods: [{name: p, gpus: 1}]\n"
                                           "run: {warmup: 1000 s, duration: %.0f s, replications: 20}\n",
                                           1000 + 20000 * patience());
    double node = 30 / 36.0, both = node * 20 / 28.0, time = 20000 * patience();
    assert_law("nodes up", estimate(results, 0, SMS_NODE, 1, "down_ratio"), 1 - node);
    assert_law("GPUs up", cluster_estimate(results, "gpu_up_mean_ratio"), both);
    assert_law("GPU of a node down", estimate(results, 0, SMS_NODE, 0, "gpu_down_ratio"), 1 - both);
    assert_law("failures", cluster_estimate(results, "failures_count"), time * (4 / 36.0 + 8 / 28.0));
    sms_results_free(results);
}

/* Pods of d s run one after another on a GPU that fails at rate 1/m and returns after r. Each pod needs (e^(d/m) -
 * 1) (m + r) and is started e^(d/m) times (preempt-repeat: Gaver 1962). All of its time with the GPU except d is
 * wasted. */
static void a_pod_that_begins_anew_takes_the_time_of_preempt_repeat(void **state)
{
    (void)state;
    double d = 10, m = 8, r = 3, pods = 4000 * patience(), starts = exp(d / m);
    struct sms_results *results = run_text("scenario: s\nnodes: [{name: a, gpus: 1}]\npolicies: [first_fit]\n"
                                           "failures: [{gpu: 0, mtbf: %g s, mttr: %g s}]\n"
                                           "pods: [{name: p, count: %.0f, gpus: 1, duration: %g s}]\n"
                                           "run: {replications: 20}\n",
                                           m, r, pods, d);
    assert_law("makespan", cluster_estimate(results, "makespan_ns"), pods * (starts - 1) * (m + r) * 1e9);
    assert_law("restarts", cluster_estimate(results, "restarts_count"), pods * (starts - 1));
    assert_law("wasted", cluster_estimate(results, "gpu_wasted_ratio"), 1 - d / ((starts - 1) * m));
    assert_law("ended", cluster_estimate(results, "done_count"), pods);
    sms_results_free(results);
}

/* A pod is lost unless the GPU lives for d, which has probability e^(-d/m). */
static void a_pod_that_does_not_begin_anew_is_lost(void **state)
{
    (void)state;
    double pods = 20000 * patience();
    struct sms_results *results = run_text("scenario: s\nnodes: [{name: a, gpus: 1}]\npolicies: [first_fit]\n"
                                           "failures: [{mtbf: 8 s, mttr: 3 s}]\n"
                                           "pods: [{name: p, count: %.0f, gpus: 1, duration: 5 s, on_failure: lost}]\n"
                                           "run: {replications: 20}\n",
                                           pods);
    assert_law("lost", cluster_estimate(results, "lost_count"), pods * (1 - exp(-5 / 8.0)));
    sms_results_free(results);
}

enum { SERVERS = 3, STATES = 400 };

/* Servers that each fail at rate `fail` and return at rate `mend`. The customer on a server that fails is lost. The
 * chain has no product form, so Gauss-Seidel iteration solves it. */
struct chain {
    double p[SERVERS + 1][STATES + 1]; /* by number of servers that are up and number of customers */
    double in, serve, fail, mend;
};

static double served(int up, int n) { return n < up ? n : up; }

/* The probability flow into a state from its neighbours. */
static double inflow(const struct chain *c, int u, int n)
{
    double sum = n > 0 ? c->p[u][n - 1] * c->in : 0;
    if (n < STATES)
        sum += c->p[u][n + 1] * c->serve * served(u, n + 1);
    if (u > 0)
        sum += c->p[u - 1][n] * c->mend * (SERVERS - u + 1);
    if (u < SERVERS && n < STATES) /* a server with a customer failed */
        sum += c->p[u + 1][n + 1] * c->fail * served(u + 1, n + 1);
    if (u < SERVERS) /* an idle server failed */
        sum += c->p[u + 1][n] * c->fail * (u + 1 - served(u + 1, n));
    return sum;
}

static double outflow(const struct chain *c, int u, int n)
{
    return (n < STATES ? c->in : 0) + c->serve * served(u, n) + c->fail * u + c->mend * (SERVERS - u);
}

static double mean_waiting(struct chain *c)
{
    double sum = 0, waiting = 0;
    for (int u = 0; u <= SERVERS; u++)
        for (int n = 0; n <= STATES; n++)
            c->p[u][n] = 1;
    for (int sweep = 0; sweep < 20000; sweep++)
        for (int n = 0; n <= STATES; n++)
            for (int u = SERVERS; u >= 0; u--)
                c->p[u][n] = inflow(c, u, n) / outflow(c, u, n);
    for (int u = 0; u <= SERVERS; u++)
        for (int n = 0; n <= STATES; n++) {
            sum += c->p[u][n];
            waiting += c->p[u][n] * (n - served(u, n));
        }
    return waiting / sum;
}

/* M/M/3 whose servers fail. By Little's law the mean wait is the mean number of waiting pods over the arrival rate. */
static void waits_match_the_markov_chain_of_servers_that_fail(void **state)
{
    (void)state;
    static struct chain chain = {.in = 2, .serve = 1, .fail = 1 / 9.0, .mend = 1 / 4.0};
    double waiting = mean_waiting(&chain);
    struct sms_results *results =
        run_text("scenario: s\nnodes: [{name: a, count: %d, gpus: 1}]\npolicies: [random]\n"
                 "failures: [{mtbf: 9 s, mttr: 4 s}]\n"
                 "pods: [{name: p, count: %.0f, gpus: 1, duration: 1 s, spread: exponential, on_failure: lost, "
                 "arrivals: {poisson: 500 ms}}]\nrun: {warmup: 500 s, replications: 20}\n",
                 SERVERS, 200000 * patience());
    assert_law("M/M/3 with failures", cluster_estimate(results, "wait_mean_ns"), waiting / chain.in * 1e9);
    sms_results_free(results);
}

/* Arrivals of pods are counted in windows of WINDOW_S seconds. */
enum { WINDOW_S = 20, WINDOWS = 4000 };

struct windows {
    double count[WINDOWS];
};

static int count_placement(void *user, const struct sms_run_event *event)
{
    const struct sms_placement *placement = event->placement;
    struct windows *windows = user;
    uint64_t window = placement->time_ps / ((uint64_t)WINDOW_S * 1000000000000);
    if (window < WINDOWS)
        windows->count[window]++;
    return 0;
}

static void count_windows(const struct sms_file *file, uint64_t seed, double *mean, double *dispersion)
{
    static struct windows windows;
    struct sms_run_options options = sms_run_defaults();
    double sum = 0, squares = 0;
    windows = (struct windows){{0}};
    options.observe = count_placement;
    options.events = SMS_RUN_PLACEMENT;
    options.user = &windows;
    options.seed = seed;
    sms_results_free(run_first(file, &options));
    for (size_t i = 1; i < WINDOWS; i++) { /* the first begins between bursts */
        sum += windows.count[i];
        squares += windows.count[i] * windows.count[i];
    }
    *mean = sum / (WINDOWS - 1);
    *dispersion = (squares / (WINDOWS - 1) - *mean * *mean) / *mean;
}

static void add_value(struct sms_estimate *e, double x)
{
    double delta = x - e->mean;
    e->n++;
    e->mean += delta / (double)e->n;
    e->sd += delta * (x - e->mean);
}

/* Mean and variance of counts in windows of t s (Heffes and Lucantoni, IEEE JSAC 4(6), 1986). The arrival rates in the
 * two states are a and b, and the rates of leaving them c and d. The mean is l = (a d + b c) / (c + d) per second. The
 * variance over the mean of counts is 1 + 2 k / (l r) (1 - (1 - e^(-r t)) / (r t)). There r = c + d and k = (a - b)^2 c
 * d / r^2. */
static void bursts_have_the_expected_mean_and_dispersion(void **state)
{
    (void)state;
    double a = 1 / 4.0, b = 5, c = 1 / 30.0, d = 1 / 3.0, r = c + d, t = WINDOW_S;
    double l = (a * d + b * c) / r, k = (a - b) * (a - b) * c * d / (r * r);
    struct sms_estimate mean = {0}, dispersion = {0};
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a}]\npolicies: [first_fit]\n"
                                      "pods: [{name: p, count: %.0f, duration: 1 ms, arrivals: "
                                      "{poisson: 4 s, burst: 200 ms, burst_after: 30 s, burst_lasts: 3 s}}]\n",
                                      1.1 * l * WINDOW_S * WINDOWS);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double m, v;
        count_windows(file, seed, &m, &v);
        add_value(&mean, m);
        add_value(&dispersion, v);
    }
    mean.sd = sqrt(mean.sd / 19);
    dispersion.sd = sqrt(dispersion.sd / 19);
    assert_law("pods a window", mean, l * t);
    assert_law("dispersion", dispersion, 1 + 2 * k / (l * r) * (1 - (1 - exp(-r * t)) / (r * t)));
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(availability_matches_that_of_a_renewal_process),
        cmocka_unit_test(a_pod_that_begins_anew_takes_the_time_of_preempt_repeat),
        cmocka_unit_test(a_pod_that_does_not_begin_anew_is_lost),
        cmocka_unit_test(waits_match_the_markov_chain_of_servers_that_fail),
        cmocka_unit_test(bursts_have_the_expected_mean_and_dispersion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
