/* libFuzzer: whatever a plan holds, loading it ends, leaks nothing and says what is wrong, each thing once and in the
 * order of its lines; each point of one that loads has a key and a scenario, or a message. Built and started by run.sh.
 */
#define _GNU_SOURCE
#include "sim/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MAX_OF_INPUT = 64 * 1024, POINTS_TRIED = 5 };

static void check_errors(const char *path, const struct sms_errors *errors)
{
    size_t count = errors->count < SMS_ERRORS_MAX ? errors->count : SMS_ERRORS_MAX;
    for (size_t i = 1; i < count; i++) {
        const struct sms_error *before = &errors->item[i - 1], *error = &errors->item[i];
        bool own = !strcmp(before->file, path) && !strcmp(error->file, path);
        if (own && (before->line > error->line || (before->line == error->line && before->column > error->column)))
            abort();
    }
    FILE *sink = fopen("/dev/null", "w");
    sms_errors_print(errors, sink);
    fclose(sink);
}

static void try_point(struct sms__worker_context *context, uint64_t point)
{
    struct sms_errors errors;
    struct sms_file *file;
    char *models = NULL;
    unsigned char key[SMS__KEY_BYTES], again[SMS__KEY_BYTES];
    int code = sms__point_load(context, point, &file, &models, &errors);
    if ((code != SMS_OK) != (errors.count > 0) || (code != SMS_OK) != (file == NULL) || !models)
        abort();
    if (!sms__point_key(context, point, models, NULL, key) || !sms__point_key(context, point, models, NULL, again) ||
        memcmp(key, again, sizeof key) != 0)
        abort();
    free(models);
    sms_file_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sms_load_options options = {.installed_models = "models"};
    struct sms_errors errors;
    struct sms__plan *plan;
    struct sms__worker_context context;
    char path[64];
    if (size > SIZE_MAX_OF_INPUT)
        return -1;
    int fd = memfd_create("plan", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int code = sms__plan_load(path, &options, &plan, &errors);
    if ((code != SMS_OK) != (plan == NULL) || (code != SMS_OK) != (errors.count > 0))
        abort();
    check_errors(path, &errors);
    if (plan && sms__worker_context_open(plan, true, &context, &errors) == SMS_OK) {
        for (uint64_t i = 0; i < POINTS_TRIED && i < plan->points; i++)
            try_point(&context, plan->points - 1 - i * (plan->points - 1) / POINTS_TRIED);
        sms__worker_context_close(&context);
    }
    close(fd);
    sms__plan_free(plan);
    return 0;
}
