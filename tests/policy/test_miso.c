/* MISO's layouts by hand, and the published ones (SoCC 2022): what its own function chooses for 325 sets of jobs, and
 * after each of 540 arrivals and departures on one GPU. Means must agree in all four digits, and layouts wherever no
 * other has the same mean. Reads cluster/miso_*.csv from $SMSCHED_DATA, by default ../shared/data; those tests are
 * skipped without them. */
#include "placing_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct sms_place_policy sms_place_policy_miso;

enum { PUBLISHED, ALL };
enum { JOBS = 100, MODELS = 32, SIZES = 5 };

static const int size_at[SIZES] = {7, 4, 3, 2, 1};

/* Returns the number of pods that have instances then, or 0: they do not all fit. */
static int arrange(double layouts, uint32_t taken, struct sms_open_pod *pod, uint32_t pods)
{
    const struct sms_place_view view = {.params = &layouts};
    double score = sms_place_policy_miso.arrange(&view, &a100, taken, pod, pods, -INFINITY);
    return isfinite(score) ? -(int)score : 0;
}

/* A pod whose time on k of 7 compute slices is 7/k, and one that needs no more than one slice. */
static const double divided[SMS_PROFILES_MAX + 1] = {[1] = 7, [2] = 3.5, [3] = 7 / 3.0, [4] = 1.75, [7] = 1};
static const double narrow[SMS_PROFILES_MAX + 1] = {[1] = 1, [2] = 1, [3] = 1, [4] = 1, [7] = 1};

/* One has the whole GPU, two have 3g each. Of three, the narrow one needs no 3g: it gets a 2g, and of 3g + 2g + 2g the
 * others have 3g and 2g: (7/3 + 7/2 + 1)/3 = 2.28; of 4g + 2g + 1g: (7/4 + 7/2 + 1)/3 = 2.08, which is less. */
static void pods_get_the_layout_of_least_mean_slowdown(void **state)
{
    struct sms_open_pod pod[3] = {{divided, 0, 0}, {divided, 0, 0}, {narrow, 0, 0}};
    (void)state;
    assert_int_equal(arrange(PUBLISHED, 0, pod, 1), 1);
    assert_int_equal(pod[0].profile, 7);
    assert_int_equal(arrange(PUBLISHED, 0, pod, 2), 2);
    assert_int_equal(pod[0].profile, 3);
    assert_int_equal(pod[1].profile, 3);
    assert_int_equal(arrange(PUBLISHED, 0, pod, 3), 3);
    assert_int_equal(pod[0].profile + pod[1].profile, 4 + 2);
    assert_int_equal(pod[2].profile, 1);
}

/* 4g beside 3g is none of MISO's layouts. With it two pods have a mean of (7/4 + 7/3)/2 instead of 7/3. */
static void all_layouts_are_more_than_the_published(void **state)
{
    struct sms_open_pod pod[2] = {{divided, 0, 0}, {divided, 0, 0}};
    (void)state;
    assert_int_equal(arrange(ALL, 0, pod, 2), 2);
    assert_int_equal(pod[0].profile + pod[1].profile, 7);
}

/* Two equal pods hold the halves in the order in which they would not be dealt out afresh: they stay. */
static void of_equal_layouts_the_one_that_moves_fewer_pods_wins(void **state)
{
    struct sms_open_pod pod[3] = {{divided, 3, 4}, {divided, 3, 0}, {narrow, 0, 0}};
    (void)state;
    arrange(PUBLISHED, 0, pod, 2);
    assert_int_equal(pod[0].slice, 4);
    assert_int_equal(pod[1].slice, 0);
}

/* A GPU with as many pods as the best so far is of no use, and nothing is set. */
static void a_gpu_with_more_pods_is_not_tried(void **state)
{
    const double layouts = PUBLISHED;
    const struct sms_place_view view = {.params = &layouts};
    struct sms_open_pod pod[2] = {{divided, 0, 0}, {narrow, 0, 0}};
    (void)state;
    assert_true(isinf(sms_place_policy_miso.arrange(&view, &a100, 0, pod, 2, -2)));
    assert_int_equal(pod[0].profile, 0);
    assert_true(isfinite(sms_place_policy_miso.arrange(&view, &a100, 0, pod, 2, -3)));
}

/* Slices of pods that are not open stay theirs; eight pods find no layout, nor does one whose profiles do not fit. */
static void what_does_not_fit_is_refused(void **state)
{
    static const double large[SMS_PROFILES_MAX + 1] = {[4] = 1, [7] = 1};
    struct sms_open_pod pod[8] = {{divided, 0, 0}, {large, 0, 0}};
    (void)state;
    assert_int_equal(arrange(PUBLISHED, 0xf0, pod, 1), 1);
    assert_int_equal(pod[0].profile, 4);
    assert_int_equal(arrange(PUBLISHED, 0x0f, &pod[1], 1), 0);
    for (int i = 0; i < 8; i++)
        pod[i] = (struct sms_open_pod){narrow, 0, 0};
    assert_int_equal(arrange(PUBLISHED, 0, pod, 7), 7);
    assert_int_equal(arrange(PUBLISHED, 0, pod, 8), 0);
}

/* ---- the published choices ---- */

struct model {
    char name[40];
    double time[SMS_PROFILES_MAX + 1];
};

struct published {
    struct model model[MODELS];
    int models;
    const double *job[JOBS];
};

static FILE *open_data(const char *name)
{
    const char *data = getenv("SMSCHED_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/cluster/%s", data ? data : SOURCE_DIR "/../shared/data", name);
    return fopen(path, "r");
}

/* The next field of the line, "" where it is empty. */
static const char *next_field(char **line)
{
    char *field = *line;
    field[strcspn(field, ",\n")] = 0;
    *line = field + strlen(field) + 1;
    return field;
}

static bool read_published(struct published *of)
{
    char buffer[256], *line;
    FILE *from = open_data("miso_model_times.csv");
    if (!from)
        return false;
    assert_non_null(fgets(buffer, sizeof buffer, from));
    while (fgets(line = buffer, sizeof buffer, from)) {
        struct model *model = &of->model[of->models++];
        assert_true(of->models <= MODELS);
        snprintf(model->name, sizeof model->name, "%.39s", next_field(&line));
        for (int s = 0; s < SIZES; s++)
            model->time[size_at[s]] = strtod(next_field(&line), NULL);
    }
    fclose(from);
    assert_non_null(from = open_data("miso_jobs.csv"));
    assert_non_null(fgets(buffer, sizeof buffer, from));
    while (fgets(line = buffer, sizeof buffer, from)) {
        long job = strtol(next_field(&line), NULL, 10);
        const char *name = next_field(&line);
        for (int m = 0; m < of->models; m++)
            if (!strcmp(of->model[m].name, name))
                of->job[job] = of->model[m].time;
        assert_non_null(of->job[job]);
    }
    fclose(from);
    return true;
}

static double mean_slowdown(const struct sms_open_pod *pod, uint32_t pods)
{
    double sum = 0;
    for (uint32_t i = 0; i < pods; i++)
        sum += pod[i].time_ps[pod[i].profile] / pod[i].time_ps[7];
    return pods ? sum / pods : 0;
}

/* Whether the layout has as many instances of each size as the published one, as "3+2+2". */
static bool is_layout(const struct sms_open_pod *pod, uint32_t pods, const char *slices)
{
    int count[SMS_PROFILES_MAX + 1] = {0};
    bool same = true;
    for (uint32_t i = 0; i < pods; i++)
        count[pod[i].profile]++;
    for (const char *c = slices; *c; c++)
        if (*c != '+')
            count[*c - '0']--;
    for (int p = 0; p <= SMS_PROFILES_MAX; p++)
        same &= count[p] == 0;
    return same;
}

static void check_mean(const char *mean, const struct sms_open_pod *pod, uint32_t pods)
{
    char own[32];
    snprintf(own, sizeof own, "%.4f", mean_slowdown(pod, pods));
    assert_string_equal(own, mean);
}

static void chooses_what_its_function_chooses(void **state)
{
    static struct published of;
    char buffer[256], *line;
    int rows = 0, infeasible = 0, layouts = 0;
    (void)state;
    if (!read_published(&of))
        skip();
    FILE *from = open_data("miso_choice_by_window.csv");
    assert_non_null(from);
    assert_non_null(fgets(buffer, sizeof buffer, from));
    while (fgets(line = buffer, sizeof buffer, from)) {
        struct sms_open_pod pod[SMS_SLICES_MAX];
        long first = strtol(next_field(&line), NULL, 10), jobs = strtol(next_field(&line), NULL, 10);
        for (long i = 0; i < jobs; i++)
            pod[i] = (struct sms_open_pod){of.job[first + i], 0, 0};
        int placed = arrange(PUBLISHED, 0, pod, (uint32_t)jobs);
        next_field(&line);
        const char *slices = next_field(&line);
        next_field(&line);
        const char *mean = next_field(&line);
        bool fits = strcmp(mean, "infeasible") != 0;
        assert_int_equal(placed, fits ? jobs : 0);
        rows++;
        infeasible += !fits;
        if (!fits)
            continue;
        check_mean(mean, pod, (uint32_t)jobs);
        layouts += is_layout(pod, (uint32_t)jobs, slices);
    }
    fclose(from);
    print_message("%d sets, %d of them infeasible; the same layout %d times\n", rows, infeasible, layouts);
    assert_int_equal(rows, 325);
    assert_int_equal(layouts, rows - infeasible);
}

static void remove_job(struct sms_open_pod *pod, long *job, uint32_t *pods, long gone)
{
    uint32_t at = 0;
    while (job[at] != gone)
        assert_true(++at < *pods);
    (*pods)--;
    memmove(&pod[at], &pod[at + 1], (*pods - at) * sizeof *pod);
    memmove(&job[at], &job[at + 1], (*pods - at) * sizeof *job);
}

static void keeps_up_with_arrivals_and_departures(void **state)
{
    static struct published of;
    struct sms_open_pod pod[SMS_SLICES_MAX];
    char buffer[256], *line;
    long job[SMS_SLICES_MAX] = {0};
    uint32_t pods = 0;
    int rows = 0, layouts = 0, idle = 0;
    (void)state;
    if (!read_published(&of))
        skip();
    FILE *from = open_data("miso_one_gpu_steps.csv");
    assert_non_null(from);
    assert_non_null(fgets(buffer, sizeof buffer, from));
    for (; fgets(line = buffer, sizeof buffer, from); rows++) {
        next_field(&line);
        pods = strtol(next_field(&line), NULL, 10) == 0 ? 0 : pods;
        bool adds = !strcmp(next_field(&line), "add");
        long which = strtol(next_field(&line), NULL, 10);
        if (adds) {
            pod[pods] = (struct sms_open_pod){of.job[which], 0, 0};
            job[pods++] = which;
        } else {
            remove_job(pod, job, &pods, which);
        }
        next_field(&line);
        const char *slices = next_field(&line);
        next_field(&line);
        const char *mean = next_field(&line);
        idle += pods == 0;
        if (pods == 0)
            continue;
        assert_int_equal(arrange(PUBLISHED, 0, pod, pods), pods);
        check_mean(mean, pod, pods);
        layouts += is_layout(pod, pods, slices);
    }
    fclose(from);
    print_message("%d steps; the same layout %d times\n", rows, layouts);
    assert_int_equal(rows, 540);
    assert_int_equal(layouts, rows - idle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_get_the_layout_of_least_mean_slowdown),
        cmocka_unit_test(all_layouts_are_more_than_the_published),
        cmocka_unit_test(of_equal_layouts_the_one_that_moves_fewer_pods_wins),
        cmocka_unit_test(a_gpu_with_more_pods_is_not_tried),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(chooses_what_its_function_chooses),
        cmocka_unit_test(keeps_up_with_arrivals_and_departures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
