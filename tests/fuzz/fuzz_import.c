/* libFuzzer: whatever a profile or a list of pods holds, importing it ends,
 * leaks nothing and says what is wrong; what is imported loads, and what is small runs.
 * Built and started by run.sh. */
#define _GNU_SOURCE
#include "sim/import/import.h"
#include "sim/model/scenario.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MAX_OF_INPUT = 64 * 1024, EVENTS = 3000, SMS_OF_A_RUN = 1000 };

/* A file in memory; `path` names it. */
static int file_of(const void *data, size_t size, char path[64])
{
    int fd = memfd_create("import", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void run(const struct sms_scenario *scenario)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_errors errors;
    struct sms_results *results;
    options.max_events = EVENTS;
    int code = sms_run(scenario, &options, &results, &errors);
    if (code && code != SMS_ELIMIT && code != SMS_EINPUT)
        abort();
    if ((code != SMS_OK) != (errors.count > 0))
        abort();
    sms_results_free(results);
}

/* The text of an import loads as a scenario. */
static void load(const char *text, size_t size)
{
    const struct sms_load_options options = {.installed_models = "models"};
    struct sms_errors errors;
    struct sms_file *file;
    char path[64];
    int fd = file_of(text, size, path);
    int code = sms_file_load(path, &options, &file, &errors);
    close(fd);
    if (code) {
        fwrite(text, 1, size, stderr);
        sms_errors_print(&errors, stderr);
        abort();
    }
    const struct sms_scenario *scenario = file ? sms_file_scenario(file, 0) : NULL;
    if (scenario && (scenario->devices == 0 || scenario->device[0]->sms <= SMS_OF_A_RUN))
        run(scenario);
    sms_file_free(file);
}

/* The importer that a byte selects: ncu, nvprof and pods, in this order. */
static const struct sms__importer *importer_of(uint8_t byte)
{
    const char *name = byte < 0xc0 ? "ncu" : byte < 0xe0 ? "nvprof" : "pods";
    size_t i = 0;
    while (strcmp(sms__importers[i]->name, name) != 0)
        i++;
    return sms__importers[i];
}

/* Which column of a list of pods is what: the published traces, and one of our own with units, by name and number. */
static const char *const columns[8] = {
    "philly",
    "helios",
    "pai2020",
    "alibaba2025",
    "azure",
    "arrival=when_ms:ms,duration=took_min:min,gpus=gpu_pct:%,cpu=cpu_m:milli,memory=mem:MiB",
    "arrival=1:ms,duration=2:min,gpus=3:%,cpu=4:milli,memory=5:MiB",
    "name=1,arrival=2,duration=3,gpus=4"};

/* The last byte says how to import the others. Profiles are read and printed, or made into scenarios of a device. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > SIZE_MAX_OF_INPUT)
        return -1;
    const struct sms__importer *importer = importer_of(data[size - 1]);
    bool pods = !strcmp(importer->name, "pods");
    bool made = pods || (data[size - 1] & 4), times = pods && (data[size - 1] & 8);
    const struct sms_load_options models = {.installed_models = "models"};
    const struct sms__import_options options = {.dump = !made,
                                                .columns = pods ? columns[data[size - 1] & 7] : NULL,
                                                .times = times,
                                                .profiled = (data[size - 1] & 8) ? NULL : "gtx1080ti",
                                                .load = &models};
    struct sms_errors errors;
    char path[64], *text = NULL;
    size_t length = 0;
    int fd = file_of(data, size - 1, path);
    FILE *to = open_memstream(&text, &length);
    int code = sms__import(importer, (const char *const[]){path}, 1, &options, to, &errors);
    close(fd);
    fclose(to);
    if ((code != SMS_OK) != (errors.count > 0))
        abort();
    if (code == SMS_OK && made && !times)
        load(text, length);
    free(text);
    return 0;
}
