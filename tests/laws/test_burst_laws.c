/* Bursts of arrivals of pods compared with closed forms. */
#include "statistics.h"

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
        cmocka_unit_test(bursts_have_the_expected_mean_and_dispersion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
