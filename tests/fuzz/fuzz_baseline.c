/* libFuzzer: whatever a baseline holds, it is compared or said to be wrong, and what is said of it can be written.
 * Built and started by run.sh. */
#define _GNU_SOURCE
#include "scratch.h"

#include "sim/report/output.h"

#include <sys/mman.h>

static struct sms_file *file;
static struct sms_results *results;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct sms_load_options options = {.installed_models = "models"};
    struct sms_run_options run = sms_run_defaults();
    struct sms_errors errors = {0};
    (void)argc, (void)argv;
    if (sms_file_load(getenv("FUZZ_SCENARIO"), &options, &file, &errors) ||
        sms_run(sms_file_scenario(file, 0), &run, &results, &errors)) {
        sms_errors_print(&errors, stderr);
        abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const struct sms__set set = {.results = &results, .count = 1};
    struct sms__checks checks = {0};
    struct sms_errors errors = {0};
    int fd = memfd_create("baseline", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int code = sms__check_baseline(&set, path, 0.01, &checks, &errors);
    close(fd);
    if ((code != 0) != (errors.count > 0))
        abort();
    FILE *nowhere = fopen("/dev/null", "we");
    if (!nowhere)
        abort();
    if (code == 0 && sms__print_junit(&checks, nowhere))
        abort();
    fclose(nowhere);
    sms__checks_free(&checks);
    return 0;
}
