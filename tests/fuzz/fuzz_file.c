/* libFuzzer: whatever a file holds, loading it ends, leaks nothing and says what
 * is wrong; what loads and is small runs. Built and started by run.sh. */
#define _GNU_SOURCE

#include "sim/model/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MAX_OF_INPUT = 64 * 1024, EVENTS = 20000 };

/* A load that fails says so, with a message and without a file. */
static struct sms_file *load(const char *path)
{
    const struct sms_load_options options = {.installed_models = "models", .max_memory = 1 << 30};
    struct sms_errors errors;
    struct sms_file *file;
    int code = sms_file_load(path, &options, &file, &errors);
    if ((code != SMS_OK) != (file == NULL) || (code != SMS_OK) != (errors.count > 0))
        abort();
    if (code) {
        FILE *sink = fopen("/dev/null", "w");
        sms_errors_print(&errors, sink);
        fclose(sink);
    }
    return file;
}

/* Small enough to run some thousand times a second. */
static bool is_small(const struct sms_scenario *scenario)
{
    double slots = 0, streams = 0, kernels = 0;
    for (size_t d = 0; d < scenario->devices; d++)
        slots += (double)scenario->device[d]->sms * (double)(scenario->device[d]->sm.blocks + 4);
    for (size_t v = 0; v < scenario->vms; v++) {
        streams += (double)scenario->vm[v].streams * (double)scenario->devices;
        kernels += (double)scenario->vm[v].workload->kernels;
    }
    double runs = (double)scenario->policies * (double)scenario->replications;
    if (scenario->cluster)
        return scenario->cluster->pods < 2000 && scenario->cluster->nodes < 256 && runs < 16;
    return slots < 4096 && streams < 256 && kernels < 16 && runs < 16;
}

static void run(const struct sms_scenario *scenario)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_errors errors;
    struct sms_results *results;
    options.max_events = EVENTS;
    options.alone = false;
    options.max_memory = 1 << 30;
    int code = sms_run(scenario, &options, &results, &errors);
    if (code && code != SMS_ELIMIT && code != SMS_EMEMORY && code != SMS_EINPUT) /* EINPUT: beyond the clock */
        abort();
    if ((code != SMS_OK) != (results == NULL))
        abort();
    sms_results_free(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    if (size > SIZE_MAX_OF_INPUT)
        return -1;
    int fd = memfd_create("scenario", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct sms_file *file = load(path);
    close(fd);
    if (file && sms_file_scenarios(file) && is_small(sms_file_scenario(file, 0)))
        run(sms_file_scenario(file, 0));
    sms_file_free(file);
    return 0;
}
