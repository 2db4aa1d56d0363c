/* Each device file against itself, and against the peaks that its maker has published: the comment
 * "# published: fp32 19.5 TFLOP/s, dram 1555 GB/s (source)". */
#include "tests/harness.h"

#include "sim/import/derive.h"
#include "sim/model/footprint.h"

#include <dirent.h>

static const double NEAR = 0.02;

static double published(const char *text, const char *what)
{
    const char *line = strstr(text, "\n# published: "), *at = line ? strstr(line, what) : NULL;
    return at && at < line + 1 + strcspn(line + 1, "\n") ? atof(at + strlen(what)) : NAN;
}

static void check_limits(const struct sms__device *device)
{
    const struct sms__sm *sm = &device->sm;
    struct sms__kernel kernel = {
        .blocks = 1, .threads = sm->threads_per_block, .shared_memory = sm->shared_memory_per_block};
    uint64_t capacity[SMS_LIMITS], needs[SMS_LIMITS];
    enum sms_limit binds;
    assert_int_equal(sm->warps * sm->warp, sm->threads);
    assert_true(sm->shared_memory_per_block + sm->shared_memory_reserved <= sm->shared_memory);
    assert_int_equal(sm->registers % (sm->register_partitions * sm->register_unit), 0);
    assert_null(sms__block_needs(sm, &kernel, needs));
    sms__sm_capacity(sm, capacity);
    assert_true(sms__blocks_per_sm(capacity, needs, &binds) >= 1);
    kernel = (struct sms__kernel){.blocks = 1, .threads = sm->warp, .registers = 32};
    assert_null(sms__block_needs(sm, &kernel, needs));
    assert_true(sms__blocks_per_sm(capacity, needs, &binds) <= sm->blocks);
}

static void check_instances(const struct sms__device *device)
{
    for (size_t i = 0; device->mig.sheet && i < device->mig.sheet->profiles; i++) {
        assert_true(device->mig.sheet->profile[i].sms <= device->sms);
        assert_true(device->mig.sheet->profile[i].memory <= device->memory);
    }
}

static void check_peak(const char *of, double own, double told)
{
    if (fabs(own - told) > NEAR * told)
        print_message("%s is %.4g per second by the keys of the file, and %.4g by its line '# published:'\n", of, own,
                      told);
    assert_near(own, told, NEAR * told);
}

static void check_peaks(const struct sms__device *device, const char *text)
{
    int fp32 = sms__resource_index(device, "fp32"), dram = sms__resource_index(device, "dram");
    double flops = published(text, "fp32 ") * 1e12, bandwidth = published(text, "dram ") * 1e9;
    if (!(flops > 0))
        print_message("it lacks a line '# published: fp32 15.7 TFLOP/s, dram 900 GB/s (source)'\n");
    assert_true(fp32 >= 0 && dram >= 0 && flops > 0);
    check_peak("fp32", 2 * device->resource[fp32].lanes * (double)device->sms * device->clock_hz, flops);
    if (bandwidth > 0)
        check_peak("dram", device->resource[dram].bandwidth, bandwidth);
    else /* measured, and said to be */
        assert_non_null(strstr(text, "the most that green contexts got"));
}

static void each_device_is_consistent_and_has_its_published_peaks(void **state)
{
    char path[600], text[16384];
    size_t devices = 0;
    DIR *dir = opendir(SOURCE_DIR "/models/devices");
    (void)state;
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        print_message("%s\n", entry->d_name);
        snprintf(path, sizeof path, SOURCE_DIR "/models/devices/%s", entry->d_name);
        FILE *from = fopen(path, "r");
        text[fread(text, 1, sizeof text - 1, from)] = '\0';
        fclose(from);
        struct sms_file *file = load_path(path);
        check_limits(file->device[0]);
        check_instances(file->device[0]);
        check_peaks(file->device[0], text);
        sms_file_free(file);
        devices++;
    }
    closedir(dir);
    assert_true(devices >= 31);
}

/* Blocks of 65 threads are two wavefronts of 64, and three warps of 32. */
static void a_device_says_how_wide_its_warps_are(void **state)
{
    struct sms_file *amd = load_path(SOURCE_DIR "/models/devices/mi250.yaml");
    struct sms__kernel kernel = {.blocks = 1, .threads = 65, .registers = 64};
    uint64_t needs[SMS_LIMITS];
    (void)state;
    assert_null(sms__block_needs(&amd->device[0]->sm, &kernel, needs));
    assert_int_equal(needs[SMS_WARPS], 2);
    assert_int_equal(needs[SMS_THREADS], 128);
    sms_file_free(amd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_is_consistent_and_has_its_published_peaks),
        cmocka_unit_test(a_device_says_how_wide_its_warps_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
