/* The library of workloads: each kernel was measured alone, and so it must last, whatever the contention model. */
#include "tests/harness.h"

#include <dirent.h>
#include <stdio.h>

/* Blocks that vary leave each other at other times if some are slowed, and others are then the last. */
static const double TOLERANCE = 0.012;

static struct sms_results *run_alone(const char *device, const char *name, const char *contention,
                                     struct sms_file **file)
{
    *file = load_text("scenario: s\ndevices: [{model: %s, dispatch: none, resources: {dram: {knee: 2.2}, l2: {knee: "
                      "3}, issue: {knee: 6}}}]\n"
                      "contention: %s\npolicies: [round_robin]\nvms: [{name: v, workload: %s/%s}]\n",
                      device, contention, device, name);
    return run_first(*file, NULL);
}

static void compare_kernels(const char *device, const char *name)
{
    struct sms_file *files[2];
    struct sms_results *corner = run_alone(device, name, "proportional", &files[0]);
    struct sms_results *knee = run_alone(device, name, "knee", &files[1]);
    for (size_t k = 0; k < sms_results_subjects(knee, SMS_KERNEL); k++) {
        double was = estimate(corner, 0, SMS_KERNEL, k, "latency_mean_ns").mean;
        double is = estimate(knee, 0, SMS_KERNEL, k, "latency_mean_ns").mean;
        if (fabs(is - was) > TOLERANCE * was)
            fail_msg("kernel %zu of %s/%s lasts %.1f ns, not %.1f", k, device, name, is, was);
    }
    discard(corner, files[0]);
    discard(knee, files[1]);
}

static size_t compare_folder(const char *device)
{
    char path[512];
    size_t count = 0;
    snprintf(path, sizeof path, SOURCE_DIR "/models/workloads/%s", device);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char name[64];
        if (sscanf(entry->d_name, "%60[^.].yaml", name) != 1)
            continue;
        compare_kernels(device, name);
        count++;
    }
    closedir(folder);
    return count;
}

static void under_a_knee_every_kernel_of_the_library_lasts_alone_as_measured(void **state)
{
    (void)state;
    assert_true(compare_folder("v100") > 10);
    assert_true(compare_folder("gtx1080ti") > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_a_knee_every_kernel_of_the_library_lasts_alone_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
